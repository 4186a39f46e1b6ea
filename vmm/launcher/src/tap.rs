//! The machine's end of its network.

use crate::failure::{Failure, Step};
use crate::{literal, sys};
use std::os::unix::io::{AsFd, OwnedFd};

/// Makes a tap device in the current network namespace; it lives as long as the descriptor.
///
/// Its link stays down: whoever writes the rules of this namespace raises it afterwards, so that no
/// packet passes before there are rules.
pub fn open(name: &[u8]) -> Result<OwnedFd, Failure> {
    let flags = libc::IFF_TAP | libc::IFF_NO_PI | libc::IFF_VNET_HDR;
    let path = literal(b"/dev/net/tun\0");
    let tun =
        sys::open(sys::here(), path, libc::O_RDWR | libc::O_NONBLOCK, 0, 0).step("open tun")?;
    sys::create_tap(tun.as_fd(), name, flags).step("make tap")?;
    Ok(tun)
}
