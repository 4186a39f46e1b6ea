//! The machine's orderly end.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::message::ShutdownMode;
use crate::sys::{kernel, mount, process};

/// How long programs have to end by themselves when we are the first process.
const GRACE: Duration = Duration::from_secs(2);
const GRACE_STEP_MILLIS: u64 = 10;
/// What systemd understands: SIGRTMIN+4 and SIGRTMIN+5, counted from the C library's SIGRTMIN.
const SYSTEMD_POWER_OFF: i32 = 34 + 4;
const SYSTEMD_REBOOT: i32 = 34 + 5;

/// Ends the machine: by its systemd where there is one, otherwise with our own hands.
pub fn end(mode: ShutdownMode) {
    if std::process::id() != 1 && Path::new("/run/systemd/system").exists() {
        let signal = match mode {
            ShutdownMode::PowerOff => SYSTEMD_POWER_OFF,
            ShutdownMode::Reboot => SYSTEMD_REBOOT,
        };
        if process::signal(1, signal).is_ok() {
            return;
        }
    }
    end_now(mode == ShutdownMode::Reboot);
}

/// Ends all programs, then the file systems, then the machine.
pub fn end_now(restart: bool) {
    // Errors are of no use here: whatever fails, the next measure is the stronger one.
    let _ = process::signal(-1, libc::SIGTERM);
    let _ = process::signal(-1, libc::SIGCONT);
    let patience = Instant::now() + GRACE;
    while others_run() && Instant::now() < patience {
        while process::reap().is_some() {}
        kernel::pause_millis(GRACE_STEP_MILLIS);
    }
    let _ = process::signal(-1, libc::SIGKILL);
    kernel::sync();
    unmount_all();
    kernel::sync();
    let error = kernel::power(restart);
    eprintln!("boxd-agent: the kernel does not end the machine: {error}");
}

/// Whether any process besides us and the kernel's own is there; those have no command line.
fn others_run() -> bool {
    let own = std::process::id().to_string();
    let is_other = |name: &str| {
        name.bytes().all(|byte| byte.is_ascii_digit())
            && name != own
            && fs::read(format!("/proc/{name}/cmdline")).map_or(false, |line| !line.is_empty())
    };
    match fs::read_dir("/proc") {
        Ok(entries) => entries.flatten().any(|entry| entry.file_name().to_str().map_or(false, is_other)),
        Err(_) => false,
    }
}

fn unmount_all() {
    let mounts = fs::read_to_string("/proc/mounts").unwrap_or_default();
    for line in mounts.lines().rev() {
        let mut fields = line.split(' ');
        if let (Some(source), Some(target)) = (fields.next(), fields.next()) {
            if source.starts_with("/dev/") && mount::unmount(target.as_bytes()).is_err() {
                // Still in use, or the root itself: at least nothing is written any more.
                let _ = mount::remount(b"none", target.as_bytes(), mount::REMOUNT | mount::READ_ONLY);
            }
        }
    }
}
