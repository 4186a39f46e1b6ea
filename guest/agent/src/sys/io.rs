//! Descriptors, readiness and signals that arrive through a descriptor.

use std::io::{Error, ErrorKind, Result};
use std::os::unix::io::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use super::check;

/// Interest in data to read, told once for each change (edge-triggered).
pub const READABLE: u32 = (libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLET) as u32;
/// Interest in room to write, told once for each change.
pub const WRITABLE: u32 = (libc::EPOLLOUT | libc::EPOLLET) as u32;

/// As `READABLE`, but then silent until `Poller::listen_again`.
pub const READABLE_ONCE: u32 = READABLE | libc::EPOLLONESHOT as u32;

/// Takes over a descriptor that a system call has just made.
pub(crate) fn own(raw: libc::c_int) -> Result<OwnedFd> {
    let fd: RawFd = check(raw)?;
    // SAFETY: the kernel has just returned this descriptor to us, so nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// `Ok(None)` means that there is nothing to read now, `Ok(Some(0))` that there never will be.
pub fn read(fd: &OwnedFd, buffer: &mut [u8]) -> Result<Option<usize>> {
    // SAFETY: the buffer is valid for writes of its length during the call.
    let returned = unsafe { libc::read(fd.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len()) };
    moved(returned)
}

/// `Ok(None)` means that there is no room now.
pub fn write(fd: &OwnedFd, bytes: &[u8]) -> Result<Option<usize>> {
    // SAFETY: the bytes are valid for reads of their length during the call.
    let returned = unsafe { libc::write(fd.as_raw_fd(), bytes.as_ptr().cast(), bytes.len()) };
    moved(returned)
}

fn moved(returned: isize) -> Result<Option<usize>> {
    if returned >= 0 {
        return Ok(Some(returned as usize));
    }
    let error = Error::last_os_error();
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::Interrupted => Ok(None),
        _ => Err(error),
    }
}

/// A pipe whose ends are closed on exec: first the end to read from, then the end to write to.
pub fn pipe() -> Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: the array has room for the two descriptors.
    check(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    Ok((own(ends[0])?, own(ends[1])?))
}

/// Lets a pipe hold more; one that may not stays as it is.
pub fn widen(pipe: &OwnedFd, bytes: usize) {
    // SAFETY: no memory is passed.
    unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETPIPE_SZ, bytes as libc::c_int) };
}

pub fn set_nonblocking(fd: &OwnedFd) -> Result<()> {
    // SAFETY: no memory is passed.
    let flags = check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFL) })?;
    // SAFETY: no memory is passed.
    check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK) })?;
    Ok(())
}

/// How many bytes a pipe holds at this moment.
pub fn pending_bytes(fd: &OwnedFd) -> Result<usize> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: FIONREAD writes one int, which outlives the call.
    check(unsafe { libc::ioctl(fd.as_raw_fd(), libc::FIONREAD, &mut bytes) })?;
    Ok(bytes.max(0) as usize)
}

/// The user and process number of whoever has connected.
pub fn peer(stream: &UnixStream) -> Result<(u32, u32)> {
    let mut found = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = std::mem::size_of::<libc::ucred>() as libc::socklen_t;
    let target: *mut libc::ucred = &mut found;
    // SAFETY: the structure and its length outlive the call and belong together.
    check(unsafe {
        libc::getsockopt(stream.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PEERCRED, target.cast(), &mut length)
    })?;
    Ok((found.uid, found.pid as u32))
}

/// From now on the ends of children arrive through the returned descriptor.
pub fn child_signals() -> Result<OwnedFd> {
    // SAFETY: sigset_t is plain data, initialised by sigemptyset before it is used.
    let set = unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGCHLD);
        set
    };
    // SAFETY: the set is initialised; the old mask is not wanted.
    check(unsafe { libc::sigprocmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()) })?;
    // SAFETY: the set is initialised; -1 asks for a new descriptor.
    own(unsafe { libc::signalfd(-1, &set, libc::SFD_NONBLOCK | libc::SFD_CLOEXEC) })
}

/// What has become ready, for the token under which it was added.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub token: u64,
}

pub struct Poller {
    epoll: OwnedFd,
}

impl Poller {
    pub fn new() -> Result<Self> {
        // SAFETY: no memory is passed.
        Ok(Poller { epoll: own(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })? })
    }

    /// As `add`, for what is not a bare descriptor. Nobody else may have it, because closing it must end this.
    pub fn watch(&self, source: &impl AsRawFd, interest: u32, token: u64) -> Result<()> {
        self.register(source.as_raw_fd(), interest, token)
    }

    pub fn add(&self, fd: &OwnedFd, interest: u32, token: u64) -> Result<()> {
        self.register(fd.as_raw_fd(), interest, token)
    }

    fn register(&self, fd: RawFd, interest: u32, token: u64) -> Result<()> {
        let mut event = libc::epoll_event { events: interest, u64: token };
        // SAFETY: the event is read during the call only.
        check(unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &mut event) })?;
        Ok(())
    }

    /// Tells again of a descriptor that was added as `READABLE_ONCE`, at once if it is ready already.
    pub fn listen_again(&self, fd: &OwnedFd, token: u64) -> Result<()> {
        let mut event = libc::epoll_event { events: READABLE_ONCE, u64: token };
        // SAFETY: the event is read during the call only.
        check(unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), libc::EPOLL_CTL_MOD, fd.as_raw_fd(), &mut event) })?;
        Ok(())
    }

    /// Must precede closing: a duplicate in another process would keep the registration alive.
    pub fn remove(&self, fd: &OwnedFd) {
        // SAFETY: EPOLL_CTL_DEL ignores its event; an error only says that it was not registered.
        unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), libc::EPOLL_CTL_DEL, fd.as_raw_fd(), std::ptr::null_mut()) };
    }

    /// Waits for events, at most so long; a negative time is for ever.
    pub fn wait(&self, timeout_millis: i32) -> Result<Vec<Event>> {
        const BATCH: usize = 64;
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; BATCH];
        // SAFETY: the array has room for BATCH events.
        let returned = check(unsafe {
            libc::epoll_wait(self.epoll.as_raw_fd(), events.as_mut_ptr(), BATCH as libc::c_int, timeout_millis)
        });
        match returned {
            Ok(count) => Ok(events[..count as usize].iter().map(|event| Event { token: event.u64 }).collect()),
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}
