//! Sockets: pairs that keep packets apart and pass descriptors on, connections, waiting.

use std::io::{Error, ErrorKind, Result};
use std::mem;
use std::net::{SocketAddr, SocketAddrV4, SocketAddrV6};
use std::os::unix::io::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::check;
use super::io::own;

/// The longest path of a unix socket, without the zero that ends it.
pub const MAX_SOCKET_PATH_BYTES: usize = 107;

/// Room for a control message with one descriptor.
const CONTROL_WORDS: usize = 4;

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

/// As `send`, with a descriptor that the receiver gets a copy of; the bytes must not be empty.
pub fn send_descriptor(socket: &OwnedFd, bytes: &[u8], descriptor: &OwnedFd) -> Result<()> {
    let mut control = [0u64; CONTROL_WORDS];
    let mut part = libc::iovec { iov_base: bytes.as_ptr() as *mut libc::c_void, iov_len: bytes.len() };
    let message = message(&mut part, &mut control);
    // SAFETY: the control buffer is aligned and has room for one descriptor; the kernel only reads what the
    // message points to, all of which outlives the call.
    check(unsafe {
        let header = libc::CMSG_FIRSTHDR(&message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(mem::size_of::<RawFd>() as u32) as _;
        libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(descriptor.as_raw_fd());
        libc::sendmsg(socket.as_raw_fd(), &message, libc::MSG_NOSIGNAL) as libc::c_int
    })?;
    Ok(())
}

/// What was sent at once, and the descriptor that came with it; `Ok(None)` means that there is nothing now.
pub fn receive(socket: &OwnedFd, buffer: &mut [u8]) -> Result<Option<(usize, Option<OwnedFd>)>> {
    let mut control = [0u64; CONTROL_WORDS];
    let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    let mut message = message(&mut part, &mut control);
    // SAFETY: the buffers are valid for writes of their lengths during the call; the control buffer has room for
    // one descriptor only, and the kernel closes what does not fit.
    let length = unsafe { libc::recvmsg(socket.as_raw_fd(), &mut message, libc::MSG_CMSG_CLOEXEC) };
    if length < 0 {
        let error = Error::last_os_error();
        return match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::Interrupted => Ok(None),
            _ => Err(error),
        };
    }
    // SAFETY: the kernel has filled the control buffer as far as the message says; a descriptor in it is ours alone.
    let descriptor = unsafe {
        let header = libc::CMSG_FIRSTHDR(&message);
        if header.is_null() || (*header).cmsg_type != libc::SCM_RIGHTS {
            None
        } else {
            Some(OwnedFd::from_raw_fd(libc::CMSG_DATA(header).cast::<RawFd>().read_unaligned()))
        }
    };
    Ok(Some((length as usize, descriptor)))
}

/// The control buffer has room for one descriptor and no more.
fn message(part: &mut libc::iovec, control: &mut [u64; CONTROL_WORDS]) -> libc::msghdr {
    // SAFETY: a message header is plain data.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_iov = part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    // SAFETY: computes a number.
    message.msg_controllen = unsafe { libc::CMSG_SPACE(mem::size_of::<RawFd>() as u32) } as _;
    message
}

/// A connection under way to a TCP port; it has come about when it can be written to.
pub fn connect_tcp(target: &SocketAddr) -> Result<OwnedFd> {
    match target {
        SocketAddr::V4(four) => connect(&address_four(four), libc::AF_INET),
        SocketAddr::V6(six) => connect(&address_six(six), libc::AF_INET6),
    }
}

fn address_four(target: &SocketAddrV4) -> libc::sockaddr_in {
    // SAFETY: an address is plain data.
    let mut address: libc::sockaddr_in = unsafe { mem::zeroed() };
    address.sin_family = libc::AF_INET as libc::sa_family_t;
    address.sin_port = target.port().to_be();
    address.sin_addr.s_addr = u32::from(*target.ip()).to_be();
    address
}

fn address_six(target: &SocketAddrV6) -> libc::sockaddr_in6 {
    // SAFETY: an address is plain data.
    let mut address: libc::sockaddr_in6 = unsafe { mem::zeroed() };
    address.sin6_family = libc::AF_INET6 as libc::sa_family_t;
    address.sin6_port = target.port().to_be();
    address.sin6_addr.s6_addr = target.ip().octets();
    address.sin6_scope_id = target.scope_id();
    address
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
    connect(&address, libc::AF_UNIX)
}

fn connect<T>(address: &T, family: libc::c_int) -> Result<OwnedFd> {
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: no memory is passed.
    let socket = own(unsafe { libc::socket(family, kind, 0) })?;
    let (pointer, length) = ((address as *const T).cast(), mem::size_of::<T>());
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

/// A connection that has come to a listening socket, and from where if that has an address; nothing if none is there.
pub fn accept(listener: &OwnedFd) -> Option<(OwnedFd, Option<SocketAddr>)> {
    // SAFETY: an address is plain data.
    let mut address: libc::sockaddr_in6 = unsafe { mem::zeroed() };
    let mut length = mem::size_of_val(&address) as libc::socklen_t;
    let target: *mut libc::sockaddr_in6 = &mut address;
    let flags = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: the address has the length that is said, which is enough for either version.
    let connection = own(unsafe { libc::accept4(listener.as_raw_fd(), target.cast(), &mut length, flags) }).ok()?;
    let from = match libc::c_int::from(address.sin6_family) {
        libc::AF_INET6 => Some(SocketAddr::from((address.sin6_addr.s6_addr, u16::from_be(address.sin6_port)))),
        libc::AF_INET => {
            // SAFETY: the kernel says that this address is of version 4, which is shorter.
            let four = unsafe { target.cast::<libc::sockaddr_in>().read_unaligned() };
            Some(SocketAddr::from((four.sin_addr.s_addr.to_ne_bytes(), u16::from_be(four.sin_port))))
        }
        _ => None,
    };
    Some((connection, from))
}
