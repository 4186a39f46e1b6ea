//! Answers as they stand on the wire, and what errors are called there.

use std::io::Error;

use super::packet::{kind, put_text, put_u32, Attributes, LENGTH_BYTES};
use crate::sys::errno;

/// What can be said about how a request went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Ok = 0,
    EndOfFile = 1,
    NoSuchFile = 2,
    PermissionDenied = 3,
    Failure = 4,
    BadMessage = 5,
    Unsupported = 8,
}

/// Why something was not done: a word of the protocol, and one for people.
#[derive(Debug)]
pub struct Refusal {
    pub status: Status,
    pub message: String,
}

impl Refusal {
    pub fn new(status: Status, message: &str) -> Self {
        Refusal { status, message: message.to_string() }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let status = match errno(&error) {
            libc::ENOENT | libc::ENOTDIR | libc::EBADF | libc::ELOOP => Status::NoSuchFile,
            libc::EPERM | libc::EACCES | libc::EFAULT => Status::PermissionDenied,
            libc::ENAMETOOLONG | libc::EINVAL => Status::BadMessage,
            libc::ENOSYS | libc::EOPNOTSUPP => Status::Unsupported,
            _ => Status::Failure,
        };
        let text = Error::from_raw_os_error(errno(&error)).to_string();
        Refusal { status, message: text.split(" (os error").next().unwrap_or_default().to_string() }
    }
}

pub type Outcome = Result<(), Refusal>;

/// Appends a packet whose content is appended by `content`; what that has written is taken back if it fails.
pub fn put_packet(out: &mut Vec<u8>, kind: u8, id: u32, content: impl FnOnce(&mut Vec<u8>) -> Outcome) -> Outcome {
    let start = out.len();
    put_u32(out, 0);
    out.push(kind);
    put_u32(out, id);
    if let Err(refusal) = content(out) {
        out.truncate(start);
        return Err(refusal);
    }
    let length = (out.len() - start - LENGTH_BYTES) as u32;
    out[start..start + LENGTH_BYTES].copy_from_slice(&length.to_be_bytes());
    Ok(())
}

pub fn put_status(out: &mut Vec<u8>, id: u32, status: Status, message: &str) {
    let written = put_packet(out, kind::STATUS, id, |out| {
        put_u32(out, status as u32);
        put_text(out, message.as_bytes());
        put_text(out, b"en");
        Ok(())
    });
    debug_assert!(written.is_ok());
}

pub fn put_handle(out: &mut Vec<u8>, id: u32, handle: u32) -> Outcome {
    put_packet(out, kind::HANDLE, id, |out| {
        put_text(out, &handle.to_be_bytes());
        Ok(())
    })
}

pub fn put_attributes(out: &mut Vec<u8>, id: u32, attributes: &Attributes) -> Outcome {
    put_packet(out, kind::ATTRS, id, |out| {
        attributes.put(out);
        Ok(())
    })
}

/// A path as an answer.
pub fn put_path(out: &mut Vec<u8>, id: u32, path: &[u8]) -> Outcome {
    put_packet(out, kind::NAME, id, |out| {
        put_u32(out, 1);
        put_text(out, path);
        put_text(out, path);
        Attributes::default().put(out);
        Ok(())
    })
}
