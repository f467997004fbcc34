// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Studies of the prefetch engine, `studies/engine/<year>-<topic>.toml`: recorded programs run as vcores that take turns on
//! the modelled core, without the engine, with it, and with the engine driven by the posted code; then sweeps over
//! parameters that the thread does not state.

mod picture;
mod server;
mod sweep;
mod table;

use crate::context::{Context, Outcome};
use crate::cpus;
use crate::program;
use crate::study_file::names_in;
use lab::cache::{read_text, Workspace};
use lab::output::Output;
use lab::{Problem, Result};
use prefetch_engine::{
    Bug, Geometry, LogScope, Outcome as Ran, Rate, Restore, Scheduler, Settings, Step, Vcore,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A study of the engine.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    #[serde(skip)]
    name: String,
    /// What it is about.
    pub title: String,
    /// Who published it, where and when.
    pub source: String,
    machine: String,
    arch: String,
    cpu: String,
    clock_mhz: f64,
    slice_us: f64,
    exit_to_entry_us: f64,
    host_lines: u64,
    cycles_per_instruction: f64,
    program: BTreeMap<String, Program>,
    #[serde(rename = "scenario")]
    scenarios: Vec<Scenario>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    /// A C file beside the study, or a server that is recorded under load: exactly one of the two.
    source: Option<String>,
    server: Option<server::Server>,
    #[serde(default)]
    dependent: bool,
    /// Steps left out at the start of the recording, and the most that are taken after them.
    #[serde(default)]
    skip: usize,
    #[serde(default = "steps_max")]
    steps: usize,
}

fn steps_max() -> usize {
    3_000_000
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    name: String,
    vcores: Vec<String>,
    #[serde(default)]
    published: Option<String>,
    #[serde(default)]
    published_percent: Option<[f64; 2]>,
}

/// One scenario, or one point of a sweep. Kind `study_engine`.
#[derive(Clone, Serialize)]
pub struct EngineRecord {
    kind: &'static str,
    study: String,
    /// `scenario`, `scenario_rate`, `variant`, `mistake`, `move`, `slice_and_reuse`, `rate_and_table`, `log_time`.
    pub part: &'static str,
    /// What was run.
    pub row: String,
    /// Published gain, from and to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_percent: Option<[f64; 2]>,
    #[serde(skip)]
    published: Option<String>,
    /// Predicted gain of the first vcore's instructions per cycle with a working engine.
    pub predicted_percent: f64,
    /// The same with the posted code, whose `logmpp` does not use its operand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_posted_percent: Option<f64>,
    /// Of a server, without and with the engine: requests per second, its own code alone counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_s: Option<[f64; 2]>,
    /// Mean time of a request if the server's concurrency is always in flight: requests in flight over requests per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_latency_ms: Option<[f64; 2]>,
    /// The first vcore's throughput while it has the core, without and with the engine.
    pub instructions_per_us: [f64; 2],
    /// Mean time of its accesses from the request to the line; hits in the first level count as 0.
    pub access_ns: [f64; 2],
    /// Scatter of the first vcore's slices without and with the engine, in percent of their mean.
    pub scatter_percent: [f64; 2],
    /// Lines per slice that the engine requested.
    pub restored_lines: f64,
    /// Of these: already present, used in time, used but late, evicted unused.
    pub fate_percent: [f64; 4],
    /// Logs of the whole run that a vcore's entry aborted before they were complete.
    pub logs_aborted: u64,
    /// Operands that the engine refused.
    pub operands_refused: u64,
    assay_version: &'static str,
}

/// The names of all studies of the engine, sorted.
pub fn names(workspace: &Workspace) -> Result<Vec<String>> {
    names_in(workspace, "studies/engine")
}

fn file(workspace: &Workspace, name: &str) -> PathBuf {
    workspace.root.join("studies/engine").join(format!("{name}.toml"))
}

