// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A recorded trace as a source.
//!
//! Blocks are decoded as they first appear. Of a loop with many iterations to come two are read; the rest becomes an
//! `Item::Repeat` with the steps between the two, and is skipped in the trace: addresses in a trace's loop are affine in
//! the iteration. The last iteration is read again, since it leaves the loop.
//!
//! A call is a passage of the header's first mark, if there is one, else an entry of the region of interest. Bytes
//! that no instruction is found in are executed as unknown instructions, counted and named like any other that has
//! no class. A program that rewrites its code shows up as new blocks at old addresses and needs no care here.

use crate::register_kinds::RegisterKinds;
use crate::source::{Access, Chunk, Item, Source, SourceError};
use arch::Arch;
use decode::{Decoder, Instruction};
use std::path::Path;
use std::sync::Arc;
use trace::{Event, Reader, Repetition};

/// Items of a chunk, about.
const CHUNK_ITEMS: usize = 4096;
/// A loop with fewer iterations to come is read as it stands.
const ITERATIONS_MIN: u64 = 96;
/// A loop with more blocks in an iteration is read as it stands; its inner loops are looked at in turn.
const BLOCKS_MAX: u64 = 32768;

/// What was read of the trace: a block and its accesses in the chunk, a call's beginning, or what nobody here asks for.
#[derive(Clone, Copy)]
enum Step {
    Block { block: u32, first: u32, end: u32 },
    Unasked,
    Mark(Mark),
}

/// An event that is not code. Several regions are told apart; of a single one only its calls count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Call,
    Into(u8),
    OutOf,
}

impl Mark {
    fn item(self) -> Item {
        match self {
            Mark::Call => Item::Enter,
            Mark::Into(region) => Item::Into(region),
            Mark::OutOf => Item::OutOf,
        }
    }
}

/// The block read last, which waits for what is executed next; its accesses are the chunk's last.
#[derive(Clone, Copy)]
struct Pending {
    block: u32,
    first: u32,
}

/// Puts what is read into a chunk.
#[derive(Default)]
struct Filler {
    /// Start and end of each block, and the bytes that each instruction accesses by its encoding.
    spans: Vec<(u64, u64)>,
    bytes: Vec<Vec<u16>>,
    pending: Option<Pending>,
    /// What comes behind it.
    marks: Vec<Mark>,
    /// Accesses of the pending block between two chunks.
    carried: Vec<Access>,
}

/// A trace file, as a source.
pub struct TraceSource {
    reader: Reader,
    decoder: Decoder,
    kinds: Arc<RegisterKinds>,
    mark: Option<u64>,
    regions: usize,
    filler: Filler,
    ended: bool,
}

impl Filler {
    /// Adds a block and hands out the one before it. Inlined for speed: into the loop of `Reader::take_blocks`.
    #[inline(always)]
    fn block(&mut self, chunk: &mut Chunk, block: u32, accesses: &[trace::Access]) -> Step {
        let first = chunk.accesses.len();
        let mut rare = false;
        for access in accesses {
            rare |= access.cache_operation | (access.bytes == 0);
            chunk.accesses.push(converted(access, access.bytes));
        }
        if rare {
            chunk.accesses.truncate(first);
            self.rare_accesses(chunk, block, accesses);
        }
        let first = first as u32;
        self.flush(chunk, first, Some(self.spans[block as usize].0));
        self.pending = Some(Pending { block, first });
        Step::Block { block, first, end: chunk.accesses.len() as u32 }
    }

    /// Adds accesses among which are cache operations, or some whose size only the encoding tells.
    #[cold]
    fn rare_accesses(&mut self, chunk: &mut Chunk, block: u32, accesses: &[trace::Access]) {
        let sizes = &self.bytes[block as usize];
        let bytes = |access: &trace::Access| match access.bytes {
            0 => sizes.get(usize::from(access.instruction)).copied().unwrap_or(1),
            bytes => bytes,
        };
        let moving = accesses.iter().filter(|access| !access.cache_operation);
        chunk.accesses.extend(moving.map(|access| converted(access, bytes(access))));
    }

    /// Hands out the block that waits for what came next; its accesses end at `end`.
    #[inline]
    fn flush(&mut self, chunk: &mut Chunk, end: u32, next: Option<u64>) {
        if let Some(Pending { block, first }) = self.pending.take() {
            let next = next.unwrap_or_else(|| self.spans[block as usize].1);
            chunk.items.push(Item::Block { block, accesses: first..end, next });
        }
        if !self.marks.is_empty() {
            chunk.items.extend(self.marks.drain(..).map(Mark::item));
        }
    }

    /// Hands out the waiting block as the last one for now.
    fn flush_last(&mut self, chunk: &mut Chunk, next: Option<u64>) {
        self.flush(chunk, chunk.accesses.len() as u32, next);
    }

