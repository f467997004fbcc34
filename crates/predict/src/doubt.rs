// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! How far off a prediction may be: the 90 % interval that every predicted number carries.
//!
//! Three doubts are added as variances of the logarithm of the cycles, since errors of a model are factors:
//! * what the model gets wrong even with the right numbers: `validation.error` of the cpu file, the error on published
//!   figures of programs whose family was left out of the fit, found on `validation.families` families;
//! * numbers of which only a range is known: the prediction is made again with all of them drawn at once from their
//!   ranges, so that published figures still come out (`draws`);
//! * where the code stands in a fetch block, if that is an accident of a linker.
//!
//! With a model error found on few families the scatter itself is uncertain, so the interval is as many standard deviations
//! wide as Student's t with that many degrees of freedom demands. `validation.error` is what is left of the errors on the
//! corpus when the spread of the same rows, and the places of their code, are taken away (`ModelError::from_rows`), so no doubt is
//! counted twice.

use crate::cpu::Cpu;
use crate::draws::root_mean_square;
use stats::student_quantile;
use std::collections::BTreeMap;

/// The part of a share below the lower, and above the upper end of an interval.
const TAIL: f64 = 0.05;
/// Model error in percent of a cpu that no figure was found for. Of 51 published figures that nobody here had seen, on cpus of
/// which others were known, an earlier form of the model missed one by 15 percent in the mean, which is a root mean square of 20.
pub const UNVALIDATED_PERCENT: f64 = 20.0;
/// The same of a cpu that only LLVM describes. llvm-mca, with the same tables, is off by more than half on a third of the 77 loops
/// of `validate` that it accepts, and by less than a tenth on as many; nothing says which kind a program is of.
pub const LLVM_ALONE_PERCENT: f64 = 40.0;
/// What is believed of the model before a cpu's own figures are looked at: an error of 7 percent, as firmly as if this many
/// families had shown it. The rules of the model are the same for all cpus; the thirty families of the others, out of sample,
/// come to 5 percent, but count less than half, since the numbers are not the same. Five are not believed: the rules were chosen
/// by people who had seen the figures, and no leaving out undoes that.
const SHARED_FAMILIES: f64 = 12.0;
const SHARED_ERROR: f64 = 0.07;
/// The largest model error that is tried, and the step from one tried to the next, as logarithms.
const ERROR_MAX: f64 = 1.0;
const ERROR_STEP: f64 = 0.001;

/// Root mean square of the logarithms of `values` over `centre`.
pub fn about(centre: f64, values: &[f64]) -> f64 {
    root_mean_square(values.iter().map(|value| (value / centre).ln()))
}

/// A published figure against the model.
#[derive(Clone, Debug)]
pub struct Judged<'a> {
    /// Figures that count once together.
    pub family: &'a str,
    /// ln(published / predicted) with the code at each place in a fetch block that it may have had, all equally likely.
    pub errors: Vec<f64>,
    /// Standard deviation of ln(predicted) that the ranges of the cpu's numbers explain.
    pub spread: f64,
}

impl Judged<'_> {
    /// The logarithm of how likely the figure is, but for a constant, if the error of the model is `log`.
    fn likelihood(&self, log: f64) -> f64 {
        let variance = log.powi(2) + self.spread.powi(2);
        let at_place = |error: &f64| (-error.powi(2) / (2.0 * variance)).exp();
        let mean = self.errors.iter().map(at_place).sum::<f64>() / self.errors.len() as f64;
        mean.max(f64::MIN_POSITIVE).ln() - variance.ln() / 2.0
    }
}

/// How far predictions on a cpu are off, whatever its ranges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelError {
    /// Standard deviation of ln(published / predicted).
    pub log: f64,
    /// Families of published figures of this cpu that it was found on.
    pub families: f64,
}

impl ModelError {
    /// Of a cpu that no figure was found for.
    pub const UNVALIDATED: ModelError = ModelError { log: UNVALIDATED_PERCENT / 100.0, families: 0.0 };

