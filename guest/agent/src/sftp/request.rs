//! What a client can ask for.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::packet::{blob, kind, text, Attributes};
use crate::fields::{Malformed, Reader};

/// How a file is to be opened, as the client says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFlags(pub u32);

impl OpenFlags {
    pub const READ: u32 = 1;
    pub const WRITE: u32 = 2;
    pub const APPEND: u32 = 4;
    pub const CREATE: u32 = 8;
    pub const TRUNCATE: u32 = 16;
    pub const NEW: u32 = 32;

    pub fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum Request<'a> {
    Open { path: PathBuf, flags: OpenFlags, attributes: Attributes },
    Close { handle: u32 },
    Read { handle: u32, offset: u64, length: u32 },
    Write { handle: u32, offset: u64, data: &'a [u8] },
    Stat { path: PathBuf, follow: bool },
    StatHandle { handle: u32 },
    Set { path: PathBuf, attributes: Attributes, follow: bool },
    SetHandle { handle: u32, attributes: Attributes },
    OpenFolder { path: PathBuf },
    ReadFolder { handle: u32 },
    Remove { path: PathBuf },
    MakeFolder { path: PathBuf, attributes: Attributes },
    RemoveFolder { path: PathBuf },
    RealPath { path: PathBuf },
    Rename { from: PathBuf, to: PathBuf, replace: bool },
    ReadLink { path: PathBuf },
    MakeLink { target: PathBuf, path: PathBuf },
    HardLink { existing: PathBuf, path: PathBuf },
    Sync { handle: u32 },
    Room { path: PathBuf },
    RoomHandle { handle: u32 },
    Limits,
    ExpandPath { path: Vec<u8> },
    Home { user: Vec<u8> },
    Names { users: Vec<u32>, groups: Vec<u32> },
    Copy { from: u32, offset: u64, length: u64, to: u32, place: u64 },
    Unknown,
}

/// Every packet but INIT: a number that the answer must have, and what is asked for.
pub fn parse(packet: &[u8]) -> Result<(u32, Result<Request<'_>, Malformed>), Malformed> {
    let mut reader = Reader::new(packet);
    let kind = reader.u8()?;
    let id = reader.u32()?;
    Ok((id, request(kind, &mut reader)))
}

fn request<'a>(kind: u8, reader: &mut Reader<'a>) -> Result<Request<'a>, Malformed> {
    let request = match kind {
        kind::OPEN => Request::Open {
            path: path(reader)?,
            flags: OpenFlags(reader.u32()?),
            attributes: Attributes::parse(reader)?,
        },
        kind::CLOSE => Request::Close { handle: handle(reader)? },
        kind::READ => Request::Read { handle: handle(reader)?, offset: reader.u64()?, length: reader.u32()? },
        kind::WRITE => Request::Write { handle: handle(reader)?, offset: reader.u64()?, data: blob(reader)? },
        kind::LSTAT => Request::Stat { path: path(reader)?, follow: false },
        kind::STAT => Request::Stat { path: path(reader)?, follow: true },
        kind::FSTAT => Request::StatHandle { handle: handle(reader)? },
        kind::SETSTAT => Request::Set { path: path(reader)?, attributes: Attributes::parse(reader)?, follow: true },
        kind::FSETSTAT => Request::SetHandle { handle: handle(reader)?, attributes: Attributes::parse(reader)? },
        kind::OPENDIR => Request::OpenFolder { path: path(reader)? },
        kind::READDIR => Request::ReadFolder { handle: handle(reader)? },
        kind::REMOVE => Request::Remove { path: path(reader)? },
        kind::MKDIR => Request::MakeFolder { path: path(reader)?, attributes: Attributes::parse(reader)? },
        kind::RMDIR => Request::RemoveFolder { path: path(reader)? },
        kind::REALPATH => Request::RealPath { path: path(reader)? },
        kind::RENAME => Request::Rename { from: path(reader)?, to: path(reader)?, replace: false },
        kind::READLINK => Request::ReadLink { path: path(reader)? },
        // The other way round than the draft has it: as OpenSSH, and with it everybody, does.
        kind::SYMLINK => Request::MakeLink { target: path(reader)?, path: path(reader)? },
        kind::EXTENDED => extension(&text(reader)?, reader)?,
        _ => Request::Unknown,
    };
    if request != Request::Unknown {
        reader.end()?;
    }
    Ok(request)
}

fn extension<'a>(name: &[u8], reader: &mut Reader<'a>) -> Result<Request<'a>, Malformed> {
    Ok(match name {
        b"posix-rename@openssh.com" => Request::Rename { from: path(reader)?, to: path(reader)?, replace: true },
        b"hardlink@openssh.com" => Request::HardLink { existing: path(reader)?, path: path(reader)? },
        b"fsync@openssh.com" => Request::Sync { handle: handle(reader)? },
        b"statvfs@openssh.com" => Request::Room { path: path(reader)? },
        b"fstatvfs@openssh.com" => Request::RoomHandle { handle: handle(reader)? },
        b"lsetstat@openssh.com" => {
            Request::Set { path: path(reader)?, attributes: Attributes::parse(reader)?, follow: false }
        }
        b"limits@openssh.com" => Request::Limits,
        b"expand-path@openssh.com" => Request::ExpandPath { path: text(reader)? },
        b"home-directory" => Request::Home { user: text(reader)? },
        b"users-groups-by-id@openssh.com" => Request::Names { users: numbers(reader)?, groups: numbers(reader)? },
        b"copy-data" => Request::Copy {
            from: handle(reader)?,
            offset: reader.u64()?,
            length: reader.u64()?,
            to: handle(reader)?,
            place: reader.u64()?,
        },
        _ => Request::Unknown,
    })
}

/// An empty path is the folder in which the server was started.
fn path(reader: &mut Reader) -> Result<PathBuf, Malformed> {
    let bytes = text(reader)?;
    let named = if bytes.is_empty() { b".".to_vec() } else { bytes };
    Ok(PathBuf::from(OsString::from_vec(named)))
}

fn handle(reader: &mut Reader) -> Result<u32, Malformed> {
    match blob(reader)?.try_into() {
        Ok(bytes) => Ok(u32::from_be_bytes(bytes)),
        Err(_) => Err(Malformed("no handle of ours has this length")),
    }
}

fn numbers(reader: &mut Reader) -> Result<Vec<u32>, Malformed> {
    const MAX_NUMBERS: usize = 4096;
    let bytes = blob(reader)?;
    if bytes.len() % 4 != 0 || bytes.len() > 4 * MAX_NUMBERS {
        return Err(Malformed("a list of numbers has an impossible length"));
    }
    Ok(bytes.chunks_exact(4).map(|four| u32::from_be_bytes([four[0], four[1], four[2], four[3]])).collect())
}
