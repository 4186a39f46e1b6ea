//! From root to nobody in particular, with no way back.

use crate::failure::{Failure, Step};
use crate::sys;

// Root's id gives no capabilities, changing ids changes none, none can be kept or made ambient:
// each setting followed by its lock, except that keeping capabilities is only locked, because it is
// off.
const SECURE_BITS: usize = 0b1110_1111;

/// Drops capabilities, groups and ids; the order matters, as each step needs what the next removes.
pub fn drop_all(uid: u32) -> Result<(), Failure> {
    for capability in 0..64 {
        if let Err(error) = sys::process_control(libc::PR_CAPBSET_DROP, capability) {
            // The kernel's own highest number is passed.
            if error.raw_os_error() == Some(libc::EINVAL) {
                break;
            }
            return Err(error).step("empty bounding set");
        }
    }
    let clear_all = libc::PR_CAP_AMBIENT_CLEAR_ALL as usize;
    sys::process_control(libc::PR_CAP_AMBIENT, clear_all).step("empty ambient set")?;
    sys::process_control(libc::PR_SET_SECUREBITS, SECURE_BITS).step("lock secure bits")?;
    sys::set_identity(uid).step("change ids")?;
    sys::drop_capabilities().step("drop capabilities")
}

/// From here on no exec can give more rights than the process has.
pub fn renounce_new() -> Result<(), Failure> {
    sys::process_control(libc::PR_SET_NO_NEW_PRIVS, 1).step("renounce new privileges")
}