    /// What the cpu file says, or what is taken of a cpu without figures.
    pub fn of(cpu: &Cpu) -> ModelError {
        let without = if cpu.name.starts_with(crate::fallback::PREFIX) {
            LLVM_ALONE_PERCENT
        } else {
            UNVALIDATED_PERCENT
        };
        let percent = cpu.value("validation.error").unwrap_or(without);
        ModelError { log: percent / 100.0, families: cpu.value("validation.families").unwrap_or(0.0) }
    }

    /// The error that makes the figures of a corpus likeliest, together with what is believed before. Each family counts once.
    /// `None` without any row.
    pub fn from_rows(rows: &[Judged]) -> Option<ModelError> {
        let mut families: BTreeMap<&str, Vec<&Judged>> = BTreeMap::new();
        rows.iter().for_each(|row| families.entry(row.family).or_default().push(row));
        if families.is_empty() {
            return None;
        }
        let shared = Judged { family: "", errors: vec![SHARED_ERROR], spread: 0.0 };
        let likelihood = |log: f64| -> f64 {
            let of_family = |rows: &Vec<&Judged>| {
                rows.iter().map(|row| row.likelihood(log)).sum::<f64>() / rows.len() as f64
            };
            families.values().map(of_family).sum::<f64>() + SHARED_FAMILIES * shared.likelihood(log)
        };
        let tried = (1..).map(|step| ERROR_STEP * f64::from(step)).take_while(|log| *log <= ERROR_MAX);
        let log = tried.max_by(|a, b| likelihood(*a).total_cmp(&likelihood(*b)))?;
        Some(ModelError { log, families: families.len() as f64 })
    }

    /// Half the width of the 90 % interval, as a logarithm, with what else may be wrong, each a standard deviation.
    pub fn half_width(&self, others: &[f64]) -> f64 {
        let variance = self.log.powi(2) + others.iter().map(|other| other.powi(2)).sum::<f64>();
        self.deviations() * variance.sqrt()
    }

    /// Standard deviations in half an interval.
    fn deviations(&self) -> f64 {
        student_quantile(1.0 - TAIL, self.families + SHARED_FAMILIES).unwrap_or(f64::INFINITY)
    }
}

/// The 90 % interval of the ratio of two programs on one cpu. Errors of the model are taken to be independent, which they
/// are less the more alike the programs are: the interval is then too wide, not too narrow.
pub fn ratio_interval(
    error: ModelError,
    ratio: f64,
    spread: f64,
    places: [&[f64]; 2],
    cycles: [f64; 2],
) -> [f64; 2] {
    let placed = [about(cycles[0], places[0]), about(cycles[1], places[1])];
    let half = error.half_width(&[error.log, spread, placed[0], placed[1]]);
    [ratio * (-half).exp(), ratio * half.exp()]
}

/// The 90 % interval of the cycles by which `before` exceeds `after`; `moved` has by how many more it does on each drawn core.
/// Each of the two is wrong by a part of itself, so what is saved is not known better than the larger of them, however small the
/// other is.
pub fn saved_interval(error: ModelError, before: f64, after: f64, moved: &[f64]) -> [f64; 2] {
    let of_model = error.log * before.hypot(after);
    let half = error.deviations() * of_model.hypot(root_mean_square(moved.iter().copied()));
    [before - after - half, before - after + half]
}

