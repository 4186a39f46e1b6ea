//! What OpenSSH's server can do beyond version 3, and its clients make use of.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{Error, ErrorKind};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use super::answer::{put_packet, Outcome, Refusal, Status};
use super::handles::MAX_HANDLES;
use super::packet::{kind, put_text, put_u64, MAX_DATA_BYTES, MAX_PACKET_BYTES};
use crate::accounts::{self, MAX_FILE_BYTES};
use crate::files::read_bounded;
use crate::sys::file::room as room_of;
use crate::tasks::attributes::Names;

/// With their versions, as the client is told them.
pub const NAMES: [(&str, &str); 11] = [
    ("posix-rename@openssh.com", "1"),
    ("statvfs@openssh.com", "2"),
    ("fstatvfs@openssh.com", "2"),
    ("hardlink@openssh.com", "1"),
    ("fsync@openssh.com", "1"),
    ("lsetstat@openssh.com", "1"),
    ("limits@openssh.com", "1"),
    ("expand-path@openssh.com", "1"),
    ("copy-data", "1"),
    ("home-directory", "1"),
    ("users-groups-by-id@openssh.com", "1"),
];

const READ_ONLY: u64 = 1;

pub fn limits(id: u32, out: &mut Vec<u8>) -> Outcome {
    put_packet(out, kind::EXTENDED_REPLY, id, |out| {
        for limit in [MAX_PACKET_BYTES, MAX_DATA_BYTES, MAX_DATA_BYTES, MAX_HANDLES] {
            put_u64(out, limit as u64);
        }
        Ok(())
    })
}

pub fn room(id: u32, path: &Path, out: &mut Vec<u8>) -> Outcome {
    let room = room_of(path)?;
    put_packet(out, kind::EXTENDED_REPLY, id, |out| {
        let flags = if room.read_only { READ_ONLY } else { 0 };
        for number in [
            room.block_bytes,
            room.block_bytes,
            room.blocks,
            room.free_blocks,
            room.available_blocks,
            room.files,
            room.free_files,
            room.free_files,
            0,
            flags,
            room.longest_name,
        ] {
            put_u64(out, number);
        }
        Ok(())
    })
}

/// The absolute path without links; its last name need not exist.
pub fn real_path(path: &Path) -> Result<Vec<u8>, Refusal> {
    let found = fs::canonicalize(path).or_else(|error| match (error.kind(), parent_of(path)) {
        (ErrorKind::NotFound, Some((parent, name))) if fs::symlink_metadata(path).is_err() => {
            fs::canonicalize(parent).map(|parent| parent.join(name))
        }
        _ => Err(error),
    });
    Ok(found?.into_os_string().into_vec())
}

fn parent_of(path: &Path) -> Option<(PathBuf, &OsStr)> {
    let name = match path.components().next_back()? {
        Component::Normal(name) => name,
        _ => return None,
    };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    Some((parent.map_or_else(|| PathBuf::from("."), Path::to_path_buf), name))
}

/// As `real_path`, with a user's home for the tilde at the beginning.
pub fn expand(path: &[u8]) -> Result<Vec<u8>, Refusal> {
    if path.first() != Some(&b'~') {
        let named = if path.is_empty() { b"." } else { path };
        return real_path(Path::new(OsStr::from_bytes(named)));
    }
    let end = path.iter().position(|&byte| byte == b'/').unwrap_or(path.len());
    let mut expanded = home(&path[1..end])?;
    expanded.extend_from_slice(&path[end..]);
    real_path(&PathBuf::from(OsString::from_vec(expanded)))
}

/// A user's home; nobody's name is whoever this server runs for.
pub fn home(user: &[u8]) -> Result<Vec<u8>, Refusal> {
    if user.is_empty() {
        let own = env::var_os("HOME").ok_or_else(|| Error::from_raw_os_error(libc::ENOENT))?;
        return Ok(own.into_vec());
    }
    let passwd = read_bounded(Path::new("/etc/passwd"), MAX_FILE_BYTES).unwrap_or_default();
    match accounts::find(user, &passwd, &[]) {
        Some(account) => Ok(account.home),
        None => Err(Refusal::new(Status::NoSuchFile, "no such user")),
    }
}

/// Names of users and groups; empty for numbers that have none.
pub fn names(id: u32, users: &[u32], groups: &[u32], out: &mut Vec<u8>) -> Outcome {
    let known = Names::read();
    let mut of_users = Vec::new();
    users.iter().for_each(|&uid| put_text(&mut of_users, known.user(uid)));
    let mut of_groups = Vec::new();
    groups.iter().for_each(|&gid| put_text(&mut of_groups, known.group(gid)));
    put_packet(out, kind::EXTENDED_REPLY, id, |out| {
        put_text(out, &of_users);
        put_text(out, &of_groups);
        Ok(())
    })
}
