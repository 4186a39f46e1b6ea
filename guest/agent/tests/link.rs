//! Sessions, credits and fairness, without any system call.

mod common;

use std::collections::HashMap;

use boxd_agent::link::{Inbound, Link, Sources, WINDOW_BYTES};
use boxd_agent::message::{kind, Channel, Program, Request};
use boxd_agent::reply::Reply;
use boxd_agent::wire::PREAMBLE_BYTES;
use common::{exec_payload, facts, frame, frames, hello, renew_payload};

/// So many bytes are left to read of each stream's output.
#[derive(Default)]
struct Fake(HashMap<u32, usize>);

impl Sources for Fake {
    fn pull(&mut self, stream: u32, _: Channel, buffer: &mut [u8]) -> usize {
        let left = self.0.entry(stream).or_default();
        let count = buffer.len().min(*left);
        *left -= count;
        count
    }
}

fn connected() -> Link {
    let mut link = Link::new(facts());
    assert!(matches!(take(&mut link, &hello()).as_slice(), [Inbound::SessionStarted]));
    let sent = drain(&mut link, &mut Fake::default());
    assert!(sent[..PREAMBLE_BYTES].iter().all(|&byte| byte == 0));
    assert_eq!(frames(&sent)[0].kind, kind::HELLO_ACK);
    link
}

fn take(link: &mut Link, mut bytes: &[u8]) -> Vec<Inbound> {
    std::iter::from_fn(|| link.receive(&mut bytes)).collect()
}

fn drain(link: &mut Link, sources: &mut Fake) -> Vec<u8> {
    let mut sent = Vec::new();
    loop {
        let bytes = link.outgoing(sources).to_vec();
        if bytes.is_empty() {
            return sent;
        }
        // A port that takes only a part of each write.
        let count = bytes.len().min(10_000);
        link.sent(count);
        sent.extend(&bytes[..count]);
    }
}

fn credit(stream: u32, bytes: u32) -> Vec<u8> {
    frame(kind::CREDIT, stream, &[&[1], bytes.to_be_bytes().as_slice()].concat())
}

fn is_lost(inbound: &[Inbound]) -> bool {
    matches!(inbound, [Inbound::SessionLost])
}

#[test]
fn nothing_is_heard_before_hello_or_under_another_tag() {
    let mut link = Link::new(facts());
    assert!(take(&mut link, &frame(kind::PING, 1, b"")).is_empty());
    let mut link = connected();
    let mut other = frame(kind::PING, 1, b"");
    *other.last_mut().unwrap() ^= 1;
    assert!(take(&mut link, &other).is_empty());
    assert_eq!(take(&mut link, &frame(kind::PING, 1, b"")).len(), 1);
}

#[test]
fn reads_requests_in_one_frame_or_in_parts() {
    let mut link = connected();
    let payload = exec_payload();
    let (first, second) = payload.split_at(7);
    let parts = [frame(kind::EXEC_PART, 5, first), frame(kind::EXEC, 5, second)].concat();
    for bytes in [frame(kind::EXEC, 4, &payload), parts] {
        match take(&mut link, &bytes).pop() {
            Some(Inbound::Exec(_, Ok(request))) => {
                assert_eq!(request.environment, [b"A=1", b"B=2"]);
                assert!(matches!(request.program, Program::Arguments(ref words) if words.len() == 3));
            }
            other => panic!("{other:?}"),
        }
    }
    let renew = take(&mut link, &frame(kind::RENEW, 6, &renew_payload()));
    assert!(matches!(&renew[..], [Inbound::Request(6, Request::Renew(request))] if request.generation == 3));
}

#[test]
fn a_bad_command_is_refused_but_a_bad_frame_ends_the_session() {
    let mut link = connected();
    assert!(matches!(take(&mut link, &frame(kind::EXEC, 4, b"x"))[..], [Inbound::Exec(4, Err(_))]));
    assert!(is_lost(&take(&mut link, &frame(kind::SIGNAL, 4, b""))));
    assert_eq!(frames(&drain(&mut link, &mut Fake::default()))[0].kind, kind::FAULT);
    assert!(take(&mut link, &frame(kind::PING, 1, b"")).is_empty());
    assert_eq!(take(&mut link, &hello()).len(), 1);
}

#[test]
fn input_beyond_its_window_ends_the_session() {
    let mut link = connected();
    link.open(4);
    for _ in 0..8 {
        assert_eq!(take(&mut link, &frame(kind::STDIN, 4, &[0; 32 * 1024])).len(), 1);
    }
    assert!(is_lost(&take(&mut link, &frame(kind::STDIN, 4, &[0]))));
}

#[test]
fn consumed_input_is_credited() {
    let mut link = connected();
    link.open(4);
    take(&mut link, &frame(kind::STDIN, 4, &[0; 60_000]));
    link.consumed(4, 60_000);
    assert!(drain(&mut link, &mut Fake::default()).is_empty());
    take(&mut link, &frame(kind::STDIN, 4, &[0; 60_000]));
    link.consumed(4, 60_000);
    let sent = frames(&drain(&mut link, &mut Fake::default()));
    assert_eq!((sent[0].kind, sent[0].payload.as_slice()), (kind::STDIN_CREDIT, &120_000u32.to_be_bytes()[..]));
}

#[test]
fn output_stops_at_the_window_and_goes_on_with_credit() {
    let mut link = connected();
    let mut sources = Fake(HashMap::from([(4, 1_000_000)]));
    link.open(4);
    link.ready(4, Channel::Stdout);
    let size = |bytes: &[u8]| frames(bytes).iter().map(|frame| frame.payload.len()).sum::<usize>();
    assert_eq!(size(&drain(&mut link, &mut sources)), WINDOW_BYTES as usize);
    assert!(take(&mut link, &credit(4, 1000)).is_empty());
    assert_eq!(size(&drain(&mut link, &mut sources)), 1000);
    assert!(is_lost(&take(&mut link, &credit(4, WINDOW_BYTES + 1))));
}

#[test]
fn streams_take_turns_and_replies_go_first() {
    let mut link = connected();
    let mut sources = Fake((1..=3).map(|stream| (stream, 200_000)).collect());
    for stream in 1..=3 {
        link.open(stream);
        link.ready(stream, Channel::Stdout);
    }
    link.send(9, &Reply::Pong);
    let sent: Vec<u32> = frames(&drain(&mut link, &mut sources)).iter().map(|frame| frame.stream).collect();
    assert_eq!(sent[..7], [9, 1, 2, 3, 1, 2, 3]);
}

#[test]
fn a_new_session_forgets_the_old_one_in_the_middle_of_a_frame() {
    let mut link = connected();
    let mut sources = Fake(HashMap::from([(4, 1_000_000)]));
    link.open(4);
    link.ready(4, Channel::Stdout);
    assert!(!link.outgoing(&mut sources).is_empty());
    link.sent(100);
    assert_eq!(take(&mut link, &hello()).len(), 1);
    let sent = drain(&mut link, &mut sources);
    assert_eq!(frames(&sent).len(), 1);
    assert!(sent[..PREAMBLE_BYTES].iter().all(|&byte| byte == 0));
}

#[test]
fn a_stream_used_twice_ends_the_session_and_too_many_replies_stop_reading() {
    let mut link = connected();
    link.open(4);
    assert!(is_lost(&take(&mut link, &frame(kind::EXEC, 4, &exec_payload()))));
    let mut link = connected();
    while link.may_receive() {
        link.send(1, &Reply::Pong);
    }
    assert!(link.held() < 600_000);
    drain(&mut link, &mut Fake::default());
    assert!(link.may_receive());
}
