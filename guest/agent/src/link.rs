//! The session with the host: who may send how much, and in which order things leave.
//!
//! Knows no system call. The agent feeds it received bytes and asks it for bytes to send; data is
//! pulled from its sources only when there is room for it on the wire, so nothing piles up here.

use std::collections::{HashMap, VecDeque};

use crate::fields::Malformed;
use crate::message::{kind, parse_exec, parse_hello, parse_request, Channel, ExecRequest, Request, MAX_EXEC_BYTES};
use crate::outbox::{Outbox, TURN_BYTES};
use crate::reply::{hello_ack, Facts, Reply};
use crate::wire::{tag_of, Decoded, Decoder, Frame, Tag, NEWBORN_TAG};

/// How much may be under way in one direction of one stream.
pub const WINDOW_BYTES: u32 = 256 * 1024;
/// Consumed input is reported in portions of at least this size.
pub const CREDIT_STEP_BYTES: u32 = WINDOW_BYTES / 4;

/// Where the data of streams comes from.
pub trait Sources {
    /// Puts what there is into the buffer; 0 means nothing now, and a call of `Link::ready` later.
    fn pull(&mut self, stream: u32, channel: Channel, buffer: &mut [u8]) -> usize;
}

#[derive(Debug)]
pub enum Inbound {
    /// A new host: every stream of an earlier session is over.
    SessionStarted,
    /// The host broke the rules or is gone; every stream is over.
    SessionLost,
    Exec(u32, Result<Box<ExecRequest>, Malformed>),
    Request(u32, Request),
}

#[derive(Default)]
struct Outlet {
    credit: u32,
    ready: bool,
    queued: bool,
}

struct Stream {
    outlets: [Outlet; 2],
    /// What the host may still send.
    inlet: u32,
    /// What was consumed and not yet reported.
    consumed: u32,
    /// It carries bytes of a helper or a connection, and not of an execution.
    tunnel: bool,
}

impl Stream {
    fn new(tunnel: bool) -> Self {
        let outlet = || Outlet { credit: WINDOW_BYTES, ..Outlet::default() };
        Stream { outlets: [outlet(), outlet()], inlet: WINDOW_BYTES, consumed: 0, tunnel }
    }
}

pub struct Link {
    facts: Facts,
    decoder: Decoder,
    tag: Option<Tag>,
    streams: HashMap<u32, Stream>,
    partial_exec: Option<(u32, Vec<u8>)>,
    turns: VecDeque<(u32, Channel)>,
    outbox: Outbox,
}

impl Link {
    pub fn new(facts: Facts) -> Self {
        let mut outbox = Outbox::new();
        // A host that still has a session with an earlier agent must not wait for its answers.
        let (kind, reason) = Reply::Fault("it was started anew").encode();
        outbox.begin(kind, &reason, NEWBORN_TAG);
        Link {
            facts,
            decoder: Decoder::new(),
            tag: None,
            streams: HashMap::new(),
            partial_exec: None,
            turns: VecDeque::new(),
            outbox,
        }
    }

    /// Takes received bytes up to the first one that needs something done.
    pub fn receive(&mut self, input: &mut &[u8]) -> Option<Inbound> {
        while let Some(decoded) = self.decoder.next(input) {
            let inbound = match decoded {
                Decoded::Lost if self.tag.is_some() => Some(self.fault("the bytes are not frames")),
                Decoded::Lost => None,
                Decoded::Frame(frame) => self.accept(frame),
            };
            if inbound.is_some() {
                return inbound;
            }
        }
        None
    }

    /// The port has ended: nobody is there to send to.
    pub fn disconnect(&mut self) -> Option<Inbound> {
        self.decoder = Decoder::new();
        let had_session = self.tag.is_some();
        self.end_session();
        self.outbox.clear();
        if had_session {
            Some(Inbound::SessionLost)
        } else {
            None
        }
    }

    pub fn may_receive(&self) -> bool {
        !self.outbox.is_full()
    }

    /// Bytes held in all queues; bounded whatever the host sends.
    pub fn held(&self) -> usize {
        let partial = self.partial_exec.as_ref().map_or(0, |(_, bytes)| bytes.capacity());
        self.decoder.held() + partial + self.outbox.held()
    }

    fn accept(&mut self, frame: Frame) -> Option<Inbound> {
        if frame.kind == kind::HELLO {
            return self.hello(&frame);
        }
        if self.tag != Some(frame.tag) {
            return None;
        }
        if frame.stream == 0 {
            return Some(self.fault("a request has no stream"));
        }
        match frame.kind {
            kind::EXEC_PART | kind::EXEC => self.exec(frame),
            _ => match parse_request(frame.kind, frame.payload) {
                Ok(request) => self.request(frame.stream, request),
                Err(Malformed(reason)) => Some(self.fault(reason)),
            },
        }
    }

    fn hello(&mut self, frame: &Frame) -> Option<Inbound> {
        let (nonce, _) = parse_hello(&frame.payload).ok()?;
        let tag = tag_of(&nonce).filter(|&tag| tag == frame.tag)?;
        self.end_session();
        self.tag = Some(tag);
        self.outbox.begin(kind::HELLO_ACK, &hello_ack(&nonce, &self.facts), tag);
        Some(Inbound::SessionStarted)
    }

    /// Forgets everything of the session but bytes of a frame that has begun to leave.
    fn end_session(&mut self) {
        self.tag = None;
        self.streams.clear();
        self.partial_exec = None;
        self.outbox.forget_control();
        self.turns.clear();
    }

    fn fault(&mut self, reason: &'static str) -> Inbound {
        let tag = self.tag;
        self.end_session();
        if let Some(tag) = tag {
            self.outbox.queue(0, &Reply::Fault(reason), tag);
        }
        Inbound::SessionLost
    }

