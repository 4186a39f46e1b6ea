//! Reading, changing and making files.

use crate::sys::{address, apart, call, close, gains, open, output, text, Outcome};
use crate::targets::Targets;
use crate::Record;
use libc::*;

pub fn attempt(targets: &Targets, record: &mut Record) {
    read_host(targets, record);
    change_bundle(record);
    open_devices(record);
    change_base(record);
    for layer in &targets.layers {
        change_layer(&format!("/disk/{}", layer), record);
    }
    for own in &targets.own_files {
        misuse_own_file(&format!("/disk/{}", own), record);
    }
    make_entries("/disk", record);
    for own in &targets.own_folders {
        make_entries(&format!("/disk/{}", own), record);
    }
}

fn opens(path: &str, flags: i32) -> Outcome {
    open(path, flags).map(|file| {
        close(file);
        format!("opened {}", path)
    })
}

fn read_host(targets: &Targets, record: &mut Record) {
    let paths = [
        "/etc/shadow",
        "/etc/passwd",
        "../../../../../../../../etc/passwd",
        "/disk/../../../../etc/passwd",
        "/base/../../etc/passwd",
        "/proc/1/root/etc/passwd",
        "/proc/self/environ",
        "/proc/self/fd/7",
        "/proc/kcore",
        "/proc/net/tcp",
        "/proc/sysrq-trigger",
        "/sys/kernel/notes",
        "/sys/fs/cgroup",
        "/root",
        "/home",
        "/var",
        "/tmp",
        "/run",
        "/boot",
    ];
    for path in paths {
        record.attempt(&format!("read:{}", path), || opens(path, O_RDONLY));
    }
    for path in &targets.secrets {
        record.attempt(&format!("secret:{}", path), || opens(path, O_RDONLY));
    }
    record.attempt("beside-listener", || {
        let up = text("../..");
        gains(SYS_openat, &[3, up.as_ptr() as usize, O_RDONLY as usize])
    });
}

fn change_bundle(record: &mut Record) {
    record.attempt("bundle-create", || opens("/usr/bin/planted", O_CREAT | O_WRONLY));
    record.attempt("bundle-preload", || opens("/etc/ld.so.preload", O_CREAT | O_WRONLY));
    record.attempt("bundle-root-create", || opens("/planted", O_CREAT | O_WRONLY));
    record.attempt("bundle-overwrite-program", || {
        let program = std::env::args().next().unwrap_or_default();
        opens(&program, O_RDWR)
    });
}

fn open_devices(record: &mut Record) {
    for name in ["mem", "kvm", "net/tun", "vda", "sda", "loop-control", "fuse", "ptmx", "userfaultfd"] {
        let path = format!("/dev/{}", name);
        record.attempt(&format!("device:{}", name), || opens(&path, O_RDWR));
    }
    record.attempt("device-create", || opens("/dev/planted", O_CREAT | O_WRONLY));
}

fn change_base(record: &mut Record) {
    let base = "/base/memory";
    record.attempt("base-open-write", || opens(base, O_WRONLY));
    record.attempt("base-open-both", || opens(base, O_RDWR));
    record.attempt("base-truncating-open", || opens(base, O_RDONLY | O_TRUNC));
    change_path("base", base, record);
    change_through_reader("base", base, record);
}

fn change_layer(layer: &str, record: &mut Record) {
    record.attempt("layer-open-write", || opens(layer, O_WRONLY));
    record.attempt("layer-open-both", || opens(layer, O_RDWR));
    record.attempt("layer-truncating-open", || opens(layer, O_RDONLY | O_TRUNC));
    change_path("layer", layer, record);
    change_through_reader("layer", layer, record);
}

/// What can be done to a file by its name.
fn change_path(what: &str, path: &str, record: &mut Record) {
    let name = text(path);
    let path = name.as_ptr() as usize;
    let at = AT_FDCWD as usize;
    let other = text("/disk/moved");
    let other = other.as_ptr() as usize;
    let attribute = text("user.mark");
    let attribute = attribute.as_ptr() as usize;
    let me = call(SYS_getuid, &[]).unwrap_or(0);
    let calls: [(&str, c_long, &[usize]); 7] = [
        ("truncate", SYS_truncate, &[path, 0]),
        ("chmod", SYS_fchmodat, &[at, path, 0o777]),
        ("chown", SYS_fchownat, &[at, path, me, me, 0]),
        ("unlink", SYS_unlinkat, &[at, path, 0]),
        ("rename", SYS_renameat2, &[at, path, at, other, 0]),
        ("link", SYS_linkat, &[at, path, at, other, 0]),
        ("setxattr", SYS_setxattr, &[path, attribute, path, 1, 0]),
    ];
    for (verb, number, arguments) in calls {
        record.attempt(&format!("{}-{}", what, verb), || gains(number, arguments));
    }
}

