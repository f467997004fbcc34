// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Which loads a core that renames memory expects to find in a store (`memory.rename_learns`). Those that name their bytes as the
//! store did, by the same registers and displacement, it knows at once. Others it learns: each static instruction has a count
//! of executions that found their bytes in one of the newest stores, and loses a part of it when the newest store of the
//! instruction that it found them in last goes elsewhere. On Zen 5 a load that meets a store once in two turns, or in sixteen, is
//! never renamed; one that misses it once in 24 turns is, and every miss is a flush.

use super::planted::{planted, Fault};
use super::table::entry;
use crate::description::Memory;

/// What is known of a static instruction that loads.
#[derive(Clone, Copy, Default)]
struct Learned {
    /// The static instruction whose store it found its bytes in last.
    store: u32,
    times: u32,
}

/// What is known of all.
pub(super) struct Renaming {
    learns: u32,
    unlearns: u32,
    loads: Vec<Learned>,
    /// The newest store of each static instruction, by number.
    newest: Vec<u64>,
}

impl Renaming {
    pub(super) fn new(costs: &Memory) -> Renaming {
        Renaming {
            learns: costs.rename_learns,
            unlearns: costs.rename_unlearns,
            loads: Vec::new(),
            newest: Vec::new(),
        }
    }

    /// Whether loads have to be learned at all.
    #[inline(always)]
    pub(super) fn learns(&self) -> bool {
        self.learns > 0
    }

    /// A static instruction stored: the newest of its stores has that number.
    pub(super) fn stored(&mut self, place: u32, number: u64) {
        *entry(&mut self.newest, place) = number;
    }

    /// Whether a load may find its bytes elsewhere than the core expects.
    #[inline]
    pub(super) fn may_miss(&self, place: u32) -> bool {
        self.loads.get(place as usize).is_some_and(|load| load.times > 0)
    }

    /// The store, by number, that the core expects a load's bytes in.
    pub(super) fn expected(&self, place: u32) -> Option<u64> {
        let load = self.loads.get(place as usize).filter(|load| load.times > 0)?;
        self.newest.get(load.store as usize).copied()
    }

    /// Whether a load of a store that it does not name is renamed.
    pub(super) fn knows(&self, place: u32) -> bool {
        let times = self.loads.get(place as usize).map_or(0, |load| load.times);
        times >= self.learns || planted(Fault::RenamedUnlearned)
    }

    /// A load found its bytes in a store of that static instruction.
    pub(super) fn found(&mut self, place: u32, store: u32) {
        let most = self.learns + self.unlearns;
        let load = entry(&mut self.loads, place);
        *load = Learned { store, times: (load.times + 1).min(most) };
    }

    /// A load found its bytes elsewhere than expected; whether it had been renamed.
    pub(super) fn missed(&mut self, place: u32) -> bool {
        let renamed = self.knows(place);
        let load = entry(&mut self.loads, place);
        let lost = if planted(Fault::MissesForgiven) { 0 } else { self.unlearns };
        load.times = load.times.saturating_sub(lost);
        renamed
    }
}
