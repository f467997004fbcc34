// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `hot`: where a recorded program's instructions and predicted cycles go: by function, or by line and instruction of one
//! function.

use crate::context::{Context, Outcome};
use crate::coverage;
use crate::cpus;
use crate::hot_loop;
use crate::judge;
use crate::naming::{source_lines, Names, SourceLine};
use crate::progress::Progress;
use decode::Decoder;
use lab::cache::read_text;
use lab::code_map::Place;
use lab::process::{operand, quoted};
use lab::{Problem, Result};
use predict::hot::{hot_loop, HotLoop, WINDOW};
use predict::profile::Place as Charged;
use predict::{Cpu, Options, Prediction};
use report::record::Record;
use report::{Count, Derived, Predicted, Report, Table};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use trace::Held;

/// Options of `hot`.
#[derive(clap::Args)]
pub struct Args {
    /// A trace, as ./assay trace records it
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// CPU whose cycles are predicted (default: instructions are counted, and nothing predicted)
    #[arg(short, long = "cpu", value_name = "CPU")]
    cpu: Option<String>,
    /// Show the lines and instructions of this function, as the list of functions calls it
    #[arg(long, value_name = "FUNCTION[@FILE[+ADDRESS]]")]
    function: Option<String>,
    /// Functions to list
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, conflicts_with = "function", value_parser = crate::numbers::whole::<usize>(1..))]
    count: usize,
    /// A program or library with symbols, in place of one that the trace names and that has moved; a kernel's vmlinux (repeatable)
    #[arg(long, value_name = "FILE")]
    symbols: Vec<PathBuf>,
}

/// A trace with its counts and, if a cpu was named, its prediction.
struct Subject {
    trace: Held,
    arch: arch::Arch,
    /// By address and text: a program may write other code to a place, and unload one library for another.
    code: BTreeMap<(u64, String), Charged>,
    names: Names,
    prediction: Option<Prediction>,
    /// What the trace lacks.
    gaps: Vec<String>,
}

impl Subject {
    fn total(&self) -> Charged {
        sum(self.code.values())
    }
}

/// Functions, each with its instructions in order of address.
type Functions<'a> = BTreeMap<Place, Vec<(u64, &'a Charged)>>;

/// Whether its file has several functions of this name, as static ones of several sources.
fn has_namesake(place: &Place, functions: &Functions) -> bool {
    let first = Place { start: 0, ..place.clone() };
    let same = |other: &Place| other.function == place.function && other.file == place.file;
    functions.range(first..).take_while(|(other, _)| same(other)).count() > 1
}

/// What the list calls a function.
fn called(place: &Place, functions: &Functions) -> String {
    match has_namesake(place, functions) {
        true => at_address(place),
        false => place.function.clone(),
    }
}

/// `FUNCTION@FILE+0xADDRESS`, which no other function is called.
fn at_address(place: &Place) -> String {
    format!("{}@{}+{:#x}", place.function, place.file, place.start)
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let trace = judge::hold(&args.trace)?;
    let cpu = match &args.cpu {
        Some(name) => Some(of_arch(context, name, &trace)?),
        None => None,
    };
    let subject = subject(args, trace, cpu.as_ref())?;
    let mut functions: Functions = BTreeMap::new();
    for ((address, _), charged) in &subject.code {
        functions.entry(subject.names.of_address(*address).place).or_default().push((*address, charged));
    }
    // A path in them is the trace's, which may come from anybody.
    let harmless = |note: &String| report::clean_lines(note).join("\n");
    subject.names.notes.iter().for_each(|note| eprintln!("note: {}", harmless(note)));
    if context.json {
        subject.gaps.iter().for_each(|text| context.progress(text));
    }
    match &args.function {
        None => list(context, args, &subject, &functions),
        Some(name) => {
            let (place, code) = chosen(name, args, &functions)?;
            annotate(context, args, &subject, place, code, cpu.as_ref())?;
        }
    }
    Ok(Outcome::Fine)
}

