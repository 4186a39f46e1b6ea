//! Files: what the standard library has no safe way for.
//!
//! A name below an open folder is spelt as a path through /proc/self/fd, which the kernel resolves to that
//! folder itself, whatever has happened to its path meanwhile. So all of the standard library can be used.

use std::ffi::CString;
use std::fs::File;
use std::io::{Error, Result};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::io::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use super::io::own;
use super::{c_string, check};

/// Never waits for a peer, never takes a terminal, never survives exec.
pub const CAREFUL: libc::c_int = libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC;
/// A name for something, without opening it.
pub const NAME_ONLY: libc::c_int = libc::O_PATH | libc::O_CLOEXEC;
/// A folder, and no link to one.
pub const REAL_FOLDER: libc::c_int = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW | CAREFUL;

/// A moment to be set, or to be left as it is.
pub type Moment = Option<(i64, u32)>;

fn path_string(path: &Path) -> Result<CString> {
    use std::os::unix::ffi::OsStrExt;
    c_string(path.as_os_str().as_bytes())
}

/// How the kernel itself names an open file.
pub fn own_name(fd: &impl AsRawFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", fd.as_raw_fd()))
}

/// A name right below an open folder.
pub fn below(folder: &impl AsRawFd, name: &[u8]) -> PathBuf {
    let mut path = own_name(folder).into_os_string().into_vec();
    path.push(b'/');
    path.extend_from_slice(name);
    PathBuf::from(std::ffi::OsString::from_vec(path))
}

pub fn open(path: &Path, flags: libc::c_int, mode: u32) -> Result<OwnedFd> {
    let path = path_string(path)?;
    // SAFETY: the path is a valid C string.
    own(unsafe { libc::open(path.as_ptr(), flags, mode) })
}

/// Opens what a descriptor only names, so that nobody can exchange it in between.
pub fn reopen(name: &OwnedFd, flags: libc::c_int) -> Result<File> {
    Ok(File::from(open(&own_name(name), flags | CAREFUL, 0)?))
}

/// Gives a nameless file a name that must be free.
pub fn give_name(file: &File, path: &Path) -> Result<()> {
    let (from, to) = (path_string(&own_name(file))?, path_string(path)?);
    // SAFETY: both are valid C strings.
    check(unsafe {
        libc::linkat(libc::AT_FDCWD, from.as_ptr(), libc::AT_FDCWD, to.as_ptr(), libc::AT_SYMLINK_FOLLOW)
    })?;
    Ok(())
}

/// Renames unless the new name is taken.
pub fn rename_new(from: &Path, to: &Path) -> Result<()> {
    let (from, to) = (path_string(from)?, path_string(to)?);
    // SAFETY: both are valid C strings.
    let returned = unsafe {
        let here = libc::AT_FDCWD;
        libc::syscall(libc::SYS_renameat2, here, from.as_ptr(), here, to.as_ptr(), libc::RENAME_NOREPLACE)
    };
    check(returned as libc::c_int)?;
    Ok(())
}

/// An id of all ones leaves that one as it is.
pub fn change_owner(path: &Path, uid: u32, gid: u32, follow: bool) -> Result<()> {
    let path = path_string(path)?;
    let flags = if follow { 0 } else { libc::AT_SYMLINK_NOFOLLOW };
    // SAFETY: the path is a valid C string.
    check(unsafe { libc::fchownat(libc::AT_FDCWD, path.as_ptr(), uid, gid, flags) })?;
    Ok(())
}

pub fn change_times(path: &Path, accessed: Moment, modified: Moment, follow: bool) -> Result<()> {
    let path = path_string(path)?;
    let flags = if follow { 0 } else { libc::AT_SYMLINK_NOFOLLOW };
    let time = |moment: Moment| match moment {
        Some((seconds, nanos)) => libc::timespec { tv_sec: seconds, tv_nsec: libc::c_long::from(nanos) },
        None => libc::timespec { tv_sec: 0, tv_nsec: libc::UTIME_OMIT },
    };
    let times = [time(accessed), time(modified)];
    // SAFETY: the path is a valid C string, and two times are read.
    check(unsafe { libc::utimensat(libc::AT_FDCWD, path.as_ptr(), times.as_ptr(), flags) })?;
    Ok(())
}

/// The next data at or behind a place: where it begins and where it ends. Nothing if only a hole is left.
pub fn next_data(file: &File, from: u64) -> Result<Option<(u64, u64)>> {
    // SAFETY: no memory is passed.
    let start = unsafe { libc::lseek(file.as_raw_fd(), from as libc::off_t, libc::SEEK_DATA) };
    if start < 0 {
        let error = Error::last_os_error();
        return if error.raw_os_error() == Some(libc::ENXIO) { Ok(None) } else { Err(error) };
    }
    // SAFETY: no memory is passed.
    let end = unsafe { libc::lseek(file.as_raw_fd(), start, libc::SEEK_HOLE) };
    if end < 0 {
        return Err(Error::last_os_error());
    }
    Ok(Some((start as u64, end as u64)))
}

/// Room of a file system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    pub block_bytes: u64,
    pub blocks: u64,
    pub free_blocks: u64,
    pub available_blocks: u64,
    pub files: u64,
    pub free_files: u64,
    pub read_only: bool,
    pub longest_name: u64,
}

pub fn room(path: &Path) -> Result<Room> {
    let path = path_string(path)?;
    // SAFETY: statvfs is plain data and is filled by the call.
    let mut found: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path is a valid C string and the structure outlives the call.
    check(unsafe { libc::statvfs(path.as_ptr(), &mut found) })?;
    Ok(Room {
        block_bytes: found.f_frsize as u64,
        blocks: found.f_blocks as u64,
        free_blocks: found.f_bfree as u64,
        available_blocks: found.f_bavail as u64,
        files: found.f_files as u64,
        free_files: found.f_ffree as u64,
        read_only: found.f_flag & libc::ST_RDONLY != 0,
        longest_name: found.f_namemax as u64,
    })
}

/// Bytes that nobody else can guess, for names.
pub fn random_bytes() -> [u8; 8] {
    let mut bytes = [0; 8];
    // SAFETY: as many bytes are written as the array has; so few are never cut short.
    unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    bytes
}

/// Does something while what is made has none of these permissions.
pub fn with_mask<T>(mask: u32, work: impl FnOnce() -> T) -> T {
    // SAFETY: takes a number, always succeeds.
    let before = unsafe { libc::umask(mask) };
    let done = work();
    // SAFETY: as above.
    unsafe { libc::umask(before) };
    done
}
