// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! How far off a prediction may be: the 90 % interval that every predicted number carries.
//!
//! What a real core takes is the number predicted times three factors, since errors of a model are factors:
//! * what the model gets wrong even with the right numbers: `validation.error` of the cpu file, the error on published
//!   figures of programs whose family was left out of the fit, found on `validation.families` families. With few of them the
//!   scatter itself is uncertain, so the logarithm of this factor is Student's t with that many degrees of freedom;
//! * numbers of which only a range is known: the prediction is made again with all of them drawn at once from their
//!   ranges, so that published figures still come out (`draws`). Each of the drawn cores is as likely as another;
//! * where the code stands in a fetch block, if that is an accident of a linker: each place is as likely as another.
//!
//! The interval leaves a twentieth of what is then likely below it and a twentieth above. So where sources disagree and the number
//! shown is by the faster of them, the interval reaches far up and not as far down. It holds the number shown in any case.
//!
//! `validation.error` is the error that makes the figures of the corpus likeliest, given the draws and the places of the same rows
//! (`ModelError::from_rows`), so no doubt is counted twice.

use crate::cpu::Cpu;
use crate::draws::Draws;
use stats::{student_quantile, student_share};
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

/// A published figure against the model.
#[derive(Clone, Debug)]
pub struct Judged<'a> {
    /// Figures that count once together.
    pub family: &'a str,
    /// ln(published / predicted) on each drawn core, with the code at each place in a fetch block that it may have had, all
    /// equally likely.
    pub errors: Vec<f64>,
}

impl Judged<'_> {
    /// The logarithm of how likely the figure is, but for a constant, if the error of the model is `log`.
    fn likelihood(&self, log: f64) -> f64 {
        let at = |error: &f64| (-error.powi(2) / (2.0 * log.powi(2))).exp();
        let mean = self.errors.iter().map(at).sum::<f64>() / self.errors.len() as f64;
        mean.max(f64::MIN_POSITIVE).ln() - log.ln()
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
        let shared = Judged { family: "", errors: vec![SHARED_ERROR] };
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

    /// How far the factor between a real core's cycles and those predicted reaches down and up, with what else is in doubt: sets of
    /// logarithms, those of a set equally likely.
    pub fn factors(&self, others: &[&[f64]]) -> [f64; 2] {
        Mixture::new(self, self.log, others).interval(0.0).map(f64::exp)
    }
}

/// What is likely of a value: it scatters about each of some centres, alike.
struct Mixture {
    /// With the share of each.
    centres: Vec<(f64, f64)>,
    /// Of Student's t about each.
    scale: f64,
    freedom: f64,
}

/// Centres nearer to each other than this are one.
const SAME: f64 = 1e-9;
/// Halvings of the range that a quantile lies in.
const HALVINGS: usize = 40;
/// Least scatter about a centre: none cannot be divided by.
const SCALE_MIN: f64 = 1e-9;

impl Mixture {
    /// Centres are the sums of one value of each of `sets`; an empty set stands for nothing in doubt.
    fn new(error: &ModelError, scale: f64, sets: &[&[f64]]) -> Mixture {
        let mut centres = vec![(0.0, 1.0)];
        for set in sets.iter().filter(|set| !set.is_empty()) {
            let share = 1.0 / set.len() as f64;
            let moved = |&(centre, of): &(f64, f64)| set.iter().map(move |by| (centre + by, of * share));
            centres = distinct(centres.iter().flat_map(moved).collect());
        }
        Mixture { centres, scale: scale.max(SCALE_MIN), freedom: error.families + SHARED_FAMILIES }
    }

    /// The part below `value`.
    fn share_below(&self, value: f64) -> f64 {
        let of_centre = |(centre, share): &(f64, f64)| {
            share * student_share((value - centre) / self.scale, self.freedom).unwrap_or(0.0)
        };
        self.centres.iter().map(of_centre).sum()
    }

