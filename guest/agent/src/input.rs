//! What goes into an execution: bytes of several clients, one frame behind the other.

use std::collections::VecDeque;
use std::os::unix::io::OwnedFd;

use crate::link::WINDOW_BYTES;
use crate::sys::io;

/// What may wait for one program: the windows of its clients and what earlier ones left behind.
pub const MAX_PENDING_BYTES: usize = 64 * WINDOW_BYTES as usize;
/// The character that ends the input of a terminal.
const END_OF_INPUT: u8 = 4;

pub struct Input {
    pub fd: OwnedFd,
    pending: VecDeque<u8>,
    /// Whose bytes are pending, in their order; 0 is nobody's stream.
    senders: VecDeque<(u32, usize)>,
    writable: bool,
    closing: bool,
    terminal: bool,
}

/// What a flush has done.
#[derive(Default)]
pub struct Flushed {
    /// Bytes of each stream that are done with.
    pub consumed: Vec<(u32, usize)>,
    /// Nothing can be written any more.
    pub over: bool,
}

impl Input {
    pub fn new(fd: OwnedFd, terminal: bool) -> Self {
        let (pending, senders) = (VecDeque::new(), VecDeque::new());
        Input { fd, pending, senders, writable: true, closing: false, terminal }
    }

    pub fn pending_bytes(&self) -> usize {
        self.pending.len()
    }

    /// Writes what a client sent as far as the program takes it at once, and keeps the rest; how much was written, or
    /// nothing if none of it can be taken.
    pub fn write(&mut self, stream: u32, data: &[u8]) -> Option<usize> {
        let mut written = 0;
        while self.writable && !self.closing && self.pending.is_empty() && written < data.len() {
            match io::write(&self.fd, &data[written..]) {
                Ok(Some(bytes)) => written += bytes,
                Ok(None) => self.writable = false,
                // Nobody will ever read it; whoever flushes next finds that out, too.
                Err(_) => return None,
            }
        }
        if written < data.len() && !self.push(stream, &data[written..]) {
            return None;
        }
        Some(written)
    }

    /// Keeps what a client sent; false if the input was closed before.
    pub fn push(&mut self, stream: u32, data: &[u8]) -> bool {
        if self.closing || self.pending.len() + data.len() > MAX_PENDING_BYTES {
            return false;
        }
        self.pending.extend(data);
        match self.senders.back_mut() {
            Some((last, bytes)) if *last == stream => *bytes += data.len(),
            _ => self.senders.push_back((stream, data.len())),
        }
        true
    }

    /// Ends the input behind what is pending. At a terminal only a character is typed: whether that ends
    /// anything is for the program to decide, and the other clients may go on typing.
    pub fn close(&mut self) {
        if self.terminal {
            self.push(0, &[END_OF_INPUT]);
        } else {
            self.closing = true;
        }
    }

    pub fn is_open(&self) -> bool {
        !self.closing
    }

    pub fn writable(&mut self) {
        self.writable = true;
    }

    /// Writes what the program takes.
    pub fn flush(&mut self) -> Flushed {
        let mut flushed = Flushed::default();
        while self.writable && !self.pending.is_empty() {
            match io::write(&self.fd, self.pending.as_slices().0) {
                Ok(Some(bytes)) => {
                    self.pending.drain(..bytes);
                    self.done_with(bytes, &mut flushed.consumed);
                }
                Ok(None) => self.writable = false,
                // Nobody will ever read it.
                Err(_) => {
                    flushed.consumed.extend(self.senders.drain(..));
                    flushed.over = true;
                    return flushed;
                }
            }
        }
        flushed.over = self.closing && self.pending.is_empty();
        flushed
    }

    fn done_with(&mut self, mut bytes: usize, consumed: &mut Vec<(u32, usize)>) {
        while let Some((stream, left)) = self.senders.front_mut() {
            let part = bytes.min(*left);
            consumed.push((*stream, part));
            *left -= part;
            bytes -= part;
            if *left > 0 {
                return;
            }
            self.senders.pop_front();
            if bytes == 0 {
                return;
            }
        }
    }
}
