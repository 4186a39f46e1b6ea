//! A client that says to the server of files what it likes, and what comes back.

mod common;

use std::fs;
use std::io::{Error, ErrorKind};
use std::os::unix::fs::{symlink, MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use boxd_agent::sftp::packet::{kind, put_text, put_u32, put_u64, take_packet, Attributes, Taken};
use boxd_agent::sftp::{request, serve};
use common::Random;

const OK: u32 = 0;
const END: u32 = 1;
const NO_FILE: u32 = 2;
const FAILURE: u32 = 4;
const BAD: u32 = 5;
const UNSUPPORTED: u32 = 8;

/// A folder of one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("boxd-sftp-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Folder(fs::canonicalize(folder).unwrap())
    }

    fn path(&self, name: &str) -> Vec<u8> {
        self.0.join(name).to_str().unwrap().as_bytes().to_vec()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A conversation that is said at once; the answers come back in the same order.
#[derive(Default)]
struct Script {
    bytes: Vec<u8>,
    next: u32,
}

impl Script {
    fn new() -> Self {
        let mut script = Script::default();
        script.packet(kind::INIT, None, &3u32.to_be_bytes());
        script
    }

    fn packet(&mut self, kind: u8, id: Option<u32>, content: &[u8]) {
        let number = id.map_or(Vec::new(), |id| id.to_be_bytes().to_vec());
        put_u32(&mut self.bytes, (1 + number.len() + content.len()) as u32);
        self.bytes.push(kind);
        self.bytes.extend(number);
        self.bytes.extend(content);
    }

    fn say(&mut self, kind: u8, content: impl FnOnce(&mut Vec<u8>)) {
        let mut out = Vec::new();
        content(&mut out);
        self.next += 1;
        self.packet(kind, Some(self.next), &out);
    }

    fn paths(&mut self, kind: u8, paths: &[&[u8]]) {
        self.say(kind, |out| paths.iter().for_each(|path| put_text(out, path)));
    }

    fn extended(&mut self, name: &str, paths: &[&[u8]]) {
        let all: Vec<&[u8]> = [name.as_bytes()].into_iter().chain(paths.iter().copied()).collect();
        self.paths(kind::EXTENDED, &all);
    }

    fn open(&mut self, path: &[u8], flags: u32, attributes: &Attributes) {
        self.say(kind::OPEN, |out| {
            put_text(out, path);
            put_u32(out, flags);
            attributes.put(out);
        });
    }

    fn handle(&mut self, kind: u8, handle: u32, numbers: &[u64]) {
        self.say(kind, |out| {
            put_text(out, &handle.to_be_bytes());
            numbers.iter().for_each(|&number| put_u64(out, number));
        });
    }

    fn read(&mut self, handle: u32, offset: u64, length: u32) {
        self.say(kind::READ, |out| {
            put_text(out, &handle.to_be_bytes());
            put_u64(out, offset);
            put_u32(out, length);
        });
    }

    fn write(&mut self, handle: u32, offset: u64, data: &[u8]) {
        self.say(kind::WRITE, |out| {
            put_text(out, &handle.to_be_bytes());
            put_u64(out, offset);
            put_text(out, data);
        });
    }

    /// The kinds and contents of all answers behind the greeting.
    fn run(self) -> Vec<(u8, Vec<u8>)> {
        let mut output = Vec::new();
        serve(&mut &self.bytes[..], &mut output).unwrap();
        let all = answers(&output);
        assert_eq!(all[0].0, kind::VERSION);
        assert_eq!(all.len() as u32, self.next + 1);
        for (at, answer) in all.iter().enumerate().skip(1) {
            assert_eq!(answer.1[..4], (at as u32).to_be_bytes(), "answers come in order");
        }
        all.into_iter().skip(1).map(|(kind, content)| (kind, content[4..].to_vec())).collect()
    }
}

fn answers(mut bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut all = Vec::new();
    while let Ok(Taken::Packet(packet)) = take_packet(bytes) {
        all.push((packet[0], packet[1..].to_vec()));
        bytes = &bytes[packet.len() + 4..];
    }
    assert!(bytes.is_empty(), "whole packets");
    all
}

fn status(answer: &(u8, Vec<u8>)) -> u32 {
    assert_eq!(answer.0, kind::STATUS, "{}", String::from_utf8_lossy(&answer.1));
    u32::from_be_bytes(answer.1[..4].try_into().unwrap())
}

fn statuses(answers: &[(u8, Vec<u8>)]) -> Vec<u32> {
    answers.iter().map(status).collect()
}

fn mode(bits: u32) -> Attributes {
    Attributes { mode: Some(bits), ..Attributes::default() }
}

#[test]
fn a_file_is_written_and_read_at_any_place() {
    let folder = Folder::new("offsets");
    let far = 5 << 30;
    let mut script = Script::new();
    script.open(&folder.path("big"), 1 | 2 | 8, &mode(0o100640));
    script.write(1, far, b"behind four GiB");
    script.write(1, 3, b"near");
    script.read(1, far + 7, 100);
    script.read(1, 0, 7);
    script.read(1, far + 100, 10);
    script.handle(kind::CLOSE, 1, &[]);
    script.read(1, 0, 1);
    let answers = script.run();
    assert_eq!(answers[0], (kind::HANDLE, vec![0, 0, 0, 4, 0, 0, 0, 1]));
    assert_eq!(statuses(&answers[1..3]), [OK, OK]);
    assert_eq!(answers[3].1[4..], *b"four GiB");
    assert_eq!(answers[4].1[4..], *b"\0\0\0near");
    assert_eq!(statuses(&answers[5..]), [END, OK, FAILURE]);
    let made = fs::metadata(folder.0.join("big")).unwrap();
    assert_eq!((made.len(), made.mode() & 0o777), (far + 15, 0o640));
}

#[test]
fn flags_of_opening_are_meant() {
    let folder = Folder::new("flags");
    fs::write(folder.0.join("old"), "old").unwrap();
    let mut script = Script::new();
    script.open(&folder.path("old"), 2 | 8 | 32, &Attributes::default());
    script.open(&folder.path("none"), 1, &Attributes::default());
    script.open(&folder.path("old"), 2 | 4, &Attributes::default());
    script.write(1, 0, b"er");
    script.open(&folder.path("old/below"), 1, &Attributes::default());
    let answers = script.run();
    assert_eq!([status(&answers[0]), status(&answers[1])], [FAILURE, NO_FILE]);
    assert_eq!(status(&answers[3]), OK);
    assert_eq!(status(&answers[4]), NO_FILE);
    assert_eq!(fs::read(folder.0.join("old")).unwrap(), b"older");
}

#[test]
fn names_change_as_they_are_asked_to() {
    let folder = Folder::new("names");
    let (one, two, three) = (folder.path("one"), folder.path("two"), folder.path("three"));
    fs::write(folder.0.join("one"), "1").unwrap();
    fs::write(folder.0.join("two"), "2").unwrap();
    let mut script = Script::new();
    script.paths(kind::RENAME, &[&one, &two]);
    script.extended("posix-rename@openssh.com", &[&one, &two]);
    script.paths(kind::RENAME, &[&two, &three]);
    script.paths(kind::SYMLINK, &[b"three", &folder.path("link")]);
    script.extended("hardlink@openssh.com", &[&three, &one]);
    script.paths(kind::READLINK, &[&folder.path("link")]);
    script.paths(kind::REMOVE, &[&folder.path("none")]);
    script.paths(kind::RMDIR, &[&folder.path("")]);
    let answers = script.run();
    assert_eq!(statuses(&answers[..5]), [FAILURE, OK, OK, OK, OK]);
    assert!(answers[5].1.windows(5).any(|part| part == b"three"));
    assert_eq!(statuses(&answers[6..]), [NO_FILE, FAILURE]);
    assert_eq!(fs::read(folder.0.join("link")).unwrap(), b"1");
    assert_eq!(fs::metadata(folder.0.join("one")).unwrap().nlink(), 2);
}

#[test]
fn attributes_are_set_and_told() {
    let folder = Folder::new("attributes");
    let (file, link) = (folder.path("file"), folder.path("link"));
    fs::write(folder.0.join("file"), "content").unwrap();
    symlink("file", folder.0.join("link")).unwrap();
    let wanted =
        Attributes { size: Some(3), mode: Some(0o600), times: Some((1_000_000_000, 1_100_000_000)), owner: None };
    let times = Attributes { times: Some((5, 6)), ..Attributes::default() };
    let mut script = Script::new();
    script.say(kind::SETSTAT, |out| {
        put_text(out, &file);
        wanted.put(out);
    });
    script.say(kind::EXTENDED, |out| {
        put_text(out, b"lsetstat@openssh.com");
        put_text(out, &link);
        times.put(out);
    });
    script.paths(kind::STAT, &[&link]);
    script.paths(kind::LSTAT, &[&link]);
    let answers = script.run();
    assert_eq!(statuses(&answers[..2]), [OK, OK]);
    assert_eq!((answers[2].0, answers[3].0), (kind::ATTRS, kind::ATTRS));
    let found = fs::metadata(folder.0.join("file")).unwrap();
    assert_eq!((found.len(), found.mode() & 0o777, found.mtime()), (3, 0o600, 1_100_000_000));
    assert_eq!(fs::symlink_metadata(folder.0.join("link")).unwrap().mtime(), 6);
    assert!(answers[2].1.windows(4).any(|part| part == 1_100_000_000u32.to_be_bytes()));
}

#[test]
fn folders_are_listed_in_batches() {
    let folder = Folder::new("folders");
    (0..230).for_each(|number| fs::write(folder.0.join(format!("f{number}")), "").unwrap());
    let mut script = Script::new();
    script.paths(kind::OPENDIR, &[&folder.path("")]);
    (0..4).for_each(|_| script.handle(kind::READDIR, 1, &[]));
    script.read(1, 0, 1);
    let answers = script.run();
    let counts: Vec<u32> = answers[1..4]
        .iter()
        .map(|(kind, content)| {
            assert_eq!(*kind, kind::NAME);
            u32::from_be_bytes(content[..4].try_into().unwrap())
        })
        .collect();
    assert_eq!(counts, [100, 100, 32]);
    assert_eq!(statuses(&answers[4..]), [END, FAILURE]);
    assert!(String::from_utf8_lossy(&answers[1].1).contains("-rw-r--r--    1 "));
}

#[test]
fn paths_are_made_absolute_also_those_that_are_not_there() {
    let folder = Folder::new("paths");
    fs::create_dir(folder.0.join("sub")).unwrap();
    symlink("sub", folder.0.join("link")).unwrap();
    let mut script = Script::new();
    script.paths(kind::REALPATH, &[&folder.path("link/../sub/./new")]);
    script.paths(kind::REALPATH, &[&folder.path("none/new")]);
    script.paths(kind::REALPATH, &[b""]);
    script.extended("expand-path@openssh.com", &[b"~root/x"]);
    let answers = script.run();
    let has = |answer: &(u8, Vec<u8>), path: &[u8]| answer.1.windows(path.len()).any(|part| part == path);
    assert!(has(&answers[0], &folder.path("sub/new")));
    assert_eq!(status(&answers[1]), NO_FILE);
    let here = std::env::current_dir().unwrap();
    assert!(has(&answers[2], here.to_str().unwrap().as_bytes()));
    assert!(answers[3].0 == kind::NAME || status(&answers[3]) != OK);
}

#[test]
fn content_is_copied_without_the_client() {
    let folder = Folder::new("copy");
    fs::write(folder.0.join("from"), vec![7; 600_000]).unwrap();
    let mut script = Script::new();
    script.open(&folder.path("from"), 1 | 2, &Attributes::default());
    script.open(&folder.path("to"), 2 | 8, &Attributes::default());
    let copy = |script: &mut Script, from: u32, offset: u64, length: u64, to: u32| {
        script.say(kind::EXTENDED, |out| {
            put_text(out, b"copy-data");
            put_text(out, &from.to_be_bytes());
            put_u64(out, offset);
            put_u64(out, length);
            put_text(out, &to.to_be_bytes());
            put_u64(out, 0);
        });
    };
    copy(&mut script, 1, 100_000, 0, 2);
    copy(&mut script, 1, 0, 700_000, 2);
    copy(&mut script, 1, 0, 1, 1);
    copy(&mut script, 1, 0, 1, 9);
    let answers = script.run();
    assert_eq!(statuses(&answers[2..]), [OK, END, FAILURE, FAILURE]);
    assert_eq!(fs::metadata(folder.0.join("to")).unwrap().len(), 600_000);
}

#[test]
fn what_is_unknown_or_broken_is_answered() {
    let mut script = Script::new();
    script.say(99, |out| out.extend([1, 2, 3]));
    script.extended("nobody@example.com", &[b"x"]);
    script.say(kind::STAT, |out| put_u32(out, 1000));
    script.paths(kind::STAT, &[b"with\0zero"]);
    script.say(kind::CLOSE, |out| put_text(out, b"123"));
    script.extended("limits@openssh.com", &[]);
    let answers = script.run();
    assert_eq!(statuses(&answers[..5]), [UNSUPPORTED, UNSUPPORTED, BAD, BAD, BAD]);
    assert_eq!(answers[5].0, kind::EXTENDED_REPLY);
}

#[test]
fn handles_are_bounded() {
    let folder = Folder::new("handles");
    let mut script = Script::new();
    (0..1000).for_each(|_| script.open(&folder.path(""), 1, &Attributes::default()));
    let answers = script.run();
    let opened = answers.iter().filter(|answer| answer.0 == kind::HANDLE).count();
    assert!((800..1000).contains(&opened), "{opened}");
    assert_eq!(status(&answers[999]), FAILURE);
}

#[test]
fn who_does_not_greet_or_has_no_measure_is_left() {
    let refused = |bytes: &[u8]| serve(&mut &bytes[..], &mut Vec::new()).unwrap_err().kind();
    assert_eq!(refused(&[0, 0, 0, 5, kind::STAT, 0, 0, 0, 1]), ErrorKind::InvalidData);
    assert_eq!(refused(&[0, 0, 0, 5, kind::INIT, 0, 0, 0, 2]), ErrorKind::InvalidData);
    assert_eq!(refused(&[0, 0, 0, 0]), ErrorKind::InvalidData);
    assert_eq!(refused(&[0x7f, 0xff, 0xff, 0xff]), ErrorKind::InvalidData);
    assert_eq!(
        refused(&Script::new().bytes.iter().copied().chain([0, 4, 0, 1]).collect::<Vec<u8>>()),
        ErrorKind::InvalidData
    );
}

/// Says bytes in pieces of a size, whatever is asked for.
struct Pieces<'a>(&'a [u8], usize);

