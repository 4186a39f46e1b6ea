//! Telling what changes below a folder, as it changes.

use std::collections::HashMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{path_of, Failure, Outcome};
use crate::fields::put_string;
use crate::helper::Host;
use crate::message::MAX_PATH_BYTES;
use crate::sys::inotify::{self, Event, Inotify};
use crate::sys::socket::wait_readable;

/// Folders that one watch follows.
const MAX_FOLDERS: usize = 8192;
const FOR_EVER: i32 = -1;

/// What the host is told; the numbers are the protocol's.
const CREATED: u8 = 1;
const MODIFIED: u8 = 2;
const WRITTEN: u8 = 3;
const ATTRIBUTES: u8 = 4;
const DELETED: u8 = 5;
const MOVED_FROM: u8 = 6;
const MOVED_TO: u8 = 7;
/// Some changes were lost: whoever listens must look for themselves.
const OVERFLOW: u8 = 8;

struct Watcher<'a> {
    host: &'a mut Host,
    inotify: Inotify,
    root: PathBuf,
    recursive: bool,
    /// Each watched folder's path below the root.
    folders: HashMap<i32, Vec<u8>>,
    /// Folders that have left one name and perhaps not come to another yet.
    leaving: HashMap<u32, Vec<u8>>,
}

/// Goes on until the host has enough, or what is watched is gone.
pub fn watch(path: &Path, recursive: bool, host: &mut Host) -> Outcome {
    let inotify = Inotify::new().map_err(Failure::at("watch", path))?;
    let mut watcher = Watcher {
        host,
        inotify,
        root: path.to_path_buf(),
        recursive,
        folders: HashMap::new(),
        leaving: HashMap::new(),
    };
    let root_watch = watcher.inotify.add(path, true).map_err(Failure::at("watch", path))?;
    watcher.folders.insert(root_watch, Vec::new());
    if recursive && path.is_dir() {
        watcher.add_inner(b"", false)?;
    }
    watcher.host.opened(&(watcher.folders.len() as u32).to_be_bytes())?;
    loop {
        wait_readable(&[watcher.inotify.fd(), watcher.host.socket()], FOR_EVER)?;
        watcher.host.check_interest()?;
        for event in watcher.inotify.events().map_err(Failure::at("watch", path))? {
            if event.watch == root_watch && event.mask & (inotify::ITSELF_GONE | inotify::FORGOTTEN) != 0 {
                watcher.host.flush()?;
                return Ok(Vec::new());
            }
            watcher.take(&event)?;
        }
        watcher.forget_those_that_left();
        watcher.host.flush()?;
    }
}

