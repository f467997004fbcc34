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
//! corpus when the spread of the same rows is taken away (`model_error`), so no doubt is counted twice.

use crate::cpu::Cpu;
use crate::draws::root_mean_square;
use stats::student_quantile;

/// The part of a share below the lower, and above the upper end of an interval.
const TAIL: f64 = 0.05;
/// Model error in percent of a cpu that no figure was found for. Of 51 published figures that nobody here had seen, on cpus of
/// which others were known, an earlier form of the model missed one by 15 percent in the mean, which is a root mean square of 20.
pub const UNVALIDATED_PERCENT: f64 = 20.0;
/// The same of a cpu that only LLVM describes. llvm-mca, with the same tables, is off by more than half on a third of the 77 loops
/// of `validate` that it accepts, and by less than a tenth on as many; nothing says which kind a program is of.
pub const LLVM_ALONE_PERCENT: f64 = 40.0;
/// Families that the figures of other cpus count as beside a cpu's own when the scatter is judged: the rules of the model are the
/// same. They are some thirty, and count less than half, since the numbers are not the same.
const SHARED_FAMILIES: f64 = 12.0;
/// Smallest model error believed, as a logarithm. The rules of the model were chosen by people who had seen the figures, and no
/// leaving out undoes that: tried blind, an earlier form of it was off by four times what its own figures showed.
const ERROR_MIN: f64 = 0.07;

/// Root mean square of the logarithms of `values` over `centre`.
pub fn about(centre: f64, values: &[f64]) -> f64 {
    root_mean_square(values.iter().map(|value| (value / centre).ln()))
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

    /// From the errors of a corpus: `rows` are (family, ln(published / predicted), spread). Each family counts once. `None`
    /// without any row.
    pub fn from_rows(rows: &[(&str, f64, f64)]) -> Option<ModelError> {
        let mut families: Vec<&str> = rows.iter().map(|row| row.0).collect();
        families.sort_unstable();
        families.dedup();
        let mean_of = |family: &&str| {
            let of: Vec<f64> =
                rows.iter().filter(|r| r.0 == *family).map(|r| r.1.powi(2) - r.2.powi(2)).collect();
            of.iter().sum::<f64>() / of.len() as f64
        };
        let squares: f64 = families.iter().map(mean_of).sum();
        let mean = squares / families.len().max(1) as f64;
        let error = ModelError { log: mean.max(0.0).sqrt().max(ERROR_MIN), families: families.len() as f64 };
        (!families.is_empty()).then_some(error)
    }

    /// Half the width of the 90 % interval, as a logarithm, with what else may be wrong, each a standard deviation.
    pub fn half_width(&self, others: &[f64]) -> f64 {
        let deviations =
            student_quantile(1.0 - TAIL, self.families + SHARED_FAMILIES).unwrap_or(f64::INFINITY);
        let variance = self.log.powi(2) + others.iter().map(|other| other.powi(2)).sum::<f64>();
        deviations * variance.sqrt()
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

/// The 90 % interval about `cycles`, given a spread and the cycles at each place of the code that is as likely as another.
pub fn interval(error: ModelError, cycles: f64, spread: f64, places: &[f64]) -> [f64; 2] {
    let half = error.half_width(&[spread, about(cycles, places)]);
    [cycles * (-half).exp(), cycles * half.exp()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_error_counts_families_once_and_leaves_out_what_ranges_explain() {
        let rows = [("a", 0.1, 0.0), ("a", -0.1, 0.0), ("b", 0.3, 0.0)];
        let found = ModelError::from_rows(&rows).unwrap();
        assert!((found.log - (0.05f64).sqrt()).abs() < 1e-12, "{found:?}");
        assert_eq!(found.families, 2.0);
        let explained = ModelError::from_rows(&[("a", 0.15, 0.09), ("b", 0.15, 0.09)]).unwrap();
        assert!((explained.log - 0.12).abs() < 1e-12, "{explained:?}");
        assert_eq!(ModelError::from_rows(&[("a", 0.0, 0.5)]).unwrap().log, ERROR_MIN);
        assert_eq!(ModelError::from_rows(&[]), None);
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
