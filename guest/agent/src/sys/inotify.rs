//! The kernel's notices of changed files.

use std::io::Result;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::io::{AsRawFd, OwnedFd};
use std::path::Path;

use super::io::{own, read};
use super::{c_string, check};

pub const CREATED: u32 = libc::IN_CREATE;
pub const MODIFIED: u32 = libc::IN_MODIFY;
pub const WRITTEN: u32 = libc::IN_CLOSE_WRITE;
pub const ATTRIBUTES: u32 = libc::IN_ATTRIB;
pub const DELETED: u32 = libc::IN_DELETE;
pub const MOVED_FROM: u32 = libc::IN_MOVED_FROM;
pub const MOVED_TO: u32 = libc::IN_MOVED_TO;
pub const ITSELF_GONE: u32 = libc::IN_DELETE_SELF | libc::IN_MOVE_SELF | libc::IN_UNMOUNT;
pub const OVERFLOW: u32 = libc::IN_Q_OVERFLOW;
pub const FORGOTTEN: u32 = libc::IN_IGNORED;
pub const FOLDER: u32 = libc::IN_ISDIR;

const WATCHED: u32 = CREATED
    | MODIFIED
    | WRITTEN
    | ATTRIBUTES
    | DELETED
    | MOVED_FROM
    | MOVED_TO
    | libc::IN_DELETE_SELF
    | libc::IN_MOVE_SELF;
/// Room for at least this many of the longest events.
const READ_BYTES: usize = 64 * 1024;
const HEAD_BYTES: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub watch: i32,
    pub mask: u32,
    pub cookie: u32,
    /// Empty if it is about what is watched itself.
    pub name: Vec<u8>,
}

pub struct Inotify {
    fd: OwnedFd,
    buffer: Vec<u8>,
}

impl Inotify {
    pub fn new() -> Result<Self> {
        // SAFETY: no memory is passed.
        let fd = own(unsafe { libc::inotify_init1(libc::IN_NONBLOCK | libc::IN_CLOEXEC) })?;
        Ok(Inotify { fd, buffer: vec![0; READ_BYTES] })
    }

    pub fn fd(&self) -> &OwnedFd {
        &self.fd
    }

    /// Watches a file or folder; a link only if it is to be followed.
    pub fn add(&self, path: &Path, follow: bool) -> Result<i32> {
        let path = c_string(path.as_os_str().as_bytes())?;
        let mask = if follow { WATCHED } else { WATCHED | libc::IN_DONT_FOLLOW };
        // SAFETY: the path is a valid C string.
        check(unsafe { libc::inotify_add_watch(self.fd.as_raw_fd(), path.as_ptr(), mask) })
    }

    pub fn remove(&self, watch: i32) {
        // SAFETY: no memory is passed; a watch that is gone already is no error.
        unsafe { libc::inotify_rm_watch(self.fd.as_raw_fd(), watch) };
    }

    /// What has happened since the last call; empty if nothing.
    pub fn events(&mut self) -> Result<Vec<Event>> {
        let count = read(&self.fd, &mut self.buffer)?.unwrap_or(0);
        Ok(parse(&self.buffer[..count]))
    }
}

fn parse(mut bytes: &[u8]) -> Vec<Event> {
    let word = |bytes: &[u8], at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let mut events = Vec::new();
    while bytes.len() >= HEAD_BYTES {
        let length = (word(bytes, 12) as usize).min(bytes.len() - HEAD_BYTES);
        let padded = &bytes[HEAD_BYTES..HEAD_BYTES + length];
        let end = padded.iter().position(|&byte| byte == 0).unwrap_or(length);
        events.push(Event {
            watch: word(bytes, 0) as i32,
            mask: word(bytes, 4),
            cookie: word(bytes, 8),
            name: padded[..end].to_vec(),
        });
        bytes = &bytes[HEAD_BYTES + length..];
    }
    events
}
