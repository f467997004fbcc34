// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The streaming reader.

use std::io::Read;
use std::path::Path;

use arch::Arch;

use crate::error::{Error, Problem};
use crate::event::{Access, Block, Counts, Event, Leave, Repetition};
use crate::format::*;
use crate::frames::Frames;
use crate::header::{End, Header};
use crate::held::Held;
use crate::loops::{Loops, Part};

/// A block with one pattern of memory accesses, or a marker.
struct Shape {
    kind: Kind,
    /// Templates. Their addresses are those of the last execution in the file; the next is stored as differences to them.
    accesses: Vec<Access>,
    counts: Counts,
}

#[derive(Clone, Copy)]
enum Kind {
    Block(u32),
    Enter(u8),
    Leave(Leave),
    Interrupt,
    InterruptOver,
}

/// Reads a trace from its start to its end. Memory is bounded by the blocks of the program, one frame (4 MiB at most)
/// and one loop body, however long the trace.
pub struct Reader {
    frames: Frames,
    header: Header,
    records: Bytes,
    blocks: Vec<Block>,
    shapes: Vec<Shape>,
    code_bytes: usize,
    shape_accesses: usize,
    last_block_address: u64,
    loops: Loops,
    repetitions: Vec<Repetition>,
    delivered: u64,
    /// What the loops so far execute in all of their iterations, and their markers. What is outside of loops is less than the
    /// file's bytes, but for instructions, which `delivered` counts.
    looped: (Counts, u64),
    end: Option<End>,
}

impl Reader {
    /// Opens a trace and reads its header.
    pub fn open(path: impl AsRef<Path>) -> Result<Reader, Error> {
        Held::open(path)?.reader()
    }

    /// Reads a trace from any source; messages call it `name`.
    pub fn from_source(name: &str, source: impl Read + Send + 'static) -> Result<Reader, Error> {
        let (frames, version, arch) = Frames::new(Path::new(name), Box::new(source))?;
        Reader::start(frames, version, arch)
    }

    pub(crate) fn start(mut frames: Frames, version: u64, arch: Arch) -> Result<Reader, Error> {
        let mut records = Bytes::default();
        frames.next(&mut records)?;
        let lines = records.lines().map_err(|problem| frames.corrupt(problem))?;
        if !records.is_empty() {
            return Err(frames.corrupt("bytes after the header".into()));
        }
        Ok(Reader {
            frames,
            header: Header { arch, version, lines },
            records,
            blocks: Vec::new(),
            shapes: Vec::new(),
            code_bytes: 0,
            shape_accesses: 0,
            last_block_address: 0,
            loops: Loops::default(),
            repetitions: Vec::new(),
            delivered: 0,
            looped: (Counts::default(), 0),
            end: None,
        })
    }

    /// The header of the file.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Refuses a trace of another architecture.
    pub fn expect_arch(&self, wanted: Arch) -> Result<(), Error> {
        if self.header.arch == wanted {
            return Ok(());
        }
        Err(Error::WrongArch { path: self.frames.path().to_owned(), found: self.header.arch, wanted })
    }

    /// The blocks defined so far, indexed by id. The block of an event is defined before the event.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The totals at the end of the file, once `next` has returned None.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Instructions delivered or skipped so far.
    pub fn instructions(&self) -> u64 {
        self.delivered
    }

    /// Whether the trace is over. If not, `blocks` now holds the block of the next event.
    #[inline]
    pub fn at_end(&mut self) -> Result<bool, Error> {
        Ok(!self.loops.active() && !self.at_execution() && !self.prepare()?)
    }

