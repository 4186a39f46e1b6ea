//! An archive into a folder, and nowhere else.
//!
//! Whoever made the archive may be hostile. So every folder on the way to an entry is opened without following
//! links, each below the one before, and what is in an entry's place is removed instead of written to: a link,
//! planted by the archive or there before, is never gone through.

use std::fs::{self, File, Permissions};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::{symlink, DirBuilderExt, FileExt, PermissionsExt};
use std::os::unix::io::OwnedFd;
use std::path::Path;

use super::archive::{Archive, Entry};
use super::change::make_parents;
use super::tar::{Header, Kind};
use super::{path_of, Failure, Outcome};
use crate::helper::{Host, PACKET_BYTES};
use crate::sys::errno;
use crate::sys::file::{self, below, change_owner, change_times, own_name, CAREFUL, REAL_FOLDER};

const PRIVATE_FOLDER_MODE: u32 = 0o700;
const PRIVATE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o755;
/// Folders whose mode and time are set at the end; beyond, they are set at once.
const MAX_DEFERRED: usize = 262_144;
const MAX_COMPONENTS: usize = 1024;

/// With this feature, which only a test's agent has, an archive may lead out of its folder: what must then
/// happen proves that the test would notice.
const CONFINED: bool = !cfg!(feature = "red-controls");

type Components = Vec<Vec<u8>>;

struct Unpacker {
    root: OwnedFd,
    owners: bool,
    /// The folder of the last entry: most entries have the same one as the entry before.
    last: Option<(Components, OwnedFd)>,
    deferred: Vec<(Components, Header)>,
    entries: u64,
    skipped: u64,
    bytes: u64,
    buffer: Vec<u8>,
}

pub fn unpack(path: &Path, owners: bool, host: &mut Host) -> Outcome {
    make_parents(path)?;
    let open = libc::O_RDONLY | libc::O_DIRECTORY | CAREFUL;
    let root = file::open(path, open, 0).map_err(Failure::at("open the folder", path))?;
    host.opened(&[])?;
    let mut unpacker = Unpacker {
        root,
        owners,
        last: None,
        deferred: Vec::new(),
        entries: 0,
        skipped: 0,
        bytes: 0,
        buffer: vec![0; PACKET_BYTES],
    };
    let mut archive = Archive::new(host);
    while let Some(entry) = archive.next_entry().map_err(broken)? {
        unpacker.entry(&entry, &mut archive)?;
    }
    archive.finish()?;
    unpacker.settle_folders()?;
    let counts = [unpacker.entries, unpacker.skipped, unpacker.bytes];
    Ok(counts.iter().flat_map(|count| count.to_be_bytes()).collect())
}

/// The archive's own faults are the caller's.
fn broken(error: Error) -> Failure {
    match error.kind() {
        ErrorKind::InvalidData => Failure::new(libc::EINVAL, error.to_string()),
        ErrorKind::UnexpectedEof => Failure::new(libc::EINVAL, "the archive is cut off"),
        _ => Failure::from(error),
    }
}

/// The parts of a name, which must lead downwards.
fn components(name: &[u8]) -> Result<Components, Failure> {
    let refused =
        |reason: &str| Failure::new(libc::EINVAL, format!("the archive {reason}: {}", String::from_utf8_lossy(name)));
    if name.starts_with(b"/") && CONFINED {
        return Err(refused("has an absolute name"));
    }
    if name.contains(&0) {
        return Err(refused("has a name with a zero byte"));
    }
    let parts: Components =
        name.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".").map(<[u8]>::to_vec).collect();
    if parts.iter().any(|part| part == b"..") && CONFINED {
        return Err(refused("has a name that leads out of its folder"));
    }
    if parts.len() > MAX_COMPONENTS {
        return Err(refused("has too deep a name"));
    }
    Ok(parts)
}

fn shown(parts: &[Vec<u8>]) -> std::path::PathBuf {
    path_of(parts.join(&b'/'))
}

impl Unpacker {
    fn entry(&mut self, entry: &Entry, archive: &mut Archive<&mut Host>) -> Result<(), Failure> {
        let header = &entry.header;
        let parts = components(&header.name)?;
        let (name, folder) = match parts.split_last() {
            Some((name, folder)) => (name, folder.to_vec()),
            None if header.kind == Kind::Folder => return self.defer(parts, header),
            None => return Err(Failure::new(libc::EINVAL, "the archive has an entry without a name")),
        };
        if let Kind::Other(_) = header.kind {
            self.skipped += 1;
            return Ok(());
        }
        self.entries += 1;
        let path = below(self.enter(folder)?, name);
        match header.kind {
            Kind::Folder => {
                self.make_folder(&path, &parts)?;
                self.defer(parts, header)
            }
            Kind::Link => {
                self.clear(&path, &parts)?;
                symlink(path_of(header.link.clone()), &path).map_err(Failure::at("make the link", &shown(&parts)))?;
                self.settle(&path, header, &parts)
            }
            Kind::HardLink => {
                let target = components(&header.link)?;
                self.clear(&path, &parts)?;
                self.link(&target, &path)
            }
            _ => {
                self.clear(&path, &parts)?;
                self.file(&path, entry, archive, &parts)
            }
        }
    }

