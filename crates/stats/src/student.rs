// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Student's t: how much wider an interval is when the scatter itself was estimated from few values.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The value below which a variable of Student's t distribution with `freedom` degrees of freedom lies with probability
/// `share`. `None` for fewer than one degree or a share that is not between 0 and 1.
pub fn student_quantile(share: f64, freedom: f64) -> Option<f64> {
    if !(freedom >= 1.0 && share > 0.0 && share < 1.0) {
        return None;
    }
    Some(StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(share))
}

/// The probability that a variable of Student's t distribution with `freedom` degrees of freedom, one at least, is at most `value`.
/// `None` for fewer, or if `value` is no number.
pub fn student_share(value: f64, freedom: f64) -> Option<f64> {
    if freedom.is_nan() || freedom < 1.0 || value.is_nan() {
        return None;
    }
    Some(StudentsT::new(0.0, 1.0, freedom).ok()?.cdf(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        // Two-sided 90 % points, as in every table of the distribution.
        for (freedom, expected) in [(1.0, 6.314), (4.0, 2.132), (10.0, 1.812), (30.0, 1.697)] {
            let found = student_quantile(0.95, freedom).unwrap();
            assert!((found - expected).abs() < 0.001, "{freedom}: {found}");
        }
        assert!((student_quantile(0.95, 1e6).unwrap() - 1.645).abs() < 0.001);
        assert_eq!(student_quantile(0.95, 0.0), None);
        assert_eq!(student_quantile(1.0, 3.0), None);
        assert_eq!(student_quantile(f64::NAN, 3.0), None);
    }

    #[test]
    fn shares_are_the_inverse_of_quantiles() {
        for (freedom, value, share) in [(4.0, 2.132, 0.95), (4.0, -2.132, 0.05), (22.0, 0.0, 0.5)] {
            let found = student_share(value, freedom).unwrap();
            assert!((found - share).abs() < 0.001, "{freedom}, {value}: {found}");
        }
        assert_eq!(student_share(1.0, 0.5), None);
        assert_eq!(student_share(f64::NAN, 3.0), None);
    }
}
