//! How long executions that have ended are remembered: the oldest are forgotten first.

use std::collections::VecDeque;
use std::rc::Rc;

use super::Executions;
use crate::execution::Execution;
use crate::message::Channel;
use crate::output::log::OutputLog;
use crate::output::shelf::{Room, MAX_BLOCKS};

/// Executions that have ended and can still be asked about.
pub const MAX_REMEMBERED: usize = 1024;
/// Ended commands whose background children still hold a pipe; beyond, the oldest pipes are closed.
pub const MAX_LINGERING: usize = 512;
/// Output of ended executions in the agent's memory.
const MAX_MEMORY_BYTES: usize = 32 * 1024 * 1024;
/// Room on the shelves that is made before anybody needs it.
const SPARE_BLOCKS: usize = 1024;

/// The executions that have ended, in the order of their ends.
#[derive(Default)]
pub struct Finished {
    numbers: VecDeque<u64>,
    memory_bytes: usize,
}

impl Finished {
    pub fn add(&mut self, number: u64, execution: &Execution) {
        if execution.remembered {
            self.numbers.push_back(number);
            self.memory_bytes += execution.log.memory_bytes();
        }
    }

    fn remove(&mut self, number: u64, execution: &Execution) {
        if let Some(at) = self.numbers.iter().position(|&other| other == number) {
            self.numbers.remove(at);
            self.memory_bytes = self.memory_bytes.saturating_sub(execution.log.memory_bytes());
        }
    }
}

impl Executions {
    /// Forgets an ended execution that no client listens to; its last pipes are looked after until they close.
    pub(super) fn let_go(&mut self, number: u64) {
        if let Some(execution) = self.all.get_mut(&number) {
            self.finished.remove(number, execution);
            self.by_id.remove(&execution.label.id);
            execution.remembered = false;
            execution.log = OutputLog::new(0, Rc::clone(&self.room));
            self.changed.push(number);
        }
    }

    /// Gives up what is kept on disk: the machine goes down.
    pub fn close_shelves(&mut self) {
        self.room = Rc::new(Room::new(None));
        for execution in self.all.values_mut() {
            execution.log.close_shelf(&self.room);
        }
    }

    pub(super) fn limit(&mut self) {
        while self.holds_too_much() {
            let unheard = |number: &&u64| self.all.get(number).map_or(true, |execution| !execution.is_heard());
            let oldest = self.finished.numbers.iter().find(unheard).copied();
            match oldest {
                Some(oldest) => self.let_go(oldest),
                // All that is left is being read or still runs.
                None => break,
            }
        }
    }

    fn holds_too_much(&self) -> bool {
        self.finished.numbers.len() > MAX_REMEMBERED
            || self.finished.memory_bytes > MAX_MEMORY_BYTES
            || self.room.used_blocks() > MAX_BLOCKS - SPARE_BLOCKS
    }

    /// Closes the oldest pipes that only background children hold.
    pub(super) fn limit_lingering(&mut self) {
        let lingers = |execution: &Execution| execution.complete && execution.outputs.iter().any(Option::is_some);
        if self.all.len() <= MAX_LINGERING {
            return;
        }
        let excess = self.all.values().filter(|execution| lingers(execution)).count().saturating_sub(MAX_LINGERING);
        for (&number, execution) in self.all.iter_mut().filter(|(_, execution)| lingers(execution)).take(excess) {
            Channel::ALL.iter().for_each(|&channel| execution.drop_output(channel, &self.poller));
            self.changed.push(number);
        }
    }
}
