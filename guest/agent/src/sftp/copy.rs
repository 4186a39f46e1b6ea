//! Copying from one open file to another, without the content passing through the client.

use std::os::unix::fs::{FileExt, MetadataExt};

use super::answer::{Outcome, Refusal, Status};
use super::handles::Handles;

const PIECE_BYTES: usize = 256 * 1024;

/// So many bytes from one place to another; 0 means all there are.
pub fn copy(handles: &Handles, from: (u32, u64), length: u64, to: (u32, u64)) -> Outcome {
    let (source, _) = handles.file(from.0)?;
    let (target, append) = handles.file(to.0)?;
    let (one, other) = (source.metadata()?, target.metadata()?);
    if (one.dev(), one.ino()) == (other.dev(), other.ino()) {
        return Err(Refusal::new(Status::Failure, "a file is not copied onto itself"));
    }
    if append {
        return Err(Refusal::new(Status::Unsupported, "nothing is copied behind a file's end"));
    }
    let (mut offset, mut place) = (from.1, to.1);
    let mut left = if length == 0 { u64::MAX } else { length };
    let mut piece = vec![0; PIECE_BYTES];
    while left > 0 {
        let wanted = left.min(PIECE_BYTES as u64) as usize;
        let count = source.read_at(&mut piece[..wanted], offset)?;
        if count == 0 {
            return if length == 0 {
                Ok(())
            } else {
                Err(Refusal::new(Status::EndOfFile, "the file ends before what was to be copied"))
            };
        }
        target.write_all_at(&piece[..count], place)?;
        offset = offset.saturating_add(count as u64);
        place = place.saturating_add(count as u64);
        left -= count as u64;
    }
    Ok(())
}
