// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Virtual cores in turn on one core, after the thread's `kvmppc_run_core`: at entry abort any log and fetch the vcore's
//! table, at exit abort any fetch and log. A buffer a vcore, allocated when it is created, and a flag whether it holds a log.

use crate::engine::{Engine, LogScope, Rate};
use crate::hierarchy::{Counts, Geometry, Hierarchy};
use crate::operand::{FetchControl, FetchOperand, LogControl, LogOperand};
use crate::steps::Step;
use std::collections::HashSet;

/// A mistake of the posted code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// `logmpp` encodes r1 and never its operand, so it gets a stack's address, whose control bits say: do nothing.
    OperandIgnored,
    /// The buffer is allocated when the vcore runs, in a run that has then no log to restore; none is saved before it.
    AllocatedLate,
    /// The buffer is aligned as the posted mask and its pages are, to 64 KiB: not enough for the table of both levels.
    SmallGranule,
}

/// What is done with a table before it is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restore {
    /// Nothing is restored.
    Off,
    /// All of it, in the engine's order.
    WholeTable,
    /// Only lines that the vcore's log before had, too (IBM's patent of 2017 intersects the last two).
    LoggedTwice,
    /// Not at all if the log is of another core or older than two turns.
    FreshOnly,
    /// The most recently used line of every set first, then the second of each, and so on.
    ByRecency,
    /// Lines that the vcore itself has touched in its last slice (a region or reuse filter, at its best).
    OwnOnly,
}

/// How it runs.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Cycles of a slice.
    pub slice_cycles: u64,
    /// What is logged.
    pub scope: LogScope,
    /// How fast it is fetched.
    pub rate: Rate,
    /// Which of it.
    pub restore: Restore,
    /// A mistake, if any.
    pub bug: Option<Bug>,
    /// Cycles of an instruction that misses nothing.
    pub cycles_per_instruction: f64,
    /// Lines that the host touches between two vcores.
    pub host_lines: u64,
    /// Cycles from one vcore's exit to the next one's entry: all the time that a log has, since entry aborts it.
    pub host_cycles: u64,
    /// All vcores go to another core whenever each has had so many slices; 0: never.
    pub moves_every: u64,
}

/// A program of a vcore and where it stands.
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
    /// Whether its instructions wait for every miss.
    pub dependent: bool,
    /// Instructions and cycles that it ran.
    pub instructions: u64,
    /// See `instructions`.
    pub cycles: u64,
    /// The shortest and the longest slice, in instructions: how even it runs.
    pub slices: Vec<u64>,
    accesses: u64,
    access_cycles: u64,
}

impl<'a> Vcore<'a> {
    /// A vcore at the beginning of a program; an empty one idles.
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

/// What became of restored lines, in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fate {
    /// Asked for by the engine.
    pub lines: u64,
    /// Of them: in the second level already, used in time, used but late, evicted unused; the rest is there unused at the end.
    pub present: f64,
    /// See `present`.
    pub used: f64,
    /// See `present`.
    pub late: f64,
    /// See `present`.
    pub evicted: f64,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Instructions a cycle of each vcore.
    pub rates: Vec<f64>,
    /// Instructions of each slice of each vcore.
    pub slices: Vec<Vec<u64>>,
    /// Mean cycles of each vcore's accesses from the request to the line, those of the first level's hits being none.
    pub access_cycles: Vec<f64>,
    /// What the caches counted.
    pub counts: Counts,
    /// Logs that an entry ended before they were complete.
    pub logs_aborted: u64,
    /// Operands that the engine refused: nothing was done.
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

/// Where buffers stand in real memory: 64 KiB pages, aligned to any table.
const BUFFERS_AT: u64 = 0x1_0000_0000;
const BUFFER_BYTES: u64 = 128 << 10;
/// What pages of 64 KiB, and the posted mask, leave of an alignment.
const SMALL_GRANULE_BYTES: u64 = 64 << 10;
/// A kernel stack, which is what r1 holds where the posted `logmpp` is executed.
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

    /// Where a vcore's table is.
    fn buffer(&self, number: usize) -> u64 {
        let off = if self.settings.bug == Some(Bug::SmallGranule) { SMALL_GRANULE_BYTES } else { 0 };
        BUFFERS_AT + off + number as u64 * BUFFER_BYTES
    }

    /// Gives every vcore so many slices, the first `warm_up` of which count for nothing.
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

    /// Moves all vcores to another core, whose caches hold nothing of theirs; tables stay valid, as they are in memory.
    pub fn move_to_another_core(&mut self) {
        self.engine.abort_log();
        self.engine.abort_fetch();
        self.caches = self.caches.emptied();
        self.flying.fill((u64::MAX, 0));
        for vcore in &mut self.vcores {
            // FreshOnly takes a log of another core for stale.
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
        // Fractions of a cycle are kept by the instructions' sum.
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
        // A miss takes the queue's oldest entry, which has to be free; one for a line that is on its way takes none. Who depends
        // on a load waits for it besides.
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

    /// What the host itself touches between two vcores, in lines of its own, while the engine goes on.
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

    /// Goes round among lines that fit the second level.
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
