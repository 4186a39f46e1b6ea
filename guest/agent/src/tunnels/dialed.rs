//! Connections from inside the machine: to what listens there, and to wherever its network leads.

use std::collections::VecDeque;
use std::io::Error;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::io::OwnedFd;
use std::rc::Rc;
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
    /// What is tried if the present address does not answer.
    attempts: Attempts,
    queue: VecDeque<u8>,
    /// The host sends no more; and whether the other end was told so.
    input_ended: bool,
    told_end: bool,
    /// The other end sends no more.
    output_ended: bool,
    reply: Option<Reply>,
    result: Option<Reply>,
}

/// Addresses that were not tried yet, and the time there is for them.
struct Attempts {
    others: VecDeque<SocketAddr>,
    poller: Rc<Poller>,
    token: u64,
    /// When the present one is given up, and when all of them are.
    present_until: Instant,
    until: Instant,
}

impl Attempts {
    fn watch(&self, socket: OwnedFd) -> Result<OwnedFd, Error> {
        self.poller.add(&socket, READABLE | WRITABLE, self.token)?;
        send_at_once(&socket);
        Ok(socket)
    }

    /// A connection to the next address that can be tried; the error of the last one if there is none.
    fn next(&mut self, mut error: Error) -> Result<OwnedFd, Error> {
        while let Some(address) = self.others.pop_front() {
            match connect_tcp(&address).and_then(|socket| self.watch(socket)) {
                Ok(socket) => {
                    self.begin_one();
                    return Ok(socket);
                }
                Err(reason) => error = reason,
            }
        }
        Err(error)
    }

    /// Shares what time is left evenly among those that are left.
    fn begin_one(&mut self) {
        let now = Instant::now();
        let left = self.until.saturating_duration_since(now);
        self.present_until = now + left / (self.others.len() as u32 + 1);
    }
}

impl Connection {
    pub fn begin(dial: &Dial, poller: &Rc<Poller>, token: u64) -> Result<Self, Reply> {
        let target = describe(&dial.target);
        let until = Instant::now() + Duration::from_millis(u64::from(dial.timeout_millis));
        let (others, made) = match &dial.target {
            DialTarget::Tcp { port, addresses } => {
                let others = addresses.iter().map(|&address| SocketAddr::new(address, *port)).collect();
                (others, Err(Error::from_raw_os_error(libc::EHOSTUNREACH)))
            }
            DialTarget::Unix(path) => (VecDeque::new(), connect_unix(path)),
        };
        let mut attempts = Attempts { others, poller: Rc::clone(poller), token, present_until: until, until };
        let socket = made.and_then(|socket| attempts.watch(socket)).or_else(|error| attempts.next(error));
        let socket = socket.map_err(|error| failure(&target, &error))?;
        Ok(Self::of(socket, target, false, attempts))
    }

    /// One that has come about already and that the poller tells of under this token.
    pub fn established(socket: OwnedFd, poller: &Rc<Poller>, token: u64) -> Result<Self, Reply> {
        let until = Instant::now();
        let attempts =
            Attempts { others: VecDeque::new(), poller: Rc::clone(poller), token, present_until: until, until };
        let target = "the other end".to_string();
        let socket = attempts.watch(socket).map_err(|error| failure(&target, &error))?;
        let mut connection = Self::of(socket, target, true, attempts);
        connection.reply = Some(Reply::Opened(Vec::new()));
        Ok(connection)
    }

    fn of(socket: OwnedFd, target: String, connected: bool, attempts: Attempts) -> Self {
        Connection {
            socket,
            target,
            connected,
            attempts,
            queue: VecDeque::new(),
            input_ended: false,
            told_end: false,
            output_ended: false,
            reply: None,
            result: None,
        }
    }

    /// The present address has failed: the next one, or this was the last.
    fn give_up(&mut self, error: Error) {
        self.attempts.poller.remove(&self.socket);
        match self.attempts.next(error) {
            Ok(socket) => self.socket = socket,
            Err(error) => self.fail(&error),
        }
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
                Err(error) => self.give_up(error),
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
        Some(self.attempts.present_until).filter(|_| !self.connected && self.result.is_none())
    }

    fn time_out(&mut self) {
        self.give_up(Error::from_raw_os_error(libc::ETIMEDOUT));
    }

    fn dissolve(self: Box<Self>, poller: &Poller) -> Option<(Helper, bool)> {
        poller.remove(&self.socket);
        None
    }
}

fn describe(target: &DialTarget) -> String {
    match target {
        DialTarget::Tcp { port, addresses } => match addresses.first() {
            Some(first) if *first == IpAddr::V4(Ipv4Addr::LOCALHOST) => format!("port {port}"),
            Some(first) => format!("port {port} of {first}"),
            None => format!("port {port} of nowhere"),
        },
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
