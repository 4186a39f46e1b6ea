//! A second opinion on file access, where the kernel has Landlock: even files that ids or a mistake
//! in the bundle would open stay as they are, and no entry can be made, removed or moved anywhere.

use crate::arguments::Arguments;
use crate::failure::{Failure, Step};
use crate::{literal, sys};
use std::os::unix::io::AsFd;

const EXECUTE: u64 = 1 << 0;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_FOLDER: u64 = 1 << 3;
const TRUNCATE: u64 = 1 << 14;
const DEVICE_IOCTL: u64 = 1 << 15;

/// Binding and connecting TCP: all of what version 4 knows.
const TCP: u64 = 0b11;
/// Abstract sockets and signals to the outside: all of what version 6 knows.
const OUTSIDE: u64 = 0b11;

/// What a kernel of this version can control: (files, network, scope) and the size of that answer.
fn handled(version: i64) -> ([u64; 3], usize) {
    let files = match version {
        1 => (1 << 13) - 1,
        2 => (1 << 14) - 1,
        3 | 4 => (1 << 15) - 1,
        _ => (1 << 16) - 1,
    };
    match version {
        1..=3 => ([files, 0, 0], 8),
        4 | 5 => ([files, TCP, 0], 16),
        _ => ([files, TCP, OUTSIDE], 24),
    }
}

/// Enters the domain, seen from inside the jail. A kernel without Landlock leaves the other layers.
pub fn enter(arguments: &Arguments) -> Result<(), Failure> {
    let version = match sys::landlock_version() {
        Ok(version) => version,
        Err(_) => return Ok(()),
    };
    let (handled, size) = handled(version);
    let rules = sys::landlock_rules(&handled, size).step("make landlock rules")?;
    let writable_base = arguments.memory.as_ref().map_or(false, |memory| memory.writable);
    let base = if writable_base { WRITE_FILE | TRUNCATE } else { 0 };
    let allowed: [(&[u8], u64); 4] = [
        (b"/\0", EXECUTE | READ_FILE | READ_FOLDER),
        (b"/disk\0", READ_FILE | READ_FOLDER | WRITE_FILE | TRUNCATE),
        (b"/base\0", READ_FILE | base),
        (b"/dev\0", READ_FILE | WRITE_FILE | DEVICE_IOCTL),
    ];
    for (path, access) in allowed {
        // What is not there needs no rule.
        if let Ok(folder) = sys::open(sys::here(), literal(path), libc::O_PATH, 0, 0) {
            let access = access & handled[0];
            sys::landlock_allow(rules.as_fd(), folder.as_fd(), access).step("add landlock rule")?;
        }
    }
    sys::landlock_enter(rules.as_fd()).step("enter landlock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_each_version_for_no_more_than_it_knows() {
        assert_eq!(([0x1fff, 0, 0], 8), handled(1));
        assert_eq!(([0x3fff, 0, 0], 8), handled(2));
        assert_eq!(([0x7fff, 0, 0], 8), handled(3));
        assert_eq!(([0x7fff, 3, 0], 16), handled(4));
        assert_eq!(([0xffff, 3, 0], 16), handled(5));
        assert_eq!(([0xffff, 3, 3], 24), handled(6));
        assert_eq!(handled(6), handled(99));
    }
}
