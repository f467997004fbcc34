// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Where restoring pays: a synthetic vcore that walks a list of its own, a share of its steps going to lines that are never
//! reused, between two vcores that stream. Swept are slice length and that share, rate and table, the time that a log has,
//! what is restored of a table, the posted code's mistakes, and moves to another core.

use super::{record, EngineRecord, Study, SLICES, WARM_UP};
use prefetch_engine::{Bug, Geometry, LogScope, Outcome, Rate, Restore, Scheduler, Settings, Step, Vcore};

/// The list: three quarters of POWER8's second level.
const LIST_LINES: u64 = 3072;
/// Slices in microseconds, and percent of steps that reuse the list.
pub const SLICES_US: [u64; 6] = [20, 50, 100, 300, 1000, 5000];
/// See `SLICES_US`.
pub const REUSE_PERCENT: [u64; 5] = [0, 25, 50, 75, 100];
/// Slice length and reuse at which the other parameters are varied.
const AT_US: u64 = 100;
const AT_PERCENT: u64 = 100;
/// Slice length at which mistakes and moves are shown.
const MISTAKES_AT_US: u64 = 1000;

/// Steps of which `reuse` percent, chosen at random, walk the list with a stride of 1025 lines, which reaches all of it;
/// each of the others goes to the next line of fresh memory.
fn list(reuse: u64) -> Vec<Step> {
    let (mut state, mut fresh) = (0x9e37_79b9_7f4a_7c15u64, 1 << 30);
    let mut at = 0;
    (0..LIST_LINES * 100)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let line = if state % 100 < reuse {
                at = (at + 1025) % LIST_LINES;
                at
            } else {
                fresh += 1;
                fresh
            };
            Step { instructions: 6, line, store: false }
        })
        .collect()
}

fn stream() -> Vec<Step> {
    (0..400_000).map(|index| Step { instructions: 4, line: index, store: index % 3 == 2 }).collect()
}

struct Bench {
    geometry: Geometry,
    stream: Vec<Step>,
    clock_mhz: f64,
}

impl Bench {
    fn run(&self, list: &[Step], settings: Settings) -> Outcome {
        let mut vcores: Vec<Vcore<'_>> = [list, &self.stream, &self.stream]
            .into_iter()
            .zip(0..)
            .map(|(steps, number)| Vcore::new(number, steps))
            .collect();
        vcores[0].dependent = true;
        Scheduler::new(self.geometry, settings, vcores).run(SLICES, WARM_UP)
    }

    fn cycles(&self, us: u64) -> u64 {
        (us as f64 * self.clock_mhz) as u64
    }
}

/// All points.
pub fn run(study: &Study, geometry: Geometry, base: Settings) -> Vec<EngineRecord> {
    let bench = Bench { geometry, stream: stream(), clock_mhz: study.clock_mhz };
    let mut records = Vec::new();
    let mut point = |part, row: String, list: &[Step], settings: Settings| {
        let off = bench.run(list, Settings { restore: Restore::Off, ..settings });
        let on = bench.run(list, settings);
        records.push(record(study, part, &row, &off, &on, 3));
    };
    let on = Settings { restore: Restore::WholeTable, ..base };
    for us in SLICES_US {
        for reuse in REUSE_PERCENT {
            let settings = Settings { slice_cycles: bench.cycles(us), ..on };
            point("slice_and_reuse", format!("slice {us} us, reuse {reuse} %"), &list(reuse), settings);
        }
    }
    let steps = list(AT_PERCENT);
    let at = Settings { slice_cycles: bench.cycles(AT_US), ..on };
    for scope in [LogScope::L2, LogScope::L2L3] {
        for rate in Rate::ALL {
            let name = if scope == LogScope::L2 { "L2, 32 KiB" } else { "L2 and L3's way, 128 KiB" };
            let row = format!("{name}, a line every {} cycles", rate.cycles());
            // A log of 12288 lines needs three times as long.
            let host_cycles = if scope == LogScope::L2 { at.host_cycles } else { 3 * at.host_cycles };
            point("rate_and_table", row, &steps, Settings { scope, rate, host_cycles, ..at });
        }
    }
    for us in [0, 1, 2, 4, 8, 12] {
        let settings = Settings { host_cycles: bench.cycles(us), ..at };
        point("log_time", format!("{us} us from exit to entry"), &steps, settings);
    }
    for (name, restore) in [
        ("whole table", Restore::WholeTable),
        ("lines logged twice running", Restore::LoggedTwice),
        ("not if the table is stale", Restore::FreshOnly),
        ("by recency", Restore::ByRecency),
        ("only lines that the vcore itself used", Restore::OwnOnly),
    ] {
        for reuse in [50, 100] {
            let settings = Settings { restore, ..at };
            point("variant", format!("{name}, reuse {reuse} %"), &list(reuse), settings);
        }
    }
    // A slice length at which the engine gains much, yet the vcore still makes progress without it.
    let at = Settings { slice_cycles: bench.cycles(MISTAKES_AT_US), ..on };
    for (name, bug, scope) in [
        ("as meant", None, LogScope::L2),
        ("logmpp names r1, whatever it is given", Some(Bug::OperandIgnored), LogScope::L2),
        ("the buffer is allocated as the vcore runs", Some(Bug::AllocatedLate), LogScope::L2),
        ("tables aligned to 64 KiB only, of L2", Some(Bug::SmallGranule), LogScope::L2),
        ("as meant, of L2 and L3's way", None, LogScope::L2L3),
        ("tables aligned to 64 KiB only, of both", Some(Bug::SmallGranule), LogScope::L2L3),
    ] {
        let host_cycles = if scope == LogScope::L2 { at.host_cycles } else { 3 * at.host_cycles };
        point("mistake", name.to_owned(), &steps, Settings { bug, scope, host_cycles, ..at });
    }
    for (name, moves_every) in
        [("never", 0), ("every 4 slices", 4), ("every 2 slices", 2), ("every slice", 1)]
    {
        for (what, restore) in [("whole table", Restore::WholeTable), ("not if stale", Restore::FreshOnly)] {
            let settings = Settings { moves_every, restore, ..at };
            point("move", format!("to another core {name}, {what}"), &steps, settings);
        }
    }
    records
}
