//! Where a file has data, and where only holes.

use std::fs::{File, Metadata};
use std::io::Result;
use std::os::unix::fs::MetadataExt;

use super::archive::MAX_SEGMENTS;
use super::tar::{padding, Record};
use crate::sys::file::next_data;

const STAT_BLOCK_BYTES: u64 = 512;

/// The parts of a file with data, in order; none if the file has no holes.
pub fn segments(file: &File, metadata: &Metadata) -> Result<Option<Vec<(u64, u64)>>> {
    let length = metadata.size();
    if metadata.blocks().saturating_mul(STAT_BLOCK_BYTES) >= length {
        return Ok(None);
    }
    let (mut segments, mut at) = (Vec::new(), 0);
    while at < length {
        let (start, end) = match next_data(file, at)? {
            Some((start, end)) if start < length => (start, end.min(length)),
            _ => break,
        };
        // Where there are too many parts, the rest counts as one.
        let end = if segments.len() + 2 >= MAX_SEGMENTS { length } else { end };
        segments.push((start, end - start));
        at = end;
    }
    // GNU tar takes a file's length from its last part, which here has no bytes.
    if at < length {
        segments.push((length, 0));
    }
    Ok(Some(segments))
}

/// What stands before the content of a sparse file in an archive: GNU's format 1.0.
pub fn map(segments: &[(u64, u64)]) -> Vec<u8> {
    let mut text = format!("{}\n", segments.len());
    for (start, length) in segments {
        text.push_str(&format!("{start}\n{length}\n"));
    }
    let mut bytes = text.into_bytes();
    bytes.resize(bytes.len() + padding(bytes.len() as u64), 0);
    bytes
}

pub fn records(name: &[u8], length: u64) -> Vec<Record> {
    let record = |name: &str, value: &[u8]| (name.as_bytes().to_vec(), value.to_vec());
    vec![
        record("GNU.sparse.major", b"1"),
        record("GNU.sparse.minor", b"0"),
        record("GNU.sparse.name", name),
        record("GNU.sparse.realsize", length.to_string().as_bytes()),
    ]
}
