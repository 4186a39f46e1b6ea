//! Mounts and roots.

use std::io::Result;
use std::ptr;

use super::{c_string, check};

pub const READ_ONLY: libc::c_ulong = libc::MS_RDONLY;
pub const REMOUNT: libc::c_ulong = libc::MS_REMOUNT;
pub const NO_SUID: libc::c_ulong = libc::MS_NOSUID;
pub const NO_DEVICES: libc::c_ulong = libc::MS_NODEV;
pub const NO_PROGRAMS: libc::c_ulong = libc::MS_NOEXEC;
pub const BIND: libc::c_ulong = libc::MS_BIND;
pub const MOVE: libc::c_ulong = libc::MS_MOVE;

pub fn mount(source: &[u8], target: &[u8], kind: &[u8], flags: libc::c_ulong, options: &[u8]) -> Result<()> {
    let (source, target, kind, options) = (c_string(source)?, c_string(target)?, c_string(kind)?, c_string(options)?);
    // SAFETY: all four are valid C strings.
    check(unsafe { libc::mount(source.as_ptr(), target.as_ptr(), kind.as_ptr(), flags, options.as_ptr().cast()) })?;
    Ok(())
}

/// A mount of something that exists already: bind, move, remount.
pub fn remount(source: &[u8], target: &[u8], flags: libc::c_ulong) -> Result<()> {
    let (source, target) = (c_string(source)?, c_string(target)?);
    // SAFETY: both are valid C strings; these kinds of mounts take no options.
    check(unsafe { libc::mount(source.as_ptr(), target.as_ptr(), ptr::null(), flags, ptr::null()) })?;
    Ok(())
}

pub fn unmount(target: &[u8]) -> Result<()> {
    let target = c_string(target)?;
    // SAFETY: the path is a valid C string.
    check(unsafe { libc::umount2(target.as_ptr(), 0) })?;
    Ok(())
}

/// Makes the present folder the root of this process.
pub fn root_here() -> Result<()> {
    let here = c_string(b".")?;
    // SAFETY: the path is a valid C string.
    check(unsafe { libc::chroot(here.as_ptr()) })?;
    std::env::set_current_dir("/")
}
