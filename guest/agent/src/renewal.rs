//! A renewal under way: its steps are done and reported, its hooks run one after the other.

use std::time::Instant;

use crate::hooks::{self, Hooks};
use crate::link::Link;
use crate::message::RenewRequest;
use crate::renew::{renew, report, step, Machine};
use crate::reply::Reply;
use crate::sys::kernel;
use crate::sys::process::{Ending, Inherited};

pub struct Renewal {
    /// None when its session is over.
    stream: Option<u32>,
    hooks: Option<Hooks>,
    /// Nothing is run before the host has been sent every step's result.
    acknowledged: bool,
}

impl Renewal {
    /// Does the steps at once and queues their results.
    pub fn begin(stream: u32, request: &RenewRequest, machine: &Machine, link: &mut Link) -> Self {
        let results = renew(machine, request);
        let failed = results.iter().any(|result| matches!(result, Reply::Step { errno, .. } if *errno != 0));
        results.iter().for_each(|result| link.send(stream, result));
        let mut found = None;
        if request.steps & step::HOOKS != 0 {
            match machine.file(hooks::FOLDER) {
                // A machine without a complete identity is not to run anything.
                Ok(_) if failed => link.send(stream, &report("hooks", Err(cancelled()))),
                Ok(folder) => found = Some(Hooks::find(&folder, request.generation, &request.hostname)),
                Err(error) => link.send(stream, &report("hooks", Err(error))),
            }
        }
        Renewal { stream: Some(stream), hooks: found, acknowledged: false }
    }

    /// Goes on where possible; true when the renewal is done.
    pub fn advance(&mut self, inherited: &Inherited, link: &mut Link, now: Instant) -> bool {
        self.acknowledged |= link.flushed() || self.stream.is_none();
        if let Some(hooks) = &mut self.hooks {
            if !self.acknowledged {
                return false;
            }
            let mut replies = Vec::new();
            hooks.expire(now);
            hooks.advance(inherited, &mut replies);
            let finished = hooks.finished();
            replies.iter().for_each(|reply| self.send(link, reply));
            if !finished {
                return false;
            }
        }
        self.send(link, &Reply::RenewDone { wall_clock_nanos: kernel::wall_clock() });
        true
    }

    pub fn process_ended(&mut self, pid: i32, ending: Ending, link: &mut Link) {
        if let Some(reply) = self.hooks.as_mut().and_then(|hooks| hooks.ended(pid, ending)) {
            self.send(link, &reply);
        }
    }

    pub fn next_deadline(&self) -> Option<Instant> {
        self.hooks.as_ref().and_then(Hooks::next_deadline)
    }

    /// Its session is over; what it has begun it finishes unheard.
    pub fn orphan(&mut self) {
        self.stream = None;
    }

    pub fn is_heard(&self) -> bool {
        self.stream.is_some()
    }

    /// Ends it in favour of another one.
    pub fn abandon(mut self) {
        if let Some(hooks) = &mut self.hooks {
            hooks.abandon();
        }
    }

    fn send(&self, link: &mut Link, reply: &Reply) {
        if let Some(stream) = self.stream {
            link.send(stream, reply);
        }
    }
}

fn cancelled() -> std::io::Error {
    std::io::Error::from_raw_os_error(libc::ECANCELED)
}
