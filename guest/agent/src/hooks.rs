//! The image's own programs that run after a renewal, one after the other, each with a limit.

use std::fs::{self, OpenOptions};
use std::io::Result;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::io::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::reply::Reply;
use crate::sys::process::{self, Ending, Inherited, Launch};
use crate::sys::{c_string, errno};

pub const FOLDER: &str = "/etc/boxd/on-fork.d";
pub const HOOK_LIMIT: Duration = Duration::from_secs(5);
pub const MAX_HOOKS: usize = 64;
const PATH: &[u8] = b"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const ANY_EXECUTE: u32 = 0o111;

struct Running {
    name: String,
    pid: i32,
    report: OwnedFd,
    ends: Instant,
    overdue: bool,
}

/// The hooks of one renewal, in the order of their names.
pub struct Hooks {
    waiting: Vec<PathBuf>,
    environment: Vec<Vec<u8>>,
    running: Option<Running>,
}

impl Hooks {
    /// Lists the hooks without starting one. A folder that is missing has none.
    pub fn find(folder: &Path, generation: u64, hostname: &[u8]) -> Self {
        let mut waiting: Vec<PathBuf> = match fs::read_dir(folder) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()).filter(|path| is_hook(path)).collect(),
            Err(_) => Vec::new(),
        };
        waiting.sort();
        waiting.truncate(MAX_HOOKS);
        waiting.reverse();
        let generation = format!("BOXD_GENERATION={generation}").into_bytes();
        let hostname = [b"BOXD_HOSTNAME=", hostname].concat();
        Hooks { waiting, environment: vec![PATH.to_vec(), generation, hostname], running: None }
    }

    /// Starts the next hook if none runs; replies of those that could not be started go to `replies`.
    pub fn advance(&mut self, inherited: &Inherited, replies: &mut Vec<Reply>) {
        while self.running.is_none() {
            let path = match self.waiting.pop() {
                Some(path) => path,
                None => return,
            };
            match self.start(&path, inherited) {
                Ok(running) => self.running = Some(running),
                Err(error) => replies.push(failed(&name_of(&path), errno(&error), &error.to_string())),
            }
        }
    }

    pub fn finished(&self) -> bool {
        self.running.is_none() && self.waiting.is_empty()
    }

    /// When to look again although nothing has happened.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.running.as_ref().filter(|running| !running.overdue).map(|running| running.ends)
    }

    /// Ends a hook that has used up its time; its end arrives like any other.
    pub fn expire(&mut self, now: Instant) {
        if let Some(running) = self.running.as_mut().filter(|running| now >= running.ends && !running.overdue) {
            running.overdue = true;
            kill(running.pid);
        }
    }

    /// A process has ended: the reply, if it was the hook that runs.
    pub fn ended(&mut self, pid: i32, ending: Ending) -> Option<Reply> {
        let running = self.running.take()?;
        if running.pid != pid {
            self.running = Some(running);
            return None;
        }
        if running.overdue {
            return Some(failed(&running.name, libc::ETIMEDOUT, "did not end in time"));
        }
        if let Some(Err(failure)) = process::read_report(&running.report) {
            let error = std::io::Error::from_raw_os_error(failure.errno);
            return Some(failed(&running.name, failure.errno, &error.to_string()));
        }
        Some(match ending {
            Ending::Exited(0) => Reply::Step { name: running.name, errno: 0, message: String::new() },
            Ending::Exited(code) => failed(&running.name, libc::EIO, &format!("exit status {code}")),
            Ending::Killed { signal, .. } => failed(&running.name, libc::EINTR, &format!("killed by signal {signal}")),
        })
    }

    /// Another renewal takes over.
    pub fn abandon(&mut self) {
        self.waiting.clear();
        if let Some(running) = self.running.take() {
            kill(running.pid);
        }
    }

    fn start(&self, path: &Path, inherited: &Inherited) -> Result<Running> {
        let program = c_string(path.as_os_str().as_bytes())?;
        let environment: Result<Vec<_>> = self.environment.iter().map(|variable| c_string(variable)).collect();
        let launch = Launch {
            candidates: vec![program.clone()],
            arguments: vec![program],
            environment: environment?,
            directories: vec![c_string(b"/")?],
            uid: 0,
            gid: 0,
            groups: vec![0],
            terminal: false,
        };
        let null = null_device()?;
        let child = process::start(&launch, [&null, &null, &null], inherited)?;
        let ends = Instant::now() + HOOK_LIMIT;
        Ok(Running { name: name_of(path), pid: child.pid, report: child.report, ends, overdue: false })
    }
}

/// A descriptor on which nothing is ever read and everything is lost.
pub fn null_device() -> Result<OwnedFd> {
    let file = OpenOptions::new().read(true).write(true).custom_flags(libc::O_CLOEXEC).open("/dev/null")?;
    Ok(OwnedFd::from(file))
}

fn kill(pid: i32) {
    // Gone already is as good.
    let _ = process::signal_group(pid, libc::SIGKILL).or_else(|_| process::signal(pid, libc::SIGKILL));
}

fn failed(name: &str, errno: i32, message: &str) -> Reply {
    Reply::Step { name: name.to_string(), errno, message: message.to_string() }
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    format!("hook:{}", name.unwrap_or_default())
}

fn is_hook(path: &Path) -> bool {
    let hidden = path.file_name().map_or(true, |name| name.as_bytes().starts_with(b"."));
    let executable =
        fs::metadata(path).map_or(false, |found| found.is_file() && found.permissions().mode() & ANY_EXECUTE != 0);
    !hidden && executable
}
