//! Streams whose bytes only pass through the agent: to helpers that do tasks, and into connections.

mod dialed;
mod helpers;
mod listener;
mod task;
mod tunnel;

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Instant;

use crate::launch::{account, refused};
use crate::link::{Link, Sources};
use crate::message::{Channel, Dial};
use crate::reply::Reply;
use crate::sys::errno;
use crate::sys::helper::Rights;
use crate::sys::io::{Poller, READABLE};
use crate::sys::process::Inherited;
use dialed::Connection;
use helpers::Helpers;
use listener::Listener;
use task::TaskTunnel;
use tunnel::{Found, Input, Tunnel};

/// Tasks and connections that have not ended.
pub const MAX_TUNNELS: usize = 512;
/// Each keeps a helper.
const MAX_LISTENERS: usize = 32;
/// Marks tokens of the poller as ours.
const TOKEN_BIT: u64 = 1 << 61;

/// A tunnel and the token under which the poller tells of it.
struct Entry {
    token: u64,
    tunnel: Box<dyn Tunnel>,
}

pub struct Tunnels {
    poller: Rc<Poller>,
    helpers: Helpers,
    by_stream: HashMap<u32, Entry>,
    stream_of: HashMap<u64, u32>,
    next_token: u64,
    /// Streams about which the host may have to be told something.
    changed: Vec<u32>,
}

impl Tunnels {
    pub fn new(poller: Rc<Poller>, inherited: Inherited) -> Self {
        Tunnels {
            helpers: Helpers::new(Rc::clone(&poller), inherited),
            poller,
            by_stream: HashMap::new(),
            stream_of: HashMap::new(),
            next_token: TOKEN_BIT,
            changed: Vec::new(),
        }
    }

    /// Whether the poller tells of one of ours.
    pub fn has(token: u64) -> bool {
        token & TOKEN_BIT != 0
    }

    fn new_token(&mut self) -> u64 {
        self.next_token += 1;
        self.next_token
    }

    /// Gives a task to a helper with the rights of the user.
    pub fn start(&mut self, stream: u32, user: &[u8], task: &[u8], link: &mut Link) {
        let begun = self.with_helper(user, task);
        self.begin(stream, begun, link);
    }

    fn with_helper(&mut self, user: &[u8], task: &[u8]) -> Result<Entry, Reply> {
        self.check_room()?;
        let account = account(user)?;
        let rights = Rights { uid: account.uid, gid: account.gid, groups: account.groups };
        let token = self.new_token();
        let helper = self.helpers.take(rights, token)?;
        Ok(Entry { token: helper.token, tunnel: Box::new(TaskTunnel::new(helper, task)) })
    }

    /// Connects to something in the machine.
    pub fn dial(&mut self, stream: u32, dial: &Dial, link: &mut Link) {
        let begun = self.check_room().and_then(|()| {
            let token = self.new_token();
            Ok(Entry { token, tunnel: Box::new(Connection::begin(dial, &self.poller, token)?) })
        });
        self.begin(stream, begun, link);
    }

    /// Goes on with a connection that has come to a listener.
    pub fn take(&mut self, stream: u32, listener: u32, number: u32, link: &mut Link) {
        let begun = self.check_room().and_then(|()| {
            let waiting = self.by_stream.get_mut(&listener).and_then(|entry| entry.tunnel.claim(number));
            let gone = || refused(libc::ENOENT, "no such connection has come, or it was taken".to_string());
            let token = self.new_token();
            let tunnel = Connection::established(waiting.ok_or_else(gone)?, &self.poller, token)?;
            Ok(Entry { token, tunnel: Box::new(tunnel) })
        });
        // There is room for another one to wait.
        link.ready(listener, Channel::Data);
        self.begin(stream, begun, link);
    }

    /// A task has become a connection or a listener, on the same stream.
    fn adopt(&mut self, stream: u32, found: Found, link: &mut Link) {
        let task = match self.by_stream.remove(&stream) {
            Some(task) => task,
            None => return,
        };
        self.stream_of.remove(&task.token);
        let made = task.tunnel.dissolve(&self.poller).map(|(helper, reusable)| {
            let token = self.new_token();
            let tunnel = self.tunnel_of(found, helper, reusable, token)?;
            Ok(Entry { token, tunnel })
        });
        match made {
            Some(Ok(entry)) => {
                self.stream_of.insert(entry.token, stream);
                self.by_stream.insert(stream, entry);
                self.advance(stream, link);
            }
            Some(Err(refusal)) => {
                link.send(stream, &refusal);
                link.close(stream);
            }
            None => link.close(stream),
        }
    }

