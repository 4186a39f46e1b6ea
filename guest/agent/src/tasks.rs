//! What a helper can do: files, trees, watching, ports and figures of its machine.

pub mod archive;
pub mod attributes;
mod change;
mod content;
pub mod dns;
mod list;
mod metrics;
mod pack;
pub mod ports;
pub mod request;
mod resolve;
pub mod sha256;
mod sockets;
mod sparse;
pub mod tar;
mod temporary;
mod unpack;
mod watch;

use std::ffi::OsString;
use std::io::Error;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use crate::helper::Host;
use crate::sys::errno;
use request::{parse, Task};

/// Why a task was not done, for the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub errno: i32,
    pub message: String,
}

impl Failure {
    pub fn new(errno: i32, message: impl Into<String>) -> Self {
        Failure { errno, message: message.into() }
    }

    /// What could not be done with which path, and the kernel's reason.
    pub fn at<'a>(action: &'a str, path: &'a Path) -> impl Fn(Error) -> Failure + 'a {
        move |error| {
            let reason = Error::from_raw_os_error(errno(&error));
            let text = reason.to_string();
            let plain = text.split(" (os error").next().unwrap_or_default();
            Failure::new(errno(&error), format!("cannot {action} {}: {plain}", path.display()))
        }
    }
}

/// The host is gone, or a step has failed that has no path of its own.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::new(errno(&error), error.to_string())
    }
}

pub type Outcome = Result<Vec<u8>, Failure>;

/// Does one task; what it returns is the end of the answer.
pub fn perform(request: &[u8], host: &mut Host) -> Outcome {
    let task = parse(request).map_err(|malformed| Failure::new(libc::EINVAL, malformed.0))?;
    match task {
        Task::Stat { path, follow } => attributes::stat(&path, follow),
        Task::RealPath { path } => attributes::real_path(&path),
        Task::Room { path } => attributes::room(&path),
        Task::List { path } => list::list(&path, host),
        Task::Read(read) => content::read(&read, host),
        Task::Write(write) => content::write(&write, host),
        Task::MakeFolder { path, mode, parents } => change::make_folder(&path, mode, parents),
        Task::Remove { path, what } => change::remove(&path, what),
        Task::Rename { from, to, replace } => change::rename(&from, &to, replace),
        Task::MakeLink { target, path } => change::make_link(&target, &path),
        Task::HardLink { existing, path } => change::hard_link(&existing, &path),
        Task::Set(set) => change::set(&set),
        Task::Watch { path, recursive } => watch::watch(&path, recursive, host),
        Task::Pack { path } => pack::pack(&path, host),
        Task::Unpack { path, owners } => unpack::unpack(&path, owners, host),
        Task::Ports => ports::list(host),
        Task::WatchPorts => ports::watch(host),
        Task::Metrics => metrics::metrics(),
        Task::Resolve { host } => resolve::resolve(&host),
        Task::Connect { path } => sockets::connect(&path, host),
        Task::Listen(place) => sockets::listen(&place, host),
    }
}

fn path_of(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes))
}
