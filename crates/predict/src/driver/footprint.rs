// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The lines that a loop's iterations access, and which of them the first-level cache holds: windows of a loop can be skipped
//! only as long as they find their lines as the simulated ones did.

use crate::ahead::{moving_of, Ahead};
use crate::core::Core;
use crate::source::{Access, Item};

/// Windows that are walked behind the first one and before the last one that is skipped: enough to fill any cache, as each goes on
/// by a line at the least. Those between them, which only a loop of more than thirty million turns has, are taken to find what the
/// first ones found: a trace of a few bytes may have 2^56 of them, and to walk these would take ages.
const WALKED: u64 = 1 << 20;

/// The accesses of a loop that move from one iteration to the next.
pub(super) struct Footprint {
    moving: Vec<(Access, i64)>,
    line: u64,
}

impl Footprint {
    pub(super) fn new(body: &[Item], accesses: &[Access], steps: &[i64], line: u64) -> Footprint {
        Footprint { moving: moving_of(body, accesses, steps), line }
    }

    /// How many of the possible windows find their lines in the first-level cache as the ones before did: the loads
    /// all of them, the stores all but `missing`. Advances the caches by that many windows.
    pub(super) fn skippable(&self, core: &mut dyn Core, ahead: &Ahead, missing: u64) -> u64 {
        if self.moving.is_empty() {
            return ahead.possible;
        }
        let mut skipped = 0;
        while skipped < ahead.possible {
            let next = Ahead { done: ahead.done + skipped * ahead.window, ..*ahead };
            if self.stores_missing(core, &next) != Some(missing) {
                return skipped;
            }
            // Walks side by side train prefetch streams otherwise than one behind the other.
            for (address, store) in next.in_order(&self.moving, self.line) {
                core.touch(address, store);
            }
            skipped += 1;
            if skipped == WALKED {
                skipped = skipped.max(ahead.possible.saturating_sub(WALKED));
            }
        }
        ahead.possible
    }

    /// How many of the lines that the stores of a window access are not in the first-level cache. None if a load's is not: one
    /// window may wait for it, the next that finds its lines does not.
    pub(super) fn stores_missing(&self, core: &mut dyn Core, ahead: &Ahead) -> Option<u64> {
        (self.missing(core, ahead, false) == Some(0)).then(|| self.missing(core, ahead, true)).flatten()
    }

    /// How many of the lines that the loads or the stores of a window access are not in the first-level cache. None if any
    /// was prefetched, because its time of arrival would then matter.
    fn missing(&self, core: &mut dyn Core, ahead: &Ahead, store: bool) -> Option<u64> {
        let mut missing = Vec::new();
        for address in ahead.lines(&self.moving, store, self.line) {
            if core.is_prefetched(address) {
                return None;
            }
            if !core.holds(address, store) {
                missing.push(address / self.line);
            }
        }
        missing.sort_unstable();
        missing.dedup();
        Some(missing.len() as u64)
    }
}
