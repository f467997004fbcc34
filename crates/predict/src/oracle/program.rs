// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Programs from a seed: encodings drawn at random and decoded, blocks of them, walks through these, addresses.

use crate::cpu::Cpu;
use crate::description::Description;
use crate::register_kinds::RegisterKinds;
use crate::source::Access;
use crate::source::{Chunk, Item, Source, SourceError};
use arch::Arch;
use decode::{Decoder, Flow, Instruction};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Numbers from a seed (Steele, Lea and Flood, SplitMix64, OOPSLA 2014).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u64) as usize]
    }
}

/// The instructions of a cpu, for programs to draw from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Compute,
    Load,
    Store,
    Branch,
}

/// Instructions of a cpu, by sort and then by mnemonic, so that common encodings do not crowd out rare ones.
pub(super) struct Pool {
    pub(super) arch: Arch,
    kinds: Arc<RegisterKinds>,
    sorts: BTreeMap<Sort, Vec<Vec<Instruction>>>,
    /// Percent of accesses that are to one place.
    one_place: u64,
}

/// Encodings tried, and kept of one mnemonic.
const TRIED: usize = 60_000;
const KEPT: usize = 24;

impl Pool {
    pub(super) fn new(cpu: &Cpu, description: &Description) -> Pool {
        Pool::drawn(cpu, description, encoding)
    }

    /// What `draw` gives for that architecture.
    pub(super) fn drawn(
        cpu: &Cpu,
        description: &Description,
        draw: fn(Arch, &mut Random) -> [u8; 16],
    ) -> Pool {
        let arch = match cpu.words("arch").first().map(String::as_str) {
            Some("powerpc64" | "powerpc64le") => Arch::Powerpc64le,
            Some(name) => name.parse().unwrap(),
            None => unreachable!("{} runs something", cpu.name),
        };
        let mut decoder = Decoder::new(arch).unwrap();
        let mut random = Random::new(1);
        let mut found: BTreeMap<(Sort, String, u16), Vec<Instruction>> = BTreeMap::new();
        for _ in 0..TRIED {
            let bytes = draw(arch, &mut random);
            let Ok(instruction) = decoder.decode(&bytes, 0x1000) else { continue };
            let sort = match instruction.flow {
                Flow::System => continue,
                Flow::Next if instruction.store => Sort::Store,
                Flow::Next if instruction.load => Sort::Load,
                Flow::Next => Sort::Compute,
                _ => Sort::Branch,
            };
            if description.lacks(&instruction.mnemonic) {
                continue;
            }
            let of_one =
                found.entry((sort, instruction.mnemonic.clone(), instruction.access_bytes)).or_default();
            if of_one.len() < KEPT {
                of_one.push(instruction);
            }
        }
        let mut sorts: BTreeMap<Sort, Vec<Vec<Instruction>>> = BTreeMap::new();
        for ((sort, ..), instructions) in found {
            sorts.entry(sort).or_default().push(instructions);
        }
        Pool { arch, kinds: Arc::new(RegisterKinds::new(&decoder)), sorts, one_place: 0 }
    }

    /// The same, so that the programs make so many percent of their accesses to one place.
    pub(super) fn at_one_place(self, percent: u64) -> Pool {
        Pool { one_place: percent, ..self }
    }

    pub(super) fn kinds(&self) -> &RegisterKinds {
        &self.kinds
    }

    /// How many mnemonics it has.
    pub(super) fn mnemonics(&self) -> usize {
        self.sorts.values().map(Vec::len).sum()
    }
}

/// Bytes that may be an instruction; registers are few, so that results are used.
fn encoding(arch: Arch, random: &mut Random) -> [u8; 16] {
    let mut bytes = [0; 16];
    match arch {
        Arch::X86_64 => {
            let mut at = 0;
            let mut put = |byte: u8| {
                bytes[at] = byte;
                at += 1;
            };
            if random.chance(15) {
                put(*random.of(&[0x66, 0xf2, 0xf3]));
            }
            if random.chance(12) {
                for byte in [0xc4, 0xe0 | random.below(4) as u8, 0x70 | random.below(16) as u8 & 0x87] {
                    put(byte);
                }
            } else {
                if random.chance(60) {
                    put(0x48 | *random.of(&[0, 1, 4, 5]));
                }
                if random.chance(40) {
                    put(0x0f);
                }
            }
            put(random.below(256) as u8);
            // Registers, or memory by one register without and with a displacement.
            let mode = *random.of(&[0xc0, 0xc0, 0x00, 0x40]);
            put(mode | random.below(64) as u8 & 0x3f);
            put(random.below(64) as u8);
            put(random.below(4) as u8);
        }
        Arch::Loongarch64 => {
            let registers = (random.below(8) + 4) << 10 | (random.below(8) + 4) << 5 | (random.below(8) + 4);
            let word = random.next() as u32 & 0xffff_8000 | registers as u32;
            bytes[..4].copy_from_slice(&word.to_le_bytes());
        }
        _ => {
            let mut register = || (random.below(8) + 3) as u32;
            let mut registers = register() << 21 | register() << 16 | register() << 11;
            let mut low = random.below(2048) as u32;
            // Half of all encodings are of opcode 31, and much of opcode 63, 60, 4 and 19.
            let primary = match random.below(4) {
                0 | 1 => *random.of(&[31, 31, 31, 31, 4, 19, 59, 60, 63, 58, 62, 30]),
                _ => random.below(64) as u32,
            };
            if primary == 19 && random.chance(50) {
                low = *random.of(&[32, 33, 1056, 1057]);
            }
            if matches!(primary, 16 | 19) {
                // A bit of the first condition fields, which record forms and comparisons write.
                registers = registers & !(31 << 16) | (random.below(6) as u32) << 16;
            }
            let word = primary << 26 | registers | low;
            let bytes_of = if arch == Arch::Powerpc64le { word.to_le_bytes() } else { word.to_be_bytes() };
            bytes[..4].copy_from_slice(&bytes_of);
        }
    }
    bytes
}

