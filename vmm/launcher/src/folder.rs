//! What the launcher makes in the cell's own folder, and takes away again if the launch fails.

use crate::failure::{Failure, Step};
use crate::sys;
use std::ffi::{CStr, CString};
use std::os::unix::io::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixListener;

/// The folder, held open: everything is reached through this descriptor, never again by its path.
pub struct Folder {
    handle: OwnedFd,
    made: Vec<CString>,
}

/// Everything in the folder that the program gets.
pub struct Files {
    pub qmp: OwnedFd,
    pub agent: OwnedFd,
    pub console: OwnedFd,
    pub incoming: OwnedFd,
    pub saved: OwnedFd,
    pub log: OwnedFd,
    pub log_again: OwnedFd,
}

impl Folder {
    pub fn open(path: &CStr) -> Result<Self, Failure> {
        Ok(Folder { handle: open_trusted_folder(path, "folder")?, made: Vec::new() })
    }

    /// Makes all entries. Anything already there, links included, makes this fail.
    pub fn fill(&mut self) -> Result<Files, Failure> {
        // Sockets take their mode from the mask alone: 0600.
        sys::set_file_mask(0o177);
        let append = libc::O_WRONLY | libc::O_APPEND;
        let log = self.make_file("log", append)?;
        let log_again = log.try_clone().step("log")?;
        Ok(Files {
            qmp: self.make_listener("qmp.sock")?,
            agent: self.make_listener("agent.sock")?,
            console: self.make_listener("console.sock")?,
            incoming: self.make_file("incoming", libc::O_RDONLY)?,
            saved: self.make_file("saved", append)?,
            log,
            log_again,
        })
    }

    fn make_file(&mut self, name: &str, access: i32) -> Result<OwnedFd, Failure> {
        let entry = CString::new(name).expect("a constant without NUL");
        let flags = access | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW;
        let resolve = libc::RESOLVE_BENEATH | libc::RESOLVE_NO_SYMLINKS;
        let file = sys::open(self.handle.as_fd(), &entry, flags, 0o600, resolve).step(name)?;
        self.made.push(entry);
        Ok(file)
    }

    fn make_listener(&mut self, name: &str) -> Result<OwnedFd, Failure> {
        // Through the descriptor: a socket's address holds 108 bytes, a folder's path may be
        // longer, and bind neither follows a link at the end nor replaces what is there.
        let path = format!("/proc/self/fd/{}/{}", self.handle.as_raw_fd(), name);
        let listener = UnixListener::bind(path).step(name)?;
        self.made.push(CString::new(name).expect("a constant without NUL"));
        Ok(listener.into())
    }

    /// Removes what was made here; what cannot be removed is the server's to see.
    pub fn empty(self) {
        for name in &self.made {
            let _ = sys::remove(self.handle.as_fd(), name);
        }
    }
}

/// Opens a folder only if nobody but root can have put anything into it.
pub fn open_trusted_folder(path: &CStr, what: &str) -> Result<OwnedFd, Failure> {
    let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_NOFOLLOW;
    let handle = sys::open(sys::here(), path, flags, 0, 0).step(what)?;
    let status = sys::file_status(handle.as_fd()).step(what)?;
    if status.st_uid != 0 || status.st_mode & 0o022 != 0 {
        return Err(Failure::new(what, "must belong to root and be writable by root alone"));
    }
    Ok(handle)
}
