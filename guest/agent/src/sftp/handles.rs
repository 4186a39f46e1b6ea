//! What a client has opened.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{File, ReadDir};
use std::path::PathBuf;

use super::answer::{Refusal, Status};
use crate::tasks::attributes::Names;

/// Below what a process may usually open.
pub const MAX_HANDLES: usize = 900;

pub enum Handle {
    File {
        file: File,
        /// Whatever the client says, writes go behind the end.
        append: bool,
    },
    Folder {
        path: PathBuf,
        /// The folder itself and the one above it, which come first.
        dots: Vec<OsString>,
        entries: ReadDir,
        /// Of users and groups, read once.
        names: Names,
    },
}

/// Numbers are never given twice, so an old one cannot mean something else.
#[derive(Default)]
pub struct Handles {
    all: HashMap<u32, Handle>,
    next: u32,
}

impl Handles {
    pub fn add(&mut self, handle: Handle) -> Result<u32, Refusal> {
        if self.all.len() >= MAX_HANDLES {
            return Err(Refusal::new(Status::Failure, "too many files are open"));
        }
        self.next = self.next.wrapping_add(1);
        while self.all.contains_key(&self.next) {
            self.next = self.next.wrapping_add(1);
        }
        self.all.insert(self.next, handle);
        Ok(self.next)
    }

    pub fn get(&mut self, number: u32) -> Result<&mut Handle, Refusal> {
        self.all.get_mut(&number).ok_or_else(unknown)
    }

    /// An open file, and whether it is only appended to.
    pub fn file(&self, number: u32) -> Result<(&File, bool), Refusal> {
        match self.all.get(&number) {
            Some(Handle::File { file, append }) => Ok((file, *append)),
            Some(Handle::Folder { .. }) => Err(Refusal::new(Status::Failure, "this is an open folder")),
            None => Err(unknown()),
        }
    }

    pub fn close(&mut self, number: u32) -> Result<(), Refusal> {
        self.all.remove(&number).map(drop).ok_or_else(unknown)
    }
}

fn unknown() -> Refusal {
    Refusal::new(Status::Failure, "nothing is open under this handle")
}