    /// The next event; None at the end of a complete trace.
    #[inline]
    #[allow(clippy::should_implement_trait)] // an Iterator cannot lend its accesses
    pub fn next(&mut self) -> Result<Option<Event<'_>>, Error> {
        if self.at_end()? {
            return Ok(None);
        }
        let (shape, accesses) = if self.loops.active() {
            let (index, range) = self.loops.step();
            let shape = &self.shapes[index as usize];
            (shape, &self.loops.accesses[range])
        } else {
            let (_, shape) = match literal(&mut self.records, &mut self.shapes) {
                Ok(found) => found,
                Err(problem) => return Err(self.frames.corrupt(problem)),
            };
            (shape, &shape.accesses[..])
        };
        self.delivered += shape.counts.instructions;
        Ok(Some(match shape.kind {
            Kind::Block(id) => Event::Block { id, accesses },
            Kind::Enter(region) => Event::EnterRegion { region },
            Kind::Leave(how) => Event::LeaveRegion { how },
            Kind::Interrupt => Event::Interrupt,
            Kind::InterruptOver => Event::InterruptOver,
        }))
    }

    /// Passes ids and accesses of the next blocks to `take` until it returns false. Stops, at the latest, before the next
    /// record that is not the execution of a defined block outside of loops. A fast path: the rest is for `next`.
    #[inline]
    pub fn take_blocks(&mut self, mut take: impl FnMut(u32, &[Access]) -> bool) -> Result<(), Error> {
        if self.loops.active() {
            return Ok(());
        }
        while self.at_execution() {
            let start = self.records.at;
            let shape = match literal(&mut self.records, &mut self.shapes) {
                Ok((_, shape)) => shape,
                Err(problem) => return Err(self.frames.corrupt(problem)),
            };
            let Kind::Block(id) = shape.kind else {
                self.records.at = start; // a marker has no accesses, so nothing has changed
                break;
            };
            self.delivered += shape.counts.instructions;
            if !take(id, &shape.accesses) {
                break;
            }
        }
        Ok(())
    }

    /// The innermost repetition that is at the start of an iteration.
    pub fn repetition(&mut self) -> Result<Option<Repetition>, Error> {
        Ok(self.repetitions()?.last().copied())
    }

    /// All repetitions that are at the start of an iteration, outermost first.
    #[inline]
    pub fn repetitions(&mut self) -> Result<&[Repetition], Error> {
        if self.at_end()? || !self.loops.at_iteration() {
            return Ok(&[]);
        }
        self.loops.repetitions(&mut self.repetitions);
        Ok(&self.repetitions)
    }

    /// Skips iterations of the innermost repetition, see [`Reader::skip_in`].
    pub fn skip(&mut self, iterations: u64) -> Result<(), Error> {
        match self.repetition()? {
            Some(repetition) => self.skip_in(&repetition, iterations),
            None => panic!("skip where no iteration starts"),
        }
    }

    /// Skips iterations of a repetition in constant time; addresses continue as if the iterations had been read.
    ///
    /// # Panics
    /// If `repetition` is not one that `repetitions` returns now, or has fewer iterations left.
    pub fn skip_in(&mut self, repetition: &Repetition, iterations: u64) -> Result<(), Error> {
        let here = self.repetitions()?.contains(repetition);
        assert!(here, "the reader does not stand at an iteration of this repetition");
        assert!(iterations <= repetition.remaining, "only {} iterations are left", repetition.remaining);
        let counts = self.loops.skip(repetition.depth, iterations);
        self.delivered += counts.instructions * iterations;
        Ok(())
    }

    /// How often each block is executed in the rest of the trace, indexed as `blocks`. Does not walk through loops.
    pub fn executions(&mut self) -> Result<Vec<u64>, Error> {
        let mut executions: Vec<u64> = Vec::new();
        loop {
            let outermost = self.repetitions()?.first().copied();
            let whole = outermost.filter(|repetition| repetition.depth == 0 && repetition.iteration == 0);
            if let Some(repetition) = whole {
                self.loops.for_each_run(|shape, times| {
                    if let Kind::Block(id) = self.shapes[shape as usize].kind {
                        add_execution(&mut executions, id, times);
                    }
                });
                self.skip_in(&repetition, repetition.remaining)?;
                continue;
            }
            match self.next()? {
                None => break,
                Some(Event::Block { id, .. }) => add_execution(&mut executions, id, 1),
                Some(_) => {}
            }
        }
        executions.resize(self.blocks.len(), 0);
        Ok(executions)
    }

    /// Whether the first byte of the next record proves it an execution: true for most records.
    #[inline(always)]
    fn at_execution(&self) -> bool {
        let first = self.records.rest().first();
        first.is_some_and(|&byte| u64::from(byte & 0x7f) >= RECORD_FIRST_SHAPE)
    }

    /// Reads definitions, and a loop record if one is next, until the next event is known. False at the end.
    fn prepare(&mut self) -> Result<bool, Error> {
        loop {
            if self.end.is_some() {
                return Ok(false);
            }
            if self.records.is_empty() {
                // Between two of these looks a frame adds 2^38 at most, so the sum cannot wrap.
                self.check_delivered()?;
                self.frames.next(&mut self.records)?;
            }
            let found = self.look_at_record();
            match found.map_err(|problem| self.frames.corrupt(problem))? {
                Found::Event => return Ok(true),
                Found::Definition => {}
                Found::End => self.check_end()?,
            }
        }
    }

    #[inline]
    fn look_at_record(&mut self) -> Result<Found, Problem> {
        let start = self.records.at;
        match self.records.varint()? {
            RECORD_END => {
                self.end = Some(End { lines: self.records.lines()? });
                return Ok(Found::End);
            }
            RECORD_BLOCK => self.define_block()?,
            RECORD_SHAPE => self.define_shape()?,
            RECORD_LOOP => {
                self.loops.clear();
                parse_loop(&mut self.records, &mut self.shapes, &mut self.loops, 0)?;
                self.check_loops()?;
                self.loops.begin();
                return Ok(Found::Event);
            }
            _ => {
                self.records.at = start;
                return Ok(Found::Event);
            }
        }
        Ok(Found::Definition)
    }

    fn check_delivered(&self) -> Result<(), Error> {
        if self.delivered > limit::EVENTS {
            return Err(self.frames.corrupt(TOO_LONG.into()));
        }
        Ok(())
    }

    /// Counts the loop that was read, of which no more than the limit is executed. The sums of a reader and of who counts what it
    /// delivers cannot wrap then.
    fn check_loops(&mut self) -> Result<(), Problem> {
        let Some(&Part::Loop { iterations, counts, markers, .. }) = self.loops.parts.first() else {
            return Ok(());
        };
        let (all, all_markers) = &mut self.looped;
        all.add(&counts, iterations);
        *all_markers = all_markers.saturating_add(markers * iterations);
        if self.delivered + counts.instructions * iterations > limit::EVENTS
            || most_of(all).max(*all_markers) > limit::EVENTS
        {
            return Err(TOO_LONG.into());
        }
        Ok(())
    }

    fn check_end(&mut self) -> Result<(), Error> {
        self.check_delivered()?;
        let rest = !self.records.is_empty();
        self.records.buffer.clear();
        if rest || !self.frames.at_end()? {
            return Err(self.frames.corrupt("bytes after the end".into()));
        }
        let said = self.end.as_ref().map_or(0, |end| end.total("instructions"));
        if said != self.delivered {
            let problem = format!("the end says {said} instructions, there were {}", self.delivered);
            return Err(self.frames.corrupt(problem.into()));
        }
        Ok(())
    }

    fn define_block(&mut self) -> Result<(), Problem> {
        let records = &mut self.records;
        let address = self.last_block_address.wrapping_add(records.signed()?);
        let count = records.bounded(limit::INSTRUCTIONS_PER_BLOCK, "a block's instructions")? as usize;
        let sizes = match records.bounded(255, "an instruction's size")? {
            0 => records.take(count)?.to_vec(),
            size => vec![size as u8; count],
        };
        let length = sizes.iter().map(|&size| usize::from(size)).sum();
        let bytes = records.take(length)?.to_vec();
        self.code_bytes += length + count;
        if count == 0 || self.blocks.len() == limit::BLOCKS || self.code_bytes > limit::CODE_BYTES {
            return Err("an empty block, or too many blocks".into());
        }
        self.last_block_address = address;
        self.blocks.push(Block { address, bytes, sizes });
        Ok(())
    }

    fn define_shape(&mut self) -> Result<(), Problem> {
        let records = &mut self.records;
        let (kind, instructions) = match records.varint()? {
            0 => (marker(records)?, 0),
            id if id as usize <= self.blocks.len() => {
                (Kind::Block(id as u32 - 1), self.blocks[id as usize - 1].instructions())
            }
            id => return Err(format!("block {id} is not defined").into()),
        };
        let count = records.bounded(limit::ACCESSES_PER_BLOCK, "a block's accesses")? as usize;
        self.shape_accesses += count;
        if self.shapes.len() == limit::SHAPES || self.shape_accesses > limit::SHAPE_ACCESSES {
            return Err("too many shapes".into());
        }
        let mut accesses = Vec::with_capacity(count.min(limit::ACCESSES_PER_BLOCK as usize));
        let mut instruction = 0u64;
        for _ in 0..count {
            instruction = instruction.wrapping_add(records.signed()?);
            if instruction >= instructions as u64 {
                return Err("an access of an instruction that the block does not have".into());
            }
            accesses.push(access(records, instruction as u16)?);
        }
        let counts = shape_counts(&kind, instructions, &accesses);
        self.shapes.push(Shape { kind, accesses, counts });
        Ok(())
    }
}

