//! What is on its way to the host: whole frames of control, and the bytes of the present write.

use std::collections::VecDeque;

use crate::reply::Reply;
use crate::wire::{put_frame, Tag, OVERHEAD, PREAMBLE_BYTES};

/// With more than this waiting, no further request is read.
pub const MAX_CONTROL_BYTES: usize = 256 * 1024;
/// One write of the port takes no more than this.
pub const WRITE_BYTES: usize = 32 * 1024;
/// Data of one turn of one stream; with its frame it fits into one write.
pub const TURN_BYTES: usize = WRITE_BYTES - 4 - OVERHEAD;

#[derive(Default)]
pub struct Outbox {
    control: VecDeque<Vec<u8>>,
    control_bytes: usize,
    bytes: Vec<u8>,
    sent: usize,
}

impl Outbox {
    pub fn new() -> Self {
        Outbox::default()
    }

    /// Throws everything away, also the rest of a frame that has begun to leave.
    pub fn clear(&mut self) {
        self.forget_control();
        self.bytes.clear();
        self.sent = 0;
    }

    pub fn forget_control(&mut self) {
        self.control.clear();
        self.control_bytes = 0;
    }

    /// Begins a session: zeros, then the one frame that tells the host where to start listening.
    pub fn begin(&mut self, kind: u8, payload: &[u8], tag: Tag) {
        self.clear();
        self.bytes.resize(PREAMBLE_BYTES, 0);
        put_frame(&mut self.bytes, kind, 0, payload, tag);
    }

    pub fn queue(&mut self, stream: u32, reply: &Reply, tag: Tag) {
        let (kind, payload) = reply.encode();
        let mut frame = Vec::with_capacity(4 + OVERHEAD + payload.len());
        put_frame(&mut frame, kind, stream, &payload, tag);
        self.control_bytes += frame.len();
        self.control.push_back(frame);
    }

    pub fn is_full(&self) -> bool {
        self.control_bytes >= MAX_CONTROL_BYTES
    }

    /// True when every reply has left.
    pub fn flushed(&self) -> bool {
        self.control.is_empty() && self.unsent().is_empty()
    }

    pub fn held(&self) -> usize {
        self.control_bytes + self.bytes.capacity()
    }

    pub fn unsent(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    pub fn sent(&mut self, bytes: usize) {
        self.sent += bytes;
    }

    /// Fills the next write with replies, as many as fit; only when the last one has left.
    pub fn fill(&mut self) {
        self.bytes.clear();
        self.sent = 0;
        while self.bytes.len() < TURN_BYTES {
            match self.control.pop_front() {
                Some(frame) => {
                    self.control_bytes -= frame.len();
                    self.bytes.extend_from_slice(&frame);
                }
                None => break,
            }
        }
    }

    /// Appends one frame whose payload, of at most `room` bytes, is written in place by `pull`.
    pub fn append(
        &mut self,
        kind: u8,
        stream: u32,
        tag: Tag,
        room: usize,
        pull: impl FnOnce(&mut [u8]) -> usize,
    ) -> usize {
        let start = self.bytes.len();
        let head = 4 + OVERHEAD - tag.len();
        self.bytes.resize(start + head + room, 0);
        let pulled = pull(&mut self.bytes[start + head..]);
        if pulled == 0 {
            self.bytes.truncate(start);
            return 0;
        }
        self.bytes.truncate(start + head + pulled);
        self.bytes[start..start + 4].copy_from_slice(&((pulled + OVERHEAD) as u32).to_be_bytes());
        self.bytes[start + 4] = kind;
        self.bytes[start + 5..start + head].copy_from_slice(&stream.to_be_bytes());
        self.bytes.extend_from_slice(&tag);
        pulled
    }
}
