// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `kernel switches`: the ping-pong of the thread of 2016 in a booted kernel. A whole switch is traced, in user mode and in
//! the kernel: from one side's touch through its write and its read to the other side's return. It is counted and predicted
//! with and without the patch for each set of touched facilities, beside the rates that the thread published.

use super::build::Which;
use super::compare::{ratio_of, Side};
use super::trace::unpatched_and_patched;
use super::tracing::{booted, What};
use crate::context::{Context, Outcome};
use crate::coverage;
use crate::cpus;
use crate::verbs::study_difference::{self, Rates};
use crate::winners::interval_text;
use kernel::record::Interrupts;
use kernel::{boot, Machine};
use lab::{Problem, Result};
use predict::Cpu;
use report::record::Record;
use report::{Derived, Predicted, Published, Report, Table};
use serde::Serialize;

/// The study of the thread that published the rows and rates.
const STUDY: &str = "2016-altivec-batch";
/// The function of the ping-pong whose execution is one switch.
const SWITCH: &str = "turn";
/// As the thread names them, in the order of the bits of the ping-pong's mask.
const FACILITIES: [&str; 3] = ["FPU", "VEC", "VSX"];

/// Options of `kernel switches`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// The cpu to boot on and to predict for
    #[arg(short, long, value_name = "CPU", default_value = "power8")]
    cpu: String,
    /// Rounds of two switches in each boot
    #[arg(long, default_value_t = 60, value_name = "N", value_parser = crate::numbers::whole::<u32>(2..=100_000))]
    rounds: u32,
    /// Form: terminal, mail (72 columns, survives git am), markdown or html
    #[arg(long, default_value = "terminal", value_parser = ["terminal", "mail", "markdown", "html"])]
    format: String,
}

impl Args {
    /// The machine, QEMU's name of the cpu, and the cpu's description.
    pub fn look(&self, context: &Context) -> Result<(&'static Machine, &'static str, Cpu)> {
        let arch = self.which.arch;
        if !matches!(arch, arch::Arch::Powerpc64le | arch::Arch::Powerpc64) {
            return Err(Problem::new(format!(
                "the thread's rows are facilities of POWER, and {arch} has others"
            ))
            .remedy("choose powerpc64le or powerpc64"));
        }
        if self.which.patches.is_empty() && self.which.series.is_empty() {
            return Err(Problem::new("there is nothing to compare the baseline with")
                .remedy("name --series kernel/series/2016-altivec-batch or a --patch FILE"));
        }
        let machine = self.which.machine()?;
        let theirs = booted(machine, std::slice::from_ref(&self.cpu))?[0].1;
        let cpu = cpus::cpus(context, std::slice::from_ref(&self.cpu))?.remove(0);
        self.which.look(None)?;
        Ok((machine, theirs, cpu))
    }
}

/// A row, on both kernels. Kind `kernel_switches`.
#[derive(Serialize)]
struct SwitchRecord {
    kind: &'static str,
    arch: &'static str,
    cpu: String,
    touched: String,
    patches: Vec<String>,
    /// The mean of all switches, as counted.
    instructions: [f64; 2],
    cycles: [f64; 2],
    interval_cycles: [[f64; 2]; 2],
    coverage_percent: [f64; 2],
    clock_mhz: f64,
    rate: [f64; 2],
    interval_rate: [f64; 2],
    gain: f64,
    interval_gain: [f64; 2],
    published_rate: [f64; 2],
    published_gains: [f64; 2],
    assay_version: &'static str,
}

/// Runs the action.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let arch = args.which.arch;
    let (machine, theirs, cpu) = args.look(context)?;
    boot::qemu_program(&context.workspace, machine, true)?;
    let study = study_difference::load(&context.workspace, STUDY)?;
    let kernels = unpatched_and_patched(context, &args.which)?;
    let mut records = Vec::new();
    for row in study.rates() {
        let what = what(&row.name, args.rounds)?;
        let run = what.run(context, arch)?;
        let mut sides = Vec::new();
        for (kernel, which) in kernels.iter().zip(["unpatched", "patched"]) {
            context.progress(&format!("{which} kernel, {} touched: boots, switches and is traced", row.name));
            sides.push(Side::of(&what.cached(context, kernel, &run, theirs)?, &cpu)?);
        }
        records.push(record(args, &study, &row, &sides, ratio_of(&sides[0], &sides[1], &cpu)));
    }
    if context.json {
        records.iter().for_each(|record| println!("{}", record.to_line()));
        return Ok(Outcome::Fine);
    }
    let report = show(&study, &records);
    match args.format.as_str() {
        "terminal" => context.show(&report),
        "mail" => print!("{}", report::mail(&report)),
        "markdown" => print!("{}", report::markdown(&report)),
        _ => print!("{}", report::html(&report)),
    }
    Ok(Outcome::Fine)
}

