//! The only unsafe code of the launcher: one thin, typed function per kernel call.
//!
//! Common to every SAFETY note here: pointers are to live borrowed values for the length of the
//! call, lengths are those of the values, and the process has a single thread.

use std::ffi::CStr;
use std::io;
use std::os::unix::io::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

macro_rules! call {
    ($number:expr $(, $argument:expr)*) => {
        // SAFETY: see the head of this file; arguments are integers or such pointers, all widened
        // so that no half of a register is left undefined.
        checked(unsafe { libc::syscall($number $(, $argument as usize)*) })
    };
}

fn checked(returned: libc::c_long) -> io::Result<libc::c_long> {
    if returned < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(returned)
}

fn owned(returned: libc::c_long) -> OwnedFd {
    // SAFETY: called only with a descriptor that the kernel has just handed to us alone.
    unsafe { OwnedFd::from_raw_fd(returned as RawFd) }
}

/// Where a path starts: the working directory.
pub fn here() -> BorrowedFd<'static> {
    // SAFETY: AT_FDCWD is never closed.
    unsafe { BorrowedFd::borrow_raw(libc::AT_FDCWD) }
}

/// `openat2`: `resolve` says which links and mounts may be crossed on the way.
pub fn open(at: BorrowedFd, path: &CStr, flags: i32, mode: u32, resolve: u64) -> io::Result<OwnedFd> {
    let how: [u64; 3] = [(flags | libc::O_CLOEXEC) as u64, mode.into(), resolve];
    call!(libc::SYS_openat2, at.as_raw_fd(), path.as_ptr(), how.as_ptr(), 24usize).map(owned)
}

pub fn file_status(file: BorrowedFd) -> io::Result<libc::stat> {
    // SAFETY: an all-zero stat is valid, and fstat fills it.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    call!(libc::SYS_fstat, file.as_raw_fd(), &mut status as *mut _)?;
    Ok(status)
}

pub fn remove(at: BorrowedFd, name: &CStr) -> io::Result<()> {
    call!(libc::SYS_unlinkat, at.as_raw_fd(), name.as_ptr(), 0).map(drop)
}

pub fn make_node(at: BorrowedFd, name: &CStr, mode: u32, device: u64, owner: u32) -> io::Result<()> {
    call!(libc::SYS_mknodat, at.as_raw_fd(), name.as_ptr(), mode, device)?;
    call!(libc::SYS_fchownat, at.as_raw_fd(), name.as_ptr(), owner, owner, 0).map(drop)
}

pub fn device_number(major: u32, minor: u32) -> u64 {
    libc::makedev(major, minor)
}

pub fn set_file_mask(mask: u32) {
    // SAFETY: touches no memory and cannot fail.
    unsafe { libc::umask(mask) };
}

/// A pipe that ends with exec: (reading end, writing end).
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0 as RawFd; 2];
    call!(libc::SYS_pipe2, ends.as_mut_ptr(), libc::O_CLOEXEC)?;
    Ok((owned(ends[0].into()), owned(ends[1].into())))
}

/// A short message into a pipe.
pub fn write(file: RawFd, message: &[u8]) -> io::Result<()> {
    call!(libc::SYS_write, file, message.as_ptr(), message.len()).map(drop)
}

/// Copies a descriptor to a fixed number and closes the original.
pub fn place(file: OwnedFd, number: RawFd, flags: i32) -> io::Result<()> {
    call!(libc::SYS_dup3, file.as_raw_fd(), number, flags).map(drop)
}

pub fn close_range(first: u32, last: u32) -> io::Result<()> {
    call!(libc::SYS_close_range, first, last, 0).map(drop)
}

/// Forks: `None` in the child, the child's process id in the parent.
pub fn fork() -> io::Result<Option<i32>> {
    // SAFETY: a single thread, so the child may go on as if nothing had happened.
    let child = checked(unsafe { libc::fork() }.into())?;
    Ok(if child == 0 { None } else { Some(child as i32) })
}

/// Ends the process without running anything else of it.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: does not return.
    unsafe { libc::_exit(code) }
}

/// Kills and buries a child; nothing to do if it has ended.
pub fn end_child(child: i32) {
    // SAFETY: the child is ours and unwaited, so its number cannot belong to another process.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        libc::waitpid(child, std::ptr::null_mut(), 0);
    }
}

/// Whether a child has ended, without waiting for it or burying it.
pub fn has_ended(child: i32) -> bool {
    // SAFETY: an all-zero siginfo is valid, and stays so while the child lives.
    let mut found: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    let waited = call!(libc::SYS_waitid, libc::P_PID, child, &mut found as *mut _, options, 0);
    waited.is_err() || found.si_signo != 0
}

