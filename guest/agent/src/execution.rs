//! One command: its process, what goes into it, what comes out of it and who listens.

use std::io::{Error, Result};
use std::os::unix::io::OwnedFd;
use std::time::Duration;

use crate::input::{Flushed, Input};
use crate::launch::Aim;
use crate::message::{Channel, ExecutionId};
use crate::output::log::{Cursor, OutputLog};
use crate::sys::io::{self, Poller};
use crate::sys::kernel::wall_clock;
use crate::sys::process::{self, Ending};

/// What a terminal may still hold when its program has ended: the kernel's buffers and some room.
const TERMINAL_REST_BYTES: usize = 128 * 1024;
/// Output that is listened to is read in portions of this size, so that others get their turn.
const HEARD_TURN_BYTES: usize = 64 * 1024;
/// Output that nobody listens to is read in portions of this size.
const UNHEARD_TURN_BYTES: usize = 256 * 1024;
/// A program that writes less than this at a time is given a moment to write more: waking for every
/// line costs more than the line.
const SMALL_BURST_BYTES: usize = 16 * 1024;
const SMALL_BURST_REST: Duration = Duration::from_millis(1);
/// Output that nobody waits for is looked at no more often than this, so that a flood of it is cheap.
const UNHEARD_REST: Duration = Duration::from_millis(5);

pub const MAX_SIGNAL: u8 = 64;

/// One way out.
pub struct Output {
    pub fd: OwnedFd,
    pub ready: bool,
    /// Whether the poller will tell of it, now or after its rest.
    pub watched: bool,
    /// Bytes read since it was last empty.
    burst: usize,
    /// After the program's end: what it had written by then and was not read yet.
    rest: Option<usize>,
}

pub enum Pull {
    Data(usize),
    Empty,
    End,
}

impl Output {
    pub fn new(fd: OwnedFd) -> Self {
        Output { fd, ready: false, watched: true, burst: 0, rest: None }
    }

    pub fn pull(&mut self, buffer: &mut [u8]) -> Pull {
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

    /// The program has ended: only what it has written by now still counts.
    pub fn limit(&mut self, terminal: bool) {
        let rest = if terminal {
            TERMINAL_REST_BYTES
        } else {
            // An error here would be a descriptor that is none; then nothing can be read either.
            io::pending_bytes(&self.fd).unwrap_or(0)
        };
        self.rest = Some(rest);
        self.ready = true;
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

    pub fn delivered(&self) -> bool {
        self.rest == Some(0)
    }
}

/// A client that listens, through a stream of the present session.
pub struct Reader {
    pub stream: u32,
    pub cursor: Cursor,
    /// False for the one that waits to hear whether the program could be started.
    pub knows_pid: bool,
}

/// What filling the log has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Nothing more to read for now.
    Empty,
    /// There is more.
    More,
    /// There is more, but it would take the place of what a client has not got yet.
    Stalled,
}

/// What is told about an execution that does not change while it runs.
pub struct Label {
    pub id: ExecutionId,
    pub command: String,
    pub user: String,
    pub aim: Aim,
    pub terminal: bool,
    /// Not to be remembered once its end was told to somebody.
    pub fleeting: bool,
}

/// When something last went in or out (nanoseconds since 1970, 0 for never), and how much so far.
#[derive(Clone, Copy, Default)]
pub struct Activity {
    pub started: u64,
    pub ended: u64,
    pub last_input: u64,
    pub last_output: u64,
    pub input_bytes: u64,
    /// Known when the process was reaped.
    pub cpu_micros: u64,
}

pub struct Execution {
    pub label: Label,
    pub pid: i32,
    pub readers: Vec<Reader>,
    /// Some until it is known whether the program could be started.
    pub report: Option<OwnedFd>,
    pub input: Option<Input>,
    pub outputs: [Option<Output>; 2],
    pub ending: Option<Ending>,
    pub log: OutputLog,
    /// The log holds everything that it ever will.
    pub complete: bool,
    /// Whether anybody may still ask for it.
    pub remembered: bool,
    /// It was to be fleeting, and its last client has gone of its own accord.
    pub unwanted: bool,
    pub activity: Activity,
}

impl Execution {
    pub fn is_heard(&self) -> bool {
        !self.readers.is_empty()
    }