    /// The value below which `share` lies. Each centre has its own, and this one is between these.
    fn quantile(&self, share: f64) -> f64 {
        let one = self.scale * student_quantile(share, self.freedom).unwrap_or(f64::INFINITY);
        let (mut low, mut high) = (self.centres[0].0 + one, self.centres[self.centres.len() - 1].0 + one);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            let side = if self.share_below(middle) < share { &mut low } else { &mut high };
            *side = middle;
        }
        0.5 * (low + high)
    }

    /// What is left without a twentieth on either side, `shown` included.
    fn interval(&self, shown: f64) -> [f64; 2] {
        [self.quantile(TAIL).min(shown), self.quantile(1.0 - TAIL).max(shown)]
    }
}

/// In ascending order, those that are the same as one.
fn distinct(mut centres: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    centres.sort_by(|a, b| a.0.total_cmp(&b.0));
    centres.dedup_by(|next, one| {
        let same = next.0 - one.0 < SAME;
        one.1 += if same { next.1 } else { 0.0 };
        same
    });
    centres
}

/// Logarithms of the cycles at each place of the code over those shown.
fn of_places(cycles: f64, places: &[f64]) -> Vec<f64> {
    places.iter().map(|place| (place / cycles).ln()).collect()
}

/// The 90 % interval of the ratio of two programs on one cpu. Errors of the model are taken to be independent, which they
/// are less the more alike the programs are: the interval is then too wide, not too narrow.
pub fn ratio_interval(
    error: ModelError,
    ratio: f64,
    draws: &Draws,
    places: [&[f64]; 2],
    cycles: [f64; 2],
) -> [f64; 2] {
    let over = of_places(cycles[0], places[0]);
    let under: Vec<f64> = of_places(cycles[1], places[1]).iter().map(|place| -place).collect();
    let both = Mixture::new(&error, error.log * 2f64.sqrt(), &[&draws.0, &over, &under]);
    both.interval(0.0).map(|log| ratio * log.exp())
}

/// The 90 % interval of the cycles by which `before` exceeds `after`; `moved` has by how many more it does on each drawn core.
/// Each of the two is wrong by a part of itself, so what is saved is not known better than the larger of them, however small the
/// other is.
pub fn saved_interval(error: ModelError, before: f64, after: f64, moved: &[f64]) -> [f64; 2] {
    let of_model = error.log * before.hypot(after);
    Mixture::new(&error, of_model, &[moved]).interval(0.0).map(|more| before - after + more)
}

