//! The machine's end of its network.

use crate::failure::{Failure, Step};
use crate::{literal, sys};
use std::ffi::CStr;
use std::os::unix::io::{AsFd, OwnedFd};

/// Makes a tap device in the current network namespace; it lives as long as the descriptor.
///
/// Nothing raises its link: it leads nowhere.
pub fn open(name: &[u8]) -> Result<OwnedFd, Failure> {
    let tun = open_tun()?;
    sys::attach_tap(tun.as_fd(), name, flags()).step("make tap")?;
    Ok(tun)
}

/// Attaches to a tap device that somebody has made in another namespace, and filters there.
///
/// Leaves the process in that namespace: the caller goes on into a new one. A tap that is missing is
/// not made, since it would have no rules.
pub fn attach(namespace: &CStr, name: &[u8]) -> Result<OwnedFd, Failure> {
    let no_links = libc::RESOLVE_NO_SYMLINKS | libc::RESOLVE_NO_MAGICLINKS;
    let network = sys::open(sys::here(), namespace, libc::O_RDONLY | libc::O_NOFOLLOW, 0, no_links);
    let network = network.step("network")?;
    // Asks for a network namespace, and so refuses every other kind of file.
    sys::enter_namespace(network.as_fd(), libc::CLONE_NEWNET).step("network")?;
    let tun = open_tun()?;
    sys::attach_tap(tun.as_fd(), name, flags()).step("attach tap")?;
    if sys::tap_is_persistent(tun.as_fd()).step("look at tap")? {
        return Ok(tun);
    }
    Err(Failure::new("attach tap", "there is none in this namespace"))
}

fn flags() -> i32 {
    libc::IFF_TAP | libc::IFF_NO_PI | libc::IFF_VNET_HDR
}

fn open_tun() -> Result<OwnedFd, Failure> {
    let path = literal(b"/dev/net/tun\0");
    sys::open(sys::here(), path, libc::O_RDWR | libc::O_NONBLOCK, 0, 0).step("open tun")
}
