//! Reaching anything over a network or a local socket, and misusing what was given.

use crate::sys::{address, call, close, gains, output, text, Outcome};
use crate::targets::Targets;
use crate::Record;
use libc::*;
use std::os::unix::net::UnixStream;

/// Fixed numbers of what a cell is given.
const QMP: usize = 3;
const TAP: usize = 6;
const INCOMING: usize = 7;
const SAVED: usize = 8;

const SIOCGIFNAME: usize = 0x8910;
const TUNGETIFF: usize = 0x8004_54d2;

/// Looks for descriptors that nobody meant to give, before this program opens any itself.
pub fn find_descriptors(record: &mut Record) {
    record.attempt("other-descriptors", || {
        let flags = F_GETFD as usize;
        let open: Vec<_> = (9..4096).filter(|file| call(SYS_fcntl, &[*file, flags]).is_ok()).collect();
        if open.is_empty() {
            return Err(EBADF);
        }
        Ok(format!("{:?}", open))
    });
}

pub fn attempt(targets: &Targets, record: &mut Record) {
    let families = [
        ("inet-stream", AF_INET, SOCK_STREAM, 0),
        ("inet-datagram", AF_INET, SOCK_DGRAM, 0),
        ("inet-raw", AF_INET, SOCK_RAW, IPPROTO_ICMP),
        ("inet6-stream", AF_INET6, SOCK_STREAM, 0),
        ("packet", AF_PACKET, SOCK_RAW, 0),
        ("netlink-route", AF_NETLINK, SOCK_RAW, 0),
        ("netlink-netfilter", AF_NETLINK, SOCK_RAW, 12),
        ("vsock", AF_VSOCK, SOCK_STREAM, 0),
        ("crypto", AF_ALG, SOCK_SEQPACKET, 0),
        ("bluetooth", AF_BLUETOOTH, SOCK_RAW, 0),
        ("xdp", 44, SOCK_RAW, 0),
        ("can", AF_CAN, SOCK_RAW, 1),
    ];
    for (name, family, kind, protocol) in families {
        let arguments = [family as usize, kind as usize, protocol as usize];
        record.attempt(&format!("socket-{}", name), || gains(SYS_socket, &arguments));
    }
    for port in &targets.ports {
        record.attempt(&format!("connect:{}", port), || tcp(*port, SYS_connect));
    }
    record.attempt("bind-port", || tcp(22, SYS_bind));
    for path in &targets.sockets {
        record.attempt(&format!("connect:{}", path), || match UnixStream::connect(path) {
            Ok(_) => Ok("connected".into()),
            Err(error) => Err(error.raw_os_error().unwrap_or(0)),
        });
    }
    for name in &targets.abstracts {
        record.attempt(&format!("connect-abstract:{}", name), || connect_abstract(name));
    }
    record.attempt("interfaces", other_interfaces);
    misuse_tap(record);
    misuse_given_files(record);
}

fn tcp(port: u16, number: c_long) -> Outcome {
    let socket = call(SYS_socket, &[AF_INET as usize, SOCK_STREAM as usize, 0])?;
    let loopback = u32::from_ne_bytes([127, 0, 0, 1]);
    let to = sockaddr_in {
        sin_family: AF_INET as u16,
        sin_port: port.to_be(),
        sin_addr: in_addr { s_addr: loopback },
        sin_zero: [0; 8],
    };
    let outcome = gains(number, &[socket, address(&to), std::mem::size_of_val(&to)]);
    close(socket);
    outcome
}

fn connect_abstract(name: &str) -> Outcome {
    let socket = call(SYS_socket, &[AF_UNIX as usize, SOCK_STREAM as usize, 0])?;
    let mut to = sockaddr_un { sun_family: AF_UNIX as u16, sun_path: [0; 108] };
    for (byte, into) in name.bytes().zip(&mut to.sun_path[1..]) {
        *into = byte as c_char;
    }
    let outcome = gains(SYS_connect, &[socket, address(&to), 3 + name.len()]);
    close(socket);
    outcome
}

