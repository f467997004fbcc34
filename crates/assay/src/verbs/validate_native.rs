// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `validate --native`: loops generated from a seed and basic blocks of the installed programs, measured on this machine,
//! predicted with the cpu file that names it, and run through llvm-mca. The crate `native` does the work; this file shows
//! the results. `routines` does the same with whole routines, which are not generated.

mod routines;

use crate::context::{Context, Outcome};
use crate::verbs::validate::Choice;
use arch::Arch;
use lab::cache::{read_text, read_whole};
use lab::target::Target;
use lab::toolchain::{Compiler, CompilerKind};
use lab::{Problem, Result};
use native::case::{Case, Category};
use native::generate::Half;
use native::judge::{judge, Errors, Results};
use native::{blocks, generate, machine};
use predict::Cpu;
use report::record::Record;
use report::{Derived, Integer, Report, Table};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Options of `validate --native`.
#[derive(clap::Args)]
#[group(skip)]
pub struct Args {
    /// Time loops and blocks on this machine instead, and predict them for its core (long: some minutes)
    #[arg(long)]
    pub native: bool,
    /// With --native: so many generated loops and so many blocks, both halves together
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "native", value_parser = crate::numbers::whole::<u64>(1..=1_000_000))]
    loops: u64,
    /// With --native: what the loops are made from
    #[arg(long, value_name = "S", default_value_t = 1, requires = "native", value_parser = crate::numbers::whole::<u64>(0..))]
    seed: u64,
    /// With --native: whole routines of published crates instead of loops (the first time fetches and builds them: some minutes)
    #[arg(long, requires = "native", conflicts_with_all = ["loops", "seed", "open_half", "probes"])]
    pub routines: bool,
    /// With --native: the 90 % interval of each prediction too, from the ranges of the cpu file (takes far longer)
    #[arg(long, requires = "native")]
    intervals: bool,
    /// With --native: the half that the model may be mended by, instead of the one that is held out
    #[arg(long, requires = "native")]
    open_half: bool,
    /// With --native: show so many of the worst: of loops with their code, only of the open half (default: 10); of routines if asked for
    #[arg(long, value_name = "N", requires = "native", value_parser = crate::numbers::whole::<usize>(0..))]
    worst: Option<usize>,
    /// With --native: take the measured cycles of loops or routines that FILE, printed by --json before, has
    #[arg(long, value_name = "FILE", requires = "native")]
    measured: Option<PathBuf>,
    /// With --native: judge the description of CPU, which is of another core than this machine's
    #[arg(long = "as", value_name = "CPU", requires = "native")]
    as_cpu: Option<String>,
    /// With --native: the loops of FILE instead, each with its figures
    #[arg(long, value_name = "FILE", requires = "native", conflicts_with_all = ["loops", "seed", "open_half"])]
    probes: Option<PathBuf>,
}

/// One loop. Kind `native`.
#[derive(Serialize)]
struct LoopRecord<'a> {
    kind: &'a str,
    cpu: &'a str,
    row: &'a str,
    category: &'a str,
    held_out: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<&'a str>,
    measured_cycles: f64,
    cycles: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval_cycles: Option<[f64; 2]>,
    error_percent: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    llvm_mca_error_percent: Option<f64>,
}

/// The errors of a set of loops. Kind `native_summary`.
#[derive(Serialize)]
struct SummaryRecord<'a> {
    kind: &'a str,
    cpu: &'a str,
    rows: &'a str,
    held_out: bool,
    loops_count: usize,
    mean_absolute_error_percent: f64,
    median_absolute_error_percent: f64,
    mean_error_percent: f64,
    within_5_10_20_percent: [f64; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    inside_interval_percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    median_interval_half_width_percent: Option<f64>,
    llvm_mca_loops_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    llvm_mca_mean_absolute_error_percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    llvm_mca_median_absolute_error_percent: Option<f64>,
}

