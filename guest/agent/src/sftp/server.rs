//! Does what a client asks for, one request after the other.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Error, ErrorKind, Result, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{symlink, DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::Path;

use super::answer::{put_attributes, put_handle, put_packet, put_path, put_status, Outcome, Refusal, Status};
use super::describe::{attributes, line};
use super::handles::{Handle, Handles};
use super::packet::{kind, put_text, put_u32, Attributes, MAX_DATA_BYTES};
use super::request::{parse, OpenFlags, Request};
use super::{copy, extended};
use crate::fields::{Malformed, Reader};
use crate::sys::file::{change_owner, change_times, own_name, rename_new};
use crate::sys::kernel::wall_clock;
use crate::tasks::attributes::Names;

const VERSION: u32 = 3;
const MODE_BITS: u32 = 0o7777;
const FILE_MODE: u32 = 0o666;
const FOLDER_MODE: u32 = 0o777;
/// Entries of a folder in one answer.
const ENTRIES_AT_ONCE: usize = 100;
const NANOS_PER_SECOND: u64 = 1_000_000_000;

#[derive(Default)]
pub struct Server {
    greeted: bool,
    handles: Handles,
}

impl Server {
    /// Appends the answer to one packet; an error if the client can be listened to no longer.
    pub fn answer(&mut self, packet: &[u8], out: &mut Vec<u8>) -> Result<()> {
        if !self.greeted {
            return self.greet(packet, out);
        }
        let nonsense = |Malformed(reason)| Error::new(ErrorKind::InvalidData, reason);
        let (id, request) = parse(packet).map_err(nonsense)?;
        let done = match request {
            Ok(request) => self.perform(id, request, out),
            Err(Malformed(reason)) => Err(Refusal::new(Status::BadMessage, reason)),
        };
        if let Err(refusal) = done {
            put_status(out, id, refusal.status, &refusal.message);
        }
        Ok(())
    }

    fn greet(&mut self, packet: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let mut reader = Reader::new(packet);
        if reader.u8() != Ok(kind::INIT) || reader.u32().map_or(true, |version| version < VERSION) {
            return Err(Error::new(ErrorKind::InvalidData, "the client does not speak version 3 of SFTP"));
        }
        self.greeted = true;
        // The packet has the version where others have their number.
        put_packet(out, kind::VERSION, VERSION, |out| {
            extended::NAMES.iter().for_each(|(name, version)| {
                put_text(out, name.as_bytes());
                put_text(out, version.as_bytes());
            });
            Ok(())
        })
        .map_err(|refusal| Error::new(ErrorKind::Other, refusal.message))
    }

    fn perform(&mut self, id: u32, request: Request, out: &mut Vec<u8>) -> Outcome {
        match request {
            Request::Open { path, flags, attributes } => {
                let handle = self.handles.add(open(&path, flags, &attributes)?)?;
                return put_handle(out, id, handle);
            }
            Request::OpenFolder { path } => {
                let entries = fs::read_dir(&path)?;
                let dots = vec![OsString::from(".."), OsString::from(".")];
                let handle = self.handles.add(Handle::Folder { path, dots, entries, names: Names::read() })?;
                return put_handle(out, id, handle);
            }
            Request::Read { handle, offset, length } => return self.read(id, handle, offset, length, out),
            Request::ReadFolder { handle } => return self.read_folder(id, handle, out),
            Request::Stat { path, follow } => {
                let found = if follow { fs::metadata(path)? } else { fs::symlink_metadata(path)? };
                return put_attributes(out, id, &attributes(&found));
            }
            Request::StatHandle { handle } => {
                return put_attributes(out, id, &attributes(&self.handles.file(handle)?.0.metadata()?));
            }
            Request::RealPath { path } => return put_path(out, id, &extended::real_path(&path)?),
            Request::ReadLink { path } => return put_path(out, id, fs::read_link(path)?.as_os_str().as_bytes()),
            Request::Limits => return extended::limits(id, out),
            Request::ExpandPath { path } => return put_path(out, id, &extended::expand(&path)?),
            Request::Home { user } => return put_path(out, id, &extended::home(&user)?),
            Request::Names { users, groups } => return extended::names(id, &users, &groups, out),
            Request::Room { path } => return extended::room(id, &path, out),
            Request::RoomHandle { handle } => {
                return extended::room(id, &own_name(self.handles.file(handle)?.0), out);
            }
            change => self.change(change)?,
        }
        put_status(out, id, Status::Ok, "");
        Ok(())
    }

