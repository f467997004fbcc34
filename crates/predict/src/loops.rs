// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A source made of one loop: machine code, how often it runs, where its accesses go.
//!
//! Published figures are mostly about such loops; this is how they are predicted without a program around them,
//! and how the alignments of a loop are tried: the code stands at whatever address is asked for.

use crate::register_kinds::RegisterKinds;
use crate::source::{Access, Chunk, Item, Source, SourceError};
use arch::Arch;
use decode::{Decoder, Flow, Instruction};
use std::sync::Arc;

/// Where one access of the loop goes: `start + (iteration * step) mod wrap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    /// Address in the first iteration.
    pub start: u64,
    /// Bytes further on in each following one.
    pub step: i64,
    /// Bytes after which it starts over; 0: never.
    pub wrap: u64,
}

/// A loop, as a source.
pub struct LoopSource {
    arch: Arch,
    kinds: Arc<RegisterKinds>,
    blocks: Vec<Vec<Instruction>>,
    /// The blocks of an iteration, in the order executed, and for each access of theirs the instruction in its block, bytes,
    /// whether it stores, where.
    turn: Vec<(usize, Vec<(u16, u16, bool, Walk)>)>,
    iterations: u64,
    done: u64,
    mark: u64,
    exit: u64,
}

/// Iterations handed out at once.
const BATCH: u64 = 256;

impl LoopSource {
    /// The loop whose code is `code`, placed at `address`: it starts at the first instruction and runs until a
    /// branch goes back there; conditional branches that do not go back are not taken, others are followed.
    /// `walks` gives the accesses in the order executed.
    pub fn new(
        arch: Arch,
        code: &[u8],
        address: u64,
        walks: &[Walk],
        iterations: u64,
    ) -> Result<LoopSource, SourceError> {
        LoopSource::along(arch, code, address, walks, &[], iterations)
    }

    /// The same for a loop with other branches: `goes` gives the target of each branch in the order executed, in bytes from
    /// the start of the loop, or a negative number if it is not taken. The last one goes to the start.
    pub fn along(
        arch: Arch,
        code: &[u8],
        address: u64,
        walks: &[Walk],
        goes: &[i64],
        iterations: u64,
    ) -> Result<LoopSource, SourceError> {
        let mut decoder = Decoder::new(arch)?;
        let mut blocks: Vec<Vec<Instruction>> = Vec::new();
        let mut order = Vec::new();
        let mut at = address;
        let mut told = goes.iter();
        let exit = loop {
            let block = decode_block(&mut decoder, code, address, at)?;
            let Some(last) = block.last() else {
                return Err(SourceError::Failed("the loop is empty".into()));
            };
            let end = last.address + u64::from(last.length);
            let next = next_of(last, address, end, if goes.is_empty() { None } else { Some(&mut told) })?;
            let same = |known: &Vec<Instruction>| known[0].address == block[0].address;
            let index = blocks.iter().position(same).unwrap_or(blocks.len());
            if index == blocks.len() {
                blocks.push(block);
            }
            order.push(index);
            if next == address && told.len() == 0 {
                break end;
            }
            if order.len() > 100_000 {
                return Err(SourceError::Failed("the loop never goes back to its start".into()));
            }
            at = next;
        };
        let kinds = Arc::new(RegisterKinds::new(&decoder));
        let mut given = walks.iter();
        let mut turn = Vec::new();
        for number in order {
            let mut in_block = Vec::new();
            for (index, instruction) in blocks[number].iter().enumerate() {
                for (applies, store) in [(instruction.load, false), (instruction.store, true)] {
                    if applies {
                        let walk = given.next().ok_or_else(|| {
                            SourceError::Failed(format!(
                                "no address is given for the access of '{}'",
                                instruction.text
                            ))
                        })?;
                        in_block.push((index as u16, instruction.access_bytes.max(1), store, *walk));
                    }
                }
            }
            turn.push((number, in_block));
        }
        if given.next().is_some() {
            return Err(SourceError::Failed("more addresses are given than the loop has accesses".into()));
        }
        Ok(LoopSource { arch, kinds, blocks, turn, iterations, done: 0, mark: address, exit })
    }

    /// Instructions of one iteration.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.turn.iter().flat_map(|(block, _)| &self.blocks[*block])
    }
}

/// The instructions from `at` to the next branch.
fn decode_block(
    decoder: &mut Decoder,
    code: &[u8],
    address: u64,
    mut at: u64,
) -> Result<Vec<Instruction>, SourceError> {
    let mut block: Vec<Instruction> = Vec::new();
    while block.last().is_none_or(|last| last.flow == Flow::Next) {
        let offset = at.wrapping_sub(address) as usize;
        let bytes = code.get(offset..).filter(|rest| !rest.is_empty());
        let bytes = bytes.ok_or_else(|| {
            SourceError::Failed(format!("the loop runs out of its code at offset {offset}"))
        })?;
        let instruction =
            decoder.decode(bytes, at).map_err(|error| SourceError::Failed(error.to_string()))?;
        at += u64::from(instruction.length);
        block.push(instruction);
    }
    Ok(block)
}

/// The address executed after the branch; `told` if that is given.
fn next_of(
    branch: &Instruction,
    start: u64,
    end: u64,
    told: Option<&mut std::slice::Iter<'_, i64>>,
) -> Result<u64, SourceError> {
    let offset = branch.address.wrapping_sub(start);
    if let Some(told) = told {
        let to = told.next().ok_or_else(|| {
            SourceError::Failed(format!("nobody says where the branch at offset {offset} goes"))
        })?;
        return Ok(if *to < 0 { end } else { start + *to as u64 });
    }
    match branch.flow {
        Flow::Branch { target } if target == start || !branch.conditional => Ok(target),
        Flow::Branch { .. } => Ok(end),
        _ => Err(SourceError::Failed(format!("an instruction at offset {offset} leaves the loop"))),
    }
}

impl Source for LoopSource {
    fn arch(&self) -> Arch {
        self.arch
    }

    fn kinds(&self) -> Arc<RegisterKinds> {
        self.kinds.clone()
    }

    fn mark(&self) -> Option<u64> {
        Some(self.mark)
    }

    fn read(&mut self, chunk: &mut Chunk) -> Result<bool, SourceError> {
        if self.done == self.iterations {
            return Ok(false);
        }
        if self.done == 0 {
            chunk.new_blocks = self.blocks.clone();
        }
        for _ in 0..BATCH.min(self.iterations - self.done) {
            let iteration = self.done;
            self.done += 1;
            for (number, (block, walks)) in self.turn.iter().enumerate() {
                let first = chunk.accesses.len() as u32;
                chunk.accesses.extend(walks.iter().map(|&(instruction, bytes, store, walk)| {
                    let moved = walk.step.wrapping_mul(iteration as i64);
                    let moved = if walk.wrap == 0 { moved } else { moved.rem_euclid(walk.wrap as i64) };
                    Access {
                        instruction,
                        bytes,
                        store,
                        known: true,
                        address: walk.start.wrapping_add_signed(moved),
                    }
                }));
                let next = match self.turn.get(number + 1) {
                    Some((following, _)) => self.blocks[*following][0].address,
                    None if self.done == self.iterations => self.exit,
                    None => self.mark,
                };
                chunk.items.push(Item::Block {
                    block: *block as u32,
                    accesses: first..chunk.accesses.len() as u32,
                    next,
                });
            }
        }
        Ok(true)
    }
}
