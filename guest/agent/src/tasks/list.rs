//! What is in a folder, however much it is.

use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::attributes::{self, Names};
use super::{Failure, Outcome};
use crate::fields::put_string;
use crate::helper::Host;
use crate::message::MAX_NAME_BYTES;

/// Sends each entry as it is read, so that memory does not grow with the folder.
pub fn list(path: &Path, host: &mut Host) -> Outcome {
    let entries = fs::read_dir(path).map_err(Failure::at("list", path))?;
    let names = Names::read();
    host.opened(&[])?;
    let mut count: u64 = 0;
    let mut record = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Failure::at("list", path))?;
        let metadata = match entry.metadata() {
            Ok(metadata) => metadata,
            // Removed since the folder was read.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(Failure::at("look at", &entry.path())(error)),
        };
        record.clear();
        put_string(&mut record, entry.file_name().as_bytes(), MAX_NAME_BYTES);
        attributes::put(&mut record, &metadata, &entry.path(), &names);
        host.write_all(&(record.len() as u32).to_be_bytes())?;
        host.write_all(&record)?;
        count += 1;
    }
    Ok(count.to_be_bytes().to_vec())
}
