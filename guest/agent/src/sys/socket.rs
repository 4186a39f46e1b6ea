//! Sockets: pairs that keep packets apart, connections within the machine, waiting.

use std::io::{Error, ErrorKind, Result};
use std::mem;
use std::os::unix::io::{AsRawFd, OwnedFd};

use super::check;
use super::io::own;

/// The longest path of a unix socket, without the zero that ends it.
pub const MAX_SOCKET_PATH_BYTES: usize = 107;

/// Two connected sockets that keep what is sent at once together; both are closed on exec.
pub fn packet_pair() -> Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
    // SAFETY: the array has room for the two descriptors.
    check(unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) })?;
    Ok((own(ends[0])?, own(ends[1])?))
}

/// `Ok(None)` means that there is no room now; a peer that is gone is an error and no signal.
pub fn send(socket: &OwnedFd, bytes: &[u8]) -> Result<Option<usize>> {
    // SAFETY: the bytes are valid for reads of their length during the call.
    let returned = unsafe { libc::send(socket.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL) };
    if returned >= 0 {
        return Ok(Some(returned as usize));
    }
    let error = Error::last_os_error();
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::Interrupted => Ok(None),
        _ => Err(error),
    }
}

/// A connection under way to a port of the machine itself; it has come about when it can be written to.
pub fn connect_tcp(port: u16, version_six: bool) -> Result<OwnedFd> {
    if version_six {
        // SAFETY: an address is plain data.
        let mut address: libc::sockaddr_in6 = unsafe { mem::zeroed() };
        address.sin6_family = libc::AF_INET6 as libc::sa_family_t;
        address.sin6_port = port.to_be();
        address.sin6_addr.s6_addr[15] = 1;
        return connect(&address, mem::size_of_val(&address), libc::AF_INET6);
    }
    // SAFETY: an address is plain data.
    let mut address: libc::sockaddr_in = unsafe { mem::zeroed() };
    address.sin_family = libc::AF_INET as libc::sa_family_t;
    address.sin_port = port.to_be();
    address.sin_addr.s_addr = u32::from_be_bytes([127, 0, 0, 1]).to_be();
    connect(&address, mem::size_of_val(&address), libc::AF_INET)
}

/// A connection to a unix socket by its path.
pub fn connect_unix(path: &[u8]) -> Result<OwnedFd> {
    if path.is_empty() || path.len() > MAX_SOCKET_PATH_BYTES || path.contains(&0) {
        return Err(Error::from_raw_os_error(libc::EINVAL));
    }
    // SAFETY: an address is plain data.
    let mut address: libc::sockaddr_un = unsafe { mem::zeroed() };
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    for (target, &source) in address.sun_path.iter_mut().zip(path) {
        *target = source as libc::c_char;
    }
    connect(&address, mem::size_of_val(&address), libc::AF_UNIX)
}

fn connect<T>(address: &T, length: usize, family: libc::c_int) -> Result<OwnedFd> {
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: no memory is passed.
    let socket = own(unsafe { libc::socket(family, kind, 0) })?;
    let pointer = (address as *const T).cast();
    // SAFETY: the address is of its family and as long as is said.
    let connected = check(unsafe { libc::connect(socket.as_raw_fd(), pointer, length as libc::socklen_t) });
    match connected {
        Ok(_) => Ok(socket),
        Err(error) if error.raw_os_error() == Some(libc::EINPROGRESS) => Ok(socket),
        Err(error) => Err(error),
    }
}

/// `Ok(false)` while a connection is still under way.
pub fn is_connected(socket: &OwnedFd) -> Result<bool> {
    let mut error: libc::c_int = 0;
    let mut length = mem::size_of_val(&error) as libc::socklen_t;
    // SAFETY: SO_ERROR writes one int.
    check(unsafe {
        let target = (&mut error as *mut libc::c_int).cast();
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_ERROR, target, &mut length)
    })?;
    if error != 0 {
        return Err(Error::from_raw_os_error(error));
    }
    let mut poll = [libc::pollfd { fd: socket.as_raw_fd(), events: libc::POLLOUT, revents: 0 }];
    // SAFETY: the array has one element.
    check(unsafe { libc::poll(poll.as_mut_ptr(), 1, 0) })?;
    Ok(poll[0].revents & libc::POLLOUT != 0)
}

/// Small pieces leave at once: whoever sends them has collected them already.
pub fn send_at_once(socket: &OwnedFd) {
    let yes: libc::c_int = 1;
    let length = mem::size_of_val(&yes) as libc::socklen_t;
    let value = (&yes as *const libc::c_int).cast();
    // SAFETY: TCP_NODELAY reads one int; a socket without it says so, which changes nothing.
    unsafe { libc::setsockopt(socket.as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_NODELAY, value, length) };
}

/// The peer sees the end of what we send; what it sends is still read.
pub fn end_sending(socket: &OwnedFd) {
    // SAFETY: no memory is passed; a peer that is gone needs no telling.
    unsafe { libc::shutdown(socket.as_raw_fd(), libc::SHUT_WR) };
}

/// Waits until one of the descriptors has something to read or is gone; negative is for ever.
pub fn wait_readable(descriptors: &[&dyn AsRawFd], timeout_millis: i32) -> Result<Vec<bool>> {
    let mut polls: Vec<libc::pollfd> =
        descriptors.iter().map(|fd| libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 }).collect();
    // SAFETY: the array has as many elements as is said.
    let returned = check(unsafe { libc::poll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, timeout_millis) });
    match returned {
        Err(error) if error.kind() != ErrorKind::Interrupted => Err(error),
        _ => Ok(polls.iter().map(|poll| poll.revents != 0).collect()),
    }
}

/// True if the peer has closed its end, also with something left to read.
pub fn is_hung_up(socket: &OwnedFd) -> Result<bool> {
    let mut poll = [libc::pollfd { fd: socket.as_raw_fd(), events: 0, revents: 0 }];
    // SAFETY: the array has one element.
    check(unsafe { libc::poll(poll.as_mut_ptr(), 1, 0) })?;
    Ok(poll[0].revents & libc::POLLHUP != 0)
}
