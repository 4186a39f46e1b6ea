//! All commands of the machine's agent, found by the host's stream, by process and by descriptor.

mod outflow;

use std::collections::{BTreeMap, HashMap};
use std::io::Result;
use std::rc::Rc;
use std::time::Instant;

use crate::execution::Execution;
use crate::launch::{launch, refused, start_refused};
use crate::link::Link;
use crate::message::{Channel, ExecRequest, TerminalSize};
use crate::reply::Reply;
use crate::sys::io::{Poller, READABLE, READABLE_ONCE, WRITABLE};
use crate::sys::process::{self, Ending, Inherited};
use crate::sys::terminal;

/// Commands that have not ended, of all sessions together.
pub const MAX_EXECUTIONS: usize = 256;
/// Ended commands whose background children still hold a pipe; beyond, the oldest pipes are closed.
pub const MAX_LINGERING: usize = 512;
const MAX_SIGNAL: u8 = 64;

/// A descriptor's token: the execution's number and which of its descriptors it is.
const ROLES: u64 = 4;
const REPORT: u64 = 0;
const INPUT: u64 = 1;
const STDOUT: u64 = 2;
const STDERR: u64 = 3;

pub struct Executions {
    poller: Rc<Poller>,
    inherited: Inherited,
    all: BTreeMap<u64, Execution>,
    by_stream: HashMap<u32, u64>,
    by_pid: HashMap<i32, u64>,
    next_number: u64,
    sink: Vec<u8>,
    /// Outputs that are listened to again at these times.
    resting: Vec<(Instant, u64)>,
    /// Executions nobody listens to whose output is to be thrown away.
    draining: Vec<u64>,
    /// Executions that may have come to their end.
    changed: Vec<u64>,
}

impl Executions {
    pub fn new(poller: Rc<Poller>, inherited: Inherited) -> Self {
        Executions {
            poller,
            inherited,
            all: BTreeMap::new(),
            by_stream: HashMap::new(),
            by_pid: HashMap::new(),
            next_number: 1,
            sink: vec![0; outflow::DRAIN_BUFFER_BYTES],
            resting: Vec::new(),
            draining: Vec::new(),
            changed: Vec::new(),
        }
    }

    /// Starts a command; the host hears of its success or failure.
    pub fn start(&mut self, stream: u32, request: &ExecRequest, link: &mut Link) {
        if self.by_pid.len() >= MAX_EXECUTIONS || self.all.len() >= MAX_EXECUTIONS + MAX_LINGERING {
            let message = format!("more than {MAX_EXECUTIONS} commands at once");
            return link.send(stream, &refused(libc::EAGAIN, message));
        }
        let execution = match launch(stream, request, &self.inherited) {
            Ok(execution) => execution,
            Err(refusal) => return link.send(stream, &refusal),
        };
        let number = self.next_number;
        self.next_number += 1;
        self.by_pid.insert(execution.pid, number);
        if let Err(error) = self.watch(number, &execution) {
            // Without readiness it could never be served; its end is reaped like any other.
            let _ = process::signal(execution.pid, libc::SIGKILL);
            let message = format!("cannot watch the command: {error}");
            return link.send(stream, &refused(libc::ENOMEM, message));
        }
        link.open(stream);
        self.by_stream.insert(stream, number);
        self.all.insert(number, execution);
    }

    fn watch(&self, number: u64, execution: &Execution) -> Result<()> {
        if let Some(report) = &execution.report {
            self.poller.add(report, READABLE, number * ROLES + REPORT)?;
        }
        if let Some(input) = &execution.input {
            self.poller.add(&input.fd, WRITABLE, number * ROLES + INPUT)?;
        }
        for (output, role) in execution.outputs.iter().zip([STDOUT, STDERR]) {
            if let Some(output) = output {
                self.poller.add(&output.fd, READABLE_ONCE, number * ROLES + role)?;
            }
        }
        Ok(())
    }

    /// One of our descriptors has become ready.
    pub fn notice(&mut self, token: u64, link: &mut Link) {
        let number = token / ROLES;
        match token % ROLES {
            REPORT => self.read_report(number, link),
            INPUT => {
                if let Some(execution) = self.all.get_mut(&number) {
                    execution.input_writable();
                    Self::flush(execution, &self.poller, link);
                }
            }
            role => {
                let channel = if role == STDOUT { Channel::Stdout } else { Channel::Stderr };
                self.unwatched(number, channel);
                self.output_ready(number, channel, link);
            }
        }
    }

    fn output_ready(&mut self, number: u64, channel: Channel, link: &mut Link) {
        if let Some(execution) = self.all.get_mut(&number) {
            if let Some(output) = &mut execution.outputs[channel.index()] {
                output.ready = true;
            }
            match execution.stream {
                Some(stream) if execution.report.is_none() => link.ready(stream, channel),
                Some(_) => {}
                None => self.draining.push(number),
            }
        }
    }