fn add_execution(executions: &mut Vec<u64>, id: u32, times: u64) {
    let id = id as usize;
    if executions.len() <= id {
        executions.resize(id + 1, 0);
    }
    executions[id] = executions[id].saturating_add(times);
}

const TOO_LONG: &str = "a trace of more than 2^60 instructions or accesses";

enum Found {
    Event,
    Definition,
    End,
}

fn marker(records: &mut Bytes) -> Result<Kind, Problem> {
    let kind = records.varint()?;
    let value = records.bounded(255, "a marker's value")? as u8;
    match (kind, value) {
        (MARKER_ENTER, region) => Ok(Kind::Enter(region)),
        (MARKER_LEAVE, 0) => Ok(Kind::Leave(Leave::Return)),
        (MARKER_LEAVE, 1) => Ok(Kind::Leave(Leave::Longjmp)),
        (MARKER_LEAVE, 2) => Ok(Kind::Leave(Leave::Exit)),
        (MARKER_LEAVE, 3) => Ok(Kind::Leave(Leave::Limit)),
        (MARKER_LEAVE, 4) => Ok(Kind::Leave(Leave::Switched)),
        (MARKER_INTERRUPT, 0) => Ok(Kind::Interrupt),
        (MARKER_INTERRUPT_OVER, 0) => Ok(Kind::InterruptOver),
        _ => Err(format!("marker {kind} with {value} is unknown").into()),
    }
}

