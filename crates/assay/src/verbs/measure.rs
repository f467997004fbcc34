// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `measure`: time on this machine, with intervals; variants interleaved over many processes.

use crate::context::{Context, Outcome};
use crate::judge::Judge;
use crate::measuring::{measure, refuse_if_none, Measured};
use crate::select::{Cases, Selection};
use crate::verbs::count::{hotpaths_of, variant_text};
use crate::verbs::measure_beside;
use lab::measure::Effort;
use lab::{host, Problem, Result};
use report::{Report, Table};
use std::collections::BTreeMap;

/// Options of `measure`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    cases: Cases,
    #[command(flatten)]
    effort: EffortArgs,
}

/// How much to measure.
#[derive(clap::Args, Clone, Copy)]
pub struct EffortArgs {
    /// Processes per variant and case; the interval needs at least 10 [default: 15]
    #[arg(long, value_name = "N", value_parser = crate::numbers::whole::<u64>(1..=1000))]
    processes: Option<u64>,
}

/// Processes where the user does not say how many.
const PROCESSES: u64 = 15;

impl EffortArgs {
    /// As the lab takes it.
    pub fn effort(self) -> Effort {
        Effort { processes_count: self.processes.unwrap_or(PROCESSES) as usize, ..Effort::default() }
    }

    /// Refuses `--processes` where nothing is measured.
    pub fn refuse(self, why: &str) -> Result<()> {
        match self.processes {
            None => Ok(()),
            Some(_) => {
                Err(Problem::new(format!("--processes has no effect here: {why}")).remedy("leave it out"))
            }
        }
    }
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let mut selection = args.selection.clone();
    if selection.archs.is_empty() {
        selection.archs = vec![native_arch()?];
    }
    let judge = Judge::new(context, selection.compiler()?).unchecked(args.cases.unchecked);
    let variants = selection.competitors(context)?;
    judge.refuse_unknown_cases(&variants, &args.cases.cases)?;
    let measured = measure(context, &judge, &variants, &args.cases.cases, args.effort.effort())?;
    refuse_if_none(context, &measured, &variants)?;
    if measured.is_empty() {
        return Ok(Outcome::Failed);
    }
    context.tell(measured.iter().map(|measured| &measured.record), || {
        let mut report = Report::new("Measured on this machine");
        report.section("").table(table(&measured));
        report
    });
    // After the measured figures, because predicting takes its time.
    if !context.json {
        if let Some(table) = measure_beside::table(context, &judge, &measured)? {
            let mut report = Report::new("Measured and predicted");
            report.section("").table(table);
            context.show(&report);
        }
    }
    Ok(Outcome::Fine)
}

/// The architecture of this machine; an error if Assay does not know it, as nothing can then be measured.
pub fn native_arch() -> Result<arch::Arch> {
    host::native_arch().ok_or_else(|| {
        Problem::new(format!("this machine is a {}, which Assay does not know", std::env::consts::ARCH))
            .remedy("measure on one of the known architectures")
    })
}

/// How far apart the medians of two places of the code have to be, as a ratio, to be told.
const APART_BY_PLACE: f64 = 1.05;

/// The least and the greatest of the medians over the processes of each place; `None` if it hardly matters where the code stands.
fn range_of_places(places: &[u64], times: &[f64]) -> Option<[f64; 2]> {
    let mut by_place: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (place, time) in places.iter().zip(times) {
        by_place.entry(*place).or_default().push(*time);
    }
    let medians: Vec<f64> = by_place.values().filter_map(|times| stats::median(times)).collect();
    let low = medians.iter().copied().reduce(f64::min)?;
    let high = medians.iter().copied().reduce(f64::max)?;
    (high > low * APART_BY_PLACE).then_some([low, high])
}

/// The table of measurements.
pub fn table(measured: &[Measured]) -> Table {
    let machine = host::machine();
    let (title, several) = hotpaths_of(measured.iter().map(|one| &one.record.common));
    let mut table = Table::new(
        &format!("{title} on {} ({})", machine.processor, machine.identification),
        "measured: median over processes of each process's median, 95 % interval by order statistics; processes \
         take turns with the places of the code in a cache line that its alignment allows, far ones first, and where those \
         seen are a twentieth apart, the least and the greatest of their medians; core cycles by a chain of dependent multiplies \
         around each sample; docs/method.md",
    );
    let name = table.text_column("variant");
    let case = table.text_column("case");
    let time = table.measured_column("per call", "ns", 2);
    // A clock that changes meanwhile looks like a place; cycles hardly depend on it.
    let in_cycles = measured.iter().all(|one| one.record.median_cycles.is_some());
    let by_place = table.text_column(if in_cycles { "by place, cycles" } else { "by place, ns" });
    let cycles = table.measured_column("per call", "cycles", 1);
    let rate = table.measured_column("rate", "bytes/cycle", 2);
    for one in measured {
        let row = table.row();
        table.set(row, name, variant_text(&one.record.common, several)).set(row, case, one.case.to_string());
        let record = &one.record;
        table.set(row, time, report::Measured { median: record.median_ns, interval: record.interval_ns });
        if let Some(reason) = &record.no_interval {
            table.mark(row, time, &format!("no interval: {reason}"));
        }
        let times = if in_cycles { &record.process_cycles } else { &record.process_ns };
        if let Some([low, high]) = range_of_places(&record.process_place_bytes, times) {
            let digits = if in_cycles { 1 } else { 2 };
            table.set(row, by_place, format!("{low:.digits$}..{high:.digits$}"));
        }
        if let Some(median) = record.median_cycles {
            table.set(row, cycles, report::Measured { median, interval: None });
        }
        if let Some(median) = record.bytes_per_cycle {
            table.set(row, rate, report::Measured { median, interval: None });
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::range_of_places;

    #[test]
    fn places_are_told_where_they_matter() {
        let places = [0, 0, 32, 32, 16, 16, 48, 48, 0, 0, 32];
        let slow_at_zero = [100.0, 101.0, 62.0, 61.0, 56.0, 56.0, 56.0, 57.0, 93.0, 99.0, 61.0];
        assert_eq!(range_of_places(&places, &slow_at_zero), Some([56.0, 99.5]));
        // One process that was disturbed is no place that is slow.
        let disturbed = [50.0, 51.0, 50.0, 90.0, 50.0, 50.0, 50.0, 50.5, 50.0, 50.0, 50.0];
        assert_eq!(range_of_places(&places, &disturbed), None);
        assert_eq!(range_of_places(&[0; 4], &[1.0, 2.0, 3.0, 4.0]), None);
        assert_eq!(range_of_places(&[], &[]), None);
    }
}
