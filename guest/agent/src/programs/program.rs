//! One program whose bytes pass through: its process and the ways in and out.

use std::os::unix::io::OwnedFd;

use crate::execution::{Output, Pull};
use crate::input::Input;
use crate::launch::{Aim, Begun};
use crate::message::Channel;
use crate::reply::Reply;
use crate::sys::io::Poller;
use crate::sys::process::{self, Ending};

pub struct Program {
    pub number: u64,
    pub pid: i32,
    pub aim: Aim,
    /// Some until it is known whether the program could be started.
    pub report: Option<OwnedFd>,
    pub input: Option<Input>,
    pub outputs: [Option<Output>; 2],
    pub ending: Option<Ending>,
    /// Channels of which the host knows that no more will come.
    told: [bool; 2],
}

impl Program {
    pub fn new(number: u64, begun: Begun) -> Self {
        Program {
            number,
            pid: begun.pid,
            aim: begun.aim,
            report: Some(begun.report),
            input: begun.input,
            outputs: begun.outputs,
            ending: None,
            told: [false; 2],
        }
    }

    /// Signals the program and its group, which does not exist yet in the first moments.
    pub fn signal(&self, number: i32) {
        if self.ending.is_none() {
            // A process that has just gone needs no signal.
            let _ = process::signal_group(self.pid, number).or_else(|_| process::signal(self.pid, number));
        }
    }

    /// Moves pending input on; the bytes that are done with.
    pub fn flush(&mut self, poller: &Poller) -> Vec<(u32, usize)> {
        let flushed = match &mut self.input {
            Some(input) => input.flush(),
            None => return Vec::new(),
        };
        if flushed.over {
            self.drop_input(poller);
        }
        flushed.consumed
    }

    fn drop_input(&mut self, poller: &Poller) {
        if let Some(input) = self.input.take() {
            poller.remove(&input.fd);
        }
    }

    fn drop_output(&mut self, channel: Channel, poller: &Poller) {
        if let Some(output) = self.outputs[channel.index()].take() {
            poller.remove(&output.fd);
        }
    }

    /// Reads what the program has said straight to where it leaves from.
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
        self.outputs.iter_mut().flatten().for_each(|output| output.limit(false));
    }

    /// Ends its input and everything that is told of it; its ways out stay until it is dropped.
    pub fn leave(&mut self, poller: &Poller) {
        if let Some(report) = self.report.take() {
            poller.remove(&report);
        }
        self.drop_input(poller);
        self.outputs.iter().flatten().for_each(|output| poller.remove(&output.fd));
    }

    /// True when the program has ended and everything it said has left.
    pub fn is_over(&self) -> bool {
        self.report.is_none() && self.ending.is_some() && self.outputs.iter().flatten().all(Output::delivered)
    }

    pub fn has_news(&self) -> bool {
        self.is_over() || Channel::ALL.iter().any(|&channel| self.has_closed(channel))
    }

    fn has_closed(&self, channel: Channel) -> bool {
        self.outputs[channel.index()].is_none() && !self.told[channel.index()]
    }

    /// What the host must hear behind all data so far.
    pub fn news(&mut self) -> Vec<Reply> {
        if self.report.is_some() {
            return Vec::new();
        }
        if let (true, Some(ending)) = (self.is_over(), self.ending) {
            return vec![Reply::end(ending)];
        }
        let mut news = Vec::new();
        for channel in Channel::ALL {
            if self.has_closed(channel) {
                self.told[channel.index()] = true;
                news.push(Reply::OutputEnd(channel));
            }
        }
        news
    }
}
