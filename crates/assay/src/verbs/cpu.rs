// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `cpu`: a description as the predictor takes it, with the source of each number; or the difference of two.

use crate::context::{Context, Outcome};
use crate::cpus;
use lab::{Problem, Result};
use predict::cpu::{Entry, Kind, Number};
use predict::Cpu;
use report::record::Record;
use report::{Report, Table};
use serde::Serialize;

/// Options of `cpu`.
#[derive(clap::Args)]
pub struct Args {
    /// CPU to describe (default: list them)
    #[arg(value_name = "CPU")]
    cpu: Option<String>,
    /// Show only what differs between the two
    #[arg(long, value_name = "OTHER", requires = "cpu")]
    diff: Option<String>,
    /// Print all of it, with what it inherits, as one cpu file (for `-c FILE.toml`)
    #[arg(long, requires = "cpu", conflicts_with = "diff")]
    effective: bool,
}

/// One described cpu. Kind `cpu`.
#[derive(Serialize)]
struct CpuRecord<'a> {
    kind: &'static str,
    cpu: &'a str,
    title: &'a str,
    clock_mhz: f64,
    runs: &'a [String],
    shape: &'a str,
}

/// One entry of a description.
#[derive(Serialize)]
struct EntryRecord {
    kind: &'static str,
    cpu: String,
    key: String,
    value: String,
    unit: String,
    known_as: String,
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    place: String,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let Some(name) = &args.cpu else { return list(context) };
    let cpu = cpus::cpus(context, std::slice::from_ref(name))?.remove(0);
    if args.effective {
        if context.json {
            return Err(Problem::new("--effective prints a cpu file, which --json does not apply to")
                .remedy(format!("./assay cpu {name} --json has every entry, with what is inherited")));
        }
        print!("{}", cpu.whole());
        return Ok(Outcome::Fine);
    }
    match &args.diff {
        None => describe(context, &cpu),
        Some(other) => {
            difference(context, &cpu, &cpus::cpus(context, std::slice::from_ref(other))?.remove(0))
        }
    }
}

fn list(context: &Context) -> Result<Outcome> {
    let mut table = Table::new("Described CPUs", "");
    let called = table.text_column("cpu");
    let title = table.text_column("title");
    let clock = table.text_column("clock");
    let archs = table.text_column("runs");
    let kind = table.text_column("shape");
    let mut problems = Vec::new();
    for name in Cpu::list(&cpus::folder(context)) {
        // A description that cannot be read does not hide the others.
        let cpu = match cpus::cpus(context, std::slice::from_ref(&name)) {
            Ok(mut found) => found.remove(0),
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        if context.json {
            println!("{}", cpu_record(&cpu).to_line());
        }
        let row = table.row();
        table.set(row, called, cpu.name.as_str()).set(row, title, cpu.title());
        table.set(row, clock, format!("{} MHz", cpu.clock_mhz()));
        table.set(row, archs, cpu.words("arch").join(" "));
        table.set(row, kind, cpu.word("kind").unwrap_or_default());
    }
    table.note("Besides: llvm:NAME for any -mcpu that LLVM has a scheduling model of, as a marked fallback.");
    if !context.json {
        let mut report = Report::new("CPUs");
        report.section("").table(table);
        context.show(&report);
    }
    let last = problems.pop();
    problems.iter().for_each(|problem| eprintln!("assay: {problem}"));
    last.map_or(Ok(Outcome::Fine), Err)
}

fn cpu_record(cpu: &Cpu) -> CpuRecord<'_> {
    CpuRecord {
        kind: "cpu",
        cpu: &cpu.name,
        title: cpu.title(),
        clock_mhz: cpu.clock_mhz(),
        runs: cpu.words("arch"),
        shape: cpu.word("kind").unwrap_or_default(),
    }
}

