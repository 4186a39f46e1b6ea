//! What several tests need: a host's side of the wire, and random numbers that can be repeated.
#![allow(dead_code)]

use boxd_agent::message::kind;
use boxd_agent::reply::Facts;
use boxd_agent::wire::{put_frame, Decoded, Decoder, Frame, Tag, PREAMBLE_BYTES};

pub const NONCE: [u8; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
pub const TAG: Tag = [1, 2, 3, 4];
pub const ID: [u8; 16] = [5; 16];

pub fn facts() -> Facts {
    Facts { first_process: false, features: 0, kernel: "6.1.0".to_string(), version: "0.1.0".to_string() }
}

pub fn frame(kind: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    put_frame(&mut out, kind, stream, payload, TAG);
    out
}

/// The preamble and HELLO.
pub fn hello() -> Vec<u8> {
    let mut out = vec![0; PREAMBLE_BYTES];
    let payload = [NONCE.as_slice(), &2u16.to_be_bytes()].concat();
    out.extend(frame(kind::HELLO, 0, &payload));
    out
}

/// A request to run `sh -c true`, with two variables.
pub fn exec_payload() -> Vec<u8> {
    let mut out = ID.to_vec();
    out.extend(0u64.to_be_bytes());
    out.extend([0, 2, 0, 24, 0, 80]);
    for text in ["root", "/"] {
        out.extend((text.len() as u16).to_be_bytes());
        out.extend(text.as_bytes());
    }
    for list in [&["sh", "-c", "true"][..], &["A=1", "B=2"][..]] {
        out.extend((list.len() as u16).to_be_bytes());
        for text in list {
            out.extend((text.len() as u32).to_be_bytes());
            out.extend(text.as_bytes());
        }
    }
    out
}

/// A task of root: to look at /etc.
pub fn task_payload() -> Vec<u8> {
    let mut out = 4u16.to_be_bytes().to_vec();
    out.extend(b"root");
    out.push(1);
    out.extend(4u16.to_be_bytes());
    out.extend(b"/etc");
    out.push(0);
    out
}

/// A connection to port 8080 within a second.
pub fn dial_payload() -> Vec<u8> {
    let mut out = vec![0];
    out.extend(8080u16.to_be_bytes());
    out.extend(0u16.to_be_bytes());
    out.extend(1000u32.to_be_bytes());
    out
}

/// A connection to port 80 of two addresses within a second.
pub fn far_dial_payload() -> Vec<u8> {
    let mut out = vec![3, 0, 80, 2, 4];
    out.extend([10, 0, 0, 1]);
    out.extend([0; 12]);
    out.push(6);
    out.extend([1; 16]);
    out.extend(1000u32.to_be_bytes());
    out
}

pub fn renew_payload() -> Vec<u8> {
    let mut out = 127u16.to_be_bytes().to_vec();
    out.extend([7; 64]);
    out.extend(1_700_000_000_000_000_000u64.to_be_bytes());
    out.extend(4u16.to_be_bytes());
    out.extend(b"name");
    out.extend([b'a'; 32]);
    out.extend(b"01234567-89ab-cdef-0123-456789abcdef");
    out.extend(3u64.to_be_bytes());
    out
}

/// Everything that is a frame in these bytes.
pub fn frames(bytes: &[u8]) -> Vec<Frame> {
    let (mut decoder, mut input, mut found) = (Decoder::new(), bytes, Vec::new());
    while let Some(decoded) = decoder.next(&mut input) {
        match decoded {
            Decoded::Frame(frame) => found.push(frame),
            Decoded::Lost => panic!("not a frame"),
        }
    }
    found
}

/// SplitMix64: small, and the same for the same seed everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}
