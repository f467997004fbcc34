// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What a cpu file says of loads and stores that meet, of addresses, and of the way into the first level.

/// Loads, stores and what goes wrong between them.
#[derive(Clone, Debug)]
pub struct Memory {
    pub(crate) load_queue: usize,
    /// Loads that have not been issued, at most, and the cycles from issue for which they still count.
    pub(crate) waiting_loads: Option<u16>,
    pub(crate) waiting_held: u64,
    pub(crate) store_queue: usize,
    pub(crate) miss_queue: usize,
    pub(crate) forward: u64,
    pub(crate) forward_renamed: Option<u64>,
    /// From the store's data to the load's value.
    pub(crate) forward_data: Option<u64>,
    /// From the store's completion to the load's value, in a general register and in a vector register.
    pub(crate) forward_completed: Option<u64>,
    pub(crate) vector_completed: Option<u64>,
    /// What goes from a general register to a general register waits for the completion, too.
    pub(crate) general_completed: bool,
    /// Added when a doubleword comes from a store and the cache.
    pub(crate) forward_merge: u64,
    pub(crate) forward_vector: u64,
    /// Of a load that gets a part of its bytes from one store and the rest from the cache, if they are merged.
    pub(crate) forward_partial: Option<u64>,
    /// Only if it begins where the store does.
    pub(crate) partial_begins: bool,
    /// If, moreover, the store's data came a cycle after the load before.
    pub(crate) forward_partial_soon: Option<u64>,
    /// Added to the data that rename has added a constant to.
    pub(crate) forward_counted: u64,
    /// From a store's address and data to its completion.
    pub(crate) store_completes: u64,
    /// Cycles after which a load tries again that found no data in its store.
    pub(crate) forward_retry: Option<u64>,
    /// Added to a forwarded load that crosses the first boundary, if that differs from other loads.
    pub(crate) cross_forward: Option<u64>,
    pub(crate) renames: Renames,
    pub(crate) rename_interval: u64,
    /// How many of the newest stores a load can be renamed to.
    pub(crate) rename_reach: u64,
    /// Executions after which a load is renamed to a store of another name, what one that finds it elsewhere takes back, and cycles
    /// from its address until the front end goes on.
    pub(crate) rename_learns: u32,
    pub(crate) rename_unlearns: u32,
    pub(crate) rename_flush: u64,
    /// Bytes of the smallest load that can be renamed.
    pub(crate) rename_least: u64,
    /// The same where something is computed with what is loaded.
    pub(crate) rename_least_computing: u64,
    /// The domain of registers to which rename has added a constant: of less than 8 bytes of these no load is renamed.
    pub(crate) rename_counted: Option<u8>,
    /// Slots more of an instruction that is split at dispatch.
    pub(crate) split_slots: u8,
    /// Cycles that an index adds to a load, and which do.
    pub(crate) indexed: u64,
    pub(crate) indexed_by: IndexedBy,
    pub(crate) forward_failed: u64,
    pub(crate) partial_merges: bool,
    /// Each doubleword may come from another store, not from two.
    pub(crate) doublewords: bool,
    pub(crate) reject_retry: u64,
    pub(crate) drain: u64,
    pub(crate) drain_interval: u64,
    /// Most bytes of two stores that enter the cache together; 0 if none do.
    pub(crate) drain_pair: u64,
    /// Not only two stores enter together.
    pub(crate) drain_run: bool,
    /// Whether they may be of different lines.
    pub(crate) drain_apart: bool,
    pub(crate) order_flush: u64,
    pub(crate) order_waits: bool,
    /// Executions for which a load waits for the address of the store that it once ran before.
    pub(crate) order_remembers: u32,
    /// From the address until then, and until a load that is issued no longer runs too early.
    pub(crate) order_wait: u64,
    pub(crate) order_early: u64,
    /// Bytes by which the core tells that it ran too early.
    pub(crate) order_unit: u64,
    /// Cycles for which it waits, instead.
    pub(crate) order_lasts: u64,
    /// Whether it waits for the addresses of all older stores.
    pub(crate) order_waits_older: bool,
    pub(crate) alias_mask: u64,
    pub(crate) same_group_flush: u64,
    /// Of a repeated string instruction, moved at once; 0: an element.
    pub(crate) string_bytes: u64,
    /// Boundary and cost, both added when crossed.
    pub(crate) crossings: Vec<(u64, u64)>,
    /// Of the first boundary: accesses that a load across it takes the pipes of, and cycles until the next store drains.
    pub(crate) fill_loads: u64,
    /// Accesses more of a load whose line has not come yet.
    pub(crate) late_loads: u64,
    /// Bytes of a bank of the first level, and loads of it in a cycle.
    pub(crate) bank: Option<(u64, u64)>,
    pub(crate) cross_loads: u64,
    pub(crate) cross_drain: u64,
    /// The boundary that a store crosses to take `cross_drain`; 0: that of the first of `crossings`.
    pub(crate) cross_store: u64,
    /// Stores of less than whole aligned units read the cache and write it.
    pub(crate) read_modify: Option<ReadModify>,
}

impl Memory {
    /// Two stores that enter the cache together are within a line, or within what a store may not cross.
    pub(crate) fn pair_bytes(&self, line: u64) -> u64 {
        match self.cross_store {
            0 => line,
            boundary => boundary.min(line),
        }
    }

    /// Cycles that a load loses which a store to these bytes has only some of.
    pub(crate) fn lost(&self, address: u64, bytes: u64) -> u64 {
        let modifies = self.read_modify.filter(|rule| rule.takes(address, bytes));
        self.forward_failed + modifies.map_or(0, |rule| rule.failed)
    }
}

/// A store that is not of whole aligned units is a read-modify-write of the cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadModify {
    /// Bytes of a unit, and of what is written at once.
    pub(crate) unit: u64,
    pub(crate) row: u64,
    /// Cycles until its doublewords can be written again at once.
    pub(crate) busy: u64,
    /// Cycles that a store waits which comes sooner.
    pub(crate) retry: u64,
    /// Cycles more until a load has its bytes that such a store has only some of.
    pub(crate) failed: u64,
}

impl ReadModify {
    /// Whether a store to these bytes is one.
    pub(crate) fn takes(self, address: u64, bytes: u64) -> bool {
        (address | bytes) & (self.unit - 1) != 0
    }
}

/// Which addresses take a load longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexedBy {
    /// Of two registers.
    Register,
    /// With an index that is scaled.
    Scale,
    /// With an index that is scaled, or that a displacement is added to.
    Term,
}

/// Which accesses a core that renames memory can rename to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Renames {
    /// Those by a base register and a displacement.
    #[default]
    Base,
    /// With any form of address.
    Any,
    /// The same, but what computes with the value and stores nothing has to be split at dispatch.
    Split,
}
