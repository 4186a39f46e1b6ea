//! The log of an execution's output: order, offsets, bounds, and a disk that is full, missing or tampered with.

mod common;

use std::fs;
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::PathBuf;
use std::rc::Rc;

use boxd_agent::message::Channel;
use boxd_agent::output::log::{Cursor, Next, OutputLog, POOR_BLOCKS};
use boxd_agent::output::shelf::Room;
use boxd_agent::output::BLOCK_BYTES;
use common::Random;

/// A folder of one test, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("boxd-output-{name}-{}", std::process::id()));
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn log_in(folder: &Folder, blocks: usize) -> OutputLog {
    OutputLog::new((blocks * BLOCK_BYTES) as u64, Rc::new(Room::new(Some(folder.0.join("kept")))))
}

/// Reads up to the end; every byte with its channel.
fn read_all(log: &mut OutputLog, cursor: &mut Cursor, chunk: usize) -> Vec<(Channel, u8)> {
    let mut found = Vec::new();
    let mut buffer = vec![0; chunk];
    loop {
        match log.next(cursor) {
            Next::Channel(channel) => {
                let count = log.read(cursor, channel, &mut buffer);
                assert!(count > 0);
                found.extend(buffer[..count].iter().map(|&byte| (channel, byte)));
            }
            Next::End => return found,
            Next::Lost(offset) => *cursor = Cursor::at(offset),
        }
    }
}

fn some_output(random: &mut Random) -> (Channel, Vec<u8>) {
    let channel = Channel::ALL[random.below(2)];
    let most = [3, 300, 70_000][random.below(3)];
    let value = random.next() as u8;
    (channel, (0..random.below(most)).map(|at| value.wrapping_add(at as u8)).collect())
}

#[test]
fn keeps_order_and_offsets_whatever_the_pieces() {
    let folder = Folder::new("order");
    let mut random = Random(7);
    for _ in 0..20 {
        let mut log = log_in(&folder, 1000);
        let mut all = Vec::new();
        let mut follower = Cursor::at(0);
        let mut followed = Vec::new();
        for _ in 0..60 {
            let (channel, data) = some_output(&mut random);
            all.extend(data.iter().map(|&byte| (channel, byte)));
            log.append(channel, &data);
            if random.below(3) == 0 {
                followed.extend(read_all(&mut log, &mut follower, 1 + random.below(40_000)));
            }
        }
        assert_eq!((log.start(), log.end(), log.trouble()), (0, all.len() as u64, None));
        followed.extend(read_all(&mut log, &mut follower, 5000));
        assert!(followed == all, "the follower");
        for _ in 0..5 {
            let from = random.below(all.len() + 1);
            assert!(read_all(&mut log, &mut Cursor::at(from as u64), 32_755) == all[from..], "from {from}");
        }
        assert!(log.memory_bytes() <= 4 * BLOCK_BYTES);
    }
}

#[test]
fn drops_the_oldest_beyond_its_bound_and_says_from_where_it_goes_on() {
    let folder = Folder::new("bound");
    let mut log = log_in(&folder, 8);
    let data: Vec<u8> = (0..3_000_000u32).map(|at| (at / 7) as u8).collect();
    for piece in data.chunks(10_001) {
        log.append(Channel::Stdout, piece);
    }
    let start = log.start() as usize;
    assert!(data.len() - start <= 9 * BLOCK_BYTES && data.len() - start >= 7 * BLOCK_BYTES, "{start}");
    let mut cursor = Cursor::at(5);
    assert_eq!(log.next(&mut cursor), Next::Lost(start as u64));
    let found: Vec<u8> = read_all(&mut log, &mut cursor, 32_755).into_iter().map(|(_, byte)| byte).collect();
    assert!(found == data[start..]);
}

