//! Interfaces, their addresses and the way out, where no other program sets them.

use std::io::Result;
use std::net::Ipv4Addr;
use std::os::unix::io::AsRawFd;

use super::check;

const LOOPBACK: &[u8] = b"lo";
const CARD: &[u8] = b"eth0";

// The same in every machine, so that a fork needs no others.
const ADDRESS: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 15);
const MASK: Ipv4Addr = Ipv4Addr::new(255, 255, 255, 0);
const GATEWAY: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 2);

pub fn raise_loopback() -> Result<()> {
    raise(&open()?, LOOPBACK)
}

/// Gives the first network card its fixed address, and the machine its way out.
pub fn raise_card() -> Result<()> {
    let socket = open()?;
    let mut request = named(CARD);
    request.ifr_ifru.ifru_addr = address(ADDRESS);
    // SAFETY: SIOCSIFADDR reads one ifreq.
    check(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFADDR as libc::c_ulong, &request) })?;
    request.ifr_ifru.ifru_netmask = address(MASK);
    // SAFETY: SIOCSIFNETMASK reads one ifreq.
    check(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFNETMASK as libc::c_ulong, &request) })?;
    raise(&socket, CARD)?;
    // SAFETY: rtentry is plain data; all zeros is a route to everywhere through no interface in particular.
    let mut route: libc::rtentry = unsafe { std::mem::zeroed() };
    route.rt_dst = address(Ipv4Addr::UNSPECIFIED);
    route.rt_genmask = address(Ipv4Addr::UNSPECIFIED);
    route.rt_gateway = address(GATEWAY);
    route.rt_flags = (libc::RTF_UP | libc::RTF_GATEWAY) as libc::c_ushort;
    // SAFETY: SIOCADDRT reads one rtentry.
    check(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCADDRT as libc::c_ulong, &route) })?;
    Ok(())
}

fn open() -> Result<impl AsRawFd> {
    // SAFETY: no memory is passed.
    super::io::own(unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) })
}

fn raise(socket: &impl AsRawFd, name: &[u8]) -> Result<()> {
    let mut request = named(name);
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: SIOCSIFFLAGS reads one ifreq.
    check(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as libc::c_ulong, &request) })?;
    Ok(())
}

fn named(name: &[u8]) -> libc::ifreq {
    // SAFETY: ifreq is plain data; its name ends with the zeros it is filled with.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(name) {
        *to = *from as libc::c_char;
    }
    request
}

fn address(ip: Ipv4Addr) -> libc::sockaddr {
    // SAFETY: sockaddr is plain data.
    let mut generic: libc::sockaddr = unsafe { std::mem::zeroed() };
    generic.sa_family = libc::AF_INET as libc::sa_family_t;
    // Two bytes of port, then the address.
    for (to, from) in generic.sa_data[2..].iter_mut().zip(ip.octets()) {
        *to = from as libc::c_char;
    }
    generic
}