/// Any socket, even a local one, tells the names of its namespace's interfaces.
fn other_interfaces() -> Outcome {
    let socket = call(SYS_socket, &[AF_UNIX as usize, SOCK_STREAM as usize, 0])?;
    let mut found = Vec::new();
    for index in 1..64u32 {
        let mut request = [0u8; 40];
        request[16..20].copy_from_slice(&index.to_ne_bytes());
        if call(SYS_ioctl, &[socket, SIOCGIFNAME, output(&mut request)]).is_ok() {
            let end = request[..16].iter().position(|byte| *byte == 0).unwrap_or(16);
            found.push(String::from_utf8_lossy(&request[..end]).into_owned());
        }
    }
    close(socket);
    found.retain(|name| name != "lo" && Some(name) != tap_name().as_ref());
    if found.is_empty() {
        return Err(0);
    }
    Ok(found.join(","))
}

fn tap_name() -> Option<String> {
    let mut request = [0u8; 40];
    call(SYS_ioctl, &[TAP, TUNGETIFF, output(&mut request)]).ok()?;
    let end = request.iter().position(|byte| *byte == 0)?;
    Some(String::from_utf8_lossy(&request[..end]).into_owned())
}

/// Sending and receiving is the tap's use. It must not become another device, outlive its cell, be
/// given to somebody, change the address that rules know, or be raised before there are rules.
fn misuse_tap(record: &mut Record) {
    let mut request = [0u8; 40];
    request[..5].copy_from_slice(b"other");
    request[16..18].copy_from_slice(&(IFF_TAP as u16).to_ne_bytes());
    let hardware = {
        let mut request = [0u8; 40];
        request[16..24].copy_from_slice(&[1, 0, 2, 0, 0, 0, 0, 9]);
        request
    };
    let calls: [(&str, &[usize]); 7] = [
        ("rename", &[TAP, 0x4004_54ca, address(&request)]),
        ("persist", &[TAP, 0x4004_54cb, 1]),
        ("owner", &[TAP, 0x4004_54cc, 0]),
        ("group", &[TAP, 0x4004_54ce, 0]),
        ("hardware-address", &[TAP, 0x8924, address(&hardware)]),
        ("queue", &[TAP, 0x4004_54d9, address(&request)]),
        ("carrier", &[TAP, 0x4004_54e2, address(&0u32)]),
    ];
    for (verb, arguments) in calls {
        record.attempt(&format!("tap-{}", verb), || gains(SYS_ioctl, arguments));
    }
    record.attempt("tap-raise", || {
        let socket = call(SYS_socket, &[AF_UNIX as usize, SOCK_STREAM as usize, 0])?;
        let mut request = [0u8; 40];
        let name = tap_name().ok_or(ENODEV)?;
        request[..name.len()].copy_from_slice(name.as_bytes());
        request[16..18].copy_from_slice(&(IFF_UP as u16).to_ne_bytes());
        gains(SYS_ioctl, &[socket, 0x8914, address(&request)])
    });
}

fn misuse_given_files(record: &mut Record) {
    let one = address(&1u64);
    let mut buffer = [0u8; 8];
    let into = output(&mut buffer);
    let both = (PROT_READ | PROT_WRITE) as usize;
    let calls: [(&str, c_long, &[usize]); 9] = [
        ("incoming-write", SYS_write, &[INCOMING, one, 8]),
        ("incoming-truncate", SYS_ftruncate, &[INCOMING, 0]),
        ("incoming-map", SYS_mmap, &[0, 4096, both, MAP_SHARED as usize, INCOMING, 0]),
        ("incoming-chmod", SYS_fchmod, &[INCOMING, 0o777]),
        ("saved-read", SYS_read, &[SAVED, into, 8]),
        ("saved-chown", SYS_fchown, &[SAVED, 0, 0]),
        ("log-read", SYS_read, &[1, into, 8]),
        ("listener-chmod", SYS_fchmod, &[QMP, 0o777]),
        ("listener-connect", SYS_connect, &[QMP, one, 8]),
    ];
    for (name, number, arguments) in calls {
        record.attempt(name, || gains(number, arguments));
    }
    record.attempt("saved-reopen", || {
        let name = text("/proc/self/fd/8");
        gains(SYS_openat, &[AT_FDCWD as usize, name.as_ptr() as usize, O_RDWR as usize])
    });
}
