//! What clients ask about executions that they, or others, have started: by id, in any session.

use super::Executions;
use crate::execution::{Execution, Reader, MAX_SIGNAL};
use crate::input::MAX_PENDING_BYTES;
use crate::launch::refused;
use crate::link::{Link, WINDOW_BYTES};
use crate::listing;
use crate::message::ExecutionId;
use crate::output::log::Cursor;
use crate::reply::Reply;

/// Clients of one execution, and of all together.
const MAX_READERS: usize = 32;
const MAX_ALL_READERS: usize = 1024;

impl Executions {
    fn find(&mut self, id: &ExecutionId) -> Result<(u64, &mut Execution), Reply> {
        let unknown = || refused(libc::ENOENT, "no such execution, or it was forgotten".to_string());
        let number = *self.by_id.get(id).ok_or_else(unknown)?;
        let execution = self.all.get_mut(&number).ok_or_else(unknown)?;
        Ok((number, execution))
    }

    /// Lets a client listen from an offset, and write.
    pub fn attach(&mut self, stream: u32, id: &ExecutionId, offset: u64, link: &mut Link) {
        if let Err(refusal) = self.try_attach(stream, id, offset, link) {
            link.send(stream, &refusal);
        }
    }

    fn try_attach(&mut self, stream: u32, id: &ExecutionId, offset: u64, link: &mut Link) -> Result<(), Reply> {
        let crowded = self.by_stream.len() >= MAX_ALL_READERS;
        let (number, execution) = self.find(id)?;
        if crowded || execution.readers.len() >= MAX_READERS {
            return Err(refused(libc::EAGAIN, "too many clients listen at once".to_string()));
        }
        let windows = (execution.readers.len() + 1) * WINDOW_BYTES as usize;
        let pending = execution.input.as_ref().map_or(0, |input| input.pending_bytes());
        if pending + windows > MAX_PENDING_BYTES {
            let message = "the command has not read what earlier clients wrote".to_string();
            return Err(refused(libc::EAGAIN, message));
        }
        let offset = offset.clamp(execution.log.start(), execution.log.end());
        let attached = Reply::Attached {
            offset,
            end: execution.log.end(),
            pid: execution.pid as u32,
            terminal: execution.label.terminal,
            input: execution.input.as_ref().map_or(false, |input| input.is_open()),
        };
        execution.readers.push(Reader { stream, cursor: Cursor::at(offset), knows_pid: true });
        execution.unwanted = false;
        link.open(stream);
        link.send(stream, &attached);
        self.by_stream.insert(stream, number);
        // From now on its output is read for a client, and not in its own time.
        self.filling.push(number);
        self.fresh.push(number);
        self.changed.push(number);
        Ok(())
    }

    /// A client stops listening; the command does not notice.
    pub fn detach(&mut self, stream: u32, link: &mut Link) {
        link.close(stream);
        let number = match self.by_stream.remove(&stream) {
            Some(number) => number,
            None => return,
        };
        if let Some(execution) = self.all.get_mut(&number) {
            execution.readers.retain(|reader| reader.stream != stream);
            if !execution.is_heard() {
                execution.log.rest();
                execution.unwanted = execution.label.fleeting;
                self.draining.push(number);
                self.changed.push(number);
            }
        }
    }

    /// One page of what there is, behind the execution with this number.
    pub fn list(&self, after: u64) -> Reply {
        let remembered = self.all.range(after.saturating_add(1)..).filter(|(_, execution)| execution.remembered);
        Reply::Executions(listing::page(remembered.map(|(&number, execution)| (number, execution))))
    }

    pub fn kill(&mut self, id: &ExecutionId, signal: u8) -> Reply {
        if !(1..=MAX_SIGNAL).contains(&signal) {
            return refused(libc::EINVAL, format!("no such signal: {signal}"));
        }
        let killed = self.find(id).and_then(|(_, execution)| {
            execution.signal(signal).map_err(|_| refused(libc::ESRCH, "the execution has ended".to_string()))
        });
        killed.map_or_else(|refusal| refusal, |()| Reply::Done)
    }

    /// Forgets an execution that has ended. Clients that still read its output lose the rest.
    pub fn forget(&mut self, id: &ExecutionId, link: &mut Link) -> Reply {
        let number = match self.find(id) {
            Ok((_, execution)) if !execution.complete => {
                return refused(libc::EBUSY, "the execution has not ended: kill it first".to_string());
            }
            Ok((number, _)) => number,
            Err(refusal) => return refusal,
        };
        let streams: Vec<u32> =
            self.by_stream.iter().filter(|(_, &other)| other == number).map(|(&stream, _)| stream).collect();
        for stream in streams {
            link.send(stream, &refused(libc::ENOENT, "the execution was forgotten".to_string()));
            self.detach(stream, link);
        }
        self.let_go(number);
        Reply::Done
    }
}
