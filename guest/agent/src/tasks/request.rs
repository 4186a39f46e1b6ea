//! What a helper is asked for; knows no system call.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::path_of;
use crate::fields::{Malformed, Reader};
use crate::message::MAX_PATH_BYTES;

/// Modes, owners and lengths that are all ones are not given.
const NOT_GIVEN: u32 = u32::MAX;
const NANOS_PER_SECOND: u32 = 1_000_000_000;
/// The longest name of a host, and a dot.
const MAX_HOST_BYTES: usize = 255;
const MODE_BITS: u32 = 0o7777;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// A file, a link or an empty folder.
    Any,
    /// Anything but a folder.
    File,
    /// An empty folder.
    Folder,
    /// A folder with everything in it, or anything else.
    Tree,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// All of the file's content, seen at once or not at all.
    Replace,
    /// As `Replace`, for a name that must be free.
    New,
    /// Into the file as it is, from this byte on.
    At(u64),
    /// Behind the file's end.
    Append,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadTask {
    pub path: PathBuf,
    pub offset: u64,
    /// At most so many bytes; none for all.
    pub length: Option<u64>,
    /// Devices, pipes and the like may be read, too.
    pub special: bool,
    /// The answer ends with the hash of what was sent.
    pub hash: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteTask {
    pub path: PathBuf,
    pub placement: Placement,
    pub mode: Option<u32>,
    pub uid: Option<u32>,
    pub gid: Option<u32>,
    /// Folders that are missing on the way are made.
    pub parents: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetTask {
    pub path: PathBuf,
    pub follow: bool,
    pub mode: Option<u32>,
    pub uid: Option<u32>,
    pub gid: Option<u32>,
    pub accessed: Option<(i64, u32)>,
    pub modified: Option<(i64, u32)>,
    pub size: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    Stat { path: PathBuf, follow: bool },
    RealPath { path: PathBuf },
    Room { path: PathBuf },
    List { path: PathBuf },
    Read(ReadTask),
    Write(WriteTask),
    MakeFolder { path: PathBuf, mode: Option<u32>, parents: bool },
    Remove { path: PathBuf, what: Removal },
    Rename { from: PathBuf, to: PathBuf, replace: bool },
    MakeLink { target: PathBuf, path: PathBuf },
    HardLink { existing: PathBuf, path: PathBuf },
    Set(SetTask),
    Watch { path: PathBuf, recursive: bool },
    Pack { path: PathBuf },
    Unpack { path: PathBuf, owners: bool },
    Ports,
    WatchPorts,
    Metrics,
    Resolve { host: Vec<u8> },
    Connect { path: PathBuf },
    Listen(ListenPlace),
}

/// Where connections are to come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenPlace {
    Port(SocketAddr),
    /// A path that must be free.
    Path(PathBuf),
    /// In a folder of its own, which must be free if it is given.
    Secret(Option<PathBuf>),
}

pub fn parse(request: &[u8]) -> Result<Task, Malformed> {
    let mut reader = Reader::new(request);
    let task = match reader.u8()? {
        1 => Task::Stat { path: path(&mut reader)?, follow: flag(&mut reader)? },
        2 => Task::RealPath { path: path(&mut reader)? },
        3 => Task::Room { path: path(&mut reader)? },
        4 => Task::List { path: path(&mut reader)? },
        5 => Task::Read(parse_read(&mut reader)?),
        6 => Task::Write(parse_write(&mut reader)?),
        7 => Task::MakeFolder { path: path(&mut reader)?, mode: mode(&mut reader)?, parents: flag(&mut reader)? },
        8 => Task::Remove { path: path(&mut reader)?, what: removal(&mut reader)? },
        9 => Task::Rename { from: path(&mut reader)?, to: path(&mut reader)?, replace: flag(&mut reader)? },
        10 => Task::MakeLink { target: link_target(&mut reader)?, path: path(&mut reader)? },
        11 => Task::HardLink { existing: path(&mut reader)?, path: path(&mut reader)? },
        12 => Task::Set(parse_set(&mut reader)?),
        13 => Task::Watch { path: path(&mut reader)?, recursive: flag(&mut reader)? },
        14 => Task::Pack { path: path(&mut reader)? },
        15 => Task::Unpack { path: path(&mut reader)?, owners: flag(&mut reader)? },
        16 => Task::Ports,
        17 => Task::WatchPorts,
        18 => Task::Metrics,
        19 => Task::Resolve { host: reader.string(MAX_HOST_BYTES)? },
        20 => Task::Connect { path: path(&mut reader)? },
        21 => Task::Listen(listen_place(&mut reader)?),
        _ => return Err(Malformed("no such task")),
    };
    reader.end()?;
    Ok(task)
}

fn listen_place(reader: &mut Reader) -> Result<ListenPlace, Malformed> {
    Ok(match reader.u8()? {
        0 => ListenPlace::Port(SocketAddr::new(reader.address()?, reader.u16()?)),
        1 => ListenPlace::Path(path(reader)?),
        2 => {
            let bytes = reader.string(MAX_PATH_BYTES)?;
            ListenPlace::Secret(if bytes.is_empty() { None } else { Some(path_of(bytes)) })
        }
        _ => return Err(Malformed("no such place to listen")),
    })
}

fn parse_read(reader: &mut Reader) -> Result<ReadTask, Malformed> {
    Ok(ReadTask {
        path: path(reader)?,
        offset: offset(reader)?,
        length: Some(reader.u64()?).filter(|&length| length != u64::MAX),
        special: flag(reader)?,
        hash: flag(reader)?,
    })
}

fn parse_write(reader: &mut Reader) -> Result<WriteTask, Malformed> {
    let path = path(reader)?;
    let kind = reader.u8()?;
    let offset = offset(reader)?;
    Ok(WriteTask {
        path,
        placement: match kind {
            0 => Placement::Replace,
            1 => Placement::New,
            2 => Placement::At(offset),
            3 => Placement::Append,
            _ => return Err(Malformed("no such way to write")),
        },
        mode: mode(reader)?,
        uid: given(reader)?,
        gid: given(reader)?,
        parents: flag(reader)?,
    })
}

fn parse_set(reader: &mut Reader) -> Result<SetTask, Malformed> {
    Ok(SetTask {
        path: path(reader)?,
        follow: flag(reader)?,
        mode: mode(reader)?,
        uid: given(reader)?,
        gid: given(reader)?,
        accessed: moment(reader)?,
        modified: moment(reader)?,
        size: Some(reader.u64()?).filter(|&size| size != u64::MAX),
    })
}

/// Paths are absolute: a helper's own folder is nobody's business.
fn path(reader: &mut Reader) -> Result<PathBuf, Malformed> {
    let bytes = reader.string(MAX_PATH_BYTES)?;
    if bytes.first() != Some(&b'/') {
        return Err(Malformed("a path does not begin with /"));
    }
    Ok(path_of(bytes))
}

fn link_target(reader: &mut Reader) -> Result<PathBuf, Malformed> {
    let bytes = reader.string(MAX_PATH_BYTES)?;
    if bytes.is_empty() {
        return Err(Malformed("a link leads nowhere"));
    }
    Ok(path_of(bytes))
}

fn flag(reader: &mut Reader) -> Result<bool, Malformed> {
    match reader.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Malformed("a flag is neither 0 nor 1")),
    }
}