    /// Continues in a new chunk.
    fn start(&mut self, chunk: &mut Chunk) {
        if let Some(pending) = &mut self.pending {
            pending.first = chunk.accesses.len() as u32;
            chunk.accesses.append(&mut self.carried);
        }
    }

    /// Takes back from a full chunk what belongs to the block that waits.
    fn stop(&mut self, chunk: &mut Chunk) {
        if let Some(pending) = self.pending {
            self.carried.extend(chunk.accesses.drain(pending.first as usize..));
        }
    }
}

#[inline]
fn converted(access: &trace::Access, bytes: u16) -> Access {
    Access {
        instruction: access.instruction,
        bytes,
        store: access.store,
        known: access.known,
        address: access.address,
    }
}

impl TraceSource {
    /// What the file says at its end, once all of it has been read.
    pub fn end(&self) -> Option<&trace::End> {
        self.reader.end()
    }

    /// Opens a trace file.
    pub fn open(path: &Path) -> Result<TraceSource, SourceError> {
        TraceSource::new(Reader::open(path)?)
    }

    /// Reads from an open trace.
    pub fn new(reader: Reader) -> Result<TraceSource, SourceError> {
        let header = reader.header();
        let decoder = Decoder::new(header.arch)?;
        let mark = header.marks().first().map(|mark| mark.address);
        let regions = header.regions().len();
        Ok(TraceSource {
            kinds: Arc::new(RegisterKinds::new(&decoder)),
            reader,
            decoder,
            mark,
            regions,
            filler: Filler::default(),
            ended: false,
        })
    }

    /// What the trace says of itself.
    pub fn header(&self) -> &trace::Header {
        self.reader.header()
    }

    /// Reads a block or a call's beginning into the chunk, or passes what is neither. None at the end.
    #[inline(never)]
    fn step(&mut self, chunk: &mut Chunk) -> Result<Option<Step>, SourceError> {
        let regions = if self.mark.is_none() { self.regions } else { 0 };
        while !self.reader.at_end()? {
            if self.filler.spans.len() < self.reader.blocks().len() {
                self.decode_new(chunk);
            }
            match self.reader.next()? {
                Some(Event::Block { id, accesses }) => {
                    return Ok(Some(self.filler.block(chunk, id, accesses)));
                }
                Some(event) => {
                    let Some(mark) = mark_of(event, regions) else { return Ok(Some(Step::Unasked)) };
                    self.filler.marks.push(mark);
                    return Ok(Some(Step::Mark(mark)));
                }
                None => {}
            }
        }
        Ok(None)
    }

    fn decode_new(&mut self, chunk: &mut Chunk) {
        for block in &self.reader.blocks()[self.filler.spans.len()..] {
            let mut instructions = Vec::with_capacity(block.instructions());
            for (address, bytes) in block.iter() {
                let decoded = self.decoder.decode(bytes, address);
                let mut instruction =
                    decoded.unwrap_or_else(|_| Instruction::unknown(self.decoder.arch(), bytes, address));
                instruction.length = bytes.len().min(16) as u8;
                instructions.push(instruction);
            }
            self.filler.spans.push((block.address, block.address.wrapping_add(block.bytes.len() as u64)));
            self.filler.bytes.push(instructions.iter().map(|instruction| instruction.access_bytes).collect());
            chunk.new_blocks.push(instructions);
        }
    }

    /// Reads an iteration: its blocks, and what stands before and behind them.
    fn iteration(&mut self, chunk: &mut Chunk, wanted: &Repetition) -> Result<Vec<Step>, SourceError> {
        let mut steps = Vec::new();
        let mut blocks = wanted.blocks_per_iteration;
        let mut events = wanted.region_events_per_iteration;
        while blocks > 0 || events > 0 {
            let Some(step) = self.step(chunk)? else { break };
            match step {
                Step::Block { .. } => blocks = blocks.saturating_sub(1),
                Step::Mark(_) | Step::Unasked => events = events.saturating_sub(1),
            }
            steps.push(step);
        }
        Ok(steps)
    }

    /// Reads the loop at the reader's position as two iterations and a repeat; false if there is none.
    #[inline]
    fn fold(&mut self, chunk: &mut Chunk) -> Result<bool, SourceError> {
        let wanted = |repetition: &&Repetition| {
            repetition.remaining >= ITERATIONS_MIN && repetition.blocks_per_iteration <= BLOCKS_MAX
        };
        match self.reader.repetitions()?.iter().find(wanted).copied() {
            Some(repetition) => self.fold_in(chunk, &repetition).map(|()| true),
            None => Ok(false),
        }
    }