/// Reads a study.
pub fn load(workspace: &Workspace, name: &str) -> Result<Study> {
    let path = file(workspace, name);
    let mut study: Study = toml::from_str(&read_text(&path)?).map_err(|error| {
        Problem::new(error.message().to_owned())
            .at(path.display())
            .remedy("mend the file; see its neighbours")
    })?;
    name.clone_into(&mut study.name);
    if let Some(problem) = wrong_time(&study) {
        return Err(problem.at(path.display()));
    }
    if let Some((program, _)) =
        study.program.iter().find(|(_, one)| one.source.is_some() == one.server.is_some())
    {
        return Err(Problem::new(format!("program '{program}' has to be a source or a server"))
            .at(path.display())
            .remedy("give it source or server, and not both"));
    }
    for scenario in &study.scenarios {
        for vcore in &scenario.vcores {
            if vcore != IDLE && !study.program.contains_key(vcore) {
                return Err(Problem::new(format!(
                    "scenario '{}' runs '{vcore}', which is no program",
                    scenario.name
                ))
                .at(path.display())
                .remedy(format!("give it a [program] entry, or name {IDLE}")));
            }
        }
    }
    Ok(study)
}

/// Times by which the simulation divides, or without which it has no end.
fn wrong_time(study: &Study) -> Option<Problem> {
    let above_zero = [
        ("clock_mhz", study.clock_mhz),
        ("slice_us", study.slice_us),
        ("cycles_per_instruction", study.cycles_per_instruction),
    ];
    let wrong = |&&(_, value): &&(&str, f64)| !(value > 0.0 && value.is_finite());
    if let Some((key, value)) = above_zero.iter().find(wrong) {
        return Some(Problem::new(format!("{key} is {value}")).remedy("give a number above 0"));
    }
    let gap = study.exit_to_entry_us;
    let wrong = !(gap >= 0.0 && gap.is_finite());
    wrong.then(|| Problem::new(format!("exit_to_entry_us is {gap}")).remedy("give 0 or more"))
}

/// A vcore with nothing to do.
const IDLE: &str = "idle";
/// Slices that each vcore runs, and how many of them at the start are not counted.
const SLICES: u64 = 8;
const WARM_UP: u64 = 2;

/// Runs the study; `picture` is where the sweep's drawing goes.
pub fn run(context: &Context, study: &Study, picture: Option<&Path>) -> Result<Outcome> {
    let picture = picture.map(Output::new).transpose()?;
    let sources = study.program.values().filter_map(|program| program.source.as_ref());
    let files = sources.map(|source| context.workspace.root.join(source));
    picture.as_ref().map_or(Ok(()), |to| to.spare(files.chain([file(&context.workspace, &study.name)])))?;
    let geometry = geometry(context, study)?;
    let mut records = Vec::new();
    let mut programs = Programs { context, study, geometry, steps: BTreeMap::new() };
    for scenario in &study.scenarios {
        context.progress(&format!("simulating {}", scenario.name));
        records.push(programs.scenario(scenario)?);
    }
    drop(programs);
    context.progress("simulating the sweeps");
    let base = settings(study);
    let swept = sweep::run(study, geometry, base);
    if let Some(picture) = &picture {
        picture.copy(&mut picture::draw(&swept).as_bytes())?;
    }
    records.extend(swept);
    context.tell(records.iter(), || table::report(study, &records));
    Ok(Outcome::Fine)
}

/// Runs only the scenarios with this word in their names, each also at every rate of the engine.
pub fn run_scenarios(context: &Context, study: &Study, word: &str) -> Result<Outcome> {
    let chosen: Vec<&Scenario> = study.scenarios.iter().filter(|one| one.name.contains(word)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = study.scenarios.iter().map(|one| one.name.as_str()).collect();
        return Err(Problem::new(format!("no scenario has '{word}' in its name"))
            .at(&study.name)
            .remedy(format!("name one of: {}", names.join("; "))));
    }
    let geometry = geometry(context, study)?;
    let mut programs = Programs { context, study, geometry, steps: BTreeMap::new() };
    let mut records = Vec::new();
    for scenario in chosen {
        context.progress(&format!("simulating {}", scenario.name));
        records.push(programs.scenario(scenario)?);
        records.extend(programs.rates(scenario));
    }
    context.tell(records.iter(), || table::report(study, &records));
    Ok(Outcome::Fine)
}

