// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A small writer, for tests and for traces that no program produced: examples for a predictor, a hand-written loop.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use arch::Arch;

use crate::error::Error;
use crate::event::{Access, Block, Counts, Leave};
use crate::format::*;

/// One element of a trace as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// The region of this number is entered.
    Enter(u8),
    /// The innermost region is left.
    Leave(Leave),
    /// An interrupt begins.
    Interrupt,
    /// The interrupt is over.
    InterruptOver,
    /// A block is executed.
    Block {
        /// The id that [`Writer::define_block`] returned.
        id: u32,
        /// Its accesses, in program order.
        accesses: Vec<Access>,
    },
    /// A sequence of items that is repeated.
    Repeat {
        /// The number of iterations.
        iterations: u64,
        /// 1 to 64 items with the addresses of the first iteration; up to 8 deep.
        body: Vec<Item>,
        /// The stride of each address of the body, in order: its advance from one iteration to the next.
        strides: Vec<i64>,
    },
}

#[derive(PartialEq, Eq, Hash, Clone)]
struct ShapeKey {
    block: u32, // 1 + id; 0 is a marker, whose kind and value are in `marker`
    marker: (u64, u64),
    accesses: Vec<(u16, u16, u8)>,
}

/// Writes a trace. Until [`Writer::finish`] renames it, the file's name ends in `.partial`.
pub struct Writer {
    path: PathBuf,
    partial: PathBuf,
    file: File,
    frame: Vec<u8>,
    frame_bytes: usize,
    shapes: HashMap<ShapeKey, usize>,
    last: Vec<Vec<u64>>,
    instructions: Vec<usize>,
    last_block_address: u64,
    counts: Counts,
}

impl Writer {
    /// Starts a trace with these header lines.
    pub fn create(path: impl AsRef<Path>, arch: Arch, header: &[(&str, &str)]) -> Result<Writer, Error> {
        let path = path.as_ref().to_owned();
        if std::fs::metadata(&path).is_ok_and(|there| !there.is_file()) {
            let source = std::io::Error::other("this is not a file that could be replaced");
            return Err(Error::Io { path, source });
        }
        let mut partial = path.clone().into_os_string();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let file = File::create(&partial).map_err(|source| Error::Io { path: partial.clone(), source })?;
        let mut writer = Writer {
            path,
            partial,
            file,
            frame: Vec::new(),
            frame_bytes: 1 << 20,
            shapes: HashMap::new(),
            last: Vec::new(),
            instructions: Vec::new(),
            last_block_address: 0,
            counts: Counts::default(),
        };
        let mut start = MAGIC.to_vec();
        put_varint(&mut start, VERSION);
        put_varint(&mut start, u64::from(arch.code()));
        writer.write(&start)?;
        writer.put_lines(header);
        writer.flush()?;
        Ok(writer)
    }

    /// Starts a new frame after this many bytes, 1 MiB if not set. Records are not split.
    pub fn set_frame_bytes(&mut self, bytes: usize) {
        self.frame_bytes = bytes;
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let written = self.file.write_all(bytes);
        written.map_err(|source| Error::Io { path: self.partial.clone(), source })
    }

    fn put_text(&mut self, text: &str) {
        put_varint(&mut self.frame, text.len() as u64);
        self.frame.extend_from_slice(text.as_bytes());
    }

    fn put_lines(&mut self, lines: &[(&str, &str)]) {
        put_varint(&mut self.frame, lines.len() as u64);
        for (key, value) in lines {
            self.put_text(key);
            self.put_text(value);
        }
    }

    fn flush(&mut self) -> Result<(), Error> {
        if self.frame.is_empty() {
            return Ok(());
        }
        let compressed =
            compress(&self.frame).map_err(|source| Error::Io { path: self.partial.clone(), source })?;
        let mut out = Vec::new();
        put_varint(&mut out, self.frame.len() as u64);
        put_varint(&mut out, compressed.len() as u64);
        out.extend_from_slice(&compressed);
        self.frame.clear();
        self.write(&out)
    }

    /// Defines a block; returns its id.
    pub fn define_block(&mut self, block: &Block) -> u32 {
        let uniform = block.sizes.iter().all(|&size| size == block.sizes[0]);
        put_varint(&mut self.frame, RECORD_BLOCK);
        put_varint(&mut self.frame, zigzag(block.address.wrapping_sub(self.last_block_address)));
        put_varint(&mut self.frame, block.sizes.len() as u64);
        put_varint(&mut self.frame, if uniform { u64::from(block.sizes[0]) } else { 0 });
        if !uniform {
            self.frame.extend_from_slice(&block.sizes);
        }
        self.frame.extend_from_slice(&block.bytes);
        self.last_block_address = block.address;
        self.instructions.push(block.sizes.len());
        self.instructions.len() as u32 - 1
    }

