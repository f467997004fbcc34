// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `ebpf conformance`: the public suite through the plugin program of every architecture, on each CPU that the library
//! generates different code for, interpreted and compiled, with swaps merged and not.

use super::{machine, plugin};
use crate::context::{Context, Outcome};
use crate::verbs::check::Tally;
use arch::Arch;
use ebpf::conformance::{self, default_suite, Case, Overlay, BIG_ENDIAN_RESULTS};
use ebpf::{Engine, Plugin};
use lab::{host, pool, Problem, Result};
use report::record::Record;
use report::{Count, Report, Table, Text, Tone};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Options of `ebpf conformance`.
#[derive(clap::Args)]
pub struct Args {
    /// The suite, a JSON list of programs and results (default: ../shared/conformance/ebpf.json beside the checkout)
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// Architecture, by GNU name (repeatable or separated by commas; default: all that the plugin is built for)
    #[arg(short, long = "arch", value_name = "ARCH", value_delimiter = ',')]
    archs: Vec<Arch>,
    /// Show the programs whose published result holds on little-endian machines only, instead of running any
    #[arg(long, conflicts_with = "archs")]
    big_endian: bool,
}

/// One way to run the suite.
struct Way {
    plugin: Plugin,
    arch: Arch,
    machine: String,
    engine: Engine,
    /// Options of the plugin, and how the table calls them.
    fusion: (&'static [&'static str], &'static str),
}

/// The result of one way. Kind `ebpf_conformance`.
#[derive(Serialize)]
struct ConformanceRecord<'a> {
    kind: &'static str,
    arch: &'static str,
    machine: &'a str,
    engine: &'static str,
    swaps: &'static str,
    passed: usize,
    passed_by_overlay: usize,
    failed: usize,
    failures: &'a [String],
    assay_version: &'static str,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    if args.big_endian {
        return show_big_endian(context, args.suite.as_deref());
    }
    let tally = check(context, args.suite.as_deref(), &args.archs)?;
    if tally.right + tally.wrong == 0 {
        return Err(Problem::new("no program of the suite was run")
            .remedy("give the suite with --suite FILE, or set ASSAY_SHARED to the folder that has conformance/ebpf.json"));
    }
    eprintln!("{} right, {} wrong, {} skipped", tally.right, tally.wrong, tally.skipped);
    Ok(if tally.wrong == 0 { Outcome::Fine } else { Outcome::Failed })
}

/// Runs the suite, shows the table, and counts programs times ways. If no suite is named and the default one is missing,
/// that is one skip.
pub fn check(context: &Context, suite: Option<&Path>, archs: &[Arch]) -> Result<Tally> {
    let default = default_suite(&context.workspace.root);
    if suite.is_none() && !default.is_file() {
        eprintln!(
            "skip   the conformance suite: {} is not there; give it with --suite, or set ASSAY_SHARED",
            default.display()
        );
        return Ok(Tally { skipped: 1, ..Tally::default() });
    }
    let suite = read_suite(suite.unwrap_or(&default))?;
    let overlay = read_overlay(context)?;
    let archs = if archs.is_empty() { plugin::archs() } else { archs.to_vec() };
    let mut ways = Vec::new();
    for arch in archs {
        ways.extend(ways_of(context, arch)?);
    }
    run_ways(context, &ways, &suite, &overlay)
}

fn read_suite(path: &Path) -> Result<Vec<Case>> {
    let remedy = "name a JSON list of programs and results, as bpf_conformance has them";
    let suite =
        conformance::read_suite(path).map_err(|error| Problem::new(error.to_string()).remedy(remedy))?;
    if suite.is_empty() {
        return Err(Problem::new(format!("{}: the suite holds no program", path.display())));
    }
    Ok(suite)
}

fn read_overlay(context: &Context) -> Result<Overlay> {
    conformance::read_overlay(&context.workspace.root.join(BIG_ENDIAN_RESULTS))
        .map_err(|error| Problem::new(error.to_string()))
}

/// A case whose result depends on the byte order. Kind `ebpf_big_endian`.
#[derive(Serialize)]
struct BigEndianRecord<'a> {
    kind: &'static str,
    case: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<u64>,
    big_endian: u64,
    rfc9669_section: &'a str,
    why: &'a str,
    assay_version: &'static str,
}

/// The list of big-endian results; published ones beside them as far as the suite at hand has the case.
fn show_big_endian(context: &Context, suite: Option<&Path>) -> Result<Outcome> {
    let default = default_suite(&context.workspace.root);
    let suite = match suite {
        None if !default.is_file() => Vec::new(),
        named => read_suite(named.unwrap_or(&default))?,
    };
    let overlay = read_overlay(context)?;
    let published = |name: &str| suite.iter().find(|case| case.name == name).map(|case| case.result);
    if context.json {
        for (case, big) in &overlay {
            let record = BigEndianRecord {
                kind: "ebpf_big_endian",
                case,
                published: published(case),
                big_endian: big.result,
                rfc9669_section: &big.section,
                why: &big.why,
                assay_version: env!("CARGO_PKG_VERSION"),
            };
            println!("{}", record.to_line());
        }
        return Ok(Outcome::Fine);
    }
    let mut table = Table::new(
        &format!("{} programs of bpf_conformance with another r0 on big-endian machines", overlay.len()),
        "derived by hand from the section of RFC 9669 that is named; - where the suite at hand lacks the program",
    );
    let names = table.text_column("case");
    let results = ["published", "big endian"].map(|name| table.text_column(name));
    let section = table.text_column("RFC 9669");
    let why = table.text_column("why");
    for (case, big) in &overlay {
        let row = table.row();
        table.set(row, names, case.as_str()).set(row, section, big.section.as_str());
        if let Some(published) = published(case) {
            table.set(row, results[0], format!("{published:#x}").as_str());
        }
        table.set(row, results[1], format!("{:#x}", big.result).as_str()).set(row, why, big.why.as_str());
    }
    let mut report = Report::new("eBPF conformance on big-endian machines");
    report.section("").table(table);
    context.show(&report);
    Ok(Outcome::Fine)
}