/// The ping-pong that touches what the row says.
fn what(row: &str, rounds: u32) -> Result<What> {
    let mask = mask(row)
        .ok_or_else(|| Problem::new(format!("the row '{row}' names no facility of POWER")).at(STUDY))?;
    Ok(What {
        regions: Vec::new(),
        program_regions: vec![SWITCH.to_owned()],
        workload: Some("pingpong".to_owned()),
        modules: Vec::new(),
        // The flush of the first-level cache at each return to user mode is newer than the thread.
        append: vec!["mitigations=off".to_owned()],
        // The first use of a disabled facility raises an interrupt, which enables it: a cost of the switch.
        interrupts: Interrupts::Part,
        smp: 1,
        limit: None,
        timeout: 600,
        arguments: ["count", "pipe", "process", &mask.to_string(), &rounds.to_string()]
            .map(str::to_owned)
            .to_vec(),
    })
}

fn mask(row: &str) -> Option<u32> {
    match row {
        "None" => Some(0),
        "All" => Some((1 << FACILITIES.len()) - 1),
        names => names
            .split('+')
            .map(|name| FACILITIES.iter().position(|known| *known == name.trim()).map(|bit| 1 << bit))
            .sum(),
    }
}

fn record(
    args: &Args,
    study: &study_difference::Study,
    row: &Rates,
    sides: &[Side],
    (ratio, [low, high]): (f64, [f64; 2]),
) -> SwitchRecord {
    let (clock_mhz, [slow, fast]) = study.clock_mhz();
    let rate = |cycles: f64, mhz: f64| mhz * 1e6 / cycles;
    let patched = &sides[1];
    SwitchRecord {
        kind: "kernel_switches",
        arch: args.which.arch.name(),
        cpu: args.cpu.clone(),
        touched: row.name.clone(),
        patches: args
            .which
            .series
            .iter()
            .chain(&args.which.patches)
            .map(|path| path.display().to_string())
            .collect(),
        instructions: [sides[0].mean_instructions, patched.mean_instructions],
        cycles: [sides[0].cycles, patched.cycles],
        interval_cycles: [sides[0].interval, patched.interval],
        coverage_percent: [sides[0].coverage_percent, patched.coverage_percent],
        clock_mhz,
        rate: [rate(sides[0].cycles, clock_mhz), rate(patched.cycles, clock_mhz)],
        interval_rate: [rate(patched.interval[1], slow), rate(patched.interval[0], fast)],
        gain: 1.0 / ratio,
        interval_gain: [1.0 / high, 1.0 / low],
        published_rate: row.rates,
        published_gains: row.gains,
        assay_version: env!("CARGO_PKG_VERSION"),
    }
}

fn show(study: &study_difference::Study, records: &[SwitchRecord]) -> Report {
    let mut report = Report::new("A switch of the ping-pong over a pipe, whole");
    let section = report.section("");
    let (machine, source) = study.machine();
    let (mhz, [slow, fast]) = study.clock_mhz();
    section.paragraph(&format!(
        "Published: {source}; {machine}, whose clock is not told: {mhz} MHz here, {slow} to {fast} in the interval."
    ));
    section.table(switches(records)).table(gains(records));
    section.paragraph(&order(records));
    report
}

