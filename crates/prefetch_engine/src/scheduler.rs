// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Virtual cores that take turns on one core, after `kvmppc_run_core` in the mail thread: at entry, if the vcore has a log,
//! abort any log and fetch the vcore's table; at exit, abort any fetch and start a log. Each vcore has a buffer, allocated
//! when the vcore is created, and a flag that the buffer holds a log.

use crate::engine::{Engine, LogScope, Rate};
use crate::hierarchy::{Counts, Geometry, Hierarchy};
use crate::operand::{FetchControl, FetchOperand, LogControl, LogOperand};
use crate::steps::Step;
use std::collections::HashSet;

/// A bug of the posted code, to be modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// `logmpp` encodes r1 instead of its operand, so it gets a stack address, whose control bits request nothing.
    OperandIgnored,
    /// The buffer is allocated when the vcore runs first, so the first run restores nothing.
    AllocatedLate,
    /// The posted mask and pages align the buffer to 64 KiB only: not enough for the table of both levels.
    SmallGranule,
}

/// Which lines of a table are fetched, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restore {
    /// Nothing is restored.
    Off,
    /// All of it, in the engine's order.
    WholeTable,
    /// Only lines that are in the vcore's previous log, too (IBM's patent of 2017 intersects the last two).
    LoggedTwice,
    /// All of it, or nothing if the log is from another core or older than two rounds of all vcores.
    FreshOnly,
    /// The most recently used line of every set first, then the second of each, and so on.
    ByRecency,
    /// Only lines that the vcore itself touched in its last slice (an ideal region or reuse filter).
    OwnOnly,
}

/// Parameters of a run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Cycles of a slice.
    pub slice_cycles: u64,
    /// What is logged.
    pub scope: LogScope,
    /// How fast the table is fetched.
    pub rate: Rate,
    /// Which lines of the table are fetched.
    pub restore: Restore,
    /// The bug to model, if any.
    pub bug: Option<Bug>,
    /// Cycles per instruction without cache misses.
    pub cycles_per_instruction: f64,
    /// Lines that the host touches between two vcores.
    pub host_lines: u64,
    /// Cycles from one vcore's exit to the next one's entry: all the time that a log has, since entry aborts it.
    pub host_cycles: u64,
    /// Slices of each vcore after which all vcores move to another core; 0: never.
    pub moves_every: u64,
}

/// A vcore: its program, the current position and the state of its buffer.
pub struct Vcore<'a> {
    steps: &'a [Step],
    at: usize,
    /// Added to every line: vcores share no memory.
    offset: u64,
    buffer_valid: bool,
    allocated: bool,
    logged_at: u64,
    last_log: HashSet<u64>,
    touched: HashSet<u64>,
    /// Whether its instructions wait for every load that misses.
    pub dependent: bool,
    /// Instructions that it executed.
    pub instructions: u64,
    /// Cycles that it ran.
    pub cycles: u64,
    /// Instructions of each slice.
    pub slices: Vec<u64>,
    accesses: u64,
    access_cycles: u64,
}

impl<'a> Vcore<'a> {
    /// A vcore at the start of a program; with an empty program it idles.
    pub fn new(number: u64, steps: &'a [Step]) -> Vcore<'a> {
        Vcore {
            steps,
            at: 0,
            offset: number << 40,
            buffer_valid: false,
            allocated: true,
            logged_at: 0,
            last_log: HashSet::new(),
            touched: HashSet::new(),
            dependent: false,
            instructions: 0,
            cycles: 0,
            slices: Vec::new(),
            accesses: 0,
            access_cycles: 0,
        }
    }
}

/// Number of restored lines, and what became of them, in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fate {
    /// Lines that the engine asked for.
    pub lines: u64,
    /// Were in the second level already.
    pub present: f64,
    /// Were used in time.
    pub used: f64,
    /// Were used before they had arrived.
    pub late: f64,
    /// Were evicted unused; the remaining lines are in the cache unused at the end.
    pub evicted: f64,
}

