//! A folder that only root may enter, and nameless files in it.

use std::ffi::CString;
use std::fs::File;
use std::io::{Error, Result};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::io::{AsRawFd, OwnedFd};
use std::path::{Component, Path};

use super::io::own;
use super::{c_string, check};

const FOLDER_FLAGS: libc::c_int = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC;
const PRIVATE_FOLDER: libc::mode_t = 0o700;
const PRIVATE_FILE: libc::c_uint = 0o600;
const OTHERS_WRITE: u32 = 0o022;

/// A new file without a name on the file system of this folder, which is made if it is missing.
///
/// No component of the path may be a link, and the folder must be ours alone to write to: what somebody
/// else has put there is not used.
pub fn nameless_file(path: &Path) -> Result<File> {
    let folder = open_private(path)?;
    let here = c_string(b".")?;
    let flags = libc::O_TMPFILE | libc::O_RDWR | libc::O_CLOEXEC;
    // SAFETY: the path is a valid C string; the mode is passed because a file is made.
    match own(unsafe { libc::openat(folder.as_raw_fd(), here.as_ptr(), flags, PRIVATE_FILE) }) {
        Ok(file) => Ok(File::from(file)),
        // Not every file system can.
        Err(error) if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::EISDIR)) => unlinked_file(&folder),
        Err(error) => Err(error),
    }
}

fn unlinked_file(folder: &OwnedFd) -> Result<File> {
    let name = c_string(format!(".output-{}", std::process::id()).as_bytes())?;
    // A leftover of a machine that lost its power in between.
    // SAFETY: the path is a valid C string.
    unsafe { libc::unlinkat(folder.as_raw_fd(), name.as_ptr(), 0) };
    let flags = libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW | libc::O_RDWR | libc::O_CLOEXEC;
    // SAFETY: the path is a valid C string; the mode is passed because a file is made.
    let file = own(unsafe { libc::openat(folder.as_raw_fd(), name.as_ptr(), flags, PRIVATE_FILE) })?;
    // SAFETY: the path is a valid C string.
    check(unsafe { libc::unlinkat(folder.as_raw_fd(), name.as_ptr(), 0) })?;
    Ok(File::from(file))
}

fn open_private(path: &Path) -> Result<OwnedFd> {
    let root = c_string(b"/")?;
    // SAFETY: the path is a valid C string.
    let mut folder = own(unsafe { libc::open(root.as_ptr(), FOLDER_FLAGS) })?;
    for component in path.components() {
        match component {
            Component::RootDir => {}
            Component::Normal(name) => folder = enter(&folder, &c_string(name.as_bytes())?)?,
            _ => return Err(Error::from_raw_os_error(libc::EINVAL)),
        }
    }
    let found = File::from(folder.try_clone()?).metadata()?;
    // SAFETY: takes nothing, always succeeds.
    if found.uid() != unsafe { libc::geteuid() } || found.mode() & OTHERS_WRITE != 0 {
        return Err(Error::from_raw_os_error(libc::EPERM));
    }
    Ok(folder)
}

fn enter(folder: &OwnedFd, name: &CString) -> Result<OwnedFd> {
    // SAFETY: the path is a valid C string.
    let open = || own(unsafe { libc::openat(folder.as_raw_fd(), name.as_ptr(), FOLDER_FLAGS) });
    match open() {
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) => {
            // SAFETY: the path is a valid C string.
            match check(unsafe { libc::mkdirat(folder.as_raw_fd(), name.as_ptr(), PRIVATE_FOLDER) }) {
                // If somebody else was faster, theirs is looked at.
                Err(error) if error.raw_os_error() != Some(libc::EEXIST) => Err(error),
                _ => open(),
            }
        }
        other => other,
    }
}

/// Bytes of a file system.
pub struct Space {
    pub free: u64,
    pub total: u64,
}

/// How much room the file system of a file has for programs without privileges.
pub fn free_space(file: &File) -> Result<Space> {
    // SAFETY: statvfs is plain data and is filled by the call.
    let mut counts: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the structure outlives the call.
    check(unsafe { libc::fstatvfs(file.as_raw_fd(), &mut counts) })?;
    let block = counts.f_frsize as u64;
    Ok(Space { free: block * counts.f_bavail as u64, total: block * counts.f_blocks as u64 })
}
