//! The agent's door for programs inside the machine: a socket at which anybody may say that it is busy.
//!
//! One line is asked and one answer given on each connection, in words:
//!
//! ```text
//! set SECONDS NAME     a lease for so long                    ok SECONDS
//! hold SECONDS NAME    a lease while the connection is open   ok SECONDS
//! clear [NAME]         ends the asker's own leases            ok COUNT
//! list                 a line for each: NAME UID PID SECONDS  ok, then the lines
//! ```
//!
//! Everybody in the machine can reach it, so lengths, numbers, times and the rate of requests are bounded.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Read, Result, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::leases::{Asker, Leases};
use crate::sys::io::{peer, Poller, READABLE};

pub const SOCKET: &str = "/run/boxd/busy.sock";
const MAX_CLIENTS: usize = 64;
const MAX_USER_CLIENTS: usize = 24;
const MAX_LINE_BYTES: usize = 160;
/// How long a client may take to ask.
const ASK_LIMIT: Duration = Duration::from_secs(5);
/// Connections are taken in at this rate, after a first burst.
const BURST: u32 = 32;
const REFILL: Duration = Duration::from_millis(20);
const ANYBODY: u32 = 0o666;
/// The host hears of changes no more often than this.
const NEWS_PAUSE: Duration = Duration::from_millis(200);

struct Client {
    stream: UnixStream,
    asker: Asker,
    line: Vec<u8>,
    /// None for one that holds a lease, which ends with it.
    ends: Option<Instant>,
}

/// Whether a connection goes on.
#[derive(PartialEq, Eq)]
enum Verdict {
    Wait,
    Close,
}

pub struct Local {
    listener: UnixListener,
    clients: BTreeMap<u64, Client>,
    pub leases: Leases,
    first_token: u64,
    next_token: u64,
    waiting: bool,
    allowance: u32,
    refilled: Instant,
    next_news: Instant,
}

impl Local {
    /// Listens under this path. Tokens from `first_token` on, and below `first_token + 2^32`, are its own.
    pub fn open(path: &Path, first_token: u64, poller: &Poller) -> Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        // A former agent's.
        if let Err(error) = fs::remove_file(path) {
            if error.kind() != ErrorKind::NotFound {
                return Err(error);
            }
        }
        let listener = UnixListener::bind(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(ANYBODY))?;
        listener.set_nonblocking(true)?;
        poller.watch(&listener, READABLE, first_token)?;
        let now = Instant::now();
        Ok(Local {
            listener,
            clients: BTreeMap::new(),
            leases: Leases::default(),
            first_token,
            next_token: first_token + 1,
            waiting: false,
            allowance: BURST,
            refilled: now,
            next_news: now,
        })
    }

    pub fn notice(&mut self, token: u64, now: Instant) {
        if token == self.first_token {
            self.waiting = true;
        } else if let Some(client) = self.clients.get_mut(&token) {
            if converse(client, token, &mut self.leases, now) == Verdict::Close {
                self.part_with(token);
            }
        }
    }

    /// Closing a socket that nobody else has also ends its registration.
    fn part_with(&mut self, token: u64) {
        self.clients.remove(&token);
        self.leases.release(token);
    }

    /// Takes in new clients, and ends what has had its time.
    pub fn advance(&mut self, poller: &Poller, now: Instant) {
        self.refill(now);
        while self.waiting && self.allowance > 0 {
            self.allowance -= 1;
            match self.listener.accept() {
                Ok((stream, _)) => self.welcome(stream, poller, now),
                Err(_) => self.waiting = false,
            }
        }
        let late: Vec<u64> = self
            .clients
            .iter()
            .filter(|(_, client)| client.ends.map_or(false, |ends| ends <= now))
            .map(|(&token, _)| token)
            .collect();
        late.iter().for_each(|&token| self.part_with(token));
        self.leases.expire(now);
    }

    fn refill(&mut self, now: Instant) {
        let due = (now.saturating_duration_since(self.refilled).as_millis() / REFILL.as_millis()) as u32;
        if due > 0 {
            self.allowance = self.allowance.saturating_add(due).min(BURST);
            self.refilled = now;
        }
    }

    fn welcome(&mut self, stream: UnixStream, poller: &Poller, now: Instant) {
        let asker = match peer(&stream) {
            Ok((uid, pid)) => Asker { uid, pid },
            Err(_) => return,
        };
        let of_user = self.clients.values().filter(|client| client.asker.uid == asker.uid).count();
        let mut client = Client { stream, asker, line: Vec::new(), ends: Some(now + ASK_LIMIT) };
        if self.clients.len() >= MAX_CLIENTS || (asker.uid != 0 && of_user >= MAX_USER_CLIENTS) {
            answer(&mut client, "error too many programs ask at once\n");
            return;
        }
        let token = self.next_token;
        self.next_token = self.first_token + 1 + (token - self.first_token) % u64::from(u32::MAX - 1);
        let ready = client.stream.set_nonblocking(true).and_then(|()| poller.watch(&client.stream, READABLE, token));
        if ready.is_ok() {
            self.clients.insert(token, client);
        }
    }

    pub fn next_deadline(&self) -> Option<Instant> {
        let clients = self.clients.values().filter_map(|client| client.ends).min();
        let refill = if self.waiting { Some(self.refilled + REFILL) } else { None };
        let news = if self.leases.changed() { Some(self.next_news) } else { None };
        [clients, refill, news, self.leases.next_deadline()].iter().flatten().min().copied()
    }

    /// The leases as the host wants them, if they have changed and it is time to say so.
    pub fn news(&mut self, now: Instant) -> Option<Vec<u8>> {
        if !self.leases.changed() || now < self.next_news {
            return None;
        }
        self.next_news = now + NEWS_PAUSE;
        self.leases.told();
        Some(self.leases.encode(now))
    }
}

