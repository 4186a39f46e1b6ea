//! What is known about a file without reading it.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use super::{Failure, Outcome};
use crate::accounts::MAX_FILE_BYTES;
use crate::fields::put_string;
use crate::files::read_bounded;
use crate::message::{MAX_NAME_BYTES, MAX_PATH_BYTES};
use crate::sys::file;

const PERMISSIONS: u32 = 0o7777;
const STAT_BLOCK_BYTES: u64 = 512;

/// Names of users and groups, read once for one task.
pub struct Names {
    users: HashMap<u32, Vec<u8>>,
    groups: HashMap<u32, Vec<u8>>,
}

impl Names {
    pub fn read() -> Self {
        Names { users: by_number("/etc/passwd"), groups: by_number("/etc/group") }
    }

    pub fn user(&self, uid: u32) -> &[u8] {
        self.users.get(&uid).map_or(&[], Vec::as_slice)
    }

    pub fn group(&self, gid: u32) -> &[u8] {
        self.groups.get(&gid).map_or(&[], Vec::as_slice)
    }
}

/// Both files have the name first and the number third. A missing file knows nobody.
fn by_number(path: &str) -> HashMap<u32, Vec<u8>> {
    let content = read_bounded(Path::new(path), MAX_FILE_BYTES).unwrap_or_default();
    let mut names = HashMap::new();
    for line in content.split(|&byte| byte == b'\n') {
        let fields: Vec<&[u8]> = line.splitn(4, |&byte| byte == b':').collect();
        let number = fields.get(2).and_then(|text| std::str::from_utf8(text).ok()).and_then(|text| text.parse().ok());
        if let Some(number) = number {
            names.entry(number).or_insert_with(|| fields[0].to_vec());
        }
    }
    names
}

pub fn stat(path: &Path, follow: bool) -> Outcome {
    let found = if follow { fs::metadata(path) } else { fs::symlink_metadata(path) };
    let metadata = found.map_err(Failure::at("look at", path))?;
    let mut out = Vec::new();
    put(&mut out, &metadata, path, &Names::read());
    Ok(out)
}

pub fn real_path(path: &Path) -> Outcome {
    let real = fs::canonicalize(path).map_err(Failure::at("find", path))?;
    let mut out = Vec::new();
    put_string(&mut out, real.as_os_str().as_bytes(), MAX_PATH_BYTES);
    Ok(out)
}

pub fn room(path: &Path) -> Outcome {
    let mut out = Vec::new();
    put_room(&mut out, &file::room(path).map_err(Failure::at("look at the file system of", path))?);
    Ok(out)
}

pub fn put_room(out: &mut Vec<u8>, room: &file::Room) {
    let numbers = [
        room.block_bytes,
        room.blocks,
        room.free_blocks,
        room.available_blocks,
        room.files,
        room.free_files,
        room.longest_name,
    ];
    numbers.iter().for_each(|number| out.extend_from_slice(&number.to_be_bytes()));
    out.push(room.read_only as u8);
}

/// Appends what the host calls attributes; the path is only asked where a link leads.
pub fn put(out: &mut Vec<u8>, metadata: &Metadata, path: &Path, names: &Names) {
    out.push(kind(metadata));
    out.extend_from_slice(&(metadata.mode() & PERMISSIONS).to_be_bytes());
    out.extend_from_slice(&metadata.uid().to_be_bytes());
    out.extend_from_slice(&metadata.gid().to_be_bytes());
    out.extend_from_slice(&metadata.size().to_be_bytes());
    out.extend_from_slice(&(metadata.blocks().saturating_mul(STAT_BLOCK_BYTES)).to_be_bytes());
    out.extend_from_slice(&metadata.nlink().to_be_bytes());
    out.extend_from_slice(&metadata.ino().to_be_bytes());
    put_moment(out, metadata.atime(), metadata.atime_nsec());
    put_moment(out, metadata.mtime(), metadata.mtime_nsec());
    put_moment(out, metadata.ctime(), metadata.ctime_nsec());
    put_string(out, names.user(metadata.uid()), MAX_NAME_BYTES);
    put_string(out, names.group(metadata.gid()), MAX_NAME_BYTES);
    let target = if metadata.file_type().is_symlink() { fs::read_link(path).ok() } else { None };
    put_string(out, target.as_deref().map_or(&[], |target| target.as_os_str().as_bytes()), MAX_PATH_BYTES);
}

fn put_moment(out: &mut Vec<u8>, seconds: i64, nanos: i64) {
    out.extend_from_slice(&seconds.to_be_bytes());
    out.extend_from_slice(&(nanos as u32).to_be_bytes());
}

fn kind(metadata: &Metadata) -> u8 {
    let kind = metadata.file_type();
    match () {
        () if kind.is_file() => 1,
        () if kind.is_dir() => 2,
        () if kind.is_symlink() => 3,
        () if kind.is_fifo() => 4,
        () if kind.is_socket() => 5,
        () if kind.is_char_device() => 6,
        () if kind.is_block_device() => 7,
        () => 0,
    }
}
