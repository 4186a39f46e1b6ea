//! The first process of the initramfs: kernel modules, then the real root or the smallest image.

use std::fs;
use std::io::{Error, Read, Result, Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::sys::mount::{self, NO_DEVICES, NO_PROGRAMS, NO_SUID};
use crate::sys::{errno, kernel, network, process};

const MODULES: &str = "/boxd-modules";
const NEW_ROOT: &str = "/newroot";
const ROOT_OPTION: &str = "boxd.root=";
const NAME_OPTION: &str = "boxd.hostname=";
const DEFAULT_NAME: &str = "box";
const DISK: &str = "/dev/vda";
const DEVICE_LIMIT: Duration = Duration::from_secs(30);
const DEVICE_STEP_MILLIS: u64 = 5;
const PROGRAM_MODE: u32 = 0o755;

/// Whether we are the first process of an initramfs that was made for us.
pub fn is_wanted() -> bool {
    std::process::id() == 1 && Path::new(MODULES).join("order").exists()
}

/// Prepares the machine. Returns only in the smallest image, where we stay the first process.
pub fn prepare() -> Result<()> {
    mount_at("proc", "/proc", "proc", NO_SUID | NO_DEVICES | NO_PROGRAMS, "")?;
    mount_at("sysfs", "/sys", "sysfs", NO_SUID | NO_DEVICES | NO_PROGRAMS, "")?;
    mount_at("devtmpfs", "/dev", "devtmpfs", NO_SUID, "mode=0755")?;
    load_modules()?;
    let line = fs::read_to_string("/proc/cmdline")?;
    match option(&line, ROOT_OPTION) {
        Some(device) => switch_to(device),
        None => stay(option(&line, NAME_OPTION).unwrap_or(DEFAULT_NAME)),
    }
}

fn option<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split_whitespace().find_map(|word| word.strip_prefix(name))
}

fn mount_at(source: &str, target: &str, kind: &str, flags: libc::c_ulong, options: &str) -> Result<()> {
    fs::create_dir_all(target)?;
    match mount::mount(source.as_bytes(), target.as_bytes(), kind.as_bytes(), flags, options.as_bytes()) {
        // The kernel may have mounted /dev itself.
        Err(error) if errno(&error) == libc::EBUSY => Ok(()),
        other => other.map_err(|error| explained(error, &format!("mount {kind} on {target}"))),
    }
}

fn load_modules() -> Result<()> {
    let order = fs::read_to_string(Path::new(MODULES).join("order"))?;
    for name in order.lines().map(str::trim).filter(|name| !name.is_empty()) {
        // One that is missing or unfit shows when its device does; the others may still be enough.
        if let Err(error) = kernel::load_module(&format!("{MODULES}/{name}")) {
            eprintln!("boxd-agent: module {name}: {error}");
        }
    }
    Ok(())
}

fn switch_to(device: &str) -> Result<()> {
    wait_for(device)?;
    mount_at(device, NEW_ROOT, "ext4", 0, "")?;
    let run = format!("{NEW_ROOT}/run");
    mount_at("tmpfs", &run, "tmpfs", NO_SUID | NO_DEVICES, "mode=0755,size=20%")?;
    let home = format!("{run}/boxd");
    fs::create_dir_all(&home)?;
    let agent = format!("{home}/agent");
    fs::copy("/proc/self/exe", &agent)?;
    fs::set_permissions(&agent, fs::Permissions::from_mode(PROGRAM_MODE))?;
    for folder in ["/dev", "/proc", "/sys"] {
        let target = format!("{NEW_ROOT}{folder}");
        fs::create_dir_all(&target)?;
        mount::remount(folder.as_bytes(), target.as_bytes(), mount::MOVE)?;
    }
    free_initramfs()?;
    std::env::set_current_dir(NEW_ROOT)?;
    mount::remount(b".", b"/", mount::MOVE)?;
    mount::root_here()?;
    Err(explained(process::execute(b"/sbin/init"), "execute /sbin/init"))
}

fn wait_for(device: &str) -> Result<()> {
    let deadline = Instant::now() + DEVICE_LIMIT;
    while !is_block_device(device) {
        if Instant::now() > deadline {
            return Err(explained(Error::from_raw_os_error(libc::ENODEV), &format!("wait for {device}")));
        }
        kernel::pause_millis(DEVICE_STEP_MILLIS);
    }
    Ok(())
}

fn is_block_device(path: &str) -> bool {
    fs::metadata(path).map_or(false, |found| found.file_type().is_block_device())
}

/// The initramfs stays mounted under the new root for ever, so its files must give back their memory.
fn free_initramfs() -> Result<()> {
    let device = fs::metadata("/")?.dev();
    for entry in fs::read_dir("/")?.flatten() {
        let path = entry.path();
        let found = fs::symlink_metadata(&path)?;
        if found.dev() != device || path == Path::new(NEW_ROOT) {
            continue;
        }
        let removed = if found.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        if let Err(error) = removed {
            eprintln!("boxd-agent: {} stays in memory: {error}", path.display());
        }
    }
    Ok(())
}

fn stay(name: &str) -> Result<()> {
    mount_at("devpts", "/dev/pts", "devpts", NO_SUID | NO_PROGRAMS, "gid=5,mode=0620,ptmxmode=0666")?;
    mount_at("tmpfs", "/dev/shm", "tmpfs", NO_SUID | NO_DEVICES, "mode=1777")?;
    mount_at("tmpfs", "/run", "tmpfs", NO_SUID | NO_DEVICES, "mode=0755")?;
    mount_at("tmpfs", "/tmp", "tmpfs", NO_SUID | NO_DEVICES, "mode=1777")?;
    network::raise_loopback()?;
    // A machine without a card, or one that nobody has plugged in, is still a machine.
    if let Err(error) = network::raise_card() {
        eprintln!("boxd-agent: network: {error}");
    }
    kernel::set_hostname(name.as_bytes())?;
    if has_ext4(DISK) {
        mount_at(DISK, "/data", "ext4", 0, "")?;
    }
    Ok(())
}

fn has_ext4(device: &str) -> bool {
    const MAGIC_OFFSET: u64 = 1024 + 56;
    const MAGIC: [u8; 2] = [0x53, 0xef];
    let mut found = [0; 2];
    let read = fs::File::open(device).and_then(|mut file| {
        file.seek(SeekFrom::Start(MAGIC_OFFSET))?;
        file.read_exact(&mut found)
    });
    read.is_ok() && found == MAGIC
}

fn explained(error: Error, what: &str) -> Error {
    Error::new(error.kind(), format!("{what}: {error}"))
}