/// What can be done to a file through a descriptor that only reads.
fn change_through_reader(what: &str, path: &str, record: &mut Record) {
    let file = match open(path, O_RDONLY) {
        Ok(file) => file,
        Err(errno) => return record.attempt(&format!("{}-reader", what), || Err(errno)),
    };
    let one = address(&1u32);
    let punch = (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE) as usize;
    let both = (PROT_READ | PROT_WRITE) as usize;
    let calls: [(&str, c_long, &[usize]); 9] = [
        ("write", SYS_pwrite64, &[file, one, 4, 0]),
        ("ftruncate", SYS_ftruncate, &[file, 0]),
        ("punch", SYS_fallocate, &[file, punch, 0, 4096]),
        ("map-writable", SYS_mmap, &[0, 4096, both, MAP_SHARED as usize, file, 0]),
        ("set-flags", SYS_ioctl, &[file, 0x4008_6602, one]),
        ("clone-over", SYS_ioctl, &[file, 0x4004_9409, file]),
        ("fchmod", SYS_fchmod, &[file, 0o777]),
        ("lease", SYS_fcntl, &[file, F_SETLEASE as usize, F_RDLCK as usize]),
        ("flock", SYS_flock, &[file, (LOCK_EX | LOCK_NB) as usize]),
    ];
    for (verb, number, arguments) in calls {
        record.attempt(&format!("{}-reader-{}", what, verb), || gains(number, arguments));
    }
    record.attempt(&format!("{}-reader-mprotect", what), || {
        let shared = MAP_SHARED as usize;
        let at = call(SYS_mmap, &[0, 4096, PROT_READ as usize, shared, file, 0])?;
        gains(SYS_mprotect, &[at, 4096, both])
    });
    close(file);
}

/// A cell's own disk may be written, but must not become anything else.
fn misuse_own_file(path: &str, record: &mut Record) {
    let file = match open(path, O_RDWR) {
        Ok(file) => file,
        Err(errno) => return record.attempt("own-file", || Err(errno)),
    };
    let code = (PROT_READ | PROT_EXEC) as usize;
    let private = MAP_PRIVATE as usize;
    record.attempt("own-map-code", || gains(SYS_mmap, &[0, 4096, code, private, file, 0]));
    record.attempt("own-map-then-code", || {
        let at = call(SYS_mmap, &[0, 4096, PROT_READ as usize, private, file, 0])?;
        gains(SYS_mprotect, &[at, 4096, code])
    });
    record.attempt("own-setuid-bit", || gains(SYS_fchmod, &[file, 0o4755]));
    record.attempt("own-project", || gains(SYS_ioctl, &[file, 0x401c_5820, address(&[0u32; 7])]));
    record.attempt("own-lease", || gains(SYS_fcntl, &[file, F_SETLEASE as usize, F_WRLCK as usize]));
    record.attempt("own-beyond-limit", || {
        let mut limit = rlimit64 { rlim_cur: 0, rlim_max: 0 };
        call(SYS_prlimit64, &[0, RLIMIT_FSIZE as usize, 0, output(&mut limit)])?;
        let beyond = limit.rlim_max.min(1 << 42) as usize;
        gains(SYS_pwrite64, &[file, address(&0u8), 1, beyond])
    });
    close(file);
}

/// New entries on the host's disk, whose number nobody limits.
fn make_entries(folder: &str, record: &mut Record) {
    let path = format!("{}/planted", folder);
    let name = text(&path);
    let planted = name.as_ptr() as usize;
    let target = text("/etc/shadow");
    let target = target.as_ptr() as usize;
    let at = AT_FDCWD as usize;
    let device = makedev(1, 1) as usize;
    record.attempt(&format!("create:{}", folder), || opens(&path, O_CREAT | O_WRONLY));
    record.attempt(&format!("create-nameless:{}", folder), || opens(folder, O_TMPFILE | O_RDWR));
    let calls: [(&str, c_long, &[usize]); 4] = [
        ("mkdir", SYS_mkdirat, &[at, planted, 0o755]),
        ("symlink", SYS_symlinkat, &[target, at, planted]),
        ("mknod", SYS_mknodat, &[at, planted, (S_IFCHR | 0o666) as usize, device]),
        ("mkfifo", SYS_mknodat, &[at, planted, (S_IFIFO | 0o666) as usize, 0]),
    ];
    for (verb, number, arguments) in calls {
        record.attempt(&format!("{}:{}", verb, folder), || apart(|| gains(number, arguments)));
    }
    record.attempt(&format!("bind-socket:{}", folder), || {
        std::os::unix::net::UnixListener::bind(format!("{}/planted.sock", folder))
            .map(|_| "bound".into())
            .map_err(|error| error.raw_os_error().unwrap_or(0))
    });
}