impl std::io::Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let count = self.1.min(buffer.len()).min(self.0.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

#[test]
fn packets_may_come_in_any_pieces() {
    let folder = Folder::new("pieces");
    let mut script = Script::new();
    script.open(&folder.path("file"), 1 | 2 | 8, &Attributes::default());
    script.write(1, 0, &[9; 200_000]);
    script.write(1, 200_000, &[8; 250_000]);
    script.read(1, 0, 250_000);
    for size in [1, 3, 4, 5, 1000, 65_536, 1 << 20] {
        let mut output = Vec::new();
        serve(&mut Pieces(&script.bytes, size), &mut output).unwrap();
        let all = answers(&output);
        assert_eq!((all.len(), all[4].1.len()), (5, 4 + 4 + 250_000));
        assert_eq!(fs::metadata(folder.0.join("file")).unwrap().len(), 450_000);
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Requests that only handles are in: whatever they say, no file but the test's own is touched.
fn random_request(script: &mut Script, random: &mut Random) {
    let kinds = [kind::CLOSE, kind::READ, kind::WRITE, kind::FSTAT, kind::READDIR, kind::FSETSTAT, kind::EXTENDED];
    let kind = kinds[random.below(kinds.len())];
    let mut noise: Vec<u8> = (0..random.below(60)).map(|_| random.next() as u8).collect();
    if random.below(2) == 0 {
        noise.iter_mut().for_each(|byte| *byte &= 3);
    }
    script.say(kind, |out| {
        if kind == kind::EXTENDED {
            let names = ["fsync@openssh.com", "fstatvfs@openssh.com", "users-groups-by-id@openssh.com"];
            put_text(out, names[random.below(names.len())].as_bytes());
        }
        put_text(out, &(1 + random.below(6) as u32).to_be_bytes());
        if random.below(2) == 0 {
            put_u64(out, random.next() >> random.below(64));
        }
        if random.below(2) == 0 {
            put_u32(out, (random.next() as u32) >> random.below(32));
        }
        out.extend(&noise);
    });
}

#[test]
fn a_hostile_client_ends_nothing_fuzz() {
    let seed = number("BOXD_FUZZ_SEED").unwrap_or(0x626f_7864);
    let end = Instant::now() + Duration::from_secs(number("BOXD_FUZZ_SECONDS").unwrap_or(0));
    println!("BOXD_FUZZ_SEED={seed}");
    let (mut random, folder) = (Random(seed), Folder::new("fuzz"));
    let mut rounds = 0;
    while rounds < 300 || Instant::now() < end {
        let mut script = Script::new();
        script.open(&folder.path("one"), 1 | 2 | 8 | 16, &Attributes::default());
        script.open(&folder.path("two"), 1 | 2 | 4 | 8, &Attributes::default());
        script.paths(kind::OPENDIR, &[&folder.path("")]);
        (0..40).for_each(|_| random_request(&mut script, &mut random));
        script.run();
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o755)).unwrap();
        rounds += 1;
    }
}

#[test]
fn a_mutated_request_is_read_or_refused_fuzz() {
    let seed = number("BOXD_FUZZ_SEED").unwrap_or(0x626f_7864);
    let end = Instant::now() + Duration::from_secs(number("BOXD_FUZZ_SECONDS").unwrap_or(0));
    println!("BOXD_FUZZ_SEED={seed}");
    let mut random = Random(seed);
    let mut script = Script::new();
    let all = Attributes { size: Some(1), owner: Some((2, 3)), mode: Some(4), times: Some((5, 6)) };
    script.open(b"/a", 63, &all);
    script.write(1, 2, b"data");
    script.read(1, 2, 3);
    script.paths(kind::RENAME, &[b"/a", b"/b"]);
    script.extended("posix-rename@openssh.com", &[b"/a", b"/b"]);
    script.handle(kind::READDIR, 1, &[]);
    let packets: Vec<Vec<u8>> =
        answers(&script.bytes).into_iter().map(|(kind, content)| [&[kind], &content[..]].concat()).collect();
    let (mut inputs, mut understood) = (0u64, 0);
    while inputs < 300_000 || Instant::now() < end {
        let mut bytes = packets[random.below(packets.len())].clone();
        for _ in 0..random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes.truncate(at.max(1)),
                2 => bytes.insert(at, random.next() as u8),
                _ => bytes[at] = 0xff,
            }
        }
        understood += u64::from(request::parse(&bytes).map_or(false, |(_, request)| request.is_ok()));
        let _ = take_packet(&bytes);
        inputs += 1;
    }
    assert!(understood > inputs / 20, "only {understood} of {inputs} meant anything");
}
