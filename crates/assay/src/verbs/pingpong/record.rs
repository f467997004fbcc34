// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The result for one combination of facilities, and its comparison with an earlier run.

use arch::Arch;
use lab::cache::read_text;
use lab::{Problem, Result};
use serde::{Deserialize, Serialize};
use stats::{compare, median_interval, Sampling, PROCESSES_MIN};
use std::path::Path;

/// The seed of the bootstrap: the same values give the same interval everywhere.
const SEED: u64 = 2016;

/// One combination. Kind `pingpong`. Rates are ping-pongs (two switches) per second.
#[derive(Serialize, Deserialize)]
pub struct PingpongRecord {
    kind: String,
    /// The architecture.
    pub arch: String,
    /// `native`, or the QEMU, under which there are no times.
    pub engine: String,
    /// `pipe`, `futex` or `switch`.
    pub via: String,
    /// `process` or `thread`; of a switch `context`.
    pub between: String,
    /// As in the thread: `FPU + VEC`, `None`.
    pub touched: String,
    /// Under QEMU: how many rounds were right.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub checked_rounds: Option<u64>,
    /// The rate of each second that counts, in order; under QEMU none.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub rates_per_s: Vec<f64>,
    /// Their mean.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub average_per_s: Option<f64>,
    /// Their standard deviation.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stddev_per_s: Option<f64>,
    /// The standard deviation in percent of the mean.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stddev_percent: Option<f64>,
    /// The 95 % interval of the median rate, from ten stretches of seconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interval_per_s: Option<[f64; 2]>,
    /// Why there is no interval.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub no_interval: Option<String>,
    /// Against the baseline.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub against: Option<Against>,
    assay_version: String,
}

/// A combination against the same one of the baseline.
#[derive(Serialize, Deserialize)]
pub struct Against {
    /// Mean minus the baseline's mean.
    pub speedup_per_s: f64,
    /// Mean in percent of the baseline's, as the thread has it: 100 is no change.
    pub speedup_percent: f64,
    /// Speedup over this run's standard deviation, as the thread has it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub speedup_over_stddev: Option<f64>,
    /// Time of a ping-pong over the baseline's; below 1 where this run is faster.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time_ratio: Option<f64>,
    /// Its 95 % interval within these two runs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time_ratio_interval: Option<[f64; 2]>,
    /// faster, slower, no difference shown; or why there is no verdict.
    pub verdict: String,
}

