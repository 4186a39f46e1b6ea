//! What a stream of bytes through the agent can do, wherever it leads.

use std::os::unix::io::OwnedFd;
use std::time::Instant;

use crate::reply::Reply;
use crate::sys::io::Poller;

use super::helpers::Helper;

/// What the host sends.
pub enum Input<'a> {
    Data(&'a [u8]),
    /// No more will come; with what a task wants to know at its end.
    End(&'a [u8]),
}

/// What a helper has made for the agent to go on with.
pub enum Found {
    /// A connection, and what it leads to.
    Connection(OwnedFd),
    /// A socket to which connections come, and what the host is to know about it.
    Listener(OwnedFd, Vec<u8>),
}

/// Where a stream leads.
pub trait Tunnel {
    /// Takes input, which waits here until there is room for it.
    fn push(&mut self, input: Input);

    /// Moves waiting input on; how many bytes of data have left.
    fn flush(&mut self) -> usize;

    /// Puts what there is into the buffer; 0 means nothing now.
    fn pull(&mut self, buffer: &mut [u8]) -> usize;

    /// What the host must hear before any further data.
    fn take_reply(&mut self) -> Option<Reply>;

    /// How it has ended, once it has.
    fn take_result(&mut self) -> Option<Reply>;

    /// When it is to be given up.
    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn time_out(&mut self) {}

    /// What this stream is to be from now on, if a helper has found it.
    fn take_found(&mut self) -> Option<Found> {
        None
    }

    /// Whether connections come to it.
    fn listens(&self) -> bool {
        false
    }

    /// A connection that waits here under this number.
    fn claim(&mut self, _number: u32) -> Option<OwnedFd> {
        None
    }

    /// Ends it; its helper, if it has one, and whether that can do another task.
    fn dissolve(self: Box<Self>, poller: &Poller) -> Option<(Helper, bool)>;
}
