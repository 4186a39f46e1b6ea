//! Packets and the fields in them; every length is checked before it is used.

use std::io::{Error, ErrorKind, Result};

use crate::fields::{Malformed, Reader};

pub const LENGTH_BYTES: usize = 4;
/// The largest packet, as its length field says it.
pub const MAX_PACKET_BYTES: usize = 256 * 1024;
/// What one request may read or write; with its packet it stays below the limit.
pub const MAX_DATA_BYTES: usize = MAX_PACKET_BYTES - 1024;
/// Paths that are longer the kernel refuses anyhow.
const MAX_TEXT_BYTES: usize = 8 * 1024;

pub mod kind {
    pub const INIT: u8 = 1;
    pub const VERSION: u8 = 2;
    pub const OPEN: u8 = 3;
    pub const CLOSE: u8 = 4;
    pub const READ: u8 = 5;
    pub const WRITE: u8 = 6;
    pub const LSTAT: u8 = 7;
    pub const FSTAT: u8 = 8;
    pub const SETSTAT: u8 = 9;
    pub const FSETSTAT: u8 = 10;
    pub const OPENDIR: u8 = 11;
    pub const READDIR: u8 = 12;
    pub const REMOVE: u8 = 13;
    pub const MKDIR: u8 = 14;
    pub const RMDIR: u8 = 15;
    pub const REALPATH: u8 = 16;
    pub const STAT: u8 = 17;
    pub const RENAME: u8 = 18;
    pub const READLINK: u8 = 19;
    pub const SYMLINK: u8 = 20;
    pub const STATUS: u8 = 101;
    pub const HANDLE: u8 = 102;
    pub const DATA: u8 = 103;
    pub const NAME: u8 = 104;
    pub const ATTRS: u8 = 105;
    pub const EXTENDED: u8 = 200;
    pub const EXTENDED_REPLY: u8 = 201;
}

/// What the front of the received bytes is.
pub enum Taken<'a> {
    /// A whole packet without its length.
    Packet(&'a [u8]),
    /// So many bytes must be there for the next one.
    Missing(usize),
}

/// The first packet of these bytes; an error if there can be none.
pub fn take_packet(bytes: &[u8]) -> Result<Taken<'_>> {
    if bytes.len() < LENGTH_BYTES {
        return Ok(Taken::Missing(LENGTH_BYTES));
    }
    let length = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize;
    if length == 0 || length > MAX_PACKET_BYTES {
        return Err(Error::new(ErrorKind::InvalidData, "the client has sent a packet of an impossible length"));
    }
    match bytes.get(LENGTH_BYTES..LENGTH_BYTES + length) {
        Some(packet) => Ok(Taken::Packet(packet)),
        None => Ok(Taken::Missing(LENGTH_BYTES + length)),
    }
}

/// A path or a name.
pub fn text(reader: &mut Reader) -> std::result::Result<Vec<u8>, Malformed> {
    reader.long_string(MAX_TEXT_BYTES)
}

/// Any bytes with their length before them.
pub fn blob<'a>(reader: &mut Reader<'a>) -> std::result::Result<&'a [u8], Malformed> {
    let length = reader.u32()? as usize;
    reader.bytes(length)
}

pub fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_be_bytes());
}

pub fn put_u64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_be_bytes());
}

pub fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    put_u32(out, text.len() as u32);
    out.extend_from_slice(text);
}

/// What is known of a file, or is to be changed about it; what is not said is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    pub size: Option<u64>,
    pub owner: Option<(u32, u32)>,
    pub mode: Option<u32>,
    /// Seconds since 1970: last access and last change.
    pub times: Option<(u32, u32)>,
}

const HAS_SIZE: u32 = 1;
const HAS_OWNER: u32 = 2;
const HAS_MODE: u32 = 4;
const HAS_TIMES: u32 = 8;
const HAS_MORE: u32 = 1 << 31;

impl Attributes {
    pub fn parse(reader: &mut Reader) -> std::result::Result<Self, Malformed> {
        let flags = reader.u32()?;
        let mut found = Attributes::default();
        if flags & HAS_SIZE != 0 {
            found.size = Some(reader.u64()?);
        }
        if flags & HAS_OWNER != 0 {
            found.owner = Some((reader.u32()?, reader.u32()?));
        }
        if flags & HAS_MODE != 0 {
            found.mode = Some(reader.u32()?);
        }
        if flags & HAS_TIMES != 0 {
            found.times = Some((reader.u32()?, reader.u32()?));
        }
        if flags & HAS_MORE != 0 {
            for _ in 0..reader.u32()? {
                // Nobody has agreed on what these could be: a name and what it stands for.
                blob(reader)?;
                blob(reader)?;
            }
        }
        Ok(found)
    }

    pub fn put(&self, out: &mut Vec<u8>) {
        let given = |there: bool, flag| if there { flag } else { 0 };
        put_u32(
            out,
            given(self.size.is_some(), HAS_SIZE)
                | given(self.owner.is_some(), HAS_OWNER)
                | given(self.mode.is_some(), HAS_MODE)
                | given(self.times.is_some(), HAS_TIMES),
        );
        if let Some(size) = self.size {
            put_u64(out, size);
        }
        for (first, second) in self.owner.into_iter() {
            put_u32(out, first);
            put_u32(out, second);
        }
        if let Some(mode) = self.mode {
            put_u32(out, mode);
        }
        for (accessed, modified) in self.times.into_iter() {
            put_u32(out, accessed);
            put_u32(out, modified);
        }
    }
}
