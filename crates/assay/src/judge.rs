// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! From a variant and a case to records: what `count`, `predict`, `compare`, `study`, `report` and `demo` share.

use crate::context::Context;
use crate::counting;
use crate::gate::Gate;
use crate::progress::Progress;
use arch::Arch;
use lab::build::{Builder, Runner};
use lab::case::Case;
use lab::discover::Variant;
use lab::emulator::{self, CannotRun, Engine};
use lab::record::{accepts, record_case, Region};
use lab::target::Target;
use lab::toolchain::CompilerKind;
use lab::{Problem, Result};
use predict::doubt::{self, ModelError};
use predict::draws::{self, Draws};
use predict::explain::{explain, predict_placed, sensitivity, Alignments};
use predict::trace_source::TraceSource;
use predict::{Cpu, Options, PredictError, Prediction, Source, SourceError};
use report::record::{Common, CountRecord, PredictionRecord};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use trace::Held;

/// Calls recorded for a count: the first ones may set something up, the last one is counted.
const COUNTED_CALLS: u64 = 4;
/// Calls recorded for a prediction: enough for caches and predictors to warm up and half of the calls to remain in
/// steady state, even if a call has only a few instructions and a window of 512 entries holds dozens of calls behind
/// the first miss. Only a few calls are simulated if the loop of calls settles.
const PREDICTED_CALLS: u64 = 400;

/// Limit of the simulated instructions if calls do not settle: the mean cycles per call change by half a percent beyond
/// it, and by at most two percent if a call covers 64 KiB (`predict csum_partial -c power9,la464,power7`).
const PREDICTED_INSTRUCTIONS: u64 = 1_000_000;
/// Calls that are simulated in any case: one to warm up and the later half of four to tell the steady state from.
const PREDICTED_CALLS_MIN: u64 = 4;

/// A result, or the reason why a variant cannot be run for it.
pub type Possible<T> = std::result::Result<T, CannotRun>;

/// Makes records of variants.
pub struct Judge<'a> {
    context: &'a Context,
    builder: Builder<'a>,
    gate: Gate,
}

impl<'a> Judge<'a> {
    /// A judge whose runners are built by one kind of compiler.
    pub fn new(context: &'a Context, compiler: CompilerKind) -> Judge<'a> {
        Judge { context, builder: Builder::new(&context.workspace, compiler), gate: Gate::default() }
    }

    /// The same judge, which passes wrong variants if `unchecked`.
    pub fn unchecked(mut self, unchecked: bool) -> Judge<'a> {
        self.gate.open = unchecked;
        self
    }

    /// The runner of a variant, which has to pass the quick check: figures of a wrong variant would mean nothing.
    pub fn runner(&self, variant: &Variant) -> Result<Runner> {
        let runner = self.builder.runner(variant)?;
        self.gate.pass(self.context, &self.builder, variant, &runner)?;
        Ok(runner)
    }

    /// The same at each place of its code in a cache line. The code is the same at all, so one of them is checked.
    pub fn placed_runners(&self, variant: &Variant) -> Result<Vec<Runner>> {
        self.runner(variant)?;
        self.builder.placed_runners(variant)
    }

