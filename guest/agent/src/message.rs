//! What the host may ask for, and the numbers of all types of frames.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::fields::{Malformed, Reader};
use crate::wire::NONCE_BYTES;

pub const MAX_NAME_BYTES: usize = 256;
pub const MAX_PATH_BYTES: usize = 4096;
pub const MAX_ARGUMENTS: usize = 4096;
pub const MAX_VARIABLES: usize = 1024;
/// Addresses of one name that are tried.
pub const MAX_ADDRESSES: usize = 8;
/// What may come with the end of a tunnel's data: a hash, and some room.
pub const MAX_ENDING_BYTES: usize = 64;
pub const ENTROPY_BYTES: usize = 64;
pub const MACHINE_ID_BYTES: usize = 32;
pub const BOOT_ID_BYTES: usize = 36;
/// The largest EXEC request, all its parts together.
pub const MAX_EXEC_BYTES: usize = 1024 * 1024;
/// How much output of an execution is kept: unless it says otherwise, at least and at most.
pub const DEFAULT_KEEP_BYTES: u64 = 16 * 1024 * 1024;
pub const MIN_KEEP_BYTES: u64 = 256 * 1024;
pub const MAX_KEEP_BYTES: u64 = 256 * 1024 * 1024;

/// What an execution is known by: sixteen bytes that nobody can guess, chosen by the host.
pub type ExecutionId = [u8; 16];

pub mod kind {
    pub const HELLO: u8 = 0x01;
    pub const PING: u8 = 0x02;
    pub const EXEC_PART: u8 = 0x03;
    pub const EXEC: u8 = 0x04;
    pub const STDIN: u8 = 0x05;
    pub const STDIN_CLOSE: u8 = 0x06;
    pub const RESIZE: u8 = 0x07;
    pub const SIGNAL: u8 = 0x08;
    pub const CREDIT: u8 = 0x09;
    pub const RENEW: u8 = 0x0a;
    pub const GROW: u8 = 0x0b;
    pub const SHUTDOWN: u8 = 0x0c;
    pub const TASK: u8 = 0x20;
    pub const DIAL: u8 = 0x21;
    pub const DATA: u8 = 0x22;
    pub const DATA_END: u8 = 0x23;
    pub const DATA_CREDIT: u8 = 0x24;
    pub const CANCEL: u8 = 0x25;
    pub const TAKE: u8 = 0x26;

    pub const ATTACH: u8 = 0x10;
    pub const DETACH: u8 = 0x11;
    pub const LIST: u8 = 0x12;
    pub const KILL: u8 = 0x13;
    pub const FORGET: u8 = 0x14;
    pub const LEASES: u8 = 0x15;

    pub const HELLO_ACK: u8 = 0x81;
    pub const PONG: u8 = 0x82;
    pub const STARTED: u8 = 0x83;
    pub const REFUSED: u8 = 0x84;
    pub const STDOUT: u8 = 0x85;
    pub const STDERR: u8 = 0x86;
    pub const STDIN_CREDIT: u8 = 0x87;
    pub const EXITED: u8 = 0x88;
    pub const KILLED: u8 = 0x89;
    pub const STEP: u8 = 0x8a;
    pub const RENEW_DONE: u8 = 0x8b;
    pub const GROWN: u8 = 0x8c;
    pub const SHUTTING_DOWN: u8 = 0x8d;
    pub const FAULT: u8 = 0x8e;

    pub const ATTACHED: u8 = 0x90;
    pub const EXECUTIONS: u8 = 0x91;
    pub const DONE: u8 = 0x92;
    pub const SKIPPED: u8 = 0x93;
    pub const LEASE_LIST: u8 = 0x94;
    pub const LEASES_CHANGED: u8 = 0x95;
    pub const OUTPUT_END: u8 = 0x96;

    pub const OPENED: u8 = 0xa0;
    pub const DATA_OUT: u8 = 0xa1;
    pub const DATA_OUT_END: u8 = 0xa2;
    pub const DATA_IN_CREDIT: u8 = 0xa3;
    pub const TUNNEL_DONE: u8 = 0xa4;
}

/// The two ways out of an execution, and the one out of a tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    Stdout,
    Stderr,
    Data,
}

impl Channel {
    /// Those of an execution.
    pub const ALL: [Channel; 2] = [Channel::Stdout, Channel::Stderr];

    pub fn index(self) -> usize {
        match self {
            Channel::Stdout | Channel::Data => 0,
            Channel::Stderr => 1,
        }
    }

