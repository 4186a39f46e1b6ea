//! The fixed numbers under which the program finds what the launcher opened for it.

use crate::failure::{Failure, Step};
use crate::{literal, sys};
use std::os::unix::io::{AsRawFd, OwnedFd, RawFd};

pub const NULL: RawFd = 0;
pub const LOG: RawFd = 1;
pub const LOG_AGAIN: RawFd = 2;
pub const QMP: RawFd = 3;
pub const AGENT: RawFd = 4;
pub const CONSOLE: RawFd = 5;
pub const TAP: RawFd = 6;
pub const INCOMING: RawFd = 7;
pub const SAVED: RawFd = 8;
/// Ours, until exec closes it: how a failure is told to the waiting launcher.
pub const REPORT: RawFd = 9;
/// The program itself, until exec closes it. See `filter` for why it has this number.
pub const PROGRAM: RawFd = 1000;

/// Closes what was inherited and fills the fixed numbers, so that whatever is opened from now on
/// lies above them and can be copied into place without overwriting something still needed.
pub fn reserve() -> Result<(), Failure> {
    sys::close_range(QMP as u32, u32::MAX).step("close inherited descriptors")?;
    loop {
        let null = literal(b"/dev/null\0");
        let filler = sys::open(sys::here(), null, libc::O_RDWR, 0, 0).step("open /dev/null")?;
        if filler.as_raw_fd() > REPORT {
            return Ok(());
        }
        // It stays open for the life of the launcher: that is its purpose.
        std::mem::forget(filler);
    }
}

/// Lets descriptors be numbered up to the program's; the final limit follows later.
pub fn make_room() -> Result<(), Failure> {
    let limit = sys::limit(libc::RLIMIT_NOFILE).step("read open file limit")?;
    if limit.rlim_max <= PROGRAM as u64 {
        return Err(Failure::new("open file limit", format!("must be above {}", PROGRAM)));
    }
    sys::set_limit(libc::RLIMIT_NOFILE, limit.rlim_max, limit.rlim_max).step("open file limit")
}

/// Puts descriptors at their numbers; the program gets exactly these.
pub fn arrange(placed: Vec<(OwnedFd, RawFd)>, program: OwnedFd) -> Result<(), Failure> {
    sys::close_range(QMP as u32, SAVED as u32).step("free descriptor numbers")?;
    for (file, number) in placed {
        sys::place(file, number, 0).step("place descriptor")?;
    }
    sys::place(program, PROGRAM, libc::O_CLOEXEC).step("place program")?;
    sys::close_range(REPORT as u32 + 1, PROGRAM as u32 - 1).step("close descriptors")?;
    sys::close_range(PROGRAM as u32 + 1, u32::MAX).step("close descriptors")
}
