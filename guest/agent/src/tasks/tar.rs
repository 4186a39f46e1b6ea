//! One entry's head in a POSIX tar archive, as bytes; knows no file and no system call.
//!
//! Written is the pax format: what does not fit into the old fields stands in records before them. Read are pax,
//! ustar, GNU's long names and GNU's sparse files of format 1.0.

use crate::fields::Malformed;

pub const BLOCK_BYTES: usize = 512;

const NAME: usize = 100;
const LINK_AT: usize = 157;
const MAGIC_AT: usize = 257;
const PREFIX_AT: usize = 345;
const PREFIX: usize = 155;
const CHECKSUM_AT: usize = 148;
const CHECKSUM: usize = 8;
const KIND_AT: usize = 156;
/// What eleven octal digits hold.
const MOST_IN_TWELVE: u64 = (1 << 33) - 1;
const MOST_IN_EIGHT: u64 = (1 << 21) - 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    HardLink,
    Link,
    Folder,
    /// Records for the next entry.
    Records,
    /// Records for all entries.
    CommonRecords,
    LongName,
    LongLink,
    /// Devices and whatever else there may be.
    Other(u8),
}

impl Kind {
    fn letter(self) -> u8 {
        match self {
            Kind::File => b'0',
            Kind::HardLink => b'1',
            Kind::Link => b'2',
            Kind::Folder => b'5',
            Kind::Records => b'x',
            Kind::CommonRecords => b'g',
            Kind::LongName => b'L',
            Kind::LongLink => b'K',
            Kind::Other(letter) => letter,
        }
    }

