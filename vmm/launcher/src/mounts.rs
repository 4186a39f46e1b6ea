//! The jail's file system: the bundle as a read-only root and a few mounts on its empty folders.
//!
//! Every source is opened once, checked, copied as a detached mount and restricted; only then is it
//! attached. So no path is resolved twice, and nothing is ever visible without its restrictions.

use crate::arguments::Arguments;
use crate::failure::{Failure, Step};
use crate::folder::open_trusted_folder;
use crate::{literal, sys};
use std::ffi::CStr;
use std::os::unix::io::{AsFd, BorrowedFd, OwnedFd};

/// Folders a bundle has for the mounts, each empty.
const MOUNT_POINTS: [&[u8]; 4] = [b"dev\0", b"disk\0", b"base\0", b"image\0"];

const READ_ONLY: u64 = 0x1;
const NO_SUID: u64 = 0x2;
const NO_DEVICES: u64 = 0x4;
const NO_EXEC: u64 = 0x8;
const DATA: u64 = NO_SUID | NO_DEVICES | NO_EXEC;

/// All mounts of a jail, copied and restricted but not attached yet.
pub struct Jail {
    bundle: OwnedFd,
    root: OwnedFd,
    disks: OwnedFd,
    memory: Option<OwnedFd>,
    images: Vec<OwnedFd>,
}

impl Jail {
    /// Collects the mounts, in a mount namespace that is already ours.
    pub fn collect(arguments: &Arguments) -> Result<Self, Failure> {
        sys::make_mounts_private().step("make mounts private")?;
        let bundle = open_trusted_folder(&arguments.bundle, "bundle")?;
        let root = copy(&bundle, READ_ONLY | NO_SUID | NO_DEVICES, "bundle")?;
        for point in MOUNT_POINTS {
            let flags = libc::O_PATH | libc::O_DIRECTORY;
            let no_links = libc::RESOLVE_NO_SYMLINKS | libc::RESOLVE_BENEATH;
            sys::open(root.as_fd(), literal(point), flags, 0, no_links)
                .step("bundle's mount points")?;
        }
        let disks = copy(&open_trusted_folder(&arguments.disks, "disks")?, DATA, "disks")?;
        let memory = match &arguments.memory {
            Some(memory) => {
                let access = if memory.writable { DATA } else { DATA | READ_ONLY };
                Some(copy(&open_file(&memory.file, "memory")?, access, "memory")?)
            }
            None => None,
        };
        let mut images = Vec::new();
        for image in &arguments.images {
            let file = open_file(&image.file, "read-only file")?;
            images.push(copy(&file, DATA | READ_ONLY, "read-only file")?);
        }
        Ok(Jail { bundle, root, disks, memory, images })
    }

    /// The program's file, looked up as it will be seen from inside.
    pub fn program(&self, path: &CStr) -> Result<OwnedFd, Failure> {
        sys::open(self.root.as_fd(), path, libc::O_PATH, 0, libc::RESOLVE_IN_ROOT).step("program")
    }

    /// Makes the jail the root of this process and leaves the host's file system for good.
    pub fn enter(self, arguments: &Arguments) -> Result<(), Failure> {
        attach(&self.root, self.bundle.as_fd(), b"\0")?;
        if !arguments.wants("mounts") {
            return Ok(());
        }
        sys::change_root(self.root.as_fd()).step("change root")?;
        attach(&self.disks, sys::here(), b"disk\0")?;
        attach(&devices(arguments)?, sys::here(), b"dev\0")?;
        if let Some(memory) = self.memory {
            let base = holder(&[literal(b"memory\0")])?;
            attach(&base, sys::here(), b"base\0")?;
            attach(&memory, sys::here(), b"base/memory\0")?;
        }
        if !self.images.is_empty() {
            let names: Vec<&CStr> = arguments.images.iter().map(|image| &*image.name).collect();
            let holder = holder(&names)?;
            attach(&holder, sys::here(), b"image\0")?;
            for (mount, name) in self.images.iter().zip(names) {
                sys::attach_mount(mount.as_fd(), holder.as_fd(), name).step("attach mount")?;
            }
        }
        Ok(())
    }
}

fn open_file(path: &CStr, what: &str) -> Result<OwnedFd, Failure> {
    let file = sys::open(sys::here(), path, libc::O_PATH | libc::O_NOFOLLOW, 0, 0).step(what)?;
    let status = sys::file_status(file.as_fd()).step(what)?;
    if status.st_mode & libc::S_IFMT != libc::S_IFREG {
        return Err(Failure::new(what, "is not a regular file"));
    }
    Ok(file)
}

fn copy(source: &OwnedFd, restrictions: u64, what: &str) -> Result<OwnedFd, Failure> {
    let mount = sys::clone_mount(source.as_fd()).step(what)?;
    sys::restrict_mount(mount.as_fd(), restrictions).step(what)?;
    Ok(mount)
}

fn attach(mount: &OwnedFd, at: BorrowedFd, path: &'static [u8]) -> Result<(), Failure> {
    sys::attach_mount(mount.as_fd(), at, literal(path)).step("attach mount")
}

fn small_tmpfs() -> Result<OwnedFd, Failure> {
    let options = [
        (literal(b"size\0"), literal(b"4k\0")),
        (literal(b"nr_inodes\0"), literal(b"256\0")),
        (literal(b"mode\0"), literal(b"0755\0")),
    ];
    sys::new_tmpfs(&options).step("make tmpfs")
}

/// A read-only folder of empty files to mount other files on: the bundle itself cannot be written.
fn holder(names: &[&CStr]) -> Result<OwnedFd, Failure> {
    let mount = small_tmpfs()?;
    for name in names {
        let flags = libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW;
        sys::open(mount.as_fd(), name, flags, 0o400, 0).step("make mount point")?;
    }
    sys::restrict_mount(mount.as_fd(), READ_ONLY | DATA).step("restrict tmpfs")?;
    Ok(mount)
}

/// `/dev`: the null device and, if granted, KVM.
fn devices(arguments: &Arguments) -> Result<OwnedFd, Failure> {
    let mount = small_tmpfs()?;
    let at = mount.as_fd();
    sys::set_file_mask(0);
    let null = sys::device_number(1, 3);
    let mode = libc::S_IFCHR | 0o666;
    sys::make_node(at, literal(b"null\0"), mode, null, 0).step("make null device")?;
    if arguments.kvm {
        let kvm = sys::device_number(10, 232);
        let mode = libc::S_IFCHR | 0o600;
        sys::make_node(at, literal(b"kvm\0"), mode, kvm, arguments.uid).step("make kvm device")?;
    }
    sys::restrict_mount(at, READ_ONLY | NO_SUID | NO_EXEC).step("restrict devices")?;
    Ok(mount)
}
