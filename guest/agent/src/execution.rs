//! One command: its process, what goes into it and what comes out of it.

use std::collections::VecDeque;
use std::os::unix::io::OwnedFd;
use std::time::Duration;

use crate::link::WINDOW_BYTES;
use crate::message::Channel;
use crate::sys::io::{self, Poller};
use crate::sys::process::Ending;

/// What a terminal may still hold when its program has ended: the kernel's buffers and some room.
const TERMINAL_REST_BYTES: usize = 128 * 1024;
/// Unheard output is thrown away in portions of this size.
const DRAIN_TURN_BYTES: usize = 256 * 1024;
/// A program that writes less than this at a time is given a moment to write more: waking for every
/// line costs more than the line.
const SMALL_BURST_BYTES: usize = 16 * 1024;
const SMALL_BURST_REST: Duration = Duration::from_millis(1);
/// Output that nobody wants is looked at no more often than this, so that a flood of it is cheap.
const UNHEARD_REST: Duration = Duration::from_millis(5);
/// The character that ends the input of a terminal.
const END_OF_INPUT: u8 = 4;

/// The way in. Holds at most one window of bytes that the program has not taken yet.
pub struct Input {
    pub fd: OwnedFd,
    pending: VecDeque<u8>,
    writable: bool,
    closing: bool,
    terminal: bool,
}

impl Input {
    pub fn new(fd: OwnedFd, terminal: bool) -> Self {
        Input { fd, pending: VecDeque::new(), writable: true, closing: false, terminal }
    }

    /// Keeps what the host sent; false if the input was closed before.
    fn push(&mut self, data: &[u8]) -> bool {
        if self.closing || self.pending.len() + data.len() > WINDOW_BYTES as usize {
            return false;
        }
        self.pending.extend(data);
        true
    }

    fn close(&mut self) {
        if !self.closing && self.terminal {
            self.pending.push_back(END_OF_INPUT);
        }
        self.closing = true;
    }

    /// Writes what the program takes; the count, and whether the input has come to its end.
    fn flush(&mut self) -> (usize, bool) {
        let mut written = 0;
        while self.writable && !self.pending.is_empty() {
            match io::write(&self.fd, self.pending.as_slices().0) {
                Ok(Some(bytes)) => {
                    self.pending.drain(..bytes);
                    written += bytes;
                }
                Ok(None) => self.writable = false,
                // Nobody will ever read it.
                Err(_) => return (written + self.pending.len(), true),
            }
        }
        (written, self.closing && self.pending.is_empty() && !self.terminal)
    }
}

/// One way out.
pub struct Output {
    pub fd: OwnedFd,
    pub ready: bool,
    /// Whether the poller will tell of it, now or after its rest.
    pub watched: bool,
    /// Bytes read since it was last empty.
    burst: usize,
    /// After the program's end: what it had written by then and the host has not got yet.
    rest: Option<usize>,
}

enum Pull {
    Data(usize),
    Empty,
    End,
}

impl Output {
    pub fn new(fd: OwnedFd) -> Self {
        Output { fd, ready: false, watched: true, burst: 0, rest: None }
    }

    fn pull(&mut self, buffer: &mut [u8]) -> Pull {
        let room = buffer.len().min(self.rest.unwrap_or(usize::MAX));
        match io::read(&self.fd, &mut buffer[..room]) {
            Ok(Some(0)) | Err(_) => Pull::End,
            Ok(Some(bytes)) => {
                self.rest = self.rest.map(|rest| rest - bytes);
                self.burst += bytes;
                Pull::Data(bytes)
            }
            Ok(None) => {
                self.ready = false;
                // A terminal's rest is an upper limit; nothing more to read means that it is out.
                self.rest = self.rest.map(|_| 0);
                Pull::Empty
            }
        }
    }

    /// It is empty and unwatched: how long it may stay so.
    pub fn due_rest(&mut self, heard: bool) -> Option<Duration> {
        if self.ready || self.watched {
            return None;
        }
        self.watched = true;
        let burst = std::mem::take(&mut self.burst);
        Some(match (heard, burst) {
            (false, _) => UNHEARD_REST,
            (true, 1..=SMALL_BURST_BYTES) => SMALL_BURST_REST,
            (true, _) => Duration::ZERO,
        })
    }

