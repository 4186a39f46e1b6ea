//! Helpers at hand: making one costs a fork, so some stay for the next task of the same user.

use std::collections::HashSet;
use std::os::unix::io::OwnedFd;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::helper::serve;
use crate::launch::refused;
use crate::reply::Reply;
use crate::sys::errno;
use crate::sys::helper::{fork, Rights};
use crate::sys::io::{Poller, READABLE, WRITABLE};
use crate::sys::process::{self, Inherited};

/// Helpers that do something, or have not ended yet.
const MAX_BUSY: usize = 64;
const MAX_IDLE: usize = 4;
/// A helper ends by itself when its socket is closed, and has so long to clean up.
const ENDING_LIMIT: Duration = Duration::from_secs(5);

pub struct Helper {
    pub pid: i32,
    pub socket: OwnedFd,
    pub token: u64,
    rights: Rights,
}

pub struct Helpers {
    poller: Rc<Poller>,
    inherited: Inherited,
    idle: Vec<Helper>,
    /// Those that do something and have not been reaped: only their numbers are still theirs.
    busy: HashSet<i32>,
    /// Processes whose socket was closed, and when they are ended; none once that was done.
    ending: Vec<(i32, Option<Instant>)>,
}

impl Helpers {
    pub fn new(poller: Rc<Poller>, inherited: Inherited) -> Self {
        Helpers { poller, inherited, idle: Vec::new(), busy: HashSet::new(), ending: Vec::new() }
    }

    /// One that is at hand, or a new one that the poller tells of under this token.
    pub fn take(&mut self, rights: Rights, token: u64) -> Result<Helper, Reply> {
        if self.busy.len() + self.ending.len() >= MAX_BUSY {
            return Err(refused(libc::EAGAIN, format!("more than {MAX_BUSY} tasks at once")));
        }
        if let Some(at) = self.idle.iter().position(|helper| helper.rights == rights) {
            let helper = self.idle.swap_remove(at);
            self.busy.insert(helper.pid);
            return Ok(helper);
        }
        let failure = |error| refused(errno(&error), format!("cannot start a helper: {error}"));
        let (pid, socket) = fork(&rights, &self.inherited, serve).map_err(failure)?;
        if let Err(error) = self.poller.add(&socket, READABLE | WRITABLE, token) {
            self.ending.push((pid, Some(Instant::now())));
            return Err(failure(error));
        }
        self.busy.insert(pid);
        Ok(Helper { pid, socket, token, rights })
    }

    /// Takes back a helper: for the next task if it has finished its last one, else it must end.
    pub fn give_back(&mut self, helper: Helper, reusable: bool) {
        if !self.busy.remove(&helper.pid) {
            // It has ended already, and its number may be another's by now.
            return self.poller.remove(&helper.socket);
        }
        if reusable {
            self.idle.push(helper);
            if self.idle.len() <= MAX_IDLE {
                return;
            }
            let oldest = self.idle.remove(0);
            return self.end(oldest);
        }
        self.end(helper);
    }

    fn end(&mut self, helper: Helper) {
        self.poller.remove(&helper.socket);
        self.ending.push((helper.pid, Some(Instant::now() + ENDING_LIMIT)));
    }

    pub fn ended(&mut self, pid: i32) {
        self.busy.remove(&pid);
        self.ending.retain(|&(other, _)| other != pid);
        if let Some(at) = self.idle.iter().position(|helper| helper.pid == pid) {
            let gone = self.idle.swap_remove(at);
            self.poller.remove(&gone.socket);
        }
    }

    pub fn next_deadline(&self) -> Option<Instant> {
        self.ending.iter().filter_map(|&(_, at)| at).min()
    }

    pub fn wake(&mut self, now: Instant) {
        for (pid, at) in &mut self.ending {
            if at.map_or(false, |at| now >= at) {
                *at = None;
                // It may have ended this moment; then it is about to be reaped.
                let _ = process::signal(*pid, libc::SIGKILL);
            }
        }
    }
}