impl PingpongRecord {
    /// A record without figures.
    pub fn new(arch: Arch, via: &str, between: &str, touched: &str, engine: &str) -> PingpongRecord {
        PingpongRecord {
            kind: "pingpong".to_owned(),
            arch: arch.name().to_owned(),
            engine: engine.to_owned(),
            via: via.to_owned(),
            between: between.to_owned(),
            touched: touched.to_owned(),
            checked_rounds: None,
            rates_per_s: Vec::new(),
            average_per_s: None,
            stddev_per_s: None,
            stddev_percent: None,
            interval_per_s: None,
            no_interval: None,
            against: None,
            assay_version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Fills in the rates of the seconds that count, and what is computed from them.
    pub fn fill(&mut self, rates: &[f64]) {
        let (mean, stddev) = mean_and_stddev(rates);
        self.rates_per_s = rates.to_vec();
        self.average_per_s = Some(mean);
        self.stddev_per_s = stddev;
        self.stddev_percent = stddev.map(|stddev| stddev / mean * 100.0);
        match median_interval(&stretches(rates)) {
            Ok(interval) => self.interval_per_s = Some([interval.low, interval.high]),
            Err(reason) => self.no_interval = Some(too_short(rates).unwrap_or(reason.to_string())),
        }
    }

    fn same_bench(&self, other: &PingpongRecord) -> bool {
        let of = |one: &PingpongRecord| {
            (one.arch.clone(), one.via.clone(), one.between.clone(), one.touched.clone())
        };
        of(self) == of(other)
    }
}

/// Reads the records of an earlier run. Records of other kinds are skipped.
pub fn read_baseline(path: &Path) -> Result<Vec<PingpongRecord>> {
    let mut records = Vec::new();
    for (index, line) in read_text(path)?.lines().enumerate() {
        let wrong = |why: String| {
            Problem::new(format!("is no record of a ping-pong: {why}"))
                .at(format!("{}:{}", path.display(), index + 1))
                .remedy("give what ./assay pingpong --json has written")
        };
        let value: serde_json::Value =
            serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        if value["kind"] != "pingpong" {
            continue;
        }
        let record: PingpongRecord =
            serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
        if record.rates_per_s.is_empty()
            || record.rates_per_s.iter().any(|rate| !(rate.is_finite() && *rate > 0.0))
        {
            return Err(wrong("it has no rates".to_owned()));
        }
        records.push(record);
    }
    if records.is_empty() {
        return Err(Problem::new("holds no record of a ping-pong")
            .at(path.display())
            .remedy("give what ./assay pingpong --json has written"));
    }
    Ok(records)
}

/// Compares a record with the same combination of the baseline, if there is one.
pub fn judge_baseline(record: &mut PingpongRecord, baseline: &[PingpongRecord]) -> Result<()> {
    let Some(before) = baseline.iter().find(|before| before.same_bench(record)) else { return Ok(()) };
    let (now, then) = (mean_and_stddev(&record.rates_per_s).0, mean_and_stddev(&before.rates_per_s).0);
    let times = |rates: &[f64]| -> Vec<f64> { stretches(rates).iter().map(|rate| 1e9 / rate).collect() };
    let compared =
        compare(&times(&record.rates_per_s), &times(&before.rates_per_s), Sampling::Independent, SEED);
    let speedup = now - then;
    let both = [&record.rates_per_s, &before.rates_per_s];
    let too_short = both.iter().find_map(|rates| too_short(rates));
    record.against = Some(Against {
        speedup_per_s: speedup,
        speedup_percent: now / then * 100.0,
        speedup_over_stddev: record
            .stddev_per_s
            .filter(|stddev| *stddev > 0.0)
            .map(|stddev| speedup / stddev),
        time_ratio: compared.as_ref().ok().map(|comparison| comparison.ratio),
        time_ratio_interval: compared.as_ref().ok().map(|c| [c.interval.low, c.interval.high]),
        verdict: match compared {
            Ok(comparison) => comparison.verdict.to_string(),
            Err(reason) => format!("none: {}", too_short.unwrap_or(reason.to_string())),
        },
    });
    Ok(())
}

fn too_short(rates: &[f64]) -> Option<String> {
    (rates.len() < PROCESSES_MIN).then(|| {
        format!("it needs {PROCESSES_MIN} seconds or more besides those dropped, not {}", rates.len())
    })
}

/// Consecutive seconds are correlated, so they are not judged one by one: each value is the mean of one of ten stretches of
/// equal length. What is left over at the end joins the last. Fewer than ten seconds stay as they are.
fn stretches(rates: &[f64]) -> Vec<f64> {
    let each = (rates.len() / PROCESSES_MIN).max(1);
    let count = rates.len().min(PROCESSES_MIN);
    (0..count)
        .map(|index| {
            let end = if index + 1 == count { rates.len() } else { (index + 1) * each };
            mean_and_stddev(&rates[index * each..end]).0
        })
        .collect()
}

/// The mean, and the standard deviation of a sample, which a single value does not have.
fn mean_and_stddev(values: &[f64]) -> (f64, Option<f64>) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(rates: &[f64]) -> PingpongRecord {
        let text = r#"{"kind":"pingpong","arch":"x86_64","engine":"native","via":"pipe","between":"process","touched":"None","assay_version":"0"}"#;
        let mut record: PingpongRecord = serde_json::from_str(text).unwrap();
        record.fill(rates);
        record
    }

    #[test]
    fn fifty_seconds_are_ten_stretches_and_all_seconds_count() {
        let rates: Vec<f64> = (1..=53).map(f64::from).collect();
        let means = stretches(&rates);
        assert_eq!(means.len(), 10);
        assert_eq!(means[0], 3.0);
        assert_eq!(means[9], 49.5);
        assert_eq!(stretches(&[1.0, 2.0]), [1.0, 2.0]);
    }

    #[test]
    fn a_planted_difference_is_shown_and_noise_is_not() {
        let noisy = |level: f64| -> Vec<f64> { (0..50).map(|i| level + f64::from(i * 7 % 13)).collect() };
        let before = [record(&noisy(1000.0))];
        let mut faster = record(&noisy(1050.0));
        judge_baseline(&mut faster, &before).unwrap();
        let against = faster.against.unwrap();
        assert_eq!(against.verdict, "faster");
        assert!((against.speedup_per_s - 50.0).abs() < 1e-6 && against.speedup_percent > 104.0);
        let mut same = record(&noisy(1000.5));
        judge_baseline(&mut same, &before).unwrap();
        assert_eq!(same.against.unwrap().verdict, "no difference shown");
        let mut short = record(&[1.0, 2.0]);
        assert!(short.no_interval.as_ref().unwrap().contains("needs 10 seconds or more"));
        judge_baseline(&mut short, &before).unwrap();
        assert!(short.against.unwrap().verdict.starts_with("none: it needs 10 seconds"));
    }
}