fn access(records: &mut Bytes, instruction: u16) -> Result<Access, Problem> {
    let bytes = records.bounded(u64::from(u16::MAX), "an access's size")? as u16;
    let flags = records.bounded(7, "an access's flags")? as u8;
    Ok(Access {
        address: 0,
        instruction,
        bytes,
        store: flags & FLAG_STORE != 0,
        cache_operation: flags & FLAG_CACHE_OPERATION != 0,
        known: flags & FLAG_UNKNOWN == 0,
    })
}

fn shape_counts(kind: &Kind, instructions: usize, accesses: &[Access]) -> Counts {
    let count = |select: fn(&Access) -> bool| accesses.iter().filter(|a| select(a)).count() as u64;
    Counts {
        instructions: instructions as u64,
        blocks: u64::from(matches!(kind, Kind::Block(_))),
        loads: count(|a| !a.store && !a.cache_operation),
        stores: count(|a| a.store && !a.cache_operation),
        cache_operations: count(|a| a.cache_operation),
        unknown_addresses: count(|a| !a.known),
    }
}

/// Reads an execution of a shape and updates the shape's addresses. Returns the shape's index and the shape.
#[inline(always)]
fn literal<'a>(records: &mut Bytes, shapes: &'a mut [Shape]) -> Result<(usize, &'a Shape), Problem> {
    let (token, mut rest) = varint(records.rest())?;
    let index = token.wrapping_sub(RECORD_FIRST_SHAPE) as usize;
    let shape = shapes.get_mut(index).ok_or("a shape that is not defined")?;
    for access in &mut shape.accesses {
        let (value, next) = varint(rest)?;
        access.address = access.address.wrapping_add(unzigzag(value));
        rest = next;
    }
    records.at = records.buffer.len() - rest.len();
    Ok((index, shape))
}

/// Reads a loop record after its token.
fn parse_loop(
    records: &mut Bytes,
    shapes: &mut [Shape],
    loops: &mut Loops,
    depth: usize,
) -> Result<(), Problem> {
    if depth == limit::LOOP_DEPTH {
        return Err("loops are nested too deeply".into());
    }
    let iterations = records.bounded(limit::EVENTS, "a loop's iterations")?;
    let period = records.bounded(limit::LOOP_PERIOD, "a loop's period")?;
    if iterations == 0 || period == 0 {
        return Err("a loop without iterations".into());
    }
    let me = loops.parts.len();
    let first = loops.initial.len();
    let (mut counts, mut markers) = (Counts::default(), 0u64);
    loops.parts.push(Part::Loop { iterations, end: 0, strides: 0, first: first as u32, counts, markers });
    for _ in 0..period {
        let start = records.at;
        if records.varint()? == RECORD_LOOP {
            let inner = loops.parts.len();
            parse_loop(records, shapes, loops, depth + 1)?;
            if let Part::Loop { iterations, counts: ref part, markers: inner, .. } = loops.parts[inner] {
                counts.add(part, iterations);
                markers = markers.wrapping_add(inner.wrapping_mul(iterations));
            }
        } else {
            records.at = start;
            let index = parse_run(records, shapes, loops)?;
            counts.add(&shapes[index].counts, 1);
            markers += u64::from(!matches!(shapes[index].kind, Kind::Block(_)));
        }
        check_loop_parts(loops)?;
        // Each element has at most that many, so the sums cannot wrap before this looks at them.
        check_loop_events(1, &counts, markers)?;
    }
    let strides = loops.strides.len();
    for _ in first..loops.initial.len() {
        loops.strides.push(records.signed()?);
    }
    check_loop_parts(loops)?;
    check_loop_events(iterations, &counts, markers)?;
    let end = loops.parts.len() as u32;
    loops.parts[me] =
        Part::Loop { iterations, end, strides: strides as u32, first: first as u32, counts, markers };
    Ok(())
}

