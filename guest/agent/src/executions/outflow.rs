//! Output on its way: from programs into their logs, from logs to clients in their turn, and when to look
//! for more of it.

use std::rc::Rc;
use std::time::{Duration, Instant};

use super::{Executions, ROLES, STDERR, STDOUT};
use crate::execution::{Execution, Fill};
use crate::link::{Link, Sources};
use crate::message::Channel;
use crate::output::log::{Cursor, Next};
use crate::reply::Reply;

pub(super) const SCRATCH_BYTES: usize = 64 * 1024;

impl Sources for Executions {
    fn pull(&mut self, stream: u32, channel: Channel, buffer: &mut [u8]) -> usize {
        let number = match self.by_stream.get(&stream) {
            Some(&number) => number,
            None => return 0,
        };
        self.changed.push(number);
        let execution = match self.all.get_mut(&number) {
            Some(execution) => execution,
            None => return 0,
        };
        let reader = execution.readers.iter_mut().find(|reader| reader.stream == stream);
        let pulled = reader.map_or(0, |reader| execution.log.read(&mut reader.cursor, channel, buffer));
        if pulled == 0 {
            // What comes next may belong to the other channel.
            self.fresh.push(number);
        }
        pulled
    }
}

impl Executions {
    /// A program has something to say, or its way out has ended.
    pub(super) fn output_ready(&mut self, number: u64, channel: Channel) {
        if let Some(execution) = self.all.get_mut(&number) {
            if let Some(output) = &mut execution.outputs[channel.index()] {
                output.ready = true;
            }
            if execution.is_heard() && !execution.complete {
                self.filling.push(number);
            } else {
                self.draining.push(number);
            }
        }
    }

    /// Reads what programs with clients have said; true if there is more that has room.
    pub fn fill(&mut self, link: &Link) -> bool {
        let mut more = false;
        for number in distinct(&mut self.filling) {
            let execution = match self.all.get_mut(&number) {
                Some(execution) => execution,
                None => continue,
            };
            if !execution.is_heard() || execution.complete {
                self.draining.push(number);
                continue;
            }
            let floor = floor(execution, link);
            match execution.fill(&mut self.scratch, Some(floor), &self.poller) {
                Fill::Empty => {}
                Fill::More => {
                    more = true;
                    self.filling.push(number);
                }
                // Looked at again whenever something has happened; by itself it is no reason to.
                Fill::Stalled => self.filling.push(number),
            }
            self.fresh.push(number);
            self.changed.push(number);
            self.watch_again(number);
        }
        more
    }

    /// Reads what programs without clients have said; true if there is more, which has time.
    pub fn drain(&mut self) -> bool {
        for number in distinct(&mut self.draining) {
            let execution = match self.all.get_mut(&number) {
                Some(execution) => execution,
                None => continue,
            };
            let more = if execution.complete || !execution.remembered {
                execution.drain(&mut self.scratch, &self.poller)
            } else if execution.is_heard() {
                self.filling.push(number);
                continue;
            } else {
                execution.fill(&mut self.scratch, None, &self.poller) == Fill::More
            };
            if more {
                self.draining.push(number);
            }
            self.changed.push(number);
            self.watch_again(number);
        }
        !self.draining.is_empty()
    }

    /// Lets clients take their turns for what they have not got yet.
    pub(super) fn announce(&mut self, link: &mut Link) {
        for number in distinct(&mut self.fresh) {
            let execution = match self.all.get_mut(&number) {
                Some(execution) if execution.report.is_none() => execution,
                _ => continue,
            };
            for reader in &mut execution.readers {
                loop {
                    match execution.log.next(&mut reader.cursor) {
                        Next::Channel(channel) => link.ready(reader.stream, channel),
                        Next::End => {}
                        Next::Lost(offset) => {
                            reader.cursor = Cursor::at(offset);
                            link.send(reader.stream, &Reply::Skipped { offset });
                            continue;
                        }
                    }
                    break;
                }
            }
            self.changed.push(number);
        }
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
        let heard = execution.is_heard() && !execution.complete;
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
        let poller = Rc::clone(&self.poller);
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

/// The first offset that some client has not confirmed to have got.
fn floor(execution: &Execution, link: &Link) -> u64 {
    let confirmed = execution
        .readers
        .iter()
        .map(|reader| reader.cursor.offset().saturating_sub(link.unacknowledged(reader.stream)));
    confirmed.min().unwrap_or(0)
}

/// Empties a list; each of its numbers once, in order.
fn distinct(numbers: &mut Vec<u64>) -> Vec<u64> {
    let mut taken = std::mem::take(numbers);
    taken.sort_unstable();
    taken.dedup();
    taken
}
