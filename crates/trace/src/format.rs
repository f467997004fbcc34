// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Constants and integers of the file format; `docs/trace-format.md` is its description.

use crate::error::Problem;

/// First bytes of every trace. The first is not ASCII; a transfer in text mode changes the last.
pub(crate) const MAGIC: [u8; 8] = *b"\x89ASSAYT\n";
/// The version that this crate writes and the newest that it reads. Version 2 adds interrupts and task switches, which the
/// tracer writes for whole machines only; version 4 adds nested regions, which it writes for programs with several regions.
/// Its other traces of programs have version 1. Versions are powers of two, so that no flipped bit makes one into another.
pub(crate) const VERSION: u64 = 4;

pub(crate) const RECORD_END: u64 = 0;
pub(crate) const RECORD_BLOCK: u64 = 1;
pub(crate) const RECORD_SHAPE: u64 = 2;
pub(crate) const RECORD_LOOP: u64 = 3;
pub(crate) const RECORD_FIRST_SHAPE: u64 = 4;

pub(crate) const MARKER_ENTER: u64 = 1;
pub(crate) const MARKER_LEAVE: u64 = 2;
pub(crate) const MARKER_INTERRUPT: u64 = 3;
pub(crate) const MARKER_INTERRUPT_OVER: u64 = 4;

pub(crate) const FLAG_STORE: u8 = 1;
pub(crate) const FLAG_CACHE_OPERATION: u8 = 2;
pub(crate) const FLAG_UNKNOWN: u8 = 4;

/// Limits that bound a reader's memory whatever the file contains; writers respect them.
pub(crate) mod limit {
    pub const FRAME_BYTES: u64 = 4 << 20;
    pub const TEXT_BYTES: u64 = 1 << 16;
    pub const HEADER_LINES: u64 = 1 << 10;
    pub const INSTRUCTIONS_PER_BLOCK: u64 = 1 << 16;
    pub const ACCESSES_PER_BLOCK: u64 = 1 << 15;
    pub const BLOCKS: usize = 1 << 22;
    pub const SHAPES: usize = 1 << 22;
    pub const CODE_BYTES: usize = 1 << 29;
    pub const SHAPE_ACCESSES: usize = 1 << 25;
    pub const LOOP_PERIOD: u64 = 64;
    pub const LOOP_DEPTH: usize = 8;
    pub const LOOP_PARTS: usize = 1 << 16;
    pub const EVENTS: u64 = 1 << 60;
}

pub(crate) fn zigzag(value: u64) -> u64 {
    (value << 1) ^ ((value as i64 >> 63) as u64)
}

pub(crate) fn unzigzag(value: u64) -> u64 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}

pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Decodes the varint at the start of `bytes`; returns it with the rest of `bytes`. Most varints have one or two bytes.
#[inline(always)]
pub(crate) fn varint(bytes: &[u8]) -> Result<(u64, &[u8]), Problem> {
    match *bytes {
        [byte, _, ..] if byte < 0x80 => Ok((u64::from(byte), &bytes[1..])),
        [low, high, ref rest @ ..] if high < 0x80 => Ok((u64::from(low & 0x7f) | u64::from(high) << 7, rest)),
        _ => long_varint(bytes),
    }
}

fn long_varint(bytes: &[u8]) -> Result<(u64, &[u8]), Problem> {
    let mut value = 0u64;
    for (i, &byte) in bytes.iter().enumerate().take(10) {
        if i == 9 && byte > 1 {
            return Err("a number of more than 64 bits".into());
        }
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Ok((value, &bytes[i + 1..]));
        }
    }
    Err("a number is cut off".into())
}

/// The records of one frame, read from the front.
#[derive(Default)]
pub(crate) struct Bytes {
    pub buffer: Vec<u8>,
    pub at: usize,
}

impl Bytes {
    pub fn is_empty(&self) -> bool {
        self.at >= self.buffer.len()
    }

    #[inline(always)]
    pub fn rest(&self) -> &[u8] {
        self.buffer.get(self.at..).unwrap_or_default()
    }

    #[inline(always)]
    pub fn varint(&mut self) -> Result<u64, Problem> {
        let (value, rest) = varint(self.rest())?;
        self.at = self.buffer.len() - rest.len();
        Ok(value)
    }

    /// A number of at most `max`.
    pub fn bounded(&mut self, max: u64, what: &str) -> Result<u64, Problem> {
        let value = self.varint()?;
        if value > max {
            return Err(format!("{what} is {value}, above {max}").into());
        }
        Ok(value)
    }

    #[inline(always)]
    pub fn signed(&mut self) -> Result<u64, Problem> {
        Ok(unzigzag(self.varint()?))
    }

    pub fn take(&mut self, count: usize) -> Result<&[u8], Problem> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.buffer.len());
        let end = end.ok_or("a record is cut off")?;
        let taken = &self.buffer[self.at..end];
        self.at = end;
        Ok(taken)
    }

    pub fn text(&mut self) -> Result<String, Problem> {
        let length = self.bounded(limit::TEXT_BYTES, "a text's length")? as usize;
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    /// Key and value lines, as in the header and at the end.
    pub fn lines(&mut self) -> Result<Vec<(String, String)>, Problem> {
        let count = self.bounded(limit::HEADER_LINES, "the number of header lines")?;
        (0..count).map(|_| Ok((self.text()?, self.text()?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip() {
        for value in [0, 1, 127, 128, 300, u64::MAX >> 1, u64::MAX, 1 << 63] {
            let mut bytes = Bytes::default();
            put_varint(&mut bytes.buffer, value);
            put_varint(&mut bytes.buffer, zigzag(value));
            assert_eq!(bytes.varint().unwrap(), value);
            assert_eq!(bytes.signed().unwrap(), value);
            assert!(bytes.is_empty());
            assert!(bytes.varint().is_err());
        }
    }

    #[test]
    fn a_number_of_eleven_bytes_is_refused() {
        let mut bytes = Bytes { buffer: vec![0xff; 11], at: 0 };
        assert!(bytes.varint().is_err());
    }
}