    fn read_report(&mut self, number: u64, link: &mut Link) {
        let execution = match self.all.get_mut(&number) {
            Some(execution) => execution,
            None => return,
        };
        let outcome = match execution.report.as_ref().and_then(process::read_report) {
            Some(outcome) => outcome,
            None => return,
        };
        if let Some(report) = execution.report.take() {
            self.poller.remove(&report);
        }
        if let Some(stream) = execution.stream {
            match outcome {
                Ok(()) => link.send(stream, &Reply::Started { pid: execution.pid as u32 }),
                Err(failure) => {
                    link.send(stream, &start_refused(execution, failure));
                    link.close(stream);
                    self.by_stream.remove(&stream);
                    execution.stream = None;
                }
            }
        }
        // What became readable meanwhile was not announced.
        for channel in Channel::ALL {
            self.output_ready(number, channel, link);
        }
        self.changed.push(number);
    }

    fn of_stream(&mut self, stream: u32) -> Option<&mut Execution> {
        let number = self.by_stream.get(&stream)?;
        self.all.get_mut(number)
    }

    pub fn write(&mut self, stream: u32, data: &[u8], link: &mut Link) {
        let poller = Rc::clone(&self.poller);
        if let Some(execution) = self.of_stream(stream) {
            if execution.write(data) {
                Self::flush(execution, &poller, link);
            } else {
                link.consumed(stream, data.len());
            }
        }
    }

    pub fn close_input(&mut self, stream: u32, link: &mut Link) {
        let poller = Rc::clone(&self.poller);
        if let Some(execution) = self.of_stream(stream) {
            execution.close_input();
            Self::flush(execution, &poller, link);
        }
    }

    fn flush(execution: &mut Execution, poller: &Poller, link: &mut Link) {
        let written = execution.flush_input(poller);
        if let Some(stream) = execution.stream.filter(|_| written > 0) {
            link.consumed(stream, written);
        }
    }

    pub fn resize(&mut self, stream: u32, size: TerminalSize) {
        if let Some(execution) = self.of_stream(stream).filter(|execution| execution.terminal) {
            if let Some(input) = &execution.input {
                // A terminal that has just gone has no size.
                let _ = terminal::resize(&input.fd, size);
            }
        }
    }

    pub fn signal(&mut self, stream: u32, number: u8) {
        if let Some(execution) = self.of_stream(stream) {
            if execution.ending.is_none() && (1..=MAX_SIGNAL).contains(&number) {
                let signal = i32::from(number);
                // The group does not exist yet in the first moments; a process that is gone is no error.
                let _ =
                    process::signal_group(execution.pid, signal).or_else(|_| process::signal(execution.pid, signal));
            }
        }
    }

    /// A process was reaped; it need not be one of ours.
    pub fn ended(&mut self, pid: i32, ending: Ending, link: &mut Link) {
        let number = match self.by_pid.remove(&pid) {
            Some(number) => number,
            None => return,
        };
        self.read_report(number, link);
        if let Some(execution) = self.all.get_mut(&number) {
            execution.end(ending, &self.poller);
            if execution.stream.is_none() {
                execution.orphan(&self.poller);
            }
            for channel in Channel::ALL {
                self.output_ready(number, channel, link);
            }
            self.changed.push(number);
        }
    }

    /// Reports the commands that are over. Call after each transmission.
    pub fn settle(&mut self, link: &mut Link) {
        for number in std::mem::take(&mut self.changed) {
            let execution = match self.all.get_mut(&number) {
                Some(execution) => execution,
                None => continue,
            };
            if let (Some(stream), Some(ending), true) = (execution.stream, execution.ending, execution.is_over()) {
                link.send(stream, &reply_of(ending));
                link.close(stream);
                self.by_stream.remove(&stream);
                execution.orphan(&self.poller);
                self.draining.push(number);
            }
            if execution.is_gone() {
                self.all.remove(&number);
            }
        }
        self.limit_lingering();
    }

    fn limit_lingering(&mut self) {
        let excess = self.all.len().saturating_sub(self.by_pid.len() + MAX_LINGERING);
        let lingering = |execution: &Execution| execution.ending.is_some() && execution.stream.is_none();
        let oldest: Vec<u64> =
            self.all.iter().filter(|(_, execution)| lingering(execution)).map(|(&n, _)| n).take(excess).collect();
        for number in oldest {
            if let Some(mut execution) = self.all.remove(&number) {
                Channel::ALL.iter().for_each(|&channel| execution.drop_output(channel, &self.poller));
            }
        }
    }

    /// The session is over: its commands go on, unheard.
    pub fn orphan_all(&mut self) {
        self.by_stream.clear();
        for (&number, execution) in &mut self.all {
            execution.orphan(&self.poller);
            self.draining.push(number);
            self.changed.push(number);
        }
    }
}

fn reply_of(ending: Ending) -> Reply {
    match ending {
        Ending::Exited(code) => Reply::Exited { code },
        Ending::Killed { signal, core } => Reply::Killed { signal, core },
    }
}