fn of_arch(context: &Context, name: &str, trace: &Held) -> Result<Cpu> {
    let arch = trace.reader().map_err(|error| judge::of_trace(trace.path(), &error))?.header().arch;
    let mut cpus = cpus::cpus_for(context, &[name.to_owned()], &[arch])?;
    Ok(cpus.remove(0))
}

fn subject(args: &Args, trace: Held, cpu: Option<&Cpu>) -> Result<Subject> {
    let path = &args.trace;
    let failed = |error: &dyn std::fmt::Display| judge::of_trace(path, error);
    let progress = Progress::of(&format!("reading {}", path.display()), 0);
    let mut reader = trace.reader().map_err(|error| failed(&error))?;
    let arch = reader.header().arch;
    let executions = reader.executions().map_err(|error| failed(&error))?;
    let names = Names::of(reader.blocks(), reader.end(), &args.symbols)?;
    let gaps = judge::gaps(reader.end(), cpu.is_some());
    drop(progress);
    let mut code: BTreeMap<(u64, String), Charged> = BTreeMap::new();
    let Some(cpu) = cpu else {
        let mut decoder = Decoder::new(arch).map_err(|error| Problem::new(error.to_string()))?;
        for (block, times) in reader.blocks().iter().zip(executions) {
            for (address, bytes) in block.iter() {
                // The texts are shown for one function only.
                let text = args.function.as_ref().map(|_| text_of(&mut decoder, address, bytes));
                let text = text.unwrap_or_default();
                let one = code.entry((address, text.clone())).or_insert_with(|| Charged {
                    address,
                    text,
                    ..Charged::default()
                });
                one.executions += times;
            }
        }
        return Ok(Subject { trace, arch, code, names, prediction: None, gaps });
    };
    let _progress = Progress::of(&format!("predicting {} on {}", path.display(), cpu.name), 0);
    let mut source = judge::source_of(&trace)?;
    let options = Options { profile: true, ..Options::default() };
    let mut predictions = predict::predict(&mut source, &[cpu], &options).map_err(|error| failed(&error))?;
    let mut prediction = predictions.remove(0);
    for one in prediction.profile.take().unwrap_or_default() {
        match code.entry((one.address, one.text.clone())) {
            std::collections::btree_map::Entry::Vacant(entry) => drop(entry.insert(one)),
            std::collections::btree_map::Entry::Occupied(mut entry) => entry.get_mut().add(&one),
        }
    }
    Ok(Subject { trace, arch, code, names, prediction: Some(prediction), gaps })
}

fn text_of(decoder: &mut Decoder, address: u64, bytes: &[u8]) -> String {
    let text = decoder.decode(bytes, address).map(|instruction| instruction.text).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn sum<'a>(all: impl Iterator<Item = &'a Charged>) -> Charged {
    let mut sum = Charged::default();
    all.for_each(|one| sum.add(one));
    sum
}

/// Functions, hottest first: by cycles, or by instructions if no cycles were predicted.
fn by_heat<'b>(functions: &'b Functions<'_>) -> Vec<(&'b Place, Charged)> {
    let mut all: Vec<(&Place, Charged)> =
        functions.iter().map(|(place, code)| (place, sum(code.iter().map(|(_, one)| *one)))).collect();
    all.sort_by_key(|(_, one)| std::cmp::Reverse((one.cycles, one.executions)));
    all
}