/// The outcome of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Instructions per cycle of each vcore.
    pub rates: Vec<f64>,
    /// Instructions of each slice of each vcore.
    pub slices: Vec<Vec<u64>>,
    /// Mean latency of each vcore's accesses in cycles; hits of the first level count as 0.
    pub access_cycles: Vec<f64>,
    /// The counts of the caches.
    pub counts: Counts,
    /// Logs that were aborted before they were complete.
    pub logs_aborted: u64,
    /// Operands that the engine refused, without any effect.
    pub operands_refused: u64,
    /// What became of restored lines.
    pub fate: Fate,
}

/// A core with its vcores.
pub struct Scheduler<'a> {
    settings: Settings,
    caches: Hierarchy,
    engine: Engine,
    vcores: Vec<Vcore<'a>>,
    now: u64,
    turn: u64,
    /// Line and arrival of the misses in flight.
    flying: Vec<(u64, u64)>,
    operands_refused: u64,
}

/// Real address of the first buffer, aligned for any table.
const BUFFERS_AT: u64 = 0x1_0000_0000;
const BUFFER_BYTES: u64 = 128 << 10;
/// The alignment that pages of 64 KiB and the posted mask guarantee.
const SMALL_GRANULE_BYTES: u64 = 64 << 10;
/// Address of a kernel stack: the value of r1 where the posted `logmpp` is executed.
const KERNEL_STACK: u64 = 0xc000_001f_e2a3_b9d0;

