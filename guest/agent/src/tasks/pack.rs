//! A folder with everything in it as an archive.

use std::collections::HashMap;
use std::fs::{self, DirEntry, File, Metadata};
use std::io::{Error, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::os::unix::io::OwnedFd;
use std::path::Path;

use super::attributes::Names;
use super::sparse;
use super::tar::{encode, padding, Header, Kind, Record, BLOCK_BYTES};
use super::{Failure, Outcome};
use crate::helper::{Host, PACKET_BYTES};
use crate::sys::file::{self, below, own_name, CAREFUL, REAL_FOLDER};

/// Each level holds two descriptors open.
const MAX_DEPTH: usize = 400;
/// Files with several names that are remembered; beyond, each name gets the content.
const MAX_SHARED: usize = 262_144;
const PERMISSIONS: u32 = 0o7777;
/// GNU tar shows sparse files under such a name where it does not know them.
const SPARSE_PREFIX: &[u8] = b"GNUSparseFile.0/";

struct Packer<'a> {
    host: &'a mut Host,
    names: Names,
    shared: HashMap<(u64, u64), Vec<u8>>,
    entries: u64,
    skipped: u64,
    changed: u64,
    buffer: Vec<u8>,
}

/// Sends the archive; the answer counts entries, what no archive can hold, and what changed meanwhile.
pub fn pack(path: &Path, host: &mut Host) -> Outcome {
    let open = libc::O_RDONLY | libc::O_DIRECTORY | CAREFUL;
    let root = File::from(file::open(path, open, 0).map_err(Failure::at("open the folder", path))?);
    let metadata = root.metadata().map_err(Failure::at("look at", path))?;
    host.opened(&[])?;
    let mut packer = Packer {
        host,
        names: Names::read(),
        shared: HashMap::new(),
        entries: 0,
        skipped: 0,
        changed: 0,
        buffer: vec![0; PACKET_BYTES],
    };
    packer.head(&packer.header(b"./", Kind::Folder, &metadata), Vec::new())?;
    packer.folder(&OwnedFd::from(root), b"", 0)?;
    packer.host.write_all(&[0; 2 * BLOCK_BYTES])?;
    let counts = [packer.entries, packer.skipped, packer.changed];
    Ok(counts.iter().flat_map(|count| count.to_be_bytes()).collect())
}

/// Something that was there a moment ago and is not, or is something else by now.
fn is_vanished(error: &Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR | libc::ELOOP))
}

