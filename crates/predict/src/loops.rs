// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A source made of one loop: machine code, how often it runs, where its accesses go.
//!
//! Published figures are mostly about such loops; this is how they are predicted without a program around them,
//! and how the alignments of a loop are tried: the code stands at whatever address is asked for.

use crate::plan::RegisterKinds;
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
    /// The blocks of an iteration, in the order executed.
    blocks: Vec<Vec<Instruction>>,
    /// Instruction in its block, bytes, whether it stores, where.
    walks: Vec<Vec<(u16, u16, bool, Walk)>>,
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
        let mut decoder = Decoder::new(arch).map_err(|error| SourceError(error.to_string()))?;
        let mut blocks: Vec<Vec<Instruction>> = vec![Vec::new()];
        let mut at = address;
        let exit;
        loop {
            let offset = at.wrapping_sub(address) as usize;
            let bytes = code.get(offset..).filter(|rest| !rest.is_empty());
            let bytes = bytes
                .ok_or_else(|| SourceError(format!("the loop runs out of its code at offset {offset}")))?;
            let instruction = decoder.decode(bytes, at).map_err(|error| SourceError(error.to_string()))?;
            let end = at + u64::from(instruction.length);
            let flow = instruction.flow;
            blocks.last_mut().expect("never empty").push(instruction);
            at = match flow {
                Flow::Branch { target, .. } if target == address => {
                    exit = end;
                    break;
                }
                Flow::Branch { conditional: false, target } => target,
                Flow::Next | Flow::Branch { .. } => end,
                _ => return Err(SourceError(format!("an instruction at offset {offset} leaves the loop"))),
            };
            if flow != Flow::Next {
                blocks.push(Vec::new());
            }
            if blocks.iter().map(Vec::len).sum::<usize>() > 100_000 {
                return Err(SourceError("the loop never goes back to its start".into()));
            }
        }
        let kinds = Arc::new(RegisterKinds::new(&decoder));
        let mut given = walks.iter();
        let mut placed = Vec::new();
        for block in &blocks {
            let mut in_block = Vec::new();
            for (index, instruction) in block.iter().enumerate() {
                for (applies, store) in [(instruction.load, false), (instruction.store, true)] {
                    if applies {
                        let walk = given.next().ok_or_else(|| {
                            SourceError(format!(
                                "no address is given for the access of '{}'",
                                instruction.text
                            ))
                        })?;
                        in_block.push((index as u16, instruction.access_bytes.max(1), store, *walk));
                    }
                }
            }
            placed.push(in_block);
        }
        if given.next().is_some() {
            return Err(SourceError("more addresses are given than the loop has accesses".into()));
        }
        Ok(LoopSource { arch, kinds, blocks, walks: placed, iterations, done: 0, mark: address, exit })
    }

    /// Instructions of one iteration.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.blocks.iter().flatten()
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
            for (number, walks) in self.walks.iter().enumerate() {
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
                let next = match self.blocks.get(number + 1) {
                    Some(block) => block[0].address,
                    None if self.done == self.iterations => self.exit,
                    None => self.mark,
                };
                chunk.items.push(Item::Block {
                    block: number as u32,
                    accesses: first..chunk.accesses.len() as u32,
                    next,
                });
            }
        }
        Ok(true)
    }
}
