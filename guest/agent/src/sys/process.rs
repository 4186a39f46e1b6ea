//! Starting, signalling and reaping processes.

use std::ffi::CString;
use std::io::Result;
use std::os::unix::io::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus};
use std::ptr;

use super::io::{pipe, set_nonblocking};
use super::{c_string, check};

/// What the agent changed about itself and its children must have back.
#[derive(Clone)]
pub struct Inherited {
    nice: libc::c_int,
    oom_score: Vec<u8>,
    files: libc::rlimit,
}

/// Everything about a process to be, made ready before the fork: behind it nothing may be allocated.
pub struct Launch {
    pub candidates: Vec<CString>,
    pub arguments: Vec<CString>,
    pub environment: Vec<CString>,
    pub directories: Vec<CString>,
    pub uid: u32,
    pub gid: u32,
    pub groups: Vec<u32>,
    /// Becomes the controlling terminal if there is one.
    pub terminal: bool,
}

/// What a child was doing when it failed to become its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Prepare = 1,
    Identity = 2,
    Directory = 3,
    Execute = 4,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartFailure {
    pub stage: Stage,
    pub errno: i32,
}

const FAILURE_BYTES: usize = 5;
const NEVER_STARTED: libc::c_int = 127;

/// A child between fork and exec: its report is empty if it became its program.
pub struct Child {
    pub pid: i32,
    pub report: OwnedFd,
}

/// Raises this process above what it starts, as far as it may, and remembers how it was.
pub fn raise_priority() -> Inherited {
    const FILES: libc::rlim_t = 16_384;
    const NICE: libc::c_int = -20;
    const OOM_PATH: &str = "/proc/self/oom_score_adj";
    let oom_score = std::fs::read(OOM_PATH).unwrap_or_else(|_| b"0\n".to_vec());
    let mut files = libc::rlimit { rlim_cur: 1024, rlim_max: 1024 };
    // SAFETY: getpriority passes no memory; getrlimit fills, setrlimit reads one rlimit.
    let nice = unsafe {
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut files);
        let more = libc::rlimit { rlim_cur: FILES.min(files.rlim_max), rlim_max: files.rlim_max };
        libc::setrlimit(libc::RLIMIT_NOFILE, &more);
        let nice = libc::getpriority(libc::PRIO_PROCESS, 0);
        libc::setpriority(libc::PRIO_PROCESS, 0, NICE);
        nice
    };
    // Not allowed everywhere, and no reason not to serve.
    let _ = std::fs::write(OOM_PATH, "-1000");
    Inherited { nice, oom_score, files }
}

/// Forks a child that becomes the program in a session of its own.
pub fn start(launch: &Launch, stdio: [&OwnedFd; 3], inherited: &Inherited) -> Result<Child> {
    let (report, failure) = pipe()?;
    set_nonblocking(&report)?;
    let arguments = pointers(&launch.arguments);
    let environment = pointers(&launch.environment);
    let oom_path = c_string(b"/proc/self/oom_score_adj")?;
    let stdio = [stdio[0].as_raw_fd(), stdio[1].as_raw_fd(), stdio[2].as_raw_fd()];
    // SAFETY: the agent has one thread, so the child's memory is consistent; the child calls only
    // functions that are safe after fork and leaves by exec or _exit.
    let pid = check(unsafe { libc::fork() })?;
    if pid == 0 {
        // SAFETY: this is the forked child; the arrays end with null and their strings are alive.
        unsafe {
            let error = become_program(launch, &arguments, &environment, stdio, inherited, &oom_path);
            report_and_exit(failure.as_raw_fd(), error);
        }
    }
    Ok(Child { pid, report })
}

