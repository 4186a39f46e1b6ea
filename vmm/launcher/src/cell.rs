//! The launch as the child sees it: from root in the host's namespaces to the program in its jail.

use crate::arguments::Arguments;
use crate::failure::{Failure, Step};
use crate::folder::Files;
use crate::mounts::Jail;
use crate::{descriptors, filter, landlock, limits, literal, privileges, sys, tap};
use std::convert::Infallible;
use std::ffi::CStr;

/// The child's word that everything before exec is done: a report without it means that it died.
pub const ABOUT_TO_EXEC: u8 = b'!';

/// Builds the jail around this process and becomes the program; returns only with a failure.
///
/// The order is forced: paths of the host need the host's root, mounts need capabilities, Landlock
/// forbids mounts, and after the filter only exec is left to do.
pub fn enter(arguments: &Arguments, files: Files) -> Result<Infallible, Failure> {
    sys::new_session().step("new session")?;
    let given = match (&arguments.network, &arguments.tap) {
        (Some(network), Some(name)) => Some(tap::attach(network, name)?),
        _ => None,
    };
    leave_namespaces(arguments)?;
    limits::lower_priority(arguments)?;
    let tap = match given {
        Some(tap) => Some(tap),
        None => arguments.tap.as_ref().map(|name| tap::open(name)).transpose()?,
    };
    let null = sys::open(sys::here(), literal(b"/dev/null\0"), libc::O_RDWR, 0, 0).step("null")?;
    let jail = Jail::collect(arguments)?;
    let program = jail.program(&arguments.program)?;
    jail.enter(arguments)?;

    descriptors::make_room()?;
    let mut placed = vec![
        (null, descriptors::NULL),
        (files.log, descriptors::LOG),
        (files.log_again, descriptors::LOG_AGAIN),
        (files.qmp, descriptors::QMP),
        (files.agent, descriptors::AGENT),
        (files.console, descriptors::CONSOLE),
        (files.incoming, descriptors::INCOMING),
        (files.saved, descriptors::SAVED),
    ];
    placed.extend(tap.map(|tap| (tap, descriptors::TAP)));
    descriptors::arrange(placed, program)?;

    limits::restrict(arguments)?;
    privileges::renounce_new()?;
    if arguments.wants("landlock") {
        landlock::enter(arguments)?;
    }
    if arguments.wants("uid") {
        privileges::drop_all(arguments.uid)?;
    }
    sys::set_file_mask(0o077);
    sys::reset_signals();

    let mut words: Vec<&CStr> = vec![&arguments.program];
    words.extend(arguments.rest.iter().map(|word| &**word));
    if arguments.wants("seccomp") {
        sys::install_filter(&filter::build()).step("install filter")?;
    }
    // Fails if the launcher has been killed meanwhile: then nobody would know of this process.
    sys::write(descriptors::REPORT, &[ABOUT_TO_EXEC]).step("announce")?;
    Err(sys::execute(descriptors::PROGRAM, &words)).step("execute program")
}

fn leave_namespaces(arguments: &Arguments) -> Result<(), Failure> {
    let network = if arguments.wants("network") { libc::CLONE_NEWNET } else { 0 };
    let own = libc::CLONE_NEWNS | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS | network;
    sys::unshare(own).step("new namespaces")?;
    // It only hides names of cgroups, which nothing in the jail shows: no reason to fail.
    let _ = sys::unshare(libc::CLONE_NEWCGROUP);
    sys::set_host_name(b"cell").step("set host name")
}
