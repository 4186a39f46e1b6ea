//! `boxd-launcher`: builds the jail of one cell, then becomes the program that runs in it.
//!
//! Called by the server as root, once for each cell. It makes the cell's sockets and files, forks a
//! child into new namespaces, and waits until the child has become the program. Then it prints
//! `pid=N` and ends; the child goes on by itself. If anything fails it prints `error: STEP: REASON`
//! and leaves nothing behind. Needs Linux 5.12 (mounts are built from descriptors).
//!
//! ```text
//! boxd-launcher --folder DIR --uid N --bundle DIR --program PATH --disks DIR
//!     [--memory FILE[:rw]] [--read-only FILE=NAME]... [--cgroup DIR]... [--nofile N]
//!     [--fsize BYTES] [--tap NAME [--network NAMESPACE]] [--kvm] [--niceness N] -- ARGUMENTS...
//! ```
//!
//! In the folder it makes the listening sockets `qmp.sock`, `agent.sock` and `console.sock` and the
//! files `incoming`, `saved` and `log`; `descriptors` says as which numbers the program gets them.
//! The program sees the bundle as `/`, the disks as `/disk`, the memory file as `/base/memory`,
//! read-only files as `/image/NAME`, and `/dev/null`.
//!
//! Without `--network` the tap is a new one in the program's own network namespace and leads nowhere.
//! With it, the tap must exist in that namespace; only its descriptor gets into the jail.
//!
//! A bundle is a folder of root's with the program, what it loads, and the empty folders `dev`,
//! `disk`, `base` and `image`. There is no `/proc`, but QEMU's `reserve=off` reads
//! `/proc/sys/vm/overcommit_memory`: a plain file in the bundle saying `0` serves. A program that
//! may be executed but not read (0711) leaves no core dumps, whatever the host does with them.
//!
//! With the one word `--tsc-kilohertz` it prints the rate of the host's time stamp counter instead.

mod arguments;
mod bpf;
mod cell;
mod clock;
mod descriptors;
mod failure;
mod filter;
mod folder;
mod landlock;
mod limits;
mod mounts;
mod privileges;
mod sys;
mod tap;

use arguments::Arguments;
use failure::{Failure, Step};
use folder::{Files, Folder};
use std::ffi::{CStr, OsStr};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

fn main() {
    if std::env::args_os().skip(1).eq(["--tsc-kilohertz"]) {
        println!("{}", clock::tsc_kilohertz());
        return;
    }
    match run() {
        Ok(pid) => println!("pid={}", pid),
        Err(failure) => {
            eprintln!("error: {}", failure);
            std::process::exit(1);
        }
    }
}

fn run() -> Result<i32, Failure> {
    let arguments = Arguments::parse(std::env::args_os().skip(1))?;
    descriptors::reserve()?;
    let mut folder = Folder::open(&arguments.folder)?;
    let launched = folder.fill().and_then(|files| launch(&arguments, files));
    if launched.is_err() {
        folder.empty();
    }
    launched
}

fn launch(arguments: &Arguments, files: Files) -> Result<i32, Failure> {
    for cgroup in &arguments.cgroups {
        join(cgroup).step("join cgroup")?;
    }
    let (report, reporter) = sys::pipe().step("make pipe")?;
    // Takes effect for children only, so it needs the fork: the child is its first process.
    sys::unshare(libc::CLONE_NEWPID).step("new process namespace")?;
    let child = match sys::fork().step("fork")? {
        Some(child) => child,
        None => {
            let placed = sys::place(reporter, descriptors::REPORT, libc::O_CLOEXEC).step("report");
            let failure = match placed.and_then(|()| cell::enter(arguments, files)) {
                Err(failure) => failure,
                Ok(never) => match never {},
            };
            let told = sys::write(descriptors::REPORT, failure.to_string().as_bytes());
            sys::exit_now(if told.is_ok() { 1 } else { 2 })
        }
    };
    drop(reporter);
    let outcome = await_exec(report.into(), child);
    if outcome.is_err() {
        sys::end_child(child);
    }
    outcome.map(|()| child)
}

fn join(cgroup: &CStr) -> io::Result<()> {
    let path = Path::new(OsStr::from_bytes(cgroup.to_bytes())).join("cgroup.procs");
    let mut file = OpenOptions::new().write(true).custom_flags(libc::O_NOFOLLOW).open(path)?;
    file.write_all(std::process::id().to_string().as_bytes())
}

/// Reads the child's report up to its end, which comes with exec or with the child's death.
fn await_exec(mut report: File, child: i32) -> Result<(), Failure> {
    let mut text = Vec::new();
    report.read_to_end(&mut text).step("read report")?;
    match text.split_first() {
        Some((&cell::ABOUT_TO_EXEC, [])) if !sys::has_ended(child) => Ok(()),
        Some((&cell::ABOUT_TO_EXEC, [])) | None => Err(Failure::new("child", "ended unexpectedly")),
        Some((&cell::ABOUT_TO_EXEC, reason)) => Err(Failure::told(reason)),
        Some(_) => Err(Failure::told(&text)),
    }
}

/// A constant as the kernel takes it.
fn literal(text: &'static [u8]) -> &'static CStr {
    CStr::from_bytes_with_nul(text).expect("a constant that ends with NUL")
}
