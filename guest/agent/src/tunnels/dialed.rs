//! Connections to what listens inside the machine.

use std::collections::VecDeque;
use std::io::Error;
use std::os::unix::io::OwnedFd;
use std::time::{Duration, Instant};

use super::helpers::Helper;
use super::tunnel::{Input, Tunnel};
use crate::launch::refused;
use crate::message::{Dial, DialTarget};
use crate::reply::Reply;
use crate::sys::errno;
use crate::sys::io::{read, Poller, READABLE, WRITABLE};
use crate::sys::socket::{connect_tcp, connect_unix, end_sending, is_connected, send, send_at_once};

pub struct Connection {
    socket: OwnedFd,
    target: String,
    connected: bool,
    gives_up: Instant,
    queue: VecDeque<u8>,
    /// The host sends no more; and whether the other end was told so.
    input_ended: bool,
    told_end: bool,
    /// The other end sends no more.
    output_ended: bool,
    reply: Option<Reply>,
    result: Option<Reply>,
}

impl Connection {
    pub fn begin(dial: &Dial, poller: &Poller, token: u64) -> Result<Self, Reply> {
        let target = describe(&dial.target);
        let made = match &dial.target {
            DialTarget::Tcp { port, version_six } => connect_tcp(*port, *version_six),
            DialTarget::Unix(path) => connect_unix(path),
        };
        let watched = made.and_then(|socket| poller.add(&socket, READABLE | WRITABLE, token).map(|()| socket));
        let socket = watched.map_err(|error| failure(&target, &error))?;
        send_at_once(&socket);
        Ok(Connection {
            socket,
            target,
            connected: false,
            gives_up: Instant::now() + Duration::from_millis(u64::from(dial.timeout_millis)),
            queue: VecDeque::new(),
            input_ended: false,
            told_end: false,
            output_ended: false,
            reply: None,
            result: None,
        })
    }

    fn fail(&mut self, error: &Error) {
        let target = &self.target;
        self.result.get_or_insert_with(|| failure(target, error));
    }

    /// Whether there is a connection; a look that found one for the first time is told to the host.
    fn connect(&mut self) -> bool {
        if !self.connected && self.result.is_none() {
            match is_connected(&self.socket) {
                Ok(true) => {
                    self.connected = true;
                    self.reply = Some(Reply::Opened(Vec::new()));
                }
                Ok(false) => {}
                Err(error) => self.fail(&error),
            }
        }
        self.connected && self.result.is_none()
    }

    fn end_if_both_have(&mut self) {
        if self.told_end && self.output_ended && self.reply.is_none() {
            self.result.get_or_insert(Reply::TunnelDone(Vec::new()));
        }
    }
}

impl Tunnel for Connection {
    fn push(&mut self, input: Input) {
        match input {
            Input::Data(data) => self.queue.extend(data),
            Input::End(_) => self.input_ended = true,
        }
    }

    fn flush(&mut self) -> usize {
        if !self.connect() {
            return 0;
        }
        let mut written = 0;
        while !self.queue.is_empty() {
            match send(&self.socket, self.queue.as_slices().0) {
                Ok(None) => return written,
                Ok(Some(count)) => {
                    self.queue.drain(..count);
                    written += count;
                }
                Err(error) => {
                    self.fail(&error);
                    return written;
                }
            }
        }
        if self.input_ended && !self.told_end {
            self.told_end = true;
            end_sending(&self.socket);
            self.end_if_both_have();
        }
        written
    }

    fn pull(&mut self, buffer: &mut [u8]) -> usize {
        if !self.connected || self.reply.is_some() || self.output_ended || self.result.is_some() {
            return 0;
        }
        match read(&self.socket, buffer) {
            Ok(None) => 0,
            Ok(Some(0)) => {
                self.output_ended = true;
                self.reply = Some(Reply::DataEnd);
                0
            }
            Ok(Some(count)) => count,
            Err(error) => {
                self.fail(&error);
                0
            }
        }
    }

    fn take_reply(&mut self) -> Option<Reply> {
        let reply = self.reply.take();
        self.end_if_both_have();
        reply
    }

    fn take_result(&mut self) -> Option<Reply> {
        self.result.take()
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.gives_up).filter(|_| !self.connected && self.result.is_none())
    }

    fn time_out(&mut self) {
        self.fail(&Error::from_raw_os_error(libc::ETIMEDOUT));
    }

    fn dissolve(self: Box<Self>, poller: &Poller) -> Option<(Helper, bool)> {
        poller.remove(&self.socket);
        None
    }
}

fn describe(target: &DialTarget) -> String {
    match target {
        DialTarget::Tcp { port, version_six: false } => format!("port {port}"),
        DialTarget::Tcp { port, version_six: true } => format!("port {port} of ::1"),
        DialTarget::Unix(path) => String::from_utf8_lossy(path).into_owned(),
    }
}

/// Why there is no connection (any more), in words for the caller.
fn failure(target: &str, error: &Error) -> Reply {
    let message = match errno(error) {
        libc::ECONNREFUSED => format!("nothing listens on {target}"),
        libc::ECONNRESET | libc::EPIPE => format!("{target} has cut the connection"),
        libc::ETIMEDOUT => format!("{target} does not answer"),
        _ => format!("cannot reach {target}: {error}"),
    };
    refused(errno(error), message)
}
