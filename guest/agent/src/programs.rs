//! Programs whose bytes only pass through, such as those at the far end of `scp` and `git`: nothing of them is kept,
//! and they end with their streams.

mod program;

use std::collections::HashMap;
use std::io::Result;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::launch::{begin, refused, start_refused};
use crate::link::{Link, Sources};
use crate::message::{Channel, ExecRequest, Request};
use crate::reply::Reply;
use crate::sys::io::{widen, Poller, READABLE, WRITABLE};
use crate::sys::process::{self, Ending, Inherited};
use program::Program;

/// Programs that have not ended, also those that were told to.
pub const MAX_PROGRAMS: usize = 256;
/// How long a program has to go after it was hung up on.
const HANG_UP_LIMIT: Duration = Duration::from_secs(5);

/// What a pipe may hold: with more at a time there are fewer changes between the agent and the program.
const PIPE_BYTES: usize = 256 * 1024;
/// Marks tokens of the poller as ours.
const TOKEN_BIT: u64 = 1 << 60;
/// A descriptor's token: the program's number and which of its descriptors it is.
const ROLES: u64 = 4;
const REPORT: u64 = 0;
const INPUT: u64 = 1;
const STDOUT: u64 = 2;
const STDERR: u64 = 3;

/// A program that was hung up on. What it still says is not read, but does not end it before it could tidy up.
struct Leaving {
    program: Program,
    /// None once it was killed.
    killed_at: Option<Instant>,
}

pub struct Programs {
    poller: Rc<Poller>,
    inherited: Inherited,
    by_stream: HashMap<u32, Program>,
    stream_of: HashMap<u64, u32>,
    next_number: u64,
    /// Programs whose client has gone.
    leaving: Vec<Leaving>,
    /// Streams about which the host may have to be told something.
    changed: Vec<u32>,
}

impl Programs {
    pub fn new(poller: Rc<Poller>, inherited: Inherited) -> Self {
        Programs {
            poller,
            inherited,
            by_stream: HashMap::new(),
            stream_of: HashMap::new(),
            next_number: 0,
            leaving: Vec::new(),
            changed: Vec::new(),
        }
    }

    /// Whether the poller tells of one of ours.
    pub fn has(token: u64) -> bool {
        token & TOKEN_BIT != 0
    }

    /// Starts a program; the host hears of its success or failure.
    pub fn start(&mut self, stream: u32, request: &ExecRequest, link: &mut Link) {
        if self.by_stream.len() + self.leaving.len() >= MAX_PROGRAMS {
            let message = format!("more than {MAX_PROGRAMS} programs at once");
            return link.send(stream, &refused(libc::EAGAIN, message));
        }
        let begun = match begin(request, &self.inherited) {
            Ok(begun) => begun,
            Err(refusal) => return link.send(stream, &refusal),
        };
        let input = begun.input.iter().map(|input| &input.fd);
        input.chain(begun.outputs.iter().flatten().map(|output| &output.fd)).for_each(|fd| widen(fd, PIPE_BYTES));
        self.next_number += 1;
        let number = self.next_number;
        let program = Program::new(number, begun);
        if let Err(error) = self.watch(&program) {
            // Without readiness it could never be served.
            self.hang_up(program);
            return link.send(stream, &refused(libc::ENOMEM, format!("cannot watch the program: {error}")));
        }
        link.open(stream);
        self.stream_of.insert(number, stream);
        self.by_stream.insert(stream, program);
    }

    fn watch(&self, program: &Program) -> Result<()> {
        let token = |role| TOKEN_BIT | (program.number * ROLES + role);
        if let Some(report) = &program.report {
            self.poller.add(report, READABLE, token(REPORT))?;
        }
        if let Some(input) = &program.input {
            self.poller.add(&input.fd, WRITABLE, token(INPUT))?;
        }
        for (output, role) in program.outputs.iter().zip([STDOUT, STDERR]) {
            if let Some(output) = output {
                self.poller.add(&output.fd, READABLE, token(role))?;
            }
        }
        Ok(())
    }

    /// One of our descriptors has become ready.
    pub fn notice(&mut self, token: u64, link: &mut Link) {
        let plain = token & !TOKEN_BIT;
        let stream = match self.stream_of.get(&(plain / ROLES)) {
            Some(&stream) => stream,
            None => return,
        };
        match plain % ROLES {
            REPORT => self.read_report(stream, link),
            INPUT => {
                if let Some(program) = self.by_stream.get_mut(&stream) {
                    program.input.iter_mut().for_each(|input| input.writable());
                }
                self.flush(stream, link);
            }
            STDOUT => link.ready(stream, Channel::Stdout),
            _ => link.ready(stream, Channel::Stderr),
        }
    }

