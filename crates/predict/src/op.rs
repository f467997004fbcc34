// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A static instruction as the engines see it: its flags, its kind, what it reads and writes. plan.rs makes them.

use crate::description::*;
use crate::flags::{Flags, Known};
use crate::value::{result_value, TIME_SHIFT};
use decode::{Register, Role};

/// How many numbers the simulator has for registers.
pub const REGISTERS: usize = 256;
/// No register: it is never written, so reading it never waits.
pub(crate) const NO_REGISTER: u8 = 255;

pub(crate) fn number(register: Register) -> u8 {
    register.0.min(u16::from(NO_REGISTER) - 1) as u8
}

/// One register written: when, and as what. Packed, so that an `Op` fits into a line of the host's cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, packed(2))]
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
    pub(crate) fn domain(&self) -> u8 {
        crate::value::domain_of(self.value)
    }
}

/// The kinds of most instructions. Each has its own path through the engines, without checks that cannot apply to it; to
/// dispatch, all but the last are ordinary.
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
    pub(crate) fn of(description: &Description, flags: Flags) -> Kind {
        let counted = description.dispatch.three_source.map_or(Flags::NONE, |_| Flags::THREE_SOURCES);
        let ruled = Flags::FIRST
            | Flags::LAST
            | Flags::ALONE
            | Flags::ENDS
            | Flags::EVEN
            | Flags::BEFORE
            | Flags::AFTER
            | Flags::MARK
            | counted;
        let (simple, pair) = (flags.has(Flags::SIMPLE), flags.has(Flags::PAIR));
        match flags & (ruled | Flags::BRANCH | Flags::LOAD | Flags::STORE) {
            Flags::NONE if simple => Kind::Register,
            Flags::BRANCH if simple => Kind::Branch,
            Flags::LOAD if simple => Kind::SimpleLoad,
            Flags::LOAD if pair => Kind::PairLoad,
            Flags::LOAD => Kind::Load,
            Flags::STORE if pair => Kind::PairStore,
            Flags::STORE => Kind::Store,
            _ => Kind::Other,
        }
    }
}

/// Kinds of steering below this go to either half of a core in turn; from this one on they have all their pipes in one:
/// the first, then the second.
pub(crate) const FIXED: u8 = 8;
/// The steering of instructions that wait in no half.
pub(crate) const NEITHER: u8 = 255;

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
    pub(crate) flags: Flags,
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
    /// Domain in which the sources of a `ONE_KIND` instruction are read; of another one, the sources that go neither into an
    /// address nor into memory.
    pub(crate) source_domain: u8,
    pub(crate) slots: u8,
    pub(crate) length: u8,
    /// What fetch counts: constants of up to 32 bits in its encoding, a target among them, or, where decoded instructions are kept
    /// (`decoded.entries`), those known of its line from it on.
    pub(crate) fetched_with: u8,
    /// The queue it waits in, or `NO_QUEUE`.
    pub(crate) queue: u8,
    /// How its half of the core is chosen (`core::halves`); on a core without, a bit for each limit on what is accepted in a cycle
    /// that it counts for (`accept.*`).
    pub(crate) steer: u8,
    /// Where operations bound to a pipe have a limit (`binding.entries`), the pipes that its first such operation can take.
    pub(crate) bound: u8,
    /// Sources of a `ONE_KIND` instruction or a `PAIR`, `NO_REGISTER` if there are fewer.
    pub(crate) first_sources: [u8; 3],
    pub(crate) first_result: Result,
    pub(crate) kind: Kind,
    /// Identity for tables kept per static instruction.
    pub(crate) index: u32,
}

const _: () = assert!(size_of::<Op>() == 64);

impl Op {
    /// Whether one of these is so.
    #[inline(always)]
    pub(crate) fn is(&self, any_of: Flags) -> bool {
        self.flags.has(any_of)
    }

    /// The same, without reading the instruction in an engine that is compiled for a kind whose flags are known. Only for
    /// flags of `Kind`.
    #[inline(always)]
    pub(crate) fn has<K: Known>(&self, flag: Flags) -> bool {
        match K::FLAGS {
            None => self.is(flag),
            Some(flags) => flags.has(flag),
        }
    }

    /// Whether one of a set that is made when the cpu is read is set; only those that this kind can have are tested.
    #[inline(always)]
    pub(crate) fn has_some<K: Known>(&self, set: Flags) -> bool {
        self.is(K::FLAGS.map_or(set, |flags| set & flags))
    }

    /// Registers read.
    pub(crate) fn source_count(&self) -> u8 {
        self.address_sources + self.stored_sources + self.other_sources
    }

    pub(crate) fn end(&self) -> u64 {
        self.address.wrapping_add(u64::from(self.length))
    }
}
