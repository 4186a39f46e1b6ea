//! `boxd-hostile`: what somebody who has taken over QEMU would try. For tests only.
//!
//! Started in QEMU's place in an otherwise identical jail. Each attempt prints one line:
//! `NAME denied ERRNO` or `NAME SUCCEEDED DETAIL`; last is `done N attempts M succeeded`. Then it
//! stays until it is killed, so that a test can look at the jail from outside.
//!
//! An attempt succeeds if it reaches something outside its cell (data, processes, networks, the
//! host's resources beyond the cell's limits) or a way of doing so that the jail promises not to
//! leave (programs, processes, namespaces, privileges, kernel interfaces). Using what a cell is
//! given, such as writing its own disk or reading its base, is no success.
//!
//! For x86-64 only: it tries that architecture's older calls too.

mod files;
mod kernel;
mod namespaces;
mod network;
mod processes;
mod sys;
mod targets;

use sys::Outcome;
use targets::Targets;

/// Counts and prints attempts.
#[derive(Default)]
pub struct Record {
    attempts: usize,
    succeeded: usize,
}

impl Record {
    fn attempt(&mut self, name: &str, attempt: impl FnOnce() -> Outcome) {
        self.attempts += 1;
        match attempt() {
            Ok(detail) => {
                self.succeeded += 1;
                println!("{} SUCCEEDED {}", name, detail);
            }
            Err(errno) => println!("{} denied {}", name, errno),
        }
    }
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some(processes::EXECUTED) => processes::report_executed(),
        Some(processes::HIDE) => processes::hide(),
        _ => {}
    }
    let targets = Targets::parse(std::env::args().skip(1));
    let mut record = Record::default();
    network::find_descriptors(&mut record);
    files::attempt(&targets, &mut record);
    network::attempt(&targets, &mut record);
    namespaces::attempt(&mut record);
    kernel::attempt(&mut record);
    processes::attempt(&targets, &mut record);
    println!("done {} attempts {} succeeded", record.attempts, record.succeeded);
    loop {
        let _ = sys::call(libc::SYS_pause, &[]);
    }
}
