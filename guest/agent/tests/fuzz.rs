//! Mutated conversations: whatever arrives, the agent's logic neither panics nor grows.
//!
//! A million inputs by default; BOXD_FUZZ_SECONDS makes it go on for so long, BOXD_FUZZ_SEED starts it
//! elsewhere.

mod common;

use std::time::{Duration, Instant};

use boxd_agent::accounts;
use boxd_agent::link::{Inbound, Link, Sources};
use boxd_agent::message::{kind, parse_exec, parse_hello, parse_request, Channel, Request};
use boxd_agent::plan::plan;
use boxd_agent::reply::Reply;
use boxd_agent::tasks::archive::Archive;
use boxd_agent::tasks::{dns, ports, request, tar};
use common::{
    dial_payload, exec_payload, facts, far_dial_payload, frame, hello, renew_payload, task_payload, Random, ID,
};

const INPUTS: u64 = 1_000_000;
/// One unfinished frame, one unfinished request, full queues and their spare room.
const MAX_HELD_BYTES: usize = 4 * 1024 * 1024;

struct Endless;

impl Sources for Endless {
    fn pull(&mut self, stream: u32, _: Channel, buffer: &mut [u8]) -> usize {
        if stream % 2 == 0 {
            0
        } else {
            buffer.len().min(100)
        }
    }
}

fn corpus() -> Vec<Vec<u8>> {
    let (exec, renew) = (exec_payload(), renew_payload());
    vec![
        frame(kind::PING, 1, b""),
        frame(kind::EXEC, 2, &exec),
        [frame(kind::EXEC_PART, 3, &exec[..9]), frame(kind::EXEC, 3, &exec[9..])].concat(),
        frame(kind::STDIN, 2, b"some input"),
        frame(kind::STDIN_CLOSE, 2, b""),
        frame(kind::RESIZE, 2, &[0, 24, 0, 80]),
        frame(kind::SIGNAL, 2, &[15]),
        frame(kind::CREDIT, 2, &[1, 0, 0, 4, 0]),
        frame(kind::RENEW, 4, &renew),
        frame(kind::GROW, 5, b""),
        frame(kind::SHUTDOWN, 6, &[0]),
        frame(kind::ATTACH, 7, &[&ID[..], &99u64.to_be_bytes()].concat()),
        frame(kind::DETACH, 2, b""),
        frame(kind::LIST, 8, &[0; 8]),
        frame(kind::KILL, 9, &[&ID[..], &[9]].concat()),
        frame(kind::FORGET, 10, &ID),
        frame(kind::LEASES, 11, b""),
        frame(kind::TASK, 7, &task_payload()),
        frame(kind::DIAL, 9, &dial_payload()),
        frame(kind::DATA, 7, b"some data"),
        frame(kind::DATA_END, 7, &[7; 32]),
        frame(kind::DATA_CREDIT, 7, &[0, 0, 4, 0]),
        frame(kind::CANCEL, 9, b""),
        frame(kind::DIAL, 12, &far_dial_payload()),
        frame(kind::TAKE, 13, &[0, 0, 0, 7, 0, 0, 0, 1]),
        hello(),
    ]
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..random.below(4) {
        if bytes.is_empty() {
            return;
        }
        let at = random.below(bytes.len());
        match random.below(7) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.next() as u8,
            2 => bytes.truncate(at),
            3 => bytes.insert(at, random.next() as u8),
            4 => drop(bytes.remove(at)),
            5 => {
                let length = random.below(12).min(bytes.len() - at);
                bytes[at..at + length].iter_mut().for_each(|byte| *byte = 0xff);
            }
            _ => {
                let end = (at + random.below(64)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
        }
    }
}

/// Answers as the agent would, without doing anything.
fn react(link: &mut Link, inbound: Inbound) {
    match inbound {
        Inbound::SessionStarted | Inbound::SessionLost => {}
        Inbound::Exec(stream, Ok(request)) => {
            let account = accounts::find(&request.user, b"root:x:0:0::/root:/bin/sh\n", b"root:x:0:root\n");
            if let Some(account) = account {
                assert!(!plan(&request, &account).arguments.is_empty());
            }
            link.open(stream);
            link.ready(stream, Channel::Stdout);
        }
        Inbound::Exec(stream, Err(_)) => link.send(stream, &Reply::Refused { errno: 22, message: "no".to_string() }),
        Inbound::Request(stream, Request::Stdin(data)) => link.consumed(stream, data.len()),
        Inbound::Request(stream, Request::StdinClose | Request::Detach) => link.close(stream),
        Inbound::Request(stream, Request::Attach { .. }) => link.open(stream),
        Inbound::Request(stream, Request::Task { .. } | Request::Dial(_) | Request::Take { .. }) => {
            link.open_tunnel(stream);
            link.ready(stream, Channel::Data);
        }
        Inbound::Request(stream, Request::Data(data)) => link.consumed(stream, data.len()),
        Inbound::Request(stream, Request::Cancel) => link.close(stream),
        Inbound::Request(stream, _) => link.send(stream, &Reply::Pong),
    }
}

#[test]
fn a_mutated_conversation_does_no_harm() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = number("BOXD_FUZZ_SEED").unwrap_or(0x626f_7864);
    let end = Instant::now() + Duration::from_secs(number("BOXD_FUZZ_SECONDS").unwrap_or(0));
    println!("BOXD_FUZZ_SEED={seed}");
    let (mut random, corpus, start) = (Random(seed), corpus(), hello());
    let mut link = Link::new(facts());
    let mut inputs = 0;
    while inputs < INPUTS || Instant::now() < end {
        if inputs % 64 == 0 {
            feed(&mut link, &start);
        }
        // The handshake is long; once in a while is enough.
        let choices = if random.below(64) == 0 { corpus.len() } else { corpus.len() - 1 };
        let mut bytes = corpus[random.below(choices)].clone();
        mutate(&mut bytes, &mut random);
        feed(&mut link, &bytes);
        parse_directly(&bytes, &mut random);
        assert!(link.held() < MAX_HELD_BYTES, "seed {seed}: {} bytes held after {inputs} inputs", link.held());
        inputs += 1;
    }
}

