//! Small files that are replaced as a whole.

use std::fs::{self, File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const PLAIN_MODE: u32 = 0o644;
/// What a file system writes at once.
pub const BLOCK_BYTES: usize = 4096;

/// Reads a file of at most so many bytes; a larger one is an error.
pub fn read_bounded(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(max_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(Error::from_raw_os_error(libc::EFBIG));
    }
    Ok(bytes)
}

/// Replaces a file so that a reader sees the old or the new content, never a mixture.
///
/// There is no fsync: it would cost more than the rest of a renewal, and a machine that loses its
/// power starts with the file of before or of now, both whole.
pub fn replace(path: &Path, content: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let temporary = temporary_name(path);
    write_new(&temporary, content)?;
    match fs::rename(&temporary, path) {
        // Something is mounted on the file (systemd does so with a transient machine-id).
        Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
            fs::remove_file(&temporary)?;
            overwrite(path, content)
        }
        Err(error) => {
            // The file system refused; the leftover must not survive where it can be removed.
            let _ = fs::remove_file(&temporary);
            Err(error)
        }
        Ok(()) => Ok(()),
    }
}

/// Gives a small file new content in place, and does nothing if it has that content already.
///
/// A new file renamed over the old one would make ext4 allocate and write out its block at once; in a
/// machine that has just been forked that took longer than all other steps together. Content within
/// one block is on disk as it was before or as it is now, never mixed.
pub fn rewrite(path: &Path, content: &[u8]) -> Result<()> {
    debug_assert!(content.len() <= BLOCK_BYTES);
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() && found.len() <= BLOCK_BYTES as u64 => {
            if read_bounded(path, BLOCK_BYTES as u64)? == content {
                return Ok(());
            }
            overwrite(path, content)
        }
        _ => replace(path, content),
    }
}

/// Changes the content but not the file, for files that others have mounted or opened.
pub fn overwrite(path: &Path, content: &[u8]) -> Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    let before = file.metadata()?.len();
    file.write_all(content)?;
    if before > content.len() as u64 {
        file.set_len(content.len() as u64)?;
    }
    Ok(())
}

fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".boxd-new");
    PathBuf::from(name)
}

/// Never follows what somebody else may have put under the temporary name.
fn write_new(path: &Path, content: &[u8]) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(PLAIN_MODE).open(path)?;
    file.write_all(content)
}
