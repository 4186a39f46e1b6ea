//! Which TCP ports somebody listens on, and when that changes.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::io::AsRawFd;
use std::path::Path;
use std::time::Duration;

use super::{Failure, Outcome};
use crate::fields::put_string;
use crate::helper::Host;
use crate::sys::mount;
use crate::sys::socket::wait_readable;
use crate::sys::tracing::{own_mounts, TracePoint};

const MAX_LISTENERS: usize = 4096;
/// The kernel's tables are read up to here; listeners stand first.
const MAX_TABLE_BYTES: u64 = 1024 * 1024;
const MAX_NAME_BYTES: usize = 64;
const LISTENING: &str = "0A";

const PRESENT: u8 = 0;
const OPENED: u8 = 1;
const CLOSED: u8 = 2;

/// Passed by every TCP socket that changes its state, with the states as numbers; 10 is listening.
const TRACE_POINT: &str = "events/sock/inet_sock_set_state/id";
const TRACE_FILTER: &[u8] = b"newstate == 10 || oldstate == 10";
const TRACE_FOLDER: &str = "/sys/kernel/tracing";
/// The kernel tells of a listener a little before it can be found, so one look is not enough.
const LOOKS_AFTER_NOTICE: [Duration; 4] =
    [Duration::ZERO, Duration::from_millis(1), Duration::from_millis(10), Duration::from_millis(100)];
/// A look that should find nothing, in case a notice was missed.
const BACKSTOP: Duration = Duration::from_secs(10);
/// Without notices: how long to wait for the next look after a change, and at most.
const QUICK_LOOK: Duration = Duration::from_millis(50);
const SLOW_LOOK: Duration = Duration::from_secs(1);

/// Where somebody listens; the address of version 4 has four bytes that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub version: u8,
    pub address: [u8; 16],
    pub port: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    pub uid: u32,
    pub inode: u64,
}

type Listeners = BTreeMap<Place, Owner>;

/// One row of the kernel's table, if it is a listener's.
pub fn parse_row(row: &str, version: u8) -> Option<(Place, Owner)> {
    let fields: Vec<&str> = row.split_whitespace().take(10).collect();
    if fields.len() < 10 || fields[3] != LISTENING {
        return None;
    }
    let (address_text, port) = fields[1].split_once(':')?;
    let words = if version == 4 { 1 } else { 4 };
    if address_text.len() != words * 8 || !address_text.is_ascii() {
        return None;
    }
    let mut address = [0; 16];
    for word in 0..words {
        let value = u32::from_str_radix(&address_text[word * 8..word * 8 + 8], 16).ok()?;
        address[word * 4..word * 4 + 4].copy_from_slice(&value.to_ne_bytes());
    }
    let place = Place { version, address, port: u16::from_str_radix(port, 16).ok()? };
    Some((place, Owner { uid: fields[7].parse().ok()?, inode: fields[9].parse().ok()? }))
}

fn look() -> Result<Listeners, Failure> {
    let mut listeners = Listeners::new();
    for (path, version) in [("/proc/net/tcp", 4), ("/proc/net/tcp6", 6)] {
        let file = match File::open(path) {
            Ok(file) => file,
            // A kernel without this version.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(Failure::at("read", Path::new(path))(error)),
        };
        let rows = BufReader::new(file.take(MAX_TABLE_BYTES)).lines().skip(1);
        for row in rows {
            let row = row.map_err(Failure::at("read", Path::new(path)))?;
            match parse_row(&row, version) {
                Some((place, owner)) if listeners.len() < MAX_LISTENERS => drop(listeners.insert(place, owner)),
                // Connections follow; there may be very many.
                _ => break,
            }
        }
    }
    Ok(listeners)
}

/// Number and name of the process that holds each of these sockets, as far as they can be found.
fn holders(mut wanted: Vec<u64>) -> HashMap<u64, (u32, Vec<u8>)> {
    let mut found = HashMap::new();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    for process in processes {
        if wanted.is_empty() {
            break;
        }
        let pid: u32 = match process.file_name().to_str().and_then(|name| name.parse().ok()) {
            Some(pid) => pid,
            None => continue,
        };
        for fd in fs::read_dir(process.path().join("fd")).into_iter().flatten().flatten() {
            let inode = fs::read_link(fd.path()).ok().and_then(|target| socket_inode(&target.to_string_lossy()));
            if let Some(at) = inode.and_then(|inode| wanted.iter().position(|&other| other == inode)) {
                let name = fs::read(process.path().join("comm")).unwrap_or_default();
                let name = name.strip_suffix(b"\n").unwrap_or(&name).to_vec();
                found.insert(wanted.swap_remove(at), (pid, name));
            }
        }
    }
    found
}

