//! Which kernel calls the program may not make. QEMU's own sandbox comes on top of this one.
//!
//! Refused calls fail instead of killing: a QEMU that tries something optional goes on, and a test
//! can see each refusal.
//!
//! **Running programs.** The filter must let the launcher's own exec through and no other. Only
//! `execveat` of descriptor number [`PROGRAM`] with an empty path passes. That descriptor closes
//! itself in the exec, and the limit on open files has by then been lowered below its number for
//! good (raising it would take a capability), so no descriptor can ever have that number again:
//! exec is over.

use crate::bpf::{Program, Test};
use crate::descriptors::PROGRAM;
use libc::*;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;

/// The newest call that was considered for the lists below (`mseal`). Later ones, and on x86 the
/// whole x32 convention with its high numbers, do not exist for the program.
const LAST_CONSIDERED: u32 = 462;

// Younger than the constants of the oldest supported libc crate.
const SYS_FCHMODAT2: c_long = 452;
const SYS_STATMOUNT: c_long = 457;
const SYS_LISTMOUNT: c_long = 458;

#[rustfmt::skip]
const NEVER: &[c_long] = &[
    // Other programs and processes.
    SYS_execve, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_process_madvise,
    SYS_pidfd_getfd, SYS_kcmp, SYS_memfd_create, SYS_memfd_secret,
    // Namespaces and mounts.
    SYS_unshare, SYS_setns, SYS_chroot, SYS_pivot_root, SYS_mount, SYS_umount2, SYS_open_tree,
    SYS_move_mount, SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_mount_setattr,
    SYS_STATMOUNT, SYS_LISTMOUNT, SYS_quotactl, SYS_quotactl_fd, SYS_swapon, SYS_swapoff,
    // Ids and privileges.
    SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setfsuid,
    SYS_setfsgid, SYS_setgroups, SYS_capset, SYS_personality,
    // Large or global parts of the kernel that a machine has no use for.
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_io_uring_enter,
    SYS_io_uring_register, SYS_add_key, SYS_request_key, SYS_keyctl, SYS_fanotify_init,
    SYS_shmget, SYS_semget, SYS_msgget, SYS_mq_open, SYS_syslog, SYS_acct, SYS_vhangup,
    // The host itself.
    SYS_reboot, SYS_kexec_load, SYS_kexec_file_load, SYS_init_module, SYS_finit_module,
    SYS_delete_module, SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex,
    SYS_sethostname, SYS_setdomainname,
    // Everybody's time and disks: priorities, flushing what others wrote, locking shared files.
    SYS_setpriority, SYS_ioprio_set, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr,
    SYS_sync, SYS_syncfs, SYS_flock,
    // Names: files are made, removed, given away and moved by the server alone.
    SYS_open_by_handle_at, SYS_name_to_handle_at, SYS_mknodat, SYS_mkdirat, SYS_unlinkat,
    SYS_symlinkat, SYS_linkat, SYS_renameat2, SYS_fchmod, SYS_fchmodat, SYS_FCHMODAT2, SYS_fchown,
    SYS_fchownat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr,
    SYS_lremovexattr, SYS_fremovexattr,
];

/// Older ways to the same, which later architectures never had.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const NEVER_HERE: &[c_long] = &[
    SYS_fork, SYS_vfork, SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_uselib, SYS_mknod, SYS_mkdir,
    SYS_rmdir, SYS_unlink, SYS_symlink, SYS_link, SYS_rename, SYS_renameat, SYS_chmod, SYS_chown,
    SYS_lchown,
];
/// `renameat`, which the libc crate leaves out here.
#[cfg(target_arch = "aarch64")]
const NEVER_HERE: &[c_long] = &[38];

const NAMESPACES: c_int =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

/// (call, argument, refused when)
const SOMETIMES: &[(c_long, u32, Test)] = &[
    (SYS_execveat, 0, Test::NoneOf(&[PROGRAM as u32])),
    (SYS_execveat, 4, Test::NoneOf(&[AT_EMPTY_PATH as u32])),
    (SYS_clone, 0, Test::NoBit(CLONE_THREAD as u32)),
    (SYS_clone, 0, Test::AnyBit(NAMESPACES as u32)),
    (SYS_openat, 2, Test::AnyBit(NAMELESS)),
    (SYS_socket, 0, Test::NoneOf(&[AF_UNIX as u32])),
    (SYS_socketpair, 0, Test::NoneOf(&[AF_UNIX as u32])),
    (SYS_ioctl, 1, Test::OneOf(IOCTLS)),
    (SYS_fcntl, 1, Test::OneOf(&[F_SETLEASE as u32, F_NOTIFY as u32])),
    (SYS_prctl, 0, Test::NoneOf(PROCESS_CONTROLS)),
];