impl Packer<'_> {
    fn folder(&mut self, folder: &OwnedFd, prefix: &[u8], depth: usize) -> Result<(), Failure> {
        let shown = super::path_of([b"./", prefix].concat());
        if depth > MAX_DEPTH {
            return Err(Failure::new(libc::ELOOP, format!("folders are nested deeper than {MAX_DEPTH}")));
        }
        for entry in fs::read_dir(own_name(folder)).map_err(Failure::at("list", &shown))? {
            let entry = entry.map_err(Failure::at("list", &shown))?;
            self.entry(folder, prefix, &entry, depth)?;
        }
        Ok(())
    }

    fn entry(&mut self, folder: &OwnedFd, prefix: &[u8], entry: &DirEntry, depth: usize) -> Result<(), Failure> {
        let file_name = entry.file_name();
        let name = [prefix, file_name.as_bytes()].concat();
        let shown = super::path_of(name.clone());
        let path = below(folder, file_name.as_bytes());
        let packed = match entry.metadata() {
            Err(error) => Err(error),
            Ok(found) if found.is_dir() => match file::open(&path, REAL_FOLDER, 0) {
                Err(error) => Err(error),
                Ok(inner) => {
                    let prefix = [name.as_slice(), b"/"].concat();
                    self.head(&self.header(&prefix, Kind::Folder, &found), Vec::new())?;
                    return self.folder(&inner, &prefix, depth + 1);
                }
            },
            Ok(found) if found.file_type().is_symlink() => match fs::read_link(&path) {
                Err(error) => Err(error),
                Ok(target) => {
                    let mut header = self.header(&name, Kind::Link, &found);
                    header.link = target.as_os_str().as_bytes().to_vec();
                    return self.head(&header, Vec::new());
                }
            },
            Ok(found) if found.is_file() => match file::open(&path, libc::O_RDONLY | libc::O_NOFOLLOW | CAREFUL, 0) {
                Err(error) => Err(error),
                Ok(opened) => return self.file(&File::from(opened), name),
            },
            Ok(_) => {
                self.skipped += 1;
                return Ok(());
            }
        };
        match packed {
            Err(error) if is_vanished(&error) => {
                self.changed += 1;
                Ok(())
            }
            Err(error) => Err(Failure::at("read", &shown)(error)),
            Ok(()) => Ok(()),
        }
    }

    fn file(&mut self, file: &File, name: Vec<u8>) -> Result<(), Failure> {
        let shown = super::path_of(name.clone());
        let found = file.metadata().map_err(Failure::at("look at", &shown))?;
        if !found.is_file() {
            self.changed += 1;
            return Ok(());
        }
        if found.nlink() > 1 {
            if let Some(first) = self.shared.get(&(found.dev(), found.ino())) {
                let mut header = self.header(&name, Kind::HardLink, &found);
                header.link = first.clone();
                return self.head(&header, Vec::new());
            }
            if self.shared.len() < MAX_SHARED {
                self.shared.insert((found.dev(), found.ino()), name.clone());
            }
        }
        let mut header = self.header(&name, Kind::File, &found);
        match sparse::segments(file, &found).map_err(Failure::at("read", &shown))? {
            None => {
                header.size = found.size();
                self.head(&header, Vec::new())?;
                self.content(file, &[(0, found.size())], &shown)?;
            }
            Some(segments) => {
                let map = sparse::map(&segments);
                header.size = map.len() as u64 + segments.iter().map(|&(_, bytes)| bytes).sum::<u64>();
                header.name = [SPARSE_PREFIX, name.rsplit(|&byte| byte == b'/').next().unwrap_or(&name)].concat();
                self.head(&header, sparse::records(&name, found.size()))?;
                self.host.write_all(&map)?;
                self.content(file, &segments, &shown)?;
            }
        }
        self.host.write_all(&[0; BLOCK_BYTES][..padding(header.size)])?;
        Ok(())
    }

    /// Exactly these bytes, as the head has promised: a file that shrinks meanwhile is filled up with zeros.
    fn content(&mut self, file: &File, segments: &[(u64, u64)], shown: &Path) -> Result<(), Failure> {
        for &(start, length) in segments {
            let mut done = 0;
            while done < length {
                let room = (length - done).min(PACKET_BYTES as u64) as usize;
                let buffer = &mut self.buffer[..room];
                let mut count = file.read_at(buffer, start + done).map_err(Failure::at("read", shown))?;
                if count == 0 {
                    buffer.iter_mut().for_each(|byte| *byte = 0);
                    count = room;
                    self.changed += u64::from(done + room as u64 == length);
                }
                self.host.write_all(&self.buffer[..count])?;
                done += count as u64;
            }
        }
        Ok(())
    }

    fn header(&self, name: &[u8], kind: Kind, metadata: &Metadata) -> Header {
        Header {
            name: name.to_vec(),
            kind,
            mode: metadata.mode() & PERMISSIONS,
            uid: metadata.uid(),
            gid: metadata.gid(),
            size: 0,
            modified: (metadata.mtime(), metadata.mtime_nsec() as u32),
            link: Vec::new(),
            user: self.names.user(metadata.uid()).to_vec(),
            group: self.names.group(metadata.gid()).to_vec(),
        }
    }

    fn head(&mut self, header: &Header, records: Vec<Record>) -> Result<(), Failure> {
        self.entries += 1;
        self.host.write_all(&encode(header, records))?;
        Ok(())
    }
}
