//! Changes of names and attributes, none of which touches content.

use std::fs::{self, File, Permissions};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::{symlink, DirBuilderExt, PermissionsExt};
use std::path::Path;

use super::request::{Removal, SetTask};
use super::{Failure, Outcome};
use crate::sys::file::{self, change_owner, change_times};

const FOLDER_MODE: u32 = 0o755;
const LEAVE: u32 = u32::MAX;

pub fn make_folder(path: &Path, mode: Option<u32>, parents: bool) -> Outcome {
    let failure = Failure::at("make the folder", path);
    if parents {
        if let Some(parent) = path.parent() {
            make_parents(parent)?;
        }
    }
    match fs::DirBuilder::new().mode(mode.unwrap_or(FOLDER_MODE)).create(path) {
        Err(error) if parents && error.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(Vec::new()),
        Err(error) => Err(failure(error)),
        // Some bits are not taken from the request for a new folder.
        Ok(()) => match mode {
            Some(mode) => fs::set_permissions(path, Permissions::from_mode(mode)).map_err(failure).map(|()| Vec::new()),
            None => Ok(Vec::new()),
        },
    }
}

/// Folders on the way to something, with the usual mode.
pub fn make_parents(path: &Path) -> Result<(), Failure> {
    fs::DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path).map_err(Failure::at("make the folder", path))
}

pub fn remove(path: &Path, what: Removal) -> Outcome {
    let failure = Failure::at("remove", path);
    let is_folder = fs::symlink_metadata(path).map_err(&failure)?.is_dir();
    let removed = match (what, is_folder) {
        (Removal::Tree, true) => fs::remove_dir_all(path),
        (Removal::Any | Removal::Folder, true) => fs::remove_dir(path),
        (Removal::File, true) => Err(Error::from_raw_os_error(libc::EISDIR)),
        (Removal::Folder, false) => Err(Error::from_raw_os_error(libc::ENOTDIR)),
        (Removal::Tree | Removal::Any | Removal::File, false) => fs::remove_file(path),
    };
    removed.map_err(failure)?;
    Ok(Vec::new())
}

pub fn rename(from: &Path, to: &Path, replace: bool) -> Outcome {
    let renamed = if replace { fs::rename(from, to) } else { file::rename_new(from, to) };
    renamed.map_err(Failure::at("rename", from))?;
    Ok(Vec::new())
}

pub fn make_link(target: &Path, path: &Path) -> Outcome {
    symlink(target, path).map_err(Failure::at("make the link", path))?;
    Ok(Vec::new())
}

pub fn hard_link(existing: &Path, path: &Path) -> Outcome {
    fs::hard_link(existing, path).map_err(Failure::at("make the link", path))?;
    Ok(Vec::new())
}

/// Sets what is given. The owner comes first, because changing it takes away special permissions.
pub fn set(task: &SetTask) -> Outcome {
    let path = task.path.as_path();
    let is_link = fs::symlink_metadata(path).map_err(Failure::at("change", path))?.file_type().is_symlink();
    if let Some(size) = task.size {
        let name = file::open(path, file::NAME_ONLY, 0).map_err(Failure::at("cut", path))?;
        let opened = super::content::open_content(&name, libc::O_WRONLY, false, path)?;
        File::set_len(&opened, size).map_err(Failure::at("cut", path))?;
    }
    if task.uid.is_some() || task.gid.is_some() {
        change_owner(path, task.uid.unwrap_or(LEAVE), task.gid.unwrap_or(LEAVE), task.follow)
            .map_err(Failure::at("change the owner of", path))?;
    }
    if let Some(mode) = task.mode {
        // Linux has no permissions of links.
        if is_link && !task.follow {
            return Err(Failure::new(libc::EOPNOTSUPP, "a link has no permissions of its own"));
        }
        fs::set_permissions(path, Permissions::from_mode(mode)).map_err(Failure::at("change the mode of", path))?;
    }
    if task.accessed.is_some() || task.modified.is_some() {
        change_times(path, task.accessed, task.modified, task.follow)
            .map_err(Failure::at("change the times of", path))?;
    }
    Ok(Vec::new())
}