/// Bytes of one of x86's instructions that rename may execute or pass on, or that cannot take what rename did as it is.
pub(super) fn renamed(_: Arch, random: &mut Random) -> [u8; 16] {
    let mut bytes = [0; 16];
    // inc, add of a constant, two moves, a shift, a swap; a store, a load and a movbe of what rdi points to; a branch.
    let encodings: [&[u8]; 10] = [
        &[0x48, 0xff, 0xc0],
        &[0x48, 0x83, 0xc0, 0x05],
        &[0x48, 0x89, 0xc0],
        &[0x89, 0xc0],
        &[0x48, 0xd1, 0xe0],
        &[0x48, 0x0f, 0xc8],
        &[0x48, 0x89, 0x07],
        &[0x48, 0x8b, 0x07],
        &[0x48, 0x0f, 0x38, 0xf0, 0x07],
        &[0x75, 0x00],
    ];
    let chosen = *random.of(&encodings);
    bytes[..chosen.len()].copy_from_slice(chosen);
    // rax to rbx, in either place.
    let (one, other) = (random.below(4) as u8, random.below(4) as u8);
    match chosen {
        [.., 0x89, 0xc0] => bytes[chosen.len() - 1] |= one << 3 | other,
        [.., 0x07] => bytes[chosen.len() - 1] |= one << 3,
        [.., 0x83, 0xc0, _] => bytes[2] |= one,
        [0x75, ..] => {}
        _ => bytes[2] |= one,
    }
    bytes
}

/// Bytes of one of x86's instructions that pass a value on through memory, in part, and compute with it or not.
pub(super) fn passed(_: Arch, random: &mut Random) -> [u8; 16] {
    let mut bytes = [0; 16];
    // stores of 8 and 1 bytes to what rdi points to, loads of 8, 4 and 1; inc, a shift, a product; a branch.
    let encodings: [&[u8]; 9] = [
        &[0x48, 0x89, 0x07],
        &[0x88, 0x07],
        &[0x48, 0x8b, 0x07],
        &[0x8b, 0x07],
        &[0x0f, 0xb6, 0x07],
        &[0x48, 0xff, 0xc0],
        &[0x48, 0xd1, 0xe0],
        &[0x48, 0x0f, 0xaf, 0xc0],
        &[0x75, 0x00],
    ];
    let chosen = *random.of(&encodings);
    bytes[..chosen.len()].copy_from_slice(chosen);
    bytes
}

/// One execution of a block.
#[derive(Clone)]
pub(super) struct Visit {
    pub(super) block: usize,
    pub(super) accesses: Vec<Access>,
    pub(super) next: u64,
}

/// A loop that the trace folds: the last visits once more and again, each access a step further on.
pub(super) struct Again {
    after: usize,
    visits: usize,
    times: u64,
    steps: Vec<i64>,
}

pub(super) struct Program {
    arch: Arch,
    kinds: Arc<RegisterKinds>,
    pub(super) blocks: Vec<Vec<Instruction>>,
    visits: Vec<Visit>,
    again: Vec<Again>,
}

/// How a program is mixed: percent of each.
struct Mix {
    loads: u64,
    stores: u64,
    branches: u64,
    few: u64,
    cold: u64,
    aligned: u64,
    one_place: u64,
}

