//! Preloaded into QEMU before 8.2, which opens the file behind guest memory for writing even when
//! its mapping is private and it will never write. A jailed machine must not be able to write a
//! base that others share, so for exactly that file a refused read-write open is repeated
//! read-only.
//!
//! While a base is being made its mount is writable, the first try succeeds, and nothing changes.
#![no_std]

use libc::{c_char, c_int, mode_t};

const BASE: &[u8] = b"/base/memory\0";

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::abort() }
}

/// Whether a path is the base's.
///
/// # Safety
/// `path` is a C string.
unsafe fn is_base(path: *const c_char) -> bool {
    for (index, expected) in BASE.iter().enumerate() {
        // SAFETY: all bytes before were equal and none was the end, so this one is still inside.
        if *path.add(index) as u8 != *expected {
            return false;
        }
    }
    true
}

/// What the C library's function does; sets its error number likewise.
///
/// # Safety
/// `path` is what the caller gave: the kernel checks it.
unsafe fn pass_on(at: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    libc::syscall(libc::SYS_openat, at, path, flags, mode) as c_int
}

/// # Safety
/// `path` is a C string, as for every caller of the C library's function.
unsafe fn open_at(at: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    let opened = pass_on(at, path, flags, mode);
    if opened >= 0 || flags & libc::O_ACCMODE != libc::O_RDWR || path.is_null() || !is_base(path) {
        return opened;
    }
    match *libc::__errno_location() {
        libc::EROFS | libc::EACCES => pass_on(at, path, flags & !libc::O_ACCMODE, mode),
        _ => opened,
    }
}

// In C the mode is a variable argument. In every calling convention of Linux it arrives where a
// fixed one would, and the kernel ignores it unless a file is made.
macro_rules! replace {
    (open: $($name:ident)*) => {$(
        /// # Safety
        /// As `open(2)`.
        #[no_mangle]
        pub unsafe extern "C" fn $name(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
            open_at(libc::AT_FDCWD, path, flags, mode)
        }
    )*};
    (openat: $($name:ident)*) => {$(
        /// # Safety
        /// As `openat(2)`.
        #[no_mangle]
        pub unsafe extern "C" fn $name(
            at: c_int,
            path: *const c_char,
            flags: c_int,
            mode: mode_t,
        ) -> c_int {
            open_at(at, path, flags, mode)
        }
    )*};
}

// Those with `_2` have no mode and are what a hardened compilation calls when flags are computed,
// as QEMU's are for this very file.
replace!(open: open open64 __open_2 __open64_2);
replace!(openat: openat openat64 __openat_2 __openat64_2);