/// New files without a name, in a folder that is the cell's by mistake: Landlock overlooks them.
const NAMELESS: u32 = 0o20_000_000;

/// Typing into terminals; changing what the tap is, of which QEMU only reads the features and sets
/// the header size, offloads and buffer; giving a disk attributes or another quota. As for the rest
/// above: a lease would stall the server when it opens a disk.
const IOCTLS: &[u32] = &[
    0x5412,      // TIOCSTI
    0x541c,      // TIOCLINUX
    0x8924,      // SIOCSIFHWADDR
    0x4004_54c9, // TUNSETDEBUG
    0x4004_54ca, // TUNSETIFF
    0x4004_54cb, // TUNSETPERSIST
    0x4004_54cc, // TUNSETOWNER
    0x4004_54cd, // TUNSETLINK
    0x4004_54ce, // TUNSETGROUP
    0x4004_54d1, // TUNSETTXFILTER
    0x4010_54d5, // TUNATTACHFILTER
    0x4010_54d6, // TUNDETACHFILTER
    0x4004_54d9, // TUNSETQUEUE
    0x4004_54da, // TUNSETIFINDEX
    0x8004_54e0, // TUNSETSTEERINGEBPF
    0x8004_54e1, // TUNSETFILTEREBPF
    0x4004_54e2, // TUNSETCARRIER
    0x0000_54e3, // TUNGETDEVNETNS
    0x4008_6602, // FS_IOC_SETFLAGS
    0x401c_5820, // FS_IOC_FSSETXATTR
];

/// The flags QEMU sets on a passed descriptor before it saves a state: those for opening a file.
const REOPEN: u32 = (O_WRONLY | O_CREAT | O_TRUNC) as u32;

/// What QEMU, its C library and its own sandbox ask for.
const PROCESS_CONTROLS: &[u32] = &[
    PR_SET_NAME as u32,
    PR_GET_NAME as u32,
    PR_SET_NO_NEW_PRIVS as u32,
    PR_GET_NO_NEW_PRIVS as u32,
    PR_SET_SECCOMP as u32,
    PR_GET_SECCOMP as u32,
    PR_SET_TIMERSLACK as u32,
    PR_GET_DUMPABLE as u32,
    PR_MCE_KILL as u32,
    0x5356_4d41, // PR_SET_VMA: names of memory regions
];

