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

/// A command that was forked: its process, and our ends of its descriptors.
pub struct Begun {
    pub pid: i32,
    /// Says whether it could become its program.
    pub report: OwnedFd,
    pub input: Option<Input>,
    pub outputs: [Option<Output>; 2],
    pub aim: Aim,
    plan: Plan,
    user: String,
}

/// What a command was to become and where, for messages.
pub struct Aim {
    pub program: String,
    pub directory: String,
}

/// Forks the command. Whether it could become its program is known later, from its report.
pub fn begin(request: &ExecRequest, inherited: &Inherited) -> std::result::Result<Begun, Reply> {
    let account = account(&request.user)?;
    let plan = plan(request, &account);
    let program = program_name(&plan);
    start(request, &account, plan, inherited)
        .map_err(|error| refused(errno(&error), format!("cannot start {program}: {error}")))
}

/// As `begin`, for a command whose output is kept and that anybody can take part in.
pub fn launch(request: &ExecRequest, inherited: &Inherited, room: &Rc<Room>) -> std::result::Result<Execution, Reply> {
    let begun = begin(request, inherited)?;
    Ok(Execution {
        label: Label {
            id: request.id,
            command: command_line(&request.program, &begun.plan),
            user: begun.user,
            aim: begun.aim,
            terminal: request.terminal.is_some(),
            fleeting: request.fleeting,
        },
        pid: begun.pid,
        readers: Vec::new(),
        report: Some(begun.report),
        input: begun.input,
        outputs: begun.outputs,
        ending: None,
        log: OutputLog::new(request.keep_bytes, Rc::clone(room)),
        complete: false,
        remembered: true,
        unwanted: false,
        activity: Activity { started: wall_clock(), ..Activity::default() },
    })
}

/// Finds the user in the machine's own files.
pub fn account(user: &[u8]) -> std::result::Result<Account, Reply> {
    // Missing files are the rule in the smallest image, where only root is known.
    let passwd = read_bounded(Path::new("/etc/passwd"), MAX_FILE_BYTES).unwrap_or_default();
    let group = read_bounded(Path::new("/etc/group"), MAX_FILE_BYTES).unwrap_or_default();
    accounts::find(user, &passwd, &group)
        .ok_or_else(|| refused(libc::ENOENT, format!("no such user: {}", String::from_utf8_lossy(user))))
}

fn start(request: &ExecRequest, account: &Account, plan: Plan, inherited: &Inherited) -> Result<Begun> {
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
    let directory = String::from_utf8_lossy(&plan.directories[0]).into_owned();
    Ok(Begun {
        pid: child.pid,
        report: child.report,
        input: wiring.input,
        outputs: wiring.outputs,
        aim: Aim { program: program_name(&plan), directory },
        plan,
        user: String::from_utf8_lossy(&account.name).into_owned(),
    })
}

/// The beginning of what was asked for, for lists: a shell's text is shown as it was typed.
fn command_line(program: &Program, plan: &Plan) -> String {
    let words = match program {
        Program::Shell(text) => std::slice::from_ref(text),
        Program::Arguments(_) | Program::Login | Program::Files => &plan.arguments[..],
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
pub fn start_refused(aim: &Aim, failure: StartFailure) -> Reply {
    let error = std::io::Error::from_raw_os_error(failure.errno);
    let message = match failure.stage {
        Stage::Directory if failure.errno == libc::ENOENT => format!("no such directory: {}", aim.directory),
        Stage::Directory => format!("cannot enter {}: {error}", aim.directory),
        Stage::Execute if failure.errno == libc::ENOENT => format!("command not found: {}", aim.program),
        Stage::Execute => format!("cannot execute {}: {error}", aim.program),
        Stage::Identity => format!("cannot become the user: {error}"),
        Stage::Prepare => format!("cannot prepare {}: {error}", aim.program),
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
