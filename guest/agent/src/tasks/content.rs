//! What is in a file: out of it, and into it.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::io::OwnedFd;
use std::path::{Path, PathBuf};

use super::attributes::{self, Names};
use super::change::make_parents;
use super::request::{Placement, ReadTask, WriteTask};
use super::sha256::{Sha256, HASH_BYTES};
use super::temporary::Temporary;
use super::{Failure, Outcome};
use crate::helper::{Host, PACKET_BYTES};
use crate::sys::file::{self, CAREFUL, NAME_ONLY};
use crate::sys::socket::wait_readable;

const PLAIN_MODE: u32 = 0o644;
const PERMISSIONS: u32 = 0o7777;
const FOR_EVER: i32 = -1;
const LEAVE: u32 = u32::MAX;

/// Opens what was named, after a look at what it is: merely opening a device can have effects.
pub fn open_content(name: &OwnedFd, flags: i32, special: bool, path: &Path) -> Result<File, Failure> {
    let kind = fs::metadata(file::own_name(name)).map_err(Failure::at("look at", path))?.file_type();
    if kind.is_dir() {
        return Err(Failure::new(libc::EISDIR, format!("{} is a folder", path.display())));
    }
    if !kind.is_file() && !special {
        return Err(Failure::new(libc::EINVAL, format!("{} is not a regular file", path.display())));
    }
    file::reopen(name, flags).map_err(Failure::at("open", path))
}

pub fn read(task: &ReadTask, host: &mut Host) -> Outcome {
    let failure = Failure::at("read", &task.path);
    let name = file::open(&task.path, NAME_ONLY, 0).map_err(Failure::at("open", &task.path))?;
    let file = open_content(&name, libc::O_RDONLY, task.special, &task.path)?;
    let metadata = file.metadata().map_err(&failure)?;
    let mut head = Vec::new();
    attributes::put(&mut head, &metadata, &task.path, &Names::read());
    host.opened(&head)?;
    let seekable = metadata.is_file() || metadata.file_type().is_block_device();
    let mut hash = Sha256::new();
    let mut buffer = vec![0; PACKET_BYTES];
    let mut sent: u64 = 0;
    let wanted = task.length.unwrap_or(u64::MAX);
    while sent < wanted {
        let room = (wanted - sent).min(PACKET_BYTES as u64) as usize;
        let got = if seekable {
            file.read_at(&mut buffer[..room], task.offset + sent)
        } else {
            (&file).read(&mut buffer[..room])
        };
        let count = match got {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                host.flush()?;
                wait_readable(&[&file, host.socket()], FOR_EVER)?;
                host.check_interest()?;
                continue;
            }
            Err(error) => return Err(failure(error)),
        };
        if task.hash {
            hash.update(&buffer[..count]);
        }
        host.write_all(&buffer[..count])?;
        sent += count as u64;
    }
    let mut answer = sent.to_be_bytes().to_vec();
    if task.hash {
        answer.extend_from_slice(&hash.finish());
    }
    Ok(answer)
}

pub fn write(task: &WriteTask, host: &mut Host) -> Outcome {
    let target = followed(&task.path)?;
    if task.parents {
        if let Some(parent) = target.parent() {
            make_parents(parent)?;
        }
    }
    match task.placement {
        Placement::Replace | Placement::New => replace(task, &target, host),
        Placement::At(offset) => in_place(task, &target, Some(offset), host),
        Placement::Append => in_place(task, &target, None, host),
    }
}

/// The file that is meant: a link stands for what it leads to.
fn followed(path: &Path) -> Result<PathBuf, Failure> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_symlink() => fs::canonicalize(path).map_err(Failure::at("follow", path)),
        _ => Ok(path.to_path_buf()),
    }
}

