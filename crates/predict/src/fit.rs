// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Fits the numbers of a cpu of which only a range is known to published figures, and says which of them the figures
//! determine.
//!
//! What is minimised is this. Each figure's error is the logarithm of published over
//! predicted, in units of `SCALE`; small errors count by their square, large ones by their size (pseudo-Huber), so one
//! figure that the model cannot meet does not drag the others along. A family of figures (one routine, one chain) counts
//! once, however many rows it has. To that is added, for every number, the square of its distance from what it was believed
//! to be, in halves of its range, times `PRIOR`: a number leaves its documented value only for a reason, and one without
//! influence stays there.
//!
//! The search goes through the numbers one after another, the most influential first, tries the values of a grid over the range,
//! keeps the best, and starts over until nothing moves. That finds a minimum that no single number can improve.
//!
//! A number is determined if every value outside some part of its range costs at least `DETERMINED` more than the best.
//! `left_out` fits once more without a family: the prediction for that family is then not fitted to it.

use crate::cpu::{Cpu, Guess};
use crate::driver::PredictError;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Error that counts as one unit, as a logarithm.
pub const SCALE: f64 = 0.03;
/// Weight of a number's distance from its documented value.
pub const PRIOR: f64 = 0.5;
/// How much worse a value has to be to be excluded.
pub const DETERMINED: f64 = 0.5;
/// Values tried of a range that holds more.
const GRID: usize = 7;
/// Passes through all numbers.
const PASSES_MAX: usize = 6;
/// Cores predicted at once: each is a thread.
const BATCH: usize = 16;
/// Relative change of a figure below which a number has no influence on it.
const INFLUENCE: f64 = 0.002;

/// Published figures of one cpu, which can be predicted on any core.
pub trait Figures {
    /// (family, published figure), in the unit in which `predict` answers.
    fn figures(&self) -> Vec<(String, f64)>;
    /// Predicts one figure on several cores.
    fn predict(&self, figure: usize, cpus: &[Cpu]) -> Result<Vec<f64>, PredictError>;
}

/// Values by key, where they differ from the documented ones.
pub type Values = BTreeMap<String, f64>;

/// A cpu as it was documented before any fit.
pub fn documented(cpu: &Cpu) -> Cpu {
    with_values(cpu, &cpu.guesses().into_iter().map(|guess| (guess.key, guess.prior)).collect())
}

/// A cpu with some numbers changed; keys that it does not have are left out.
pub fn with_values(cpu: &Cpu, values: &Values) -> Cpu {
    values.iter().fold(cpu.clone(), |cpu, (key, value)| cpu.with(key, *value).unwrap_or(cpu))
}

/// One number after a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// Its key.
    pub key: String,
    /// Its documented value.
    pub prior: f64,
    /// Its range.
    pub range: (f64, f64),
    /// The value fitted.
    pub value: f64,
    /// Lowest and highest value that cost less than `DETERMINED` more.
    pub believable: (f64, f64),
    /// How many figures it moves.
    pub figures: usize,
}

impl Fitted {
    /// Whether the figures exclude a part of its range.
    pub fn is_determined(&self) -> bool {
        self.believable != self.range
    }
}

/// Fits one cpu to its figures.
pub struct Fit<'a> {
    cpu: Cpu,
    figures: &'a dyn Figures,
    rows: Vec<(String, f64)>,
    guesses: Vec<Guess>,
    /// By guess, the figures that it moves, among the first `screened` figures.
    moves: Vec<Vec<usize>>,
    screened: usize,
    known: HashMap<(usize, Vec<(usize, u64)>), f64>,
}