    /// Refuses a case that no hot path of the selection accepts, before anything else is built, by asking the first
    /// variant of each hot path that runs here. Errors of a variant itself are reported when it is judged.
    pub fn refuse_unknown_cases(&self, variants: &[Variant], wanted: &[Case]) -> Result<()> {
        let _progress = Progress::of("building", 0);
        for case in wanted {
            let (mut asked, mut refusal) = (BTreeSet::new(), None);
            // Ours first: they are most likely built already.
            let ours = variants.iter().filter(|one| !one.foreign);
            for variant in ours.chain(variants.iter().filter(|one| one.foreign)) {
                if asked.contains(&variant.hotpath.name) {
                    continue;
                }
                let Some((engine, runner)) = self.any_engine(variant) else { continue };
                match accepts(&engine, &runner, case) {
                    Ok(()) => {
                        refusal = None;
                        break;
                    }
                    Err(problem) => refusal = refusal.or(Some(problem)),
                }
                asked.insert(&variant.hotpath.name);
            }
            refusal.map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    /// An engine that runs a variant and the variant's unchecked runner, if there are both.
    fn any_engine(&self, variant: &Variant) -> Option<(Engine, Runner)> {
        let native = emulator::native_for(variant).ok();
        let engine = native.or_else(|| emulator::for_check(&self.context.workspace, variant).ok()?.ok())?;
        Some((engine, self.builder.runner(variant).ok()?))
    }

    /// The fields that all records of a variant and a case share.
    pub fn common(kind: &str, variant: &Variant, case: &Case, compiler: &str) -> Common {
        let mut common = Common::new(kind, &variant.hotpath.name, &variant.name, variant.arch.name());
        common.case = case.values().clone();
        common.compiler = compiler.to_owned();
        common
    }

    /// What one call executes in steady state.
    pub fn count(&self, variant: &Variant, case: &Case) -> Result<Possible<CountRecord>> {
        let (engine, runner) = match self.traceable(variant)? {
            Ok(both) => both,
            Err(reason) => return Ok(Err(reason)),
        };
        let path = self.record(&engine, variant, &runner, case, Region::Calls, COUNTED_CALLS)?;
        let calls = counting::calls(&path)?;
        let Some(steady) = calls.last() else {
            return Err(
                Problem::new(format!("{} was never called", variant.hotpath.symbol)).at(path.display())
            );
        };
        Ok(Ok(CountRecord {
            common: Self::common("count", variant, case, &runner.compiler),
            engine: engine.describe(),
            instructions: steady.instructions,
            loads: steady.loads,
            stores: steady.stores,
            branches: steady.branches,
        }))
    }

    /// Cycles per call in steady state on each cpu that can run the variant, with the code where the linker has put it
    /// and at every other alignment within a fetch block.
    pub fn predict(
        &self,
        variant: &Variant,
        case: &Case,
        cpus: &[Cpu],
    ) -> Result<Possible<Vec<PredictionRecord>>> {
        let able: Vec<&Cpu> = cpus.iter().filter(|cpu| cpu_has(cpu, variant)).collect();
        if able.is_empty() {
            let reason = format!("no chosen cpu is a {} with {}", variant.arch, variant.claims());
            return Ok(Err(CannotRun(reason)));
        }
        let mut traces = Vec::new();
        for cpu in &able {
            match self.traceable_on(variant, cpu)? {
                Ok((engine, runner)) => {
                    let trace =
                        self.record(&engine, variant, &runner, case, Region::Loop, PREDICTED_CALLS)?;
                    traces.push((trace, runner.compiler));
                }
                Err(reason) => return Ok(Err(reason)),
            }
        }
        let (mut records, mut lacking) = (Vec::new(), Vec::new());
        let mut done = 0;
        // Cpus that share a trace are predicted together; all do, unless a dispatcher makes the trace depend on the
        // cpu. A cpu that only LLVM describes is predicted alone, since only its prediction shows whether it has every
        // instruction executed.
        while let Some((path, compiler)) = traces.get(done).cloned() {
            let of_trace = traces[done..].iter().take_while(|(other, _)| *other == path).count();
            let described = able[done..done + of_trace].iter().take_while(|cpu| !is_only_llvms(cpu)).count();
            let group = &able[done..done + described.max(1)];
            done += group.len();
            let predictions = match predict_placed(&mut opener(&path), group, &options()) {
                Err(error @ PredictError::Lacks { .. }) if is_only_llvms(group[0]) => {
                    lacking.push(format!("{}: {error}", variant.name));
                    continue;
                }
                other => other.map_err(failed)?,
            };
            let common = Self::common("prediction", variant, case, &compiler);
            for (cpu, (prediction, places)) in group.iter().zip(&predictions) {
                let draws = draws::draws(&mut opener(&path), cpu, &options()).map_err(failed)?;
                records.push(prediction_record(common.clone(), case, cpu, prediction, places, &draws)?);
            }
        }
        if records.is_empty() {
            return Ok(Err(CannotRun(lacking.swap_remove(0))));
        }
        lacking.iter().for_each(|reason| self.context.progress(reason));
        Ok(Ok(records))
    }

    /// Finds out by experiment what bounds a prediction and how far guesses move it. This takes some sixty predictions,
    /// so it is only done for the fastest variants.
    pub fn deepen(
        &self,
        variant: &Variant,
        case: &Case,
        cpu: &Cpu,
        record: &mut PredictionRecord,
    ) -> Result<()> {
        let Ok(path) = self.loop_trace(variant, case, cpu)? else { return Ok(()) };
        let mut open = opener(&path);
        let options = Options { simulated_max: Some(draws::DRAWN_INSTRUCTIONS), calls_min: 0, ..options() };
        let explanation = explain(&mut open, cpu, &options).map_err(failed)?;
        let guesses = sensitivity(&mut open, cpu, &options).map_err(failed)?;
        let bound = explanation.bound_by();
        record.bound_by = Some(bound.map_or("nothing alone", |bound| &bound.resource).to_owned());
        // The experiments simulate fewer calls than the prediction did, so their result is scaled to it.
        let share = record.cycles / explanation.cycles;
        record.cycles_without = bound.map(|bound| bound.cycles_without * share);
        record.guessed_spread_percent = Some(guesses.spread_percent());
        Ok(())
    }

    /// The trace that predictions of a case on a cpu are made from.
    pub fn loop_trace(&self, variant: &Variant, case: &Case, cpu: &Cpu) -> Result<Possible<PathBuf>> {
        Ok(match self.traceable_on(variant, cpu)? {
            Ok((engine, runner)) => {
                Ok(self.record(&engine, variant, &runner, case, Region::Loop, PREDICTED_CALLS)?)
            }
            Err(reason) => Err(reason),
        })
    }

    fn traceable(&self, variant: &Variant) -> Result<Possible<(Engine, Runner)>> {
        self.built_for(variant, emulator::for_trace(&self.context.workspace, variant)?)
    }

    /// [`Judge::traceable`] on an emulated machine that has what the cpu has.
    fn traceable_on(&self, variant: &Variant, cpu: &Cpu) -> Result<Possible<(Engine, Runner)>> {
        let has = |claim: &str| is_listed(cpu, variant.arch, claim);
        self.built_for(variant, emulator::for_trace_on(&self.context.workspace, variant, has)?)
    }

    fn built_for(&self, variant: &Variant, engine: Possible<Engine>) -> Result<Possible<(Engine, Runner)>> {
        if let Some(reason) = self.builder.cannot_build_for(variant.arch) {
            return Ok(Err(CannotRun(reason)));
        }
        match engine {
            Ok(engine) => Ok(Ok((engine, self.runner(variant)?))),
            Err(reason) => Ok(Err(reason)),
        }
    }

    fn record(
        &self,
        engine: &Engine,
        variant: &Variant,
        runner: &Runner,
        case: &Case,
        region: Region,
        calls: u64,
    ) -> Result<PathBuf> {
        record_case(&self.context.workspace, engine, variant, runner, case, region, calls)
    }
}

/// How hot paths are predicted: no loop is skipped, but the simulation stops once calls have settled or enough of them
/// are simulated.
pub fn options() -> Options {
    Options {
        skip_loops: false,
        until_settled: true,
        simulated_max: Some(PREDICTED_INSTRUCTIONS),
        calls_min: PREDICTED_CALLS_MIN,
        ..Options::default()
    }
}

/// Reads a trace anew at each call; it is opened at the first.
pub fn opener(path: &Path) -> impl FnMut() -> std::result::Result<Box<dyn Source>, SourceError> + '_ {
    let mut opened = None;
    move || {
        let held = match opened.take() {
            Some(held) => held,
            None => Held::open(path)?,
        };
        Ok(Box::new(TraceSource::new(opened.insert(held).reader()?)?))
    }
}

/// The trace file of the user's, for all that a verb reads of it.
pub fn hold(path: &Path) -> Result<Held> {
    Held::open(path).map_err(|error| of_trace(path, &error))
}

/// The trace as a source.
pub fn source_of(held: &Held) -> Result<TraceSource> {
    let source = held.reader().map_err(SourceError::from).and_then(TraceSource::new);
    source.map_err(|error| of_trace(held.path(), &error))
}

/// Reads an open trace anew at each call.
pub fn opener_of(held: &Held) -> impl FnMut() -> std::result::Result<Box<dyn Source>, SourceError> + '_ {
    || Ok(Box::new(TraceSource::new(held.reader()?)?))
}