    /// Opens the folder, making what is missing on the way.
    fn enter(&mut self, parts: Components) -> Result<&OwnedFd, Failure> {
        let known = matches!(&self.last, Some((last, _)) if *last == parts);
        if !known {
            let folder = self.walk(&parts, true)?;
            self.last = Some((parts, folder));
        }
        Ok(self.last.as_ref().map_or(&self.root, |(_, folder)| folder))
    }

    fn walk(&self, parts: &[Vec<u8>], make: bool) -> Result<OwnedFd, Failure> {
        let mut folder = self.root.try_clone()?;
        let flags = if CONFINED { REAL_FOLDER } else { REAL_FOLDER & !libc::O_NOFOLLOW };
        for (at, part) in parts.iter().enumerate() {
            let path = below(&folder, part);
            let mut opened = file::open(&path, flags, 0);
            if make && matches!(&opened, Err(error) if error.kind() == ErrorKind::NotFound) {
                fs::DirBuilder::new().mode(FOLDER_MODE).create(&path).map_err(Failure::at("make", &shown(parts)))?;
                opened = file::open(&path, flags, 0);
            }
            folder = opened.map_err(|error| {
                let way = shown(&parts[..=at]);
                match errno(&error) {
                    libc::ELOOP | libc::ENOTDIR => {
                        Failure::new(libc::ENOTDIR, format!("{} is in the archive's way: no folder", way.display()))
                    }
                    _ => Failure::at("open the folder", &way)(error),
                }
            })?;
        }
        Ok(folder)
    }

    /// Removes what is in an entry's place, unless it is a folder.
    fn clear(&self, path: &Path, parts: &[Vec<u8>]) -> Result<(), Failure> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Failure::at("replace", &shown(parts))(error)),
            _ => Ok(()),
        }
    }

    fn make_folder(&self, path: &Path, parts: &[Vec<u8>]) -> Result<(), Failure> {
        let failure = |error| Failure::at("make the folder", &shown(parts))(error);
        match fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => return Ok(()),
            Ok(_) => fs::remove_file(path).map_err(failure)?,
            Err(_) => {}
        }
        fs::DirBuilder::new().mode(PRIVATE_FOLDER_MODE).create(path).map_err(failure)
    }

    fn file(
        &mut self,
        path: &Path,
        entry: &Entry,
        archive: &mut Archive<&mut Host>,
        parts: &[Vec<u8>],
    ) -> Result<(), Failure> {
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW | CAREFUL;
        let shown = shown(parts);
        let file = File::from(file::open(path, flags, PRIVATE_MODE).map_err(Failure::at("make", &shown))?);
        let whole = [(0, entry.length)];
        for &(start, length) in entry.segments.as_deref().unwrap_or(&whole) {
            let mut done = 0;
            while done < length {
                let room = (length - done).min(self.buffer.len() as u64) as usize;
                let count = archive.content(&mut self.buffer[..room]).map_err(broken)?;
                if count == 0 {
                    return Err(Failure::new(libc::EINVAL, "the archive is cut off"));
                }
                file.write_all_at(&self.buffer[..count], start + done).map_err(Failure::at("write", &shown))?;
                done += count as u64;
            }
            self.bytes += length;
        }
        if entry.segments.is_some() {
            file.set_len(entry.length).map_err(Failure::at("write", &shown))?;
        }
        self.settle(&own_name(&file), &entry.header, parts)
    }

    /// Another name for a file of the archive; never for what a link leads to.
    fn link(&self, target: &[Vec<u8>], path: &Path) -> Result<(), Failure> {
        let (name, folder) =
            target.split_last().ok_or_else(|| Failure::new(libc::EINVAL, "the archive links to nothing"))?;
        let folder = self.walk(folder, false)?;
        fs::hard_link(below(&folder, name), path).map_err(Failure::at("link to", &shown(target)))
    }

    /// Folders get their mode and time when nothing is put into them any more.
    fn defer(&mut self, parts: Components, header: &Header) -> Result<(), Failure> {
        if self.deferred.len() < MAX_DEFERRED {
            self.deferred.push((parts, header.clone()));
            return Ok(());
        }
        self.settle_folder(&parts, header)
    }

    fn settle_folders(&mut self) -> Result<(), Failure> {
        for (parts, header) in std::mem::take(&mut self.deferred).iter().rev() {
            self.settle_folder(parts, header)?;
        }
        Ok(())
    }

    fn settle_folder(&self, parts: &[Vec<u8>], header: &Header) -> Result<(), Failure> {
        let folder = self.walk(parts, false)?;
        self.settle(&own_name(&folder), header, parts)
    }

    /// Owner, mode and time, in this order: each could undo the one before otherwise.
    fn settle(&self, path: &Path, header: &Header, parts: &[Vec<u8>]) -> Result<(), Failure> {
        let is_link = header.kind == Kind::Link;
        let follow = !is_link;
        if self.owners {
            change_owner(path, header.uid, header.gid, follow)
                .map_err(Failure::at("change the owner of", &shown(parts)))?;
        }
        if !is_link {
            fs::set_permissions(path, Permissions::from_mode(header.mode))
                .map_err(Failure::at("change the mode of", &shown(parts)))?;
        }
        change_times(path, None, Some(header.modified), follow)
            .map_err(Failure::at("change the time of", &shown(parts)))
    }
}
