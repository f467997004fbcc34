// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! From a source to predictions: feeds cores, skips over loops in steady state, collects the result.

mod elapsed;
mod footprint;
mod recording;
mod strings;

use crate::ahead::Ahead;
use crate::core::planted::{planted, Fault};
use crate::core::{self, Core, Counters};
use crate::cpu::schema::CoreKind;
use crate::cpu::Cpu;
use crate::description::Description;
use crate::fallback::Fallback;
use crate::moment::Moment;
use crate::op::number;
use crate::plan::Plan;
use crate::profile::Place;
use crate::regions::RegionTotal;
use crate::register_kinds::RegisterKinds;
use crate::relax::Relax;
use crate::settled::Settled;
use crate::skipped::Skipped;
use crate::source::{Access, Chunk, Item, Source, SourceError};
use elapsed::Elapsed;
use footprint::Footprint;
use recording::Recording;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::sync_channel;
use std::sync::Arc;
use strings::Strings;

/// What is counted at the start of a loop's window.
struct Standing {
    counters: Counters,
    charged: Option<recording::Before>,
    elapsed: elapsed::Before,
}

/// Windows in a row, and what stood at the start of the first. Dispatch runs ahead of completion by more in one window than in
/// another that takes as long, so their counts are taken together; without the first ones, in which the window and queues fill.
struct Row {
    since: Rc<Standing>,
    windows: u64,
}

impl Row {
    /// One that begins there.
    fn behind(since: &Rc<Standing>) -> Row {
        Row { since: Rc::clone(since), windows: 0 }
    }

    /// With one more.
    fn longer(&self) -> Row {
        Row { since: Rc::clone(&self.since), windows: self.windows + 1 }
    }
}

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
    /// Stop after about this many executed instructions, whether simulated or skipped: so far into the program.
    pub executed_max: Option<u64>,
    /// Calls that are simulated whatever `simulated_max` says: the cycles of none in the steady state are known from the first.
    pub calls_min: u64,
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
            executed_max: None,
            calls_min: 0,
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
    /// Cycles per call at the end of the run; none with too few calls behind the first.
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
    /// Mnemonics in no class of the cpu file, with their executions (skipped ones included).
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
    /// The run takes more cycles than are counted.
    #[error("{cpu} would take more than 2^60 cycles, which are not counted; record a shorter run")]
    TooLong {
        /// The cpu.
        cpu: String,
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

impl PredictError {
    /// The cpu that cannot run the program, where others may.
    pub fn of_one_cpu(&self) -> Option<&str> {
        match self {
            PredictError::WrongArch { cpu, .. } | PredictError::Lacks { cpu, .. } => Some(cpu),
            _ => None,
        }
    }
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
    let in_vain = AtomicBool::new(false);
    let new_runner =
        |cpu: &Cpu, options: &Options| Runner::new(cpu, options, arch, kinds.clone(), mark, &in_vain);
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
        let results: Vec<_> = results.collect();
        if let Some(error) = failure {
            return Err(error.into());
        }
        // The others have stopped somewhere then.
        let is_lacking = |result: &&Result<_, _>| matches!(result, Err(PredictError::Lacks { .. }));
        match results.iter().find(is_lacking) {
            Some(Err(error)) => Err(error.clone()),
            _ => results.into_iter().collect(),
        }
    })
}

/// One cpu at work.
struct Runner<'a> {
    name: String,
    /// One of the cpus lacks what the program executes, so that no prediction will be told.
    in_vain: &'a AtomicBool,
    clock_mhz: f64,
    description: Description,
    kinds: Arc<RegisterKinds>,
    /// Numbers of the registers that hold arguments.
    arguments: Vec<u8>,
    plan: Plan,
    core: Box<dyn Core>,
    skip_loops: bool,
    shift: u64,
    simulated_max: u64,
    executed_max: u64,
    calls_min: u64,
    recording: Recording,
    elapsed: Elapsed,
    executions: Vec<u64>,
    scratch: Vec<Access>,
}

