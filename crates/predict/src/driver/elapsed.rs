// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The time of a run, and what is timed by it. A core's clock does not include skipped cycles; calls and regions are timed with
//! them, or a loop that is skipped inside a call would make the call short.

use crate::calls::Calls;
use crate::core::Core;
use crate::moment::Moment;
use crate::regions::{RegionTotal, Regions, Standing};
use crate::skipped::Skipped;
use crate::source::Item;

/// Skipped cycles of a run at the most: whatever is counted of these has room in 64 bits, as has a few times as much.
const SKIPPED_MAX: u64 = 1 << 60;

/// The skipped cycles and instructions, the calls and the regions.
#[derive(Default)]
pub(super) struct Elapsed {
    calls: Calls,
    regions: Regions,
    skipped_cycles: u64,
    skipped_instructions: u64,
    too_long: bool,
    until_settled: bool,
    has_settled: bool,
    /// The region that is entered first, from outside of all.
    outermost: Option<u8>,
    /// Another one is entered from outside, too, so that there is no such thing as a call's time.
    mixed: bool,
}

/// How things stood at the start of a loop's window.
pub(super) struct Before {
    calls: u64,
    standing: Option<Standing>,
}

/// What calls and regions took.
pub(super) struct Times {
    pub(super) cycles: u64,
    pub(super) cold: Option<f64>,
    pub(super) per_call: Option<f64>,
    pub(super) calls: u64,
    pub(super) regions: Vec<RegionTotal>,
}

impl Elapsed {
    /// `until_settled`: the run is to stop when calls have settled; `in_order`: no call runs while another one waits.
    pub(super) fn new(until_settled: bool, in_order: bool) -> Elapsed {
        Elapsed { until_settled, calls: Calls::new(in_order), ..Elapsed::default() }
    }

    /// Whether the run is to stop because calls have settled.
    pub(super) fn has_settled(&self) -> bool {
        self.has_settled
    }

    /// Whether the run takes more cycles than are counted.
    pub(super) fn is_too_long(&self) -> bool {
        self.too_long
    }

    /// Whether so many more cycles can be skipped. If not, the run is too long.
    pub(super) fn has_room_for(&mut self, cycles: u64) -> bool {
        self.too_long |= cycles > SKIPPED_MAX - self.skipped_cycles.min(SKIPPED_MAX);
        !self.too_long
    }

    /// Calls that began and ended.
    pub(super) fn calls_ended(&self) -> u64 {
        self.calls.count.saturating_sub(1)
    }

    /// Of so many instructions, those executed one by one.
    pub(super) fn simulated(&self, executed: u64) -> u64 {
        executed - self.skipped_instructions
    }

    fn moment(&self, core: &dyn Core) -> Moment {
        Moment { cycle: core.now() + self.skipped_cycles, instructions: core.executed() }
    }

    /// Takes over the passages of the mark. Has to be called before cycles are skipped.
    pub(super) fn collect_marks(&mut self, core: &mut dyn Core) {
        if core.marks().is_empty() {
            return;
        }
        for mark in core.marks().drain(..) {
            self.calls.pass(Moment { cycle: mark.cycle + self.skipped_cycles, ..mark });
        }
        self.look_whether_settled(core);
    }

    fn look_whether_settled(&mut self, core: &dyn Core) {
        if self.until_settled && !self.mixed {
            self.has_settled = self.calls.settled(core.executed());
        }
    }

    fn enter(&mut self, core: &dyn Core) {
        let now = self.moment(core);
        self.calls.pass(now);
        self.look_whether_settled(core);
    }

    /// An item that is not code: a call begins, a region begins or ends. Whether a region is entered from outside of all.
    pub(super) fn mark(&mut self, core: &dyn Core, mark: &Item) -> bool {
        match mark {
            Item::Into(region) => {
                let now = self.moment(core);
                if !self.regions.enter(*region, now) {
                    return false;
                }
                self.mixed |= *self.outermost.get_or_insert(*region) != *region;
                self.enter(core);
                true
            }
            Item::OutOf => {
                let now = self.moment(core);
                self.regions.leave(now);
                false
            }
            Item::Enter => {
                self.enter(core);
                true
            }
            Item::Block { .. } | Item::Repeat { .. } => unreachable!("code is no mark"),
        }
    }

    /// How things stand at the start of a loop's window.
    pub(super) fn before(&self) -> Before {
        Before { calls: self.calls.count, standing: self.regions.standing() }
    }

    /// Adds cycles in which nothing more was executed.
    pub(super) fn delay(&mut self, cycles: u64) {
        self.skipped_cycles += cycles;
    }

    /// Skips windows like those since `before`, which take `took`.
    pub(super) fn skip(&mut self, before: &Before, skipped: Skipped, took: Moment) {
        self.skipped_instructions += took.instructions;
        self.calls.skip(skipped.of(self.calls.count - before.calls), took);
        self.skipped_cycles += took.cycle;
        if let Some(standing) = &before.standing {
            self.regions.repeat_since(standing, skipped, took);
        }
    }

    /// The times at the end of the run.
    pub(super) fn finish(mut self, core: &dyn Core) -> Times {
        let end = self.moment(core);
        if self.calls.count == 1 {
            self.calls.cold =
                Some(end.cycle.saturating_sub(self.calls.last.unwrap_or_default().cycle) as f64);
        }
        Times {
            cycles: end.cycle,
            cold: self.calls.cold.filter(|_| !self.mixed),
            per_call: self.calls.steady().filter(|_| !self.mixed),
            calls: self.calls.count,
            regions: self.regions.finish(end),
        }
    }
}
