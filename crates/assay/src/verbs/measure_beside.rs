// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Predictions beside measurements, if a cpu file describes this machine: measured and predicted cycles in columns of their
//! own and, if they are more than a fifth apart, the reasons that the figures themselves suggest.

use crate::context::Context;
use crate::coverage;
use crate::cpus;
use crate::judge::Judge;
use crate::measuring::Measured;
use crate::progress::Progress;
use crate::verbs::count::{hotpaths_of, variant_text};
use lab::case::Case;
use lab::Result;
use native::machine;
use predict::Cpu;
use report::record::{MeasurementRecord, PredictionRecord};
use report::{Derived, Predicted, Table};

/// The ratio of the larger to the smaller figure beyond which reasons are given.
const APART: f64 = 1.2;
/// The ratio of the upper to the lower quartile beyond which processes count as scattered.
const SCATTER: f64 = 1.1;

/// The table, if a file describes this machine and anything measured can be recorded under QEMU.
pub fn table(context: &Context, judge: &Judge, measured: &[Measured]) -> Result<Option<Table>> {
    let Ok(cpu) = machine::described_in(&cpus::folder(context)) else { return Ok(None) };
    let cpus = [cpu];
    let progress =
        Progress::of(&format!("predicting on {}, which this machine is", cpus[0].name), measured.len());
    let mut pairs = Vec::new();
    for one in measured {
        let predicted = judge.predict(one.variant, &one.case, &cpus);
        progress.step();
        // What was measured stands without a prediction.
        let predicted = match predicted {
            Ok(predicted) => predicted,
            Err(problem) => {
                eprintln!("note: {} {} is not predicted: {problem}", one.variant.name, one.case);
                continue;
            }
        };
        let cycles = one.record.median_cycles;
        if let (Ok(mut records), Some(cycles)) = (predicted, cycles) {
            pairs.push((&one.record, cycles, records.remove(0)));
        }
    }
    drop(progress);
    Ok((!pairs.is_empty()).then(|| of_pairs(&cpus[0], &pairs)))
}

fn of_pairs(cpu: &Cpu, pairs: &[(&MeasurementRecord, f64, PredictionRecord)]) -> Table {
    let (_, several) = hotpaths_of(pairs.iter().map(|(one, _, _)| &one.common));
    let mut table = Table::new(
        &format!("Beside the prediction for {}", cpu.name),
        "measured cycles as above; predicted from a trace and the cpu's description, the median over the measured places of the code, of \
         an even number the slower of the middle two; difference: measured over predicted, less one",
    );
    let name = table.text_column("variant");
    let case = table.text_column("case");
    let measured = table.measured_column("per call", "cycles", 1);
    let predicted = table.predicted_column("per call", "cycles", 1);
    let interval = table.text_column("90 %");
    let difference = table.derived_column("difference", "%", 0);
    for (one, cycles, record) in pairs {
        let row = table.row();
        let of_case = Case::from_values(one.common.case.clone()).to_string();
        table.set(row, name, variant_text(&one.common, several)).set(row, case, of_case);
        table.set(row, measured, report::Measured { median: *cycles, interval: None });
        let expected = over_places(record, &one.process_place_bytes);
        table.set(row, predicted, Predicted(expected));
        coverage::mark(&mut table, row, predicted, record.coverage_percent);
        table.set(row, interval, crate::winners::interval_text(record.interval_cycles));
        table.set(row, difference, Derived::from(100.0 * (cycles / expected - 1.0)));
        if let Some(why) = why(*cycles, expected, &one.process_cycles, record) {
            table.mark(row, difference, &why);
        }
    }
    table
}

/// The median of what is predicted at those places of the code that were measured; the record's own figure is of one.
fn over_places(record: &PredictionRecord, measured: &[u64]) -> f64 {
    let placed = &record.placed_cycles;
    let step = placed.get(1).map_or(1, |(bytes, _)| *bytes);
    let block = step * placed.len().max(1) as u64;
    let was_measured = |bytes: u64| measured.iter().any(|place| place % block == bytes);
    let mut cycles: Vec<f64> =
        placed.iter().filter(|(bytes, _)| was_measured(*bytes)).map(|(_, cycles)| *cycles).collect();
    cycles.sort_by(f64::total_cmp);
    cycles.get(cycles.len() / 2).copied().unwrap_or(record.cycles)
}