pub fn new_session() -> io::Result<()> {
    call!(libc::SYS_setsid).map(drop)
}

pub fn unshare(namespaces: i32) -> io::Result<()> {
    call!(libc::SYS_unshare, namespaces).map(drop)
}

pub fn set_host_name(name: &[u8]) -> io::Result<()> {
    call!(libc::SYS_sethostname, name.as_ptr(), name.len()).map(drop)
}

pub fn set_niceness(niceness: i32) -> io::Result<()> {
    call!(libc::SYS_setpriority, libc::PRIO_PROCESS, 0, niceness).map(drop)
}

/// Stops mount events from travelling between this namespace and the host's.
pub fn make_mounts_private() -> io::Result<()> {
    let flags = libc::MS_REC | libc::MS_PRIVATE;
    call!(libc::SYS_mount, 0usize, b"/\0".as_ptr(), 0usize, flags, 0usize).map(drop)
}

/// A copy of one mount beginning at an open file or folder, attached nowhere yet.
pub fn clone_mount(source: BorrowedFd) -> io::Result<OwnedFd> {
    const OPEN_TREE_CLONE: i32 = 1;
    let flags = OPEN_TREE_CLONE | libc::O_CLOEXEC | libc::AT_EMPTY_PATH;
    call!(libc::SYS_open_tree, source.as_raw_fd(), b"\0".as_ptr(), flags).map(owned)
}

/// A new, empty tmpfs, attached nowhere yet.
pub fn new_tmpfs(options: &[(&CStr, &CStr)]) -> io::Result<OwnedFd> {
    const SET_STRING: u32 = 1;
    const CREATE: u32 = 6;
    let context = call!(libc::SYS_fsopen, b"tmpfs\0".as_ptr(), 1).map(owned)?;
    let raw = context.as_raw_fd();
    for (key, value) in options {
        call!(libc::SYS_fsconfig, raw, SET_STRING, key.as_ptr(), value.as_ptr(), 0)?;
    }
    call!(libc::SYS_fsconfig, raw, CREATE, 0usize, 0usize, 0)?;
    call!(libc::SYS_fsmount, raw, 1, 0).map(owned)
}

/// Sets attributes of exactly one mount.
pub fn restrict_mount(mount: BorrowedFd, attributes: u64) -> io::Result<()> {
    let change: [u64; 4] = [attributes, 0, 0, 0];
    let raw = mount.as_raw_fd();
    let flags = libc::AT_EMPTY_PATH;
    call!(libc::SYS_mount_setattr, raw, b"\0".as_ptr(), flags, change.as_ptr(), 32usize).map(drop)
}

/// Attaches a mount at a path below `at` (`""` is `at` itself); a link at its end is not followed.
pub fn attach_mount(mount: BorrowedFd, at: BorrowedFd, path: &CStr) -> io::Result<()> {
    const EMPTY_SOURCE_AND_TARGET: u32 = 0x4 | 0x40;
    let (from, to) = (mount.as_raw_fd(), at.as_raw_fd());
    let source = b"\0".as_ptr();
    call!(libc::SYS_move_mount, from, source, to, path.as_ptr(), EMPTY_SOURCE_AND_TARGET).map(drop)
}

/// Makes an attached mount the root and lets go of the old one.
pub fn change_root(root: BorrowedFd) -> io::Result<()> {
    call!(libc::SYS_fchdir, root.as_raw_fd())?;
    // Both at one place: the old root then lies over the new one and is what "." detaches.
    call!(libc::SYS_pivot_root, b".\0".as_ptr(), b".\0".as_ptr())?;
    call!(libc::SYS_umount2, b".\0".as_ptr(), libc::MNT_DETACH)?;
    call!(libc::SYS_chdir, b"/\0".as_ptr()).map(drop)
}

/// Enters a namespace, which must be of the given kind.
pub fn enter_namespace(namespace: BorrowedFd, kind: i32) -> io::Result<()> {
    call!(libc::SYS_setns, namespace.as_raw_fd(), kind).map(drop)
}

/// Binds an open tun descriptor to a tap device of the network namespace it was opened in; one that
/// does not exist is made.
pub fn attach_tap(tun: BorrowedFd, name: &[u8], flags: i32) -> io::Result<()> {
    const TUNSETIFF: u64 = 0x4004_54ca;
    // SAFETY: an all-zero ifreq is valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(name) {
        *to = *from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = flags as libc::c_short;
    call!(libc::SYS_ioctl, tun.as_raw_fd(), TUNSETIFF, &mut request as *mut _).map(drop)
}

