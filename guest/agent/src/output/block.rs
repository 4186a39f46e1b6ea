//! A piece of an execution's output: runs of bytes of one channel each, in the order in which they came.
//!
//! A run is two bytes, of which the first bit tells the channel and the others the length, and its bytes.
//! Blocks come back from a disk that the machine's root can write to, so nothing in them is believed.

use crate::message::Channel;

use super::BLOCK_BYTES;

pub const HEADER_BYTES: usize = 2;
pub const MAX_RUN_BYTES: usize = 0x7fff;
const STDERR_BIT: u16 = 0x8000;

/// A block that still grows.
#[derive(Default)]
pub struct Growing {
    pub bytes: Vec<u8>,
    /// Where the last run begins, and which it is.
    last: Option<(usize, Channel)>,
}

impl Growing {
    /// Takes as much of the data as fits; the number of bytes taken, 0 if the block is full.
    pub fn take(&mut self, channel: Channel, data: &[u8]) -> usize {
        let (head, before) = match self.last {
            Some((head, last)) if last == channel && self.run_bytes(head) < MAX_RUN_BYTES => {
                (head, self.run_bytes(head))
            }
            _ => (self.bytes.len(), 0),
        };
        let header = if before == 0 { HEADER_BYTES } else { 0 };
        let room = BLOCK_BYTES.saturating_sub(self.bytes.len() + header).min(MAX_RUN_BYTES - before);
        let taken = data.len().min(room);
        if taken == 0 {
            return 0;
        }
        if header > 0 {
            self.bytes.extend_from_slice(&[0; HEADER_BYTES]);
            self.last = Some((head, channel));
        }
        self.bytes.extend_from_slice(&data[..taken]);
        let channel_bit = if channel == Channel::Stderr { STDERR_BIT } else { 0 };
        let word = channel_bit | (before + taken) as u16;
        self.bytes[head..head + HEADER_BYTES].copy_from_slice(&word.to_be_bytes());
        taken
    }

    fn run_bytes(&self, head: usize) -> usize {
        run_at(&self.bytes, head).map_or(0, |(_, length)| length)
    }

    /// What surely fits, whichever channel it belongs to.
    pub fn room(&self) -> usize {
        BLOCK_BYTES.saturating_sub(self.bytes.len() + HEADER_BYTES)
    }
}

/// Where a reader stands within a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The beginning of a run.
    head: usize,
    /// How much of that run was read.
    done: usize,
}

impl Position {
    /// The place of a byte, counted without the headers; nothing if the block does not have it.
    pub fn of(bytes: &[u8], mut wanted: u64) -> Option<Position> {
        let mut head = 0;
        loop {
            let (_, length) = run_at(bytes, head)?;
            if wanted < length as u64 {
                return Some(Position { head, done: wanted as usize });
            }
            wanted -= length as u64;
            head += HEADER_BYTES + length;
        }
    }

    /// The channel of the next byte and what there is of it in one piece.
    pub fn next<'a>(&mut self, bytes: &'a [u8]) -> Option<(Channel, &'a [u8])> {
        let (mut channel, mut length) = run_at(bytes, self.head)?;
        if self.done >= length {
            self.head += HEADER_BYTES + length;
            self.done = 0;
            let following = run_at(bytes, self.head)?;
            channel = following.0;
            length = following.1;
        }
        let start = self.head + HEADER_BYTES;
        Some((channel, &bytes[start + self.done..start + length]))
    }

    pub fn advance(&mut self, bytes: usize) {
        self.done += bytes;
    }
}

/// The run whose header stands here, if it is whole and not empty.
fn run_at(bytes: &[u8], head: usize) -> Option<(Channel, usize)> {
    let header = bytes.get(head..head + HEADER_BYTES)?;
    let word = u16::from_be_bytes([header[0], header[1]]);
    let length = (word & !STDERR_BIT) as usize;
    let channel = if word & STDERR_BIT == 0 { Channel::Stdout } else { Channel::Stderr };
    if length == 0 || bytes.len() - head - HEADER_BYTES < length {
        return None;
    }
    Some((channel, length))
}
