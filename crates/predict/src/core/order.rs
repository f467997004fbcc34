// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Loads that ran before the address of an older store to their bytes was known. Such a load is flushed, with what is younger, or
//! its core has it wait in the first place; and it waits for addresses from then on, for so many executions
//! (`memory.order_remembers`) or cycles (`memory.order_lasts`).

use super::drains::Store;
use super::planted::{planted, Fault};
use super::store_queue::{Meets, StoreQueue};
use super::table::entry;
use crate::description::Memory;

/// What is known of a load that once ran too early.
#[derive(Clone, Copy, Default)]
struct Early {
    flushed: bool,
    /// It waits so many times more for the address of the newest store of that static instruction, or, with
    /// `Order::waits_older`, for the addresses of all older stores;
    left: u32,
    store: u32,
    /// and so do those that were dispatched before the last of these times, or before the wait ends.
    until: u64,
}

impl Early {
    /// Whether a load dispatched at `dispatch` waits.
    fn waits(&self, dispatch: u64) -> bool {
        self.left > 0 || dispatch < self.until
    }
}

/// What becomes of a load that was ready too early, and when it tries.
pub(super) enum Ran {
    Waits(u64),
    /// It is fetched again.
    Flushed(u64),
}

/// All such loads of a core.
pub(super) struct Order {
    /// Cycles from a store's address until a load that was flushed is fetched again, and until one that waited is issued.
    flush: u64,
    wait: u64,
    /// Every load waits that is ready before the address of a store to its bytes.
    always: bool,
    waits_older: bool,
    /// Loads that once ran too early wait, for so many executions or cycles.
    is_remembered: bool,
    remembers: u32,
    lasts: u64,
    /// By static instruction.
    early: Vec<Early>,
    /// When the address of each static instruction's newest store was known, and of all stores so far.
    addressed: Vec<u64>,
    all_addressed: u64,
}

impl Order {
    pub(super) fn new(costs: &Memory) -> Order {
        Order {
            flush: costs.order_flush,
            wait: costs.order_wait,
            always: costs.order_waits,
            waits_older: costs.order_waits_older,
            is_remembered: costs.order_remembers > 0 || costs.order_lasts > 0,
            remembers: costs.order_remembers,
            lasts: costs.order_lasts,
            early: Vec::new(),
            addressed: Vec::new(),
            all_addressed: 0,
        }
    }

    /// Whether a load of that static instruction waits for addresses although it may meet no store.
    #[inline(always)]
    pub(super) fn waits(&self, index: u32, dispatch: u64) -> bool {
        self.is_remembered && self.early.get(index as usize).is_some_and(|early| early.waits(dispatch))
    }

    /// The newest store of a static instruction has its address at `cycle`.
    #[inline(always)]
    pub(super) fn addressed(&mut self, index: u32, cycle: u64) {
        if !self.is_remembered {
            return;
        }
        if self.waits_older {
            self.all_addressed = self.all_addressed.max(cycle);
        } else {
            *entry(&mut self.addressed, index) = cycle;
        }
    }

    /// A load that was dispatched at `dispatch` was ready before an older store's address: it waits, or it ran and is flushed, once
    /// or, if it waits for all older stores, whenever it does not wait.
    pub(super) fn too_early(&mut self, index: u32, store: &Store, dispatch: u64) -> Ran {
        let early = entry(&mut self.early, index);
        let waits = if self.waits_older { early.waits(dispatch) } else { early.flushed };
        let flushed = !planted(Fault::FlushedAgain);
        *early = Early { flushed, left: self.remembers, store: store.index, until: early.until };
        if self.always || waits {
            return Ran::Waits(store.address_time + self.wait);
        }
        let again = store.address_time + self.flush;
        if self.lasts > 0 {
            early.until = again + if planted(Fault::WaitsNoLonger) { 0 } else { self.lasts };
        }
        Ran::Flushed(again)
    }

    /// A load that waits for all older addresses meets a store in flight: it goes on to wait.
    pub(super) fn meets_again(&mut self, index: u32) {
        if self.waits_older && !planted(Fault::MetForgotten) {
            entry(&mut self.early, index).left = self.remembers;
        }
    }

    /// When the addresses are known that the load waits for because it once ran too early; 0 if it does not wait.
    #[inline]
    pub(super) fn known(
        &mut self,
        index: u32,
        dispatch: u64,
        issue: u64,
        met: Option<&(Meets, Store)>,
        stores: &StoreQueue,
    ) -> u64 {
        if !self.is_remembered || planted(Fault::StoreForgotten) {
            return 0;
        }
        let Some(early) = self.early.get_mut(index as usize).filter(|early| early.waits(dispatch)) else {
            return 0;
        };
        let last = early.left == 1;
        early.left = early.left.saturating_sub(1);
        if !self.waits_older {
            return self.addressed[early.store as usize] + self.wait;
        }
        // What is older than a store that has all the bytes does not matter.
        let known = match met {
            Some((Meets::All, store)) => stores.addressed_from(store.number),
            _ => self.all_addressed,
        };
        if last && !planted(Fault::WaitsAsRun) {
            early.until = known.max(issue);
        }
        known + self.wait
    }
}
