//! The kernel's own state: random numbers, clock, name, modules, power.

use std::fs::File;
use std::io::{Error, Result};
use std::os::unix::io::AsRawFd;

use super::{c_string, check};

const RNDADDENTROPY: libc::c_ulong = 0x4008_5203;
const RNDRESEEDCRNG: libc::c_ulong = 0x5207;
const EXT4_IOC_RESIZE_FS: libc::c_ulong = 0x4008_6610;
const MODULE_INIT_COMPRESSED_FILE: libc::c_int = 4;
const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// `struct rand_pool_info` with room for the entropy of one renewal.
#[repr(C)]
struct RandomPool<const N: usize> {
    entropy_bits: libc::c_int,
    bytes: libc::c_int,
    data: [u8; N],
}

/// Adds entropy, credited in full, and makes the kernel use it at once.
pub fn reseed<const N: usize>(entropy: &[u8; N]) -> Result<()> {
    let device = File::open("/dev/urandom")?;
    let pool = RandomPool { entropy_bits: 8 * N as libc::c_int, bytes: N as libc::c_int, data: *entropy };
    // SAFETY: the ioctl reads the header and as many bytes as it names, which are there.
    check(unsafe { libc::ioctl(device.as_raw_fd(), RNDADDENTROPY, &pool) })?;
    // SAFETY: the ioctl takes no argument.
    check(unsafe { libc::ioctl(device.as_raw_fd(), RNDRESEEDCRNG) })?;
    Ok(())
}

pub fn set_wall_clock(nanos: u64) -> Result<()> {
    let time = libc::timespec {
        tv_sec: (nanos / NANOS_PER_SECOND) as libc::time_t,
        tv_nsec: (nanos % NANOS_PER_SECOND) as libc::c_long,
    };
    // SAFETY: one timespec is read.
    check(unsafe { libc::clock_settime(libc::CLOCK_REALTIME, &time) })?;
    Ok(())
}

pub fn wall_clock() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: one timespec is written; this clock always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &mut time) };
    time.tv_sec as u64 * NANOS_PER_SECOND + time.tv_nsec as u64
}

pub fn set_hostname(name: &[u8]) -> Result<()> {
    // SAFETY: as many bytes are read as their length says.
    check(unsafe { libc::sethostname(name.as_ptr().cast(), name.len()) })?;
    Ok(())
}

/// The kernel's release, as `uname -r` prints it.
pub fn release() -> String {
    let text = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    text.trim().to_string()
}

pub fn load_module(path: &str) -> Result<()> {
    let file = File::open(path)?;
    let compressed = !path.ends_with(".ko");
    let flags = if compressed { MODULE_INIT_COMPRESSED_FILE } else { 0 };
    let parameters = c_string(b"")?;
    // SAFETY: the parameters are a valid C string; the file is open during the call.
    let returned = unsafe { libc::syscall(libc::SYS_finit_module, file.as_raw_fd(), parameters.as_ptr(), flags) };
    match returned {
        0 => Ok(()),
        _ => Err(Error::last_os_error()).or_else(already_there),
    }
}

fn already_there(error: Error) -> Result<()> {
    if error.raw_os_error() == Some(libc::EEXIST) {
        Ok(())
    } else {
        Err(error)
    }
}

/// Grows a mounted ext4 file system to so many of its blocks.
pub fn resize_ext4(root: &File, blocks: u64) -> Result<()> {
    // SAFETY: the ioctl reads one u64.
    check(unsafe { libc::ioctl(root.as_raw_fd(), EXT4_IOC_RESIZE_FS, &blocks) })?;
    Ok(())
}

/// The size of a file system's blocks, and how many it has.
pub fn block_counts(path: &[u8]) -> Result<(u64, u64)> {
    let path = c_string(path)?;
    // SAFETY: statvfs is plain data and is filled by the call.
    let mut counts: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path is a valid C string and the structure outlives the call.
    check(unsafe { libc::statvfs(path.as_ptr(), &mut counts) })?;
    Ok((counts.f_frsize as u64, counts.f_blocks as u64))
}

pub fn sync() {
    // SAFETY: takes nothing, always succeeds.
    unsafe { libc::sync() };
}

/// Ends the machine; returns only if the kernel refuses.
pub fn power(restart: bool) -> Error {
    let command = if restart { libc::RB_AUTOBOOT } else { libc::RB_POWER_OFF };
    // SAFETY: takes a number only.
    unsafe { libc::reboot(command) };
    Error::last_os_error()
}

/// A pause of a program that has nothing to wait on.
pub fn pause_millis(millis: u64) {
    std::thread::sleep(std::time::Duration::from_millis(millis));
}
