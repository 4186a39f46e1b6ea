//! The way to the host: a virtio-serial port, or a socket where the agent runs outside a machine.

use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::os::unix::io::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::sys::io::{self, Poller, READABLE, WRITABLE};

/// The name that the machine's definition gives to our port.
pub const PORT_NAME: &str = "org.boxd.agent";
const PORTS: &str = "/sys/class/virtio-ports";
const FIRST_RETRY: Duration = Duration::from_millis(20);
const LAST_RETRY: Duration = Duration::from_secs(1);
/// How long a virtio port must read as ended before that is believed.
const END_BELIEVED: Duration = Duration::from_millis(300);

#[derive(Clone, Debug)]
pub enum Place {
    /// The port named `PORT_NAME`, wherever it is.
    Virtio,
    Device(PathBuf),
    Socket(PathBuf),
}

impl Place {
    /// What a path given on the command line stands for.
    pub fn of(path: &Path) -> Self {
        match fs::metadata(path) {
            Ok(found) if found.file_type().is_socket() => Place::Socket(path.to_path_buf()),
            _ => Place::Device(path.to_path_buf()),
        }
    }

    pub fn is_socket(&self) -> bool {
        matches!(self, Place::Socket(_))
    }

    fn open(&self) -> Result<OwnedFd> {
        match self {
            Place::Virtio => open_device(&find_port(Path::new(PORTS))?),
            Place::Device(path) => open_device(path),
            Place::Socket(path) => {
                let stream = UnixStream::connect(path)?;
                stream.set_nonblocking(true)?;
                Ok(OwnedFd::from(stream))
            }
        }
    }
}

fn open_device(path: &Path) -> Result<OwnedFd> {
    let flags = libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_NOCTTY;
    let file = fs::OpenOptions::new().read(true).write(true).custom_flags(flags).open(path)?;
    Ok(OwnedFd::from(file))
}

fn find_port(ports: &Path) -> Result<PathBuf> {
    for entry in fs::read_dir(ports)?.flatten() {
        let name = fs::read_to_string(entry.path().join("name")).unwrap_or_default();
        if name.trim() == PORT_NAME {
            return Ok(Path::new("/dev").join(entry.file_name()));
        }
    }
    Err(Error::from(ErrorKind::NotFound))
}

pub struct Port {
    place: Place,
    fd: Option<OwnedFd>,
    token: u64,
    readable: bool,
    writable: bool,
    /// When to look again although no event has come.
    retry: Option<Instant>,
    pause: Duration,
    /// Since when the port reads as ended.
    ended_since: Option<Instant>,
}

impl Port {
    pub fn new(place: Place, token: u64) -> Self {
        let now = Some(Instant::now());
        Port {
            place,
            fd: None,
            token,
            readable: false,
            writable: false,
            retry: now,
            pause: FIRST_RETRY,
            ended_since: None,
        }
    }

    pub fn notice(&mut self) {
        self.readable = true;
        self.writable = true;
    }

    pub fn is_readable(&self) -> bool {
        self.readable && self.fd.is_some()
    }

    pub fn is_writable(&self) -> bool {
        self.writable && self.fd.is_some()
    }

    pub fn next_deadline(&self) -> Option<Instant> {
        self.retry
    }

    /// Opens the port if it is closed and time to; an error only if there is nothing left to serve.
    pub fn revive(&mut self, poller: &Poller, now: Instant) -> Result<()> {
        if self.retry.map_or(true, |retry| now < retry) {
            return Ok(());
        }
        self.retry = None;
        self.notice();
        if self.fd.is_some() {
            return Ok(());
        }
        match self.place.open().and_then(|fd| poller.add(&fd, READABLE | WRITABLE, self.token).map(|()| fd)) {
            Ok(fd) => self.fd = Some(fd),
            Err(error) if self.place.is_socket() && error.kind() == ErrorKind::NotFound => return Err(error),
            Err(_) => self.back_off(now),
        }
        Ok(())
    }

    fn back_off(&mut self, now: Instant) {
        self.retry = Some(now + self.pause);
        self.pause = (self.pause * 2).min(LAST_RETRY);
    }

    /// Reads what is there. `Ok(None)`: nothing now. An error: the host is not connected (any more).
    pub fn read(&mut self, buffer: &mut [u8], poller: &Poller) -> Result<Option<usize>> {
        let fd = match &self.fd {
            Some(fd) => fd,
            None => return Ok(None),
        };
        match io::read(fd, buffer) {
            Ok(Some(0)) => self.ended(Error::from(ErrorKind::UnexpectedEof), poller),
            Ok(Some(bytes)) => {
                self.pause = FIRST_RETRY;
                self.ended_since = None;
                Ok(Some(bytes))
            }
            Ok(None) => {
                self.readable = false;
                self.ended_since = None;
                Ok(None)
            }
            Err(error) => self.ended(error, poller),
        }
    }

    pub fn write(&mut self, bytes: &[u8], poller: &Poller) -> Result<Option<usize>> {
        let fd = match &self.fd {
            Some(fd) => fd,
            None => return Ok(None),
        };
        match io::write(fd, bytes) {
            Ok(Some(written)) => Ok(Some(written)),
            Ok(None) => {
                self.writable = false;
                Ok(None)
            }
            Err(error) => self.ended(error, poller),
        }
    }

    /// A virtio port reads as ended while no host is connected and comes back by itself, so it stays
    /// open; looking again from time to time makes a lost wake-up harmless. All else is opened anew.
    ///
    /// That a host has gone and another has come is told beside the data, and may be told after the new
    /// host's first bytes: only an end that lasts is one.
    fn ended(&mut self, error: Error, poller: &Poller) -> Result<Option<usize>> {
        let now = Instant::now();
        self.readable = false;
        self.back_off(now);
        if !self.place.is_socket() && error.kind() == ErrorKind::UnexpectedEof {
            let since = *self.ended_since.get_or_insert(now);
            return if now < since + END_BELIEVED { Ok(None) } else { Err(error) };
        }
        if let Some(fd) = self.fd.take() {
            poller.remove(&fd);
        }
        Err(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_port_by_its_name() {
        let ports = std::env::temp_dir().join(format!("boxd-ports-{}", std::process::id()));
        for (port, name) in [("vport0p1", "org.qemu.other"), ("vport2p3", PORT_NAME)] {
            fs::create_dir_all(ports.join(port)).unwrap();
            fs::write(ports.join(port).join("name"), format!("{name}\n")).unwrap();
        }
        assert_eq!(find_port(&ports).unwrap(), Path::new("/dev/vport2p3"));
        fs::remove_dir_all(&ports).unwrap();
        assert!(find_port(&ports).is_err());
    }
}
