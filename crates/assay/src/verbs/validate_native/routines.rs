// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `validate --native --routines`: whole routines of published crates. The program that has them (`crates/native/routines`) is
//! built, runs natively in several processes a routine, and runs once under QEMU, where the tracer records the same calls; the
//! trace is predicted as a user's is.

use super::{control_text, counted, cpu, records, table, worst, Args, Group, Rows};
use crate::context::{Context, Outcome};
use crate::judge::{hold, opener_of, source_of};
use crate::progress::{in_order, Progress};
use crate::verbs::validate::Choice;
use arch::Arch;
use lab::emulator::{for_program, Engine};
use lab::routines::{self, Program, Routine};
use lab::{Problem, Result};
use native::case::Case;
use native::judge::{control_loop, Results};
use native::routines::{case, Reading, Readings, PROCESSES, PROCESSES_MORE};
use native::run::Failure;
use native::Control;
use predict::doubt::{interval, ModelError};
use predict::draws::draws;
use predict::{predict, Cpu, Options, Prediction};
use report::Report;
use std::collections::BTreeSet;

const ROUTINES: Rows = Rows {
    name: "routines",
    measured: "core cycles per call, each at the lower quartile of several processes",
    no_mca: "llvm-mca has no answer for routines",
};

/// A routine and what is known of its cycles.
struct Measured {
    routine: Routine,
    /// What an earlier run measured.
    before: Option<f64>,
    readings: Readings,
}

/// A routine's prediction.
struct Predicted {
    prediction: Prediction,
    cycles: f64,
    interval_cycles: Option<[f64; 2]>,
    /// The sum that it computed under QEMU.
    sum: u64,
}

/// Runs the verb for routines.
pub fn run(context: &Context, args: &Args, choice: &Choice<'_>) -> Result<Outcome> {
    let (cpu, of_another) = cpu(context, args)?;
    let before = args.measured_before()?;
    let takes = |routine: &Routine| choice.takes(&[&routine.name, &routine.kind]);
    // Asked first, since the program takes a minute to build.
    let listed = routines::listed(&context.workspace)?;
    if !listed.iter().any(takes) {
        let kinds: BTreeSet<&str> = listed.iter().map(|routine| routine.kind.as_str()).collect();
        let kinds = kinds.into_iter().collect::<Vec<_>>().join(", ");
        return Err(Problem::new("no routine has one of these words in its name or kind")
            .at("--only")
            .remedy(format!(
                "name a kind ({kinds}), or leave out --only: --json then shows the names of all"
            )));
    }
    let program = built(context)?;
    let mut measured: Vec<Measured> = program
        .routines()?
        .into_iter()
        .filter(takes)
        .map(|routine| Measured {
            before: before.get(&routine.name).copied(),
            routine,
            readings: Readings::default(),
        })
        .collect();
    let mut results = Results::default();
    measure(context, &program, &cpu, &mut measured, &mut results)?;
    judge(context, args, &program, &cpu, &measured, &mut results)?;
    if results.outcomes.is_empty() {
        let failures = results.failures_by_reason();
        let why = counted(failures.iter().map(|(reason, count)| (reason.as_str(), *count)));
        let control = control_text(&results).unwrap_or_default();
        return Err(Problem::new(format!("no routine could be judged: {why}. {control}"))
            .remedy("try again when the machine is less busy, if that disturbed them"));
    }
    let groups = groups(&measured, &results);
    let left_out = left_out(&results);
    if context.json {
        records(&cpu, args, &results, &groups);
        context.progress(&left_out);
        return Ok(Outcome::Fine);
    }
    let mut report = Report::new(&format!("Whole routines on this machine against {}", cpu.name));
    let section = report.section("").table(table(&groups, &ROUTINES));
    let dropped = format!(
        "Processes dropped because the clock moved: {} of {}.",
        results.disturbed_count, results.samples_count
    );
    for text in of_another.into_iter().chain([dropped]).chain(control_text(&results)).chain([left_out]) {
        section.paragraph(&text);
    }
    worst(&results, args.worst.unwrap_or(0)).iter().for_each(|text| {
        section.verbatim(text);
    });
    context.show(&report);
    Ok(Outcome::Fine)
}

/// Those that are in no table, each with the reason.
fn left_out(results: &Results) -> String {
    let named = |(case, reason): &(Case, String)| format!("{} ({reason})", case.name);
    let names: Vec<String> = results.failures.iter().map(named).collect();
    format!("Routines not judged: {}.", if names.is_empty() { "none".to_owned() } else { names.join(", ") })
}

/// The program, which cargo builds.
fn built(context: &Context) -> Result<Program> {
    if !routines::place(&context.workspace).is_file() {
        context
            .progress("fetching some ninety crates and building routines of them (a minute the first time)");
    }
    let _progress = Progress::of("building the routines", 0);
    Program::build(&context.workspace)
}

impl Measured {
    fn wants_process(&self, round: usize) -> bool {
        self.before.is_none() && (round < PROCESSES || self.readings.cycles().is_err())
    }

    fn cycles(&self) -> std::result::Result<f64, Failure> {
        self.before.map_or_else(|| self.readings.cycles(), Ok)
    }
}

