// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A recorded trace as a source.
//!
//! Blocks are decoded as they first appear. Where the trace has a loop with many iterations to come, two of them
//! are read, the rest is told as an `Item::Repeat` with the steps between the two, and leapt over: addresses in a
//! trace's loop are affine in the iteration. The last iteration is read again, since it leaves the loop.
//!
//! A call is a passage of the header's first mark, if there is one, else an entry of the region of interest. Bytes
//! that no instruction is found in are executed as unknown instructions, counted and named like any other that has
//! no class. A program that rewrites its code shows up as new blocks at old addresses and needs no care here.

use crate::plan::RegisterKinds;
use crate::source::{Access, Chunk, Item, Source, SourceError};
use arch::Arch;
use decode::{Decoder, Instruction};
use std::path::Path;
use std::sync::Arc;
use trace::{Event, Reader};

/// Items of a chunk, about.
const CHUNK_ITEMS: usize = 4096;
/// A loop with fewer iterations to come is read as it stands.
const ITERATIONS_MIN: u64 = 96;
/// A loop with more blocks in an iteration is read as it stands; its inner loops are looked at in turn.
const BLOCKS_MAX: u64 = 32768;

enum Step {
    Block(u32, Vec<Access>),
    Enter,
}

struct Pending {
    block: u32,
    accesses: Vec<Access>,
}

/// A trace file, as a source.
pub struct TraceSource {
    reader: Reader,
    decoder: Decoder,
    kinds: Arc<RegisterKinds>,
    mark: Option<u64>,
    regions: bool,
    decoded: u32,
    /// Start and end of each block, and the bytes that each instruction accesses by its encoding.
    spans: Vec<(u64, u64)>,
    bytes: Vec<Vec<u16>>,
    pending: Option<Pending>,
    entered: bool,
    ended: bool,
    /// Emptied lists of accesses, to be filled again.
    spare: Vec<Vec<Access>>,
}

fn failed(error: impl std::fmt::Display) -> SourceError {
    SourceError(error.to_string())
}

impl TraceSource {
    /// Opens a trace file.
    pub fn open(path: &Path) -> Result<TraceSource, SourceError> {
        TraceSource::new(Reader::open(path).map_err(failed)?)
    }

    /// Reads from an open trace.
    pub fn new(reader: Reader) -> Result<TraceSource, SourceError> {
        let header = reader.header();
        let decoder = Decoder::new(header.arch).map_err(failed)?;
        let mark = header.marks().first().map(|mark| mark.address);
        let regions = !header.regions().is_empty();
        Ok(TraceSource {
            kinds: Arc::new(RegisterKinds::new(&decoder)),
            reader,
            decoder,
            mark,
            regions,
            decoded: 0,
            spans: Vec::new(),
            bytes: Vec::new(),
            pending: None,
            entered: false,
            ended: false,
            spare: Vec::new(),
        })
    }

    /// What the trace says of itself.
    pub fn header(&self) -> &trace::Header {
        self.reader.header()
    }

    fn step(&mut self) -> Result<Option<Step>, SourceError> {
        loop {
            match self.reader.next().map_err(failed)? {
                None => return Ok(None),
                Some(Event::EnterRegion { .. }) if self.regions && self.mark.is_none() => {
                    return Ok(Some(Step::Enter))
                }
                Some(Event::EnterRegion { .. } | Event::LeaveRegion { .. }) => {}
                Some(Event::Block { id, accesses }) => {
                    let sizes = self.bytes.get(id as usize);
                    let convert = |access: &trace::Access| Access {
                        instruction: access.instruction,
                        bytes: match (access.bytes, sizes) {
                            (0, Some(sizes)) => {
                                sizes.get(usize::from(access.instruction)).copied().unwrap_or(1)
                            }
                            (bytes, _) => bytes,
                        },
                        store: access.store,
                        known: access.known,
                        address: access.address,
                    };
                    let mut list = self.spare.pop().unwrap_or_default();
                    list.extend(accesses.iter().filter(|access| !access.cache_operation).map(convert));
                    return Ok(Some(Step::Block(id, list)));
                }
            }
        }
    }

    fn decode_new(&mut self, chunk: &mut Chunk) {
        while (self.decoded as usize) < self.reader.blocks().len() {
            let block = &self.reader.blocks()[self.decoded as usize];
            let mut instructions = Vec::with_capacity(block.instructions());
            for (address, bytes) in block.iter() {
                let decoded = self.decoder.decode(bytes, address);
                let mut instruction =
                    decoded.unwrap_or_else(|_| Instruction::unknown(self.decoder.arch(), bytes, address));
                instruction.length = bytes.len().min(16) as u8;
                instructions.push(instruction);
            }
            self.spans.push((block.address, block.address.wrapping_add(block.bytes.len() as u64)));
            self.bytes.push(instructions.iter().map(|instruction| instruction.access_bytes).collect());
            chunk.new_blocks.push(instructions);
            self.decoded += 1;
        }
    }