impl Watcher<'_> {
    fn take(&mut self, event: &Event) -> Result<(), Failure> {
        if event.mask & inotify::OVERFLOW != 0 {
            return self.tell(OVERFLOW, false, 0, b"");
        }
        if event.mask & inotify::FORGOTTEN != 0 {
            self.folders.remove(&event.watch);
            return Ok(());
        }
        let folder = match self.folders.get(&event.watch) {
            // Inner folders are told about by the one around them.
            Some(folder) if event.mask & inotify::ITSELF_GONE == 0 => folder,
            _ => return Ok(()),
        };
        if event.name.is_empty() && !folder.is_empty() {
            return Ok(());
        }
        let path = join(folder, &event.name);
        let is_folder = event.mask & inotify::FOLDER != 0;
        let kinds = [
            (inotify::CREATED, CREATED),
            (inotify::MODIFIED, MODIFIED),
            (inotify::WRITTEN, WRITTEN),
            (inotify::ATTRIBUTES, ATTRIBUTES),
            (inotify::DELETED, DELETED),
            (inotify::MOVED_FROM, MOVED_FROM),
            (inotify::MOVED_TO, MOVED_TO),
        ];
        let kind = kinds.iter().find(|(mask, _)| event.mask & mask != 0).map(|&(_, kind)| kind);
        if let Some(kind) = kind {
            self.tell(kind, is_folder, event.cookie, &path)?;
            if is_folder && self.recursive {
                self.follow_folder(kind, event.cookie, path)?;
            }
        }
        Ok(())
    }

    fn follow_folder(&mut self, kind: u8, cookie: u32, path: Vec<u8>) -> Result<(), Failure> {
        match kind {
            CREATED => self.add(&path, true),
            MOVED_FROM => {
                self.leaving.insert(cookie, path);
                Ok(())
            }
            MOVED_TO => match self.leaving.remove(&cookie) {
                Some(before) => {
                    self.renamed(&before, &path);
                    Ok(())
                }
                None => self.add(&path, false),
            },
            _ => Ok(()),
        }
    }

    /// Watches a folder and those in it. What is already in a new one was made before we could see it being
    /// made, so it is told of; some of it may be told of twice.
    fn add(&mut self, path: &[u8], is_new: bool) -> Result<(), Failure> {
        let mut waiting = Vec::new();
        self.add_one(path, &mut waiting)?;
        if waiting.is_empty() {
            return Ok(());
        }
        self.add_inner(path, is_new)
    }

    fn add_inner(&mut self, path: &[u8], is_new: bool) -> Result<(), Failure> {
        // An explicit list of what is left to do: trees may be deep.
        let mut waiting = vec![path.to_vec()];
        while let Some(folder) = waiting.pop() {
            let entries = match fs::read_dir(self.full(&folder)) {
                Ok(entries) => entries,
                // Gone again, or not for this user's eyes.
                Err(_) => continue,
            };
            for entry in entries.flatten() {
                let inner = join(&folder, entry.file_name().as_bytes());
                let is_folder = entry.file_type().map_or(false, |kind| kind.is_dir());
                if is_new {
                    self.tell(CREATED, is_folder, 0, &inner)?;
                }
                if is_folder {
                    self.add_one(&inner, &mut waiting)?;
                }
            }
        }
        Ok(())
    }

    fn add_one(&mut self, path: &[u8], waiting: &mut Vec<Vec<u8>>) -> Result<(), Failure> {
        if self.folders.len() >= MAX_FOLDERS {
            let message = format!("more than {MAX_FOLDERS} folders to watch; watch a smaller tree");
            return Err(Failure::new(libc::ENOSPC, message));
        }
        let full = self.full(path);
        match self.inotify.add(&full, false) {
            Ok(watch) => {
                self.folders.insert(watch, path.to_vec());
                waiting.push(path.to_vec());
                Ok(())
            }
            // Gone again, or not for this user's eyes.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => Ok(()),
            Err(error) => Err(Failure::at("watch", &full)(error)),
        }
    }

    fn renamed(&mut self, before: &[u8], now: &[u8]) {
        for path in self.folders.values_mut() {
            if is_within(path, before) {
                *path = [now, &path[before.len()..]].concat();
            }
        }
    }

    /// Folders that have not come back are outside now.
    fn forget_those_that_left(&mut self) {
        for (_, gone) in self.leaving.drain() {
            let inotify = &self.inotify;
            self.folders.retain(|&watch, path| {
                let left = is_within(path, &gone);
                if left {
                    inotify.remove(watch);
                }
                !left
            });
        }
    }

    fn full(&self, path: &[u8]) -> PathBuf {
        if path.is_empty() {
            return self.root.clone();
        }
        self.root.join(path_of(path.to_vec()))
    }

    fn tell(&mut self, kind: u8, is_folder: bool, cookie: u32, path: &[u8]) -> Result<(), Failure> {
        let mut record = vec![kind, is_folder as u8];
        record.extend_from_slice(&cookie.to_be_bytes());
        put_string(&mut record, path, MAX_PATH_BYTES);
        self.host.write_all(&(record.len() as u32).to_be_bytes())?;
        self.host.write_all(&record)?;
        Ok(())
    }
}

fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() || name.is_empty() {
        return [folder, name].concat();
    }
    [folder, b"/", name].concat()
}

fn is_within(path: &[u8], folder: &[u8]) -> bool {
    path.starts_with(folder) && matches!(path.get(folder.len()), None | Some(b'/'))
}
