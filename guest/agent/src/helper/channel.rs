//! The helper's view of the host: packets in, packets out, both as streams of bytes.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::os::unix::io::OwnedFd;

use super::packet;
use crate::outbox::TURN_BYTES;
use crate::sys::io::read;
use crate::sys::socket::{is_hung_up, send, send_descriptor};
use crate::tasks::Failure;
use crate::wire::MAX_PAYLOAD;

/// What fits into one frame of the agent's turn; larger pieces would be cut there.
pub const PACKET_BYTES: usize = TURN_BYTES;

/// One helper's connection: reads what the host sends for the present task and takes what it is to get.
pub struct Host {
    socket: OwnedFd,
    /// The last packet received, and how much of it was read.
    packet: Vec<u8>,
    length: usize,
    position: usize,
    /// What came with the end of the input, once it was seen.
    ending: Option<Vec<u8>>,
    /// Output that waits for a full packet; its first byte is the packet's kind.
    outgoing: Vec<u8>,
}

impl Host {
    pub fn new(socket: OwnedFd) -> Self {
        Host {
            socket,
            packet: vec![0; MAX_PAYLOAD + 1],
            length: 0,
            position: 0,
            ending: None,
            outgoing: vec![packet::DATA],
        }
    }

    pub fn socket(&self) -> &OwnedFd {
        &self.socket
    }

    /// The next task, behind whatever was left of the input of the last one; nothing if the agent is gone.
    pub fn next_request(&mut self) -> Option<Vec<u8>> {
        self.ending = None;
        self.outgoing.truncate(1);
        while self.receive().ok()? {
            if self.packet[0] == packet::REQUEST {
                let request = self.packet[1..self.length].to_vec();
                self.length = 0;
                self.position = 0;
                return Some(request);
            }
        }
        None
    }

    fn receive(&mut self) -> Result<bool> {
        loop {
            if let Some(length) = read(&self.socket, &mut self.packet)? {
                self.length = length;
                self.position = 1;
                return Ok(length > 0);
            }
        }
    }

    fn send(&self, bytes: &[u8]) -> Result<()> {
        while send(&self.socket, bytes)?.is_none() {}
        Ok(())
    }

    /// The task can be done; the host hears what is known by now.
    pub fn opened(&mut self, payload: &[u8]) -> Result<()> {
        self.send(&[&[packet::OPENED], payload].concat())
    }

    /// What came with the end of the input, which must have been read up to there.
    pub fn ending(&self) -> &[u8] {
        self.ending.as_deref().unwrap_or(&[])
    }

    /// Hands the agent a connection that this helper has made with its user's rights.
    pub fn connected(&self, connection: &OwnedFd) -> Result<()> {
        send_descriptor(&self.socket, &[packet::CONNECTED], connection)
    }

    /// Hands the agent a socket that listens, with what the host is to know about it.
    pub fn listening(&self, listener: &OwnedFd, payload: &[u8]) -> Result<()> {
        send_descriptor(&self.socket, &[&[packet::LISTENING], payload].concat(), listener)
    }

    /// Waits until the agent has closed its end; whatever else it says means nothing here.
    pub fn await_end(&mut self) -> Result<()> {
        while self.receive()? {}
        Ok(())
    }

    /// Tells how the task went, behind everything it wrote.
    pub(super) fn conclude(&mut self, outcome: std::result::Result<Vec<u8>, Failure>) -> Result<()> {
        match outcome {
            Ok(payload) => {
                self.flush()?;
                self.send(&[&[packet::DONE], payload.as_slice()].concat())
            }
            Err(failure) => {
                let errno = failure.errno.to_be_bytes();
                self.send(&[&[packet::FAILED], errno.as_slice(), failure.message.as_bytes()].concat())
            }
        }
    }

    /// Fails as soon as the agent has closed its end, for tasks that would not notice otherwise.
    pub fn check_interest(&self) -> Result<()> {
        if is_hung_up(&self.socket)? {
            return Err(Error::from(ErrorKind::BrokenPipe));
        }
        Ok(())
    }
}

impl Read for Host {
    /// The input of the present task.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        while self.position >= self.length {
            if self.ending.is_some() {
                return Ok(0);
            }
            if !self.receive()? {
                return Err(Error::from(ErrorKind::BrokenPipe));
            }
            match self.packet[0] {
                packet::DATA => {}
                _ => {
                    self.ending = Some(self.packet[1..self.length].to_vec());
                    self.length = 0;
                    self.position = 0;
                }
            }
        }
        let count = buffer.len().min(self.length - self.position);
        buffer[..count].copy_from_slice(&self.packet[self.position..self.position + count]);
        self.position += count;
        Ok(count)
    }
}

impl Write for Host {
    /// The output of the present task, collected until a packet is full.
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let count = bytes.len().min(PACKET_BYTES + 1 - self.outgoing.len());
        self.outgoing.extend_from_slice(&bytes[..count]);
        if self.outgoing.len() > PACKET_BYTES {
            self.flush()?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> Result<()> {
        if self.outgoing.len() > 1 {
            let packet = std::mem::replace(&mut self.outgoing, Vec::with_capacity(PACKET_BYTES + 1));
            self.outgoing.push(packet::DATA);
            self.send(&packet)?;
        }
        Ok(())
    }
}