    fn tunnel_of(
        &mut self,
        found: Found,
        helper: helpers::Helper,
        reusable: bool,
        token: u64,
    ) -> Result<Box<dyn Tunnel>, Reply> {
        let (socket, facts) = match found {
            Found::Connection(socket) => {
                self.helpers.give_back(helper, reusable);
                return Ok(Box::new(Connection::established(socket, &self.poller, token)?));
            }
            Found::Listener(socket, facts) => (socket, facts),
        };
        let listeners = self.by_stream.values().filter(|entry| entry.tunnel.listens()).count();
        let watched = if listeners < MAX_LISTENERS {
            let failure = |error| refused(errno(&error), format!("cannot watch the listener: {error}"));
            self.poller.add(&socket, READABLE, token).map_err(failure)
        } else {
            Err(refused(libc::EAGAIN, format!("more than {MAX_LISTENERS} listeners at once")))
        };
        match watched {
            Ok(()) => Ok(Box::new(Listener::new(socket, helper, facts))),
            Err(refusal) => {
                self.helpers.give_back(helper, false);
                Err(refusal)
            }
        }
    }

    fn check_room(&self) -> Result<(), Reply> {
        if self.by_stream.len() < MAX_TUNNELS {
            return Ok(());
        }
        Err(refused(libc::EAGAIN, format!("more than {MAX_TUNNELS} tasks and connections at once")))
    }

    fn begin(&mut self, stream: u32, begun: Result<Entry, Reply>, link: &mut Link) {
        match begun {
            Ok(entry) => {
                link.open_tunnel(stream);
                self.stream_of.insert(entry.token, stream);
                self.by_stream.insert(stream, entry);
                self.advance(stream, link);
            }
            Err(refusal) => link.send(stream, &refusal),
        }
    }

    pub fn write(&mut self, stream: u32, data: &[u8], link: &mut Link) {
        self.push(stream, Input::Data(data), link);
    }

    pub fn close_input(&mut self, stream: u32, ending: &[u8], link: &mut Link) {
        self.push(stream, Input::End(ending), link);
    }

    fn push(&mut self, stream: u32, input: Input, link: &mut Link) {
        if let Some(entry) = self.by_stream.get_mut(&stream) {
            entry.tunnel.push(input);
            self.advance(stream, link);
        }
    }

    /// The host wants no more of it, whatever it is doing.
    pub fn cancel(&mut self, stream: u32, link: &mut Link) {
        link.close(stream);
        self.release(stream);
    }

    /// One of our descriptors has become ready.
    pub fn notice(&mut self, token: u64, link: &mut Link) {
        if let Some(&stream) = self.stream_of.get(&token) {
            self.advance(stream, link);
        }
    }

    /// Moves input on, and lets output be pulled.
    fn advance(&mut self, stream: u32, link: &mut Link) {
        if let Some(entry) = self.by_stream.get_mut(&stream) {
            let written = entry.tunnel.flush();
            if written > 0 {
                link.consumed(stream, written);
            }
            link.ready(stream, Channel::Data);
            self.changed.push(stream);
        }
    }

    /// Tells the host what is new. Call after each transmission.
    pub fn settle(&mut self, link: &mut Link) {
        for stream in std::mem::take(&mut self.changed) {
            let tunnel = match self.by_stream.get_mut(&stream) {
                Some(entry) => &mut entry.tunnel,
                None => continue,
            };
            if let Some(found) = tunnel.take_found() {
                self.adopt(stream, found, link);
                continue;
            }
            if let Some(reply) = tunnel.take_reply() {
                link.send(stream, &reply);
                link.ready(stream, Channel::Data);
            }
            if let Some(result) = tunnel.take_result() {
                link.send(stream, &result);
                link.close(stream);
                self.release(stream);
            }
        }
    }

    fn release(&mut self, stream: u32) {
        if let Some(entry) = self.by_stream.remove(&stream) {
            self.stream_of.remove(&entry.token);
            if let Some((helper, reusable)) = entry.tunnel.dissolve(&self.poller) {
                self.helpers.give_back(helper, reusable);
            }
        }
    }

    /// The session is over, and with it everything that was done for it.
    pub fn end_all(&mut self) {
        let all: Vec<u32> = self.by_stream.keys().copied().collect();
        all.into_iter().for_each(|stream| self.release(stream));
        self.changed.clear();
    }

    /// A process was reaped; it need not be a helper.
    pub fn process_ended(&mut self, pid: i32) {
        self.helpers.ended(pid);
    }

    pub fn next_deadline(&self) -> Option<Instant> {
        let tunnels = self.by_stream.values().filter_map(|entry| entry.tunnel.deadline());
        tunnels.chain(self.helpers.next_deadline()).min()
    }

    /// Gives up connections that take too long to come about, and helpers that do not end.
    pub fn wake(&mut self, now: Instant) {
        self.helpers.wake(now);
        for (&stream, entry) in &mut self.by_stream {
            if entry.tunnel.deadline().map_or(false, |at| now >= at) {
                entry.tunnel.time_out();
                self.changed.push(stream);
            }
        }
    }
}

impl Sources for Tunnels {
    fn pull(&mut self, stream: u32, _: Channel, buffer: &mut [u8]) -> usize {
        let pulled = self.by_stream.get_mut(&stream).map_or(0, |entry| entry.tunnel.pull(buffer));
        if pulled == 0 {
            self.changed.push(stream);
        }
        pulled
    }
}
