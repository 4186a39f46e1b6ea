//! A process that does one task after the other for the agent, with the rights of one user.
//!
//! The agent itself must never wait and never touch a file for somebody else, so a helper does both: it may
//! wait for a slow disk or a broken mount, and what its user may not do the kernel refuses it. It ends when the
//! agent closes its socket, whatever it is doing then.

mod channel;

use std::os::unix::io::OwnedFd;

pub use channel::{Host, PACKET_BYTES};

use crate::tasks;

/// What a packet between agent and helper is; its first byte.
pub mod packet {
    pub const REQUEST: u8 = 0;
    pub const DATA: u8 = 1;
    pub const END: u8 = 2;
    pub const OPENED: u8 = 3;
    pub const DONE: u8 = 4;
    pub const FAILED: u8 = 5;
    /// With a descriptor: a connection, which counts once the task is done.
    pub const CONNECTED: u8 = 6;
    /// With a descriptor to which connections come; the helper stays to clean up after it.
    pub const LISTENING: u8 = 7;
}

/// The helper's life: tasks until the agent is gone.
pub fn serve(socket: OwnedFd) {
    let mut host = Host::new(socket);
    while let Some(request) = host.next_request() {
        let outcome = tasks::perform(&request, &mut host);
        if host.conclude(outcome).is_err() {
            return;
        }
    }
}
