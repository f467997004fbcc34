// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Facts about a static instruction, one bit each: from its class in the cpu file, from what it does, and on how the engines
//! may execute it. And which of them an engine knows already if it is compiled for one kind of instruction.

use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// A set of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags(u32);

impl Flags {
    pub(crate) const NONE: Flags = Flags(0);

    // Of its class.
    /// It begins a dispatch group, or a cycle's set; in order: it completes only as the first of its cycle.
    pub(crate) const FIRST: Flags = Flags(1);
    /// Nothing after it is dispatched with it.
    pub(crate) const LAST: Flags = Flags(1 << 1);
    /// A group of its own.
    pub(crate) const ALONE: Flags = Flags(1 << 2);
    /// It closes a group, which its branch slot does not change.
    pub(crate) const ENDS: Flags = Flags(1 << 3);
    /// It starts at an even slot.
    pub(crate) const EVEN: Flags = Flags(1 << 4);
    /// It waits for all before it.
    pub(crate) const BEFORE: Flags = Flags(1 << 5);
    /// All after it wait for it.
    pub(crate) const AFTER: Flags = Flags(1 << 6);
    /// What it stores is not forwarded.
    pub(crate) const NO_FORWARD: Flags = Flags(1 << 7);
    /// The domains of its sources do more than to delay it: it takes neither a pipe nor time, so that its result is its source by
    /// another name, or it takes its pipe again to add rename's constant. Asked of what accesses no memory, as `NO_FORWARD` of
    /// what does: one bit says both.
    pub(crate) const BY_DOMAIN: Flags = Flags::NO_FORWARD;
    /// No third operation goes into its tuple.
    pub(crate) const RESTRICTED: Flags = Flags(1 << 27);
    /// Its operations hold entries of issue queues, more than one. Asked of plain cores only, as `RESTRICTED` of those with
    /// slices: one bit says both.
    pub(crate) const QUEUED_APART: Flags = Flags::RESTRICTED;
    /// It goes to both slices of its superslice, or keeps the other slice's place empty.
    pub(crate) const BOTH: Flags = Flags(1 << 28);
    /// A result of it is of another domain to what is dispatched in a later cycle. Asked of plain cores only, as `BOTH` of those with
    /// slices: one bit says both.
    pub(crate) const PASSES: Flags = Flags::BOTH;

    // What it does.
    pub(crate) const LOAD: Flags = Flags(1 << 8);
    pub(crate) const STORE: Flags = Flags(1 << 9);
    pub(crate) const BRANCH: Flags = Flags(1 << 10);
    pub(crate) const CONDITIONAL: Flags = Flags(1 << 11);
    pub(crate) const CALL: Flags = Flags(1 << 12);
    pub(crate) const RETURN: Flags = Flags(1 << 13);
    pub(crate) const INDIRECT: Flags = Flags(1 << 14);
    pub(crate) const WRITES_GENERAL: Flags = Flags(1 << 15);
    pub(crate) const WRITES_VECTOR: Flags = Flags(1 << 16);
    pub(crate) const THREE_SOURCES: Flags = Flags(1 << 17);
    /// Its address is one register and a constant, and what it moves is in general registers.
    pub(crate) const GENERAL_AT_BASE: Flags = Flags(1 << 18);
    /// Its passages are reported.
    pub(crate) const MARK: Flags = Flags(1 << 19);
    /// No class of the cpu file has it.
    pub(crate) const FALLBACK: Flags = Flags(1 << 20);
    /// Static prediction takes it: backward, unless its hint says otherwise.
    pub(crate) const BACKWARD: Flags = Flags(1 << 21);
    /// Its address is of two registers. Asked of loads only, as `BACKWARD` of direct branches only, which load nothing: one
    /// bit says both.
    pub(crate) const INDEXED: Flags = Flags::BACKWARD;
    /// What it moves is in vector registers.
    pub(crate) const MOVES_VECTOR: Flags = Flags(1 << 30);

    // How the engines may take it.
    /// It takes a pipe for one cycle, or none, once all sources are there, and these are of one kind: most instructions.
    /// `mask`, `prefer`, `first_sources` and `first_result` of an `Op` describe it completely, except for rare extra sources
    /// and results, and for further pipes of a branch.
    pub(crate) const SIMPLE: Flags = Flags(1 << 22);
    /// No bypass between domains delays a source of this instruction, and `first_sources` holds all if they are of one kind.
    pub(crate) const NEAR: Flags = Flags(1 << 23);
    /// All sources go into an address, or all into memory, or all into neither.
    pub(crate) const ONE_KIND: Flags = Flags(1 << 24);
    /// It has more sources than `first_sources` holds.
    pub(crate) const MANY_SOURCES: Flags = Flags(1 << 25);
    /// Two parts, each of which takes a pipe for one cycle or none: one for an address of at most two sources, and for one
    /// more source at most one that stores it, or one that computes with it and what was loaded. `mask` and `prefer` are the
    /// first part's, and `first_sources` are all, the address's first.
    pub(crate) const PAIR: Flags = Flags(1 << 26);
    /// Its only part takes all pipes of its units that its superslice has.
    pub(crate) const TAKES_PAIR: Flags = Flags(1 << 29);
    /// It is fused with the instruction in front of it, and counts as one with that.
    pub(crate) const FUSED: Flags = Flags(1 << 31);

    /// Both sets, where constants are made.
    pub(crate) const fn and(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// Whether one of these is in it.
    #[inline(always)]
    pub(crate) const fn has(self, any_of: Flags) -> bool {
        self.0 & any_of.0 != 0
    }

    /// These flags if the condition holds, else none.
    pub(crate) const fn when(self, so: bool) -> Flags {
        if so {
            self
        } else {
            Flags::NONE
        }
    }
}

impl BitOr for Flags {
    type Output = Flags;

    #[inline(always)]
    fn bitor(self, other: Flags) -> Flags {
        self.and(other)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        *self = self.and(other);
    }
}

impl BitAnd for Flags {
    type Output = Flags;

    #[inline(always)]
    fn bitand(self, other: Flags) -> Flags {
        Flags(self.0 & other.0)
    }
}

impl Not for Flags {
    type Output = Flags;

    fn not(self) -> Flags {
        Flags(!self.0)
    }
}

/// What is known of an instruction's flags where an engine is compiled for its kind: such an engine asks no question whose
/// answer is known.
pub(crate) trait Known {
    /// All flags of `Kind` that such an instruction has; `None` if nothing is known.
    const FLAGS: Option<Flags>;
}

/// Declares a type of which these flags are known.
macro_rules! known {
    ($($(#[$doc:meta])* $name:ident: $flags:expr;)*) => {
        $(
            $(#[$doc])*
            pub(crate) struct $name;

            impl Known for $name {
                const FLAGS: Option<Flags> = $flags;
            }
        )*
    };
}

known! {
    /// Any instruction.
    Anything: None;
    /// It computes in registers, simply.
    Simple: Some(Flags::SIMPLE);
    /// It branches, simply.
    SimpleBranch: Some(Flags::BRANCH.and(Flags::SIMPLE));
    /// It loads, simply.
    SimpleLoad: Some(Flags::LOAD.and(Flags::SIMPLE));
    /// It computes with what it loads.
    PairLoad: Some(Flags::LOAD.and(Flags::PAIR));
    /// It loads, not so simply.
    OtherLoad: Some(Flags::LOAD);
    /// It stores, in two parts.
    PairStore: Some(Flags::STORE.and(Flags::PAIR));
    /// It stores, not so simply.
    OtherStore: Some(Flags::STORE);
}
