//! What the program may use up, as far as a process can be limited by itself.

use crate::arguments::Arguments;
use crate::failure::{Failure, Step};
use crate::sys;

/// When memory runs out a machine goes before the server does.
const OUT_OF_MEMORY_SCORE: &str = "300";
/// Threads, since the filter allows no processes: QEMU's block layer alone may start 64 of them,
/// and one it cannot start ends the machine.
const THREADS: u64 = 128;

/// Priorities, which are set through the host's `/proc` and with root's rights.
pub fn lower_priority(arguments: &Arguments) -> Result<(), Failure> {
    std::fs::write("/proc/self/oom_score_adj", OUT_OF_MEMORY_SCORE).step("set oom score")?;
    sys::set_niceness(arguments.niceness).step("set niceness")
}

/// Hard limits; without capabilities none of them can be raised again.
pub fn restrict(arguments: &Arguments) -> Result<(), Failure> {
    let limits = [
        (libc::RLIMIT_NOFILE, arguments.open_files),
        (libc::RLIMIT_NPROC, THREADS),
        (libc::RLIMIT_CORE, 0),
        (libc::RLIMIT_MEMLOCK, 0),
        (libc::RLIMIT_MSGQUEUE, 0),
    ];
    for (resource, most) in limits {
        sys::set_limit(resource, most, most).step("set limits")?;
    }
    if let Some(bytes) = arguments.file_bytes {
        sys::set_limit(libc::RLIMIT_FSIZE, bytes, bytes).step("set file size limit")?;
    }
    Ok(())
}
