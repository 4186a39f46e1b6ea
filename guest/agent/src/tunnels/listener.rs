//! Sockets inside the machine whose connections are for the host: it is told of each, and takes it or not.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::io::OwnedFd;

use super::helpers::Helper;
use super::tunnel::{Input, Tunnel};
use crate::fields::put_address;
use crate::reply::Reply;
use crate::sys::io::Poller;
use crate::sys::socket::accept;

/// Connections that the host was told of and has not taken; the kernel holds further ones back.
const MAX_WAITING: usize = 16;
/// A record: its length, a number, an address with its version, a port.
const RECORD_BYTES: usize = 4 + 4 + 17 + 2;

pub struct Listener {
    socket: OwnedFd,
    /// Removes what the socket has left in the file system when it is let go of.
    helper: Helper,
    waiting: BTreeMap<u32, OwnedFd>,
    next_number: u32,
    reply: Option<Reply>,
    /// Input means nothing here.
    ignored: usize,
}

impl Listener {
    pub fn new(socket: OwnedFd, helper: Helper, facts: Vec<u8>) -> Self {
        Listener {
            socket,
            helper,
            waiting: BTreeMap::new(),
            next_number: 0,
            reply: Some(Reply::Opened(facts)),
            ignored: 0,
        }
    }

    fn welcome(&mut self) -> Option<Vec<u8>> {
        let (connection, from) = accept(&self.socket)?;
        self.next_number = self.next_number.wrapping_add(1);
        self.waiting.insert(self.next_number, connection);
        let mut record = ((RECORD_BYTES - 4) as u32).to_be_bytes().to_vec();
        record.extend_from_slice(&self.next_number.to_be_bytes());
        let nobody = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        put_address(&mut record, &from.map_or(nobody, |from| from.ip()));
        record.extend_from_slice(&from.map_or(0, |from| from.port()).to_be_bytes());
        Some(record)
    }
}

impl Tunnel for Listener {
    fn push(&mut self, input: Input) {
        if let Input::Data(data) = input {
            self.ignored += data.len();
        }
    }

    fn flush(&mut self) -> usize {
        std::mem::take(&mut self.ignored)
    }

    fn pull(&mut self, buffer: &mut [u8]) -> usize {
        let mut filled = 0;
        while self.reply.is_none() && self.waiting.len() < MAX_WAITING && buffer.len() - filled >= RECORD_BYTES {
            match self.welcome() {
                Some(record) => {
                    buffer[filled..filled + RECORD_BYTES].copy_from_slice(&record);
                    filled += RECORD_BYTES;
                }
                None => break,
            }
        }
        filled
    }

    fn take_reply(&mut self) -> Option<Reply> {
        self.reply.take()
    }

    fn take_result(&mut self) -> Option<Reply> {
        None
    }

    fn listens(&self) -> bool {
        true
    }

    fn claim(&mut self, number: u32) -> Option<OwnedFd> {
        self.waiting.remove(&number)
    }

    fn dissolve(self: Box<Self>, poller: &Poller) -> Option<(Helper, bool)> {
        poller.remove(&self.socket);
        Some((self.helper, false))
    }
}