/// An error of predicting a trace of ours in the cache; only a damaged one is mended by removing it.
pub fn failed(error: PredictError) -> Problem {
    let problem = told(&error, "");
    match error {
        PredictError::Source(SourceError::Damaged(_)) => {
            problem.remedy("remove the damaged file; it is recorded again")
        }
        _ => problem,
    }
}

/// An error of a trace file of the user's.
pub fn of_trace(path: &Path, error: &dyn Display) -> Problem {
    let problem = told(error, "");
    let place = path.display().to_string();
    if problem.what.contains(&place) {
        problem
    } else {
        problem.at(place)
    }
}

/// What a trace lacks: a part of the program's run, and where it is `predicted`, addresses that its cycles may depend on.
pub fn gaps(end: Option<&trace::End>, predicted: bool) -> Vec<String> {
    let unknown = end.map_or(0, |end| end.total("unknown_addresses"));
    let unknown = (predicted && unknown > 0).then(|| {
        format!("QEMU did not tell the addresses of {unknown} accesses: they count as first-level hits that wait for no store.")
    });
    cut_text(end).map(str::to_owned).into_iter().chain(unknown).collect()
}

/// Why a trace does not cover the whole run of the program; `None` if it does.
fn cut_text(end: Option<&trace::End>) -> Option<&'static str> {
    match end.and_then(|end| end.get("end")) {
        Some("limit") => {
            Some("The recording stopped at --limit: these are figures of the program's beginning.")
        }
        Some("exec") => Some("The recording stopped at an execve: these are figures of what was before."),
        Some("signal") => Some("A signal ended the program: these are figures of what it did until then."),
        _ => None,
    }
}