fn describe(context: &Context, cpu: &Cpu) -> Result<Outcome> {
    if context.json {
        cpu.entries().for_each(|(key, entry)| println!("{}", record(context, cpu, key, entry).to_line()));
        return Ok(Outcome::Fine);
    }
    let mut report = Report::new(&format!("{}: {}", cpu.name, cpu.title()));
    for (name, essay) in &cpu.essays {
        let section = report.section(name);
        essay.split("\n\n").for_each(|paragraph| {
            section.paragraph(paragraph);
        });
    }
    let mut table = Table::new("Every entry and where it comes from", "");
    let key = table.text_column("key");
    let value = table.text_column("value");
    let known = table.text_column("known as");
    let source = table.text_column("source");
    for (name, entry) in cpu.entries() {
        let record = record(context, cpu, name, entry);
        let row = table.row();
        table.set(row, key, name).set(row, value, format!("{} {}", record.value, record.unit).trim());
        table.set(row, known, record.known_as).set(row, source, record.source);
        if let Some(note) = record.note {
            table.mark(row, value, &note);
        }
    }
    report.section("Entries").table(table).paragraph(&provenance(cpu));
    context.show(&report);
    Ok(Outcome::Fine)
}

/// How many numbers there are of each kind.
fn provenance(cpu: &Cpu) -> String {
    let count = |kind: Kind| {
        cpu.entries().filter(|(_, entry)| matches!(entry, Entry::Number(n) if n.kind == kind)).count()
    };
    let parts: Vec<String> =
        Kind::ALL.iter().map(|kind| format!("{} {}", count(*kind), kind.name())).collect();
    format!("Numbers: {}.", parts.join(", "))
}

fn difference(context: &Context, a: &Cpu, b: &Cpu) -> Result<Outcome> {
    let mut table = Table::new(&format!("Where {} and {} differ", a.name, b.name), "");
    let key = table.text_column("key");
    let first = table.text_column(&a.name);
    let second = table.text_column(&b.name);
    let differences = a.diff(b);
    for difference in &differences {
        if context.json {
            for (cpu, entry) in [(a, &difference.a), (b, &difference.b)] {
                if let Some(entry) = entry {
                    println!("{}", record(context, cpu, &difference.key, entry).to_line());
                }
            }
        }
        let row = table.row();
        table.set(row, key, difference.key.as_str());
        table.set(row, first, short(difference.a.as_ref())).set(row, second, short(difference.b.as_ref()));
    }
    if !context.json {
        let mut report = Report::new("Two CPUs");
        if differences.is_empty() {
            report.section("").paragraph(&format!("{} and {} do not differ.", a.name, b.name));
        } else {
            report.section("").table(table);
        }
        context.show(&report);
    }
    Ok(Outcome::Fine)
}

fn short(entry: Option<&Entry>) -> String {
    match entry {
        None => String::new(),
        Some(Entry::Words { words, .. }) => words.join(" "),
        Some(Entry::Number(number)) => format!("{} {} ({})", number.value, number.unit, number.kind.name()),
    }
}

fn record(context: &Context, cpu: &Cpu, key: &str, entry: &Entry) -> EntryRecord {
    let place = entry.place();
    let (value, unit, known_as, source, note) = match entry {
        Entry::Words { words, .. } => (words.join(" "), String::new(), String::new(), String::new(), None),
        Entry::Number(number) => (
            number.value.to_string(),
            number.unit.clone(),
            known_as(number),
            number.source.clone(),
            note(number),
        ),
    };
    EntryRecord {
        kind: "cpu_entry",
        cpu: cpu.name.clone(),
        key: key.to_owned(),
        value,
        unit,
        known_as,
        source,
        note,
        place: format!("{}:{}", context.workspace.display(&place.file), place.line),
    }
}

/// With which number it moves, and what the file remarks.
fn note(number: &Number) -> Option<String> {
    let with = number.moves_with.as_ref().map(|key| format!("moves with {key}"));
    with.into_iter().chain(number.note.clone()).reduce(|with, note| format!("{with}; {note}"))
}

/// `guess 2..6`, `fitted to ...`, or the kind alone.
fn known_as(number: &Number) -> String {
    match (number.kind, number.range, &number.fitted_to) {
        (Kind::Fitted, _, Some(figure)) => format!("fitted to {figure}"),
        (kind, Some((low, high)), _) => format!("{} {low}..{high}", kind.name()),
        (kind, None, _) => kind.name().to_owned(),
    }
}
