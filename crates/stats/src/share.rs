// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The interval of a probability, from how often something happened.

use crate::interval::{Interval, CONFIDENCE};
use statrs::distribution::{Beta, ContinuousCDF};

/// The 95 % interval of the probability of what happened `hits` times in `trials`, ends included: that of Clopper and Pearson
/// (Biometrika 26, 1934), which holds the truth in 95 of 100 experiments or more, however few the trials. `None` without
/// trials, and for more hits than trials.
pub fn share_interval(hits: u64, trials: u64) -> Option<Interval> {
    let misses = trials.checked_sub(hits).filter(|_| trials > 0)?;
    let tail = (1.0 - CONFIDENCE) / 2.0;
    // The probability for which so many hits or more (fewer) have that of the tail is a quantile of a beta distribution.
    let end =
        |hits: u64, misses: u64, share| Some(Beta::new(hits as f64, misses as f64).ok()?.inverse_cdf(share));
    let low = if hits == 0 { 0.0 } else { end(hits, misses + 1, tail)? };
    let high = if misses == 0 { 1.0 } else { end(hits + 1, misses, 1.0 - tail)? };
    Some(Interval { low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability of at most `hits` in `trials`, by its definition.
    fn at_most(hits: u64, trials: u64, probability: f64) -> f64 {
        let mut term = (1.0 - probability).powi(trials as i32);
        let mut sum = term;
        for k in 0..hits {
            term *= (trials - k) as f64 / (k + 1) as f64 * probability / (1.0 - probability);
            sum += term;
        }
        sum
    }

    #[test]
    fn its_ends_are_where_the_binomial_tails_have_two_and_a_half_percent() {
        for (hits, trials) in [(1, 3), (1, 20), (5, 200), (11, 200), (60, 1000), (19, 20)] {
            let Interval { low, high } = share_interval(hits, trials).unwrap();
            assert!(low < hits as f64 / trials as f64 && high > hits as f64 / trials as f64);
            let tails = [1.0 - at_most(hits - 1, trials, low), at_most(hits, trials, high)];
            assert!(tails.iter().all(|tail| (tail - 0.025).abs() < 1e-6), "{hits} of {trials}: {tails:?}");
        }
    }

    #[test]
    fn what_never_happened_may_still_be_likely_after_few_trials() {
        for trials in [1, 3, 72, 200] {
            let none = share_interval(0, trials).unwrap();
            let all = share_interval(trials, trials).unwrap();
            let expected = 1.0 - 0.025f64.powf(1.0 / trials as f64);
            assert!(none.low == 0.0 && (none.high - expected).abs() < 1e-6, "{trials}: {none:?}");
            assert!(all.high == 1.0 && (all.low - (1.0 - expected)).abs() < 1e-6, "{trials}: {all:?}");
        }
        assert_eq!((share_interval(0, 0), share_interval(2, 1)), (None, None));
    }
}
