//! What the agent answers.

use crate::fields::put_string;
use crate::message::{kind, Channel, MAX_NAME_BYTES};
use crate::sys::process::Ending;
use crate::wire::{NONCE_BYTES, PROTOCOL_VERSION};

pub const MAX_MESSAGE_BYTES: usize = 1024;
pub const MAX_FACT_BYTES: usize = 64;

/// What the agent tells about itself in HELLO_ACK.
#[derive(Clone, Debug)]
pub struct Facts {
    pub first_process: bool,
    pub features: u32,
    pub kernel: String,
    pub version: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Pong,
    Started {
        pid: u32,
    },
    Refused {
        errno: i32,
        message: String,
    },
    StdinCredit(u32),
    Exited {
        code: u8,
    },
    Killed {
        signal: u8,
        core: bool,
    },
    Step {
        name: String,
        errno: i32,
        message: String,
    },
    RenewDone {
        wall_clock_nanos: u64,
    },
    Grown {
        bytes: u64,
    },
    ShuttingDown,
    Fault(&'static str),
    Attached {
        offset: u64,
        end: u64,
        pid: u32,
        terminal: bool,
        input: bool,
    },
    /// A page of executions, encoded.
    Executions(Vec<u8>),
    Done,
    /// Output up to this offset is lost.
    Skipped {
        offset: u64,
    },
    /// A program whose bytes pass through has closed this channel.
    OutputEnd(Channel),
    /// All leases, encoded.
    LeaseList(Vec<u8>),
    LeasesChanged(Vec<u8>),
    /// A task can be done or a connection has come about; what is known by now.
    Opened(Vec<u8>),
    DataEnd,
    DataCredit(u32),
    /// A tunnel has ended as it should; its result.
    TunnelDone(Vec<u8>),
}

impl Reply {
    /// How a command has ended.
    pub fn end(ending: Ending) -> Self {
        match ending {
            Ending::Exited(code) => Reply::Exited { code },
            Ending::Killed { signal, core } => Reply::Killed { signal, core },
        }
    }

    /// The frame's type and payload.
    pub fn encode(&self) -> (u8, Vec<u8>) {
        let mut out = Vec::new();
        let kind = match self {
            Reply::Pong => kind::PONG,
            Reply::Started { pid } => {
                out.extend_from_slice(&pid.to_be_bytes());
                kind::STARTED
            }
            Reply::Refused { errno, message } => {
                out.extend_from_slice(&errno.to_be_bytes());
                put_string(&mut out, message.as_bytes(), MAX_MESSAGE_BYTES);
                kind::REFUSED
            }
            Reply::StdinCredit(bytes) => {
                out.extend_from_slice(&bytes.to_be_bytes());
                kind::STDIN_CREDIT
            }
            Reply::Exited { code } => {
                out.push(*code);
                kind::EXITED
            }
            Reply::Killed { signal, core } => {
                out.extend_from_slice(&[*signal, *core as u8]);
                kind::KILLED
            }
            Reply::Step { name, errno, message } => {
                put_string(&mut out, name.as_bytes(), MAX_NAME_BYTES);
                out.extend_from_slice(&errno.to_be_bytes());
                put_string(&mut out, message.as_bytes(), MAX_MESSAGE_BYTES);
                kind::STEP
            }
            Reply::RenewDone { wall_clock_nanos } => {
                out.extend_from_slice(&wall_clock_nanos.to_be_bytes());
                kind::RENEW_DONE
            }
            Reply::Grown { bytes } => {
                out.extend_from_slice(&bytes.to_be_bytes());
                kind::GROWN
            }
            Reply::ShuttingDown => kind::SHUTTING_DOWN,
            Reply::Fault(reason) => {
                put_string(&mut out, reason.as_bytes(), MAX_MESSAGE_BYTES);
                kind::FAULT
            }
            Reply::Attached { offset, end, pid, terminal, input } => {
                out.extend_from_slice(&offset.to_be_bytes());
                out.extend_from_slice(&end.to_be_bytes());
                out.extend_from_slice(&pid.to_be_bytes());
                out.push(*terminal as u8 | (*input as u8) << 1);
                kind::ATTACHED
            }
            Reply::Executions(page) => {
                out.extend_from_slice(page);
                kind::EXECUTIONS
            }
            Reply::Done => kind::DONE,
            Reply::Skipped { offset } => {
                out.extend_from_slice(&offset.to_be_bytes());
                kind::SKIPPED
            }
            Reply::OutputEnd(channel) => {
                out.push(channel.index() as u8 + 1);
                kind::OUTPUT_END
            }
            Reply::LeaseList(leases) => {
                out.extend_from_slice(leases);
                kind::LEASE_LIST
            }
            Reply::LeasesChanged(leases) => {
                out.extend_from_slice(leases);
                kind::LEASES_CHANGED
            }
            Reply::Opened(payload) => {
                out.extend_from_slice(payload);
                kind::OPENED
            }
            Reply::DataEnd => kind::DATA_OUT_END,
            Reply::DataCredit(bytes) => {
                out.extend_from_slice(&bytes.to_be_bytes());
                kind::DATA_IN_CREDIT
            }
            Reply::TunnelDone(payload) => {
                out.extend_from_slice(payload);
                kind::TUNNEL_DONE
            }
        };
        (kind, out)
    }
}

/// The payload of HELLO_ACK; shorter than 256 bytes with its frame, as everything behind padding is.
pub fn hello_ack(nonce: &[u8; NONCE_BYTES], facts: &Facts) -> Vec<u8> {
    let mut out = nonce.to_vec();
    out.extend_from_slice(&PROTOCOL_VERSION.to_be_bytes());
    out.push(facts.first_process as u8);
    out.extend_from_slice(&facts.features.to_be_bytes());
    put_string(&mut out, facts.kernel.as_bytes(), MAX_FACT_BYTES);
    put_string(&mut out, facts.version.as_bytes(), MAX_FACT_BYTES);
    out
}