/// New content under the old name, all of it or nothing.
fn replace(task: &WriteTask, target: &Path, host: &mut Host) -> Outcome {
    let failure = Failure::at("write", &task.path);
    let old = match fs::symlink_metadata(target) {
        Ok(_) if task.placement == Placement::New => {
            return Err(Failure::new(libc::EEXIST, format!("{} exists already", task.path.display())));
        }
        Ok(found) if found.is_dir() => {
            return Err(Failure::new(libc::EISDIR, format!("{} is a folder", task.path.display())));
        }
        Ok(found) if !found.is_file() => {
            return Err(Failure::new(libc::EINVAL, format!("{} is not a regular file", task.path.display())));
        }
        Ok(found) => Some(found),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(failure(error)),
    };
    let temporary = Temporary::beside(target).map_err(&failure)?;
    host.opened(&[])?;
    let mut file = temporary.file();
    let (written, hash) = receive(host, |bytes, _| file.write_all(bytes), &task.path)?;
    check_hash(host.ending(), &hash)?;
    own(task, old.as_ref(), temporary.file()).map_err(&failure)?;
    file.sync_all().map_err(&failure)?;
    temporary.publish(target, task.placement == Placement::New).map_err(failure)?;
    Ok(written.to_be_bytes().to_vec())
}

/// Owner and mode of the new content: what was asked for, else what the old file had.
fn own(task: &WriteTask, old: Option<&Metadata>, file: &File) -> std::io::Result<()> {
    let path = file::own_name(file);
    if task.uid.is_some() || task.gid.is_some() {
        file::change_owner(&path, task.uid.unwrap_or(LEAVE), task.gid.unwrap_or(LEAVE), true)?;
    } else if let Some(old) = old {
        // Only root may give files away; a user's own new file is the user's.
        let _ = file::change_owner(&path, old.uid(), old.gid(), true);
    }
    let inherited = old.map(|old| old.mode() & PERMISSIONS);
    file.set_permissions(Permissions::from_mode(task.mode.or(inherited).unwrap_or(PLAIN_MODE)))
}

fn in_place(task: &WriteTask, target: &Path, offset: Option<u64>, host: &mut Host) -> Outcome {
    let append = if offset.is_none() { libc::O_APPEND } else { 0 };
    let create = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW | CAREFUL | append;
    let mut file = match file::open(target, create, task.mode.unwrap_or(PLAIN_MODE)) {
        Ok(new) => File::from(new),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let name = file::open(target, NAME_ONLY, 0).map_err(Failure::at("open", &task.path))?;
            open_content(&name, libc::O_WRONLY | append, false, &task.path)?
        }
        Err(error) => return Err(Failure::at("open", &task.path)(error)),
    };
    host.opened(&[])?;
    let place = |bytes: &[u8], at: u64| match offset {
        Some(offset) => file.write_all_at(bytes, offset + at),
        None => file.write_all(bytes),
    };
    let (written, hash) = receive(host, place, &task.path)?;
    check_hash(host.ending(), &hash)?;
    Ok(written.to_be_bytes().to_vec())
}

/// Takes all input; how much it was, and its hash.
fn receive(
    host: &mut Host,
    mut place: impl FnMut(&[u8], u64) -> std::io::Result<()>,
    path: &Path,
) -> Result<(u64, [u8; HASH_BYTES]), Failure> {
    let (mut written, mut hash, mut buffer) = (0, Sha256::new(), vec![0; PACKET_BYTES]);
    loop {
        let count = host.read(&mut buffer)?;
        if count == 0 {
            return Ok((written, hash.finish()));
        }
        hash.update(&buffer[..count]);
        place(&buffer[..count], written).map_err(Failure::at("write", path))?;
        written += count as u64;
    }
}

fn check_hash(expected: &[u8], found: &[u8; HASH_BYTES]) -> Result<(), Failure> {
    if expected == found {
        return Ok(());
    }
    Err(Failure::new(libc::EBADMSG, "what arrived does not have the SHA-256 that was announced; send it again"))
}