impl Program {
    pub(super) fn new(pool: &Pool, seed: u64, instructions: usize) -> Program {
        let mut random = Random::new(seed);
        let random = &mut random;
        let memory = *random.of(&[10, 30, 60]);
        let mix = Mix {
            loads: memory / 2 + random.below(memory / 2),
            stores: random.below(memory / 2 + 5),
            branches: *random.of(&[0, 5, 20, 60]),
            few: *random.of(&[0, 50, 95]),
            cold: *random.of(&[0, 0, 1, 10, 40]),
            aligned: *random.of(&[100, 80, 20]),
            one_place: pool.one_place,
        };
        let mut program = Program {
            arch: pool.arch,
            kinds: pool.kinds.clone(),
            blocks: blocks(pool, random, &mix),
            visits: Vec::new(),
            again: Vec::new(),
        };
        program.walk(random, &mix, instructions);
        program
    }

    /// A loop of one block, `instructions` in all: each access advances by its step, within few lines.
    pub(super) fn one_loop(pool: &Pool, seed: u64, instructions: usize) -> Program {
        let random = &mut Random::new(seed);
        let mix = Mix { loads: 20, stores: 10, branches: 0, few: 50, cold: 0, aligned: 100, one_place: 0 };
        let mut blocks = blocks(pool, random, &mix);
        blocks.truncate(1);
        let accesses = accesses(&blocks[0], random, &mix);
        let times = (instructions / blocks[0].len()) as u64;
        let steps = accesses.iter().map(|_| *random.of(&[0, 8])).collect();
        let next = blocks[0][0].address;
        Program {
            arch: pool.arch,
            kinds: pool.kinds.clone(),
            blocks,
            visits: vec![Visit { block: 0, accesses, next }],
            again: vec![Again { after: 1, visits: 1, times, steps }],
        }
    }

    fn walk(&mut self, random: &mut Random, mix: &Mix, instructions: usize) {
        let starts: Vec<u64> = self.blocks.iter().map(|block| block[0].address).collect();
        // How often each block's branch is taken, and the targets of those whose encoding does not give one.
        let habits: Vec<(u64, usize)> = starts
            .iter()
            .map(|_| (*random.of(&[0, 3, 50, 97, 100]), random.below(starts.len() as u64) as usize))
            .collect();
        let (mut block, mut executed) = (0, 0);
        while executed < instructions {
            let accesses = accesses(&self.blocks[block], random, mix);
            let last = self.blocks[block].last().unwrap();
            let beyond = last.address + u64::from(last.length);
            let any =
                if random.chance(90) { habits[block].1 } else { random.below(starts.len() as u64) as usize };
            let taken = random.chance(habits[block].0);
            let next = match last.flow {
                _ if last.conditional && !taken => beyond,
                Flow::Branch { target } | Flow::Call { target: Some(target) } => target,
                Flow::Next | Flow::System => beyond,
                _ => starts[any],
            };
            // After the last block, and after gaps, the walk begins anew, as after an interrupt.
            let following = starts.iter().position(|&start| start == next);
            let next = if following.is_some() { next } else { starts[0] };
            executed += self.blocks[block].len();
            self.visits.push(Visit { block, accesses, next });
            block = following.unwrap_or(0);
            if random.chance(3) {
                executed += self.repeat(random);
            }
        }
    }

    /// Lets the last visits be executed again; how many instructions that is.
    fn repeat(&mut self, random: &mut Random) -> usize {
        let visits = (1 + random.below(3) as usize).min(self.visits.len());
        let from = self.visits.len() - visits;
        if self.again.last().is_some_and(|again| again.after > from) {
            return 0;
        }
        let body = &self.visits[from..];
        let steps = body.iter().flat_map(|visit| &visit.accesses);
        let steps = steps.map(|_| *random.of(&[0, 0, 1, 8, 8, -8, 64, 24, -4])).collect();
        let times = 1 + random.below(24);
        let once: usize = body.iter().map(|visit| self.blocks[visit.block].len()).sum();
        self.again.push(Again { after: self.visits.len(), visits, times, steps });
        once * times as usize
    }

    /// All that is executed, every turn of every loop.
    pub(super) fn unfolded(&self) -> Vec<Visit> {
        let mut all = Vec::new();
        let mut again = self.again.iter().peekable();
        for (index, visit) in self.visits.iter().enumerate() {
            all.push(visit.clone());
            while let Some(again) = again.next_if(|again| again.after == index + 1) {
                for turn in 1..=again.times as i64 {
                    let mut steps = again.steps.iter();
                    for visit in &self.visits[again.after - again.visits..again.after] {
                        let mut visit = visit.clone();
                        for access in &mut visit.accesses {
                            let moved = steps.next().unwrap() * turn;
                            access.address = access.address.wrapping_add_signed(moved);
                        }
                        all.push(visit);
                    }
                }
            }
        }
        all
    }

    pub(super) fn source(&self) -> FoldedSource<'_> {
        FoldedSource { program: self, read: false }
    }
}

