//! The only place with `unsafe`: thin, safe wrappers around system calls.

pub mod clock;
pub mod file;
pub mod folder;
pub mod helper;
pub mod inotify;
pub mod io;
pub mod kernel;
pub mod mount;
pub mod network;
pub mod process;
pub mod sha;
pub mod socket;
pub mod terminal;
pub mod tracing;

use std::ffi::CString;
use std::io::{Error, Result};

/// Turns the C convention of -1 and errno into a result.
pub(crate) fn check(returned: libc::c_int) -> Result<libc::c_int> {
    if returned < 0 {
        Err(Error::last_os_error())
    } else {
        Ok(returned)
    }
}

/// Text for the kernel; a zero byte in it is an error and not its end.
pub fn c_string(text: &[u8]) -> Result<CString> {
    CString::new(text).map_err(|_| Error::from_raw_os_error(libc::EINVAL))
}

/// The number of an error, as it is reported to the host.
pub fn errno(error: &Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}
