// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Why instructions wait.

/// Why an instruction was not dispatched, or issued in order, in an earlier cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Cause {
    /// Fetch delivered too little: block boundaries, width.
    Fetch,
    /// Redirecting fetch to the target of a taken branch.
    TakenBranch,
    /// Instruction cache misses.
    InstructionCache,
    /// Wrongly predicted branches.
    Mispredict,
    /// The slots of the cycle before were full, or a rule kept it apart from what was dispatched there.
    DispatchRules,
    /// An issue queue was full.
    IssueQueue,
    /// Rename registers ran out.
    Rename,
    /// The window (or load queue) was full of instructions waiting for sources.
    Dependency,
    /// The same, waiting for a pipe.
    Unit,
    /// The same, waiting for data beyond the first-level cache.
    CacheMiss,
    /// The same, waiting for an older store (forwarding, rejection, flush).
    LoadHitStore,
    /// The store queue was full.
    StoreQueue,
    /// A serialising instruction.
    Serialise,
    /// A load was flushed because it ran before an older store to its bytes.
    OrderFlush,
}

/// The bits that a cause's number takes in a word with something else.
pub(crate) const CAUSE_BITS: u32 = 4;
pub(crate) const CAUSE_MASK: u64 = (1 << CAUSE_BITS) - 1;

impl Cause {
    /// How many there are.
    pub const COUNT: usize = 14;

    /// The cause whose number is in the lowest bits.
    pub(crate) fn numbered(word: u64) -> Cause {
        Cause::ALL.get((word & CAUSE_MASK) as usize).copied().unwrap_or(Cause::Dependency)
    }

    /// All, in the order of their numbers.
    pub const ALL: [Cause; Cause::COUNT] = [
        Cause::Fetch,
        Cause::TakenBranch,
        Cause::InstructionCache,
        Cause::Mispredict,
        Cause::DispatchRules,
        Cause::IssueQueue,
        Cause::Rename,
        Cause::Dependency,
        Cause::Unit,
        Cause::CacheMiss,
        Cause::LoadHitStore,
        Cause::StoreQueue,
        Cause::Serialise,
        Cause::OrderFlush,
    ];

    /// A name for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Cause::Fetch => "fetch",
            Cause::TakenBranch => "taken-branch",
            Cause::InstructionCache => "instruction-cache",
            Cause::Mispredict => "mispredict",
            Cause::DispatchRules => "dispatch-slots",
            Cause::IssueQueue => "issue-queue",
            Cause::Rename => "rename",
            Cause::Dependency => "dependency",
            Cause::Unit => "unit",
            Cause::CacheMiss => "cache-miss",
            Cause::LoadHitStore => "load-hit-store",
            Cause::StoreQueue => "store-queue",
            Cause::Serialise => "serialise",
            Cause::OrderFlush => "order-flush",
        }
    }
}