fn geometry(context: &Context, study: &Study) -> Result<Geometry> {
    let cpu = cpus::cpus(context, std::slice::from_ref(&study.cpu))?.remove(0);
    Geometry::of(&cpu).ok_or_else(|| {
        Problem::new(format!("{} has no three levels of caches", study.cpu))
            .at(&study.name)
            .remedy("name a cpu whose file describes them")
    })
}

fn settings(study: &Study) -> Settings {
    let cycles = |us: f64| (us * study.clock_mhz) as u64;
    Settings {
        slice_cycles: cycles(study.slice_us),
        scope: LogScope::L2,
        rate: Rate::ALL[0],
        restore: Restore::Off,
        bug: None,
        cycles_per_instruction: study.cycles_per_instruction,
        host_lines: study.host_lines,
        host_cycles: cycles(study.exit_to_entry_us),
        moves_every: 0,
    }
}

struct Programs<'a> {
    context: &'a Context,
    study: &'a Study,
    geometry: Geometry,
    steps: BTreeMap<String, Vec<Step>>,
}

impl Programs<'_> {
    fn scenario(&mut self, scenario: &Scenario) -> Result<EngineRecord> {
        // Recordings are large: only those of this scenario are kept.
        self.steps.retain(|name, _| scenario.vcores.contains(name));
        for name in scenario.vcores.iter().filter(|name| *name != IDLE) {
            if !self.steps.contains_key(name) {
                let steps = self.read(name)?;
                self.steps.insert(name.clone(), steps);
            }
        }
        let base = settings(self.study);
        let run = |settings: Settings| self.simulate(scenario, settings);
        let off = run(base);
        let on = run(Settings { restore: Restore::WholeTable, ..base });
        let posted = run(Settings { restore: Restore::WholeTable, bug: Some(Bug::OperandIgnored), ..base });
        let mut record = record(self.study, "scenario", &scenario.name, &off, &on, scenario.vcores.len());
        record.published_percent = scenario.published_percent;
        record.published.clone_from(&scenario.published);
        record.as_posted_percent = Some(gain(&off, &posted));
        if let Some(server) = &self.study.program.get(&scenario.vcores[0]).and_then(|one| one.server.clone())
        {
            let per_s = [&off, &on].map(|ran| self.requests_per_s(scenario, server, ran.rates[0]));
            record.requests_per_s = Some(per_s);
            record.mean_latency_ms = Some(per_s.map(|rate| server.concurrency as f64 / rate * 1000.0));
        }
        Ok(record)
    }

    /// The scenario at each rate of the engine; `scenario` has read its programs before.
    fn rates(&self, scenario: &Scenario) -> Vec<EngineRecord> {
        let base = settings(self.study);
        let off = self.simulate(scenario, base);
        let at = |rate: &Rate| {
            let on = self.simulate(scenario, Settings { restore: Restore::WholeTable, rate: *rate, ..base });
            let row = format!("{}, a line every {} cycles", scenario.name, rate.cycles());
            record(self.study, "scenario_rate", &row, &off, &on, scenario.vcores.len())
        };
        Rate::ALL.iter().map(at).collect()
    }

    fn read(&self, name: &str) -> Result<Vec<Step>> {
        let wanted = &self.study.program[name];
        let arch = self.study.arch.parse().map_err(|error: arch::UnknownArch| {
            Problem::new(error.to_string())
                .at(&self.study.name)
                .remedy("name an architecture that Assay knows")
        })?;
        let trace = match (&wanted.source, &wanted.server) {
            (_, Some(server)) => server.record(self.context, arch)?,
            (source, None) => {
                let source = source.as_deref().unwrap_or_default();
                program::record_main(self.context, arch, &Path::new("studies/engine").join(source))?
            }
        };
        let failed = |error: trace::Error| Problem::new(error.to_string()).at(trace.display());
        let steps = prefetch_engine::read_trace(&trace, self.geometry.line_bytes, wanted.skip, wanted.steps);
        let steps = steps.map_err(failed)?;
        if wanted.server.is_some() && steps.len() == wanted.steps {
            return Err(Problem::new(format!(
                "has more than {} accesses, so its requests cannot be counted",
                wanted.steps
            ))
            .at(trace.display())
            .remedy("give the program more steps in the study's file"));
        }
        match steps.is_empty() {
            true => {
                Err(Problem::new(format!("has no accesses behind the first {}", wanted.skip))
                    .at(trace.display()))
            }
            false => Ok(steps),
        }
    }

    /// Requests per second of the first vcore: instructions per second in its share of the core's time, over instructions
    /// per request.
    fn requests_per_s(&self, scenario: &Scenario, server: &server::Server, rate: f64) -> f64 {
        let steps = &self.steps[&scenario.vcores[0]];
        let instructions: u64 = steps.iter().map(|step| u64::from(step.instructions)).sum();
        let turn_us = (self.study.slice_us + self.study.exit_to_entry_us) * scenario.vcores.len() as f64;
        let share = self.study.slice_us / turn_us;
        rate * share * self.study.clock_mhz * 1e6 * server.requests as f64 / instructions as f64
    }

    fn simulate(&self, scenario: &Scenario, settings: Settings) -> Ran {
        let vcores = scenario.vcores.iter().zip(0..).map(|(name, number)| {
            let steps = self.steps.get(name).map_or(&[][..], Vec::as_slice);
            let mut vcore = Vcore::new(number, steps);
            vcore.dependent = self.study.program.get(name).is_some_and(|program| program.dependent);
            vcore
        });
        Scheduler::new(self.geometry, settings, vcores.collect()).run(SLICES, WARM_UP)
    }
}

