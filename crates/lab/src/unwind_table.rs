// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Where functions begin and end by the table for unwinding (`.eh_frame`), which a stripped program still has. DWARF 4, 6.4.1,
//! and the Linux Standard Base, 10.6, tell its form.

use std::collections::BTreeMap;

/// Address and length of each function that has an entry. Entries that are not understood are left out.
pub fn functions(data: &[u8], section: u64, wide: bool, big_endian: bool) -> Vec<(u64, u64)> {
    let mut table = Table { data, section, wide, big_endian, at: 0 };
    let mut encodings: BTreeMap<usize, u8> = BTreeMap::new();
    let mut found = Vec::new();
    while let Some((entry, end)) = table.entry() {
        let id_at = table.at;
        let Some(id) = table.number(4, false) else { break };
        if id == 0 {
            encodings.extend(table.encoding().map(|encoding| (entry, encoding)));
        } else {
            // The distance back from here to the entry with what several functions share.
            let shared = id_at.checked_sub(id as usize).and_then(|at| encodings.get(&at));
            if let Some(range) = shared.copied().and_then(|encoding| table.range(encoding)) {
                found.push(range);
            }
        }
        table.at = end;
    }
    found.sort_unstable();
    found.dedup_by_key(|(start, _)| *start);
    found
}

struct Table<'a> {
    data: &'a [u8],
    section: u64,
    wide: bool,
    big_endian: bool,
    at: usize,
}

/// Pointer encodings: relative to where the pointer stands.
const RELATIVE: u8 = 0x10;

impl Table<'_> {
    /// Start and end of the next entry; `at` stands behind its length.
    fn entry(&mut self) -> Option<(usize, usize)> {
        let entry = self.at;
        let length = match self.number(4, false)? {
            0 => return None,
            0xffff_ffff => self.number(8, false)?,
            length => length,
        };
        let end = self.at.checked_add(usize::try_from(length).ok()?)?;
        (end <= self.data.len()).then_some((entry, end))
    }

    fn number(&mut self, bytes: usize, signed: bool) -> Option<u64> {
        let part = self.data.get(self.at..self.at.checked_add(bytes)?)?;
        self.at += bytes;
        let step = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        let value = if self.big_endian { part.iter().fold(0, step) } else { part.iter().rev().fold(0, step) };
        let unused = 64 - 8 * bytes as u32;
        Some(if signed { ((value << unused) as i64 >> unused) as u64 } else { value })
    }

    fn leb128(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.number(1, false)?;
            value |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// How the functions of this entry tell their addresses. `at` stands behind the entry's number.
    fn encoding(&mut self) -> Option<u8> {
        let version = self.number(1, false)?;
        let start = self.at;
        let length = self.data.get(start..)?.iter().position(|byte| *byte == 0)?;
        let letters = self.data[start..start + length].to_vec();
        self.at = start + length + 1;
        self.leb128()?; // alignment of code
        self.leb128()?; // alignment of data
        if version == 1 {
            self.number(1, false)?;
        } else {
            self.leb128()?;
        }
        let [b'z', letters @ ..] = &letters[..] else { return letters.is_empty().then_some(0) };
        self.leb128()?;
        for letter in letters {
            match letter {
                b'R' => return Some(self.number(1, false)? as u8),
                b'L' => drop(self.number(1, false)?),
                b'P' => {
                    let encoding = self.number(1, false)? as u8;
                    self.pointer(encoding)?;
                }
                b'S' | b'B' => {}
                _ => return None,
            }
        }
        Some(0)
    }

    fn pointer(&mut self, encoding: u8) -> Option<u64> {
        let place = self.section.wrapping_add(self.at as u64);
        let word = if self.wide { 8 } else { 4 };
        let value = match encoding & 0xf {
            0 => self.number(word, false)?,
            1 => self.leb128()?,
            2 | 0xa => self.number(2, encoding & 8 != 0)?,
            3 | 0xb => self.number(4, encoding & 8 != 0)?,
            4 | 0xc => self.number(8, false)?,
            _ => return None,
        };
        match encoding & 0x70 {
            0 => Some(value),
            RELATIVE => Some(place.wrapping_add(value)),
            _ => None,
        }
    }

    fn range(&mut self, encoding: u8) -> Option<(u64, u64)> {
        let start = self.pointer(encoding)?;
        let length = self.pointer(encoding & 0xf & !8)?;
        let start = if self.wide { start } else { start & 0xffff_ffff };
        (length > 0).then_some((start, length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_and_what_is_cut_off_is_left_out() {
        let shared = [0, 0, 0, 0, 1, b'z', b'R', 0, 1, 0x7c, 65, 1, 0x1b, 0, 0, 0];
        let mut table = [&16u32.to_le_bytes()[..], &shared].concat();
        table.extend(12u32.to_le_bytes());
        table.extend(24u32.to_le_bytes()); // back to the shared entry
        table.extend((-0x100i32).to_le_bytes());
        table.extend(0x40u32.to_le_bytes());
        let section = 0x1000;
        assert_eq!(functions(&table, section, true, false), [(0x1000 + 28 - 0x100, 0x40)]);
        for length in 0..table.len() {
            assert!(functions(&table[..length], section, true, false).is_empty(), "{length}");
        }
    }
}