/// The loop around a function's hottest instruction, if there is one, taken from the middle of that instruction's simulated
/// executions.
fn loop_of(
    args: &Args,
    subject: &Subject,
    code: &[(u64, &Charged)],
    cpu: Option<&Cpu>,
) -> Result<Option<HotLoop>> {
    let (Some(cpu), Some((_, hottest))) = (cpu, code.iter().max_by_key(|(_, one)| one.cycles)) else {
        return Ok(None);
    };
    let _progress = Progress::of(&format!("looking at the hot loop on {}", cpu.name), 0);
    let failed = |error: &dyn std::fmt::Display| judge::of_trace(&args.trace, error);
    let options = Options {
        events: Some((0, WINDOW)),
        events_at: Some((hottest.address, hottest.simulated.div_ceil(2).max(1))),
        ..Options::default()
    };
    let mut source = judge::source_of(&subject.trace)?;
    let told = predict::predict(&mut source, &[cpu], &options).map_err(|error| failed(&error))?.remove(0);
    let hot = told.timeline.as_ref().and_then(hot_loop);
    // The window may be mostly of another loop, which says nothing of this function.
    let hot = hot.filter(|hot| hot.instructions.iter().any(|one| one.address == hottest.address));
    Ok(hot.map(|mut hot| {
        for one in &mut hot.instructions {
            one.text = subject.names.in_file_addresses(&one.text);
            one.address = subject.names.of_address(one.address).file.map_or(one.address, |(_, own)| own);
        }
        hot
    }))
}

/// An iteration of a function's hot loop. Kind `hot_loop`.
#[derive(Serialize)]
struct LoopRecord<'a> {
    kind: &'static str,
    trace: String,
    arch: &'static str,
    cpu: &'a str,
    function: &'a str,
    cycles: f64,
    instructions: usize,
    iterations_count: usize,
    has_carried_chain: bool,
    chain_pipes_percent: f64,
    /// Addresses of the instructions on the chain.
    chain: Vec<String>,
    /// Cycles for which the pipes of each unit are busy.
    unit_cycles: BTreeMap<&'a str, f64>,
    /// Of the whole trace.
    coverage_percent: f64,
}

impl<'a> LoopRecord<'a> {
    fn of(
        args: &Args,
        subject: &Subject,
        place: &'a Place,
        hot: &'a HotLoop,
        prediction: &'a Prediction,
    ) -> LoopRecord<'a> {
        let on_chain = hot.instructions.iter().filter(|one| one.on_chain);
        LoopRecord {
            kind: "hot_loop",
            trace: args.trace.display().to_string(),
            arch: subject.arch.name(),
            cpu: &prediction.cpu,
            function: &place.function,
            cycles: hot.cycles,
            instructions: hot.instructions.len(),
            iterations_count: hot.iterations,
            has_carried_chain: hot.carried,
            chain_pipes_percent: hot.chain_pipes_percent,
            chain: on_chain.map(|one| format!("{:#x}", one.address)).collect(),
            unit_cycles: hot.units.iter().map(|unit| (unit.name.as_str(), unit.cycles)).collect(),
            coverage_percent: prediction.coverage_percent,
        }
    }
}

/// A function, a line or an instruction of a trace. Kinds `hot_function`, `hot_line` and `hot_instruction`.
#[derive(Serialize)]
struct HotRecord<'a> {
    kind: &'static str,
    trace: String,
    arch: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu: Option<&'a str>,
    file: &'a str,
    function: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    instructions: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycles: Option<u64>,
    share_percent: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<&'static str>,
    /// Of the whole trace, if its cycles are predicted.
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage_percent: Option<f64>,
}

impl<'a> HotRecord<'a> {
    fn of(
        kind: &'static str,
        args: &Args,
        subject: &'a Subject,
        place: &'a Place,
        one: &Charged,
    ) -> HotRecord<'a> {
        let cpu = subject.prediction.as_ref().map(|prediction| prediction.cpu.as_str());
        HotRecord {
            kind,
            trace: args.trace.display().to_string(),
            arch: subject.arch.name(),
            cpu,
            file: &place.file,
            function: &place.function,
            source: None,
            address: None,
            text: None,
            instructions: one.executions,
            cycles: cpu.map(|_| one.cycles),
            share_percent: share(one, &subject.total(), cpu.is_some()),
            waits_for: one.cause().map(predict::Cause::name),
            coverage_percent: subject.prediction.as_ref().map(|one| one.coverage_percent),
        }
    }
}