#[test]
fn never_drops_what_its_room_was_asked_for() {
    let folder = Folder::new("room");
    let mut random = Random(3);
    for blocks in [8, 9, 40] {
        let mut log = log_in(&folder, blocks);
        let mut floor = 0;
        for _ in 0..2000 {
            let room = log.room_before(floor);
            let size = room.min(random.below(90_000));
            log.append(Channel::ALL[random.below(2)], &vec![1; size]);
            assert!(log.start() <= floor);
            // A reader that goes on by any step.
            floor += random.below((log.end() - floor) as usize + 1) as u64 * random.below(2) as u64;
        }
        while log.room_before(floor) > 0 {
            log.append(Channel::Stdout, &vec![2; log.room_before(floor)]);
        }
        assert_eq!(log.room_before(floor), 0);
        assert!(log.room_before(log.end()) > 0);
    }
}

#[test]
fn lives_in_memory_without_a_disk() {
    let mut log = OutputLog::new(16 << 20, Rc::new(Room::new(None)));
    for _ in 0..1000 {
        log.append(Channel::Stderr, &[9; 10_000]);
    }
    assert_eq!(log.trouble(), Some(libc::ENOENT));
    assert!(log.memory_bytes() <= (POOR_BLOCKS + 3) * BLOCK_BYTES * 2);
    let kept = log.end() - log.start();
    assert!(kept >= (7 * BLOCK_BYTES) as u64, "{kept}");
    let mut cursor = Cursor::at(log.start());
    assert_eq!(read_all(&mut log, &mut cursor, 1000).len() as u64, kept);
}

#[test]
fn uses_no_folder_that_somebody_else_can_steer() {
    let folder = Folder::new("planted");
    let elsewhere = folder.0.join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, folder.0.join("kept")).unwrap();
    let flood = |log: &mut OutputLog| (0..20).for_each(|_| log.append(Channel::Stdout, &[1; 30_000]));
    let mut log = log_in(&folder, 100);
    flood(&mut log);
    assert!(matches!(log.trouble(), Some(libc::ELOOP | libc::ENOTDIR)), "{:?}", log.trouble());
    fs::remove_file(folder.0.join("kept")).unwrap();
    fs::create_dir(folder.0.join("kept")).unwrap();
    fs::set_permissions(folder.0.join("kept"), fs::Permissions::from_mode(0o777)).unwrap();
    let mut log = log_in(&folder, 100);
    flood(&mut log);
    assert_eq!(log.trouble(), Some(libc::EPERM));
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count() + fs::read_dir(folder.0.join("kept")).unwrap().count(), 0);
}

/// The machine's root can reach the file through the agent's descriptors.
#[test]
fn survives_a_file_that_was_tampered_with() {
    let folder = Folder::new("tampered");
    let mut random = Random(11);
    for damage in 0..200 {
        let mut log = log_in(&folder, 100);
        for _ in 0..10 {
            log.append(Channel::ALL[random.below(2)], &vec![5; 20_000]);
        }
        let path = kept_file(&folder);
        let size = fs::metadata(&path).unwrap().len();
        if damage % 4 == 0 {
            fs::OpenOptions::new()
                .write(true)
                .open(&path)
                .unwrap()
                .set_len(random.below(size as usize) as u64)
                .unwrap();
        } else {
            let junk: Vec<u8> = (0..random.below(200)).map(|_| random.next() as u8).collect();
            let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
            let block = random.below(5) * BLOCK_BYTES;
            std::os::unix::fs::FileExt::write_all_at(&file, &junk, block as u64).unwrap();
        }
        let found = read_all(&mut log, &mut Cursor::at(0), 32_755);
        assert!(found.len() <= 300_000);
    }
}

fn kept_file(folder: &Folder) -> PathBuf {
    let wanted = folder.0.join("kept").to_string_lossy().into_owned();
    let links = fs::read_dir("/proc/self/fd").unwrap().flatten().map(|entry| entry.path());
    let mut found =
        links.filter(|link| fs::read_link(link).map_or(false, |to| to.to_string_lossy().starts_with(&wanted)));
    found.next().expect("the open file")
}
