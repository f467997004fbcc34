// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A static instruction as the engines see it: its flags, its kind, what it reads and writes. plan.rs makes them.

use crate::core::{result_value, TIME_SHIFT};
use crate::description::*;
use decode::{Register, Role};

/// What a register is renamed to and how it is known to the simulator.
pub const REGISTERS: usize = 256;
/// No register: nobody writes it, and so whoever reads it does not wait.
pub(crate) const NO_REGISTER: u8 = 255;

pub(crate) fn number(register: Register) -> u8 {
    register.0.min(u16::from(NO_REGISTER) - 1) as u8
}

pub(crate) const LOAD: u32 = 1 << 8;
pub(crate) const STORE: u32 = 1 << 9;
pub(crate) const BRANCH: u32 = 1 << 10;
pub(crate) const CONDITIONAL: u32 = 1 << 11;
pub(crate) const CALL: u32 = 1 << 12;
pub(crate) const RETURN: u32 = 1 << 13;
pub(crate) const INDIRECT: u32 = 1 << 14;
pub(crate) const WRITES_GENERAL: u32 = 1 << 15;
pub(crate) const WRITES_VECTOR: u32 = 1 << 16;
pub(crate) const THREE_SOURCES: u32 = 1 << 17;
/// Its address is one register and a constant, and what it moves is in general registers.
pub(crate) const GENERAL_AT_BASE: u32 = 1 << 18;
pub(crate) const MARK: u32 = 1 << 19;
pub(crate) const FALLBACK: u32 = 1 << 20;
pub(crate) const BACKWARD: u32 = 1 << 21;
/// It takes a pipe for one cycle, or none, once all sources are there, and these are of one kind: most instructions.
/// `mask`, `prefer`, `first_sources` and `first_result` say it all but for rare extra sources and results.
pub(crate) const SIMPLE: u32 = 1 << 22;
/// All sources go into an address, or all into memory, or all into neither.
pub(crate) const ONE_KIND: u32 = 1 << 24;
/// It has more sources than `first_sources` holds.
pub(crate) const MANY_SOURCES: u32 = 1 << 25;
/// Two parts, each of which takes a pipe for one cycle or none: one for an address of at most two sources, and for one more
/// source at most one that stores it, or one that computes with it and what was loaded. `mask` and `prefer` are the
/// first part's, and `first_sources` are all, the address's first.
pub(crate) const PAIR: u32 = 1 << 26;
/// Its address is of two registers. Asked of loads only, as `BACKWARD` of direct branches only, which load nothing: one bit
/// says both.
pub(crate) const INDEXED: u32 = BACKWARD;
/// What it moves is in vector registers.
pub(crate) const MOVES_VECTOR: u32 = 1 << 30;
/// It is fused with the instruction in front of it, and counts as one with that.
pub(crate) const FUSED: u32 = 1 << 31;
/// No bypass between domains delays a source of this instruction, which is `ONE_KIND`.
pub(crate) const NEAR: u32 = 1 << 23;
/// Its only part takes all pipes of its units that its superslice has.
pub(crate) const TAKES_PAIR: u32 = 1 << 29;

/// One register written: when, and as what.
#[derive(Clone, Copy, Debug)]
pub struct Result {
    /// Latency and bypass domain, as a value that is there in that cycle (`core::values`).
    pub(crate) value: u32,
    pub(crate) register: u8,
    pub(crate) role: Role,
}

impl Result {
    pub(crate) fn new(register: u8, domain: u8, latency: u16, role: Role) -> Result {
        Result { value: result_value(latency, domain), register, role }
    }

    pub(crate) fn latency(&self) -> u16 {
        (self.value >> TIME_SHIFT) as u16
    }

    /// Its bypass domain.
    #[cfg(test)]
    pub(crate) fn domain(&self) -> u8 {
        crate::core::domain_of(self.value)
    }
}

