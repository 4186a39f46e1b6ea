//! Growing the machine's file system to the size that its disk has now.

use std::fs::{self, File};
use std::io::{Error, Result};
use std::os::unix::fs::MetadataExt;

use crate::renew::Machine;
use crate::sys::kernel;

const SECTOR_BYTES: u64 = 512;
/// The root, or where the smallest image, whose root is no disk, mounts its disk.
const PLACES: [&str; 2] = ["/", "/data"];

/// Grows the first place that is on a disk; its new size in bytes.
pub fn grow(machine: &Machine) -> Result<u64> {
    if !machine.own_kernel {
        return Err(Error::from_raw_os_error(libc::EPERM));
    }
    for place in PLACES {
        if let Some(device_bytes) = device_bytes(place) {
            return grow_to(place, device_bytes);
        }
    }
    Err(Error::from_raw_os_error(libc::ENODEV))
}

fn device_bytes(place: &str) -> Option<u64> {
    let device = fs::metadata(place).ok()?.dev();
    let (major, minor) = (libc_major(device), libc_minor(device));
    let sectors = fs::read_to_string(format!("/sys/dev/block/{major}:{minor}/size")).ok()?;
    Some(sectors.trim().parse::<u64>().ok()? * SECTOR_BYTES)
}

fn grow_to(place: &str, device_bytes: u64) -> Result<u64> {
    let (block_bytes, _) = kernel::block_counts(place.as_bytes())?;
    kernel::resize_ext4(&File::open(place)?, device_bytes / block_bytes)?;
    let (block_bytes, blocks) = kernel::block_counts(place.as_bytes())?;
    Ok(block_bytes * blocks)
}

fn libc_major(device: u64) -> u64 {
    ((device >> 8) & 0xfff) | ((device >> 32) & !0xfff)
}

fn libc_minor(device: u64) -> u64 {
    (device & 0xff) | ((device >> 12) & !0xff)
}
