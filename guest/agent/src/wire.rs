//! Frames as they stand on the wire; docs/agent-channel.md is the specification.
//!
//! Nothing here knows what a frame means, and nothing here can fail: bytes that are no frame of the
//! present session are skipped, bytes that can be no frame at all are reported as lost.

/// The version of the protocol that this agent speaks.
pub const PROTOCOL_VERSION: u16 = 2;
/// Zeros that stand before HELLO and HELLO_ACK: enough to complete any frame that was cut off.
pub const PREAMBLE_BYTES: usize = 64 * 1024;
/// The largest value of a length field; with it a whole frame is shorter than the preamble.
pub const MAX_LENGTH: usize = 65_520;
/// Type, stream and tag: what every frame has besides its payload.
pub const OVERHEAD: usize = 1 + 4 + TAG_BYTES;
/// The largest payload of one frame.
pub const MAX_PAYLOAD: usize = MAX_LENGTH - OVERHEAD;
pub const TAG_BYTES: usize = 4;
pub const NONCE_BYTES: usize = 16;
/// After bytes that cannot be a frame only the preamble of a new session is believed.
pub const RESYNC_ZEROS: usize = 4096;

/// The last four bytes of every frame; none of them is zero in a valid session.
pub type Tag = [u8; TAG_BYTES];

/// The tag of the one frame that belongs to no session: an agent that has just started says so with it.
pub const NEWBORN_TAG: Tag = *b"anew";

/// What a host's nonce says about the tags of its session, or nothing if the nonce is not allowed.
pub fn tag_of(nonce: &[u8; NONCE_BYTES]) -> Option<Tag> {
    let tag = [nonce[0], nonce[1], nonce[2], nonce[3]];
    if tag.contains(&0) {
        return None;
    }
    Some(tag)
}

/// Appends one frame.
pub fn put_frame(out: &mut Vec<u8>, kind: u8, stream: u32, payload: &[u8], tag: Tag) {
    debug_assert!(payload.len() <= MAX_PAYLOAD);
    out.extend_from_slice(&((payload.len() + OVERHEAD) as u32).to_be_bytes());
    out.push(kind);
    out.extend_from_slice(&stream.to_be_bytes());
    out.extend_from_slice(payload);
    out.extend_from_slice(&tag);
}

/// One frame whose bytes are complete; whether its tag is the session's is not decided here.
#[derive(Debug, PartialEq, Eq)]
pub struct Frame {
    pub kind: u8,
    pub stream: u32,
    pub payload: Vec<u8>,
    pub tag: Tag,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Decoded {
    Frame(Frame),
    /// The bytes can be no frame: whatever session there was cannot be followed any more.
    Lost,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Collecting the four bytes of a length.
    Length,
    /// Collecting a frame of so many bytes after its length.
    Body(usize),
    /// Behind a zero length. The first byte that is not zero is the low byte of the next length, so
    /// that a preamble need not be aligned with what it follows.
    Padding,
    /// Looking for a preamble; so many zeros seen in a row.
    Lost(usize),
}

/// Cuts a byte stream into frames; holds at most one unfinished frame.
pub struct Decoder {
    state: State,
    partial: Vec<u8>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder {
    pub fn new() -> Self {
        Decoder { state: State::Length, partial: Vec::new() }
    }

    /// Takes bytes from the front of `input` until one frame is complete, or none are left.
    pub fn next(&mut self, input: &mut &[u8]) -> Option<Decoded> {
        while !input.is_empty() {
            let decoded = match self.state {
                State::Length => self.take_length(input),
                State::Body(length) => self.take_body(length, input),
                State::Padding => self.skip_padding(input),
                State::Lost(zeros) => self.resync(zeros, input),
            };
            if decoded.is_some() {
                return decoded;
            }
        }
        None
    }

    /// Bytes held for the unfinished frame.
    pub fn held(&self) -> usize {
        self.partial.capacity()
    }

    fn take_length(&mut self, input: &mut &[u8]) -> Option<Decoded> {
        if !self.collect(4, input) {
            return None;
        }
        let length = u32::from_be_bytes([self.partial[0], self.partial[1], self.partial[2], self.partial[3]]);
        self.partial.clear();
        if length == 0 {
            self.state = State::Padding;
            return None;
        }
        self.expect(length as usize)
    }

    fn skip_padding(&mut self, input: &mut &[u8]) -> Option<Decoded> {
        match input.iter().position(|&byte| byte != 0) {
            None => {
                *input = &[];
                None
            }
            Some(at) => {
                let length = input[at] as usize;
                *input = &input[at + 1..];
                self.expect(length)
            }
        }
    }

    fn expect(&mut self, length: usize) -> Option<Decoded> {
        if !(OVERHEAD..=MAX_LENGTH).contains(&length) {
            self.state = State::Lost(0);
            return Some(Decoded::Lost);
        }
        self.state = State::Body(length);
        None
    }

    fn take_body(&mut self, length: usize, input: &mut &[u8]) -> Option<Decoded> {
        if !self.collect(length, input) {
            return None;
        }
        let mut body = std::mem::take(&mut self.partial);
        self.state = State::Length;
        let kind = body[0];
        let stream = u32::from_be_bytes([body[1], body[2], body[3], body[4]]);
        let mut tag = [0; TAG_BYTES];
        tag.copy_from_slice(&body[length - TAG_BYTES..]);
        body.truncate(length - TAG_BYTES);
        body.drain(..OVERHEAD - TAG_BYTES);
        Some(Decoded::Frame(Frame { kind, stream, payload: body, tag }))
    }

    fn resync(&mut self, zeros: usize, input: &mut &[u8]) -> Option<Decoded> {
        let mut run = zeros;
        for (at, &byte) in input.iter().enumerate() {
            run = if byte == 0 { run + 1 } else { 0 };
            if run >= RESYNC_ZEROS {
                *input = &input[at + 1..];
                self.state = State::Padding;
                return None;
            }
        }
        *input = &[];
        self.state = State::Lost(run);
        None
    }

    /// Moves bytes until `wanted` are held; true when they are.
    fn collect(&mut self, wanted: usize, input: &mut &[u8]) -> bool {
        let missing = wanted - self.partial.len();
        let (now, later) = input.split_at(missing.min(input.len()));
        self.partial.extend_from_slice(now);
        *input = later;
        self.partial.len() == wanted
    }
}