/// Flags of an instruction of which nothing is known.
pub(crate) const ANYTHING: u32 = u32::MAX;

/// What most instructions are. Each kind has a way of its own through the engines, without questions that do not arise; all
/// but the last mean nothing special to dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `SIMPLE`, and computes in registers only.
    Register,
    /// `SIMPLE`, and branches.
    Branch,
    /// `SIMPLE`, and loads.
    SimpleLoad,
    /// Loads, and is a `PAIR`: computes with what it loads.
    PairLoad,
    /// Loads, not so simply.
    Load,
    /// Stores, and is a `PAIR`.
    PairStore,
    /// Stores, not so simply.
    Store,
    /// Anything else.
    Other,
}

impl Kind {
    pub(crate) fn of(description: &Description, flags: u32) -> Kind {
        let counted = description.dispatch.three_source.map_or(0, |_| THREE_SOURCES);
        let ruled = FIRST | LAST | ALONE | ENDS | EVEN | BEFORE | AFTER | MARK | counted;
        let (simple, pair) = (flags & SIMPLE != 0, flags & PAIR != 0);
        match flags & (ruled | BRANCH | LOAD | STORE) {
            0 if simple => Kind::Register,
            BRANCH if simple => Kind::Branch,
            LOAD if simple => Kind::SimpleLoad,
            LOAD if pair => Kind::PairLoad,
            LOAD => Kind::Load,
            STORE if pair => Kind::PairStore,
            STORE => Kind::Store,
            _ => Kind::Other,
        }
    }
}

/// Waits in no queue.
pub(crate) const NO_QUEUE: u8 = 255;

/// A static instruction as the simulator sees it; one line of the host's cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Op {
    pub(crate) address: u64,
    /// Start in `Plan::sources`; then address sources, stored sources, others.
    pub(crate) sources: u32,
    /// Start in `Plan::results`.
    pub(crate) results: u32,
    /// Start in `Plan::parts`.
    pub(crate) parts: u32,
    pub(crate) flags: u32,
    /// Pipes of the first part, and those of them that it takes if it can.
    pub(crate) mask: u32,
    pub(crate) prefer: u32,
    pub(crate) serial: u16,
    /// Latency of a load that hits, or of the longest result.
    pub(crate) latency: u16,
    /// Cycles from issue until all results are there, at least one; memory left out.
    pub(crate) finish: u16,
    pub(crate) address_sources: u8,
    pub(crate) stored_sources: u8,
    pub(crate) other_sources: u8,
    pub(crate) result_count: u8,
    pub(crate) part_count: u8,
    /// Domain that the sources of a `ONE_KIND` instruction are read in, or those of another that go neither into an address
    /// nor into memory.
    pub(crate) source_domain: u8,
    pub(crate) slots: u8,
    pub(crate) length: u8,
    /// The queue it waits in, or `NO_QUEUE`.
    pub(crate) queue: u8,
    /// How it comes to its half of the core (`core::halves`).
    pub(crate) steer: u8,
    /// Sources of a `ONE_KIND` instruction or a `PAIR`, `NO_REGISTER` if there are fewer.
    pub(crate) first_sources: [u8; 3],
    pub(crate) first_result: Result,
    pub(crate) kind: Kind,
    /// Identity for tables kept per static instruction.
    pub(crate) index: u32,
}

impl Op {
    pub(crate) fn is(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The same, asked of an instruction whose flags are `known` when this is compiled, those of its kind, unless they are
    /// `ANYTHING`.
    #[inline(always)]
    pub(crate) fn has(&self, flag: u32, known: u32) -> bool {
        if known == ANYTHING {
            self.is(flag)
        } else {
            known & flag != 0
        }
    }

    /// Registers read.
    pub(crate) fn source_count(&self) -> u8 {
        self.address_sources + self.stored_sources + self.other_sources
    }

    pub(crate) fn end(&self) -> u64 {
        self.address.wrapping_add(u64::from(self.length))
    }
}