    fn delivered(&self) -> bool {
        self.rest == Some(0)
    }
}

pub struct Execution {
    pub pid: i32,
    /// None when nobody listens: the session is over, or the end was reported.
    pub stream: Option<u32>,
    /// Some until it is known whether the program could be started.
    pub report: Option<OwnedFd>,
    pub input: Option<Input>,
    pub outputs: [Option<Output>; 2],
    pub ending: Option<Ending>,
    pub terminal: bool,
    pub program: String,
    pub directory: String,
}

impl Execution {
    pub fn write(&mut self, data: &[u8]) -> bool {
        self.input.as_mut().map_or(false, |input| input.push(data))
    }

    pub fn close_input(&mut self) {
        if let Some(input) = &mut self.input {
            input.close();
        }
    }

    pub fn input_writable(&mut self) {
        if let Some(input) = &mut self.input {
            input.writable = true;
        }
    }

    /// Moves pending input on; the number of bytes that are done with.
    pub fn flush_input(&mut self, poller: &Poller) -> usize {
        let (written, over) = self.input.as_mut().map_or((0, false), Input::flush);
        if over {
            self.drop_input(poller);
        }
        written
    }

    pub fn drop_input(&mut self, poller: &Poller) {
        if let Some(input) = self.input.take() {
            poller.remove(&input.fd);
        }
    }

    pub fn drop_output(&mut self, channel: Channel, poller: &Poller) {
        if let Some(output) = self.outputs[channel.index()].take() {
            poller.remove(&output.fd);
        }
    }

    /// Reads for the host; 0 if there is nothing now or ever.
    pub fn pull(&mut self, channel: Channel, buffer: &mut [u8], poller: &Poller) -> usize {
        let output = match &mut self.outputs[channel.index()] {
            Some(output) if self.report.is_none() && !output.delivered() => output,
            _ => return 0,
        };
        match output.pull(buffer) {
            Pull::Data(bytes) => bytes,
            Pull::Empty => 0,
            Pull::End => {
                self.drop_output(channel, poller);
                0
            }
        }
    }

    /// The process was reaped: what it has written is in its pipes now, and no more counts.
    pub fn end(&mut self, ending: Ending, poller: &Poller) {
        self.ending = Some(ending);
        self.drop_input(poller);
        for output in self.outputs.iter_mut().flatten() {
            let rest = if self.terminal {
                TERMINAL_REST_BYTES
            } else {
                // An error here would be a descriptor that is none; then nothing can be read either.
                io::pending_bytes(&output.fd).unwrap_or(0)
            };
            output.rest = Some(rest);
            output.ready = true;
        }
    }

    /// True when the program has ended and everything it said was handed on.
    pub fn is_over(&self) -> bool {
        self.report.is_none() && self.ending.is_some() && self.outputs.iter().flatten().all(Output::delivered)
    }

    /// Nobody listens any more: what comes out is thrown away from now on.
    ///
    /// A terminal goes with its program, as at a logout. Pipes stay: a child left in the background
    /// must not die of a broken pipe.
    pub fn orphan(&mut self, poller: &Poller) {
        self.stream = None;
        for output in self.outputs.iter_mut().flatten() {
            output.rest = None;
            output.ready = true;
        }
        if self.terminal && self.ending.is_some() {
            Channel::ALL.iter().for_each(|&channel| self.drop_output(channel, poller));
        }
    }

    /// Throws output away; true if there is more.
    pub fn drain(&mut self, sink: &mut [u8], poller: &Poller) -> bool {
        let mut more = false;
        for channel in Channel::ALL {
            let mut budget = DRAIN_TURN_BYTES;
            while let Some(output) = &mut self.outputs[channel.index()] {
                if !output.ready {
                    break;
                }
                if budget == 0 {
                    more = true;
                    break;
                }
                match output.pull(sink) {
                    Pull::Data(bytes) => budget = budget.saturating_sub(bytes),
                    Pull::Empty => break,
                    Pull::End => self.drop_output(channel, poller),
                }
            }
        }
        more
    }

    /// True when there is nothing left to look after.
    pub fn is_gone(&self) -> bool {
        self.ending.is_some() && self.outputs.iter().all(Option::is_none)
    }
}
