//! Preloaded into a server to show that the tests of power cuts notice a missing sync.
//!
//! With `BOXD_FORGETS` in the environment only files whose path ends with it are forgotten;
//! without it, all of them are.

use std::os::unix::ffi::OsStrExt;
use std::{env, fs};

/// Whether the syncs of this file do nothing.
fn forgets(fd: i32) -> bool {
    let ending = match env::var_os("BOXD_FORGETS") {
        Some(ending) => ending,
        None => return true,
    };
    match fs::read_link(format!("/proc/self/fd/{}", fd)) {
        Ok(path) => path.as_os_str().as_bytes().ends_with(ending.as_bytes()),
        Err(_) => false,
    }
}

fn sync(call: libc::c_long, fd: i32) -> i32 {
    if forgets(fd) {
        return 0;
    }
    // SAFETY: takes a number, which the kernel checks.
    unsafe { libc::syscall(call, fd) as i32 }
}

/// Says that the file is on disk, and may have done nothing.
#[no_mangle]
pub extern "C" fn fsync(fd: i32) -> i32 {
    sync(libc::SYS_fsync, fd)
}

/// Says that the file's content is on disk, and may have done nothing.
#[no_mangle]
pub extern "C" fn fdatasync(fd: i32) -> i32 {
    sync(libc::SYS_fdatasync, fd)
}