/// The whole filter, ready to be installed.
pub fn build() -> Vec<sock_filter> {
    let mut program = Program::default();
    program.only_architecture(ARCHITECTURE, EPERM);
    program.nothing_above(LAST_CONSIDERED, ENOSYS);
    // The C library then falls back to clone, whose flags a filter can see.
    program.never(SYS_clone3 as u32, ENOSYS);
    // Likewise: how a file is to be opened lies in memory here.
    program.never(SYS_openat2 as u32, ENOSYS);
    for call in NEVER.iter().chain(NEVER_HERE) {
        program.never(*call as u32, EPERM);
    }
    #[cfg(target_arch = "x86_64")]
    program.not_when(SYS_open as u32, 1, Test::AnyBit(NAMELESS), EPERM);
    for (call, argument, test) in SOMETIMES {
        program.not_when(*call as u32, *argument, *test, EPERM);
    }
    // This would end appending, and every later state would begin behind a hole as long as all
    // those before. Answering "done" keeps it; no other use of this call has that value.
    program.not_when(SYS_fcntl as u32, 2, Test::OneOf(&[REOPEN]), 0);
    program.allow_the_rest()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bpf::interpret;

    fn outcome(call: c_long, arguments: [u64; 6]) -> Option<i32> {
        interpret(&build(), ARCHITECTURE, call as u32, arguments)
    }

    #[test]
    fn lets_a_machine_do_its_work() {
        let needed = [
            SYS_read,
            SYS_write,
            SYS_openat,
            SYS_mmap,
            SYS_mprotect,
            SYS_futex,
            SYS_ppoll,
            SYS_preadv,
            SYS_pwritev,
            SYS_fallocate,
            SYS_ftruncate,
            SYS_fdatasync,
            SYS_accept4,
            SYS_sendmsg,
            SYS_seccomp,
            SYS_exit_group,
            SYS_rt_sigaction,
            SYS_eventfd2,
            SYS_timerfd_create,
        ];
        for call in needed {
            assert_eq!(None, outcome(call, [0; 6]), "{}", call);
        }
    }

    #[test]
    fn refuses_every_listed_call_whatever_its_arguments() {
        for call in NEVER.iter().chain(NEVER_HERE) {
            for argument in [0, 1, 1000, u64::MAX] {
                assert_eq!(Some(EPERM), outcome(*call, [argument; 6]), "{}", call);
            }
        }
    }

    #[test]
    fn executes_one_descriptor_only() {
        let exec = |file: i64, flags: i32| outcome(SYS_execveat, [file as u64, 1, 1, 1, flags as u64, 0]);
        assert_eq!(None, exec(1000, AT_EMPTY_PATH));
        assert_eq!(Some(EPERM), exec(999, AT_EMPTY_PATH));
        assert_eq!(Some(EPERM), exec(AT_FDCWD.into(), 0));
        assert_eq!(Some(EPERM), exec(1000, 0));
        assert_eq!(Some(EPERM), exec(1000, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW));
    }

    #[test]
    fn starts_threads_but_no_processes() {
        let clone = |flags: i32| outcome(SYS_clone, [flags as u64, 0, 0, 0, 0, 0]);
        let thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
        assert_eq!(None, clone(thread));
        assert_eq!(Some(EPERM), clone(SIGCHLD));
        assert_eq!(Some(EPERM), clone(CLONE_VM | CLONE_VFORK));
        assert_eq!(Some(EPERM), clone(thread | CLONE_NEWNET));
        assert_eq!(Some(ENOSYS), outcome(SYS_clone3, [0; 6]));
    }

    #[test]
    fn opens_files_but_makes_none_without_a_name() {
        let open = |flags: i32| outcome(SYS_openat, [0, 1, flags as u64, 0, 0, 0]);
        assert_eq!(None, open(O_RDWR | O_CLOEXEC | O_DIRECT | O_NOATIME));
        assert_eq!(None, open(O_RDONLY | O_DIRECTORY));
        assert_eq!(Some(EPERM), open(O_RDWR | O_TMPFILE));
        assert_eq!(Some(ENOSYS), outcome(SYS_openat2, [0; 6]));
    }

    #[test]
    fn opens_local_sockets_only() {
        for call in [SYS_socket, SYS_socketpair] {
            for family in 0..50 {
                let refused = if family == AF_UNIX { None } else { Some(EPERM) };
                assert_eq!(refused, outcome(call, [family as u64, 1, 0, 0, 0, 0]), "{}", family);
            }
        }
    }

    #[test]
    fn refuses_other_conventions_and_unknown_calls() {
        let filter = build();
        assert_eq!(Some(EPERM), interpret(&filter, 0x4000_0003, SYS_getpid as u32, [0; 6]));
        assert_eq!(Some(ENOSYS), outcome(SYS_getpid | 0x4000_0000, [0; 6]));
        assert_eq!(Some(ENOSYS), outcome(463, [0; 6]));
        assert_eq!(Some(ENOSYS), outcome(-1, [0; 6]));
    }

    #[test]
    fn keeps_appending_files_appending_and_takes_no_leases() {
        let control = |command: i32, value: u64| outcome(SYS_fcntl, [8, command as u64, value, 0, 0, 0]);
        assert_eq!(Some(0), control(F_SETFL, REOPEN.into()));
        assert_eq!(None, control(F_SETFL, (O_RDWR | O_NONBLOCK) as u64));
        assert_eq!(None, control(F_OFD_SETLK, 0x7fff_0000_1000));
        assert_eq!(Some(EPERM), control(F_SETLEASE, F_WRLCK as u64));
    }

    #[test]
    fn fits_into_what_the_kernel_takes() {
        assert!(build().len() < 4096);
    }
}