/// What a finished report says, or nothing while the child is still on its way.
pub fn read_report(report: &OwnedFd) -> Option<std::result::Result<(), StartFailure>> {
    let mut bytes = [0; FAILURE_BYTES];
    match super::io::read(report, &mut bytes) {
        Ok(None) => None,
        Ok(Some(FAILURE_BYTES)) => {
            let stage = match bytes[0] {
                2 => Stage::Identity,
                3 => Stage::Directory,
                4 => Stage::Execute,
                _ => Stage::Prepare,
            };
            let errno = i32::from_ne_bytes([bytes[1], bytes[2], bytes[3], bytes[4]]);
            Some(Err(StartFailure { stage, errno }))
        }
        Ok(Some(_)) | Err(_) => Some(Ok(())),
    }
}

fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
}

unsafe fn become_program(
    launch: &Launch,
    arguments: &[*const libc::c_char],
    environment: &[*const libc::c_char],
    stdio: [RawFd; 3],
    inherited: &Inherited,
    oom_path: &CString,
) -> StartFailure {
    if let Err(errno) = give_back(inherited, oom_path) {
        return StartFailure { stage: Stage::Prepare, errno };
    }
    if let Err(errno) = attach(stdio, launch.terminal) {
        return StartFailure { stage: Stage::Prepare, errno };
    }
    if libc::setgroups(launch.groups.len(), launch.groups.as_ptr()) != 0
        || libc::setgid(launch.gid) != 0
        || libc::setuid(launch.uid) != 0
    {
        return StartFailure { stage: Stage::Identity, errno: last_errno() };
    }
    if !launch.directories.iter().any(|directory| libc::chdir(directory.as_ptr()) == 0) {
        return StartFailure { stage: Stage::Directory, errno: last_errno() };
    }
    let mut errno = libc::ENOENT;
    for candidate in &launch.candidates {
        libc::execve(candidate.as_ptr(), arguments.as_ptr(), environment.as_ptr());
        match last_errno() {
            libc::ENOENT | libc::ENOTDIR => {}
            // Perhaps a later folder has one that may be executed; if not, this is what to say.
            libc::EACCES => errno = libc::EACCES,
            other => return StartFailure { stage: Stage::Execute, errno: other },
        }
    }
    StartFailure { stage: Stage::Execute, errno }
}

/// Undoes the agent's own signal mask, dispositions, priority and limits.
pub(super) unsafe fn give_back(inherited: &Inherited, oom_path: &CString) -> std::result::Result<(), i32> {
    const UMASK: libc::mode_t = 0o022;
    const LAST_SIGNAL: libc::c_int = 64;
    let mut none: libc::sigset_t = std::mem::zeroed();
    libc::sigemptyset(&mut none);
    // Whatever the agent ignores or was started with; those that cannot be changed stay.
    for signal in 1..=LAST_SIGNAL {
        libc::signal(signal, libc::SIG_DFL);
    }
    if libc::sigprocmask(libc::SIG_SETMASK, &none, ptr::null_mut()) != 0 || libc::setsid() < 0 {
        return Err(last_errno());
    }
    libc::umask(UMASK);
    libc::setpriority(libc::PRIO_PROCESS, 0, inherited.nice);
    libc::setrlimit(libc::RLIMIT_NOFILE, &inherited.files);
    let oom = libc::open(oom_path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
    if oom >= 0 {
        libc::write(oom, inherited.oom_score.as_ptr().cast(), inherited.oom_score.len());
        libc::close(oom);
    }
    Ok(())
}

/// Puts the three descriptors to their places; all others close themselves on exec.
unsafe fn attach(stdio: [RawFd; 3], terminal: bool) -> std::result::Result<(), i32> {
    let mut high = [0; 3];
    // First out of the way of 0 to 2, which may themselves be among the three.
    for (at, &fd) in stdio.iter().enumerate() {
        high[at] = libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 3);
        if high[at] < 0 {
            return Err(last_errno());
        }
    }
    for (at, &fd) in high.iter().enumerate() {
        if libc::dup2(fd, at as libc::c_int) < 0 {
            return Err(last_errno());
        }
    }
    if terminal && libc::ioctl(0, libc::TIOCSCTTY, 0) != 0 {
        return Err(last_errno());
    }
    Ok(())
}