    pub fn data_kind(self) -> u8 {
        match self {
            Channel::Stdout => kind::STDOUT,
            Channel::Stderr => kind::STDERR,
            Channel::Data => kind::DATA_OUT,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// These arguments, the first one looked up in PATH.
    Arguments(Vec<Vec<u8>>),
    /// A text for the user's login shell.
    Shell(Vec<u8>),
    /// The user's login shell itself, as at a console.
    Login,
    /// The agent's own server of files, version 3 of SFTP.
    Files,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalSize {
    pub rows: u16,
    pub columns: u16,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecRequest {
    pub id: ExecutionId,
    /// How much of its output is kept.
    pub keep_bytes: u64,
    /// Forgotten once its end was reported.
    pub fleeting: bool,
    /// Nothing of it is kept: its bytes only pass through, and it ends with its stream.
    pub passing: bool,
    pub program: Program,
    pub terminal: Option<TerminalSize>,
    pub stdin: bool,
    /// Empty: root.
    pub user: Vec<u8>,
    /// Empty: the user's home.
    pub directory: Vec<u8>,
    pub environment: Vec<Vec<u8>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenewRequest {
    pub steps: u16,
    pub entropy: [u8; ENTROPY_BYTES],
    pub wall_clock_nanos: u64,
    pub hostname: Vec<u8>,
    pub machine_id: [u8; MACHINE_ID_BYTES],
    pub boot_id: [u8; BOOT_ID_BYTES],
    pub generation: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShutdownMode {
    PowerOff,
    Reboot,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    Ping,
    Stdin(Vec<u8>),
    StdinClose,
    Resize(TerminalSize),
    Signal(u8),
    Credit(Channel, u32),
    Renew(Box<RenewRequest>),
    Grow,
    Shutdown(ShutdownMode),
    Attach {
        id: ExecutionId,
        offset: u64,
    },
    Detach,
    List {
        after: u64,
    },
    Kill {
        id: ExecutionId,
        signal: u8,
    },
    Forget {
        id: ExecutionId,
    },
    Leases,
    /// For a helper with the rights of this user; what exactly is the helper's business.
    Task {
        user: Vec<u8>,
        task: Vec<u8>,
    },
    Dial(Dial),
    /// A connection that has come to a listener of this stream.
    Take {
        listener: u32,
        number: u32,
    },
    Data(Vec<u8>),
    DataEnd(Vec<u8>),
    Cancel,
}

/// Where a connection within the machine is to lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dial {
    pub target: DialTarget,
    pub timeout_millis: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DialTarget {
    /// The machine itself, or somewhere else as far as its network leads: the first of these that answers.
    Tcp {
        port: u16,
        addresses: Vec<IpAddr>,
    },
    Unix(Vec<u8>),
}

/// What the host says when it opens a session.
pub fn parse_hello(payload: &[u8]) -> Result<([u8; NONCE_BYTES], u16), Malformed> {
    let mut reader = Reader::new(payload);
    let hello = (reader.array()?, reader.u16()?);
    reader.end()?;
    Ok(hello)
}

/// Every request but HELLO and EXEC, which have rules of their own.
pub fn parse_request(kind: u8, payload: Vec<u8>) -> Result<Request, Malformed> {
    if kind == kind::STDIN {
        return Ok(Request::Stdin(payload));
    }
    if kind == kind::DATA {
        return Ok(Request::Data(payload));
    }
    let mut reader = Reader::new(&payload);
    let request = match kind {
        kind::PING => Request::Ping,
        kind::STDIN_CLOSE => Request::StdinClose,
        kind::RESIZE => Request::Resize(TerminalSize { rows: reader.u16()?, columns: reader.u16()? }),
        kind::SIGNAL => Request::Signal(reader.u8()?),
        kind::CREDIT => parse_credit(&mut reader)?,
        kind::RENEW => Request::Renew(Box::new(parse_renew(&mut reader)?)),
        kind::GROW => Request::Grow,
        kind::SHUTDOWN => Request::Shutdown(match reader.u8()? {
            0 => ShutdownMode::PowerOff,
            1 => ShutdownMode::Reboot,
            _ => return Err(Malformed("no such way to shut down")),
        }),
        kind::ATTACH => Request::Attach { id: reader.array()?, offset: reader.u64()? },
        kind::DETACH => Request::Detach,
        kind::LIST => Request::List { after: reader.u64()? },
        kind::KILL => Request::Kill { id: reader.array()?, signal: reader.u8()? },
        kind::FORGET => Request::Forget { id: reader.array()? },
        kind::LEASES => Request::Leases,
        kind::TASK => Request::Task { user: reader.string(MAX_NAME_BYTES)?, task: reader.rest().to_vec() },
        kind::DIAL => Request::Dial(parse_dial(&mut reader)?),
        kind::DATA_END => match reader.rest() {
            ending if ending.len() <= MAX_ENDING_BYTES => Request::DataEnd(ending.to_vec()),
            _ => return Err(Malformed("too much with the end of data")),
        },
        kind::DATA_CREDIT => Request::Credit(Channel::Data, reader.u32()?),
        kind::CANCEL => Request::Cancel,
        kind::TAKE => Request::Take { listener: reader.u32()?, number: reader.u32()? },
        _ => return Err(Malformed("no such type of frame")),
    };
    reader.end()?;
    Ok(request)
}

fn parse_credit(reader: &mut Reader) -> Result<Request, Malformed> {
    let channel = match reader.u8()? {
        1 => Channel::Stdout,
        2 => Channel::Stderr,
        _ => return Err(Malformed("no such channel")),
    };
    Ok(Request::Credit(channel, reader.u32()?))
}

fn parse_renew(reader: &mut Reader) -> Result<RenewRequest, Malformed> {
    Ok(RenewRequest {
        steps: reader.u16()?,
        entropy: reader.array()?,
        wall_clock_nanos: reader.u64()?,
        hostname: reader.string(MAX_NAME_BYTES)?,
        machine_id: reader.array()?,
        boot_id: reader.array()?,
        generation: reader.u64()?,
    })
}

fn parse_dial(reader: &mut Reader) -> Result<Dial, Malformed> {
    let (kind, port) = (reader.u8()?, reader.u16()?);
    let target = match kind {
        0 | 1 | 3 if port != 0 => DialTarget::Tcp { port, addresses: parse_addresses(kind, reader)? },
        2 if port == 0 => DialTarget::Unix(reader.string(MAX_PATH_BYTES)?),
        _ => return Err(Malformed("no such place to dial")),
    };
    match &target {
        DialTarget::Unix(path) if path.is_empty() => Err(Malformed("no such place to dial")),
        _ => Ok(Dial { target, timeout_millis: reader.u32()? }),
    }
}

fn parse_addresses(kind: u8, reader: &mut Reader) -> Result<Vec<IpAddr>, Malformed> {
    if kind != 3 {
        let loopback = if kind == 0 { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() };
        return match reader.string(MAX_PATH_BYTES)?.len() {
            0 => Ok(vec![loopback]),
            _ => Err(Malformed("a port has no path")),
        };
    }
    match reader.u8()? as usize {
        count @ 1..=MAX_ADDRESSES => (0..count).map(|_| reader.address()).collect(),
        _ => Err(Malformed("no such number of addresses")),
    }
}

pub fn parse_exec(payload: &[u8]) -> Result<ExecRequest, Malformed> {
    const TERMINAL: u8 = 1;
    const STDIN: u8 = 2;
    const FLEETING: u8 = 4;
    const PASSING: u8 = 8;
    let mut reader = Reader::new(payload);
    let id = reader.array()?;
    let keep_bytes = match reader.u64()? {
        0 => DEFAULT_KEEP_BYTES,
        wanted => wanted.clamp(MIN_KEEP_BYTES, MAX_KEEP_BYTES),
    };
    let kind = reader.u8()?;
    let flags = reader.u8()?;
    if flags & !(TERMINAL | STDIN | FLEETING | PASSING) != 0 {
        return Err(Malformed("no such flag of an execution"));
    }
    if flags & PASSING != 0 && flags & (TERMINAL | FLEETING) != 0 {
        return Err(Malformed("a program whose bytes pass through has no terminal and is never kept"));
    }
    let size = TerminalSize { rows: reader.u16()?, columns: reader.u16()? };
    let user = reader.string(MAX_NAME_BYTES)?;
    let directory = reader.string(MAX_PATH_BYTES)?;
    let arguments = parse_strings(&mut reader, MAX_ARGUMENTS)?;
    let environment = parse_strings(&mut reader, MAX_VARIABLES)?;
    reader.end()?;
    if environment.iter().any(|variable| variable.iter().position(|&byte| byte == b'=').unwrap_or(0) == 0) {
        return Err(Malformed("a variable is not of the form NAME=value"));
    }
    Ok(ExecRequest {
        id,
        keep_bytes,
        fleeting: flags & FLEETING != 0,
        passing: flags & PASSING != 0,
        program: program(kind, arguments)?,
        terminal: if flags & TERMINAL != 0 { Some(size) } else { None },
        stdin: flags & STDIN != 0,
        user,
        directory,
        environment,
    })
}

fn parse_strings(reader: &mut Reader, cap: usize) -> Result<Vec<Vec<u8>>, Malformed> {
    let count = reader.u16()? as usize;
    if count > cap {
        return Err(Malformed("too many arguments or variables"));
    }
    (0..count).map(|_| reader.long_string(MAX_EXEC_BYTES)).collect()
}

fn program(kind: u8, mut arguments: Vec<Vec<u8>>) -> Result<Program, Malformed> {
    match (kind, arguments.len()) {
        (0, 1..) if !arguments[0].is_empty() => Ok(Program::Arguments(arguments)),
        (1, 1) => Ok(Program::Shell(arguments.remove(0))),
        (2, 0) => Ok(Program::Login),
        (3, 0) => Ok(Program::Files),
        _ => Err(Malformed("no such kind of program")),
    }
}
