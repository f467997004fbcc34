// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! An endless supply of broken traces, of two kinds: changed bytes of the file, which checksums should detect; and changed
//! records in frames that are compressed and checksummed again, which only the parser can detect.

use std::io::Cursor;
use std::path::Path;

use trace::{count, Reader};

use super::synthetic::{write, Random};

/// A trace's start and its decompressed frames.
struct Parts {
    start: Vec<u8>,
    frames: Vec<Vec<u8>>,
}

fn varint(bytes: &[u8], at: &mut usize) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes[*at];
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn take_apart(file: &[u8]) -> Parts {
    let mut at = 10;
    let mut frames = Vec::new();
    while at < file.len() {
        let raw = varint(file, &mut at) as usize;
        let size = varint(file, &mut at) as usize;
        frames.push(zstd::bulk::decompress(&file[at..at + size], raw).unwrap());
        at += size;
    }
    Parts { start: file[..10].to_vec(), frames }
}

fn put_together(parts: &Parts) -> Vec<u8> {
    let mut compressor = zstd::bulk::Compressor::new(1).unwrap();
    compressor.include_checksum(true).unwrap();
    let mut file = parts.start.clone();
    for frame in &parts.frames {
        let compressed = compressor.compress(frame).unwrap();
        put_varint(&mut file, frame.len() as u64);
        put_varint(&mut file, compressed.len() as u64);
        file.extend_from_slice(&compressed);
    }
    file
}

fn change(random: &mut Random, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len() as u64) as usize;
    match random.below(7) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.word() as u8,
        2 => bytes[at] = [0, 1, 2, 3, 4, 0x7f, 0x80, 0xff][random.below(8) as usize],
        3 => drop(bytes.remove(at)),
        4 => bytes.insert(at, random.word() as u8),
        5 => bytes.truncate(at),
        _ => {
            // A varint of random size in place of a byte.
            let mut large = Vec::new();
            put_varint(&mut large, random.word() >> random.below(64));
            bytes.splice(at..=at, large);
        }
    }
}

/// Mutates 64 random traces.
pub struct Fuzzer {
    pub random: Random,
    files: Vec<Vec<u8>>,
    /// How many inputs were read without an error in spite of the change; `refused` counts the others.
    pub accepted: u64,
    pub refused: u64,
}

impl Fuzzer {
    pub fn new(seed: u64, scratch: &Path) -> Fuzzer {
        let mut random = Random(seed);
        let file = |_| {
            let items = 1 + random.below(12);
            write(scratch, &mut random, items);
            std::fs::read(scratch).unwrap()
        };
        let files = (0..64).map(file).collect();
        Fuzzer { random, files, accepted: 0, refused: 0 }
    }

    fn input(&mut self) -> Vec<u8> {
        let mut file = self.files[self.random.below(64) as usize].clone();
        let changes = 1 + self.random.below(4);
        if self.random.below(4) == 0 {
            (0..changes).for_each(|_| change(&mut self.random, &mut file));
            return file;
        }
        let mut parts = take_apart(&file);
        for _ in 0..changes {
            let frame = self.random.below(parts.frames.len() as u64) as usize;
            match self.random.below(16) {
                0 => drop(parts.frames.remove(frame)),
                1 => parts.frames.insert(frame, parts.frames[frame].clone()),
                _ => change(&mut self.random, &mut parts.frames[frame]),
            }
            if parts.frames.is_empty() {
                break;
            }
        }
        put_together(&parts)
    }

    /// Reads one broken input in one of four ways. A panic or a hang is a bug.
    pub fn one(&mut self) {
        let input = self.input();
        let Ok(mut reader) = Reader::from_source("fuzzed", Cursor::new(input)) else {
            self.refused += 1;
            return;
        };
        let fine = match self.random.below(4) {
            0 => count(&mut reader).is_ok(),
            1 => reader.executions().is_ok(),
            2 => walk(&mut reader, 3000).is_ok(),
            _ => leap(&mut reader, &mut self.random).is_ok(),
        };
        self.accepted += u64::from(fine);
        self.refused += u64::from(!fine);
    }
}

fn walk(reader: &mut Reader, events: u64) -> Result<(), trace::Error> {
    for _ in 0..events {
        if reader.next()?.is_none() {
            assert!(reader.end().is_some());
            assert!(reader.next()?.is_none(), "the end is the end");
            break;
        }
    }
    Ok(())
}

fn leap(reader: &mut Reader, random: &mut Random) -> Result<(), trace::Error> {
    for _ in 0..1000 {
        let repetitions = reader.repetitions()?.to_vec();
        if !repetitions.is_empty() && random.below(2) == 0 {
            let r = repetitions[random.below(repetitions.len() as u64) as usize];
            reader.skip_in(&r, random.word() % (r.remaining + 1))?;
        } else if reader.next()?.is_none() {
            break;
        }
    }
    Ok(())
}
