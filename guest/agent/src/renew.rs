//! A new identity for a machine that was forked or woken: done by the agent itself, without exec.

use std::fs;
use std::io::{Error, Result};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::files;
use crate::message::RenewRequest;
use crate::reply::Reply;
use crate::sys::{errno, kernel, mount};

/// The bits of `RenewRequest::steps`, in the order in which they are done.
pub mod step {
    pub const RNG: u16 = 1;
    pub const CLOCK: u16 = 2;
    pub const HOSTNAME: u16 = 4;
    pub const MACHINE_ID: u16 = 8;
    pub const BOOT_ID: u16 = 16;
    pub const GENERATION: u16 = 32;
    pub const HOOKS: u16 = 64;
}

const MAX_HOSTNAME_BYTES: usize = 63;
const MAX_HOSTS_BYTES: u64 = 1024 * 1024;
/// The address under which Debian and others list a machine's own name.
const OWN_ADDRESS: &[u8] = b"127.0.1.1";
const KERNEL_BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// Which machine is renewed.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The root of its files, or none if they are not ours to change.
    pub root: Option<PathBuf>,
    /// Whether the running kernel is the machine's own.
    pub own_kernel: bool,
}

impl Machine {
    pub fn file(&self, path: &str) -> Result<PathBuf> {
        match &self.root {
            Some(root) => Ok(root.join(path.trim_start_matches('/'))),
            None => Err(Error::from_raw_os_error(libc::EPERM)),
        }
    }

    fn kernel(&self) -> Result<()> {
        if self.own_kernel {
            Ok(())
        } else {
            Err(Error::from_raw_os_error(libc::EPERM))
        }
    }
}

type Step = fn(&Machine, &RenewRequest) -> Result<()>;

const STEPS: [(u16, &str, Step); 6] = [
    (step::RNG, "rng", rng),
    (step::CLOCK, "clock", clock),
    (step::HOSTNAME, "hostname", hostname),
    (step::MACHINE_ID, "machine_id", machine_id),
    (step::BOOT_ID, "boot_id", boot_id),
    (step::GENERATION, "generation", generation),
];

/// Does every requested step, also after one has failed, and says how each went.
pub fn renew(machine: &Machine, request: &RenewRequest) -> Vec<Reply> {
    let wanted = STEPS.iter().filter(|(bit, _, _)| request.steps & bit != 0);
    wanted.map(|(_, name, step)| report(name, step(machine, request))).collect()
}

pub fn report(name: &str, result: Result<()>) -> Reply {
    match result {
        Ok(()) => Reply::Step { name: name.to_string(), errno: 0, message: String::new() },
        Err(error) => Reply::Step { name: name.to_string(), errno: errno(&error), message: error.to_string() },
    }
}

fn rng(machine: &Machine, request: &RenewRequest) -> Result<()> {
    machine.kernel()?;
    kernel::reseed(&request.entropy)
}

fn clock(machine: &Machine, request: &RenewRequest) -> Result<()> {
    machine.kernel()?;
    kernel::set_wall_clock(request.wall_clock_nanos)
}

fn hostname(machine: &Machine, request: &RenewRequest) -> Result<()> {
    let name = &request.hostname;
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-' || *byte == b'.';
    if name.is_empty() || name.len() > MAX_HOSTNAME_BYTES || !name.iter().all(allowed) {
        return Err(Error::from_raw_os_error(libc::EINVAL));
    }
    if machine.own_kernel {
        kernel::set_hostname(name)?;
    }
    files::rewrite(&machine.file("/etc/hostname")?, &[name.as_slice(), b"\n"].concat())?;
    let hosts = machine.file("/etc/hosts")?;
    let before = match files::read_bounded(&hosts, MAX_HOSTS_BYTES) {
        Ok(before) => before,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => b"127.0.0.1\tlocalhost\n".to_vec(),
        Err(error) => return Err(error),
    };
    let after = hosts_with(&before, name);
    if after == before {
        return Ok(());
    }
    // Somebody may keep a long list of hosts: that is replaced as a whole.
    if after.len() <= files::BLOCK_BYTES {
        files::rewrite(&hosts, &after)
    } else {
        files::replace(&hosts, &after)
    }
}

/// The hosts file with the machine's own name on its own address, and nothing else changed.
fn hosts_with(before: &[u8], name: &[u8]) -> Vec<u8> {
    let is_own = |line: &[u8]| {
        line.strip_prefix(OWN_ADDRESS).map_or(false, |rest| rest.first().map_or(true, u8::is_ascii_whitespace))
    };
    let own = [OWN_ADDRESS, b"\t", name, b"\n"].concat();
    let mut after = Vec::with_capacity(before.len() + own.len());
    let mut written = false;
    for line in before.split_inclusive(|&byte| byte == b'\n') {
        if !is_own(line) {
            after.extend_from_slice(line);
        } else if !written {
            after.extend_from_slice(&own);
            written = true;
        }
    }
    if !written {
        if after.last().map_or(false, |&last| last != b'\n') {
            after.push(b'\n');
        }
        after.extend_from_slice(&own);
    }
    after
}

fn machine_id(machine: &Machine, request: &RenewRequest) -> Result<()> {
    let valid = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
    if !request.machine_id.iter().all(valid) {
        return Err(Error::from_raw_os_error(libc::EINVAL));
    }
    let content = [request.machine_id.as_slice(), b"\n"].concat();
    files::rewrite(&machine.file("/etc/machine-id")?, &content)?;
    let bus = machine.file("/var/lib/dbus/machine-id")?;
    // Usually a link to the first; only an older image has a copy.
    match fs::symlink_metadata(&bus) {
        Ok(metadata) if metadata.is_file() => files::rewrite(&bus, &content),
        _ => Ok(()),
    }
}

fn boot_id(machine: &Machine, request: &RenewRequest) -> Result<()> {
    let valid = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b'-';
    if !request.boot_id.iter().all(valid) {
        return Err(Error::from_raw_os_error(libc::EINVAL));
    }
    machine.kernel()?;
    let file = machine.file("/run/boxd/boot_id")?;
    let content = [request.boot_id.as_slice(), b"\n"].concat();
    if same_file(&file, Path::new(KERNEL_BOOT_ID)) {
        // Mounted by an earlier renewal: new content shows in every copy of that mount at once.
        return files::overwrite(&file, &content);
    }
    files::replace(&file, &content)?;
    mount::remount(file.as_os_str().as_bytes(), KERNEL_BOOT_ID.as_bytes(), mount::BIND)
}

fn same_file(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => one.dev() == other.dev() && one.ino() == other.ino(),
        _ => false,
    }
}

fn generation(machine: &Machine, request: &RenewRequest) -> Result<()> {
    let content = format!("{}\n", request.generation);
    files::rewrite(&machine.file("/run/boxd/generation")?, content.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_only_its_own_line_of_hosts() {
        let hosts = b"127.0.0.1 localhost\n127.0.1.1 old.example old\n127.0.1.10 other\n";
        let expected = b"127.0.0.1 localhost\n127.0.1.1\tnew\n127.0.1.10 other\n";
        assert_eq!(hosts_with(hosts, b"new"), expected);
        assert_eq!(hosts_with(b"::1 localhost", b"new"), b"::1 localhost\n127.0.1.1\tnew\n");
        assert_eq!(hosts_with(b"127.0.1.1 a\n127.0.1.1 b\n", b"new"), b"127.0.1.1\tnew\n");
    }
}