    /// Signals the command and its group; an error if it has ended.
    pub fn signal(&self, number: u8) -> Result<()> {
        if self.ending.is_some() || !(1..=MAX_SIGNAL).contains(&number) {
            return Err(Error::from_raw_os_error(libc::ESRCH));
        }
        let signal = i32::from(number);
        // The group does not exist yet in the first moments.
        process::signal_group(self.pid, signal).or_else(|_| process::signal(self.pid, signal))
    }

    pub fn write(&mut self, stream: u32, data: &[u8]) -> bool {
        let taken = self.input.as_mut().map_or(false, |input| input.push(stream, data));
        if taken {
            self.activity.input_bytes += data.len() as u64;
            self.activity.last_input = wall_clock();
        }
        taken
    }

    pub fn close_input(&mut self) {
        if let Some(input) = &mut self.input {
            input.close();
        }
    }

    /// Moves pending input on; the bytes of each stream that are done with.
    pub fn flush_input(&mut self, poller: &Poller) -> Vec<(u32, usize)> {
        let Flushed { consumed, over } = self.input.as_mut().map_or_else(Flushed::default, Input::flush);
        if over {
            self.drop_input(poller);
        }
        consumed
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

    /// Reads one portion of what the program has said into the log.
    ///
    /// Nothing at or behind `floor` may be dropped for it; without a floor nobody listens, and the oldest
    /// makes room for the newest.
    pub fn fill(&mut self, scratch: &mut [u8], floor: Option<u64>, poller: &Poller) -> Fill {
        let mut fill = Fill::Empty;
        if self.report.is_some() {
            return fill;
        }
        let before = self.log.end();
        for channel in Channel::ALL {
            let mut budget = if floor.is_some() { HEARD_TURN_BYTES } else { UNHEARD_TURN_BYTES };
            while let Some(output) = &mut self.outputs[channel.index()] {
                if !output.ready || output.delivered() {
                    break;
                }
                let room = floor.map_or(usize::MAX, |floor| self.log.room_before(floor));
                if room == 0 || budget == 0 {
                    fill = if room == 0 { Fill::Stalled } else { Fill::More };
                    break;
                }
                let portion = scratch.len().min(budget).min(room);
                match output.pull(&mut scratch[..portion]) {
                    Pull::Data(bytes) => {
                        budget -= bytes;
                        self.log.append(channel, &scratch[..bytes]);
                    }
                    Pull::Empty => break,
                    Pull::End => self.drop_output(channel, poller),
                }
            }
        }
        if self.log.end() > before {
            self.activity.last_output = wall_clock();
        }
        fill
    }

    /// The process was reaped: what it has written is in its pipes now, and no more counts.
    pub fn end(&mut self, ending: Ending, cpu_micros: u64, poller: &Poller) {
        self.ending = Some(ending);
        self.activity.cpu_micros = cpu_micros;
        self.drop_input(poller);
        for output in self.outputs.iter_mut().flatten() {
            output.limit(self.label.terminal);
        }
    }

    /// True when the program has ended and everything it said is in the log.
    pub fn is_over(&self) -> bool {
        self.report.is_none() && self.ending.is_some() && self.outputs.iter().flatten().all(Output::delivered)
    }

    /// Closes the log. What still comes is of children left in the background and is thrown away.
    ///
    /// A terminal goes with its program, as at a logout. Pipes stay: a child left in the background
    /// must not die of a broken pipe.
    pub fn finish(&mut self, poller: &Poller) {
        self.complete = true;
        self.activity.ended = wall_clock();
        self.log.finish();
        for output in self.outputs.iter_mut().flatten() {
            output.rest = None;
            output.ready = true;
        }
        if self.label.terminal {
            Channel::ALL.iter().for_each(|&channel| self.drop_output(channel, poller));
        }
    }

    /// Throws output of background children away; true if there is more.
    pub fn drain(&mut self, sink: &mut [u8], poller: &Poller) -> bool {
        let mut more = false;
        for channel in Channel::ALL {
            let mut budget = UNHEARD_TURN_BYTES;
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