    /// Hands out the block that waits for what came next.
    fn flush(&mut self, chunk: &mut Chunk, next: Option<u64>) {
        if let Some(Pending { block, mut accesses }) = self.pending.take() {
            let first = chunk.accesses.len() as u32;
            chunk.accesses.append(&mut accesses);
            self.spare.push(accesses);
            let next = next.unwrap_or(self.spans[block as usize].1);
            chunk.items.push(Item::Block { block, accesses: first..chunk.accesses.len() as u32, next });
        }
        if std::mem::take(&mut self.entered) {
            chunk.items.push(Item::Enter);
        }
    }

    fn push(&mut self, chunk: &mut Chunk, step: Step) {
        match step {
            Step::Enter => self.entered = true,
            Step::Block(block, accesses) => {
                self.decode_new(chunk);
                self.flush(chunk, Some(self.spans[block as usize].0));
                self.pending = Some(Pending { block, accesses });
            }
        }
    }

    /// Reads `blocks` blocks and what stands before them.
    fn iteration(&mut self, chunk: &mut Chunk, blocks: u64) -> Result<Vec<Step>, SourceError> {
        let mut steps = Vec::new();
        let mut read = 0;
        while read < blocks {
            let Some(step) = self.step()? else { break };
            read += u64::from(matches!(step, Step::Block(..)));
            steps.push(step);
        }
        self.decode_new(chunk);
        Ok(steps)
    }

    /// Tells the loop at whose start the reader stands as two iterations and a repeat; false if there is none.
    fn fold(&mut self, chunk: &mut Chunk) -> Result<bool, SourceError> {
        let wanted = |repetition: &&trace::Repetition| {
            repetition.remaining >= ITERATIONS_MIN && repetition.blocks_per_iteration <= BLOCKS_MAX
        };
        let repetitions = self.reader.repetitions().map_err(failed)?;
        let Some(repetition) = repetitions.iter().find(wanted).copied() else { return Ok(false) };
        let blocks = repetition.blocks_per_iteration;
        let first = self.iteration(chunk, blocks)?;
        for step in first.iter() {
            let step = match step {
                Step::Enter => Step::Enter,
                Step::Block(block, accesses) => Step::Block(*block, accesses.clone()),
            };
            self.push(chunk, step);
        }
        let second = self.iteration(chunk, blocks)?;
        let Some(steps) = steps_between(&first, &second) else {
            for step in second {
                self.push(chunk, step);
            }
            return Ok(true);
        };
        let start = second.iter().find_map(|step| match step {
            Step::Block(block, _) => Some(self.spans[*block as usize].0),
            Step::Enter => None,
        });
        self.flush(chunk, start);
        let before = chunk.items.len();
        for step in second {
            self.push(chunk, step);
        }
        let again = self
            .reader
            .repetitions()
            .map_err(failed)?
            .iter()
            .find(|again| again.id == repetition.id)
            .copied();
        // The last iteration leaves the loop: it is read.
        let times = again.map_or(0, |again| again.remaining.saturating_sub(1));
        if let Some(again) = again.filter(|_| times > 0) {
            self.flush(chunk, start);
            let first_step = chunk.steps.len() as u32;
            chunk.steps.extend(steps);
            let items = (chunk.items.len() - before) as u32;
            chunk.items.push(Item::Repeat { items, times, steps: first_step..chunk.steps.len() as u32 });
            self.reader.skip_in(&again, times).map_err(failed)?;
        }
        Ok(true)
    }
}

/// The bytes between the accesses of one iteration and the next; nothing if they are not alike.
fn steps_between(first: &[Step], second: &[Step]) -> Option<Vec<i64>> {
    if first.len() != second.len() {
        return None;
    }
    let mut steps = Vec::new();
    for pair in first.iter().zip(second) {
        match pair {
            (Step::Enter, Step::Enter) => {}
            (Step::Block(a, from), Step::Block(b, to)) if a == b && from.len() == to.len() => {
                steps.extend(
                    from.iter().zip(to).map(|(from, to)| to.address.wrapping_sub(from.address) as i64),
                );
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
        self.mark.is_some() || self.regions
    }

    fn read(&mut self, chunk: &mut Chunk) -> Result<bool, SourceError> {
        if self.ended {
            return Ok(false);
        }
        while chunk.items.len() < CHUNK_ITEMS {
            if self.fold(chunk)? {
                continue;
            }
            match self.step()? {
                Some(step) => self.push(chunk, step),
                None => {
                    self.ended = true;
                    self.flush(chunk, None);
                    break;
                }
            }
        }
        Ok(true)
    }
}
