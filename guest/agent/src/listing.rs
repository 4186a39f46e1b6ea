//! Executions as lists tell of them.

use crate::execution::Execution;
use crate::fields::put_string;
use crate::sys::process::{cpu_micros, Ending};

/// One answer; longer lists are asked for page by page.
const PAGE_BYTES: usize = 16 * 1024;
const MAX_COMMAND_BYTES: usize = 256;
const MAX_USER_BYTES: usize = 64;

mod state {
    pub const RUNNING: u8 = 0;
    pub const EXITED: u8 = 1;
    pub const KILLED: u8 = 2;
}

mod flag {
    pub const TERMINAL: u8 = 1;
    pub const INPUT_OPEN: u8 = 2;
    pub const CORE_DUMPED: u8 = 4;
}

/// As many executions as one answer holds, and whether there are more.
pub fn page<'a>(executions: impl Iterator<Item = (u64, &'a Execution)>) -> Vec<u8> {
    let mut out = vec![0, 0, 0];
    let mut count: u16 = 0;
    for (number, execution) in executions {
        if out.len() > PAGE_BYTES {
            out[0] = 1;
            break;
        }
        put_entry(&mut out, number, execution);
        count += 1;
    }
    out[1..3].copy_from_slice(&count.to_be_bytes());
    out
}

fn put_entry(out: &mut Vec<u8>, number: u64, execution: &Execution) {
    let mut flags = 0;
    if execution.label.terminal {
        flags |= flag::TERMINAL;
    }
    if execution.input.as_ref().map_or(false, |input| input.is_open()) {
        flags |= flag::INPUT_OPEN;
    }
    // Until everything it said is in the log, an execution has not ended for its clients.
    let (state, status) = match execution.ending.filter(|_| execution.complete) {
        None => (state::RUNNING, 0),
        Some(Ending::Exited(code)) => (state::EXITED, code),
        Some(Ending::Killed { signal, core }) => {
            flags |= if core { flag::CORE_DUMPED } else { 0 };
            (state::KILLED, signal)
        }
    };
    let activity = &execution.activity;
    let cpu = if execution.ending.is_some() { activity.cpu_micros } else { cpu_micros(execution.pid) };
    out.extend_from_slice(&execution.label.id);
    out.extend_from_slice(&number.to_be_bytes());
    out.extend_from_slice(&(execution.pid as u32).to_be_bytes());
    out.extend_from_slice(&[state, status, flags]);
    out.extend_from_slice(&(execution.readers.len() as u16).to_be_bytes());
    put_string(out, execution.label.command.as_bytes(), MAX_COMMAND_BYTES);
    put_string(out, execution.label.user.as_bytes(), MAX_USER_BYTES);
    for value in [
        activity.started,
        activity.ended,
        activity.last_input,
        activity.last_output,
        activity.input_bytes,
        execution.log.start(),
        execution.log.end(),
        cpu,
    ] {
        out.extend_from_slice(&value.to_be_bytes());
    }
    out.extend_from_slice(&execution.log.trouble().unwrap_or(0).to_be_bytes());
}
