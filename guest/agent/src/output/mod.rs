//! What an execution has said, kept within bounds: the last part in memory, the rest on the machine's disk.

mod block;
pub mod log;
pub mod shelf;

/// The unit in which output is written to disk, read back and dropped.
pub const BLOCK_BYTES: usize = 32 * 1024;