/// Errors of some rows: ours, llvm-mca's, and the share inside of the interval.
struct Group {
    name: String,
    own: Errors,
    mca: Errors,
    inside_percent: Option<f64>,
    half_width_percent: Option<f64>,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args, choice: &Choice<'_>) -> Result<Outcome> {
    if args.routines {
        return routines::run(context, args, choice);
    }
    let (cpu, of_another) = cpu(context, args)?;
    let (cases, harvest) = cases(args)?;
    let measured = args.measured_before()?;
    if cases.is_empty() {
        return Err(Problem::new("there are no loops in this half").remedy("ask for more with --loops"));
    }
    let progress = |text: &str| eprintln!("assay: {text}");
    let assembled = |text: &str| assemble(context, text).map_err(|problem| problem.to_string());
    let results = judge(cases, &cpu, args.intervals, &assembled, &measured, &progress)
        .map_err(|error| Problem::new(error.to_string()))?;
    let control = control_text(&results);
    if results.outcomes.is_empty() {
        let why =
            counted(results.failures_by_reason().iter().map(|(reason, count)| (reason.as_str(), *count)));
        let control = control.unwrap_or_default();
        return Err(Problem::new(format!("no loop could be measured: {why}. {control}"))
            .remedy("try again when the machine is less busy"));
    }
    let groups = groups(&results);
    if context.json {
        records(&cpu, args, &results, &groups);
        return Ok(Outcome::Fine);
    }
    let mut report = Report::new(&format!("Loops on this machine against {}", cpu.name));
    let section = report.section("").table(table(&groups, &LOOPS));
    of_another.iter().for_each(|text| {
        section.paragraph(text);
    });
    for text in loops_text(args, &harvest) {
        section.paragraph(&text);
    }
    section.paragraph(&format!(
        "Samples dropped because the clock moved: {} of {}.",
        results.disturbed_count, results.samples_count
    ));
    control.iter().for_each(|text| {
        section.paragraph(text);
    });
    let failures = results.failures_by_reason();
    section.paragraph(&format!(
        "Loops not measured: {}.",
        counted(failures.iter().map(|(reason, count)| (reason.as_str(), *count)))
    ));
    if args.probes.is_some() {
        section.table(probes(&results));
    } else if args.open_half {
        worst(&results, args.worst.unwrap_or(WORST)).iter().for_each(|text| {
            section.verbatim(text);
        });
    }
    context.show(&report);
    Ok(Outcome::Fine)
}

/// How many of the worst loops are shown if no number is given.
const WORST: usize = 10;

/// What the control loop tells of the core, if anything was measured.
fn control_text(results: &Results) -> Option<String> {
    let [best, middle] = results.control?;
    Some(format!(
        "The control loop, which needs the whole width, took {best:.2} times its cycles at best and {middle:.2} \
         in the middle; a visit between looks that found more than {} does not count.",
        native::SHARE_MAX
    ))
}

impl Args {
    /// What an earlier run measured, by row.
    fn measured_before(&self) -> Result<BTreeMap<String, f64>> {
        let before = |path| measured_before(path, machine::name().as_deref());
        Ok(self.measured.as_deref().map(before).transpose()?.unwrap_or_default())
    }

    fn is_held_out(&self) -> bool {
        self.probes.is_none() && !self.open_half
    }
}

/// Which loops these are.
fn loops_text(args: &Args, harvest: &blocks::Harvest) -> Vec<String> {
    if let Some(path) = &args.probes {
        return vec![format!("The loops of {}, of neither half.", path.display())];
    }
    let which = match args.is_held_out() {
        true => "the half that nobody looked at while the model was mended",
        false => "the half that the model was mended by: no measure of what it is worth elsewhere",
    };
    let left_out = counted(harvest.left_out.iter().map(|(reason, count)| (*reason, *count)));
    vec![
        format!("Seed {}, {which}.", args.seed),
        format!("Blocks come from {} files; left out: {left_out}.", harvest.files_count),
    ]
}

/// The cpu file that is judged, and a note if it describes another core than this machine's.
fn cpu(context: &Context, args: &Args) -> Result<(Cpu, Option<String>)> {
    let Some(name) = &args.as_cpu else {
        let cpu = machine::described_in(&context.workspace.root.join("cpus")).map_err(|error| {
            Problem::new(error.to_string()).remedy(
                "run it on a machine that a cpu file names, judge the file of another core with --as CPU, or \
                 write one: docs/add-a-cpu.md",
            )
        })?;
        return Ok((cpu, None));
    };
    let machine =
        machine::name().ok_or_else(|| Problem::new(machine::NotDescribed::OtherArch.to_string()))?;
    let cpu = crate::cpus::cpus_for(context, std::slice::from_ref(name), &[Arch::X86_64])?.remove(0);
    if !cpu.runs(Arch::X86_64) {
        return Err(Problem::new(format!("--as {name}: it runs no x86-64 code, which the loops are"))
            .remedy("name an x86-64 cpu; ./assay cpu lists those described"));
    }
    let of_another = (!machine::is_described_by(&cpu)).then(|| {
        format!("This machine is '{machine}' by CPUID: {name} does not name it, and llvm-mca has the model of {name}.")
    });
    Ok((cpu, of_another))
}