fn blocks(pool: &Pool, random: &mut Random, mix: &Mix) -> Vec<Vec<Instruction>> {
    // A program has few mnemonics, or any.
    let some = 1 + random.below(6) as usize;
    let mut favourites: BTreeMap<Sort, Vec<&Vec<Instruction>>> = BTreeMap::new();
    for (&sort, mnemonics) in &pool.sorts {
        favourites.insert(sort, (0..some).map(|_| random.of(mnemonics)).collect());
    }
    let mut address = 0x1000_0000 + 4 * random.below(64);
    let mut blocks = Vec::new();
    for _ in 0..1 + random.below(9) {
        let longest = *random.of(&[2, 4, 20, 20]);
        let mut block: Vec<Instruction> = Vec::new();
        for _ in 0..1 + random.below(longest) {
            let roll = random.below(100);
            let sort = match roll {
                _ if roll < mix.loads => Sort::Load,
                _ if roll < mix.loads + mix.stores => Sort::Store,
                _ if roll + mix.branches >= 100 => Sort::Branch,
                _ => Sort::Compute,
            };
            let mnemonics = if random.chance(mix.few) {
                *random.of(&favourites[&sort])
            } else {
                random.of(&pool.sorts[&sort])
            };
            let instruction = Instruction { address, ..random.of(mnemonics).clone() };
            address += u64::from(instruction.length);
            block.push(instruction);
            if sort == Sort::Branch {
                break;
            }
        }
        blocks.push(block);
        if random.chance(20) {
            address = (address + 4 * random.below(300)).next_multiple_of(*random.of(&[4, 16, 64]));
        }
    }
    let starts: Vec<u64> = blocks.iter().map(|block| block[0].address).collect();
    for block in &mut blocks {
        let last = block.last_mut().unwrap();
        let to = *random.of(&starts);
        match &mut last.flow {
            Flow::Branch { target } | Flow::Call { target: Some(target) } => *target = to,
            _ => {}
        }
    }
    blocks
}

/// Addresses of one execution of a block: mostly in a few lines that stores go to as well, at times 64 KB on, at a page's end
/// or anywhere.
fn accesses(block: &[Instruction], random: &mut Random, mix: &Mix) -> Vec<Access> {
    let mut accesses = Vec::new();
    let mut stored = None;
    for (index, instruction) in block.iter().enumerate() {
        let wanted = [(instruction.load, false), (instruction.store, true)];
        let bytes = instruction.access_bytes.max(1);
        let mut of_both = None;
        for (_, store) in wanted.into_iter().filter(|(applies, _)| *applies) {
            let aligned = if random.chance(mix.aligned) { u64::from(bytes).next_power_of_two() } else { 1 };
            let address = match random.below(100) {
                roll if roll < mix.cold => 0x4000_0000 + random.below(8 << 20),
                roll if roll < mix.cold + 4 => 0x2000_0ff0 + random.below(32),
                roll if roll < mix.cold + 8 => 0x2001_0000 + random.below(96),
                _ => 0x2000_0000 + random.below(96),
            };
            // What was just stored is loaded again, now and then.
            let again = stored.filter(|&(_, size)| size == bytes && !store && random.chance(25));
            let address = again.map_or(address / aligned * aligned, |(address, _)| address);
            let one_place = mix.one_place > 0 && random.chance(mix.one_place);
            let address = if one_place { 0x2000_0000 } else { address };
            let address = *of_both.get_or_insert(address);
            if store {
                stored = Some((address, bytes));
            }
            let known = !random.chance(1);
            accesses.push(Access { instruction: index as u16, bytes, store, known, address });
        }
    }
    accesses
}

/// A program as a trace file tells it: loops folded.
pub(super) struct FoldedSource<'a> {
    program: &'a Program,
    read: bool,
}

impl Source for FoldedSource<'_> {
    fn arch(&self) -> Arch {
        self.program.arch
    }

    fn kinds(&self) -> Arc<RegisterKinds> {
        self.program.kinds.clone()
    }

    fn mark(&self) -> Option<u64> {
        None
    }

    fn read(&mut self, chunk: &mut Chunk) -> Result<bool, SourceError> {
        if std::mem::replace(&mut self.read, true) {
            return Ok(false);
        }
        chunk.new_blocks = self.program.blocks.clone();
        let mut again = self.program.again.iter().peekable();
        for (index, visit) in self.program.visits.iter().enumerate() {
            let first = chunk.accesses.len() as u32;
            chunk.accesses.extend(&visit.accesses);
            let accesses = first..chunk.accesses.len() as u32;
            chunk.items.push(Item::Block { block: visit.block as u32, accesses, next: visit.next });
            while let Some(again) = again.next_if(|again| again.after == index + 1) {
                let first = chunk.steps.len() as u32;
                chunk.steps.extend(&again.steps);
                let steps = first..chunk.steps.len() as u32;
                chunk.items.push(Item::Repeat { items: again.visits as u32, times: again.times, steps });
            }
        }
        Ok(true)
    }
}