impl<'a> Fit<'a> {
    /// Finds out which number moves which figure: two predictions of each figure for each number. `progress` is told how
    /// many figures of how many are done.
    pub fn new(
        cpu: &Cpu,
        figures: &'a dyn Figures,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Fit<'a>, PredictError> {
        let guesses = cpu.guesses();
        let mut fit = Fit {
            cpu: documented(cpu),
            figures,
            rows: figures.figures(),
            moves: vec![Vec::new(); guesses.len()],
            screened: 0,
            guesses,
            known: HashMap::new(),
        };
        let ends: Vec<Vec<f64>> = fit.guesses.iter().map(|guess| vec![guess.low, guess.high]).collect();
        for figure in 0..fit.rows.len() {
            progress(figure, fit.rows.len());
            let mut points = vec![Values::new()];
            for (guess, ends) in fit.guesses.iter().zip(&ends) {
                points.extend(ends.iter().map(|end| Values::from([(guess.key.clone(), *end)])));
            }
            let cycles = fit.at(figure, &points)?;
            for (guess, ends) in cycles[1..].chunks(2).enumerate() {
                if ends.iter().any(|end| (end / cycles[0]).ln().abs() > INFLUENCE) {
                    fit.moves[guess].push(figure);
                }
            }
            fit.screened = figure + 1;
        }
        Ok(fit)
    }

    /// The prediction of a figure at each of `points`; each is made only once.
    fn at(&mut self, figure: usize, points: &[Values]) -> Result<Vec<f64>, PredictError> {
        let keys: Vec<_> = points.iter().map(|values| (figure, self.relevant(figure, values))).collect();
        let mut missing: Vec<usize> = Vec::new();
        for (index, key) in keys.iter().enumerate() {
            if !self.known.contains_key(key) && !missing.iter().any(|&other| keys[other] == *key) {
                missing.push(index);
            }
        }
        for batch in missing.chunks(BATCH) {
            let cpus: Vec<Cpu> = batch.iter().map(|&index| self.core(&points[index])).collect();
            for (index, cycles) in batch.iter().zip(self.figures.predict(figure, &cpus)?) {
                self.known.insert(keys[*index].clone(), cycles);
            }
        }
        Ok(keys.iter().map(|key| self.known[key]).collect())
    }

    /// The values that differ from the documented ones and that the figure is known to depend on, or may depend on.
    fn relevant(&self, figure: usize, values: &Values) -> Vec<(usize, u64)> {
        let numbered = self.guesses.iter().enumerate().filter_map(|(index, guess)| {
            let value = *values.get(&guess.key)?;
            let counts = figure >= self.screened || self.moves[index].contains(&figure);
            (value != guess.prior && counts).then(|| (index, value.to_bits()))
        });
        numbered.collect()
    }

    /// The documented core with these values.
    pub fn core(&self, values: &Values) -> Cpu {
        with_values(&self.cpu, values)
    }

    /// What a fit minimises, at each of `points`, over the figures not left out.
    fn objective(&mut self, points: &[Values], left_out: Option<&str>) -> Result<Vec<f64>, PredictError> {
        let mut families: BTreeMap<String, (Vec<f64>, f64)> = BTreeMap::new();
        for figure in 0..self.rows.len() {
            let (family, published) = self.rows[figure].clone();
            if Some(family.as_str()) == left_out {
                continue;
            }
            let cycles = self.at(figure, points)?;
            let entry = families.entry(family).or_insert_with(|| (vec![0.0; points.len()], 0.0));
            entry.1 += 1.0;
            for (sum, predicted) in entry.0.iter_mut().zip(cycles) {
                let error = (published / predicted).ln() / SCALE;
                *sum += (1.0 + error * error).sqrt() - 1.0;
            }
        }
        let doubts = points.iter().map(|values| self.distance(values));
        let sums = doubts.enumerate().map(|(point, distance)| {
            distance + families.values().map(|(sums, count)| sums[point] / count).sum::<f64>()
        });
        Ok(sums.collect())
    }

    /// How far values are from the documented ones.
    fn distance(&self, values: &Values) -> f64 {
        let of = |guess: &Guess| {
            let value = values.get(&guess.key).copied().unwrap_or(guess.prior);
            let halves = (value - guess.prior) / ((guess.high - guess.low) / 2.0);
            PRIOR * halves * halves
        };
        self.guesses.iter().map(of).sum()
    }

    /// The values at which the objective is least, all figures of one family left out.
    pub fn search(&mut self, left_out: Option<&str>) -> Result<Values, PredictError> {
        let mut best = Values::new();
        let mut order: Vec<usize> =
            (0..self.guesses.len()).filter(|&guess| self.counts(guess, left_out) > 0).collect();
        order.sort_by_key(|&guess| std::cmp::Reverse(self.counts(guess, left_out)));
        for _ in 0..PASSES_MAX {
            let before = best.clone();
            for &guess in &order {
                let points = self.along(guess, &best);
                let objective = self.objective(&points, left_out)?;
                let least = (0..points.len()).min_by(|&a, &b| objective[a].total_cmp(&objective[b]));
                // The first point is the current one, and of equal values the first is chosen: no step without a gain.
                best = points[least.unwrap_or(0)].clone();
            }
            if best == before {
                break;
            }
        }
        Ok(best)
    }

    /// Figures that a number moves, those of a family left out.
    fn counts(&self, guess: usize, left_out: Option<&str>) -> usize {
        self.moves[guess].iter().filter(|&&figure| Some(self.rows[figure].0.as_str()) != left_out).count()
    }

    /// `values`, and the same with one number at every point of its grid.
    fn along(&self, guess: usize, values: &Values) -> Vec<Values> {
        let guess = &self.guesses[guess];
        let mut points = vec![values.clone()];
        for value in grid(guess) {
            let mut point = values.clone();
            if value == guess.prior {
                point.remove(&guess.key);
            } else {
                point.insert(guess.key.clone(), value);
            }
            points.push(point);
        }
        points
    }

    /// Fits to all figures; each number that moves any of them, in the order of their keys.
    pub fn all(&mut self) -> Result<Vec<Fitted>, PredictError> {
        let best = self.search(None)?;
        let mut fitted = Vec::new();
        for index in 0..self.guesses.len() {
            let guess = self.guesses[index].clone();
            let figures = self.moves[index].len();
            let value = best.get(&guess.key).copied().unwrap_or(guess.prior);
            let mut believable = (guess.low, guess.high);
            if figures > 0 {
                let points = self.along(index, &best);
                let objective = self.objective(&points, None)?;
                let values: Vec<f64> = points
                    .iter()
                    .map(|point| point.get(&guess.key).copied().unwrap_or(guess.prior))
                    .collect();
                let near =
                    values.iter().zip(&objective).filter(|(_, cost)| **cost < objective[0] + DETERMINED);
                believable = near.fold((value, value), |(low, high), (&v, _)| (low.min(v), high.max(v)));
            }
            fitted.push(Fitted {
                key: guess.key,
                prior: guess.prior,
                range: (guess.low, guess.high),
                value,
                believable,
                figures,
            });
        }
        Ok(fitted)
    }

    /// The families of the figures.
    pub fn families(&self) -> BTreeSet<String> {
        self.rows.iter().map(|row| row.0.clone()).collect()
    }
}

/// The values of a range that are tried: all whole ones if there are few and its ends are whole.
fn grid(guess: &Guess) -> Vec<f64> {
    let width = guess.high - guess.low;
    let whole = [guess.low, guess.high, guess.prior].iter().all(|value| value.fract() == 0.0);
    let steps = if whole && width < GRID as f64 { width } else { (GRID - 1) as f64 };
    let mut values: Vec<f64> =
        (0..=steps as usize).map(|step| guess.low + width * step as f64 / steps).collect();
    if whole {
        values.iter_mut().for_each(|value| *value = value.round());
    }
    values.push(guess.prior);
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Figures that are simple functions of two numbers of a cpu.
    struct Synthetic(Vec<(&'static str, f64, fn(f64, f64) -> f64)>);

    const A: &str = "memory.drain";
    const B: &str = "dispatch.latency";

    impl Figures for Synthetic {
        fn figures(&self) -> Vec<(String, f64)> {
            self.0.iter().map(|row| (row.0.to_owned(), row.1)).collect()
        }
        fn predict(&self, figure: usize, cpus: &[Cpu]) -> Result<Vec<f64>, PredictError> {
            let of = |cpu: &Cpu| self.0[figure].2(cpu.value(A).unwrap(), cpu.value(B).unwrap());
            Ok(cpus.iter().map(of).collect())
        }
    }

    fn cpu() -> Cpu {
        let cpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus");
        let cpu = Cpu::load(&cpus, "power7").unwrap();
        let guesses = cpu.guesses();
        let has = |key: &str| guesses.iter().any(|guess| guess.key == key);
        assert!(has(A) && has(B), "the test needs two numbers with ranges: {guesses:?}");
        cpu
    }

    fn ends(key: &str) -> Guess {
        cpu().guesses().into_iter().find(|guess| guess.key == key).unwrap()
    }

    #[test]
    fn a_number_that_two_families_need_is_found_and_determined() {
        let truth = ends(A).low;
        let figures = Synthetic(vec![
            ("one", 10.0 + 5.0 * truth, |a, _| 10.0 + 5.0 * a),
            ("two", 3.0 * truth, |a, _| 3.0 * a),
        ]);
        let mut fit = Fit::new(&cpu(), &figures, &|_, _| {}).unwrap();
        let all = fit.all().unwrap();
        let found = all.iter().find(|fitted| fitted.key == A).unwrap();
        assert_eq!((found.value, found.figures), (truth, 2));
        assert!(found.is_determined() && found.believable == (truth, truth), "{found:?}");
        // Without either family the other still finds it: that is an honest prediction.
        for family in ["one", "two"] {
            assert_eq!(fit.search(Some(family)).unwrap().get(A), Some(&truth));
        }
    }

    #[test]
    fn a_number_that_one_family_needs_is_at_its_prior_when_that_family_is_left_out() {
        let (a, b) = (ends(A), ends(B));
        let figures = Synthetic(vec![
            ("one", 50.0 + 10.0 * a.low, |a, _| 50.0 + 10.0 * a),
            ("two", 8.0, |_, b| 8.0 + 0.0 * b),
        ]);
        let mut fit = Fit::new(&cpu(), &figures, &|_, _| {}).unwrap();
        assert!(fit.search(None).unwrap().contains_key(A));
        assert!(fit.search(Some("one")).unwrap().is_empty());
        let unmoved = fit.all().unwrap().into_iter().find(|fitted| fitted.key == B).unwrap();
        assert_eq!((unmoved.value, unmoved.figures), (b.prior, 0));
        assert!(!unmoved.is_determined());
    }

    #[test]
    fn contradicting_figures_leave_a_number_near_its_documented_value() {
        let a = ends(A);
        let figures = Synthetic(vec![
            ("one", 1.001 * a.prior, |a, _| a.max(1.0)),
            ("two", 0.999 * a.prior, |a, _| a.max(1.0)),
        ]);
        let mut fit = Fit::new(&cpu(), &figures, &|_, _| {}).unwrap();
        assert!(fit.search(None).unwrap().is_empty());
    }

    #[test]
    fn the_grid_holds_ends_and_documented_value() {
        let mut guess = ends(A);
        (guess.low, guess.high, guess.prior) = (4.0, 40.0, 9.0);
        let values = grid(&guess);
        assert!(values.contains(&4.0) && values.contains(&40.0) && values.contains(&9.0), "{values:?}");
        (guess.low, guess.high, guess.prior) = (2.0, 4.0, 3.0);
        assert_eq!(grid(&guess), [2.0, 3.0, 4.0]);
        (guess.low, guess.high, guess.prior) = (0.5, 1.0, 0.7);
        assert_eq!(grid(&guess).len(), 8);
    }
}