fn switches(records: &[SwitchRecord]) -> Table {
    let mut table = Table::new(
        "One switch",
        "instructions: the mean of all switches, counted under QEMU in user mode and kernel, interrupts included, mitigations off as there were none in 2016; cycles predicted from the traces, not measured; the rate is of the patched kernel, 90 % over core and clock",
    );
    let touched = table.text_column("touched");
    let (before, after) =
        (table.derived_column("instructions", "", 1), table.derived_column("patched", "", 1));
    let cycles = table.predicted_column("cycles", "", 0);
    let patched = table.predicted_column("patched", "", 0);
    let rate = table.predicted_column("rate", "k/s", 0);
    let interval = table.text_column("90 %");
    let published = table.published_column("rate", "k/s", 0);
    for record in records {
        let row = table.row();
        table.set(row, touched, record.touched.as_str());
        table.set(row, before, Derived::from(record.instructions[0])).set(
            row,
            after,
            Derived::from(record.instructions[1]),
        );
        table.set(row, cycles, Predicted(record.cycles[0])).set(row, patched, Predicted(record.cycles[1]));
        table.set(row, rate, Predicted(record.rate[1] / 1e3));
        let [of_before, of_patched] = record.coverage_percent;
        for (column, percent) in [(cycles, of_before), (patched, of_patched), (rate, of_patched)] {
            coverage::mark(&mut table, row, column, percent);
        }
        table.set(row, interval, interval_text(record.interval_rate.map(|rate| rate / 1e3)));
        table.set(row, published, Published(record.published_rate[1] / 1e3));
    }
    table
}

fn gains(records: &[SwitchRecord]) -> Table {
    let mut table = Table::new(
        "What the patch gains",
        "rate with it over rate without; predicted of the whole switch, 90 % for a real core; published: of the mean rates, and the least and the most of the runs",
    );
    let touched = table.text_column("touched");
    let gain = table.derived_column("predicted", "", 3);
    let interval = table.text_column("90 %");
    let published = table.published_column("published", "", 3);
    let runs = table.text_column("runs");
    for record in records {
        let row = table.row();
        let text = |[low, high]: [f64; 2]| format!("{low:.3}..{high:.3}");
        table.set(row, touched, record.touched.as_str()).set(row, gain, Derived::from(record.gain));
        table.set(row, interval, text(record.interval_gain));
        table.set(row, published, Published(record.published_rate[1] / record.published_rate[0]));
        table.set(row, runs, text(record.published_gains));
    }
    table
}

/// In how many pairs of rows the prediction has the order that was published.
fn order(records: &[SwitchRecord]) -> String {
    let pairs: Vec<(&SwitchRecord, &SwitchRecord)> = records
        .iter()
        .enumerate()
        .flat_map(|(at, one)| records[at + 1..].iter().map(move |other| (one, other)))
        .collect();
    let agree = |(one, other): &&(&SwitchRecord, &SwitchRecord)| {
        (one.rate[1] < other.rate[1]) == (one.published_rate[1] < other.published_rate[1])
    };
    let wrong: Vec<String> = pairs
        .iter()
        .filter(|pair| !agree(pair))
        .map(|(one, other)| format!("{} and {}", one.touched, other.touched))
        .collect();
    let mut text = format!(
        "Order of the patched rates: {} of {} pairs as published",
        pairs.len() - wrong.len(),
        pairs.len()
    );
    if !wrong.is_empty() {
        text += &format!("; the other way round: {}", wrong.join(", "));
    }
    text + "."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_of_code_that_the_cpu_file_does_not_know_are_marked() {
        for (percent, marks) in [(41.2, 2), (100.0, 0)] {
            let record = SwitchRecord {
                kind: "kernel_switches",
                arch: "powerpc64le",
                cpu: "power8".to_owned(),
                touched: "None".to_owned(),
                patches: Vec::new(),
                instructions: [1000.0; 2],
                cycles: [2000.0; 2],
                interval_cycles: [[1500.0, 2500.0]; 2],
                coverage_percent: [100.0, percent],
                clock_mhz: 1000.0,
                rate: [5e5; 2],
                interval_rate: [4e5, 6e5],
                gain: 1.0,
                interval_gain: [0.9, 1.1],
                published_rate: [5e5; 2],
                published_gains: [1.0; 2],
                assay_version: "",
            };
            let mut report = Report::new("");
            report.section("").table(switches(&[record]));
            let told = report::markdown(&report);
            // Beside the patched kernel's cycles and its rate, and once under the table.
            assert_eq!(told.matches("(1)").count(), marks + marks / 2, "{told}");
            assert_eq!(told.contains("41.2 % of its instructions have a class"), marks > 0, "{told}");
        }
    }

    #[test]
    fn rows_are_masks_of_the_ping_pong() {
        assert_eq!(
            ["None", "FPU", "FPU + VEC", "VEC + VSX", "All"].map(mask),
            [Some(0), Some(1), Some(3), Some(6), Some(7)]
        );
        assert_eq!(mask("LSX"), None);
    }
}
