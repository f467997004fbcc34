// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What a prediction reads: blocks executed, in order, with their accesses; loops may come folded.
//!
//! A source hands out chunks, so that several cpus can be predicted in parallel from one reading. A loop whose
//! iterations differ only by constant steps of their addresses comes as its first iteration and an `Item::Repeat`;
//! each cpu then decides for itself how much of it to simulate.

use crate::register_kinds::RegisterKinds;
use arch::Arch;
use decode::Instruction;
use std::ops::Range;
use std::sync::Arc;

/// One access to memory by one execution of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Index of the instruction in its block.
    pub instruction: u16,
    /// Bytes accessed.
    pub bytes: u16,
    /// Whether it writes.
    pub store: bool,
    /// Whether `address` is known; if not, the access is taken to hit and to meet no store.
    pub known: bool,
    /// First byte.
    pub address: u64,
}

/// One step of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A block was executed.
    Block {
        /// Its number: blocks are numbered as they first appear.
        block: u32,
        /// Its accesses in `Chunk::accesses`, ordered by instruction.
        accesses: Range<u32>,
        /// The address executed next.
        next: u64,
    },
    /// The last `items` items, all blocks, were executed `times` times more, each access a step further on.
    Repeat {
        /// Items of one iteration.
        items: u32,
        /// Iterations beyond the one given.
        times: u64,
        /// Step of each access of the iteration, in order, in `Chunk::steps`.
        steps: Range<u32>,
    },
    /// The region of interest was entered: a call begins.
    Enter,
    /// Of several regions, which may be inside of each other, the one of this number was entered.
    Into(u8),
    /// Of several regions, the one entered last was left.
    OutOf,
}

/// Some of what was executed.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    /// Blocks that appear for the first time, in the order of their numbers.
    pub new_blocks: Vec<Vec<Instruction>>,
    /// What was executed.
    pub items: Vec<Item>,
    /// Accesses of the items.
    pub accesses: Vec<Access>,
    /// Bytes between the addresses of an access in one iteration and the next.
    pub steps: Vec<i64>,
}

impl Chunk {
    /// Empties it for reuse.
    pub fn clear(&mut self) {
        self.new_blocks.clear();
        self.items.clear();
        self.accesses.clear();
        self.steps.clear();
    }
}

/// Where a prediction reads from.
pub trait Source {
    /// The architecture of the program.
    fn arch(&self) -> Arch;
    /// Kinds of its registers.
    fn kinds(&self) -> Arc<RegisterKinds>;
    /// The address whose passages are reported as calls, if there is one.
    fn mark(&self) -> Option<u64>;
    /// Whether the source tells calls apart, by the mark or by entries of a region.
    fn calls(&self) -> bool {
        self.mark().is_some()
    }
    /// Fills the (empty) chunk; false when there was nothing more.
    fn read(&mut self, chunk: &mut Chunk) -> Result<bool, SourceError>;
}

/// The source failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The bytes of a trace file are at fault: recorded again, it can be read.
    #[error("{0}")]
    Damaged(String),
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}

impl From<trace::Error> for SourceError {
    fn from(error: trace::Error) -> SourceError {
        let text = error.to_string();
        if error.is_of_content() {
            SourceError::Damaged(text)
        } else {
            SourceError::Failed(text)
        }
    }
}

impl From<decode::Error> for SourceError {
    fn from(error: decode::Error) -> SourceError {
        SourceError::Failed(error.to_string())
    }
}