unsafe fn report_and_exit(fd: RawFd, failure: StartFailure) -> ! {
    let errno = failure.errno.to_ne_bytes();
    let bytes = [failure.stage as u8, errno[0], errno[1], errno[2], errno[3]];
    libc::write(fd, bytes.as_ptr().cast(), bytes.len());
    libc::_exit(NEVER_STARTED)
}

fn last_errno() -> i32 {
    // SAFETY: the location of errno is always valid in its own thread.
    unsafe { *libc::__errno_location() }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Exited(u8),
    Killed { signal: u8, core: bool },
}

/// A child that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Reaped {
    pub pid: i32,
    pub ending: Ending,
    /// Processor time of the child and of those of its children that it has waited for.
    pub cpu_micros: u64,
}

/// Collects one child that has ended, whoever started it.
pub fn reap() -> Option<Reaped> {
    loop {
        let mut status = 0;
        // SAFETY: rusage is plain data; wait4 writes one int and one rusage.
        let (pid, usage) = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            (libc::wait4(-1, &mut status, libc::WNOHANG, &mut usage), usage)
        };
        if pid <= 0 {
            return None;
        }
        let cpu_micros = micros(usage.ru_utime) + micros(usage.ru_stime);
        if libc::WIFEXITED(status) {
            let ending = Ending::Exited(libc::WEXITSTATUS(status) as u8);
            return Some(Reaped { pid, ending, cpu_micros });
        }
        if libc::WIFSIGNALED(status) {
            let ending = Ending::Killed { signal: libc::WTERMSIG(status) as u8, core: libc::WCOREDUMP(status) };
            return Some(Reaped { pid, ending, cpu_micros });
        }
    }
}

fn micros(time: libc::timeval) -> u64 {
    time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64
}

/// Processor time of a process that still runs, and of its children that it has waited for.
pub fn cpu_micros(pid: i32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name stands in parentheses and may hold anything; four times of ticks follow eleven fields.
    let fields = stat.rsplit(')').next().unwrap_or("");
    let ticks: u64 = fields.split_whitespace().skip(11).take(4).filter_map(|field| field.parse::<u64>().ok()).sum();
    // SAFETY: takes a number only.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as u64;
    ticks.saturating_mul(1_000_000) / per_second
}

/// Signals a process and everything in its group.
pub fn signal_group(pid: i32, signal: i32) -> Result<()> {
    // SAFETY: no memory is passed.
    check(unsafe { libc::kill(-pid, signal) })?;
    Ok(())
}

/// Signals one process; -1 means all but this one and the kernel's.
pub fn signal(pid: i32, signal: i32) -> Result<()> {
    // SAFETY: no memory is passed.
    check(unsafe { libc::kill(pid, signal) })?;
    Ok(())
}

/// Runs a command to its end; what is typed at the terminal to interrupt or quit is for the command alone.
pub fn run_in_foreground(command: &mut Command) -> Result<ExitStatus> {
    set_interrupts(libc::SIG_IGN);
    let defaults = || {
        set_interrupts(libc::SIG_DFL);
        Ok(())
    };
    // SAFETY: the closure only sets signals, which is allowed between fork and exec.
    unsafe { command.pre_exec(defaults) };
    command.status()
}

fn set_interrupts(action: libc::sighandler_t) {
    for signal in [libc::SIGINT, libc::SIGQUIT] {
        // SAFETY: neither ignoring nor the default runs code of ours.
        unsafe { libc::signal(signal, action) };
    }
}

/// Becomes another program for good.
pub fn execute(program: &[u8]) -> std::io::Error {
    let name = match c_string(program) {
        Ok(name) => name,
        Err(error) => return error,
    };
    let arguments = [name.as_ptr(), ptr::null()];
    // SAFETY: the array ends with null and its string is alive.
    unsafe { libc::execv(name.as_ptr(), arguments.as_ptr()) };
    std::io::Error::last_os_error()
}