fn ways_of(context: &Context, arch: Arch) -> Result<Vec<Way>> {
    const MERGED: (&[&str], &str) = (&["--fuse"], "merged");
    const SEPARATE: (&[&str], &str) = (&["--no-fuse"], "not merged");
    let mut engines = Vec::new();
    if host::native_arch() == Some(arch) {
        engines.push(lab::emulator::Engine::Native);
    }
    machine::cpu(arch, None)?;
    for cpu in machine::cpus(arch) {
        let engine = machine::emulator(context, arch, cpu)?;
        // CPUs for which QEMU has no separate models are one way.
        if !engines.contains(&engine) {
            engines.push(engine);
        }
    }
    let mut ways = Vec::new();
    for (index, machine) in engines.iter().enumerate() {
        let plugin = plugin::build(context, arch, machine)?;
        let mut add = |engine, fusion| {
            ways.push(Way { plugin: plugin.clone(), arch, machine: machine.describe(), engine, fusion });
        };
        // The interpreter is the same code on every CPU of an architecture.
        if index == 0 {
            add(Engine::Interpreter, (&[], ""));
        }
        if machine::has_back_end(arch) {
            add(Engine::Compiled, SEPARATE);
            add(Engine::Compiled, MERGED);
        }
    }
    Ok(ways)
}

fn run_ways(context: &Context, ways: &[Way], suite: &[Case], overlay: &Overlay) -> Result<Tally> {
    let mut tally = Tally::default();
    let mut stopped = None;
    let mut results = Vec::new();
    pool::in_order(
        ways,
        |way| conformance::run(&way.plugin, way.engine, way.fusion.0, suite, overlay, false),
        |index, result| match result {
            Ok(report) => {
                tally.right += report.passed;
                tally.wrong += report.failures.len();
                if context.json {
                    println!("{}", record(&ways[index], &report).to_line());
                }
                results.push((&ways[index], report));
            }
            Err(error) => {
                stopped.get_or_insert_with(|| Problem::new(error.to_string()));
            }
        },
    );
    if !context.json {
        let mut report = Report::new(&format!("eBPF conformance, {} programs", suite.len()));
        report.section("").table(table(&results));
        context.show(&report);
        for (way, report) in &results {
            for failure in &report.failures {
                println!("WRONG  {} {} {}: {failure}", way.machine, engine_name(way.engine), way.fusion.1);
            }
        }
    }
    stopped.map_or(Ok(tally), Err)
}

fn engine_name(engine: Engine) -> &'static str {
    match engine {
        Engine::Interpreter => "interpreter",
        Engine::Compiled => "compiled code",
    }
}

fn record<'a>(way: &'a Way, report: &'a conformance::Report) -> ConformanceRecord<'a> {
    ConformanceRecord {
        kind: "ebpf_conformance",
        arch: way.arch.name(),
        machine: &way.machine,
        engine: engine_name(way.engine),
        swaps: way.fusion.1,
        passed: report.passed,
        passed_by_overlay: report.passed_by_overlay,
        failed: report.failures.len(),
        failures: &report.failures,
        assay_version: env!("CARGO_PKG_VERSION"),
    }
}

fn table(results: &[(&Way, conformance::Report)]) -> Table {
    let mut table = Table::new(
        "Programs of the suite with the right r0",
        "each program loaded, verified and run by the plugin program on the machine named; where a result of the suite \
         holds on little-endian machines only, big-endian ones have to give what the RFC's text says instead",
    );
    let arch = table.text_column("arch");
    let machine = table.text_column("machine");
    let engine = table.text_column("engine");
    let swaps = table.text_column("swaps");
    let right = table.count_column("right", "");
    let published = table.count_column("as published", "");
    let wrong = table.count_column("wrong", "");
    let verdict = table.text_column("");
    for (way, report) in results {
        let row = table.row();
        table.set(row, arch, way.arch.name()).set(row, machine, way.machine.as_str());
        table.set(row, engine, engine_name(way.engine)).set(row, swaps, way.fusion.1);
        table.set(row, right, Count(report.passed as u64));
        table.set(row, published, Count((report.passed - report.passed_by_overlay) as u64));
        table.set(row, wrong, Count(report.failures.len() as u64));
        let text = match report.failures.len() {
            0 => Text { text: "ok".to_owned(), tone: Tone::Good },
            _ => Text { text: "WRONG".to_owned(), tone: Tone::Bad },
        };
        table.set(row, verdict, text);
    }
    table
}
