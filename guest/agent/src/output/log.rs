//! The ordered, bounded log of one execution's output.
//!
//! Every byte has an offset: how many bytes of either channel came before it. The newest blocks are in
//! memory, older ones on the shelf; the oldest are dropped when there are too many. If the disk gives no
//! more, the log lives with what it has got, at worst with a few blocks of memory.

use std::collections::VecDeque;
use std::rc::Rc;

use super::block::{Growing, Position};
use super::shelf::{Room, Shelf};
use super::BLOCK_BYTES;
use crate::message::Channel;
use crate::sys::errno;

/// Whole blocks that stay in memory, so that a reader who keeps up never waits for the disk.
const MEMORY_BLOCKS: usize = 1;
/// Whole blocks of a log that has nothing but memory.
pub const POOR_BLOCKS: usize = 8;
/// What a run of one channel needs besides its bytes in each block.
const BLOCK_PAYLOAD: usize = BLOCK_BYTES - super::block::HEADER_BYTES;

enum Place {
    Memory(Vec<u8>),
    Shelf(u32),
}

struct Block {
    start: u64,
    end: u64,
    bytes: usize,
    place: Place,
}

/// Where a reader stands.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    offset: u64,
    /// The block, by its first offset, in which the position holds.
    block: Option<u64>,
    position: Position,
}

impl Cursor {
    pub fn at(offset: u64) -> Self {
        Cursor { offset, block: None, position: Position::default() }
    }

    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// What a look at a cursor finds.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    Channel(Channel),
    /// Nothing yet.
    End,
    /// The bytes are gone; the log goes on here.
    Lost(u64),
}

pub struct OutputLog {
    blocks: VecDeque<Block>,
    tail: Growing,
    tail_start: u64,
    end: u64,
    shelf: Shelf,
    /// How many whole blocks are kept.
    limit: usize,
    /// Why the disk is not used, or not further.
    trouble: Option<i32>,
    /// The block from the shelf that was read last.
    loaded: Option<(u64, Vec<u8>)>,
}

impl OutputLog {
    /// A log of about so many bytes.
    pub fn new(keep_bytes: u64, room: Rc<Room>) -> Self {
        let limit = (keep_bytes / BLOCK_BYTES as u64).max(2) as usize;
        OutputLog {
            blocks: VecDeque::new(),
            tail: Growing::default(),
            tail_start: 0,
            end: 0,
            shelf: Shelf::new(room),
            limit,
            trouble: None,
            loaded: None,
        }
    }

    /// The first offset that is still there.
    pub fn start(&self) -> u64 {
        self.blocks.front().map_or(self.tail_start, |block| block.start)
    }

    /// The offset of the next byte to come.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The error because of which less is kept than was asked for.
    pub fn trouble(&self) -> Option<i32> {
        self.trouble
    }

    pub fn memory_bytes(&self) -> usize {
        let kept = self.blocks.iter().map(|block| match &block.place {
            Place::Memory(bytes) => bytes.capacity(),
            Place::Shelf(_) => 0,
        });
        kept.sum::<usize>() + self.tail.bytes.capacity()
    }

    /// How much may be appended before anything at or behind this offset would be dropped.
    pub fn room_before(&self, floor: u64) -> usize {
        let droppable = self.blocks.iter().take_while(|block| block.end <= floor).count();
        let whole = (self.limit + droppable).saturating_sub(self.blocks.len());
        self.tail.room() + whole * BLOCK_PAYLOAD
    }

    pub fn append(&mut self, channel: Channel, mut data: &[u8]) {
        while !data.is_empty() {
            let taken = self.tail.take(channel, data);
            data = &data[taken..];
            self.end += taken as u64;
            if taken == 0 {
                self.seal();
            }
        }
    }

    fn seal(&mut self) {
        let bytes = std::mem::take(&mut self.tail).bytes;
        let block = Block { start: self.tail_start, end: self.end, bytes: bytes.len(), place: Place::Memory(bytes) };
        self.blocks.push_back(block);
        self.tail_start = self.end;
        self.drop_excess();
        self.shelve();
    }

    fn drop_excess(&mut self) {
        while self.blocks.len() > self.limit {
            if let Some(Block { place: Place::Shelf(slot), .. }) = self.blocks.pop_front() {
                self.shelf.release(slot);
            }
        }
    }

