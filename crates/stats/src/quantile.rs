// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Quantiles of a handful of numbers.

/// The median: the middle value, or the mean of the middle two. `None` for no values or if one is not a number.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The value below which the share `share` (0 to 1) of the values lies, interpolated between neighbours (type 7 of
/// Hyndman and Fan, 1996: the default of R, NumPy and spreadsheets). `None` for no values, if one is not a number, or
/// for a share out of range.
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    if values.is_empty() || values.iter().any(|value| value.is_nan()) || !(0.0..=1.0).contains(&share) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    Some(quantile_of_sorted(&sorted, share))
}

/// As [`quantile`], of values that are sorted, not empty and all numbers.
pub(crate) fn quantile_of_sorted(sorted: &[f64], share: f64) -> f64 {
    let position = share * (sorted.len() - 1) as f64;
    let below = sorted[position.floor() as usize];
    let above = sorted[position.ceil() as usize];
    if below == above {
        return below; // also keeps infinities from becoming NaN
    }
    below + (position - position.floor()) * (above - below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_and_even_counts() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&[7.0]), Some(7.0));
    }

    #[test]
    fn quantiles_are_those_of_type_7() {
        let values = [15.0, 20.0, 35.0, 40.0, 50.0];
        assert_eq!(quantile(&values, 0.4), Some(29.0));
        assert_eq!(quantile(&values, 0.0), Some(15.0));
        assert_eq!(quantile(&values, 1.0), Some(50.0));
    }

    #[test]
    fn nonsense_has_no_quantile() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1.0, f64::NAN]), None);
        assert_eq!(quantile(&[1.0], 1.5), None);
        assert_eq!(quantile(&[1.0], f64::NAN), None);
        assert_eq!(median(&[f64::INFINITY, f64::INFINITY]), Some(f64::INFINITY));
    }
}
