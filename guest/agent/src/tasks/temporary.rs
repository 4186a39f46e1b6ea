//! Content that is not yet where it is meant to be, and vanishes if it never comes there.

use std::fs::{self, File};
use std::io::{Error, Result};
use std::path::{Path, PathBuf};

use crate::sys::file::{self, CAREFUL};

const PRIVATE_MODE: u32 = 0o600;

/// A file in the folder of its target: without a name where the file system can do that, so that nothing is
/// left of it whatever happens, else under a name of its own that is removed again.
pub struct Temporary {
    file: File,
    folder: PathBuf,
    name: Option<PathBuf>,
}

impl Temporary {
    pub fn beside(target: &Path) -> Result<Self> {
        let folder = target.parent().ok_or_else(|| Error::from_raw_os_error(libc::EISDIR))?.to_path_buf();
        let nameless = file::open(&folder, libc::O_TMPFILE | libc::O_RDWR | CAREFUL, PRIVATE_MODE);
        match nameless {
            Ok(fd) => Ok(Temporary { file: File::from(fd), folder, name: None }),
            Err(error) if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::EISDIR)) => {
                let name = new_name(&folder);
                let flags = libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW | libc::O_RDWR | CAREFUL;
                let fd = file::open(&name, flags, PRIVATE_MODE)?;
                Ok(Temporary { file: File::from(fd), folder, name: Some(name) })
            }
            Err(error) => Err(error),
        }
    }

    pub fn file(&self) -> &File {
        &self.file
    }

    /// Puts the content in its place, and returns when it would be there after a loss of power.
    pub fn publish(mut self, target: &Path, must_be_new: bool) -> Result<()> {
        if self.name.is_none() {
            let name = new_name(&self.folder);
            file::give_name(&self.file, &name)?;
            self.name = Some(name);
        }
        if let Some(name) = &self.name {
            if must_be_new {
                file::rename_new(name, target)?;
            } else {
                fs::rename(name, target)?;
            }
        }
        self.name = None;
        File::open(&self.folder)?.sync_all()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // Its folder may be gone, and it with it.
            let _ = fs::remove_file(name);
        }
    }
}

fn new_name(folder: &Path) -> PathBuf {
    folder.join(format!(".boxd-{:016x}", u64::from_ne_bytes(file::random_bytes())))
}