    fn of(letter: u8) -> Kind {
        match letter {
            0 | b'0' | b'7' => Kind::File,
            b'1' => Kind::HardLink,
            b'2' => Kind::Link,
            b'5' => Kind::Folder,
            b'x' => Kind::Records,
            b'g' => Kind::CommonRecords,
            b'L' => Kind::LongName,
            b'K' => Kind::LongLink,
            other => Kind::Other(other),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub name: Vec<u8>,
    pub kind: Kind,
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    /// Bytes that follow in the archive.
    pub size: u64,
    pub modified: (i64, u32),
    pub link: Vec<u8>,
    pub user: Vec<u8>,
    pub group: Vec<u8>,
}

/// A name and what it is set to.
pub type Record = (Vec<u8>, Vec<u8>);

/// How many zeros follow so many bytes.
pub fn padding(bytes: u64) -> usize {
    (BLOCK_BYTES - (bytes % BLOCK_BYTES as u64) as usize) % BLOCK_BYTES
}

/// The head with all records it needs, and these further ones.
pub fn encode(header: &Header, mut records: Vec<Record>) -> Vec<u8> {
    let mut need = |name: &str, value: Vec<u8>| records.push((name.as_bytes().to_vec(), value));
    if header.name.len() > NAME {
        need("path", header.name.clone());
    }
    if header.link.len() > NAME {
        need("linkpath", header.link.clone());
    }
    if header.size > MOST_IN_TWELVE {
        need("size", header.size.to_string().into_bytes());
    }
    if u64::from(header.uid) > MOST_IN_EIGHT {
        need("uid", header.uid.to_string().into_bytes());
    }
    if u64::from(header.gid) > MOST_IN_EIGHT {
        need("gid", header.gid.to_string().into_bytes());
    }
    let (seconds, nanos) = header.modified;
    if nanos != 0 || seconds < 0 || seconds as u64 > MOST_IN_TWELVE {
        need("mtime", format_moment(seconds, nanos).into_bytes());
    }
    let mut out = Vec::new();
    if !records.is_empty() {
        put_records(&mut out, header, &records);
    }
    put_block(&mut out, header);
    out
}

fn put_records(out: &mut Vec<u8>, header: &Header, records: &[Record]) {
    let mut body = Vec::new();
    records.iter().for_each(|record| put_record(&mut body, record));
    let mut name = b"PaxHeaders/".to_vec();
    name.extend_from_slice(&header.name[..header.name.len().min(NAME - name.len())]);
    let head = Header {
        name,
        kind: Kind::Records,
        mode: 0o644,
        uid: 0,
        gid: 0,
        size: body.len() as u64,
        modified: (header.modified.0.max(0), 0),
        link: Vec::new(),
        user: Vec::new(),
        group: Vec::new(),
    };
    put_block(out, &head);
    out.extend_from_slice(&body);
    out.resize(out.len() + padding(body.len() as u64), 0);
}

/// A record begins with its own length, which counts itself.
fn put_record(out: &mut Vec<u8>, (name, value): &Record) {
    let rest = name.len() + value.len() + 3;
    let mut length = rest + 1;
    while length != rest + length.to_string().len() {
        length = rest + length.to_string().len();
    }
    out.extend_from_slice(length.to_string().as_bytes());
    out.push(b' ');
    out.extend_from_slice(name);
    out.push(b'=');
    out.extend_from_slice(value);
    out.push(b'\n');
}

fn put_block(out: &mut Vec<u8>, header: &Header) {
    let mut block = [0; BLOCK_BYTES];
    put_text(&mut block[..NAME], &header.name);
    put_octal(&mut block[100..108], u64::from(header.mode));
    put_octal(&mut block[108..116], u64::from(header.uid).min(MOST_IN_EIGHT));
    put_octal(&mut block[116..124], u64::from(header.gid).min(MOST_IN_EIGHT));
    put_octal(&mut block[124..136], header.size.min(MOST_IN_TWELVE));
    put_octal(&mut block[136..148], (header.modified.0.max(0) as u64).min(MOST_IN_TWELVE));
    block[KIND_AT] = header.kind.letter();
    put_text(&mut block[LINK_AT..MAGIC_AT], &header.link);
    block[MAGIC_AT..MAGIC_AT + 8].copy_from_slice(b"ustar\x0000");
    put_text(&mut block[265..296], &header.user);
    put_text(&mut block[297..328], &header.group);
    let sum = checksum(&block);
    put_octal(&mut block[CHECKSUM_AT..CHECKSUM_AT + 7], u64::from(sum));
    block[CHECKSUM_AT + 7] = b' ';
    out.extend_from_slice(&block);
}

fn put_text(field: &mut [u8], text: &[u8]) {
    let count = field.len().min(text.len());
    field[..count].copy_from_slice(&text[..count]);
}

fn put_octal(field: &mut [u8], value: u64) {
    let digits = format!("{value:0width$o}", width = field.len() - 1);
    field[..digits.len()].copy_from_slice(digits.as_bytes());
}

fn checksum(block: &[u8; BLOCK_BYTES]) -> u32 {
    let own = CHECKSUM_AT..CHECKSUM_AT + CHECKSUM;
    block.iter().enumerate().map(|(at, &byte)| u32::from(if own.contains(&at) { b' ' } else { byte })).sum()
}

/// A head as it stands; nothing for the zeros at the end of an archive.
pub fn decode(block: &[u8; BLOCK_BYTES]) -> Result<Option<Header>, Malformed> {
    if block.iter().all(|&byte| byte == 0) {
        return Ok(None);
    }
    if number(&block[CHECKSUM_AT..CHECKSUM_AT + CHECKSUM])? != u64::from(checksum(block)) {
        return Err(Malformed("the archive is damaged, or is no tar archive"));
    }
    let mut name = text(&block[..NAME]);
    // GNU's own format keeps other things there.
    if &block[MAGIC_AT..MAGIC_AT + 6] == b"ustar\0" && block[PREFIX_AT] != 0 {
        let mut whole = text(&block[PREFIX_AT..PREFIX_AT + PREFIX]);
        whole.push(b'/');
        whole.append(&mut name);
        name = whole;
    }
    let seconds = number(&block[136..148])?;
    Ok(Some(Header {
        name,
        kind: Kind::of(block[KIND_AT]),
        mode: number(&block[100..108])? as u32 & 0o7777,
        uid: small(number(&block[108..116])?)?,
        gid: small(number(&block[116..124])?)?,
        size: number(&block[124..136])?,
        modified: (i64::try_from(seconds).unwrap_or(0), 0),
        link: text(&block[LINK_AT..MAGIC_AT]),
        user: text(&block[265..297]),
        group: text(&block[297..329]),
    }))
}

fn text(field: &[u8]) -> Vec<u8> {
    let end = field.iter().position(|&byte| byte == 0).unwrap_or(field.len());
    field[..end].to_vec()
}

/// Octal digits, or GNU's binary numbers for what is too large for them.
fn number(field: &[u8]) -> Result<u64, Malformed> {
    const BAD: Malformed = Malformed("a number in the archive is none");
    if field[0] & 0x80 != 0 {
        let (first, rest) = (u64::from(field[0] & 0x7f), &field[1..]);
        return rest
            .iter()
            .try_fold(first, |value, &byte| value.checked_mul(256).map(|value| value + u64::from(byte)).ok_or(BAD));
    }
    let digits = field.iter().filter(|byte| !matches!(byte, b' ' | 0));
    digits.into_iter().try_fold(0u64, |value, &byte| match byte {
        b'0'..=b'7' => value.checked_mul(8).map(|value| value + u64::from(byte - b'0')).ok_or(BAD),
        _ => Err(BAD),
    })
}

fn small(value: u64) -> Result<u32, Malformed> {
    u32::try_from(value).map_err(|_| Malformed("an owner in the archive has too large a number"))
}

/// The records before an entry.
pub fn parse_records(mut bytes: &[u8]) -> Result<Vec<Record>, Malformed> {
    const BAD: Malformed = Malformed("the archive's records are damaged");
    let mut records = Vec::new();
    while !bytes.is_empty() {
        let space = bytes.iter().position(|&byte| byte == b' ').ok_or(BAD)?;
        let length = decimal(&bytes[..space]).ok_or(BAD)? as usize;
        if length <= space + 1 || length > bytes.len() || bytes[length - 1] != b'\n' {
            return Err(BAD);
        }
        let record = &bytes[space + 1..length - 1];
        let equals = record.iter().position(|&byte| byte == b'=').ok_or(BAD)?;
        records.push((record[..equals].to_vec(), record[equals + 1..].to_vec()));
        bytes = &bytes[length..];
    }
    Ok(records)
}

/// Sets what the records say about an entry.
pub fn apply(header: &mut Header, records: &[Record]) -> Result<(), Malformed> {
    const BAD: Malformed = Malformed("a number in the archive's records is none");
    for (name, value) in records {
        match name.as_slice() {
            b"path" => header.name = value.clone(),
            b"linkpath" => header.link = value.clone(),
            b"size" => header.size = decimal(value).ok_or(BAD)?,
            b"uid" => header.uid = small(decimal(value).ok_or(BAD)?)?,
            b"gid" => header.gid = small(decimal(value).ok_or(BAD)?)?,
            b"mtime" => header.modified = parse_moment(value).ok_or(BAD)?,
            _ => {}
        }
    }
    Ok(())
}

pub fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

const NANOS_PER_SECOND: u32 = 1_000_000_000;

/// Nanoseconds count forwards, also before 1970, but a minus sign is about the whole.
fn format_moment(seconds: i64, nanos: u32) -> String {
    match (seconds, nanos) {
        (_, 0) => seconds.to_string(),
        (0.., _) => format!("{seconds}.{nanos:09}"),
        _ => format!("-{}.{:09}", -(seconds + 1), NANOS_PER_SECOND - nanos),
    }
}

fn parse_moment(text: &[u8]) -> Option<(i64, u32)> {
    let (negative, text) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        _ => (false, text),
    };
    let mut parts = text.splitn(2, |&byte| byte == b'.');
    let seconds = i64::try_from(decimal(parts.next()?)?).ok()?;
    let mut digits = parts.next().unwrap_or_default().to_vec();
    digits.resize(9, b'0');
    let nanos = u32::try_from(decimal(&digits)?).ok()?;
    Some(match (negative, nanos) {
        (false, _) => (seconds, nanos),
        (true, 0) => (-seconds, 0),
        (true, _) => (-seconds - 1, NANOS_PER_SECOND - nanos),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &[u8], modified: (i64, u32), size: u64) -> Header {
        Header {
            name: name.to_vec(),
            kind: Kind::File,
            mode: 0o4755,
            uid: 3_000_000,
            gid: 7,
            size,
            modified,
            link: Vec::new(),
            user: b"ann".to_vec(),
            group: b"staff".to_vec(),
        }
    }

    fn round_trip(before: &Header) -> Header {
        let bytes = encode(before, Vec::new());
        let block = |at: usize| <[u8; BLOCK_BYTES]>::try_from(&bytes[at..at + BLOCK_BYTES]).unwrap();
        let first = decode(&block(0)).unwrap().unwrap();
        if first.kind != Kind::Records {
            return first;
        }
        let records = parse_records(&bytes[BLOCK_BYTES..BLOCK_BYTES + first.size as usize]).unwrap();
        let mut found = decode(&block(bytes.len() - BLOCK_BYTES)).unwrap().unwrap();
        apply(&mut found, &records).unwrap();
        found
    }

    #[test]
    fn keeps_what_the_old_fields_cannot_hold() {
        for modified in [(0, 0), (1_700_000_000, 123_456_789), (-5, 0), (-1, 500_000_000), (1 << 40, 1)] {
            for length in [1, 99, 100, 101, 250, 5000] {
                let before = header(&vec![0xff; length], modified, 9 << 33);
                assert_eq!(round_trip(&before), before);
            }
        }
    }

    #[test]
    fn refuses_what_is_damaged() {
        let mut block: [u8; BLOCK_BYTES] = encode(&header(b"a", (0, 0), 1), Vec::new())[1024..].try_into().unwrap();
        assert!(decode(&block).unwrap().is_some());
        block[0] ^= 1;
        assert!(decode(&block).is_err());
        assert_eq!(decode(&[0; BLOCK_BYTES]).unwrap(), None);
        for broken in ["5 a=b\n", "7 a=b\n", "x a=b\n", "6 ab\n", "99 a=b\n", "0 a=b\n"] {
            assert!(parse_records(broken.as_bytes()).is_err(), "{broken}");
        }
    }
}
