//! Running other programs and reaching other processes.

use crate::sys::{address, apart, call, end, gains, open, output, spawn, text, Outcome, GAINED};
use crate::targets::Targets;
use crate::Record;
use libc::*;

/// With this word alone as its argument the program has been executed by itself.
pub const EXECUTED: &str = "executed";

/// With this word alone it hides: its first thread ends, so that it looks dead, and another goes on.
pub const HIDE: &str = "hide";

/// A call younger than the jail's filter: it must not be there for the program.
const OPEN_TREE_ATTR: c_long = 467;

pub fn attempt(targets: &Targets, record: &mut Record) {
    // Before there can be any children of our own.
    record.attempt("signal-everyone", || gains(SYS_kill, &[-1isize as usize, 0]));
    execute(record);
    record.attempt("fork", || spawn(SYS_fork, 0));
    record.attempt("vfork", || spawn(SYS_vfork, 0));
    record.attempt("clone-process", || spawn(SYS_clone, SIGCHLD as usize));
    record.attempt("clone-shared", || spawn(SYS_clone, (CLONE_VM | CLONE_VFORK) as usize));
    record.attempt("clone-user-namespace", || spawn(SYS_clone, (CLONE_NEWUSER | SIGCHLD) as usize));
    record.attempt("clone3", clone3);
    record.attempt("other-convention", || gains(SYS_getpid | 0x4000_0000, &[]));
    record.attempt("young-call", || {
        let root = text("/");
        gains(OPEN_TREE_ATTR, &[AT_FDCWD as usize, root.as_ptr() as usize, 0, 0, 0])
    });
    for pid in &targets.pids {
        reach("outside", *pid, record);
    }
    reach("next", 2, record);
    record.attempt("trace-me", || apart(|| gains(SYS_ptrace, &[PTRACE_TRACEME as usize, 0, 0, 0])));
}

fn clone3() -> Outcome {
    let wanted = [0u64, 0, 0, 0, SIGCHLD as u64, 0, 0, 0];
    match call(SYS_clone3, &[address(&wanted), std::mem::size_of_val(&wanted)]) {
        Ok(0) => end(0),
        Ok(child) => Ok(format!("process {}", child)),
        Err(errno) => Err(errno),
    }
}

fn execute(record: &mut Record) {
    let program = std::env::args().next().unwrap_or_default();
    let path = text(&program);
    let word = text(EXECUTED);
    let argv = [path.as_ptr() as usize, word.as_ptr() as usize, 0];
    let environment = [0usize];
    let (argv, envp) = (address(&argv), address(&environment));
    let at = AT_FDCWD as usize;
    let empty = text("");
    let empty = empty.as_ptr() as usize;
    let by_descriptor = AT_EMPTY_PATH as usize;
    let path = path.as_ptr() as usize;
    let file = open(&program, O_RDONLY | O_CLOEXEC);

    record.attempt("execve", || executed(SYS_execve, &[path, argv, envp]));
    record.attempt("execveat-path", || executed(SYS_execveat, &[at, path, argv, envp, 0]));
    record.attempt("execveat-descriptor", || executed(SYS_execveat, &[file?, empty, argv, envp, by_descriptor]));
    record.attempt("execveat-launcher-number", || executed(SYS_execveat, &[1000, empty, argv, envp, by_descriptor]));
    record.attempt("execveat-number-regained", || {
        call(SYS_dup3, &[file?, 1000, 0])?;
        executed(SYS_execveat, &[1000, empty, argv, envp, by_descriptor])
    });
    record.attempt("execveat-number-by-fcntl", || {
        let number = call(SYS_fcntl, &[file?, F_DUPFD as usize, 1000])?;
        executed(SYS_execveat, &[number, empty, argv, envp, by_descriptor])
    });
    record.attempt("execve-loader", || {
        let loader = text("/lib64/ld-linux-x86-64.so.2");
        executed(SYS_execve, &[loader.as_ptr() as usize, argv, envp])
    });
    record.attempt("memfd", || {
        let name = text("code");
        gains(SYS_memfd_create, &[name.as_ptr() as usize, 0])
    });
}

/// An exec in a child, whose new program then ends with a code of its own; or here, for good.
fn executed(number: c_long, arguments: &[usize]) -> Outcome {
    apart(|| gains(number, arguments))
}

/// What the program does when it finds itself executed: tell its parent, or whoever reads the log.
pub fn report_executed() -> ! {
    if std::os::unix::process::parent_id() == 0 {
        println!("exec SUCCEEDED executed in place");
        println!("done 1 attempts 1 succeeded");
        loop {
            let _ = call(SYS_pause, &[]);
        }
    }
    std::process::exit(GAINED)
}

/// Looks like a zombie from outside, while a thread still runs.
pub fn hide() -> ! {
    std::thread::spawn(|| loop {
        let _ = call(SYS_pause, &[]);
    });
    println!("done 1 attempts 0 succeeded");
    // Ends this thread and no other.
    let _ = call(SYS_exit, &[0]);
    end(1)
}

fn reach(who: &str, pid: i32, record: &mut Record) {
    let pid = pid as usize;
    let mut buffer = [0u8; 64];
    let mut limit = [0u64; 2];
    let mine = [output(&mut buffer), 64];
    let theirs = [0x40_0000usize, 64];
    let (mine, theirs) = (address(&mine), address(&theirs));
    let calls: [(&str, c_long, &[usize]); 8] = [
        ("attach", SYS_ptrace, &[PTRACE_ATTACH as usize, pid, 0, 0]),
        ("seize", SYS_ptrace, &[PTRACE_SEIZE as usize, pid, 0, 0]),
        ("read-memory", SYS_process_vm_readv, &[pid, mine, 1, theirs, 1, 0]),
        ("write-memory", SYS_process_vm_writev, &[pid, mine, 1, theirs, 1, 0]),
        ("signal", SYS_kill, &[pid, 0]),
        ("handle", SYS_pidfd_open, &[pid, 0]),
        ("compare", SYS_kcmp, &[1, pid, 0, 0, 0]),
        ("limits", SYS_prlimit64, &[pid, RLIMIT_NOFILE as usize, 0, output(&mut limit)]),
    ];
    for (verb, number, arguments) in calls {
        record.attempt(&format!("{}-{}", who, verb), || gains(number, arguments));
    }
}
