//! Privileges, limits, and parts of the kernel a machine has no use for.

use crate::sys::{address, apart, call, close, gains, output, text};
use crate::Record;
use libc::*;

pub fn attempt(record: &mut Record) {
    privileges(record);
    limits(record);
    surfaces(record);
    host(record);
}

fn privileges(record: &mut Record) {
    let header = [0x2008_0522u32, 0];
    let all = [u32::MAX; 6];
    let calls: [(&str, c_long, &[usize]); 9] = [
        ("setuid", SYS_setuid, &[0]),
        ("setresuid", SYS_setresuid, &[0, 0, 0]),
        ("setgid", SYS_setgid, &[0]),
        ("setgroups", SYS_setgroups, &[1, address(&0u32)]),
        ("capset", SYS_capset, &[address(&header), address(&all)]),
        ("ambient-capability", SYS_prctl, &[PR_CAP_AMBIENT as usize, 2, 21]),
        ("secure-bits", SYS_prctl, &[PR_SET_SECUREBITS as usize, 0]),
        ("keep-capabilities", SYS_prctl, &[PR_SET_KEEPCAPS as usize, 1]),
        ("personality", SYS_personality, &[0x004_0000]),
    ];
    for (name, number, arguments) in calls {
        record.attempt(name, || apart(|| gains(number, arguments)));
    }
    record.attempt("setfsuid", || {
        let _ = call(SYS_setfsuid, &[0]);
        match call(SYS_setfsuid, &[u32::MAX as usize]) {
            Ok(0) => Ok("file-system id 0".into()),
            Ok(_) => Err(EPERM),
            Err(errno) => Err(errno),
        }
    });
}

fn limits(record: &mut Record) {
    let resources = [
        ("open-files", RLIMIT_NOFILE),
        ("processes", RLIMIT_NPROC),
        ("locked-memory", RLIMIT_MEMLOCK),
        ("core", RLIMIT_CORE),
        ("file-size", RLIMIT_FSIZE),
        ("real-time", RLIMIT_RTPRIO),
        ("niceness", RLIMIT_NICE),
    ];
    for (name, resource) in resources {
        record.attempt(&format!("raise-{}", name), || {
            let wanted = [1u64 << 40, 1 << 40];
            gains(SYS_prlimit64, &[0, resource as usize, address(&wanted), 0])
        });
    }
    record.attempt("many-descriptors", || {
        let mut open = Vec::new();
        let refusal = loop {
            match call(SYS_dup, &[0]) {
                Ok(file) if file < 1000 => open.push(file),
                Ok(file) => break Ok(format!("descriptor {}", file)),
                Err(errno) => break Err(errno),
            }
        };
        open.into_iter().for_each(close);
        refusal
    });
    let memory = vec![0u8; 1 << 20];
    let real_time = address(&1i32);
    let calls: [(&str, c_long, &[usize]); 5] = [
        ("lock-memory", SYS_mlock, &[memory.as_ptr() as usize, memory.len()]),
        ("lock-all-memory", SYS_mlockall, &[3]),
        ("negative-niceness", SYS_setpriority, &[0, 0, -10isize as usize]),
        ("real-time-scheduling", SYS_sched_setscheduler, &[0, SCHED_RR as usize, real_time]),
        ("real-time-disk", SYS_ioprio_set, &[1, 0, 1 << 13]),
    ];
    for (name, number, arguments) in calls {
        record.attempt(name, || gains(number, arguments));
    }
}

fn surfaces(record: &mut Record) {
    let mut zeros = [0u64; 32];
    let zeros = output(&mut zeros);
    let root = text("/");
    let root = root.as_ptr() as usize;
    let kind = text("user");
    let kind = kind.as_ptr() as usize;
    // A software event, described in 112 bytes.
    let mut event = [0u32; 28];
    event[..2].copy_from_slice(&[1, 112]);
    let mut handle = [128u32; 40];
    let handle = output(&mut handle);
    let mut mount = 0u32;
    let mount = output(&mut mount);
    let at = AT_FDCWD as usize;
    let calls: [(&str, c_long, &[usize]); 17] = [
        ("bpf", SYS_bpf, &[0, zeros, 72]),
        ("perf", SYS_perf_event_open, &[address(&event), 0, -1isize as usize, -1isize as usize, 0]),
        ("userfaultfd", SYS_userfaultfd, &[1]),
        ("io-uring", SYS_io_uring_setup, &[4, zeros]),
        ("keyring", SYS_keyctl, &[0, -3isize as usize, 1]),
        ("add-key", SYS_add_key, &[kind, kind, kind, 4, -3isize as usize]),
        ("request-key", SYS_request_key, &[kind, kind, 0, 0]),
        ("name-to-handle", SYS_name_to_handle_at, &[at, root, handle, mount, 0]),
        ("open-by-handle", SYS_open_by_handle_at, &[at, handle, 0]),
        ("fanotify", SYS_fanotify_init, &[0x200, 0]),
        ("shared-memory", SYS_shmget, &[0, 4096, 0o1600]),
        ("semaphores", SYS_semget, &[0, 1, 0o1600]),
        ("message-queue", SYS_msgget, &[0, 0o1600]),
        ("kernel-log", SYS_syslog, &[3, zeros, 64]),
        ("memfd-secret", SYS_memfd_secret, &[0]),
        ("sync-host", SYS_sync, &[]),
        ("terminal-typing", SYS_ioctl, &[0, 0x5412, kind]),
    ];
    for (name, number, arguments) in calls {
        record.attempt(name, || gains(number, arguments));
    }
    for (name, number, arguments) in [
        ("io-privilege", SYS_iopl, [3usize, 0, 0]),
        ("io-ports", SYS_ioperm, [0x80, 1, 1]),
        ("segments", SYS_modify_ldt, [0, zeros, 64]),
    ] {
        record.attempt(name, || gains(number, &arguments));
    }
}

/// Changes to the host, in forms that would do no harm if they were allowed.
fn host(record: &mut Record) {
    let name = text("nowhere");
    let name = name.as_ptr() as usize;
    let mut now = timespec { tv_sec: 0, tv_nsec: 0 };
    let _ = call(SYS_clock_gettime, &[0, output(&mut now)]);
    let now = address(&now);
    // The usual length of a clock tick, to where the kernel reads it.
    let mut same_rate = [0u64; 32];
    same_rate[0] = ADJ_TICK.into();
    same_rate[11] = 10_000;
    // Switching off a key combination that is off already.
    let magic: [usize; 2] = [0xfee1_dead, 672_274_793];
    let calls: [(&str, c_long, &[usize]); 13] = [
        ("reboot", SYS_reboot, &[magic[0], magic[1], 0]),
        ("host-name", SYS_sethostname, &[name, 7]),
        ("domain-name", SYS_setdomainname, &[name, 7]),
        ("clock", SYS_clock_settime, &[0, now]),
        ("time-of-day", SYS_settimeofday, &[now, 0]),
        ("clock-rate", SYS_adjtimex, &[output(&mut same_rate)]),
        ("kexec", SYS_kexec_load, &[0, 0, 0, 0]),
        ("module", SYS_init_module, &[name, 7, name]),
        ("module-file", SYS_finit_module, &[0, name, 0]),
        ("module-removal", SYS_delete_module, &[name, 0]),
        ("swap", SYS_swapon, &[name, 0]),
        ("accounting", SYS_acct, &[name]),
        ("quota", SYS_quotactl, &[0, 0, 0, 0]),
    ];
    for (what, number, arguments) in calls {
        record.attempt(what, || gains(number, arguments));
    }
}