impl<'a> Scheduler<'a> {
    /// A core that has run nothing yet.
    pub fn new(geometry: Geometry, settings: Settings, mut vcores: Vec<Vcore<'a>>) -> Scheduler<'a> {
        for vcore in &mut vcores {
            vcore.allocated = settings.bug != Some(Bug::AllocatedLate);
        }
        Scheduler {
            caches: Hierarchy::new(geometry),
            engine: Engine::new(vcores.len()),
            flying: vec![(u64::MAX, 0); geometry.misses.max(1)],
            settings,
            vcores,
            now: 0,
            turn: 0,
            operands_refused: 0,
        }
    }

    /// Real address of a vcore's table.
    fn buffer(&self, number: usize) -> u64 {
        let off = if self.settings.bug == Some(Bug::SmallGranule) { SMALL_GRANULE_BYTES } else { 0 };
        BUFFERS_AT + off + number as u64 * BUFFER_BYTES
    }

    /// Runs this number of slices of every vcore, the first `warm_up` of which are not counted.
    pub fn run(mut self, slices: u64, warm_up: u64) -> Outcome {
        let mut before = Counts::default();
        for round in 0..slices {
            if round == warm_up {
                before = self.caches.counts();
                for vcore in &mut self.vcores {
                    (vcore.instructions, vcore.cycles) = (0, 0);
                    (vcore.accesses, vcore.access_cycles) = (0, 0);
                    vcore.slices.clear();
                }
            }
            if self.settings.moves_every > 0 && round > 0 && round % self.settings.moves_every == 0 {
                self.move_to_another_core();
            }
            for number in 0..self.vcores.len() {
                self.slice(number);
            }
        }
        self.outcome(before)
    }

    /// Moves all vcores to another core with empty caches; the tables stay valid, as they are in memory.
    pub fn move_to_another_core(&mut self) {
        self.engine.abort_log();
        self.engine.abort_fetch();
        self.caches = self.caches.emptied();
        self.flying.fill((u64::MAX, 0));
        for vcore in &mut self.vcores {
            // FreshOnly treats a log of another core as stale.
            vcore.logged_at = 0;
        }
    }

    fn slice(&mut self, number: usize) {
        self.turn += 1;
        self.entry(number);
        let start = self.now;
        let end = start + self.settings.slice_cycles;
        let instructions = self.vcores[number].instructions;
        self.vcores[number].touched.clear();
        while self.now < end {
            if self.vcores[number].steps.is_empty() {
                self.now = end;
                break;
            }
            self.step(number);
        }
        let vcore = &mut self.vcores[number];
        vcore.cycles += self.now - start;
        vcore.slices.push(vcore.instructions - instructions);
        self.exit(number);
    }

    fn step(&mut self, number: usize) {
        let vcore = &mut self.vcores[number];
        let step = vcore.steps[vcore.at];
        vcore.at = if vcore.at + 1 == vcore.steps.len() { 0 } else { vcore.at + 1 };
        vcore.instructions += u64::from(step.instructions);
        let line = step.line + vcore.offset;
        let dependent = vcore.dependent;
        if self.settings.restore == Restore::OwnOnly {
            vcore.touched.insert(line);
        }
        // Computed from the sum of instructions, so that fractions of a cycle are not lost.
        let cpi = self.settings.cycles_per_instruction;
        let whole = |count: u64| (count as f64 * cpi) as u64;
        self.now += whole(vcore.instructions) - whole(vcore.instructions - u64::from(step.instructions));
        self.engine.advance(&mut self.caches, self.now);
        let (_, arrival) =
            if step.store { self.caches.store(line, self.now) } else { self.caches.load(line, self.now) };
        self.vcores[number].accesses += 1;
        self.vcores[number].access_cycles += arrival - self.now;
        let near = self.now + self.caches.geometry().levels[1].latency;
        if arrival <= near {
            return;
        }
        // A miss takes the queue's oldest entry and waits until that is free; a miss on a line in flight takes none.
        // Dependent code waits for the loaded line, too.
        if !self.flying.iter().any(|&(flying, until)| flying == line && until > self.now) {
            let oldest = (0..self.flying.len()).min_by_key(|&entry| self.flying[entry].1).unwrap_or(0);
            self.now = self.now.max(self.flying[oldest].1);
            self.flying[oldest] = (line, arrival);
        }
        if dependent && !step.store {
            self.now = self.now.max(arrival);
        }
    }

    /// `/* If we have a saved list of L2/L3, restore it */`
    fn entry(&mut self, number: usize) {
        self.host();
        let vcore = &mut self.vcores[number];
        let late = !std::mem::replace(&mut vcore.allocated, true);
        if late || !vcore.buffer_valid || self.settings.restore == Restore::Off {
            return;
        }
        self.engine.abort_log();
        let address = self.buffer(number);
        let rate = Rate::ALL.iter().position(|&rate| rate == self.settings.rate).unwrap_or(0) as u8;
        let register = FetchOperand { address, control: FetchControl::WholeTable, rate }.encode();
        let operand = FetchOperand::decode(register).expect("every buffer is aligned to 32 KiB");
        if operand.control == FetchControl::WholeTable {
            let lines = self.chosen(number);
            self.engine.fetch(lines, Rate::ALL[usize::from(operand.rate)], self.now);
        }
    }

    /// The lines of the table that are to be restored, in order.
    fn chosen(&mut self, number: usize) -> Vec<u64> {
        let table = self.engine.table(number).to_vec();
        let ways = self.caches.geometry().levels[1].ways;
        let sets = self.caches.geometry().levels[1].sets as u64;
        let vcore = &mut self.vcores[number];
        match self.settings.restore {
            Restore::Off => Vec::new(),
            Restore::WholeTable => table,
            Restore::LoggedTwice => {
                let both = table.iter().copied().filter(|line| vcore.last_log.contains(line)).collect();
                vcore.last_log = table.into_iter().collect();
                both
            }
            Restore::FreshOnly => {
                let fresh = vcore.logged_at > 0 && self.turn - vcore.logged_at <= 2 * self.engine_tables();
                if fresh {
                    table
                } else {
                    Vec::new()
                }
            }
            Restore::ByRecency => {
                let mut ranked: Vec<(usize, u64)> = Vec::with_capacity(table.len());
                let mut rank = (u64::MAX, 0);
                for line in table {
                    rank = if rank.0 == line % sets { (rank.0, rank.1 + 1) } else { (line % sets, 0) };
                    ranked.push((rank.1.min(ways), line));
                }
                ranked.sort_by_key(|&(rank, _)| rank);
                ranked.into_iter().map(|(_, line)| line).collect()
            }
            Restore::OwnOnly => table.into_iter().filter(|line| vcore.touched.contains(line)).collect(),
        }
    }

    fn engine_tables(&self) -> u64 {
        self.vcores.len() as u64
    }

    /// `/* Finally, issue logmpp to save cache contents for L2 */`
    fn exit(&mut self, number: usize) {
        if self.settings.restore == Restore::Off || self.vcores[number].steps.is_empty() {
            return;
        }
        self.engine.abort_fetch();
        let control = match self.settings.scope {
            LogScope::L2 => LogControl::L2,
            LogScope::L2L3 => LogControl::L2L3,
        };
        let address = self.buffer(number);
        let register = match self.settings.bug {
            Some(Bug::OperandIgnored) => KERNEL_STACK,
            _ => LogOperand { address, control }.encode(),
        };
        match LogOperand::decode(register).map(|operand| operand.control) {
            Ok(LogControl::L2) => self.engine.log(number, LogScope::L2, self.now),
            Ok(LogControl::L2L3) => self.engine.log(number, LogScope::L2L3, self.now),
            Ok(LogControl::NoOperation | LogControl::Abort) => {}
            Err(_) => self.operands_refused += 1,
        }
        let vcore = &mut self.vcores[number];
        vcore.buffer_valid = true;
        vcore.logged_at = self.turn;
    }

    /// Runs the host between two vcores: it accesses lines of its own while the engine continues.
    fn host(&mut self) {
        let ready = self.now + self.settings.host_cycles;
        for line in 0..self.settings.host_lines {
            self.engine.advance(&mut self.caches, self.now);
            let (_, arrival) = self.caches.load((1 << 50) + line, self.now);
            self.now = arrival.max(self.now + 1);
        }
        self.now = self.now.max(ready);
        self.engine.advance(&mut self.caches, self.now);
    }

    fn outcome(&self, before: Counts) -> Outcome {
        let counts = since(self.caches.counts(), before);
        let percent =
            |part: u64| if counts.restored == 0 { 0.0 } else { part as f64 * 100.0 / counts.restored as f64 };
        let fate = Fate {
            lines: counts.restored,
            present: percent(counts.restored_present),
            used: percent(counts.restored_used),
            late: percent(counts.restored_late),
            evicted: percent(counts.restored_evicted),
        };
        let mean = |vcore: &Vcore<'_>| vcore.access_cycles as f64 / vcore.accesses.max(1) as f64;
        let rate = |vcore: &Vcore<'_>| vcore.instructions as f64 / vcore.cycles.max(1) as f64;
        Outcome {
            rates: self.vcores.iter().map(rate).collect(),
            slices: self.vcores.iter().map(|vcore| vcore.slices.clone()).collect(),
            access_cycles: self.vcores.iter().map(mean).collect(),
            counts,
            logs_aborted: self.engine.logs_aborted,
            operands_refused: self.operands_refused,
            fate,
        }
    }
}

fn since(now: Counts, before: Counts) -> Counts {
    let less = |a: [u64; 3], b: [u64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    Counts {
        accesses: now.accesses - before.accesses,
        hits: less(now.hits, before.hits),
        misses: less(now.misses, before.misses),
        restored_used: now.restored_used - before.restored_used,
        restored_late: now.restored_late - before.restored_late,
        restored_evicted: now.restored_evicted - before.restored_evicted,
        restored: now.restored - before.restored,
        restored_present: now.restored_present - before.restored_present,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::tests::geometry;

    fn settings(restore: Restore) -> Settings {
        Settings {
            slice_cycles: 20_000,
            scope: LogScope::L2,
            rate: Rate::ALL[0],
            restore,
            bug: None,
            cycles_per_instruction: 1.0,
            host_lines: 0,
            host_cycles: 1000,
            moves_every: 0,
        }
    }

    /// Cycles through lines that fit the second level.
    fn walk() -> Vec<Step> {
        (0..24).map(|line| Step { instructions: 4, line: line * 7 % 24, store: false }).collect()
    }

    fn run(settings: Settings) -> Outcome {
        let (first, second) = (walk(), walk());
        let mut vcores = vec![Vcore::new(0, &first), Vcore::new(1, &second)];
        vcores.iter_mut().for_each(|vcore| vcore.dependent = true);
        Scheduler::new(geometry(), settings, vcores).run(20, 4)
    }

    #[test]
    fn restoring_brings_lines_that_are_used_and_makes_dependent_walks_faster() {
        let (without, with) = (run(settings(Restore::Off)), run(settings(Restore::WholeTable)));
        assert_eq!(without.counts.restored, 0);
        assert!(with.fate.used + with.fate.late > 20.0, "{:?}", with.fate);
        assert!(with.rates[0] > without.rates[0], "{:?} {:?}", with.rates, without.rates);
    }

    #[test]
    fn a_log_has_only_the_time_between_two_vcores() {
        let none = run(Settings { host_cycles: 0, ..settings(Restore::WholeTable) });
        let one_set = 2 * 2 * 16;
        assert!(none.counts.restored <= one_set, "entry aborts the log that exit has begun");
        let some = run(Settings { host_cycles: 100, ..settings(Restore::WholeTable) });
        let all = run(settings(Restore::WholeTable));
        assert!(0 < some.counts.restored && some.counts.restored < all.counts.restored);
    }

    #[test]
    fn the_posted_instruction_restores_nothing() {
        let posted = run(Settings { bug: Some(Bug::OperandIgnored), ..settings(Restore::WholeTable) });
        assert_eq!(posted.counts.restored, 0);
        assert_eq!(posted.rates, run(settings(Restore::Off)).rates);
    }

    #[test]
    fn a_late_buffer_costs_the_first_turn_only() {
        let late = run(Settings { bug: Some(Bug::AllocatedLate), ..settings(Restore::WholeTable) });
        assert!(late.counts.restored > 0);
    }

    #[test]
    fn a_granule_of_64_kib_is_enough_for_the_second_level_only() {
        let small = |scope| {
            let bug = Some(Bug::SmallGranule);
            run(Settings { bug, scope, host_cycles: 10_000, ..settings(Restore::WholeTable) })
        };
        let (second, both) = (small(LogScope::L2), small(LogScope::L2L3));
        assert!(second.counts.restored > 0 && second.operands_refused == 0, "{second:?}");
        assert_eq!((both.counts.restored, both.operands_refused), (0, 40), "{both:?}");
    }

    #[test]
    fn a_log_that_is_aborted_is_counted() {
        assert_eq!(run(settings(Restore::WholeTable)).logs_aborted, 0);
        let cut = run(Settings { host_cycles: 100, ..settings(Restore::WholeTable) });
        assert!(cut.logs_aborted > 20, "{cut:?}");
    }

    #[test]
    fn moves_make_the_engine_worth_more() {
        let gain = |moves_every| {
            let of = |restore| run(Settings { moves_every, ..settings(restore) });
            of(Restore::WholeTable).rates[0] / of(Restore::Off).rates[0]
        };
        assert!(gain(1) > gain(0), "{} {}", gain(1), gain(0));
    }

    #[test]
    fn restored_lines_shorten_the_mean_access() {
        let of = |restore| run(settings(restore)).access_cycles[0];
        assert!(of(Restore::WholeTable) < of(Restore::Off));
    }

    #[test]
    fn variants_choose_from_the_table() {
        let whole = run(settings(Restore::WholeTable)).counts.restored;
        for restore in [Restore::LoggedTwice, Restore::FreshOnly, Restore::ByRecency, Restore::OwnOnly] {
            let chosen = run(settings(restore)).counts.restored;
            assert!(chosen > 0 && chosen <= whole + whole / 10, "{restore:?}: {chosen} of {whole}");
        }
    }

    #[test]
    fn another_core_knows_nothing_but_the_tables() {
        let steps = walk();
        let mut scheduler =
            Scheduler::new(geometry(), settings(Restore::WholeTable), vec![Vcore::new(0, &steps)]);
        scheduler.slice(0);
        scheduler.host();
        scheduler.move_to_another_core();
        scheduler.slice(0);
        assert!(scheduler.caches.counts().restored >= 20, "{:?}", scheduler.caches.counts());
    }
}