/// Why a measured and a predicted figure are so far apart; `None` if they are not.
fn why(cycles: f64, expected: f64, processes: &[f64], record: &PredictionRecord) -> Option<String> {
    if (cycles / expected).max(expected / cycles) <= APART {
        return None;
    }
    let mut reasons = Vec::new();
    let quarter = |share: f64| stats::quantile(processes, share);
    if let (Some(low), Some(high)) = (quarter(0.25), quarter(0.75)) {
        if high > low * SCATTER {
            reasons.push(format!(
                "processes do not agree, the middle half takes {low:.1} to {high:.1}: the place of code and data, which differs \
                 from one to the next, counts, or the machine was not left alone"
            ));
        }
    }
    if let Some([low, high]) = record.alignment_cycles.filter(|[low, high]| high > &(low * 1.02)) {
        let reaches = low / APART <= cycles && cycles <= high * APART;
        reasons.push(match reaches {
            true => format!(
                "the place of the code counts: {low:.1} to {high:.1} over the places in a fetch block"
            ),
            false => format!(
                "not the place of the code alone: {low:.1} to {high:.1} over the places in a fetch block"
            ),
        });
    }
    let [low, high] = record.interval_cycles;
    reasons.push(match low <= cycles && cycles <= high {
        true => "it is within what the model leaves open (90 %)".to_owned(),
        false => format!(
            "it is outside of what the model leaves open: the model, which says that the code mostly waits for {}, lacks something \
             here, see ./assay explain and docs/limits.md",
            record.chief_stall
        ),
    });
    Some(reasons.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_of_code_that_the_cpu_file_does_not_know_are_marked() {
        let cpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus");
        let cpu = Cpu::load(&cpus, "zen3").unwrap_or_else(|error| panic!("{error}"));
        let measured = MeasurementRecord {
            common: report::record::Common::new("measurement", "path", "variant", "x86_64"),
            machine: report::record::MachineRecord::default(),
            median_ns: 25.0,
            interval_ns: None,
            no_interval: None,
            median_cycles: Some(100.0),
            bytes_per_cycle: None,
            processes_count: 1,
            process_ns: vec![25.0],
            process_cycles: vec![100.0],
            process_place_bytes: vec![0],
        };
        for (coverage_percent, notes) in [(41.2, 1), (100.0, 0)] {
            let pairs = [(&measured, 100.0, PredictionRecord { coverage_percent, ..record(None) })];
            let mut report = report::Report::new("");
            report.section("").table(of_pairs(&cpu, &pairs));
            let told = report::markdown(&report);
            let marks = told.matches("41.2 % of its instructions have a class in the cpu's file").count();
            assert_eq!(marks, notes, "{told}");
        }
    }

    fn record(alignments: Option<[f64; 2]>) -> PredictionRecord {
        PredictionRecord {
            common: report::record::Common::new("prediction", "path", "variant", "x86_64"),
            cpu: "zen3".to_owned(),
            cycles: 100.0,
            interval_cycles: [80.0, 125.0],
            draws: Vec::new(),
            placed_cycles: Vec::new(),
            clock_mhz: 1000.0,
            time_ns: 100.0,
            bytes_per_cycle: None,
            alignment_cycles: alignments,
            chief_stall: "dependency".to_owned(),
            bound_by: None,
            cycles_without: None,
            coverage_percent: 100.0,
            guessed_spread_percent: None,
        }
    }

    #[test]
    fn what_is_a_fifth_apart_or_less_needs_no_word() {
        assert_eq!(why(119.0, 100.0, &[119.0; 10], &record(None)), None);
        assert_eq!(why(84.0, 100.0, &[84.0; 10], &record(None)), None);
    }

    #[test]
    fn what_is_predicted_is_the_median_over_the_places_that_were_measured() {
        let cycles = [100.0, 1.0, 50.0, 2.0, 52.0, 3.0, 51.0, 4.0];
        let placed_cycles =
            cycles.iter().enumerate().map(|(place, cycles)| (4 * place as u64, *cycles)).collect();
        let record = PredictionRecord { placed_cycles, ..record(None) };
        assert_eq!(over_places(&record, &[0, 0, 8, 8, 16, 16, 24, 24]), 52.0);
        assert_eq!(over_places(&record, &[0, 0, 0]), 100.0);
        // The second half of a line is another block, and alike.
        assert_eq!(over_places(&record, &[0, 0, 32, 32, 16, 16, 48, 48]), 100.0);
        assert_eq!(over_places(&record, &[40, 40, 48]), 52.0);
        assert_eq!(over_places(&self::record(None), &[0, 16]), 100.0);
    }

    #[test]
    fn what_is_farther_apart_says_what_the_figures_tell() {
        let steady = why(124.0, 100.0, &[124.0; 10], &record(None)).unwrap();
        assert!(
            steady.contains("within what the model leaves open") && !steady.contains("agree"),
            "{steady}"
        );
        let placed = why(140.0, 100.0, &[140.0; 10], &record(Some([100.0, 138.0]))).unwrap();
        assert!(placed.contains("the place of the code counts: 100.0 to 138.0"), "{placed}");
        let other = why(200.0, 100.0, &[200.0; 10], &record(Some([100.0, 138.0]))).unwrap();
        assert!(other.contains("not the place of the code alone"), "{other}");
        assert!(other.contains("outside of what the model") && other.contains("dependency"), "{other}");
        let two = [100.0, 101.0, 100.0, 102.0, 190.0, 191.0, 190.0, 192.0];
        let scattered = why(150.0, 100.0, &two, &record(None)).unwrap();
        assert!(scattered.contains("processes do not agree"), "{scattered}");
    }
}
