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
use common::{exec_payload, facts, frame, hello, renew_payload, Random, ID};

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
    let kind = random.below(32) as u8;
    let _ = parse_request(kind, payload.to_vec());
    let _ = parse_hello(payload);
    if let Ok(request) = parse_exec(payload) {
        assert!(request.environment.len() <= 1024);
    }
    let _ = accounts::find(b"root", payload, payload);
}
