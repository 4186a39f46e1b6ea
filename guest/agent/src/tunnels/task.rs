//! A task that a helper does, as the agent sees it: packets in, packets out.

use std::collections::VecDeque;
use std::os::unix::io::OwnedFd;

use super::helpers::Helper;
use super::tunnel::{Found, Input, Tunnel};
use crate::helper::{packet, PACKET_BYTES};
use crate::launch::refused;
use crate::reply::Reply;
use crate::sys::io::Poller;
use crate::sys::socket::{receive, send};

pub struct TaskTunnel {
    helper: Helper,
    queue: VecDeque<Vec<u8>>,
    /// The last packet of the helper, and how much of it the host has not got yet.
    packet: Vec<u8>,
    left: std::ops::Range<usize>,
    reply: Option<Reply>,
    result: Option<Reply>,
    /// A descriptor that the helper has made, until it is asked for.
    found: Option<Found>,
    /// Whether what was found counts by now.
    complete: bool,
    /// The helper has said how its task ended and waits for the next one.
    finished: bool,
}

impl TaskTunnel {
    pub fn new(helper: Helper, task: &[u8]) -> Self {
        let mut queue = VecDeque::new();
        queue.push_back([&[packet::REQUEST], task].concat());
        TaskTunnel {
            helper,
            queue,
            packet: vec![0; PACKET_BYTES + 1],
            left: 0..0,
            reply: None,
            result: None,
            found: None,
            complete: false,
            finished: false,
        }
    }

    fn copy(&mut self, buffer: &mut [u8]) -> usize {
        let count = buffer.len().min(self.left.len());
        buffer[..count].copy_from_slice(&self.packet[self.left.start..self.left.start + count]);
        self.left.start += count;
        count
    }

    fn take(&mut self, length: usize, descriptor: Option<OwnedFd>) {
        let payload = &self.packet[1..length];
        match (self.packet[0], descriptor) {
            (packet::CONNECTED, Some(socket)) => self.found = Some(Found::Connection(socket)),
            (packet::LISTENING, Some(socket)) => {
                self.found = Some(Found::Listener(socket, payload.to_vec()));
                self.complete = true;
            }
            (packet::DONE, _) if self.found.is_some() => {
                self.complete = true;
                self.finished = true;
            }
            (kind, _) => self.take_plain(kind, length),
        }
    }

    fn take_plain(&mut self, kind: u8, length: usize) {
        let payload = &self.packet[1..length];
        match kind {
            packet::DATA => self.left = 1..length,
            packet::OPENED => self.reply = Some(Reply::Opened(payload.to_vec())),
            packet::DONE => self.finish(Reply::TunnelDone(payload.to_vec())),
            _ => {
                let (number, message) = payload.split_at(payload.len().min(4));
                let errno = number.try_into().map_or(libc::EIO, i32::from_be_bytes);
                self.finish(refused(errno, String::from_utf8_lossy(message).into_owned()));
            }
        }
    }

    fn finish(&mut self, result: Reply) {
        self.result = Some(result);
        self.finished = true;
    }

    fn lost(&mut self) {
        let message = "the helper that did this has ended; the machine may be short of memory".to_string();
        self.result.get_or_insert_with(|| refused(libc::EIO, message));
    }
}

impl Tunnel for TaskTunnel {
    fn push(&mut self, input: Input) {
        let (kind, bytes) = match input {
            Input::Data(data) => (packet::DATA, data),
            Input::End(ending) => (packet::END, ending),
        };
        self.queue.push_back([&[kind], bytes].concat());
    }

    fn flush(&mut self) -> usize {
        let mut written = 0;
        while let Some(packet) = self.queue.front() {
            match send(&self.helper.socket, packet) {
                Ok(None) => break,
                Ok(Some(_)) if packet[0] == packet::DATA => written += packet.len() - 1,
                Ok(Some(_)) => {}
                Err(_) => {
                    // What it has said before may still be read.
                    self.queue.clear();
                    break;
                }
            }
            self.queue.pop_front();
        }
        written
    }

    fn pull(&mut self, buffer: &mut [u8]) -> usize {
        while self.left.is_empty() && self.reply.is_none() && self.result.is_none() && !self.complete {
            match receive(&self.helper.socket, &mut self.packet) {
                Ok(None) => return 0,
                Ok(Some((length, descriptor))) if length > 0 => self.take(length, descriptor),
                Ok(Some(_)) | Err(_) => self.lost(),
            }
        }
        self.copy(buffer)
    }

    fn take_reply(&mut self) -> Option<Reply> {
        self.reply.take()
    }

    fn take_result(&mut self) -> Option<Reply> {
        self.result.take()
    }

    fn take_found(&mut self) -> Option<Found> {
        if self.complete {
            self.found.take()
        } else {
            None
        }
    }

    fn dissolve(self: Box<Self>, _: &Poller) -> Option<(Helper, bool)> {
        Some((self.helper, self.finished))
    }
}
