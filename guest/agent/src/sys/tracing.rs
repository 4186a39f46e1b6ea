//! Being woken by the kernel when something happens inside it that no other interface tells of.

use std::io::{Error, Result};
use std::os::unix::io::{AsRawFd, OwnedFd};
use std::ptr;

use super::io::own;
use super::{c_string, check};

const TYPE_TRACEPOINT: u32 = 2;
const CLOSE_ON_EXEC: libc::c_ulong = 8;
const SET_FILTER: libc::c_ulong = 0x4008_2406;
/// One page of bookkeeping and one of data, the smallest that the kernel offers.
const MAPPED_PAGES: usize = 2;

/// The first version of the kernel's `perf_event_attr`, which every kernel takes.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_kind: u32,
    breakpoint_address: u64,
}

/// Becomes readable each time a trace point is passed on one processor.
///
/// What it says is not read: the data page is mapped to be overwritten, and waiting for it clears it.
pub struct TracePoint {
    fd: OwnedFd,
    mapping: *mut libc::c_void,
    bytes: usize,
}

impl TracePoint {
    /// On one processor, for all processes; the filter is in the kernel's own language.
    fn on_processor(id: u64, processor: libc::c_int, filter: &[u8]) -> Result<Self> {
        let attributes = Attributes {
            kind: TYPE_TRACEPOINT,
            size: std::mem::size_of::<Attributes>() as u32,
            config: id,
            sample_period: 1,
            wakeup_events: 1,
            ..Attributes::default()
        };
        let (everybody, no_group): (libc::pid_t, libc::c_int) = (-1, -1);
        // SAFETY: the attributes are as long as they say.
        let raw = unsafe {
            libc::syscall(libc::SYS_perf_event_open, &attributes, everybody, processor, no_group, CLOSE_ON_EXEC)
        };
        let fd = own(raw as libc::c_int)?;
        let filter = c_string(filter)?;
        // SAFETY: the filter is a valid C string.
        check(unsafe { libc::ioctl(fd.as_raw_fd(), SET_FILTER, filter.as_ptr()) })?;
        // SAFETY: no memory is passed.
        let bytes = MAPPED_PAGES * unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        // SAFETY: a new mapping at a place that the kernel chooses.
        let mapping =
            unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_READ, libc::MAP_SHARED, fd.as_raw_fd(), 0) };
        if mapping == libc::MAP_FAILED {
            return Err(Error::last_os_error());
        }
        Ok(TracePoint { fd, mapping, bytes })
    }

    /// One for each processor.
    pub fn everywhere(id: u64, filter: &[u8]) -> Result<Vec<TracePoint>> {
        // SAFETY: no memory is passed.
        let processors = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) } as libc::c_int;
        (0..processors).map(|processor| TracePoint::on_processor(id, processor, filter)).collect()
    }

    pub fn fd(&self) -> &OwnedFd {
        &self.fd
    }
}

impl Drop for TracePoint {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, of this length, and nothing points into it.
        unsafe { libc::munmap(self.mapping, self.bytes) };
    }
}

/// From now on mounts of this process are seen by no other.
pub fn own_mounts() -> Result<()> {
    // SAFETY: no memory is passed.
    check(unsafe { libc::unshare(libc::CLONE_NEWNS) })?;
    let root = c_string(b"/")?;
    let flags = libc::MS_REC | libc::MS_PRIVATE;
    // SAFETY: the path is a valid C string; changing how mounts spread takes nothing else.
    check(unsafe { libc::mount(ptr::null(), root.as_ptr(), ptr::null(), flags, ptr::null()) })?;
    Ok(())
}