/// The loops that are asked for, and the harvest that their blocks are from.
fn cases(args: &Args) -> Result<(Vec<Case>, blocks::Harvest)> {
    if let Some(path) = &args.probes {
        let cases = native::probes::parse(&read_text(path)?);
        if cases.is_empty() {
            return Err(Problem::new("has no loop")
                .at(path.display())
                .remedy("write one below a line '# NAME', as crates/native/probes/zen.txt has them"));
        }
        return Ok((cases, blocks::Harvest::default()));
    }
    let half = if args.open_half { Half::Open } else { Half::HeldOut };
    let mut cases = generate::cases(args.seed, args.loops, half);
    let mut harvest =
        blocks::harvest(args.seed, args.loops, half).map_err(|error| Problem::new(error.to_string()))?;
    cases.append(&mut harvest.cases);
    Ok((cases, harvest))
}

/// Cycles that an earlier run measured, by the `row` of its records. Those of another core would pass for this one's.
fn measured_before(path: &Path, here: Option<&str>) -> Result<BTreeMap<String, f64>> {
    let remedy = "give what 'assay validate --native --json' printed";
    let bytes = read_whole(path, remedy)?;
    let mut measured = BTreeMap::new();
    for (number, line) in bytes.trim_ascii_end().split(|byte| *byte == b'\n').enumerate() {
        let record: serde_json::Value = serde_json::from_slice(line).map_err(|error| {
            Problem::new(format!("not a record: {error}"))
                .at(format!("{}:{}", path.display(), number + 1))
                .remedy(remedy)
        })?;
        if let Some(there) = record["machine"].as_str().filter(|there| Some(*there) != here) {
            let here = here.unwrap_or("none that is known");
            return Err(Problem::new(format!("measured on '{there}', and this machine is '{here}'"))
                .at(format!("{}:{}", path.display(), number + 1))
                .remedy("measure here, without --measured"));
        }
        if let (Some(row), Some(cycles)) = (record["row"].as_str(), record["measured_cycles"].as_f64()) {
            measured.insert(row.to_owned(), cycles);
        }
    }
    // All would be measured anew, which takes minutes and is not what was asked for.
    if measured.is_empty() {
        return Err(Problem::new("holds no measured loop and no measured routine")
            .at(path.display())
            .remedy(remedy));
    }
    Ok(measured)
}

/// Reasons with how often each was met.
fn counted<'a>(reasons: impl Iterator<Item = (&'a str, u64)>) -> String {
    let parts: Vec<String> = reasons.map(|(reason, count)| format!("{count} ({reason})")).collect();
    if parts.is_empty() {
        "none".to_owned()
    } else {
        parts.join(", ")
    }
}

/// Assembles with clang, which every set-up has.
fn assemble(context: &Context, text: &str) -> Result<Vec<u8>> {
    let compiler = Compiler::of(CompilerKind::Clang, Target::of(Arch::X86_64))?;
    let (source, object) = (context.workspace.scratch(".s")?, context.workspace.scratch(".o")?);
    std::fs::write(source.path(), text)
        .map_err(|error| Problem::io("write the loops", source.path(), &error))?;
    let command = compiler.command().args(["-x", "assembler", "-c"]).arg(source.path());
    let output = command.arg("-o").arg(object.path()).run()?;
    if !output.success() {
        return Err(Problem::new(output.head(6)));
    }
    std::fs::read(object.path()).map_err(|error| Problem::io("read the object", object.path(), &error))
}

fn groups(results: &Results) -> Vec<Group> {
    let block = Category::Block;
    let mut groups: Vec<Group> = results
        .by_category()
        .into_keys()
        .map(|category| Group::of(results, category.name(), &|outcome| outcome.case.category == category))
        .collect();
    groups.push(Group::of(results, "all generated", &|outcome| outcome.case.category != block));
    groups.push(Group::of(results, "all", &|_| true));
    groups
}