/// Runs each routine in several processes, those of the others between them.
fn measure(
    context: &Context,
    program: &Program,
    cpu: &Cpu,
    measured: &mut [Measured],
    results: &mut Results,
) -> Result<()> {
    if !measured.iter().any(|one| one.wants_process(0)) {
        return Ok(());
    }
    let assemble = |text: &str| super::assemble(context, text).map_err(|problem| problem.to_string());
    let mut control = control_loop(cpu, &assemble).map_err(|error| Problem::new(error.to_string()))?;
    let rounds = PROCESSES + PROCESSES_MORE;
    let progress = Progress::of("timing routines, rounds", rounds);
    for round in 0..rounds {
        round_of(program, &mut control, measured, round)?;
        progress.step();
    }
    results.control = control.share();
    results.samples_count = measured.iter().map(|one| one.readings.count()).sum();
    results.disturbed_count = measured.iter().map(|one| one.readings.disturbed).sum();
    Ok(())
}

/// One process of each routine that wants one.
fn round_of(program: &Program, control: &mut Control, measured: &mut [Measured], round: usize) -> Result<()> {
    let mut wanting: Vec<&mut Measured> =
        measured.iter_mut().filter(|one| one.wants_process(round)).collect();
    let mut problem = None;
    let visit = |one: &&mut Measured| reading(&program.call(&one.routine.name)?);
    control.watch(&mut wanting, visit, |one, found| match found.transpose() {
        Ok(found) => one.readings.take(found),
        Err(failed) => problem = Some(failed),
    });
    problem.map_or(Ok(()), Err)
}

fn reading(line: &str) -> Result<Reading> {
    line.parse().map_err(|error: native::routines::NoReading| Problem::new(error.to_string()))
}

/// Records and predicts all routines whose cycles are known, and puts both together.
fn judge(
    context: &Context,
    args: &Args,
    program: &Program,
    cpu: &Cpu,
    measured: &[Measured],
    results: &mut Results,
) -> Result<()> {
    let engine = for_program(&context.workspace, Arch::X86_64, None)?;
    let mut problem = None;
    let work = |one: &Measured| {
        let cycles = one.cycles().map_err(|failure| failure.to_string());
        cycles.map(|cycles| Ok((cycles, predicted(context, program, &engine, cpu, args.intervals, one)?)))
    };
    in_order("recording and predicting", measured, work, |number, found| {
        let one = &measured[number];
        let case = case(&one.routine.name);
        match found {
            Err(reason) | Ok(Ok((_, Err(reason)))) => results.failures.push((case, reason)),
            Ok(Err(failed)) => problem = Some(failed),
            Ok(Ok((_, Ok(found)))) if one.readings.sum().is_some_and(|sum| sum != found.sum) => {
                results.failures.push((case, "computes something else under QEMU".to_owned()));
            }
            Ok(Ok((measured_cycles, Ok(found)))) => results.outcomes.push(native::judge::Outcome {
                key: case.name.clone(),
                case,
                measured_cycles,
                predicted_cycles: found.cycles,
                interval_cycles: found.interval_cycles,
                mca_cycles: Err(ROUTINES.no_mca.to_owned()),
                text: Vec::new(),
                prediction: found.prediction,
            }),
        }
    });
    problem.map_or(Ok(()), Err)
}

/// Records a routine and predicts it, as `trace` and `predict` do. The inner error is why this one routine is not judged.
fn predicted(
    context: &Context,
    program: &Program,
    engine: &Engine,
    cpu: &Cpu,
    intervals: bool,
    one: &Measured,
) -> Result<std::result::Result<Predicted, String>> {
    let (trace, printed) = program.record(&context.workspace, &one.routine.name, engine)?;
    let printed = reading(&printed)?;
    let held = hold(trace.path())?;
    let (mut source, options) = (source_of(&held)?, Options::default());
    let prediction = match predict(&mut source, &[cpu], &options) {
        Ok(mut predictions) => predictions.remove(0),
        Err(error) => return Ok(Err(error.to_string())),
    };
    if source.end().is_none_or(|end| end.total("unknown_addresses") > 0) {
        return Ok(Err("accesses memory at addresses that QEMU does not tell".to_owned()));
    }
    let Some(cycles) = prediction.cycles_per_call.filter(|_| printed.is_of_the_half_of(prediction.calls))
    else {
        return Ok(Err("is not recorded in the calls that are timed".to_owned()));
    };
    let mut interval_cycles = None;
    if intervals {
        match draws(&mut opener_of(&held), cpu, &options) {
            Ok(draws) => interval_cycles = Some(interval(ModelError::of(cpu), cycles, &draws, &[])),
            Err(error) => return Ok(Err(error.to_string())),
        }
    }
    Ok(Ok(Predicted { prediction, cycles, interval_cycles, sum: printed.sum }))
}

/// The errors by kind, and of all.
fn groups(measured: &[Measured], results: &Results) -> Vec<Group> {
    let kinds: BTreeSet<&str> = measured.iter().map(|one| one.routine.kind.as_str()).collect();
    let is_of = |kind: &str, name: &str| {
        measured.iter().any(|one| one.routine.kind == kind && one.routine.name == name)
    };
    let of_kind = |kind: &&str| Group::of(results, kind, &|outcome| is_of(kind, &outcome.case.name));
    let groups = kinds.iter().map(of_kind).filter(|group| group.own.count > 0);
    groups.chain([Group::of(results, "all routines", &|_| true)]).collect()
}