impl<'a> Runner<'a> {
    fn new(
        cpu: &Cpu,
        options: &Options,
        arch: arch::Arch,
        kinds: Arc<RegisterKinds>,
        mark: Option<u64>,
        in_vain: &'a AtomicBool,
    ) -> Result<Runner<'a>, PredictError> {
        let description = Description::new(cpu)?;
        let fallback = Fallback::of(cpu, &description, arch);
        let in_order = description.kind == CoreKind::InOrder;
        Ok(Runner {
            name: cpu.name.clone(),
            in_vain,
            clock_mhz: cpu.clock_mhz(),
            core: core::build(&description, options.relax),
            plan: Plan::new(mark, options.shift, options.relax, fallback),
            description,
            arguments: kinds.arguments().iter().map(|&register| number(register)).collect(),
            kinds,
            skip_loops: options.skip_loops,
            shift: options.shift,
            simulated_max: options.simulated_max.unwrap_or(u64::MAX),
            executed_max: options.executed_max.unwrap_or(u64::MAX),
            calls_min: options.calls_min,
            recording: Recording::new(options),
            elapsed: Elapsed::new(options.until_settled, in_order),
            executions: Vec::new(),
            scratch: Vec::new(),
        })
    }

    fn chunk(&mut self, chunk: &Chunk) {
        for block in &chunk.new_blocks {
            self.plan.add_block(&self.description, &self.kinds, block);
            self.executions.push(0);
            self.recording.define(block);
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
        self.elapsed.collect_marks(&mut *self.core);
    }

    /// An item that is not code. What the caller of a region does before the call is not in the trace: it sets the arguments, which
    /// are there at once. Were they taken for what the last call left in these registers, each call would wait for the one
    /// before: results come in the register of the first argument on all but x86.
    fn mark(&mut self, mark: &Item) {
        if self.elapsed.mark(&*self.core, mark) {
            self.core.forget(&self.arguments);
        }
    }

    fn has_simulated_enough(&self) -> bool {
        let executed = self.core.executed();
        self.elapsed.has_settled()
            || self.elapsed.is_too_long()
            || self.is_in_vain(executed)
            || self.recording.is_complete()
            || executed >= self.executed_max
            || self.elapsed.simulated(executed) >= self.simulated_max
                && self.elapsed.calls_ended() >= self.calls_min
    }

    /// Whether no prediction will come of this. What the cpu lacks is still looked for in the rest of the program, to be told.
    fn is_in_vain(&self, executed: u64) -> bool {
        if !self.plan.lacking.is_empty() && executed > 0 {
            self.in_vain.store(true, Relaxed);
        }
        self.in_vain.load(Relaxed)
    }

    fn block(&mut self, block: u32, accesses: &[Access], next: u64) {
        self.executions[block as usize] += 1;
        let next = next.wrapping_add(self.shift);
        self.recording.execute(&mut *self.core, &self.plan, block as usize, accesses, next);
    }

    /// Executes an iteration `times` more times.
    fn repeat(&mut self, body: &[Item], accesses: &[Access], steps: &[i64], times: u64) {
        if let [Item::Block { block, accesses: range, next }] = body {
            let own = &accesses[range.start as usize..range.end as usize];
            let bytes = self.description.memory.string_bytes;
            let is_string = self.plan.blocks[*block as usize].is_string;
            if let Some(strings) = is_string.then(|| Strings::of(own, steps, bytes)).flatten() {
                return self.string(*block, &strings, *next, times);
            }
        }
        self.turns(body, accesses, steps, times);
    }

    /// `times` more elements of a repeated string instruction, several at once.
    fn string(&mut self, block: u32, strings: &Strings, next: u64, times: u64) {
        let head = strings.before_pieces(1).min(times);
        let pieces = (times - head) / strings.at_once;
        let tail = times - head - pieces * strings.at_once;
        if head > 0 {
            self.block(block, &strings.gathered(1, head), next);
        }
        if pieces > 0 {
            let whole = strings.gathered(1 + head, strings.at_once);
            self.block(block, &whole, next);
            let body = [Item::Block { block, accesses: 0..whole.len() as u32, next }];
            self.turns(&body, &whole, &strings.steps(), pieces - 1);
        }
        if tail > 0 {
            self.block(block, &strings.gathered(1 + times - tail, tail), next);
        }
        let executed = u64::from(head > 0) + pieces + u64::from(tail > 0);
        self.count_elements(block, times - executed);
    }

    /// Counts elements that were executed with others.
    fn count_elements(&mut self, block: u32, elements: u64) {
        let plan = self.plan.blocks[block as usize];
        let counters = self.core.counters();
        counters.instructions += u64::from(plan.count) * elements;
        counters.loads += u64::from(plan.loads) * elements;
        counters.stores += u64::from(plan.stores) * elements;
        counters.branches += u64::from(plan.branches) * elements;
        self.executions[block as usize] += elements;
        self.recording.count_elements(plan.first, elements);
    }

    /// Executes an iteration `times` more times, skipping when its cycles have settled.
    fn turns(&mut self, body: &[Item], accesses: &[Access], steps: &[i64], times: u64) {
        let mut settled = Settled::new(steps, self.core.line_bytes(), self.settled_after(body));
        let footprint = Footprint::new(body, accesses, steps, self.core.line_bytes());
        let mut done = 0;
        let mut leapt: Option<u64> = None;
        let mut start = self.core.now();
        self.elapsed.collect_marks(&mut *self.core);
        let mut last = Rc::new(self.standing(body));
        let mut rows = [Row::behind(&last), Row::behind(&last)];
        while done < times && !self.has_simulated_enough() {
            let window = settled.window;
            let length = window.min(times - done);
            let ahead = Ahead { done, window, possible: 0 };
            let missing =
                settled.is_close().then(|| footprint.stores_missing(&mut *self.core, &ahead)).flatten();
            for _ in 0..length {
                done += 1;
                self.iteration(body, accesses, steps, done);
            }
            let counted = self.core.counters().clone();
            let misses = counted.l1_misses - last.counters.l1_misses;
            let mut took = self.core.now() - start;
            // The first window after a skip may be too fast: the stores of the skipped iterations, for which its loads would
            // have waited, are missing.
            if let Some(pace) = leapt.take().filter(|_| length == window && settled.misses_as_before(misses))
            {
                let short = pace.saturating_sub(took);
                self.elapsed.delay(short);
                took += short;
            }
            let backlog = self.core.backlog();
            settled.add(took, misses, backlog);
            let fills = settled.fills();
            let pace = settled.pace(&backlog).filter(|_| self.skip_loops && length == window);
            if let (Some((pace, is_exact)), Some(missing)) = (pace, missing) {
                let executes = counted.instructions - last.counters.instructions;
                let wanted = self.executed_max.saturating_sub(counted.instructions) / executes.max(1);
                let possible = ((times - done) / window).saturating_sub(1).min(wanted);
                let skipped =
                    footprint.skippable(&mut *self.core, &Ahead { done, window, possible }, missing);
                let told = skipped - skipped.min(u64::from(planted(Fault::WindowForgotten)));
                let cycle = (pace * told as f64).round() as u64;
                if !self.elapsed.has_room_for(cycle) {
                    return;
                }
                if skipped > 0 {
                    let Row { since, windows } = &rows[usize::from(!is_exact)];
                    let like = Skipped { windows: skipped, counted: windows + 1 };
                    self.core.counters().repeat_since(&since.counters, like);
                    self.recording.repeat_since(since.charged.as_ref(), like);
                    self.count_executions(body, skipped * window);
                    let took = Moment { cycle, instructions: executes * skipped };
                    self.elapsed.skip(&since.elapsed, like, took);
                    done += skipped * window;
                    leapt = Some(pace.round() as u64);
                }
            }
            settled.lengthen();
            last = Rc::new(self.standing(body));
            for (row, fills) in rows.iter_mut().zip(fills) {
                *row = if fills || leapt.is_some() { Row::behind(&last) } else { row.longer() };
            }
            start = self.core.now();
        }
    }

    /// Counts the executions of a loop's blocks in iterations that are not simulated: the same in each.
    fn count_executions(&mut self, body: &[Item], iterations: u64) {
        for item in body {
            if let Item::Block { block, .. } = item {
                self.executions[*block as usize] += iterations;
            }
        }
    }

    /// What stands counted of a loop now.
    fn standing(&mut self, body: &[Item]) -> Standing {
        Standing {
            counters: self.core.counters().clone(),
            charged: self.recording.charged(&self.plan, body),
            elapsed: self.elapsed.before(),
        }
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
        self.elapsed.collect_marks(&mut *self.core);
    }

    /// The iterations that execute twice as many instructions as are ever in flight.
    fn settled_after(&self, body: &[Item]) -> u64 {
        let instructions = body.iter().map(|item| match item {
            Item::Block { block, .. } => u64::from(self.plan.blocks[*block as usize].count),
            _ => 0,
        });
        (2 * self.core.in_flight()).div_ceil(instructions.sum::<u64>().max(1))
    }

    fn finish(mut self, marked: bool) -> Result<Prediction, PredictError> {
        self.elapsed.collect_marks(&mut *self.core);
        let counters = self.core.counters().clone();
        if counters.instructions == 0 {
            return Err(PredictError::Nothing { marked });
        }
        if !self.plan.lacking.is_empty() {
            let what = self.plan.lacking.iter().map(|(name, at)| format!("'{name}' at {at:#x}")).collect();
            return Err(PredictError::Lacks { cpu: self.name, what });
        }
        if self.elapsed.is_too_long() {
            return Err(PredictError::TooLong { cpu: self.name });
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
        let simulated = self.elapsed.simulated(counters.instructions);
        let times = self.elapsed.finish(&*self.core);
        let (timeline, profile) = self.recording.finish(&self.description, &self.name);
        Ok(Prediction {
            cpu: self.name,
            clock_mhz: self.clock_mhz,
            cycles: times.cycles,
            cycles_cold: times.cold,
            cycles_per_call: times.per_call,
            calls: times.calls,
            simulated,
            coverage_percent: 100.0 * (1.0 - counters.fallbacks as f64 / counters.instructions as f64),
            counters,
            classes,
            fallbacks,
            timeline,
            profile,
            regions: times.regions,
        })
    }
}
