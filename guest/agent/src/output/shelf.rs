//! Where blocks of output go when memory is too dear for them: a nameless file on the machine's disk.
//!
//! The file is never linked into a folder, so nobody can plant, follow or find it by name, and it vanishes
//! with the agent. The folder is only where its file system is chosen.

use std::cell::Cell;
use std::fs::File;
use std::io::{Error, Result};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::rc::Rc;

use super::BLOCK_BYTES;
use crate::sys::folder::{self, free_space};

/// Blocks of all executions together: 1 GiB.
pub const MAX_BLOCKS: usize = 32 * 1024;
/// What the disk keeps free for the machine's own use, unless a tenth of it is less.
const RESERVE_BYTES: u64 = 64 * 1024 * 1024;
/// The disk's free space is looked at once for so many new blocks.
const LOOK_EVERY: u32 = 32;

/// What all shelves have in common: where they stand and how much they hold together.
pub struct Room {
    folder: Option<PathBuf>,
    used: Cell<usize>,
}

impl Room {
    /// Without a folder nothing is ever written.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Room { folder, used: Cell::new(0) }
    }

    pub fn used_blocks(&self) -> usize {
        self.used.get()
    }
}

/// The blocks of one execution, each in a slot of one file.
pub struct Shelf {
    room: Rc<Room>,
    file: Option<File>,
    slots: u32,
    free: Vec<u32>,
}

impl Shelf {
    pub fn new(room: Rc<Room>) -> Self {
        Shelf { room, file: None, slots: 0, free: Vec::new() }
    }

    /// Whether a block can be put without taking more of the disk.
    pub fn has_free_slot(&self) -> bool {
        !self.free.is_empty()
    }

    /// Writes a block and tells its slot. An error leaves everything as it was.
    pub fn put(&mut self, bytes: &[u8]) -> Result<u32> {
        debug_assert!(bytes.len() <= BLOCK_BYTES);
        if let Some(&slot) = self.free.last() {
            self.write(slot, bytes)?;
            self.free.pop();
            return Ok(slot);
        }
        if self.room.used.get() >= MAX_BLOCKS {
            return Err(Error::from_raw_os_error(libc::EDQUOT));
        }
        if self.file.is_none() {
            let folder = self.room.folder.as_ref().ok_or_else(|| Error::from_raw_os_error(libc::ENOENT))?;
            self.file = Some(folder::nameless_file(folder)?);
        }
        if self.slots % LOOK_EVERY == 0 {
            self.leave_reserve()?;
        }
        self.write(self.slots, bytes)?;
        self.slots += 1;
        self.room.used.set(self.room.used.get() + 1);
        Ok(self.slots - 1)
    }

    fn leave_reserve(&self) -> Result<()> {
        let file = self.file.as_ref().ok_or_else(|| Error::from_raw_os_error(libc::EBADF))?;
        let space = free_space(file)?;
        let wanted = RESERVE_BYTES.min(space.total / 10) + u64::from(LOOK_EVERY) * BLOCK_BYTES as u64;
        if space.free < wanted {
            return Err(Error::from_raw_os_error(libc::ENOSPC));
        }
        Ok(())
    }

    fn write(&self, slot: u32, bytes: &[u8]) -> Result<()> {
        let file = self.file.as_ref().ok_or_else(|| Error::from_raw_os_error(libc::EBADF))?;
        file.write_all_at(bytes, place(slot))
    }

    /// Reads a block back; an error if the file is not what it was.
    pub fn get(&self, slot: u32, bytes: &mut [u8]) -> Result<()> {
        let file = self.file.as_ref().ok_or_else(|| Error::from_raw_os_error(libc::EBADF))?;
        file.read_exact_at(bytes, place(slot))
    }

    /// The block is not needed any more.
    pub fn release(&mut self, slot: u32) {
        self.free.push(slot);
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        self.room.used.set(self.room.used.get().saturating_sub(self.slots as usize));
    }
}

fn place(slot: u32) -> u64 {
    u64::from(slot) * BLOCK_BYTES as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_it_takes_and_gives_it_back() {
        let folder = std::env::temp_dir().join(format!("boxd-shelf-{}", std::process::id()));
        let room = Rc::new(Room::new(Some(folder.clone())));
        let mut shelf = Shelf::new(Rc::clone(&room));
        let slots: Vec<u32> = (0..3).map(|value| shelf.put(&[value; 100]).unwrap()).collect();
        assert_eq!((slots, room.used_blocks()), (vec![0, 1, 2], 3));
        let mut found = [0; 100];
        shelf.get(1, &mut found).unwrap();
        assert_eq!(found, [1; 100]);
        shelf.release(1);
        assert_eq!(shelf.put(&[7; BLOCK_BYTES]).unwrap(), 1);
        assert_eq!(room.used_blocks(), 3);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        drop(shelf);
        assert_eq!(room.used_blocks(), 0);
        std::fs::remove_dir(&folder).unwrap();
    }

    #[test]
    fn without_a_folder_nothing_is_written() {
        let mut shelf = Shelf::new(Rc::new(Room::new(None)));
        assert_eq!(shelf.put(&[1]).unwrap_err().raw_os_error(), Some(libc::ENOENT));
        assert!(shelf.get(0, &mut [0]).is_err());
    }
}