/// The 90 % interval about `cycles`, given the draws and the cycles at each place of the code that is as likely as another.
pub fn interval(error: ModelError, cycles: f64, draws: &Draws, places: &[f64]) -> [f64; 2] {
    error.factors(&[&draws.0, &of_places(cycles, places)]).map(|factor| cycles * factor)
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
        let row = |family, error| Judged { family, errors: vec![error] };
        let rows = [row("a", 0.1), row("a", -0.1), row("b", 0.3)];
        assert!((found(&rows) - with_shared(&[0.01, 0.09])).abs() < ERROR_STEP);
        assert_eq!(ModelError::from_rows(&rows).map(|error| error.families), Some(2.0));
        assert!((found(&[row("a", 0.0)]) - with_shared(&[0.0])).abs() < ERROR_STEP);
        assert_eq!(ModelError::from_rows(&[]), None);
    }

    #[test]
    fn what_ranges_explain_is_no_error_of_the_model() {
        // Drawn cores on either side of the one shown.
        let row = |drawn| Judged { family: "a", errors: vec![0.2 - drawn, 0.2 + drawn] };
        let (unexplained, half, explained) = (found(&[row(0.0)]), found(&[row(0.1)]), found(&[row(0.2)]));
        assert!(unexplained > half && half > explained, "{unexplained} {half} {explained}");
        assert!(explained < SHARED_ERROR + ERROR_STEP, "{explained}");
    }

    #[test]
    fn a_figure_that_one_place_of_its_code_meets_is_no_error_of_the_model() {
        let met = Judged { family: "a", errors: vec![0.0, 0.3, 0.3, 0.3] };
        assert!((found(std::slice::from_ref(&met)) - with_shared(&[0.0])).abs() < ERROR_STEP);
        // A model that is off by as much elsewhere has no claim to the one place.
        let names: Vec<String> = (0..60).map(|family| family.to_string()).collect();
        let others = names.iter().map(|family| Judged { family, errors: vec![0.3] });
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

    const FEW: ModelError = ModelError { log: 0.05, families: 3.0 };
    const MANY: ModelError = ModelError { log: 0.05, families: 18.0 };

    #[test]
    fn an_interval_is_wider_with_fewer_families_more_spread_and_more_places() {
        let width = |error, draws: &[f64], places: &[f64]| {
            let [low, high] = interval(error, 100.0, &Draws(draws.to_vec()), places);
            assert!(low < 100.0 && 100.0 < high);
            (high / low).ln()
        };
        assert!((width(MANY, &[], &[]) - 2.0 * 1.697 * 0.05).abs() < 1e-3);
        assert!(width(FEW, &[], &[]) > width(MANY, &[], &[]));
        assert!(width(MANY, &[0.05, -0.05], &[]) > width(MANY, &[0.0, 0.0], &[]));
        assert!(width(MANY, &[], &[100.0, 120.0]) > width(MANY, &[], &[100.0, 100.0]));
    }

    #[test]
    fn an_interval_reaches_to_the_side_that_the_drawn_cores_are_on_and_holds_the_number_shown() {
        let of = |draws: &[f64]| interval(MANY, 100.0, &Draws(draws.to_vec()), &[]);
        let ([low, high], [low_slower, high_slower]) = (of(&[]), of(&[0.0, 0.3]));
        assert!(low_slower > low && high_slower > 1.25 * high, "{low_slower}..{high_slower}");
        assert_eq!(of(&[0.5])[0], 100.0);
        assert_eq!(of(&[-0.5])[1], 100.0);
    }

    #[test]
    fn nine_of_ten_cores_lie_in_the_interval_however_the_drawn_ones_are_spread() {
        let mut random = SplitMix64::new(5);
        let error = ModelError { log: 0.06, families: 1e6 };
        for draws in [vec![0.0], vec![0.0, 0.4], vec![-0.3, -0.3, -0.3, 0.1], vec![0.02, 0.04, 0.06]] {
            let [low, high] = interval(error, 100.0, &Draws(draws.clone()), &[]);
            let mut core = || {
                let normal =
                    (-2.0 * random.unit().ln()).sqrt() * (std::f64::consts::TAU * random.unit()).cos();
                100.0 * (draws[random.below(draws.len())] + error.log * normal).exp()
            };
            let inside = (0..20_000).filter(|_| (low..=high).contains(&core())).count() as f64 / 20_000.0;
            assert!((0.89..0.91).contains(&inside), "{draws:?}: {inside}");
        }
    }

    #[test]
    fn a_ratio_is_in_doubt_as_both_programs_and_their_places_are() {
        let ratio = |draws: &[f64], places: [&[f64]; 2]| {
            let [low, high] = ratio_interval(MANY, 0.5, &Draws(draws.to_vec()), places, [50.0, 100.0]);
            [(0.5 / low).ln(), (high / 0.5).ln()]
        };
        let [down, up] = ratio(&[], [&[], &[]]);
        assert!((down - up).abs() < 1e-6 && (up - 1.697 * 0.05 * 2f64.sqrt()).abs() < 1e-3);
        // A slower place of the one below the line makes the ratio less.
        let [further_down, same_up] = ratio(&[], [&[50.0], &[100.0, 150.0]]);
        assert!(further_down > down + 0.2 && same_up < up, "{further_down}, {same_up}");
    }
}