impl Group {
    /// The rows that `takes` selects.
    fn of(results: &Results, name: &str, takes: &dyn Fn(&native::judge::Outcome) -> bool) -> Group {
        let (own, mca) = results.errors(takes);
        let of = || results.outcomes.iter().filter(|outcome| takes(outcome));
        let inside: Vec<bool> = of().filter_map(native::judge::Outcome::is_inside).collect();
        let widths: Vec<f64> = of().filter_map(native::judge::Outcome::half_width_percent).collect();
        let share = |of: &[bool]| 100.0 * of.iter().filter(|is| **is).count() as f64 / of.len() as f64;
        Group {
            name: name.to_owned(),
            own,
            mca,
            inside_percent: (!inside.is_empty()).then(|| share(&inside)),
            half_width_percent: stats::median(&widths),
        }
    }
}

/// What the rows of a table are.
struct Rows {
    name: &'static str,
    /// What was measured, and what llvm-mca runs.
    measured: &'static str,
    /// Why llvm-mca has no answer.
    no_mca: &'static str,
}

const LOOPS: Rows = Rows {
    name: "loops",
    measured: "core cycles per turn, fastest of several visits; llvm-mca runs LLVM's model of the same core",
    no_mca: "llvm-mca has no answer for calls",
};

fn table(groups: &[Group], rows: &Rows) -> Table {
    let mut table = Table::new(
        "Predicted against measured, in percent of the measured cycles",
        &format!(
            "{}; inside: measured cycles within the 90 % interval of the prediction, whose ends are half width away in the \
             median (--intervals)",
            rows.measured
        ),
    );
    let name = table.text_column(rows.name);
    let count = table.integer_column("n", "");
    let mean = table.derived_column("mean", "%", 1);
    let median = table.derived_column("median", "%", 1);
    let bias = table.derived_column("bias", "%", 1);
    let five = table.derived_column("within 5", "%", 0);
    let ten = table.derived_column("10", "%", 0);
    let twenty = table.derived_column("20", "%", 0);
    let inside = table.derived_column("inside", "%", 0);
    let width = table.derived_column("half width", "%", 0);
    let mca_mean = table.derived_column("mca mean", "%", 1);
    let mca_median = table.derived_column("mca median", "%", 1);
    for group in groups {
        let row = table.row();
        let own = &group.own;
        table.set(row, name, group.name.as_str()).set(row, count, Integer(own.count as u64));
        table.set(row, mean, Derived::from(own.mean_percent));
        table.set(row, median, Derived::from(own.median_percent));
        table.set(row, bias, Derived::from(own.bias_percent));
        for (column, share) in [five, ten, twenty].into_iter().zip(own.within_percent) {
            table.set(row, column, Derived::from(share));
        }
        for (column, percent) in [(inside, group.inside_percent), (width, group.half_width_percent)] {
            match percent {
                Some(percent) => table.set(row, column, Derived::from(percent)),
                None => table.mark(row, column, "not asked for"),
            };
        }
        if group.mca.count > 0 {
            table.set(row, mca_mean, Derived::from(group.mca.mean_percent));
            table.set(row, mca_median, Derived::from(group.mca.median_percent));
        } else {
            table.mark(row, mca_mean, rows.no_mca);
        }
    }
    table
}

/// The table of `--probes`: each loop of the file.
fn probes(results: &Results) -> Table {
    let mut table = Table::new("Each loop", "cycles per turn");
    let name = table.text_column("loop");
    let measured = table.derived_column("measured", "cycles", 2);
    let cycles = table.derived_column("predicted", "cycles", 2);
    let error = table.derived_column("error", "%", 1);
    for outcome in &results.outcomes {
        let row = table.row();
        table.set(row, name, outcome.case.name.as_str());
        table.set(row, measured, Derived::from(outcome.measured_cycles));
        table.set(row, cycles, Derived::from(outcome.predicted_cycles));
        table.set(row, error, Derived::from(outcome.error_percent()));
    }
    table
}

/// The worst rows, loops with their code.
fn worst(results: &Results, count: usize) -> Vec<String> {
    let mut outcomes: Vec<_> = results.outcomes.iter().collect();
    outcomes.sort_by(|a, b| b.error_percent().abs().total_cmp(&a.error_percent().abs()));
    outcomes.truncate(count);
    let text = |outcome: &&native::judge::Outcome| {
        let figures = format!(
            "{}: measured {:.2}, predicted {:.2} ({:+.0} %)",
            outcome.case.name,
            outcome.measured_cycles,
            outcome.predicted_cycles,
            outcome.error_percent()
        );
        outcome.text.iter().fold(figures, |text, line| text + "\n    " + line)
    };
    outcomes.iter().map(text).collect()
}