fn given(reader: &mut Reader) -> Result<Option<u32>, Malformed> {
    Ok(Some(reader.u32()?).filter(|&value| value != NOT_GIVEN))
}

fn mode(reader: &mut Reader) -> Result<Option<u32>, Malformed> {
    match given(reader)? {
        Some(mode) if mode & !MODE_BITS != 0 => Err(Malformed("a mode has more than permissions")),
        mode => Ok(mode),
    }
}

fn offset(reader: &mut Reader) -> Result<u64, Malformed> {
    Some(reader.u64()?).filter(|&offset| offset <= i64::MAX as u64).ok_or(Malformed("an offset is too large"))
}

/// Nanoseconds of all ones: leave that time as it is.
fn moment(reader: &mut Reader) -> Result<Option<(i64, u32)>, Malformed> {
    let seconds = reader.u64()? as i64;
    match given(reader)? {
        None => Ok(None),
        Some(nanos) if nanos < NANOS_PER_SECOND => Ok(Some((seconds, nanos))),
        Some(_) => Err(Malformed("a moment has too many nanoseconds")),
    }
}

fn removal(reader: &mut Reader) -> Result<Removal, Malformed> {
    Ok(match reader.u8()? {
        0 => Removal::Any,
        1 => Removal::File,
        2 => Removal::Folder,
        3 => Removal::Tree,
        _ => return Err(Malformed("no such way to remove")),
    })
}