    fn exec(&mut self, frame: Frame) -> Option<Inbound> {
        if self.streams.contains_key(&frame.stream) {
            return Some(self.fault("a stream is used twice"));
        }
        let mut bytes = match self.partial_exec.take() {
            Some((stream, bytes)) if stream == frame.stream => bytes,
            _ => Vec::new(),
        };
        if bytes.len() + frame.payload.len() > MAX_EXEC_BYTES {
            return Some(self.fault("an execution's request is too long"));
        }
        bytes.extend_from_slice(&frame.payload);
        if frame.kind == kind::EXEC_PART {
            self.partial_exec = Some((frame.stream, bytes));
            return None;
        }
        Some(Inbound::Exec(frame.stream, parse_exec(&bytes).map(Box::new)))
    }

    fn request(&mut self, id: u32, request: Request) -> Option<Inbound> {
        match request {
            Request::Credit(channel, bytes) => return self.credit(id, channel, bytes),
            Request::Attach { .. } | Request::Task { .. } | Request::Dial(_) | Request::Take { .. }
                if self.streams.contains_key(&id) =>
            {
                return Some(self.fault("a stream is used twice"));
            }
            Request::Stdin(ref data) | Request::Data(ref data) => {
                // A stream that has ended meanwhile is no mistake of the host.
                let stream = self.streams.get_mut(&id)?;
                match stream.inlet.checked_sub(data.len() as u32) {
                    Some(left) => stream.inlet = left,
                    None => return Some(self.fault("more input than was granted")),
                }
            }
            _ => {}
        }
        Some(Inbound::Request(id, request))
    }

    fn credit(&mut self, id: u32, channel: Channel, bytes: u32) -> Option<Inbound> {
        let outlet = &mut self.streams.get_mut(&id)?.outlets[channel.index()];
        match outlet.credit.checked_add(bytes).filter(|&credit| credit <= WINDOW_BYTES) {
            Some(credit) => outlet.credit = credit,
            None => return Some(self.fault("more credit than the window")),
        }
        self.take_turn(id, channel);
        None
    }

    /// A stream exists from the acceptance of its request until its end was queued.
    pub fn open(&mut self, stream: u32) {
        self.streams.insert(stream, Stream::new(false));
    }

    /// As `open`, for a stream whose bytes pass through.
    pub fn open_tunnel(&mut self, stream: u32) {
        self.streams.insert(stream, Stream::new(true));
    }

    pub fn close(&mut self, stream: u32) {
        self.streams.remove(&stream);
    }

    /// Bytes that were sent on a stream and that the host has not consumed yet.
    pub fn unacknowledged(&self, stream: u32) -> u64 {
        let outlets = self.streams.get(&stream).map_or(&[][..], |stream| &stream.outlets);
        outlets.iter().map(|outlet| u64::from(WINDOW_BYTES - outlet.credit)).sum()
    }

    /// Some output can be pulled.
    pub fn ready(&mut self, id: u32, channel: Channel) {
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.outlets[channel.index()].ready = true;
            self.take_turn(id, channel);
        }
    }

    fn take_turn(&mut self, id: u32, channel: Channel) {
        if let Some(stream) = self.streams.get_mut(&id) {
            let outlet = &mut stream.outlets[channel.index()];
            if outlet.ready && outlet.credit > 0 && !outlet.queued {
                outlet.queued = true;
                self.turns.push_back((id, channel));
            }
        }
    }

    /// So much input has reached its program (or was thrown away because none wants it).
    pub fn consumed(&mut self, id: u32, bytes: usize) {
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.consumed += bytes as u32;
            if stream.consumed >= CREDIT_STEP_BYTES {
                let credit = std::mem::take(&mut stream.consumed);
                stream.inlet += credit;
                let reply = if stream.tunnel { Reply::DataCredit(credit) } else { Reply::StdinCredit(credit) };
                self.send(id, &reply);
            }
        }
    }

    /// Queues a reply; without a session there is nobody to hear it.
    pub fn send(&mut self, stream: u32, reply: &Reply) {
        if let Some(tag) = self.tag {
            self.outbox.queue(stream, reply, tag);
        }
    }

    /// True when there may be something to send.
    pub fn has_work(&self) -> bool {
        !self.outbox.flushed() || !self.turns.is_empty()
    }

    /// True when every reply has left.
    pub fn flushed(&self) -> bool {
        self.outbox.flushed()
    }

    /// The next bytes for the port: replies first, then each ready stream in its turn.
    pub fn outgoing(&mut self, sources: &mut dyn Sources) -> &[u8] {
        if self.outbox.unsent().is_empty() {
            self.outbox.fill();
            while self.outbox.unsent().is_empty() {
                match self.turns.pop_front() {
                    Some((id, channel)) => self.turn(id, channel, sources),
                    None => break,
                }
            }
        }
        self.outbox.unsent()
    }

    pub fn sent(&mut self, bytes: usize) {
        self.outbox.sent(bytes);
    }

    /// One frame of one stream, which then goes to the end of the line.
    fn turn(&mut self, id: u32, channel: Channel, sources: &mut dyn Sources) {
        let (tag, stream) = match (self.tag, self.streams.get_mut(&id)) {
            (Some(tag), Some(stream)) => (tag, stream),
            _ => return,
        };
        let outlet = &mut stream.outlets[channel.index()];
        let room = TURN_BYTES.min(outlet.credit as usize);
        let pull = |buffer: &mut [u8]| sources.pull(id, channel, buffer);
        let pulled = self.outbox.append(channel.data_kind(), id, tag, room, pull);
        outlet.queued = false;
        outlet.ready = pulled > 0;
        outlet.credit -= pulled as u32;
        self.take_turn(id, channel);
    }
}