fn records(cpu: &Cpu, args: &Args, results: &Results, groups: &[Group]) {
    let machine = machine::name();
    for outcome in &results.outcomes {
        let record = LoopRecord {
            kind: "native",
            cpu: &cpu.name,
            row: &outcome.key,
            category: outcome.case.category.name(),
            held_out: outcome.case.held_out,
            machine: machine.as_deref(),
            measured_cycles: outcome.measured_cycles,
            cycles: outcome.predicted_cycles,
            interval_cycles: outcome.interval_cycles,
            error_percent: outcome.error_percent(),
            llvm_mca_error_percent: outcome.mca_error_percent(),
        };
        println!("{}", record.to_line());
    }
    groups.iter().for_each(|group| println!("{}", summary(cpu, args, group).to_line()));
}

fn summary<'a>(cpu: &'a Cpu, args: &Args, group: &'a Group) -> SummaryRecord<'a> {
    let of_mca = |percent: f64| (group.mca.count > 0).then_some(percent);
    SummaryRecord {
        kind: "native_summary",
        cpu: &cpu.name,
        rows: &group.name,
        held_out: args.is_held_out(),
        loops_count: group.own.count,
        mean_absolute_error_percent: group.own.mean_percent,
        median_absolute_error_percent: group.own.median_percent,
        mean_error_percent: group.own.bias_percent,
        within_5_10_20_percent: group.own.within_percent,
        inside_interval_percent: group.inside_percent,
        median_interval_half_width_percent: group.half_width_percent,
        llvm_mca_loops_count: group.mca.count,
        llvm_mca_mean_absolute_error_percent: of_mca(group.mca.mean_percent),
        llvm_mca_median_absolute_error_percent: of_mca(group.mca.median_percent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(open_half: bool, probes: Option<&str>) -> Args {
        Args {
            native: true,
            loops: 1000,
            seed: 7,
            routines: false,
            intervals: false,
            open_half,
            worst: None,
            measured: None,
            as_cpu: None,
            probes: probes.map(PathBuf::from),
        }
    }

    fn group(of_mca: &[f64]) -> Group {
        Group {
            name: "calls".to_owned(),
            own: Errors::of(&[1.0]),
            mca: Errors::of(of_mca),
            inside_percent: None,
            half_width_percent: None,
        }
    }

    #[test]
    fn loops_of_a_file_are_of_no_half() {
        let harvest = blocks::Harvest { files_count: 12, ..blocks::Harvest::default() };
        let told = |args: &Args| loops_text(args, &harvest).join(" ");
        assert!(told(&args(false, None)).starts_with("Seed 7, the half that nobody looked at"));
        assert!(
            told(&args(true, None)).contains("mended by") && told(&args(true, None)).contains("12 files")
        );
        assert_eq!(told(&args(false, Some("my.txt"))), "The loops of my.txt, of neither half.");
        assert_eq!(
            [args(false, None), args(true, None), args(false, Some("x"))].map(|args| args.is_held_out()),
            [true, false, false]
        );
    }

    #[test]
    fn cycles_of_another_core_are_not_taken_for_this_ones() {
        let path = std::env::temp_dir().join(format!("assay-measured-{}", std::process::id()));
        let line = r#"{"kind":"native","machine":"AuthenticAMD 25 1","measured_cycles":3.0,"row":"a"}"#;
        std::fs::write(&path, format!("{line}\n")).unwrap();
        let taken = |here| measured_before(&path, here);
        assert_eq!(taken(Some("AuthenticAMD 25 1")).unwrap()["a"], 3.0);
        let refused = taken(Some("AuthenticAMD 25 17")).unwrap_err().to_string();
        assert!(
            refused.contains("'AuthenticAMD 25 1', and this machine is 'AuthenticAMD 25 17'"),
            "{refused}"
        );
        std::fs::write(&path, "{}\n").unwrap();
        let empty = taken(Some("AuthenticAMD 25 1")).unwrap_err().to_string();
        assert!(empty.contains("no measured loop"), "{empty}");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn what_llvm_mca_has_no_answer_for_has_no_error_of_its() {
        let cpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus");
        let cpu = Cpu::load(&cpus, "zen4").expect("it is described");
        let line = |of_mca: &[f64]| summary(&cpu, &args(false, None), &group(of_mca)).to_line();
        assert!(line(&[3.0]).contains(r#""llvm_mca_mean_absolute_error_percent":3.0"#), "{}", line(&[3.0]));
        let none = line(&[]);
        assert!(none.contains(r#""llvm_mca_loops_count":0"#) && !none.contains("llvm_mca_me"), "{none}");
    }
}
