//! Questions to name servers and their answers; knows no system call.
//!
//! A static program cannot ask the C library for names, and the smallest image has none.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::fields::{Malformed, Reader};

pub const MAX_MESSAGE_BYTES: usize = 4096;
const MAX_NAME_BYTES: usize = 255;
const MAX_LABEL_BYTES: usize = 63;
/// Records of one answer that are looked at.
const MAX_RECORDS: usize = 64;
const CLASS_INTERNET: u16 = 1;

const RECURSION_DESIRED: u16 = 0x0100;
const IS_ANSWER: u16 = 0x8000;
const IS_CUT: u16 = 0x0200;
const CODE: u16 = 0x000f;
const NAME_ERROR: u16 = 3;
const POINTER: u8 = 0xc0;

/// Which addresses are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Four = 1,
    Six = 28,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Perhaps none: the name exists, and has no addresses of this kind.
    Addresses(Vec<IpAddr>),
    /// There is no such name.
    NoSuchName,
    /// The server will not, or cannot, say.
    Failed,
    /// The answer is longer than a datagram.
    Cut,
}

/// The question as it is sent; nothing if the name cannot be one.
pub fn question(id: u16, name: &[u8], kind: Kind) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for number in [id, RECURSION_DESIRED, 1, 0, 0, 0] {
        out.extend_from_slice(&number.to_be_bytes());
    }
    let name = name.strip_suffix(b".").unwrap_or(name);
    if name.is_empty() || name.len() + 2 > MAX_NAME_BYTES {
        return None;
    }
    for label in name.split(|&byte| byte == b'.') {
        if label.is_empty() || label.len() > MAX_LABEL_BYTES {
            return None;
        }
        out.push(label.len() as u8);
        out.extend_from_slice(label);
    }
    out.push(0);
    out.extend_from_slice(&(kind as u16).to_be_bytes());
    out.extend_from_slice(&CLASS_INTERNET.to_be_bytes());
    Some(out)
}

/// What a message says about our question; nothing if it is no answer to it.
pub fn answer(question: &[u8], message: &[u8], kind: Kind) -> Option<Answer> {
    parse(question, message, kind).ok().flatten()
}

fn parse(question: &[u8], message: &[u8], kind: Kind) -> Result<Option<Answer>, Malformed> {
    let mut reader = Reader::new(message);
    let (id, flags) = (reader.bytes(2)?, reader.u16()?);
    let (questions, answers) = (reader.u16()?, reader.u16()?);
    reader.bytes(4)?;
    let asked = Reader::new(question).bytes(question.len())?.get(HEADER_BYTES..).unwrap_or(&[]);
    let same = questions == 1 && reader.bytes(asked.len())?.eq_ignore_ascii_case(asked);
    if !same || !question.starts_with(id) || flags & IS_ANSWER == 0 {
        return Ok(None);
    }
    if flags & IS_CUT != 0 {
        return Ok(Some(Answer::Cut));
    }
    match flags & CODE {
        0 => {}
        NAME_ERROR => return Ok(Some(Answer::NoSuchName)),
        _ => return Ok(Some(Answer::Failed)),
    }
    let mut found = Vec::new();
    for _ in 0..usize::from(answers).min(MAX_RECORDS) {
        skip_name(&mut reader)?;
        let (record_kind, class) = (reader.u16()?, reader.u16()?);
        reader.u32()?;
        let length = usize::from(reader.u16()?);
        let data = reader.bytes(length)?;
        // Names on the way to the address are of no interest: the server has followed them.
        if class == CLASS_INTERNET && record_kind == kind as u16 {
            found.extend(address(data));
        }
    }
    Ok(Some(Answer::Addresses(found)))
}

const HEADER_BYTES: usize = 12;

fn skip_name(reader: &mut Reader) -> Result<(), Malformed> {
    loop {
        match reader.u8()? {
            0 => return Ok(()),
            length if length & POINTER == POINTER => return reader.u8().map(drop),
            length if length & POINTER == 0 => drop(reader.bytes(usize::from(length))?),
            _ => return Err(Malformed("a name has a label of an unknown kind")),
        }
    }
}

fn address(data: &[u8]) -> Option<IpAddr> {
    if let Ok(four) = <[u8; 4]>::try_from(data) {
        return Some(Ipv4Addr::from(four).into());
    }
    <[u8; 16]>::try_from(data).ok().map(|six| Ipv6Addr::from(six).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(question: &[u8], flags: u16, records: &[(u16, &[u8])]) -> Vec<u8> {
        let mut out = question.to_vec();
        out[2..4].copy_from_slice(&(IS_ANSWER | flags).to_be_bytes());
        out[6..8].copy_from_slice(&(records.len() as u16).to_be_bytes());
        for (kind, data) in records {
            out.extend_from_slice(&[0xc0, 12]);
            out.extend_from_slice(&kind.to_be_bytes());
            out.extend_from_slice(&[0, 1, 0, 0, 0, 60]);
            out.extend_from_slice(&(data.len() as u16).to_be_bytes());
            out.extend_from_slice(data);
        }
        out
    }

    #[test]
    fn finds_the_addresses_behind_other_names() {
        let asked = question(7, b"db.example.", Kind::Four).unwrap();
        let message = reply(&asked, 0, &[(5, b"\x01x\x00"), (1, &[10, 0, 0, 1]), (1, &[1, 2, 3])]);
        let expected = Answer::Addresses(vec![Ipv4Addr::new(10, 0, 0, 1).into()]);
        assert_eq!(answer(&asked, &message, Kind::Four), Some(expected));
        let wide = question(7, b"db.example", Kind::Six).unwrap();
        let message = reply(&wide, 0, &[(28, &[0; 16])]);
        let expected = Answer::Addresses(vec![Ipv6Addr::UNSPECIFIED.into()]);
        assert_eq!(answer(&wide, &message, Kind::Six), Some(expected));
    }

    #[test]
    fn tells_refusals_apart() {
        let asked = question(7, b"nobody", Kind::Four).unwrap();
        assert_eq!(answer(&asked, &reply(&asked, NAME_ERROR, &[]), Kind::Four), Some(Answer::NoSuchName));
        assert_eq!(answer(&asked, &reply(&asked, 2, &[]), Kind::Four), Some(Answer::Failed));
        assert_eq!(answer(&asked, &reply(&asked, IS_CUT, &[]), Kind::Four), Some(Answer::Cut));
    }

    #[test]
    fn believes_only_answers_to_its_own_question() {
        let asked = question(7, b"one", Kind::Four).unwrap();
        for other in [question(8, b"one", Kind::Four), question(7, b"two", Kind::Four), question(7, b"one", Kind::Six)]
        {
            let message = reply(&other.unwrap(), 0, &[(1, &[6, 6, 6, 6])]);
            assert_eq!(answer(&asked, &message, Kind::Four), None);
        }
        assert_eq!(answer(&asked, &asked, Kind::Four), None);
    }

    #[test]
    fn refuses_what_cannot_be_a_name() {
        for name in [&b""[..], b".", b"a..b", &[b'x'; 64], &[b'x'; 300]] {
            assert_eq!(question(1, name, Kind::Four), None);
        }
    }
}