    /// What has no other answer than that it was done.
    fn change(&mut self, request: Request) -> Outcome {
        match request {
            Request::Close { handle } => return self.handles.close(handle),
            Request::Write { handle, offset, data } => {
                let (mut file, append) = self.handles.file(handle)?;
                if append {
                    file.write_all(data)?;
                } else {
                    file.write_all_at(data, offset)?;
                }
            }
            Request::Set { path, attributes, follow } => set(&path, &attributes, follow)?,
            Request::SetHandle { handle, attributes } => {
                let file = self.handles.file(handle)?.0;
                if let Some(size) = attributes.size {
                    file.set_len(size)?;
                }
                set(&own_name(file), &Attributes { size: None, ..attributes }, true)?;
            }
            Request::Remove { path } => fs::remove_file(path)?,
            Request::MakeFolder { path, attributes } => {
                DirBuilder::new().mode(attributes.mode.unwrap_or(FOLDER_MODE) & MODE_BITS).create(path)?;
            }
            Request::RemoveFolder { path } => fs::remove_dir(path)?,
            Request::Rename { from, to, replace: true } => fs::rename(from, to)?,
            Request::Rename { from, to, replace: false } => rename_new(&from, &to)?,
            Request::MakeLink { target, path } => symlink(target, path)?,
            Request::HardLink { existing, path } => fs::hard_link(existing, path)?,
            Request::Sync { handle } => self.handles.file(handle)?.0.sync_all()?,
            Request::Copy { from, offset, length, to, place } => {
                copy::copy(&self.handles, (from, offset), length, (to, place))?;
            }
            _ => return Err(Refusal::new(Status::Unsupported, "this server does not know that")),
        }
        Ok(())
    }

    fn read(&self, id: u32, handle: u32, offset: u64, length: u32, out: &mut Vec<u8>) -> Outcome {
        let file = self.handles.file(handle)?.0;
        let wanted = (length as usize).min(MAX_DATA_BYTES);
        put_packet(out, kind::DATA, id, |out| {
            put_u32(out, 0);
            let start = out.len();
            out.resize(start + wanted, 0);
            let count = file.read_at(&mut out[start..], offset)?;
            if count == 0 && wanted > 0 {
                return Err(Refusal::new(Status::EndOfFile, "there is no more"));
            }
            out.truncate(start + count);
            out[start - 4..start].copy_from_slice(&(count as u32).to_be_bytes());
            Ok(())
        })
    }

    fn read_folder(&mut self, id: u32, handle: u32, out: &mut Vec<u8>) -> Outcome {
        let (path, dots, entries, names) = match self.handles.get(handle)? {
            Handle::Folder { path, dots, entries, names } => (path, dots, entries, names),
            Handle::File { .. } => return Err(Refusal::new(Status::Failure, "this is no open folder")),
        };
        let now = (wall_clock() / NANOS_PER_SECOND) as i64;
        let mut list = Vec::new();
        let mut count = 0;
        while count < ENTRIES_AT_ONCE {
            let name = match dots.pop() {
                Some(dot) => dot,
                None => match entries.next() {
                    Some(entry) => entry?.file_name(),
                    None => break,
                },
            };
            // What has gone meanwhile is not there.
            if let Ok(metadata) = fs::symlink_metadata(path.join(&name)) {
                put_text(&mut list, name.as_bytes());
                put_text(&mut list, &line(name.as_bytes(), &metadata, names, now));
                attributes(&metadata).put(&mut list);
                count += 1;
            }
        }
        if count == 0 {
            return Err(Refusal::new(Status::EndOfFile, "there is no more"));
        }
        put_packet(out, kind::NAME, id, |out| {
            put_u32(out, count as u32);
            out.extend_from_slice(&list);
            Ok(())
        })
    }
}

fn open(path: &Path, flags: OpenFlags, attributes: &Attributes) -> std::result::Result<Handle, Refusal> {
    let append = flags.has(OpenFlags::APPEND);
    let file = OpenOptions::new()
        .read(flags.has(OpenFlags::READ) || !flags.has(OpenFlags::WRITE))
        .write(flags.has(OpenFlags::WRITE))
        .append(append && flags.has(OpenFlags::WRITE))
        .mode(attributes.mode.unwrap_or(FILE_MODE) & MODE_BITS)
        .custom_flags(creation(flags) | libc::O_NOCTTY)
        .open(path)?;
    Ok(Handle::File { file, append })
}

/// The standard library has opinions about which of these go together, and the client may have others.
fn creation(flags: OpenFlags) -> libc::c_int {
    let given = |flag, option| if flags.has(flag) { option } else { 0 };
    given(OpenFlags::CREATE, libc::O_CREAT)
        | given(OpenFlags::TRUNCATE, libc::O_TRUNC)
        | given(OpenFlags::NEW, libc::O_EXCL)
}

/// Sets what is given. The owner comes first, because changing it takes away special permissions.
fn set(path: &Path, wanted: &Attributes, follow: bool) -> Outcome {
    if let Some(size) = wanted.size {
        if !follow {
            return Err(Refusal::new(Status::Unsupported, "a link has no size of its own"));
        }
        OpenOptions::new().write(true).open(path).and_then(|file: File| file.set_len(size))?;
    }
    if let Some((uid, gid)) = wanted.owner {
        change_owner(path, uid, gid, follow)?;
    }
    if let Some(mode) = wanted.mode {
        change_mode(path, mode & MODE_BITS, follow)?;
    }
    if let Some((accessed, modified)) = wanted.times {
        let moment = |seconds: u32| Some((i64::from(seconds), 0));
        change_times(path, moment(accessed), moment(modified), follow)?;
    }
    Ok(())
}

fn change_mode(path: &Path, mode: u32, follow: bool) -> Outcome {
    use std::os::unix::fs::PermissionsExt;
    // Linux has no permissions of links.
    if !follow && fs::symlink_metadata(path)?.file_type().is_symlink() {
        return Err(Refusal::new(Status::Unsupported, "a link has no permissions of its own"));
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    Ok(())
}