/// The 90 % interval about `cycles`, given a spread and the cycles at each place of the code that is as likely as another.
pub fn interval(error: ModelError, cycles: f64, spread: f64, places: &[f64]) -> [f64; 2] {
    let half = error.half_width(&[spread, about(cycles, places)]);
    [cycles * (-half).exp(), cycles * half.exp()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::SplitMix64;

    /// What is believed before, and `others`, as squares of errors: one a family.
    fn with_shared(others: &[f64]) -> f64 {
        let squares = SHARED_FAMILIES * SHARED_ERROR.powi(2) + others.iter().sum::<f64>();
        (squares / (SHARED_FAMILIES + others.len() as f64)).sqrt()
    }

    fn found(rows: &[Judged]) -> f64 {
        ModelError::from_rows(rows).expect("rows").log
    }

    #[test]
    fn model_error_counts_families_once_beside_what_is_believed_before() {
        let row = |family, error| Judged { family, errors: vec![error], spread: 0.0 };
        let rows = [row("a", 0.1), row("a", -0.1), row("b", 0.3)];
        assert!((found(&rows) - with_shared(&[0.01, 0.09])).abs() < ERROR_STEP);
        assert_eq!(ModelError::from_rows(&rows).map(|error| error.families), Some(2.0));
        assert!((found(&[row("a", 0.0)]) - with_shared(&[0.0])).abs() < ERROR_STEP);
        assert_eq!(ModelError::from_rows(&[]), None);
    }

    #[test]
    fn what_ranges_explain_is_no_error_of_the_model() {
        let row = |spread| Judged { family: "a", errors: vec![0.2], spread };
        let (unexplained, half, explained) = (found(&[row(0.0)]), found(&[row(0.1)]), found(&[row(0.2)]));
        assert!(unexplained > half && half > explained, "{unexplained} {half} {explained}");
        assert!(explained < SHARED_ERROR + ERROR_STEP, "{explained}");
    }

    #[test]
    fn a_figure_that_one_place_of_its_code_meets_is_no_error_of_the_model() {
        let met = Judged { family: "a", errors: vec![0.0, 0.3, 0.3, 0.3], spread: 0.0 };
        assert!((found(std::slice::from_ref(&met)) - with_shared(&[0.0])).abs() < ERROR_STEP);
        // A model that is off by as much elsewhere has no claim to the one place.
        let names: Vec<String> = (0..60).map(|family| family.to_string()).collect();
        let others = names.iter().map(|family| Judged { family, errors: vec![0.3], spread: 0.0 });
        let without = found(&others.clone().collect::<Vec<_>>());
        let all = found(&others.chain([met]).collect::<Vec<_>>());
        assert!((all - without).abs() <= 2.0 * ERROR_STEP, "{all} {without}");
    }

    /// Whatever part of the time is saved, the interval of what is saved holds it in nine of ten cores, whose times are those
    /// predicted but for the error of the model and for what the numbers leave open.
    #[test]
    fn what_is_saved_lies_in_its_interval_in_nine_of_ten_cases() {
        let mut random = SplitMix64::new(3);
        let mut normal =
            || (-2.0 * random.unit().ln()).sqrt() * (std::f64::consts::TAU * random.unit()).cos();
        let error = ModelError { log: 0.06, families: 1e6 };
        for after in [0.0, 30.0, 80.0, 100.0, 300.0] {
            let moved: Vec<f64> = (0..400).map(|_| 5.0 * normal()).collect();
            let [low, high] = saved_interval(error, 100.0, after, &moved);
            let mut time = |cycles: f64| cycles * (error.log * normal()).exp();
            let cores: Vec<f64> = (0..5_000).map(|_| time(100.0) - time(after)).collect();
            let inside = cores.iter().filter(|saved| (low..=high).contains(&(**saved + 5.0 * normal())));
            let share = inside.count() as f64 / cores.len() as f64;
            assert!((0.88..0.92).contains(&share), "{after}: {share}");
        }
    }

    #[test]
    fn an_interval_is_wider_with_fewer_families_more_spread_and_more_places() {
        let few = ModelError { log: 0.05, families: 3.0 };
        let many = ModelError { log: 0.05, families: 18.0 };
        let width = |error, spread, places: &[f64]| {
            let [low, high] = interval(error, 100.0, spread, places);
            assert!(low < 100.0 && 100.0 < high);
            (high / low).ln()
        };
        assert!((width(many, 0.0, &[]) - 2.0 * 1.697 * 0.05).abs() < 1e-3);
        assert!(width(few, 0.0, &[]) > width(many, 0.0, &[]));
        assert!(width(many, 0.05, &[]) > width(many, 0.0, &[]));
        assert!(width(many, 0.0, &[100.0, 120.0]) > width(many, 0.0, &[100.0, 100.0]));
    }
}