/// In percent of the cycles if they are predicted, else of the instructions.
fn share(part: &Charged, whole: &Charged, by_cycles: bool) -> f64 {
    let (part, whole) =
        if by_cycles { (part.cycles, whole.cycles) } else { (part.executions, whole.executions) };
    100.0 * part as f64 / whole.max(1) as f64
}

/// The note on method below each table.
fn method(subject: &Subject) -> &'static str {
    match subject.prediction {
        Some(_) => {
            "instructions as executed under QEMU; cycles predicted, not measured, each charged to the instruction whose result \
             the program could not go on without"
        }
        None => "instructions as executed under QEMU",
    }
}

/// The columns on executions and cycles that all three tables have.
struct Heat {
    share: report::Column<Derived>,
    cycles: Option<report::Column<Predicted>>,
    instructions: report::Column<Count>,
    each: Option<report::Column<Derived>>,
    waits: Option<report::Column<report::Text>>,
    total: Charged,
}

impl Heat {
    fn new(table: &mut Table, subject: &Subject, counted: &str) -> Heat {
        let predicted = subject.prediction.is_some();
        Heat {
            share: table.derived_column(if predicted { "of cycles" } else { "of instr." }, "%", 1),
            cycles: predicted.then(|| table.predicted_column("", "cycles", 0)),
            instructions: table.count_column("", counted),
            each: predicted.then(|| table.derived_column("cycles each", "", 2)),
            waits: predicted.then(|| table.text_column("mostly waits for")),
            total: subject.total(),
        }
    }

    fn set(&self, table: &mut Table, row: report::Row, one: &Charged) {
        table.set(row, self.share, Derived::from(share(one, &self.total, self.cycles.is_some())));
        table.set(row, self.instructions, Count(one.executions));
        if let (Some(cycles), Some(each), Some(waits)) = (self.cycles, self.each, self.waits) {
            table.set(row, cycles, Predicted(one.cycles as f64));
            table.set(row, each, Derived::from(one.cycles as f64 / one.executions.max(1) as f64));
            table.set(row, waits, one.cause().map_or("", predict::Cause::name));
        }
    }
}

fn title(args: &Args, subject: &Subject) -> String {
    let on = subject.prediction.as_ref().map_or(String::new(), |one| format!(" on {}, predicted", one.cpu));
    format!("{} ({}){on}", args.trace.display(), subject.arch)
}

/// Says how much of the program the cpu's file does not know.
fn tell_unknown(report: &mut Report, subject: &Subject) {
    if let Some(text) = subject.prediction.as_ref().and_then(coverage::text) {
        report.section("").paragraph(&text);
    }
}

fn list(context: &Context, args: &Args, subject: &Subject, functions: &Functions) {
    let all = by_heat(functions);
    if context.json {
        for (place, one) in all.iter().take(args.count) {
            let mut record = HotRecord::of("hot_function", args, subject, place, one);
            record.address = Some(format!("{:#x}", place.start));
            println!("{}", record.to_line());
        }
        return;
    }
    let total = subject.total();
    let mut table = Table::new("Functions, without what they call", method(subject));
    let name = table.text_column("function");
    let file = table.text_column("file");
    let heat = Heat::new(&mut table, subject, "instr");
    for (place, one) in all.iter().take(args.count) {
        let row = table.row();
        table.set(row, name, called(place, functions));
        table.set(row, file, if place.file.is_empty() { "(no file)" } else { &place.file });
        heat.set(&mut table, row, one);
    }
    let left = all.len().saturating_sub(args.count);
    if left > 0 {
        table.note(&format!("{left} more functions: -n {}", all.len()));
    }
    if all.iter().take(args.count).any(|(place, _)| place.function.contains("+0x")) {
        table
            .note("FILE+0xADDRESS is a function without a symbol, or an instruction that is in none. Such functions begin where the file's table for \
                   unwinding says, or where the trace calls them. --function and trace --roi take that name");
    }
    let mut report = Report::new(&title(args, subject));
    subject.gaps.iter().for_each(|text| {
        report.section("").paragraph(text);
    });
    tell_unknown(&mut report, subject);
    report.section("").paragraph(&match &subject.prediction {
        Some(one) => format!("{} instructions, {} cycles predicted", total.executions, one.cycles),
        None => format!("{} instructions; -c CPU predicts cycles", total.executions),
    });
    report.section("").table(table);
    if let Some((place, _)) = all.first() {
        let command = lines_command(args, &called(place, functions));
        report.section("").paragraph(&format!("Lines of the first: {command}"));
    }
    context.show(&report);
}

