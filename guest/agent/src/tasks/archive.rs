//! The entries of an archive that is being read; knows no system call.

use std::io::{Error, ErrorKind, Read, Result};

use super::tar::{apply, decimal, decode, padding, parse_records, Header, Kind, Record, BLOCK_BYTES};
use crate::fields::Malformed;

/// Records and long names of one entry; more than this is an attack.
const MAX_RECORD_BYTES: u64 = 1024 * 1024;
/// Parts of one sparse file.
pub const MAX_SEGMENTS: usize = 65_536;

/// One entry, whose content is read next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub header: Header,
    /// Where the content belongs if it is not all of the file: each part's place and length, in order.
    pub segments: Option<Vec<(u64, u64)>>,
    /// How long the file is.
    pub length: u64,
}

pub struct Archive<R> {
    input: R,
    /// Of the present entry's content, and the zeros behind it.
    content_left: u64,
    padding_left: usize,
}

fn malformed(Malformed(reason): Malformed) -> Error {
    Error::new(ErrorKind::InvalidData, reason)
}

impl<R: Read> Archive<R> {
    pub fn new(input: R) -> Self {
        Archive { input, content_left: 0, padding_left: 0 }
    }

    /// Goes to the next entry, past what was not read of the last one; nothing at the end.
    pub fn next_entry(&mut self) -> Result<Option<Entry>> {
        let (mut records, mut long_name, mut long_link) = (Vec::new(), None, None);
        loop {
            self.skip()?;
            let mut block = [0; BLOCK_BYTES];
            self.input.read_exact(&mut block)?;
            let mut header = match decode(&block).map_err(malformed)? {
                Some(header) => header,
                None => return Ok(None),
            };
            self.begin(header.size);
            match header.kind {
                Kind::Records => records = parse_records(&self.small_content()?).map_err(malformed)?,
                Kind::LongName => long_name = Some(self.text_content()?),
                Kind::LongLink => long_link = Some(self.text_content()?),
                Kind::CommonRecords => {}
                _ => {
                    header.name = long_name.take().unwrap_or(header.name);
                    header.link = long_link.take().unwrap_or(header.link);
                    apply(&mut header, &records).map_err(malformed)?;
                    // Whatever they claim, links and folders have no content.
                    if !matches!(header.kind, Kind::File | Kind::Other(_)) {
                        header.size = 0;
                    }
                    self.begin(header.size);
                    return self.entry(header, &records).map(Some);
                }
            }
        }
    }

    fn begin(&mut self, size: u64) {
        self.content_left = size;
        self.padding_left = padding(size);
    }

    fn entry(&mut self, mut header: Header, records: &[Record]) -> Result<Entry> {
        let record = |name: &[u8]| records.iter().rev().find(|record| record.0 == name).map(|record| &record.1);
        if !records.iter().any(|(name, _)| name.starts_with(b"GNU.sparse.")) || header.kind != Kind::File {
            let length = header.size;
            return Ok(Entry { header, segments: None, length });
        }
        let version = (record(b"GNU.sparse.major"), record(b"GNU.sparse.minor"));
        if (version.0.map(Vec::as_slice), version.1.map(Vec::as_slice)) != (Some(b"1"), Some(b"0")) {
            return Err(malformed(Malformed("sparse files must have GNU's format 1.0; use tar --sparse-version=1.0")));
        }
        let length = record(b"GNU.sparse.realsize").and_then(|text| decimal(text));
        let length = length.ok_or_else(|| malformed(Malformed("a sparse file has no length")))?;
        if let Some(name) = record(b"GNU.sparse.name") {
            header.name = name.clone();
        }
        let segments = self.segments(length)?;
        Ok(Entry { header, segments: Some(segments), length })
    }

    /// The map of a sparse file: decimal numbers, one a line, in whole blocks before the content.
    fn segments(&mut self, length: u64) -> Result<Vec<(u64, u64)>> {
        const BAD: Malformed = Malformed("the map of a sparse file is damaged");
        let mut numbers = MapNumbers { archive: self, block: [0; BLOCK_BYTES], at: BLOCK_BYTES };
        let count = numbers.next()? as usize;
        if count > MAX_SEGMENTS {
            return Err(malformed(Malformed("a sparse file has too many parts")));
        }
        let (mut segments, mut end, mut total) = (Vec::new(), 0, 0u64);
        for _ in 0..count {
            let (start, bytes) = (numbers.next()?, numbers.next()?);
            let behind = start.checked_add(bytes).filter(|&behind| start >= end && behind <= length);
            end = behind.ok_or_else(|| malformed(BAD))?;
            total += bytes;
            segments.push((start, bytes));
        }
        if total != self.content_left {
            return Err(malformed(BAD));
        }
        Ok(segments)
    }

    /// Content of the present entry; 0 at its end.
    pub fn content(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let room = (self.content_left.min(buffer.len() as u64)) as usize;
        if room == 0 {
            return Ok(0);
        }
        let count = self.input.read(&mut buffer[..room])?;
        if count == 0 {
            return Err(Error::from(ErrorKind::UnexpectedEof));
        }
        self.content_left -= count as u64;
        Ok(count)
    }

    fn small_content(&mut self) -> Result<Vec<u8>> {
        if self.content_left > MAX_RECORD_BYTES {
            return Err(malformed(Malformed("the archive's records are too long")));
        }
        let mut bytes = vec![0; self.content_left as usize];
        self.content_left = 0;
        self.input.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn text_content(&mut self) -> Result<Vec<u8>> {
        let mut text = self.small_content()?;
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        text.truncate(end);
        Ok(text)
    }

    fn skip(&mut self) -> Result<()> {
        let mut sink = [0; 4096];
        while self.content(&mut sink)? > 0 {}
        let padding = std::mem::take(&mut self.padding_left);
        self.input.read_exact(&mut sink[..padding])
    }

    /// Reads what is behind the end, so that whoever sends it is not left with it.
    pub fn finish(mut self) -> Result<()> {
        let mut sink = vec![0; 64 * 1024];
        while self.input.read(&mut sink)? > 0 {}
        Ok(())
    }
}

struct MapNumbers<'a, R> {
    archive: &'a mut Archive<R>,
    block: [u8; BLOCK_BYTES],
    at: usize,
}

impl<R: Read> MapNumbers<'_, R> {
    fn next(&mut self) -> Result<u64> {
        const LONGEST: usize = 20;
        let mut digits = Vec::new();
        loop {
            if self.at == BLOCK_BYTES {
                self.fill()?;
            }
            let byte = self.block[self.at];
            self.at += 1;
            if byte == b'\n' {
                let number = decimal(&digits);
                return number.ok_or_else(|| malformed(Malformed("the map of a sparse file is damaged")));
            }
            digits.push(byte);
            if digits.len() > LONGEST {
                return Err(malformed(Malformed("the map of a sparse file is damaged")));
            }
        }
    }

    fn fill(&mut self) -> Result<()> {
        let mut filled = 0;
        while filled < BLOCK_BYTES {
            let count = self.archive.content(&mut self.block[filled..])?;
            if count == 0 {
                return Err(malformed(Malformed("the map of a sparse file is damaged")));
            }
            filled += count;
        }
        self.at = 0;
        Ok(())
    }
}