    #[cold]
    fn fold_in(&mut self, chunk: &mut Chunk, repetition: &Repetition) -> Result<(), SourceError> {
        let first = self.iteration(chunk, repetition)?;
        if first.is_empty() {
            self.filler.flush_last(chunk, None);
        }
        // The block that waits belongs to the first iteration.
        let before = chunk.items.len() + usize::from(self.filler.pending.is_some()) + self.filler.marks.len();
        let second = self.iteration(chunk, repetition)?;
        let Some(steps) = steps_between(&first, &second, &chunk.accesses) else { return Ok(()) };
        let start = second.iter().find_map(|step| match step {
            Step::Block { block, .. } => Some(self.filler.spans[*block as usize].0),
            Step::Mark(_) | Step::Unasked => None,
        });
        let repetitions = self.reader.repetitions()?;
        let again = repetitions.iter().find(|again| again.id == repetition.id).copied();
        // The last iteration leaves the loop: it is read.
        let times = again.map_or(0, |again| again.remaining.saturating_sub(1));
        if let Some(again) = again.filter(|_| times > 0) {
            self.filler.flush_last(chunk, start);
            let first_step = chunk.steps.len() as u32;
            chunk.steps.extend(steps);
            let items = (chunk.items.len() - before) as u32;
            chunk.items.push(Item::Repeat { items, times, steps: first_step..chunk.steps.len() as u32 });
            self.reader.skip_in(&again, times)?;
        }
        Ok(())
    }
}

/// What an event means to a trace of so many regions, if it is no block.
fn mark_of(event: Event<'_>, regions: usize) -> Option<Mark> {
    match event {
        Event::EnterRegion { .. } if regions == 1 => Some(Mark::Call),
        Event::EnterRegion { region } if regions > 1 => Some(Mark::Into(region)),
        Event::LeaveRegion { .. } if regions > 1 => Some(Mark::OutOf),
        _ => None,
    }
}

/// The bytes between the accesses of one iteration and the next; nothing if they are not alike.
fn steps_between(first: &[Step], second: &[Step], accesses: &[Access]) -> Option<Vec<i64>> {
    if first.len() != second.len() {
        return None;
    }
    let mut steps = Vec::new();
    for pair in first.iter().zip(second) {
        match pair {
            (Step::Mark(one), Step::Mark(other)) if one == other => {}
            (Step::Unasked, Step::Unasked) => {}
            (
                &Step::Block { block: a, first: from, end },
                &Step::Block { block: b, first: to, end: to_end },
            ) if a == b && end - from == to_end - to => {
                let from = &accesses[from as usize..end as usize];
                let to = &accesses[to as usize..to_end as usize];
                let step = |(from, to): (&Access, &Access)| to.address.wrapping_sub(from.address) as i64;
                steps.extend(from.iter().zip(to).map(step));
            }
            _ => return None,
        }
    }
    Some(steps)
}

impl Source for TraceSource {
    fn arch(&self) -> Arch {
        self.reader.header().arch
    }

    fn kinds(&self) -> Arc<RegisterKinds> {
        self.kinds.clone()
    }

    fn mark(&self) -> Option<u64> {
        self.mark
    }

    fn calls(&self) -> bool {
        self.mark.is_some() || self.regions > 0
    }

    fn read(&mut self, chunk: &mut Chunk) -> Result<bool, SourceError> {
        if self.ended {
            return Ok(false);
        }
        self.filler.start(chunk);
        while chunk.items.len() < CHUNK_ITEMS {
            // Nearly all of a program without long loops.
            let take = |block, accesses: &[trace::Access]| {
                self.filler.block(chunk, block, accesses);
                chunk.items.len() < CHUNK_ITEMS
            };
            self.reader.take_blocks(take)?;
            if chunk.items.len() >= CHUNK_ITEMS || self.fold(chunk)? {
                continue;
            }
            if self.step(chunk)?.is_none() {
                self.ended = true;
                self.filler.flush_last(chunk, None);
                return Ok(true);
            }
        }
        self.filler.stop(chunk);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::{Item as Told, Writer};

    const LOAD_STORE: [u32; 3] = [0xe864_0000, 0xf864_0008, 0x6000_0000]; // ld, std, nop
    const BRANCH: [u32; 2] = [0x6000_0000, 0x4200_fff8]; // nop, bdnz

    #[derive(Debug, PartialEq)]
    enum Executed {
        Block(u32, u64, Vec<Access>),
        Enter,
    }

    fn block(accesses: &[(u64, u16, bool)]) -> Told {
        let access =
            |(index, &(address, bytes, cache_operation)): (usize, &(u64, u16, bool))| trace::Access {
                address,
                instruction: index.min(1) as u16,
                bytes,
                store: index == 1,
                known: true,
                cache_operation,
            };
        let accesses: Vec<_> = accesses.iter().enumerate().map(access).collect();
        Told::Block { id: u32::from(accesses.is_empty()), accesses }
    }

    /// Enough blocks for two chunks, then loops, long and short, with and without calls.
    fn items() -> Vec<Told> {
        let mut items = vec![Told::Enter(0), block(&[(0x4000, 0, false), (0x5000, 4, false)])];
        let mut random = 1u64;
        for _ in 0..9000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let address = random >> (random >> 58);
            items.push(match random >> 40 & 7 {
                0 => block(&[]),
                1 => block(&[(address, 8, false), (address, 0, false)]),
                2 => block(&[(address, 8, false), (address, 8, false), (address, 8, true)]),
                _ => block(&[(address, 8, false), (!address, 8, false)]),
            });
        }
        let mut one = vec![block(&[(0x4000, 8, false), (0x5000, 8, false)]), block(&[])];
        items.push(Told::Repeat { iterations: 60, body: one.clone(), strides: vec![8, -16] });
        items.push(Told::Repeat { iterations: 600, body: one.clone(), strides: vec![8, -16] });
        items.extend([Told::Leave(trace::Leave::Return), block(&[])]);
        one.insert(0, Told::Enter(0));
        items.push(Told::Repeat { iterations: 300, body: one.clone(), strides: vec![0, 1 << 40] });
        one.push(Told::Leave(trace::Leave::Return));
        items.push(Told::Repeat { iterations: 200, body: one, strides: vec![16, 0] });
        items
    }