fn feed(link: &mut Link, mut bytes: &[u8]) {
    while let Some(inbound) = link.receive(&mut bytes) {
        react(link, inbound);
        let count = link.outgoing(&mut Endless).len();
        link.sent(count);
    }
}

/// Payloads of every type as they are, so that a broken frame does not hide what is in it.
fn parse_directly(bytes: &[u8], random: &mut Random) {
    let payload = &bytes[bytes.len().min(9)..];
    let kind = random.below(0x28) as u8;
    let _ = parse_request(kind, payload.to_vec());
    let _ = parse_hello(payload);
    if let Ok(request) = parse_exec(payload) {
        assert!(request.environment.len() <= 1024);
    }
    let _ = accounts::find(b"root", payload, payload);
}

fn tasks() -> Vec<Vec<u8>> {
    let path = |out: &mut Vec<u8>| {
        out.extend(5u16.to_be_bytes());
        out.extend(b"/a/b\xff");
    };
    (1..=21u8)
        .map(|kind| {
            let mut out = vec![kind];
            path(&mut out);
            out.extend([0; 9]);
            path(&mut out);
            out.extend([1; 40]);
            out
        })
        .chain([task_payload()[6..].to_vec()])
        .collect()
}

/// An archive with everything that one can hold.
fn archive() -> Vec<u8> {
    let header = |kind, name: &[u8], size| tar::Header {
        name: name.to_vec(),
        kind,
        mode: 0o755,
        uid: 3_000_000,
        gid: 5,
        size,
        modified: (1_700_000_000, 5),
        link: vec![b'l'; 120],
        user: b"ann".to_vec(),
        group: b"staff".to_vec(),
    };
    let record = |name: &str, value: &str| (name.as_bytes().to_vec(), value.as_bytes().to_vec());
    let sparse = vec![
        record("GNU.sparse.major", "1"),
        record("GNU.sparse.minor", "0"),
        record("GNU.sparse.name", "sparse"),
        record("GNU.sparse.realsize", "100000"),
    ];
    let mut out = tar::encode(&header(tar::Kind::Folder, b"a/", 0), Vec::new());
    out.extend(tar::encode(&header(tar::Kind::File, &[b'n'; 150], 5), Vec::new()));
    out.extend([b'x'; tar::BLOCK_BYTES]);
    out.extend(tar::encode(&header(tar::Kind::File, b"GNUSparseFile.0/s", 1024), sparse));
    let mut map = b"2\n512\n512\n100000\n0\n".to_vec();
    map.resize(tar::BLOCK_BYTES, 0);
    out.extend(map);
    out.extend([b'y'; tar::BLOCK_BYTES]);
    out.extend(tar::encode(&header(tar::Kind::LongName, b"L", 9), Vec::new()));
    out.extend([b'z'; tar::BLOCK_BYTES]);
    out.extend(tar::encode(&header(tar::Kind::HardLink, b"h", 0), Vec::new()));
    out.extend([0; 2 * tar::BLOCK_BYTES]);
    out
}