    /// Moves whole blocks out of memory, oldest first, as far as the disk takes them.
    fn shelve(&mut self) {
        let first = self.blocks.iter().position(|block| matches!(block.place, Place::Memory(_)));
        let last = self.blocks.len().saturating_sub(MEMORY_BLOCKS);
        for index in first.unwrap_or(last)..last {
            let reuses = self.shelf.has_free_slot();
            if self.trouble.is_some() && !reuses {
                return;
            }
            let bytes = match &self.blocks[index].place {
                Place::Memory(bytes) => bytes,
                Place::Shelf(_) => continue,
            };
            match self.shelf.put(bytes) {
                Ok(slot) => self.blocks[index].place = Place::Shelf(slot),
                Err(error) => {
                    self.trouble = Some(errno(&error));
                    // A disk without room still has what it gave; one that fails is not relied on.
                    let usable = if reuses { 0 } else { self.blocks.len() };
                    self.limit = self.limit.min(usable.max(POOR_BLOCKS));
                    return self.drop_excess();
                }
            }
        }
    }

    /// What a reader would get next.
    pub fn next(&mut self, cursor: &mut Cursor) -> Next {
        if cursor.offset < self.start() {
            return Next::Lost(self.start());
        }
        if cursor.offset >= self.end {
            return Next::End;
        }
        match self.piece(cursor) {
            Some((channel, _)) => Next::Channel(channel),
            None => Next::Lost(self.behind(cursor.offset)),
        }
    }

    /// Copies what comes next if it belongs to this channel; the number of bytes.
    pub fn read(&mut self, cursor: &mut Cursor, channel: Channel, buffer: &mut [u8]) -> usize {
        let mut copied = 0;
        while copied < buffer.len() && (self.start()..self.end).contains(&cursor.offset) {
            let count = match self.piece(cursor) {
                Some((found, piece)) if found == channel => {
                    let count = piece.len().min(buffer.len() - copied);
                    buffer[copied..copied + count].copy_from_slice(&piece[..count]);
                    count
                }
                _ => break,
            };
            copied += count;
            cursor.offset += count as u64;
            cursor.position.advance(count);
        }
        copied
    }

    /// The bytes at the cursor, as many as lie together; nothing if the disk has lost them.
    fn piece(&mut self, cursor: &mut Cursor) -> Option<(Channel, &[u8])> {
        let start = self.start_of_block(cursor.offset);
        self.load(start)?;
        let bytes = if start == self.tail_start { &self.tail.bytes } else { self.whole(start)? };
        if cursor.block != Some(start) {
            cursor.position = Position::of(bytes, cursor.offset - start)?;
            cursor.block = Some(start);
        }
        cursor.position.next(bytes)
    }

    fn start_of_block(&self, offset: u64) -> u64 {
        if offset >= self.tail_start {
            return self.tail_start;
        }
        self.blocks[self.index_of(offset)].start
    }

    fn index_of(&self, offset: u64) -> usize {
        self.blocks.partition_point(|block| block.end <= offset)
    }

    /// Where the log goes on after the block of this offset.
    fn behind(&self, offset: u64) -> u64 {
        self.blocks.get(self.index_of(offset)).map_or(self.end, |block| block.end)
    }

    /// Fetches a block from the shelf if it is there.
    fn load(&mut self, start: u64) -> Option<()> {
        if start == self.tail_start || matches!(&self.loaded, Some((loaded, _)) if *loaded == start) {
            return Some(());
        }
        let block = &self.blocks[self.index_of(start)];
        if let Place::Shelf(slot) = block.place {
            let mut bytes = self.loaded.take().map_or_else(Vec::new, |(_, bytes)| bytes);
            bytes.resize(block.bytes, 0);
            self.shelf.get(slot, &mut bytes).ok()?;
            self.loaded = Some((start, bytes));
        }
        Some(())
    }

    fn whole(&self, start: u64) -> Option<&Vec<u8>> {
        match (&self.blocks[self.index_of(start)].place, &self.loaded) {
            (Place::Memory(bytes), _) => Some(bytes),
            (Place::Shelf(_), Some((loaded, bytes))) if *loaded == start => Some(bytes),
            _ => None,
        }
    }

    /// Lets the disk go; what was there is lost.
    pub fn close_shelf(&mut self, room: &Rc<Room>) {
        self.blocks.retain(|block| matches!(block.place, Place::Memory(_)));
        self.shelf = Shelf::new(Rc::clone(room));
        self.loaded = None;
    }

    /// Nobody reads at the moment.
    pub fn rest(&mut self) {
        self.loaded = None;
    }

    /// Nothing will be appended any more.
    pub fn finish(&mut self) {
        self.tail.bytes.shrink_to_fit();
    }
}
