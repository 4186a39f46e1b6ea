//! Streams whose bytes only pass through the agent: to helpers that do tasks, and into connections.

mod dialed;
mod helpers;
mod task;
mod tunnel;

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Instant;

use crate::launch::{account, refused};
use crate::link::{Link, Sources};
use crate::message::{Channel, Dial};
use crate::reply::Reply;
use crate::sys::helper::Rights;
use crate::sys::io::Poller;
use crate::sys::process::Inherited;
use dialed::Connection;
use helpers::Helpers;
use task::TaskTunnel;
use tunnel::{Input, Tunnel};

/// Tasks and connections that have not ended.
pub const MAX_TUNNELS: usize = 512;
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