fn socket_inode(target: &str) -> Option<u64> {
    target.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

fn tell(host: &mut Host, event: u8, listeners: &[(Place, Owner)]) -> Result<(), Failure> {
    if listeners.is_empty() {
        return Ok(());
    }
    let wanted = if event == CLOSED { Vec::new() } else { listeners.iter().map(|(_, owner)| owner.inode).collect() };
    let holders = holders(wanted);
    for (place, owner) in listeners {
        let nobody = (0, Vec::new());
        let (pid, name) = holders.get(&owner.inode).unwrap_or(&nobody);
        let mut record = vec![event, place.version];
        record.extend_from_slice(&place.address);
        record.extend_from_slice(&place.port.to_be_bytes());
        record.extend_from_slice(&owner.uid.to_be_bytes());
        record.extend_from_slice(&pid.to_be_bytes());
        put_string(&mut record, name, MAX_NAME_BYTES);
        host.write_all(&(record.len() as u32).to_be_bytes())?;
        host.write_all(&record)?;
    }
    host.flush()?;
    Ok(())
}

pub fn list(host: &mut Host) -> Outcome {
    let listeners: Vec<_> = look()?.into_iter().collect();
    host.opened(&[])?;
    tell(host, PRESENT, &listeners)?;
    Ok(Vec::new())
}

/// Tells of the present listeners, then of each that comes and goes, until the host has enough.
pub fn watch(host: &mut Host) -> Outcome {
    let notices = trace_points();
    let mut known = look()?;
    host.opened(&[u8::from(notices.is_some())])?;
    tell(host, PRESENT, &known.clone().into_iter().collect::<Vec<_>>())?;
    let mut looks = Looks::new(notices.is_some());
    loop {
        let mut waited: Vec<&dyn AsRawFd> = vec![host.socket()];
        waited.extend(notices.iter().flatten().map(|notice| notice.fd() as &dyn AsRawFd));
        // Rounded up: to wake too early would mean to look twice.
        let millis = looks.pause().as_micros().saturating_add(999) / 1000;
        let ready = wait_readable(&waited, millis as i32)?;
        host.check_interest()?;
        if ready[1..].contains(&true) {
            looks.noticed();
        }
        let now = look()?;
        let only_in = |some: &Listeners, other: &Listeners| -> Vec<(Place, Owner)> {
            some.iter().filter(|(place, _)| !other.contains_key(place)).map(|(&place, &owner)| (place, owner)).collect()
        };
        let (opened, closed) = (only_in(&now, &known), only_in(&known, &now));
        looks.looked(!opened.is_empty() || !closed.is_empty());
        tell(host, CLOSED, &closed)?;
        tell(host, OPENED, &opened)?;
        known = now;
    }
}

/// When to look next.
struct Looks {
    notified: bool,
    after_notice: usize,
    quiet: Duration,
}

impl Looks {
    fn new(notified: bool) -> Self {
        Looks { notified, after_notice: LOOKS_AFTER_NOTICE.len(), quiet: QUICK_LOOK }
    }

    fn noticed(&mut self) {
        self.after_notice = 0;
    }

    fn looked(&mut self, changed: bool) {
        self.after_notice = (self.after_notice + 1).min(LOOKS_AFTER_NOTICE.len());
        self.quiet = if changed { QUICK_LOOK } else { (self.quiet * 2).min(SLOW_LOOK) };
    }

    fn pause(&self) -> Duration {
        match LOOKS_AFTER_NOTICE.get(self.after_notice) {
            Some(&pause) => pause,
            None if self.notified => BACKSTOP,
            None => self.quiet,
        }
    }
}

/// Notices of the kernel, where it can give them.
fn trace_points() -> Option<Vec<TracePoint>> {
    let path = Path::new(TRACE_FOLDER).join(TRACE_POINT);
    let id = fs::read_to_string(&path).ok().or_else(|| {
        // Not mounted here: for us alone, then.
        own_mounts().ok()?;
        let flags = mount::NO_SUID | mount::NO_DEVICES | mount::NO_PROGRAMS;
        mount::mount(b"tracefs", TRACE_FOLDER.as_bytes(), b"tracefs", flags, b"").ok()?;
        fs::read_to_string(&path).ok()
    })?;
    TracePoint::everywhere(id.trim().parse().ok()?, TRACE_FILTER).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_rows_of_listeners() {
        let row = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4242 1 0";
        let (place, owner) = parse_row(row, 4).unwrap();
        assert_eq!((place.version, &place.address[..4], place.port), (4, &[127, 0, 0, 1][..], 8080));
        assert_eq!(owner, Owner { uid: 1000, inode: 4242 });
        assert_eq!(parse_row(&row.replace(" 0A ", " 01 "), 4), None);
        assert_eq!(parse_row(row, 6), None);
        let row = row.replace("0100007F:", "00000000000000000000000001000000:");
        assert_eq!(parse_row(&row, 6).unwrap().0.address[15], 1);
        for broken in ["", "sl local", "0: 0100007F 0 0A", "0: é:1 0 0A 0 0 0 0 0 0"] {
            assert_eq!(parse_row(broken, 4), None);
        }
    }
}
