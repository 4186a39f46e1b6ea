//! A server of files that speaks version 3 of SFTP, as `sftp`, `scp`, editors and `sshfs` expect it at the far end.
//!
//! A process of its own with the rights of its user, in the user's home. What the user may not do the kernel
//! refuses; what the client may not say ends the process, and nothing but it. `packet`, `request` and `answer` know
//! no system call.

mod answer;
mod copy;
mod describe;
mod extended;
mod handles;
pub mod packet;
pub mod request;
mod server;

use std::io::{Read, Result, Write};

use packet::{take_packet, Taken};
use server::Server;

/// Read at once; several requests of a client that does not wait for answers.
const READ_BYTES: usize = 256 * 1024;
/// Answers leave together up to this size.
const BATCH_BYTES: usize = 256 * 1024;

/// Serves until the client has ended its input; an error if it said what nobody may say.
pub fn serve(input: &mut impl Read, output: &mut impl Write) -> Result<()> {
    let mut server = Server::default();
    let mut held = vec![0; READ_BYTES];
    let (mut start, mut end) = (0, 0);
    let mut answers = Vec::new();
    loop {
        match take_packet(&held[start..end])? {
            Taken::Packet(packet) => {
                server.answer(packet, &mut answers)?;
                start += packet.len() + packet::LENGTH_BYTES;
                if answers.len() < BATCH_BYTES {
                    continue;
                }
            }
            Taken::Missing(wanted) => {
                // Only the beginning of one packet is left: it moves to the front, and the rest must fit behind it.
                held.copy_within(start..end, 0);
                end -= start;
                start = 0;
                if held.len() < wanted {
                    held.resize(wanted, 0);
                }
            }
        }
        output.write_all(&answers)?;
        output.flush()?;
        answers.clear();
        if start == 0 && end < held.len() {
            match input.read(&mut held[end..])? {
                0 => return Ok(()),
                count => end += count,
            }
        }
    }
}
