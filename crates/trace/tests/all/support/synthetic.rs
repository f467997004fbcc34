// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Random traces, and the events that they stand for, one by one. Shared by the tests and the fuzzer.
#![allow(dead_code)] // each user needs a part

use std::path::Path;

use arch::Arch;
use trace::{Access, Block, Event, Item, Leave, Reader, Writer};

/// xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled" (2016).
pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        (self.word() >> 33) % limit
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owned {
    Enter(u8),
    Leave(Leave),
    Interrupt,
    InterruptOver,
    Block(u32, Vec<Access>),
}

impl From<Event<'_>> for Owned {
    fn from(event: Event<'_>) -> Owned {
        match event {
            Event::EnterRegion { region } => Owned::Enter(region),
            Event::LeaveRegion { how } => Owned::Leave(how),
            Event::Interrupt => Owned::Interrupt,
            Event::InterruptOver => Owned::InterruptOver,
            Event::Block { id, accesses } => Owned::Block(id, accesses.to_vec()),
        }
    }
}

/// Some blocks of 1 to 6 instructions.
pub fn blocks(random: &mut Random) -> Vec<Block> {
    (0..1 + random.below(6))
        .map(|i| {
            let count = 1 + random.below(6) as usize;
            let sizes: Vec<u8> = if random.below(2) == 0 {
                vec![4; count]
            } else {
                (0..count).map(|_| 2 + 2 * random.below(2) as u8).collect()
            };
            let length = sizes.iter().map(|&s| usize::from(s)).sum();
            let bytes = (0..length).map(|_| random.word() as u8).collect();
            Block { address: 0x1000_0000 + 64 * i, bytes, sizes }
        })
        .collect()
}

fn run(random: &mut Random, blocks: &[Block]) -> Item {
    match random.below(16) {
        0 => return Item::Enter(random.below(3) as u8),
        1 => return Item::Leave(Leave::Return),
        2 => return Item::Leave(Leave::Switched),
        3 => return Item::Interrupt,
        4 => return Item::InterruptOver,
        _ => {}
    }
    let id = random.below(blocks.len() as u64) as u32;
    let count = blocks[id as usize].instructions() as u64;
    let mut accesses: Vec<Access> = (0..random.below(4))
        .map(|_| Access {
            address: random.word() >> random.below(64),
            instruction: random.below(count) as u16,
            bytes: 1 << random.below(6),
            store: random.below(2) == 0,
            cache_operation: random.below(16) == 0,
            known: random.below(16) != 0,
        })
        .collect();
    accesses.sort_by_key(|a| a.instruction);
    Item::Block { id, accesses }
}

pub fn item(random: &mut Random, blocks: &[Block], depth: u32) -> Item {
    if depth == 4 || random.below(3) != 0 {
        return run(random, blocks);
    }
    let body: Vec<Item> = (0..1 + random.below(4)).map(|_| item(random, blocks, depth + 1)).collect();
    let count = body.iter().map(accesses_of).sum();
    let strides = (0..count).map(|_| random.word() as i64 >> random.below(64)).collect();
    Item::Repeat { iterations: 1 + random.below(5), body, strides }
}

fn accesses_of(item: &Item) -> usize {
    match item {
        Item::Block { accesses, .. } => accesses.len(),
        Item::Repeat { body, .. } => body.iter().map(accesses_of).sum(),
        _ => 0,
    }
}

/// Appends every event of an item; `offsets` holds what the enclosing loops add to each address.
pub fn expand(item: &Item, offsets: &[i64], out: &mut Vec<Owned>) {
    match item {
        Item::Enter(region) => out.push(Owned::Enter(*region)),
        Item::Leave(how) => out.push(Owned::Leave(*how)),
        Item::Interrupt => out.push(Owned::Interrupt),
        Item::InterruptOver => out.push(Owned::InterruptOver),
        Item::Block { id, accesses } => {
            let moved = accesses.iter().zip(offsets).map(|(access, &offset)| Access {
                address: access.address.wrapping_add_signed(offset),
                ..*access
            });
            out.push(Owned::Block(*id, moved.collect()));
        }
        Item::Repeat { iterations, body, strides } => {
            let mut offsets = offsets.to_vec();
            for _ in 0..*iterations {
                let mut first = 0;
                for item in body {
                    let count = accesses_of(item);
                    expand(item, &offsets[first..first + count], out);
                    first += count;
                }
                offsets.iter_mut().zip(strides).for_each(|(offset, s)| *offset = offset.wrapping_add(*s));
            }
        }
    }
}

pub fn expand_all(items: &[Item]) -> Vec<Owned> {
    let mut out = Vec::new();
    for item in items {
        expand(item, &vec![0; accesses_of(item)], &mut out);
    }
    out
}

/// Writes a random trace; returns its items.
pub fn write(path: &Path, random: &mut Random, items: u64) -> Vec<Item> {
    let mut writer = Writer::create(path, Arch::Powerpc64le, &[("program", "synthetic")]).unwrap();
    writer.set_frame_bytes(1 + random.below(300) as usize);
    let blocks = blocks(random);
    for block in &blocks {
        writer.define_block(block);
    }
    let items: Vec<Item> = (0..items).map(|_| item(random, &blocks, 0)).collect();
    for item in &items {
        writer.put(item).unwrap();
    }
    writer.finish("exit").unwrap();
    items
}

/// All events of a trace.
pub fn read(path: &Path) -> Vec<Owned> {
    let mut reader = Reader::open(path).unwrap();
    let mut out = Vec::new();
    while let Some(event) = reader.next().unwrap() {
        out.push(event.into());
    }
    out
}
