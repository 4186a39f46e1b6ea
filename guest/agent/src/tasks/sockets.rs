//! Sockets that are made with a user's rights and then belong to the agent.

use std::fs::{self, DirBuilder};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::io::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use super::request::ListenPlace;
use super::{Failure, Outcome};
use crate::fields::put_string;
use crate::helper::Host;
use crate::message::MAX_PATH_BYTES;
use crate::sys::file::{random_bytes, with_mask};
use crate::sys::io::set_nonblocking;

/// What nobody but its user may do with a socket.
const OTHERS: u32 = 0o177;
const FOLDER_MODE: u32 = 0o700;
/// Where secret sockets have their folders; the beginning of the folder's name, and the socket's name in it.
const SECRETS: &str = "/tmp";
const SECRET_FOLDER: &str = "boxd-ssh-";
const SECRET_NAME: &str = "agent";

/// Connects to a unix socket. A program that does not accept holds up this helper only.
pub fn connect(path: &Path, host: &mut Host) -> Outcome {
    let stream = UnixStream::connect(path).map_err(Failure::at("connect to", path))?;
    let socket = OwnedFd::from(stream);
    set_nonblocking(&socket)?;
    host.connected(&socket)?;
    Ok(Vec::new())
}

/// Makes a listening socket, and cleans up after it when the agent lets go of it.
pub fn listen(place: &ListenPlace, host: &mut Host) -> Outcome {
    match place {
        ListenPlace::Port(address) => {
            let listener = bind(address)?;
            let port = listener.local_addr()?.port();
            hand_over(OwnedFd::from(listener), port, Path::new(""), host)?;
            host.await_end()?;
        }
        ListenPlace::Path(path) => serve_path(path, host)?,
        ListenPlace::Secret(former) => {
            let path = former.clone().unwrap_or_else(secret_path);
            let folder = folder_of(&path)?;
            DirBuilder::new().mode(FOLDER_MODE).create(&folder).map_err(Failure::at("make the folder", &folder))?;
            let served = serve_path(&path, host);
            // If somebody has put something else into it, that is theirs.
            let _ = fs::remove_dir(&folder);
            served?;
        }
    }
    Ok(Vec::new())
}

/// An address for everybody is one of both versions, where the kernel knows both.
fn bind(address: &SocketAddr) -> Result<TcpListener, Failure> {
    let bound = TcpListener::bind(address).or_else(|error| match (address, error.raw_os_error()) {
        (SocketAddr::V6(six), Some(libc::EAFNOSUPPORT)) if six.ip().is_unspecified() => {
            TcpListener::bind((Ipv4Addr::UNSPECIFIED, six.port()))
        }
        _ => Err(error),
    });
    bound.map_err(Failure::at("listen on", Path::new(&address.to_string())))
}

fn serve_path(path: &Path, host: &mut Host) -> Result<(), Failure> {
    let bound = with_mask(OTHERS, || UnixListener::bind(path));
    let listener = bound.map_err(Failure::at("listen on", path))?;
    let made = fs::symlink_metadata(path)?;
    let served =
        hand_over(OwnedFd::from(listener), 0, path, host).and_then(|()| host.await_end().map_err(Failure::from));
    let present = fs::symlink_metadata(path);
    if present.map_or(false, |found| (found.dev(), found.ino()) == (made.dev(), made.ino())) {
        // Whoever may remove it first is welcome to.
        let _ = fs::remove_file(path);
    }
    served
}

/// The agent has it then, and this process no longer.
fn hand_over(socket: OwnedFd, port: u16, path: &Path, host: &Host) -> Result<(), Failure> {
    set_nonblocking(&socket)?;
    let mut facts = port.to_be_bytes().to_vec();
    put_string(&mut facts, path.as_os_str().as_bytes(), MAX_PATH_BYTES);
    Ok(host.listening(&socket, &facts)?)
}

fn secret_path() -> PathBuf {
    let random = u64::from_ne_bytes(random_bytes());
    Path::new(SECRETS).join(format!("{SECRET_FOLDER}{random:016x}")).join(SECRET_NAME)
}

/// Only a folder that this could have made before.
fn folder_of(path: &Path) -> Result<PathBuf, Failure> {
    let folder = path.parent().unwrap_or(path);
    let name = folder.file_name().unwrap_or_default().as_bytes();
    let ours = folder.parent() == Some(Path::new(SECRETS)) && name.starts_with(SECRET_FOLDER.as_bytes());
    if ours && path.file_name().map_or(false, |name| name == SECRET_NAME) {
        return Ok(folder.to_path_buf());
    }
    Err(Failure::new(libc::EINVAL, "no secret socket was ever there"))
}