    fn read_report(&mut self, stream: u32, link: &mut Link) {
        let program = match self.by_stream.get_mut(&stream) {
            Some(program) => program,
            None => return,
        };
        let outcome = match program.report.as_ref().and_then(process::read_report) {
            Some(outcome) => outcome,
            None => return,
        };
        if let Some(report) = program.report.take() {
            self.poller.remove(&report);
        }
        match outcome {
            Ok(()) => {
                link.send(stream, &Reply::Started { pid: program.pid as u32 });
                // What became readable meanwhile was not taken.
                Channel::ALL.iter().for_each(|&channel| link.ready(stream, channel));
                self.changed.push(stream);
            }
            Err(failure) => {
                let refusal = start_refused(&program.aim, failure);
                link.send(stream, &refusal);
                self.detach(stream, link);
            }
        }
    }

    /// Whether one of ours has this stream.
    pub fn has_stream(&self, stream: u32) -> bool {
        self.by_stream.contains_key(&stream)
    }

    /// What its client says to a program.
    pub fn perform(&mut self, stream: u32, request: Request, link: &mut Link) {
        match request {
            Request::Stdin(data) => self.write(stream, &data, link),
            Request::StdinClose => self.close_input(stream, link),
            Request::Signal(number) => self.signal(stream, number),
            Request::Detach => self.detach(stream, link),
            _ => {}
        }
    }

    fn write(&mut self, stream: u32, data: &[u8], link: &mut Link) {
        if let Some(program) = self.by_stream.get_mut(&stream) {
            let taken = program.input.as_mut().and_then(|input| input.write(stream, data));
            link.consumed(stream, taken.unwrap_or(data.len()));
        }
    }

    fn close_input(&mut self, stream: u32, link: &mut Link) {
        if let Some(program) = self.by_stream.get_mut(&stream) {
            program.input.iter_mut().for_each(|input| input.close());
            self.flush(stream, link);
        }
    }

    fn flush(&mut self, stream: u32, link: &mut Link) {
        if let Some(program) = self.by_stream.get_mut(&stream) {
            program.flush(&self.poller).into_iter().for_each(|(_, bytes)| link.consumed(stream, bytes));
        }
    }

    fn signal(&mut self, stream: u32, number: u8) {
        if let Some(program) = self.by_stream.get(&stream) {
            program.signal(i32::from(number));
        }
    }

    /// The client wants no more of it, so it ends.
    fn detach(&mut self, stream: u32, link: &mut Link) {
        link.close(stream);
        self.release(stream);
    }

    fn release(&mut self, stream: u32) {
        if let Some(program) = self.by_stream.remove(&stream) {
            self.stream_of.remove(&program.number);
            self.hang_up(program);
        }
    }

    fn hang_up(&mut self, mut program: Program) {
        program.leave(&self.poller);
        if program.ending.is_none() {
            program.signal(libc::SIGHUP);
            self.leaving.push(Leaving { program, killed_at: Some(Instant::now() + HANG_UP_LIMIT) });
        }
    }

    /// A process was reaped; it need not be one of ours.
    pub fn ended(&mut self, pid: i32, ending: Ending, link: &mut Link) {
        self.leaving.retain(|leaving| leaving.program.pid != pid);
        let found = self.by_stream.iter().find(|(_, program)| program.pid == pid && program.ending.is_none());
        let stream = match found {
            Some((&stream, _)) => stream,
            None => return,
        };
        self.read_report(stream, link);
        if let Some(program) = self.by_stream.get_mut(&stream) {
            program.end(ending, &self.poller);
            Channel::ALL.iter().for_each(|&channel| link.ready(stream, channel));
            self.changed.push(stream);
        }
    }

    /// Tells the host what is new. Call after each transmission.
    pub fn settle(&mut self, link: &mut Link) {
        for stream in std::mem::take(&mut self.changed) {
            let program = match self.by_stream.get_mut(&stream) {
                Some(program) => program,
                None => continue,
            };
            program.news().into_iter().for_each(|reply| link.send(stream, &reply));
            if program.is_over() {
                link.close(stream);
                self.release(stream);
            }
        }
    }

    /// The session is over, and with it every program that was run for it.
    pub fn end_all(&mut self) {
        let all: Vec<u32> = self.by_stream.keys().copied().collect();
        all.into_iter().for_each(|stream| self.release(stream));
        self.changed.clear();
    }

    pub fn next_deadline(&self) -> Option<Instant> {
        self.leaving.iter().filter_map(|leaving| leaving.killed_at).min()
    }

    /// Kills what was hung up on and has not gone.
    pub fn wake(&mut self, now: Instant) {
        for leaving in &mut self.leaving {
            if leaving.killed_at.map_or(false, |at| now >= at) {
                leaving.killed_at = None;
                leaving.program.signal(libc::SIGKILL);
            }
        }
    }
}

impl Sources for Programs {
    fn pull(&mut self, stream: u32, channel: Channel, buffer: &mut [u8]) -> usize {
        let program = match self.by_stream.get_mut(&stream) {
            Some(program) => program,
            None => return 0,
        };
        let pulled = program.pull(channel, buffer, &self.poller);
        if program.has_news() {
            self.changed.push(stream);
        }
        pulled
    }
}