    fn write(path: &Path) {
        let mut writer = Writer::create(path, Arch::Powerpc64le, &[("region", "f:0x1000")]).unwrap();
        for (address, words) in [(0x1000, &LOAD_STORE[..]), (0x2000, &BRANCH[..])] {
            let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            writer.define_block(&trace::Block { address, bytes, sizes: vec![4; words.len()] });
        }
        items().iter().for_each(|item| writer.put(item).unwrap());
        writer.finish("exit").unwrap();
    }

    /// What the trace says, event by event.
    fn told(path: &Path) -> Vec<Executed> {
        let mut reader = Reader::open(path).unwrap();
        let mut out: Vec<Executed> = Vec::new();
        while let Some(event) = reader.next().unwrap() {
            match event {
                Event::EnterRegion { .. } => out.push(Executed::Enter),
                Event::LeaveRegion { .. } | Event::Interrupt | Event::InterruptOver => {}
                Event::Block { id, accesses } => {
                    let moved = accesses.iter().filter(|access| !access.cache_operation);
                    let size = |bytes| if bytes == 0 { 8 } else { bytes };
                    let moved = moved.map(|access| converted(access, size(access.bytes))).collect();
                    let last = out.iter_mut().rev().find_map(|executed| match executed {
                        Executed::Block(_, next, _) => Some(next),
                        Executed::Enter => None,
                    });
                    if let Some(next) = last {
                        *next = [0x1000, 0x2000][id as usize];
                    }
                    out.push(Executed::Block(id, [0x100c, 0x2008][id as usize], moved));
                }
            }
        }
        out
    }

    /// Executes an item once more, `times` steps on.
    fn execute(chunk: &Chunk, item: &Item, steps: &mut dyn Iterator<Item = i64>, times: u64) -> Executed {
        let Item::Block { block, accesses, next } = item else { return Executed::Enter };
        let mut accesses = chunk.accesses[accesses.start as usize..accesses.end as usize].to_vec();
        for access in &mut accesses {
            let step = steps.next().unwrap_or(0).wrapping_mul(times as i64);
            access.address = access.address.wrapping_add_signed(step);
        }
        Executed::Block(*block, *next, accesses)
    }

    #[test]
    fn chunks_tell_what_the_trace_tells() {
        let path = std::env::temp_dir().join(format!("trace_source-{}.trace", std::process::id()));
        write(&path);
        let (mut out, mut chunks, mut repeats) = (Vec::new(), 0, 0);
        let mut source = TraceSource::open(&path).unwrap();
        let mut chunk = Chunk::default();
        while source.read(&mut chunk).unwrap() {
            chunks += 1;
            for (index, item) in chunk.items.iter().enumerate() {
                let Item::Repeat { items, times, steps } = item else {
                    out.push(execute(&chunk, item, &mut std::iter::empty(), 0));
                    continue;
                };
                repeats += 1;
                for times in 1..=*times {
                    let mut steps = chunk.steps[steps.start as usize..steps.end as usize].iter().copied();
                    let body = &chunk.items[index - *items as usize..index];
                    out.extend(body.iter().map(|item| execute(&chunk, item, &mut steps, times)));
                }
            }
            chunk.clear();
        }
        assert!(chunks == 3 && repeats == 3, "{chunks} chunks, {repeats} repeats");
        assert!(out == told(&path), "the source and the reader differ");
        std::fs::remove_file(&path).unwrap();
    }
}