/// The command that shows a function's lines, as a shell takes it: names of Rust's functions have `$`, of files anything.
fn lines_command(args: &Args, function: &str) -> String {
    let mut words = vec![quoted(operand(&args.trace).as_os_str())];
    let mut add = |option: &str, value: &OsStr| words.extend([option.to_owned(), quoted(value)]);
    args.cpu.iter().for_each(|cpu| add("-c", cpu.as_ref()));
    args.symbols.iter().for_each(|file| add("--symbols", file.as_os_str()));
    add("--function", function.as_ref());
    format!("./assay hot {}", words.join(" "))
}

/// The function of that name.
fn chosen<'a, 'b>(
    word: &str,
    args: &Args,
    functions: &'b Functions<'a>,
) -> Result<(&'b Place, &'b [(u64, &'a Charged)])> {
    let (name, file) = word.split_once('@').map_or((word, None), |(name, file)| (name, Some(file)));
    let is_it = |place: &Place| {
        let is_there = |file| place.file == file || at_address(place) == word;
        // One without a symbol is called by its file, whose name may have an @ of its own.
        place.function == word || place.function == name && file.is_none_or(is_there)
    };
    let found: Vec<_> = functions.iter().filter(|(place, _)| is_it(place)).collect();
    match &found[..] {
        [(place, code)] => Ok((place, code)),
        [] if functions.keys().all(|place| place.file.is_empty()) => {
            Err(Problem::new(format!("has no names for its code, so none of a function '{word}'"))
                .at(args.trace.display())
                .remedy("name the file that the code is from, of a kernel its vmlinux: --symbols FILE"))
        }
        [] => {
            let hottest: Vec<&str> =
                by_heat(functions).iter().take(5).map(|(place, _)| place.function.as_str()).collect();
            Err(Problem::new(format!("executes nothing of a function '{word}'"))
                .at(args.trace.display())
                .remedy(format!("the hottest are {}; without --function all are listed", hottest.join(" "))))
        }
        several => {
            let name = |(place, _): &(&Place, _)| match has_namesake(place, functions) {
                true => at_address(place),
                false => format!("{}@{}", place.function, place.file),
            };
            let names: Vec<String> = several.iter().map(name).collect();
            Err(Problem::new(format!("'{word}' is several functions"))
                .at(args.trace.display())
                .remedy(format!("name one of {}", names.join(" "))))
        }
    }
}

fn annotate(
    context: &Context,
    args: &Args,
    subject: &Subject,
    place: &Place,
    code: &[(u64, &Charged)],
    cpu: Option<&Cpu>,
) -> Result<()> {
    let hot = loop_of(args, subject, code, cpu)?;
    let own = code.iter().map(|(address, _)| subject.names.of_address(*address).file);
    let own: Vec<Option<(PathBuf, u64)>> = own.collect();
    let addresses: Vec<u64> = own.iter().flatten().map(|(_, address)| *address).collect();
    let lines = match own.iter().flatten().next() {
        Some((file, _)) => source_lines(file, &addresses)?,
        None => BTreeMap::new(),
    };
    // Branch targets, like the instructions' own addresses, are shown as the file has them.
    let told: Vec<Charged> = code
        .iter()
        .map(|(_, one)| Charged { text: subject.names.in_file_addresses(&one.text), ..(*one).clone() })
        .collect();
    let shown: Vec<(u64, Option<&SourceLine>, &Charged)> = code
        .iter()
        .zip(&own)
        .zip(&told)
        .map(|(((address, _), own), one)| {
            let address = own.as_ref().map_or(*address, |(_, address)| *address);
            (address, lines.get(&address), one)
        })
        .collect();
    let mut by_line: BTreeMap<&SourceLine, Charged> = BTreeMap::new();
    for (_, line, one) in &shown {
        if let Some(line) = line {
            by_line.entry(line).or_default().add(one);
        }
    }
    if context.json {
        for (line, one) in &by_line {
            let mut record = HotRecord::of("hot_line", args, subject, place, one);
            record.source = Some(format!("{}:{}", line.0, line.1));
            println!("{}", record.to_line());
        }
        for (address, line, one) in &shown {
            let mut record = HotRecord::of("hot_instruction", args, subject, place, one);
            record.source = line.map(|line| format!("{}:{}", line.0, line.1));
            record.address = Some(format!("{address:#x}"));
            record.text = Some(&one.text);
            println!("{}", record.to_line());
        }
        if let (Some(hot), Some(cpu)) = (&hot, &subject.prediction) {
            println!("{}", LoopRecord::of(args, subject, place, hot, cpu).to_line());
        }
        return Ok(());
    }
    let whole = sum(shown.iter().map(|(_, _, one)| *one));
    let mut report = Report::new(&format!("{} of {}", place.function, title(args, subject)));
    subject.gaps.iter().for_each(|text| {
        report.section("").paragraph(text);
    });
    tell_unknown(&mut report, subject);
    report.section("").paragraph(&format!(
        "{:.1} % of the program's {}; addresses are those of {}",
        share(&whole, &subject.total(), subject.prediction.is_some()),
        if subject.prediction.is_some() { "cycles" } else { "instructions" },
        if place.file.is_empty() { "the trace" } else { &place.file }
    ));
    if by_line.is_empty() {
        report
            .section("")
            .paragraph("No source lines are known: the file has no debugging information (gcc -g).");
    } else {
        report.section("").table(line_table(subject, &by_line));
    }
    report.section("").table(code_table(subject, &shown));
    if let Some(hot) = &hot {
        hot_loop::show(report.section("The hot loop"), hot);
    }
    context.show(&report);
    Ok(())
}

fn line_table(subject: &Subject, lines: &BTreeMap<&SourceLine, Charged>) -> Table {
    let mut table = Table::new("Lines", method(subject));
    let place = table.text_column("line");
    let heat = Heat::new(&mut table, subject, "instr");
    let text = table.text_column("source");
    let mut sources: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (line, one) in lines {
        let source = sources.entry(&line.0).or_insert_with(|| {
            // A source that is not on this machine leaves the column empty.
            let text = read_text(Path::new(&line.0)).unwrap_or_default();
            text.lines().map(|line| line.trim().to_owned()).collect()
        });
        let row = table.row();
        let name = Path::new(&line.0).file_name().unwrap_or_default().to_string_lossy();
        table.set(row, place, format!("{name}:{}", line.1));
        heat.set(&mut table, row, one);
        table.set(row, text, source.get(line.1 as usize - 1).map_or("", String::as_str));
    }
    table
}

fn code_table(subject: &Subject, code: &[(u64, Option<&SourceLine>, &Charged)]) -> Table {
    let mut table = Table::new("Instructions that were executed", method(subject));
    let at = table.text_column("address");
    let text = table.text_column("instruction");
    let heat = Heat::new(&mut table, subject, "times");
    let has_lines = code.iter().any(|(_, line, _)| line.is_some());
    let source = has_lines.then(|| table.text_column("line"));
    if code.windows(2).any(|two| two[0].0 == two[1].0) {
        table.note("an address in several rows held other instructions at other times");
    }
    for (address, line, one) in code {
        let row = table.row();
        table.set(row, at, format!("{address:x}")).set(row, text, one.text.as_str());
        heat.set(&mut table, row, one);
        if let (Some(source), Some((name, number))) = (source, line) {
            let name = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
            table.set(row, source, format!("{name}:{number}"));
        }
    }
    table
}
