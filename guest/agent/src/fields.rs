//! Reading and writing the fields of a payload; every length is checked before it is used.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A payload that does not hold what its type promises.
#[derive(Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

/// Reads fields from the front of a payload.
pub struct Reader<'a> {
    left: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(payload: &'a [u8]) -> Self {
        Reader { left: payload }
    }

    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        if count > self.left.len() {
            return Err(Malformed("a field reaches beyond its payload"));
        }
        let (field, rest) = self.left.split_at(count);
        self.left = rest;
        Ok(field)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    pub fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(self.array::<1>()?[0])
    }

    pub fn u16(&mut self) -> Result<u16, Malformed> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_be_bytes(self.array()?))
    }

    /// A string with a length of two bytes and at most `cap` bytes. It must not hold a zero byte,
    /// because all of them end up in system calls.
    pub fn string(&mut self, cap: usize) -> Result<Vec<u8>, Malformed> {
        let length = self.u16()? as usize;
        self.text(length, cap)
    }

    /// As `string`, with a length of four bytes.
    pub fn long_string(&mut self, cap: usize) -> Result<Vec<u8>, Malformed> {
        let length = self.u32()? as usize;
        self.text(length, cap)
    }

    fn text(&mut self, length: usize, cap: usize) -> Result<Vec<u8>, Malformed> {
        if length > cap {
            return Err(Malformed("a string is longer than its limit"));
        }
        let field = self.bytes(length)?;
        if field.contains(&0) {
            return Err(Malformed("a string holds a zero byte"));
        }
        Ok(field.to_vec())
    }

    /// An internet address: 4 or 6, then sixteen bytes of which version 4 uses the first four.
    pub fn address(&mut self) -> Result<IpAddr, Malformed> {
        let version = self.u8()?;
        let bytes: [u8; 16] = self.array()?;
        match version {
            4 => Ok(Ipv4Addr::new(bytes[0], bytes[1], bytes[2], bytes[3]).into()),
            6 => Ok(Ipv6Addr::from(bytes).into()),
            _ => Err(Malformed("an address is neither of version 4 nor of 6")),
        }
    }

    /// Everything that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.left)
    }

    pub fn end(&self) -> Result<(), Malformed> {
        if self.left.is_empty() {
            Ok(())
        } else {
            Err(Malformed("a payload goes on after its last field"))
        }
    }
}

/// Appends a string with a length of two bytes, cut to `cap` bytes.
pub fn put_string(out: &mut Vec<u8>, text: &[u8], cap: usize) {
    let kept = &text[..text.len().min(cap).min(u16::MAX as usize)];
    out.extend_from_slice(&(kept.len() as u16).to_be_bytes());
    out.extend_from_slice(kept);
}

/// Appends an internet address as `Reader::address` reads it.
pub fn put_address(out: &mut Vec<u8>, address: &IpAddr) {
    let mut bytes = [0; 16];
    match address {
        IpAddr::V4(four) => bytes[..4].copy_from_slice(&four.octets()),
        IpAddr::V6(six) => bytes = six.octets(),
    }
    out.push(if address.is_ipv4() { 4 } else { 6 });
    out.extend_from_slice(&bytes);
}
