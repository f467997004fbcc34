// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The regions of a trace that has several, told apart: how often each was entered, and what it took with all that it called.
//!
//! Cycles are those from the end of what came before the entry to the end of its last instruction, so what overlaps with the
//! code around it counts where it ends. A region inside of another counts in both.

use crate::moment::Moment;
use crate::skipped::Skipped;

/// What a region took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionTotal {
    /// Its number: the place in the trace's list of regions.
    pub number: u8,
    /// How often it was entered.
    pub entries: u64,
    /// Instructions, with those of what it called.
    pub instructions: u64,
    /// Cycles, likewise.
    pub cycles: u64,
    /// Cycles of the first entry.
    pub first_cycles: u64,
}

struct UnderWay {
    region: u8,
    since: Moment,
    /// Of all entries.
    serial: u64,
}

/// Adds up regions as they come and go.
#[derive(Default)]
pub(crate) struct Regions {
    under_way: Vec<UnderWay>,
    entered: u64,
    totals: Vec<RegionTotal>,
}

/// How things stood at the start of a loop's window.
pub(crate) struct Standing {
    totals: Vec<RegionTotal>,
    entered: u64,
}

impl Regions {
    /// A region begins; whether it is inside of no other.
    pub fn enter(&mut self, region: u8, now: Moment) -> bool {
        // The tracer enters no region twice; in a trace that does, the region begins anew.
        if let Some(again) = self.under_way.iter().position(|one| one.region == region) {
            self.under_way.truncate(again);
        }
        self.entered += 1;
        self.under_way.push(UnderWay { region, since: now, serial: self.entered });
        self.under_way.len() == 1
    }

    /// The innermost ends.
    pub fn leave(&mut self, now: Moment) {
        let Some(UnderWay { region, since, .. }) = self.under_way.pop() else { return };
        let cycles = now.cycle.saturating_sub(since.cycle);
        let total = match self.totals.iter_mut().find(|total| total.number == region) {
            Some(total) => total,
            None => {
                self.totals.push(RegionTotal { number: region, first_cycles: cycles, ..Default::default() });
                self.totals.last_mut().expect("just pushed")
            }
        };
        total.entries += 1;
        total.instructions += now.instructions.saturating_sub(since.instructions);
        total.cycles += cycles;
    }

    /// The totals now; None, at no cost, if there are no regions.
    pub fn standing(&self) -> Option<Standing> {
        (self.entered > 0).then(|| Standing { totals: self.totals.clone(), entered: self.entered })
    }

    /// Windows like those since `before` are skipped, which take `took`.
    pub fn repeat_since(&mut self, before: &Standing, skipped: Skipped, took: Moment) {
        for total in &mut self.totals {
            let old = before.totals.iter().find(|old| old.number == total.number).copied();
            let old = old.unwrap_or_default();
            total.entries += skipped.of(total.entries - old.entries);
            total.instructions += skipped.of(total.instructions - old.instructions);
            total.cycles += skipped.of(total.cycles - old.cycles);
        }
        // A call that began in one of them belongs to the last window, so none of the skipped cycles are its own.
        for one in self.under_way.iter_mut().filter(|one| one.serial > before.entered) {
            one.since.cycle += took.cycle;
            one.since.instructions += took.instructions;
        }
    }

    /// Ends the regions that are under way at the end of the run. By number.
    pub fn finish(mut self, now: Moment) -> Vec<RegionTotal> {
        while !self.under_way.is_empty() {
            self.leave(now);
        }
        self.totals.sort_by_key(|total| total.number);
        self.totals
    }
}
