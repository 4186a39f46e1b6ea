//! Processes that act for the agent with the rights of a user.

use std::io::Result;
use std::os::unix::io::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::process::{give_back, Inherited};
use super::socket::packet_pair;
use super::{c_string, check};

/// Whose rights a helper has: everything the kernel asks about when files are touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rights {
    pub uid: u32,
    pub gid: u32,
    pub groups: Vec<u32>,
}

const SOCKET: RawFd = 3;
const FAILED: libc::c_int = 127;

/// Forks a process that has these rights and no others, and the agent's end of its socket.
///
/// It keeps none of the agent's descriptors and all of its code: it starts no program, so it is there
/// within the time of a fork. It cannot go back: once it is somebody else, it has no capabilities.
pub fn fork(rights: &Rights, inherited: &Inherited, serve: fn(OwnedFd)) -> Result<(i32, OwnedFd)> {
    let (ours, theirs) = packet_pair()?;
    super::io::set_nonblocking(&ours)?;
    let oom_path = c_string(b"/proc/self/oom_score_adj")?;
    // SAFETY: the agent has one thread, so the child's memory is consistent and it may go on as usual.
    let pid = check(unsafe { libc::fork() })?;
    if pid != 0 {
        return Ok((pid, ours));
    }
    // SAFETY: this is the forked child, which owns its copies of the descriptors and leaves by _exit.
    unsafe {
        if give_back(inherited, &oom_path).is_err() || !keep_only(theirs.as_raw_fd()) || !become_user(rights) {
            libc::_exit(FAILED);
        }
        libc::prctl(libc::PR_SET_NAME, b"boxd-helper\0".as_ptr());
        // What it writes to may be gone; that is an error and not the end.
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        // The modes that are asked for are meant.
        libc::umask(0);
        serve(OwnedFd::from_raw_fd(SOCKET));
        libc::_exit(0)
    }
}

unsafe fn keep_only(socket: RawFd) -> bool {
    if socket == SOCKET {
        if libc::fcntl(SOCKET, libc::F_SETFD, libc::FD_CLOEXEC) < 0 {
            return false;
        }
    } else if libc::dup3(socket, SOCKET, libc::O_CLOEXEC) < 0 {
        return false;
    }
    let first = SOCKET + 1;
    if libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) == 0 {
        return true;
    }
    // Kernels before 5.9.
    for fd in first..libc::sysconf(libc::_SC_OPEN_MAX) as RawFd {
        libc::close(fd);
    }
    true
}

unsafe fn become_user(rights: &Rights) -> bool {
    libc::setgroups(rights.groups.len(), rights.groups.as_ptr()) == 0
        && libc::setresgid(rights.gid, rights.gid, rights.gid) == 0
        && libc::setresuid(rights.uid, rights.uid, rights.uid) == 0
}
