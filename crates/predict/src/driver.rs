// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! From a source to predictions: feeds cores, skips over loops in steady state, collects the result.

use crate::ahead::{moving_of, Ahead};
use crate::calls::Calls;
use crate::core::planted::{planted, Fault};
use crate::core::{self, Core, Counters, Event};
use crate::cpu::Cpu;
use crate::description::Description;
use crate::fallback::Fallback;
use crate::plan::Plan;
use crate::profile::{Before, Place, Profile};
use crate::regions::{Moment, RegionTotal, Regions};
use crate::register_kinds::RegisterKinds;
use crate::relax::Relax;
use crate::settled::Settled;
use crate::source::{Access, Chunk, Item, Source, SourceError};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::sync_channel;
use std::sync::Arc;

/// How to predict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Skip loops that have reached a steady state.
    pub skip_loops: bool,
    /// Resources taken as free or unlimited.
    pub relax: Relax,
    /// Keep the events of this many instructions, and from which executed instruction on.
    pub events: Option<(u64, u64)>,
    /// (address, n): keep events from the block on that executes the instruction at this address for the nth simulated time,
    /// and stop when there are as many as `events` says.
    pub events_at: Option<(u64, u64)>,
    /// Charge each instruction with its cycles, instead of keeping events; that takes about twice as long.
    pub profile: bool,
    /// Bytes by which the code is placed further on than in the trace; data stays where it is.
    pub shift: u64,
    /// Stop after about this many simulated instructions; that is enough to compare cores, but not for the whole run.
    pub simulated_max: Option<u64>,
    /// Stop when calls have settled: the cycles of a call are then known, those of the run are not.
    pub until_settled: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            skip_loops: true,
            relax: Relax::default(),
            events: None,
            events_at: None,
            profile: false,
            shift: 0,
            simulated_max: None,
            until_settled: false,
        }
    }
}

/// What a cpu is predicted to do.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// The cpu's name.
    pub cpu: String,
    /// Clock in MHz.
    pub clock_mhz: f64,
    /// Cycles from the first fetch to the last completion.
    pub cycles: u64,
    /// Cycles of the first call, caches and predictors cold; none without a mark.
    pub cycles_cold: Option<f64>,
    /// Cycles per call at the end of the run; none with fewer than two calls.
    pub cycles_per_call: Option<f64>,
    /// Calls seen.
    pub calls: u64,
    /// Instructions simulated one by one (the rest was skipped in steady state).
    pub simulated: u64,
    /// What was counted.
    pub counters: Counters,
    /// Percentage of executed instructions whose class came from the cpu file.
    pub coverage_percent: f64,
    /// Classes of the cpu file that instructions were timed by: what the file says of others cannot matter.
    pub classes: BTreeSet<String>,
    /// Mnemonics in no class of the cpu file, with their executions (skipped ones left out).
    pub fallbacks: BTreeMap<String, u64>,
    /// Events asked for, and the text and address of each static instruction they name.
    pub timeline: Option<crate::timeline::Timeline>,
    /// Where the cycles went, if that was asked for: every static instruction, in the order of its first execution.
    pub profile: Option<Vec<Place>>,
    /// Of a trace with several regions: what each took. By number.
    pub regions: Vec<RegionTotal>,
}

impl Prediction {
    /// Instructions per cycle.
    pub fn ipc(&self) -> f64 {
        self.counters.instructions as f64 / self.cycles.max(1) as f64
    }

    /// Total time in nanoseconds.
    pub fn time_ns(&self) -> f64 {
        self.cycles as f64 * 1000.0 / self.clock_mhz
    }
}

/// A prediction cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PredictError {
    /// The program is not for this cpu.
    #[error("{cpu} does not run {program} programs, but: {}; choose a cpu that does with -c", runs.join(" "))]
    WrongArch {
        /// The cpu.
        cpu: String,
        /// The program's architecture.
        program: arch::Arch,
        /// The architectures it runs.
        runs: Vec<String>,
    },
    /// The program cannot run on this cpu.
    #[error("{cpu} does not have what the program executes: {}; choose a cpu that has it with -c, or build the program for {cpu}", what.join(", "))]
    Lacks {
        /// The cpu.
        cpu: String,
        /// Mnemonics, each with the address of its first.
        what: Vec<String>,
    },
    /// The cpu file is wrong.
    #[error(transparent)]
    Cpu(#[from] crate::cpu::CpuError),
    /// The source failed.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// Nothing was executed.
    #[error("nothing was executed: the trace holds no instruction{}", if *marked { " of the region of interest; record a run that calls the function" } else { "; record a run that executes one" })]
    Nothing {
        /// Whether there was a region of interest.
        marked: bool,
    },
}