fn converse(client: &mut Client, token: u64, leases: &mut Leases, now: Instant) -> Verdict {
    let mut bytes = [0; MAX_LINE_BYTES];
    loop {
        match client.stream.read(&mut bytes) {
            Ok(0) => return Verdict::Close,
            // One that holds a lease has nothing more to say.
            Ok(_) if client.ends.is_none() => return Verdict::Close,
            Ok(count) => client.line.extend_from_slice(&bytes[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Verdict::Wait,
            Err(_) => return Verdict::Close,
        }
        if let Some(end) = client.line.iter().position(|&byte| byte == b'\n') {
            let line = String::from_utf8_lossy(&client.line[..end]).into_owned();
            let (reply, holds) = perform(&line, client.asker, token, leases, now);
            answer(client, &reply);
            if !holds {
                return Verdict::Close;
            }
            // Its end may have come together with its words, and is told only once.
            client.ends = None;
            client.line.clear();
        }
        if client.line.len() > MAX_LINE_BYTES {
            answer(client, "error the line is too long\n");
            return Verdict::Close;
        }
    }
}

/// The answer to a line, and whether its connection now holds a lease.
fn perform(line: &str, asker: Asker, token: u64, leases: &mut Leases, now: Instant) -> (String, bool) {
    let words: Vec<&str> = line.split(' ').collect();
    match words.as_slice() {
        [verb @ ("set" | "hold"), seconds, name] => {
            let holder = if *verb == "hold" { Some(token) } else { None };
            let set = seconds
                .parse()
                .map_err(|_| "the time is not a number of seconds")
                .and_then(|seconds| leases.set(name, asker, Duration::from_secs(seconds), holder, now));
            match set {
                Ok(duration) => (format!("ok {}\n", duration.as_secs()), holder.is_some()),
                Err(reason) => (format!("error {reason}\n"), false),
            }
        }
        ["clear"] => (format!("ok {}\n", leases.clear(None, asker.uid)), false),
        ["clear", name] => (format!("ok {}\n", leases.clear(Some(name), asker.uid)), false),
        ["list"] => (format!("ok\n{}", leases.describe(now)), false),
        _ => ("error no such request\n".to_string(), false),
    }
}

/// Answers are shorter than any socket's buffer; one that finds no room goes to somebody who does not read.
fn answer(client: &mut Client, text: &str) {
    let _ = client.stream.write(text.as_bytes());
}