    fn shape_key(item: &Item) -> ShapeKey {
        match item {
            Item::Enter(region) => {
                ShapeKey { block: 0, marker: (MARKER_ENTER, u64::from(*region)), accesses: Vec::new() }
            }
            Item::Leave(how) => {
                ShapeKey { block: 0, marker: (MARKER_LEAVE, *how as u64), accesses: Vec::new() }
            }
            Item::Interrupt => ShapeKey { block: 0, marker: (MARKER_INTERRUPT, 0), accesses: Vec::new() },
            Item::InterruptOver => {
                ShapeKey { block: 0, marker: (MARKER_INTERRUPT_OVER, 0), accesses: Vec::new() }
            }
            Item::Block { id, accesses } => {
                let accesses = accesses.iter().map(|a| (a.instruction, a.bytes, flags(a))).collect();
                ShapeKey { block: id + 1, marker: (0, 0), accesses }
            }
            Item::Repeat { .. } => unreachable!("a repetition has no shape of its own"),
        }
    }

    fn define_shapes(&mut self, item: &Item) {
        if let Item::Repeat { body, .. } = item {
            body.iter().for_each(|item| self.define_shapes(item));
            return;
        }
        let key = Writer::shape_key(item);
        if self.shapes.contains_key(&key) {
            return;
        }
        put_varint(&mut self.frame, RECORD_SHAPE);
        put_varint(&mut self.frame, u64::from(key.block));
        if key.block == 0 {
            put_varint(&mut self.frame, key.marker.0);
            put_varint(&mut self.frame, key.marker.1);
        }
        put_varint(&mut self.frame, key.accesses.len() as u64);
        let mut before = 0u16;
        for &(instruction, bytes, flags) in &key.accesses {
            put_varint(&mut self.frame, zigzag(u64::from(instruction).wrapping_sub(u64::from(before))));
            before = instruction;
            put_varint(&mut self.frame, u64::from(bytes));
            put_varint(&mut self.frame, u64::from(flags));
        }
        self.last.push(vec![0; key.accesses.len()]);
        self.shapes.insert(key, self.last.len() - 1);
    }

    /// Writes an item. Returns its counts and the number of its accesses, a loop's body counted once.
    fn put_item(&mut self, item: &Item) -> (Counts, usize) {
        let Item::Repeat { iterations, body, strides } = item else {
            return self.put_run(item);
        };
        put_varint(&mut self.frame, RECORD_LOOP);
        put_varint(&mut self.frame, *iterations);
        put_varint(&mut self.frame, body.len() as u64);
        let (mut counts, mut accesses) = (Counts::default(), 0);
        for item in body {
            let (part, n) = self.put_item(item);
            counts.add(&part, *iterations);
            accesses += n;
        }
        assert_eq!(strides.len(), accesses, "one stride for each access of the body");
        for &stride in strides {
            put_varint(&mut self.frame, zigzag(stride as u64));
        }
        (counts, accesses)
    }

    fn put_run(&mut self, item: &Item) -> (Counts, usize) {
        let shape = self.shapes[&Writer::shape_key(item)];
        put_varint(&mut self.frame, RECORD_FIRST_SHAPE + shape as u64);
        let mut counts = Counts::default();
        let Item::Block { id, accesses } = item else { return (counts, 0) };
        counts.instructions = self.instructions[*id as usize] as u64;
        counts.blocks = 1;
        for (access, last) in accesses.iter().zip(&mut self.last[shape]) {
            put_varint(&mut self.frame, zigzag(access.address.wrapping_sub(*last)));
            *last = access.address;
            counts.count(access);
        }
        (counts, accesses.len())
    }

    /// Appends an item.
    ///
    /// # Panics
    /// On a block that was not defined, and on a repetition without one stride for each address.
    pub fn put(&mut self, item: &Item) -> Result<(), Error> {
        self.define_shapes(item);
        let (counts, _) = self.put_item(item);
        self.counts.add(&counts, 1);
        if self.frame.len() >= self.frame_bytes {
            self.flush()?;
        }
        Ok(())
    }

    /// Ends the trace and gives the file its name. `reason` as in [`crate::End`].
    pub fn finish(mut self, reason: &str) -> Result<(), Error> {
        let counts = self.counts;
        put_varint(&mut self.frame, RECORD_END);
        self.put_lines(&[
            ("end", reason),
            ("instructions", &counts.instructions.to_string()),
            ("loads", &counts.loads.to_string()),
            ("stores", &counts.stores.to_string()),
            ("unknown_addresses", &counts.unknown_addresses.to_string()),
        ]);
        self.flush()?;
        std::fs::rename(&self.partial, &self.path)
            .map_err(|source| Error::Io { path: self.path.clone(), source })
    }
}

fn flags(access: &Access) -> u8 {
    let mut flags = 0;
    if access.store {
        flags |= FLAG_STORE;
    }
    if access.cache_operation {
        flags |= FLAG_CACHE_OPERATION;
    }
    if !access.known {
        flags |= FLAG_UNKNOWN;
    }
    flags
}

pub(crate) fn compress(frame: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut compressor = zstd::bulk::Compressor::new(3)?;
    compressor.include_checksum(true)?;
    compressor.compress(frame)
}
