//! Leaving the jail's view of the system.

use crate::sys::{address, apart, gains, output, text};
use crate::Record;
use libc::*;

const LISTMOUNT: c_long = 458;

pub fn attempt(record: &mut Record) {
    mounts(record);
    let kinds = [
        ("user", CLONE_NEWUSER),
        ("mount", CLONE_NEWNS),
        ("process", CLONE_NEWPID),
        ("network", CLONE_NEWNET),
        ("ipc", CLONE_NEWIPC),
        ("uts", CLONE_NEWUTS),
        ("cgroup", CLONE_NEWCGROUP),
        ("time", 0x80),
        ("user-and-mount", CLONE_NEWUSER | CLONE_NEWNS),
    ];
    for (kind, flag) in kinds {
        let flag = flag as usize;
        record.attempt(&format!("unshare-{}", kind), || apart(|| gains(SYS_unshare, &[flag])));
    }
    record.attempt("setns-socket", || gains(SYS_setns, &[3, 0]));
    record.attempt("socket-namespace", || gains(SYS_ioctl, &[3, 0x894c]));
    record.attempt("tap-namespace", || gains(SYS_ioctl, &[6, 0x54e3]));
}

fn mounts(record: &mut Record) {
    let [tmpfs, disk, root, base, here, proc_name] = ["tmpfs", "/disk", "/", "/base/memory", ".", "proc"].map(text);
    let at = AT_FDCWD as usize;
    let pointer = |text: &std::ffi::CString| text.as_ptr() as usize;
    let writable: [u64; 4] = [0, 1, 0, 0];
    let remount = (MS_REMOUNT | MS_BIND) as usize;
    let calls: [(&str, c_long, &[usize]); 15] = [
        ("tmpfs", SYS_mount, &[pointer(&tmpfs), pointer(&disk), pointer(&tmpfs), 0, 0]),
        ("proc", SYS_mount, &[pointer(&proc_name), pointer(&disk), pointer(&proc_name), 0, 0]),
        ("bind", SYS_mount, &[pointer(&root), pointer(&disk), 0, MS_BIND as usize, 0]),
        ("remount-root", SYS_mount, &[0, pointer(&root), 0, remount, 0]),
        ("remount-base", SYS_mount, &[0, pointer(&base), 0, remount, 0]),
        ("umount-disk", SYS_umount2, &[pointer(&disk), MNT_DETACH as usize]),
        ("umount-root", SYS_umount2, &[pointer(&root), MNT_DETACH as usize]),
        ("pivot-root", SYS_pivot_root, &[pointer(&here), pointer(&here)]),
        ("chroot", SYS_chroot, &[pointer(&disk)]),
        ("open-tree", SYS_open_tree, &[at, pointer(&root), 1]),
        ("move-mount", SYS_move_mount, &[at, pointer(&disk), at, pointer(&root), 0]),
        ("fsopen", SYS_fsopen, &[pointer(&tmpfs), 0]),
        ("fspick", SYS_fspick, &[at, pointer(&root), 0]),
        ("setattr-root", SYS_mount_setattr, &[at, pointer(&root), 0, address(&writable), 32]),
        ("setattr-base", SYS_mount_setattr, &[at, pointer(&base), 0, address(&writable), 32]),
    ];
    for (verb, number, arguments) in calls {
        record.attempt(&format!("mount-{}", verb), || apart(|| gains(number, arguments)));
    }
    record.attempt("mount-list", || {
        let request = [24u64, u64::MAX, 0];
        let mut found = [0u64; 16];
        gains(LISTMOUNT, &[address(&request), output(&mut found), 16, 0])
    });
}
