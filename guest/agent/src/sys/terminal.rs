//! Pseudo-terminals.

use std::io::Result;
use std::os::unix::io::{AsRawFd, OwnedFd};

use super::io::own;
use super::{c_string, check};
use crate::message::TerminalSize;

/// Both sides of a new terminal of this size that belongs to the user: ours first, then the program's.
pub fn open(size: TerminalSize, uid: u32) -> Result<(OwnedFd, OwnedFd)> {
    let path = c_string(b"/dev/ptmx")?;
    let flags = libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC;
    // SAFETY: the path is a valid C string.
    let ours = own(unsafe { libc::open(path.as_ptr(), flags) })?;
    let unlocked: libc::c_int = 0;
    // SAFETY: TIOCSPTLCK reads one int.
    check(unsafe { libc::ioctl(ours.as_raw_fd(), libc::TIOCSPTLCK, &unlocked) })?;
    // By descriptor and not by path, so that it is right whatever is mounted on /dev/pts.
    // SAFETY: TIOCGPTPEER takes flags by value and returns a new descriptor.
    let theirs = own(unsafe { libc::ioctl(ours.as_raw_fd(), libc::TIOCGPTPEER, flags) })?;
    // SAFETY: no memory is passed; -1 keeps the group that the mount has chosen.
    check(unsafe { libc::fchown(theirs.as_raw_fd(), uid, libc::gid_t::MAX) })?;
    resize(&ours, size)?;
    Ok((ours, theirs))
}

/// Tells the terminal, and through it the programs in its foreground, how large it is now.
pub fn resize(terminal: &OwnedFd, size: TerminalSize) -> Result<()> {
    let window = libc::winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: TIOCSWINSZ reads one winsize.
    check(unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCSWINSZ, &window) })?;
    Ok(())
}
