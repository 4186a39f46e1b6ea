//! Output on its way: to the host in its turn, or nowhere, and when to look for more of it.

use std::rc::Rc;
use std::time::{Duration, Instant};

use super::{Executions, ROLES, STDERR, STDOUT};
use crate::link::Sources;
use crate::message::Channel;

pub(super) const DRAIN_BUFFER_BYTES: usize = 64 * 1024;

impl Sources for Executions {
    fn pull(&mut self, stream: u32, channel: Channel, buffer: &mut [u8]) -> usize {
        let number = match self.by_stream.get(&stream) {
            Some(&number) => number,
            None => return 0,
        };
        self.changed.push(number);
        let poller = Rc::clone(&self.poller);
        let pulled = self.all.get_mut(&number).map_or(0, |execution| execution.pull(channel, buffer, &poller));
        if pulled == 0 {
            self.watch_again(number);
        }
        pulled
    }
}

impl Executions {
    /// Throws away what nobody wants; true if there is more, which should be fetched a little later.
    pub fn drain(&mut self) -> bool {
        let mut numbers = std::mem::take(&mut self.draining);
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            if let Some(execution) = self.all.get_mut(&number) {
                if execution.stream.is_none() && execution.drain(&mut self.sink, &self.poller) {
                    self.draining.push(number);
                }
                self.changed.push(number);
                self.watch_again(number);
            }
        }
        !self.draining.is_empty()
    }

    /// The poller has told of an output and is silent about it from now on.
    pub(super) fn unwatched(&mut self, number: u64, channel: Channel) {
        if let Some(output) = self.all.get_mut(&number).and_then(|e| e.outputs[channel.index()].as_mut()) {
            output.watched = false;
        }
    }

    /// Outputs that were read until they were empty are listened to again, some after a rest.
    fn watch_again(&mut self, number: u64) {
        let execution = match self.all.get_mut(&number) {
            Some(execution) => execution,
            None => return,
        };
        let heard = execution.stream.is_some();
        for (output, role) in execution.outputs.iter_mut().zip([STDOUT, STDERR]) {
            if let Some(output) = output {
                let token = number * ROLES + role;
                match output.due_rest(heard) {
                    None => {}
                    // It was registered when the execution began, so this cannot fail.
                    Some(Duration::ZERO) => drop(self.poller.listen_again(&output.fd, token)),
                    Some(rest) => self.resting.push((Instant::now() + rest, token)),
                }
            }
        }
    }

    pub fn next_deadline(&self) -> Option<Instant> {
        self.resting.iter().map(|&(until, _)| until).min()
    }

    /// Ends the rests that are over.
    pub fn wake(&mut self, now: Instant) {
        let all = &self.all;
        let poller = &self.poller;
        self.resting.retain(|&(until, token)| {
            if until > now {
                return true;
            }
            let channel = if token % ROLES == STDOUT { Channel::Stdout } else { Channel::Stderr };
            let output = all.get(&(token / ROLES)).and_then(|e| e.outputs[channel.index()].as_ref());
            if let Some(output) = output {
                // It was registered when the execution began, so this cannot fail.
                drop(poller.listen_again(&output.fd, token));
            }
            false
        });
    }
}