/// Predicts the program of `source` on each of `cpus`, in parallel.
pub fn predict(
    source: &mut dyn Source,
    cpus: &[&Cpu],
    options: &Options,
) -> Result<Vec<Prediction>, PredictError> {
    let jobs: Vec<_> = cpus.iter().map(|cpu| (*cpu, options.clone())).collect();
    predict_jobs(source, &jobs)
}

/// Predicts the program of `source` for each pair of cpu and options, in parallel, reading it once.
pub fn predict_jobs(
    source: &mut dyn Source,
    jobs: &[(&Cpu, Options)],
) -> Result<Vec<Prediction>, PredictError> {
    let arch = source.arch();
    for (cpu, _) in jobs {
        if !cpu.runs(arch) {
            let runs = cpu.words("arch").to_vec();
            return Err(PredictError::WrongArch { cpu: cpu.name.clone(), program: arch, runs });
        }
    }
    let (kinds, mark, calls) = (source.kinds(), source.mark(), source.calls());
    let new_runner = |cpu: &Cpu, options: &Options| Runner::new(cpu, options, arch, kinds.clone(), mark);
    if let [(cpu, options)] = jobs {
        let mut runner = new_runner(cpu, options)?;
        let mut chunk = Chunk::default();
        while source.read(&mut chunk)? {
            runner.chunk(&chunk);
            chunk.clear();
        }
        return Ok(vec![runner.finish(calls)?]);
    }
    std::thread::scope(|scope| {
        let mut senders = Vec::new();
        let mut threads = Vec::new();
        for (cpu, options) in jobs {
            let (sender, receiver) = sync_channel::<Arc<Chunk>>(4);
            senders.push(sender);
            threads.push(scope.spawn(move || {
                let mut runner = new_runner(cpu, options)?;
                for chunk in receiver {
                    runner.chunk(&chunk);
                }
                runner.finish(calls)
            }));
        }
        let mut failure = None;
        loop {
            let mut chunk = Chunk::default();
            match source.read(&mut chunk) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
            let chunk = Arc::new(chunk);
            for sender in &senders {
                // A thread that has failed no longer receives; its error is found when it is joined.
                let _ = sender.send(chunk.clone());
            }
        }
        drop(senders);
        let results = threads.into_iter().map(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        let predictions = results.collect::<Result<Vec<_>, _>>();
        match failure {
            Some(error) => Err(error.into()),
            None => predictions,
        }
    })
}

/// One cpu at work.
struct Runner {
    name: String,
    clock_mhz: f64,
    description: Description,
    kinds: Arc<RegisterKinds>,
    plan: Plan,
    core: Box<dyn Core>,
    skip_loops: bool,
    shift: u64,
    simulated_max: u64,
    events: Option<(u64, u64)>,
    events_at: Option<(u64, u64)>,
    recorded: Vec<Event>,
    profile: Option<Profile>,
    texts: Vec<(u64, String)>,
    calls: Calls,
    until_settled: bool,
    settled: bool,
    regions: Regions,
    skipped_cycles: u64,
    skipped_instructions: u64,
    executions: Vec<u64>,
    scratch: Vec<Access>,
}

impl Runner {
    fn new(
        cpu: &Cpu,
        options: &Options,
        arch: arch::Arch,
        kinds: Arc<RegisterKinds>,
        mark: Option<u64>,
    ) -> Result<Runner, PredictError> {
        let description = Description::new(cpu)?;
        let fallback = Fallback::of(cpu, &description, arch);
        Ok(Runner {
            name: cpu.name.clone(),
            clock_mhz: cpu.clock_mhz(),
            core: core::build(&description, options.relax),
            plan: Plan::new(mark, options.shift, options.relax, fallback),
            description,
            kinds,
            skip_loops: options.skip_loops,
            shift: options.shift,
            simulated_max: options.simulated_max.unwrap_or(u64::MAX),
            events: options.events,
            events_at: options.events_at,
            recorded: Vec::new(),
            profile: options.profile.then(Profile::default),
            texts: Vec::new(),
            calls: Calls::default(),
            until_settled: options.until_settled,
            settled: false,
            regions: Regions::default(),
            skipped_cycles: 0,
            skipped_instructions: 0,
            executions: Vec::new(),
            scratch: Vec::new(),
        })
    }

    fn chunk(&mut self, chunk: &Chunk) {
        for block in &chunk.new_blocks {
            self.plan.add_block(&self.description, &self.kinds, block);
            self.executions.push(0);
            if let Some(profile) = &mut self.profile {
                block.iter().for_each(|instruction| profile.define(instruction.address, &instruction.text));
            } else if self.events.is_some() {
                self.texts
                    .extend(block.iter().map(|instruction| (instruction.address, instruction.text.clone())));
            }
        }
        for (index, item) in chunk.items.iter().enumerate() {
            if self.has_simulated_enough() {
                break;
            }
            match item {
                Item::Block { block, accesses, next } => {
                    let accesses = &chunk.accesses[accesses.start as usize..accesses.end as usize];
                    self.block(*block, accesses, *next);
                }
                Item::Repeat { items, times, steps } => {
                    let body = &chunk.items[index - *items as usize..index];
                    let steps = &chunk.steps[steps.start as usize..steps.end as usize];
                    self.repeat(body, &chunk.accesses, steps, *times);
                }
                mark => self.mark(mark),
            }
        }
        self.collect_marks();
    }

    fn has_simulated_enough(&mut self) -> bool {
        let simulated = self.core.counters().instructions - self.skipped_instructions;
        let has_events = self.events_at.is_some_and(|(_, left)| left == 0)
            && self.events.is_some_and(|(_, count)| self.recorded.len() as u64 >= count);
        self.settled || has_events || simulated >= self.simulated_max
    }

    /// The core's clock does not include skipped cycles. Calls are timed with them, or a loop that is skipped inside a call
    /// would make the call short. `repeat` collects pending marks before it skips.
    fn collect_marks(&mut self) {
        if self.core.marks().is_empty() {
            return;
        }
        for cycle in self.core.marks().drain(..) {
            self.calls.pass(cycle + self.skipped_cycles);
        }
        self.look_whether_settled();
    }

    fn enter(&mut self) {
        let now = self.core.now() + self.skipped_cycles;
        self.calls.pass(now);
        self.look_whether_settled();
    }

    fn look_whether_settled(&mut self) {
        if self.until_settled {
            self.settled = self.calls.settled(self.core.counters().instructions);
        }
    }

    fn moment(&mut self) -> Moment {
        Moment {
            cycle: self.core.now() + self.skipped_cycles,
            instructions: self.core.counters().instructions,
        }
    }

    /// An item that is not code: a call begins, a region begins or ends.
    fn mark(&mut self, mark: &Item) {
        match mark {
            Item::Into(region) => {
                let now = self.moment();
                if self.regions.enter(*region, now) {
                    self.enter();
                }
            }
            Item::OutOf => {
                let now = self.moment();
                self.regions.leave(now);
            }
            Item::Enter => self.enter(),
            Item::Block { .. } | Item::Repeat { .. } => unreachable!("code is no mark"),
        }
    }

    /// Whether the block that begins is the one from which events are wanted, or a later one.
    fn is_wanted(&mut self, block: u32) -> bool {
        let Some((address, left)) = &mut self.events_at else { return true };
        if *left > 0 {
            let block = &self.plan.blocks[block as usize];
            let ops = &self.plan.ops[block.first as usize..(block.first + block.count) as usize];
            *left -= u64::from(ops.iter().any(|op| op.address == *address));
        }
        *left == 0
    }

    fn block(&mut self, block: u32, accesses: &[Access], next: u64) {
        self.executions[block as usize] += 1;
        let next = next.wrapping_add(self.shift);
        if let Some(profile) = &mut self.profile {
            self.recorded.clear();
            self.core.block(&self.plan, block as usize, accesses, next, Some(&mut self.recorded));
            profile.charge(&self.recorded);
            return;
        }
        let is_wanted = self.events.is_some() && self.is_wanted(block);
        let wanted = match self.events {
            Some((first, count)) if is_wanted => {
                let executed = self.core.counters().instructions;
                (executed >= first && (self.recorded.len() as u64) < count).then_some(&mut self.recorded)
            }
            _ => None,
        };
        self.core.block(&self.plan, block as usize, accesses, next, wanted);
    }

    /// Executes an iteration `times` more times, skipping when its cycles have settled.
    fn repeat(&mut self, body: &[Item], accesses: &[Access], steps: &[i64], times: u64) {
        let mut settled = Settled::new(steps, self.core.line_bytes(), self.settled_after(body));
        let moving = moving_of(body, accesses, steps);
        let mut done = 0;
        let mut leapt: Option<u64> = None;
        let mut before = self.core.counters().clone();
        let mut start = self.core.now();
        let mut charged = self.charged(body);
        let mut standing = self.regions.standing();
        self.collect_marks();
        let mut calls = self.calls.count;
        while done < times && !self.has_simulated_enough() {
            let window = settled.window;
            let length = window.min(times - done);
            let ahead = Ahead { done, window, possible: 0 };
            let missing = settled.is_close().then(|| self.missing(&moving, &ahead, true)).flatten();
            for _ in 0..length {
                done += 1;
                self.iteration(body, accesses, steps, done);
            }
            let counted = self.core.counters().clone();
            let misses = counted.l1_misses - before.l1_misses;
            let mut took = self.core.now() - start;
            // The first window after a skip may be too fast: the stores of the skipped iterations, for which its loads would
            // have waited, are missing.
            if let Some(pace) = leapt.take().filter(|_| length == window && settled.misses_as_before(misses))
            {
                let short = pace.saturating_sub(took);
                self.skipped_cycles += short;
                took += short;
            }
            let behind = self.core.behind();
            settled.add(took, misses, behind);
            let pace = settled.pace(behind).filter(|_| self.skip_loops && length == window);
            if let (Some(pace), Some(missing)) = (pace, missing) {
                let possible = ((times - done) / window).saturating_sub(1);
                let skipped = self.skippable(&moving, &Ahead { done, window, possible }, missing);
                if skipped > 0 {
                    self.core.counters().repeat_since(&before, skipped);
                    if let (Some(profile), Some(charged)) = (&mut self.profile, &charged) {
                        profile.repeat_since(charged, skipped);
                    }
                    let skipped_instructions = (counted.instructions - before.instructions) * skipped;
                    self.skipped_instructions += skipped_instructions;
                    let told = skipped - u64::from(planted(Fault::WindowForgotten));
                    let cycles = (pace * told as f64).round() as u64;
                    self.calls.skip((self.calls.count - calls) * skipped, cycles);
                    self.skipped_cycles += cycles;
                    if let Some(standing) = &standing {
                        let all = Moment { cycle: cycles, instructions: skipped_instructions };
                        self.regions.repeat_since(standing, skipped, all);
                    }
                    done += skipped * window;
                    leapt = Some(pace.round() as u64);
                }
            }
            settled.lengthen();
            before = self.core.counters().clone();
            charged = self.charged(body);
            standing = self.regions.standing();
            start = self.core.now();
            calls = self.calls.count;
        }
    }

    /// The cycles that a loop's instructions are charged with so far, each instruction once.
    fn charged(&self, body: &[Item]) -> Option<Before> {
        let profile = self.profile.as_ref()?;
        let blocks = body.iter().filter_map(|item| match item {
            Item::Block { block, .. } => Some(&self.plan.blocks[*block as usize]),
            _ => None,
        });
        let mut ops: Vec<u32> = blocks.flat_map(|block| block.first..block.first + block.count).collect();
        ops.sort_unstable();
        ops.dedup();
        Some(profile.before(ops.into_iter().map(|op| op as usize)))
    }

    fn iteration(&mut self, body: &[Item], accesses: &[Access], steps: &[i64], iteration: u64) {
        let mut step = steps.iter();
        for item in body {
            let Item::Block { block, accesses: range, next } = item else {
                self.mark(item);
                continue;
            };
            let mut scratch = std::mem::take(&mut self.scratch);
            scratch.clear();
            for access in &accesses[range.start as usize..range.end as usize] {
                let turns = iteration as i64 - i64::from(planted(Fault::StepForgotten));
                let moved = step.next().copied().unwrap_or(0).wrapping_mul(turns);
                scratch.push(Access { address: access.address.wrapping_add_signed(moved), ..*access });
            }
            self.block(*block, &scratch, *next);
            self.scratch = scratch;
        }
        self.collect_marks();
    }

    /// The iterations that execute twice as many instructions as are ever in flight.
    fn settled_after(&self, body: &[Item]) -> u64 {
        let instructions = body.iter().map(|item| match item {
            Item::Block { block, .. } => u64::from(self.plan.blocks[*block as usize].count),
            _ => 0,
        });
        (2 * self.core.in_flight()).div_ceil(instructions.sum::<u64>().max(1))
    }

    /// How many of the possible windows find their lines in the first-level cache as the ones before did: the loads
    /// all of them, the stores all but `missing`. Advances the caches by that many windows.
    fn skippable(&mut self, moving: &[(Access, i64)], ahead: &Ahead, missing: u64) -> u64 {
        for skipped in 0..ahead.possible {
            let next = Ahead { done: ahead.done + skipped * ahead.window, ..*ahead };
            let loads = self.missing(moving, &next, false);
            if loads != Some(0) || self.missing(moving, &next, true) != Some(missing) {
                return skipped;
            }
            for store in [false, true] {
                next.lines(moving, store, self.core.line_bytes())
                    .for_each(|address| self.core.touch(address, store));
            }
        }
        ahead.possible
    }

    /// How many of the lines that the loads or the stores of a window access are not in the first-level cache. None if any
    /// was prefetched, because its time of arrival would then matter.
    fn missing(&mut self, moving: &[(Access, i64)], ahead: &Ahead, store: bool) -> Option<u64> {
        let line = self.core.line_bytes();
        let mut missing = Vec::new();
        for address in ahead.lines(moving, store, line) {
            if self.core.is_prefetched(address) {
                return None;
            }
            if !self.core.holds(address, store) {
                missing.push(address / line);
            }
        }
        missing.sort_unstable();
        missing.dedup();
        Some(missing.len() as u64)
    }

    fn finish(mut self, marked: bool) -> Result<Prediction, PredictError> {
        self.collect_marks();
        let now = self.core.now();
        let counters = self.core.counters().clone();
        if counters.instructions == 0 {
            return Err(PredictError::Nothing { marked });
        }
        if !self.plan.lacking.is_empty() {
            let what = self.plan.lacking.iter().map(|(name, at)| format!("'{name}' at {at:#x}")).collect();
            return Err(PredictError::Lacks { cpu: self.name, what });
        }
        if self.calls.count == 1 {
            let end = now + self.skipped_cycles;
            self.calls.cold = Some((end - self.calls.last.unwrap_or(0).min(end)) as f64);
        }
        let mut fallbacks = BTreeMap::new();
        for (index, block) in self.plan.blocks.iter().enumerate() {
            for op in block.first..block.first + block.count {
                if let Some(name) = self.plan.fallback_names.get(&op) {
                    *fallbacks.entry(name.clone()).or_insert(0) += self.executions[index];
                }
            }
        }
        let class_name =
            |class: &u16| self.description.classes.get(usize::from(*class)).map(|one| one.name.clone());
        let classes = self.plan.classes.iter().filter_map(class_name).collect();
        let end = Moment { cycle: now + self.skipped_cycles, instructions: counters.instructions };
        let regions = self.regions.finish(end);
        let timeline = self.events.filter(|_| self.profile.is_none()).map(|_| {
            let texts = std::mem::take(&mut self.texts);
            let units = self.description.units.iter().map(|unit| (unit.name.clone(), unit.mask)).collect();
            crate::timeline::Timeline {
                cpu: self.name.clone(),
                texts,
                events: std::mem::take(&mut self.recorded),
                units,
                places: BTreeMap::new(),
            }
        });
        Ok(Prediction {
            cpu: self.name,
            clock_mhz: self.clock_mhz,
            cycles: now + self.skipped_cycles,
            cycles_cold: self.calls.cold,
            cycles_per_call: self.calls.steady(),
            calls: self.calls.count,
            simulated: counters.instructions - self.skipped_instructions,
            coverage_percent: 100.0 * (1.0 - counters.fallbacks as f64 / counters.instructions as f64),
            counters,
            classes,
            fallbacks,
            timeline,
            profile: self.profile.map(|profile| profile.places),
            regions,
        })
    }
}