/// The [`gaps`] of a file that is predicted, which is read to its end.
pub fn gaps_of(held: &Held) -> Result<Vec<String>> {
    let failed = |error: trace::Error| of_trace(held.path(), &error);
    let mut reader = held.reader().map_err(failed)?;
    reader.executions().map_err(failed)?;
    Ok(gaps(reader.end(), true))
}

/// Splits a message of one of our library crates, which says what happened and, after the last semicolon, what to do.
pub fn told(error: &dyn Display, else_remedy: &str) -> Problem {
    let text = error.to_string();
    let (what, remedy) = text.rsplit_once("; ").unwrap_or((&text, else_remedy));
    Problem::new(what).remedy(remedy)
}

fn prediction_record(
    common: Common,
    case: &Case,
    cpu: &Cpu,
    prediction: &Prediction,
    places: &Alignments,
    draws: &Draws,
) -> Result<PredictionRecord> {
    let cycles = prediction.cycles_per_call.ok_or_else(|| {
        Problem::new(format!(
            "{}: the trace holds too few calls, or too short ones, to tell a steady state from",
            prediction.cpu
        ))
    })?;
    let placed_cycles: Vec<f64> = places.places.iter().map(|(_, cycles)| *cycles).collect();
    let interval = doubt::interval(ModelError::of(cpu), cycles, draws, &placed_cycles);
    Ok(PredictionRecord {
        common,
        cpu: prediction.cpu.clone(),
        cycles,
        interval_cycles: interval,
        draws: draws.0.clone(),
        placed_cycles: places.places.clone(),
        clock_mhz: prediction.clock_mhz,
        time_ns: cycles * 1000.0 / prediction.clock_mhz,
        bytes_per_cycle: case.size_bytes().map(|bytes| bytes as f64 / cycles),
        alignment_cycles: (places.places.len() > 1).then(|| places.range().into()),
        chief_stall: chief_stall(prediction),
        bound_by: None,
        cycles_without: None,
        coverage_percent: prediction.coverage_percent,
        guessed_spread_percent: None,
    })
}

/// The cause of most stall cycles; `explain` finds out more, by experiment.
fn chief_stall(prediction: &Prediction) -> String {
    let stalls = predict::Cause::ALL.iter().zip(prediction.counters.stalls);
    let chief = stalls.max_by_key(|(_, cycles)| *cycles);
    chief
        .filter(|(_, cycles)| *cycles > 0)
        .map_or_else(|| "nothing".to_owned(), |(cause, _)| cause.name().to_owned())
}

/// Whether a described cpu has everything that a variant claims: its file says so under `implements`.
pub fn cpu_has(cpu: &Cpu, variant: &Variant) -> bool {
    // A core that only LLVM describes has no such list. For some cores LLVM says for each instruction whether they have it.
    let has = |claim: &str| is_only_llvms(cpu) || is_listed(cpu, variant.arch, claim);
    cpu.runs(variant.arch) && variant.requirements.iter().all(|requirement| has(requirement.name))
}

/// Whether only LLVM describes a cpu.
pub fn is_only_llvms(cpu: &Cpu) -> bool {
    cpu.name.starts_with(predict::fallback::PREFIX)
}

/// Whether a cpu's file lists a claim of that architecture; the baseline need not be listed.
fn is_listed(cpu: &Cpu, arch: Arch, claim: &str) -> bool {
    claim == Target::of(arch).baseline || cpu.words("implements").iter().any(|word| word == claim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use predict::cpu::{CpuError, Place};

    #[test]
    fn only_an_error_of_a_trace_is_mended_by_recording_it_again() {
        let place = Place { file: std::sync::Arc::new("mine.toml".into()), line: 3 };
        let (key, problem, allowed) = ("cache.l1.line".into(), "is 96".into(), "a power of two".into());
        let of_cpu = failed(CpuError::Invalid { place, key, problem, allowed }.into());
        assert_eq!(
            (&of_cpu.what[..], &of_cpu.remedy[..]),
            ("mine.toml:3: 'cache.l1.line' is 96", "allowed: a power of two")
        );
        let of_program = failed(PredictError::Nothing { marked: false });
        assert_eq!(of_program.remedy, "record a run that executes one");
        assert!(failed(SourceError::Damaged("torn".into()).into()).remedy.contains("recorded again"));
        let of_decoder = failed(SourceError::Failed("no LLVM; install it".into()).into());
        assert_eq!((&of_decoder.what[..], &of_decoder.remedy[..]), ("no LLVM", "install it"));
    }
}