/// Whether the tap of a descriptor was there before and will be there after it.
pub fn tap_is_persistent(tun: BorrowedFd) -> io::Result<bool> {
    const TUNGETIFF: u64 = 0x8004_54d2;
    const PERSISTENT: libc::c_short = 0x0800;
    // SAFETY: an all-zero ifreq is valid, and the call fills it.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    call!(libc::SYS_ioctl, tun.as_raw_fd(), TUNGETIFF, &mut request as *mut _)?;
    // SAFETY: this call fills the flags of the union.
    Ok(unsafe { request.ifr_ifru.ifru_flags } & PERSISTENT != 0)
}

pub fn limit(resource: u32) -> io::Result<libc::rlimit64> {
    let mut found = libc::rlimit64 { rlim_cur: 0, rlim_max: 0 };
    call!(libc::SYS_prlimit64, 0, resource, 0usize, &mut found as *mut _)?;
    Ok(found)
}

pub fn set_limit(resource: u32, soft: u64, hard: u64) -> io::Result<()> {
    let wanted = libc::rlimit64 { rlim_cur: soft, rlim_max: hard };
    call!(libc::SYS_prlimit64, 0, resource, &wanted as *const _, 0usize).map(drop)
}

/// Default handling and no blocking of every signal: exec would keep what is ignored or blocked.
pub fn reset_signals() {
    // SAFETY: an all-zero set is empty; signals that cannot be changed answer with an error.
    unsafe {
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let none: libc::sigset_t = std::mem::zeroed();
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
    }
}

pub fn process_control(option: i32, argument: usize) -> io::Result<()> {
    call!(libc::SYS_prctl, option, argument, 0usize, 0usize, 0usize).map(drop)
}

/// Real, effective, saved and file-system ids become `id`; no supplementary groups.
pub fn set_identity(id: u32) -> io::Result<()> {
    call!(libc::SYS_setgroups, 0usize, 0usize)?;
    call!(libc::SYS_setresgid, id, id, id)?;
    call!(libc::SYS_setresuid, id, id, id).map(drop)
}

/// Empties the effective, permitted and inheritable capability sets.
pub fn drop_capabilities() -> io::Result<()> {
    let header: [u32; 2] = [0x2008_0522, 0];
    let sets = [0u32; 6];
    call!(libc::SYS_capset, header.as_ptr(), sets.as_ptr()).map(drop)
}

/// The Landlock version of this kernel, or an error where there is none.
pub fn landlock_version() -> io::Result<i64> {
    call!(libc::SYS_landlock_create_ruleset, 0usize, 0usize, 1)
}

/// A rule set handling the given (file, network, scope) accesses; `size` is what the version knows.
pub fn landlock_rules(handled: &[u64; 3], size: usize) -> io::Result<OwnedFd> {
    let size = size.min(std::mem::size_of_val(handled));
    call!(libc::SYS_landlock_create_ruleset, handled.as_ptr(), size, 0).map(owned)
}

pub fn landlock_allow(rules: BorrowedFd, beneath: BorrowedFd, access: u64) -> io::Result<()> {
    #[repr(C, packed)]
    struct PathBeneath(u64, i32);
    let rule = PathBeneath(access, beneath.as_raw_fd());
    call!(libc::SYS_landlock_add_rule, rules.as_raw_fd(), 1, &rule as *const _, 0).map(drop)
}

pub fn landlock_enter(rules: BorrowedFd) -> io::Result<()> {
    call!(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0).map(drop)
}

pub fn install_filter(filter: &[libc::sock_filter]) -> io::Result<()> {
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr() as *mut _ };
    call!(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &program as *const _).map(drop)
}

/// Becomes the program behind a descriptor, with no environment; returns only if that fails.
pub fn execute(program: RawFd, arguments: &[&CStr]) -> io::Error {
    let mut pointers: Vec<_> = arguments.iter().map(|argument| argument.as_ptr()).collect();
    pointers.push(std::ptr::null());
    let environment: [*const libc::c_char; 1] = [std::ptr::null()];
    let (argv, envp) = (pointers.as_ptr(), environment.as_ptr());
    match call!(libc::SYS_execveat, program, b"\0".as_ptr(), argv, envp, libc::AT_EMPTY_PATH) {
        Err(error) => error,
        Ok(_) => unreachable!("exec returned"),
    }
}

/// The processor's own counter of time.
#[cfg(target_arch = "x86_64")]
pub fn time_stamp_counter() -> u64 {
    // SAFETY: reads a register that every x86-64 processor has; no memory is touched.
    unsafe { core::arch::x86_64::_rdtsc() }
}
