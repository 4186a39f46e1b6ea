//! Starting one command for the host, or saying why not.

use std::ffi::CString;
use std::io::Result;
use std::os::unix::io::OwnedFd;
use std::path::Path;
use std::rc::Rc;

use crate::accounts::{self, Account, MAX_FILE_BYTES};
use crate::execution::{Activity, Execution, Label, Output};
use crate::files::read_bounded;
use crate::hooks::null_device;
use crate::input::Input;
use crate::message::{ExecRequest, Program, TerminalSize};
use crate::output::log::OutputLog;
use crate::output::shelf::Room;
use crate::plan::{plan, Plan};
use crate::reply::Reply;
use crate::sys::io::{pipe, set_nonblocking};
use crate::sys::kernel::wall_clock;
use crate::sys::process::{self, Inherited, Launch, Stage, StartFailure};
use crate::sys::{c_string, errno, terminal};

/// How much of a command's arguments lists show.
const MAX_COMMAND_BYTES: usize = 240;

/// The program's three descriptors and our ends of them.
struct Wiring {
    theirs: [OwnedFd; 3],
    input: Option<Input>,
    outputs: [Option<Output>; 2],
}

/// Forks the command. Whether it could become its program is known later, from its report.
pub fn launch(request: &ExecRequest, inherited: &Inherited, room: &Rc<Room>) -> std::result::Result<Execution, Reply> {
    let account = account(&request.user)?;
    let plan = plan(request, &account);
    start(request, &account, &plan, inherited, room)
        .map_err(|error| refused(errno(&error), format!("cannot start {}: {error}", program_name(&plan))))
}

/// Finds the user in the machine's own files.
pub fn account(user: &[u8]) -> std::result::Result<Account, Reply> {
    // Missing files are the rule in the smallest image, where only root is known.
    let passwd = read_bounded(Path::new("/etc/passwd"), MAX_FILE_BYTES).unwrap_or_default();
    let group = read_bounded(Path::new("/etc/group"), MAX_FILE_BYTES).unwrap_or_default();
    accounts::find(user, &passwd, &group)
        .ok_or_else(|| refused(libc::ENOENT, format!("no such user: {}", String::from_utf8_lossy(user))))
}

fn start(
    request: &ExecRequest,
    account: &Account,
    plan: &Plan,
    inherited: &Inherited,
    room: &Rc<Room>,
) -> Result<Execution> {
    let launch = Launch {
        candidates: c_strings(&plan.candidates)?,
        arguments: c_strings(&plan.arguments)?,
        environment: c_strings(&plan.environment)?,
        directories: c_strings(&plan.directories)?,
        uid: account.uid,
        gid: account.gid,
        groups: account.groups.clone(),
        terminal: request.terminal.is_some(),
    };
    let wiring = match request.terminal {
        Some(size) => wire_terminal(size, account.uid)?,
        None => wire_pipes(request.stdin)?,
    };
    let [stdin, stdout, stderr] = &wiring.theirs;
    let child = process::start(&launch, [stdin, stdout, stderr], inherited)?;
    Ok(Execution {
        label: Label {
            id: request.id,
            command: command_line(&request.program, plan),
            user: String::from_utf8_lossy(&account.name).into_owned(),
            program: program_name(plan),
            directory: String::from_utf8_lossy(&plan.directories[0]).into_owned(),
            terminal: launch.terminal,
            fleeting: request.fleeting,
        },
        pid: child.pid,
        readers: Vec::new(),
        report: Some(child.report),
        input: wiring.input,
        outputs: wiring.outputs,
        ending: None,
        log: OutputLog::new(request.keep_bytes, Rc::clone(room)),
        complete: false,
        remembered: true,
        unwanted: false,
        activity: Activity { started: wall_clock(), ..Activity::default() },
    })
}

/// The beginning of what was asked for, for lists: a shell's text is shown as it was typed.
fn command_line(program: &Program, plan: &Plan) -> String {
    let words = match program {
        Program::Shell(text) => std::slice::from_ref(text),
        Program::Arguments(_) | Program::Login => &plan.arguments[..],
    };
    let mut line = Vec::new();
    for argument in words {
        if line.len() >= MAX_COMMAND_BYTES {
            break;
        }
        if !line.is_empty() {
            line.push(b' ');
        }
        line.extend_from_slice(&argument[..argument.len().min(MAX_COMMAND_BYTES)]);
    }
    line.truncate(MAX_COMMAND_BYTES);
    String::from_utf8_lossy(&line).into_owned()
}

fn wire_pipes(stdin: bool) -> Result<Wiring> {
    let (input, theirs_in) = if stdin {
        let (theirs, ours) = pipe()?;
        set_nonblocking(&ours)?;
        (Some(Input::new(ours, false)), theirs)
    } else {
        (None, null_device()?)
    };
    let (ours_out, theirs_out) = pipe()?;
    let (ours_err, theirs_err) = pipe()?;
    set_nonblocking(&ours_out)?;
    set_nonblocking(&ours_err)?;
    Ok(Wiring {
        theirs: [theirs_in, theirs_out, theirs_err],
        input,
        outputs: [Some(Output::new(ours_out)), Some(Output::new(ours_err))],
    })
}

fn wire_terminal(size: TerminalSize, uid: u32) -> Result<Wiring> {
    let (ours, theirs) = terminal::open(size, uid)?;
    set_nonblocking(&ours)?;
    Ok(Wiring {
        theirs: [theirs.try_clone()?, theirs.try_clone()?, theirs],
        input: Some(Input::new(ours.try_clone()?, true)),
        outputs: [Some(Output::new(ours)), None],
    })
}

/// Why a command that was forked did not become its program, in words for the caller.
pub fn start_refused(label: &Label, failure: StartFailure) -> Reply {
    let error = std::io::Error::from_raw_os_error(failure.errno);
    let message = match failure.stage {
        Stage::Directory if failure.errno == libc::ENOENT => format!("no such directory: {}", label.directory),
        Stage::Directory => format!("cannot enter {}: {error}", label.directory),
        Stage::Execute if failure.errno == libc::ENOENT => format!("command not found: {}", label.program),
        Stage::Execute => format!("cannot execute {}: {error}", label.program),
        Stage::Identity => format!("cannot become the user: {error}"),
        Stage::Prepare => format!("cannot prepare {}: {error}", label.program),
    };
    refused(failure.errno, message)
}

pub fn refused(errno: i32, message: String) -> Reply {
    Reply::Refused { errno, message }
}

fn program_name(plan: &Plan) -> String {
    String::from_utf8_lossy(&plan.arguments[0]).into_owned()
}

fn c_strings(strings: &[Vec<u8>]) -> Result<Vec<CString>> {
    strings.iter().map(|string| c_string(string)).collect()
}