fn check_loop_parts(loops: &Loops) -> Result<(), Problem> {
    if loops.parts.len() + loops.initial.len() + loops.strides.len() > limit::LOOP_PARTS {
        return Err("a loop's body is too large".into());
    }
    Ok(())
}

/// `counts` and `markers` are of one iteration.
fn check_loop_events(iterations: u64, counts: &Counts, markers: u64) -> Result<(), Problem> {
    let most = most_of(counts).max(markers).max(1);
    if u128::from(iterations) * u128::from(most) > u128::from(limit::EVENTS) {
        return Err("a loop of more than 2^60 instructions".into());
    }
    Ok(())
}

/// The largest of the counts that are limited.
fn most_of(counts: &Counts) -> u64 {
    let Counts { instructions, blocks, loads, stores, cache_operations, .. } = *counts;
    instructions.max(blocks).max(loads).max(stores).max(cache_operations)
}

/// Reads an execution inside a loop. Returns the shape's index.
fn parse_run(records: &mut Bytes, shapes: &mut [Shape], loops: &mut Loops) -> Result<usize, Problem> {
    let (index, shape) = literal(records, shapes)?;
    let first = loops.initial.len() as u32;
    loops.parts.push(Part::Run { shape: index as u32, first, count: shape.accesses.len() as u32 });
    loops.initial.extend(shape.accesses.iter().map(|access| access.address));
    loops.accesses.extend_from_slice(&shape.accesses);
    Ok(index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Item, Writer};

    #[test]
    fn blocks_taken_end_before_a_marker_a_loop_and_when_told() {
        let path = std::env::temp_dir().join(format!("take_blocks-{}.trace", std::process::id()));
        let mut writer = Writer::create(&path, Arch::Powerpc64le, &[]).unwrap();
        let id = writer.define_block(&Block { address: 0x1000, bytes: vec![0; 4], sizes: vec![4] });
        let access = |address| Access { address, bytes: 8, known: true, ..Access::default() };
        let block = |address| Item::Block { id, accesses: vec![access(address)] };
        let repeat = Item::Repeat { iterations: 2, body: vec![block(40)], strides: vec![1] };
        for item in [block(8), block(1 << 40), block(9), Item::Enter(0), block(10), repeat] {
            writer.put(&item).unwrap();
        }
        writer.finish("exit").unwrap();
        let mut reader = Reader::open(&path).unwrap();
        let take = |reader: &mut Reader, most: usize| {
            let mut taken = Vec::new();
            let each = |id, accesses: &[Access]| {
                taken.push((id, accesses[0].address));
                taken.len() < most
            };
            reader.take_blocks(each).unwrap();
            taken
        };
        assert_eq!(take(&mut reader, 9), [], "no block is known yet");
        assert!(!reader.at_end().unwrap() && reader.blocks().len() == 1);
        assert_eq!(take(&mut reader, 2), [(0, 8), (0, 1 << 40)]);
        assert_eq!(take(&mut reader, 9), [(0, 9)]);
        assert_eq!(reader.next().unwrap(), Some(Event::EnterRegion { region: 0 }));
        assert_eq!(take(&mut reader, 9), [(0, 10)]);
        assert_eq!(reader.repetition().unwrap().unwrap().remaining, 2);
        assert_eq!(take(&mut reader, 9), []);
        reader.skip(2).unwrap();
        assert!(reader.at_end().unwrap() && reader.next().unwrap().is_none());
        assert_eq!(reader.instructions(), 6);
        std::fs::remove_file(&path).unwrap();
    }
}