fn gain(off: &Ran, on: &Ran) -> f64 {
    (on.rates[0] / off.rates[0] - 1.0) * 100.0
}

/// Standard deviation of the first vcore's slices in percent of their mean.
fn scatter(ran: &Ran) -> f64 {
    let slices: Vec<f64> = ran.slices[0].iter().map(|&slice| slice as f64).collect();
    let mean = slices.iter().sum::<f64>() / slices.len().max(1) as f64;
    let square = slices.iter().map(|slice| (slice - mean).powi(2)).sum::<f64>() / slices.len().max(1) as f64;
    if mean > 0.0 {
        square.sqrt() / mean * 100.0
    } else {
        0.0
    }
}

fn record(study: &Study, part: &'static str, row: &str, off: &Ran, on: &Ran, vcores: usize) -> EngineRecord {
    let fate = on.fate;
    EngineRecord {
        kind: "study_engine",
        study: study.name.clone(),
        part,
        row: row.to_owned(),
        published_percent: None,
        published: None,
        predicted_percent: gain(off, on),
        as_posted_percent: None,
        requests_per_s: None,
        mean_latency_ms: None,
        instructions_per_us: [off, on].map(|ran| ran.rates[0] * study.clock_mhz),
        access_ns: [off, on].map(|ran| ran.access_cycles[0] / study.clock_mhz * 1000.0),
        scatter_percent: [scatter(off), scatter(on)],
        restored_lines: fate.lines as f64 / ((SLICES - WARM_UP) as f64 * vcores as f64),
        fate_percent: [fate.present, fate.used, fate.late, fate.evicted],
        logs_aborted: on.logs_aborted,
        operands_refused: on.operands_refused,
        assay_version: env!("CARGO_PKG_VERSION"),
    }
}
