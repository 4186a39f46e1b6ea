//! All commands of the machine's agent, found by their id, the host's streams, process and descriptor.

mod clients;
mod outflow;
mod retention;

use std::collections::{BTreeMap, HashMap};
use std::io::Result;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

use crate::execution::{Execution, Reader};
use crate::launch::{launch, refused, start_refused};
use crate::link::Link;
use crate::message::{Channel, ExecRequest, ExecutionId, TerminalSize};
use crate::output::log::Cursor;
use crate::output::shelf::Room;
use crate::reply::Reply;
use crate::sys::io::{Poller, READABLE, READABLE_ONCE, WRITABLE};
use crate::sys::process::{self, Ending, Inherited};
use crate::sys::terminal;

/// Commands that have not ended, of all sessions together.
pub const MAX_EXECUTIONS: usize = 256;

/// A descriptor's token: the execution's number and which of its descriptors it is.
const ROLES: u64 = 4;
const REPORT: u64 = 0;
const INPUT: u64 = 1;
const STDOUT: u64 = 2;
const STDERR: u64 = 3;

pub struct Executions {
    poller: Rc<Poller>,
    inherited: Inherited,
    room: Rc<Room>,
    all: BTreeMap<u64, Execution>,
    by_id: HashMap<ExecutionId, u64>,
    by_stream: HashMap<u32, u64>,
    by_pid: HashMap<i32, u64>,
    next_number: u64,
    scratch: Vec<u8>,
    /// Outputs that are listened to again at these times.
    resting: Vec<(Instant, u64)>,
    /// Executions with a client and output to read, or with output that must wait for a client.
    filling: Vec<u64>,
    /// Executions without a client whose output is to be read in its own time.
    draining: Vec<u64>,
    /// Executions whose clients may have something to get.
    fresh: Vec<u64>,
    /// Executions that may have come to their end.
    changed: Vec<u64>,
    finished: retention::Finished,
}

impl Executions {
    /// Output beyond what stays in memory is kept in this folder, if there is one.
    pub fn new(poller: Rc<Poller>, inherited: Inherited, folder: Option<PathBuf>) -> Self {
        Executions {
            poller,
            inherited,
            room: Rc::new(Room::new(folder)),
            all: BTreeMap::new(),
            by_id: HashMap::new(),
            by_stream: HashMap::new(),
            by_pid: HashMap::new(),
            next_number: 1,
            scratch: vec![0; outflow::SCRATCH_BYTES],
            resting: Vec::new(),
            filling: Vec::new(),
            draining: Vec::new(),
            fresh: Vec::new(),
            changed: Vec::new(),
            finished: retention::Finished::default(),
        }
    }

    /// Starts a command; the host hears of its success or failure.
    pub fn start(&mut self, stream: u32, request: &ExecRequest, link: &mut Link) {
        if self.by_pid.len() >= MAX_EXECUTIONS {
            let message = format!("more than {MAX_EXECUTIONS} commands at once");
            return link.send(stream, &refused(libc::EAGAIN, message));
        }
        if self.by_id.contains_key(&request.id) {
            let message = "an execution with this id exists".to_string();
            return link.send(stream, &refused(libc::EEXIST, message));
        }
        let mut execution = match launch(request, &self.inherited, &self.room) {
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
        execution.readers.push(Reader { stream, cursor: Cursor::at(0), knows_pid: false });
        self.by_stream.insert(stream, number);
        self.by_id.insert(request.id, number);
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
                    if let Some(input) = &mut execution.input {
                        input.writable();
                    }
                    Self::flush(execution, &self.poller, link);
                }
            }
            role => {
                let channel = if role == STDOUT { Channel::Stdout } else { Channel::Stderr };
                self.unwatched(number, channel);
                self.output_ready(number, channel);
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
        match outcome {
            Ok(()) => {
                // Whoever started it; others were told the number when they came.
                if let Some(reader) = execution.readers.iter().find(|reader| !reader.knows_pid) {
                    link.send(reader.stream, &Reply::Started { pid: execution.pid as u32 });
                }
            }
            Err(failure) => {
                let refusal = start_refused(&execution.label.aim, failure);
                for reader in execution.readers.drain(..) {
                    link.send(reader.stream, &refusal);
                    link.close(reader.stream);
                    self.by_stream.remove(&reader.stream);
                }
                execution.remembered = false;
                self.by_id.remove(&execution.label.id);
            }
        }
        // What became readable meanwhile was not announced.
        for channel in Channel::ALL {
            self.output_ready(number, channel);
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
            if execution.write(stream, data) {
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
        for (stream, bytes) in execution.flush_input(poller) {
            link.consumed(stream, bytes);
        }
    }

    pub fn resize(&mut self, stream: u32, size: TerminalSize) {
        if let Some(execution) = self.of_stream(stream).filter(|execution| execution.label.terminal) {
            if let Some(input) = &execution.input {
                // A terminal that has just gone has no size.
                let _ = terminal::resize(&input.fd, size);
            }
        }
    }

    pub fn signal(&mut self, stream: u32, number: u8) {
        if let Some(execution) = self.of_stream(stream) {
            // A process that is gone is no error.
            let _ = execution.signal(number);
        }
    }

    /// A process was reaped; it need not be one of ours.
    pub fn ended(&mut self, pid: i32, ending: Ending, cpu_micros: u64, link: &mut Link) {
        let number = match self.by_pid.remove(&pid) {
            Some(number) => number,
            None => return,
        };
        self.read_report(number, link);
        if let Some(execution) = self.all.get_mut(&number) {
            execution.end(ending, cpu_micros, &self.poller);
            for channel in Channel::ALL {
                self.output_ready(number, channel);
            }
            self.changed.push(number);
        }
    }

    /// Tells clients of new output and of ends. Call after each transmission.
    pub fn settle(&mut self, link: &mut Link) {
        self.announce(link);
        let mut concluded = false;
        for number in std::mem::take(&mut self.changed) {
            concluded |= self.conclude(number, link);
        }
        if concluded {
            self.limit_lingering();
        }
        self.limit();
    }

    /// Does what an execution's state asks for; true if it has just come to its end.
    fn conclude(&mut self, number: u64, link: &mut Link) -> bool {
        let execution = match self.all.get_mut(&number) {
            Some(execution) => execution,
            None => return false,
        };
        let ends = execution.is_over() && !execution.complete;
        if ends {
            execution.finish(&self.poller);
            self.finished.add(number, execution);
            self.draining.push(number);
        }
        if let (true, Some(ending)) = (execution.complete, execution.ending) {
            let end = execution.log.end();
            let (by_stream, mut told) = (&mut self.by_stream, false);
            execution.readers.retain(|reader| {
                if reader.cursor.offset() < end {
                    return true;
                }
                link.send(reader.stream, &Reply::end(ending));
                link.close(reader.stream);
                by_stream.remove(&reader.stream);
                told = true;
                false
            });
            let unwanted = execution.unwanted || (told && execution.label.fleeting);
            // Another client may still read it.
            if unwanted && execution.remembered && !execution.is_heard() {
                self.let_go(number);
            }
        }
        if self.all.get(&number).map_or(false, |execution| !execution.remembered && execution.is_gone()) {
            self.all.remove(&number);
        }
        ends
    }

    /// The session is over: its commands go on, and what they say is kept.
    pub fn orphan_all(&mut self) {
        self.by_stream.clear();
        for (&number, execution) in &mut self.all {
            execution.readers.clear();
            execution.log.rest();
            self.draining.push(number);
            self.changed.push(number);
        }
    }
}