/// Damage behind an archive's checksums, which would hide it.
fn mend_checksums(bytes: &mut [u8]) {
    for block in bytes.chunks_exact_mut(tar::BLOCK_BYTES) {
        if block[257..262] == *b"ustar" {
            block[148..156].copy_from_slice(b"        ");
            let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
            block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        }
    }
}

#[test]
fn a_mutated_task_or_archive_does_no_harm_fuzz() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = number("BOXD_FUZZ_SEED").unwrap_or(0x626f_7864);
    let end = Instant::now() + Duration::from_secs(number("BOXD_FUZZ_SECONDS").unwrap_or(0));
    println!("BOXD_FUZZ_SEED={seed}");
    let (mut random, tasks, archive) = (Random(seed), tasks(), archive());
    let row = b"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4242 1 0";
    let (mut inputs, mut understood) = (0, 0);
    while inputs < INPUTS || Instant::now() < end {
        let mut bytes = tasks[random.below(tasks.len())].clone();
        mutate(&mut bytes, &mut random);
        understood += u64::from(request::parse(&bytes).is_ok());
        if inputs % 16 == 0 {
            let mut bytes = archive.clone();
            mutate(&mut bytes, &mut random);
            mend_checksums(&mut bytes);
            understood += read_archive(&bytes);
            let mut bytes = row.to_vec();
            mutate(&mut bytes, &mut random);
            read_name_answer(&mut random);
            let _ = ports::parse_row(&String::from_utf8_lossy(&bytes), if inputs % 32 == 0 { 4 } else { 6 });
        }
        inputs += 1;
    }
    assert!(understood > INPUTS / 20, "only {understood} inputs meant anything");
}

fn read_name_answer(random: &mut Random) {
    let asked = dns::question(7, b"db.example", dns::Kind::Four).unwrap();
    let mut message = asked.clone();
    message[2] = 0x80;
    message[7] = 2;
    message.extend(b"\xc0\x0c\0\x05\0\x01\0\0\0\0\0\x03\x01x\0\xc0\x0c\0\x01\0\x01\0\0\0\0\0\x04\x0a\0\0\x01");
    mutate(&mut message, random);
    if let Some(dns::Answer::Addresses(found)) = dns::answer(&asked, &message, dns::Kind::Four) {
        assert!(found.len() <= 64);
    }
}

fn read_archive(bytes: &[u8]) -> u64 {
    let (mut archive, mut buffer, mut entries) = (Archive::new(bytes), [0; 700], 0);
    while let Ok(Some(entry)) = archive.next_entry() {
        entries += 1;
        let parts = entry.segments.unwrap_or_default();
        assert!(parts.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0));
        assert!(parts.last().map_or(true, |last| last.0 + last.1 <= entry.length));
        while archive.content(&mut buffer).map_or(false, |count| count > 0) {}
    }
    entries
}
