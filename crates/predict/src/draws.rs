// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Cores as the real one may be: every number of which only a range is known, drawn from it, all of them at once.
//!
//! `CANDIDATES` cores are drawn. Where figures of the cpu are published, most of them would have given other figures, so
//! they are not what the real core is. `agreeing` chooses `DRAWS` of them: each candidate as often as it is likely, given the
//! figures. An error of `SCALE`, which the model makes even with the right numbers, costs as little as it should; a large
//! one counts by its size and not by its square, so one figure that no numbers meet does not decide alone. A family of
//! figures counts once. `fit --write` puts the choice into the cpu file (`validation.draws`), and beside the figures the choices
//! without each family, by which `validate` judges it. A cpu without figures takes `DRAWS` cores of its ranges as they are.

use crate::cpu::{Cpu, Guess};
use crate::driver::{Options, PredictError, Prediction};
use crate::explain::{predict_all, Open};
use stats::SplitMix64;
use std::collections::BTreeMap;

/// Cores that `agreeing` chooses from.
pub const CANDIDATES: usize = 512;
/// Draws of a spread: its own error is then a sixth.
pub const DRAWS: usize = 16;
/// Instructions simulated for each draw; the spread of longer programs is taken from their beginning.
pub const DRAWN_INSTRUCTIONS: u64 = 400_000;
/// Error of a figure that does not speak against a candidate, as a logarithm: that of the model.
const SCALE: f64 = 0.07;
/// Candidates that must be left with a say. If there are fewer, the figures are believed less, until there are enough.
const LEFT_MIN: f64 = 2.0 * DRAWS as f64;

/// The cores that stand for what is not known of a cpu: those that agree with published figures, if there are any.
pub fn believable(cpu: &Cpu) -> Vec<Cpu> {
    let chosen: Vec<usize> =
        cpu.words("validation.draws").iter().filter_map(|word| word.parse().ok()).collect();
    if chosen.is_empty() {
        drawn(cpu, DRAWS, &(0..DRAWS).collect::<Vec<_>>())
    } else {
        drawn(cpu, CANDIDATES, &chosen)
    }
}

/// Of `count` cores drawn from the ranges of a cpu those numbered `which`. Each number takes every part of its range equally
/// often (a Latin hypercube), in an order that depends on the key alone, so two programs meet the same cores.
pub fn drawn(cpu: &Cpu, count: usize, which: &[usize]) -> Vec<Cpu> {
    let mut cpus = vec![cpu.clone(); which.len()];
    for guess in cpu.guesses() {
        let seed = guess.key.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut random = SplitMix64::new(seed);
        let mut parts: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            parts.swap(last, random.below(last + 1));
        }
        let within: Vec<f64> = (0..count).map(|_| random.unit()).collect();
        let whole = [guess.value, guess.low, guess.high].iter().all(|value| value.fract() == 0.0);
        for (cpu, &number) in cpus.iter_mut().zip(which) {
            let number = number % count;
            let share = (parts[number] as f64 + within[number]) / count as f64;
            let value = if is_of_any_size(&guess) {
                // From 4 to 8 as likely as from 1024 to 2048, or hardly any core would have one of the small ones.
                let size = (guess.high + 1.0) / (guess.low + 1.0);
                ((guess.low + 1.0) * size.powf(share) - 1.0).floor()
            } else if whole {
                // Both ends are as likely as any value between them.
                (guess.low - 0.5 + share * (guess.high - guess.low + 1.0))
                    .round()
                    .clamp(guess.low, guess.high)
            } else {
                guess.low + share * (guess.high - guess.low)
            };
            cpu.set(&guess.key, value).expect("a guess is a number of its cpu");
        }
    }
    cpus
}

/// How many times as much as the least a range reaches to if not even the size of the number is known.
const ANY_SIZE: f64 = 100.0;

fn is_of_any_size(guess: &Guess) -> bool {
    guess.high + 1.0 >= ANY_SIZE * (guess.low + 1.0)
}

/// What every candidate makes of one published figure.
pub struct Tried<'a> {
    /// Figures that count once together.
    pub family: &'a str,
    /// ln(published / predicted), by candidate.
    pub errors: Vec<f64>,
}

/// `DRAWS` candidates, each as often as the figures let expect it, the least number first.
pub fn agreeing(figures: &[&Tried<'_>]) -> Vec<usize> {
    let costs = costs(figures);
    let mut doubt = 1.0;
    let mut weights = weights(&costs, doubt);
    while left(&weights) < LEFT_MIN.min(costs.len() as f64) {
        doubt *= 1.25;
        weights = self::weights(&costs, doubt);
    }
    let total: f64 = weights.iter().sum();
    let (mut chosen, mut sum) = (Vec::new(), 0.0);
    for (candidate, weight) in weights.iter().enumerate() {
        sum += weight;
        while chosen.len() < DRAWS && (chosen.len() as f64 + 0.5) * total <= sum * DRAWS as f64 {
            chosen.push(candidate);
        }
    }
    chosen
}

/// What speaks against each candidate: the mean cost of each family's figures, over all families.
fn costs(figures: &[&Tried<'_>]) -> Vec<f64> {
    let mut families: BTreeMap<&str, Vec<&Tried<'_>>> = BTreeMap::new();
    figures.iter().for_each(|figure| families.entry(figure.family).or_default().push(figure));
    let candidates = figures.first().map_or(CANDIDATES, |figure| figure.errors.len());
    let mut costs = vec![0.0; candidates];
    for of in families.values() {
        for (candidate, cost) in costs.iter_mut().enumerate() {
            let each =
                of.iter().map(|figure| (1.0 + (figure.errors[candidate] / SCALE).powi(2)).sqrt() - 1.0);
            *cost += each.sum::<f64>() / of.len() as f64;
        }
    }
    costs
}

fn weights(costs: &[f64], doubt: f64) -> Vec<f64> {
    let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
    costs.iter().map(|cost| ((least - cost) / doubt).exp()).collect()
}

/// How many candidates have a say: as many equal ones would have the same (Kish's effective number).
fn left(weights: &[f64]) -> f64 {
    let sum: f64 = weights.iter().sum();
    sum * sum / weights.iter().map(|weight| weight * weight).sum::<f64>()
}

/// How the cycles of a program move when all ranges of its cpu are drawn at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draws(
    /// Logarithms of the cycles on each drawn core over those on the cpu as it stands.
    pub Vec<f64>,
);

impl Draws {
    /// Of the cycles on the cpu as it stands and on each drawn core.
    pub fn of(shown: f64, drawn: &[f64]) -> Draws {
        Draws(drawn.iter().map(|cycles| (cycles / shown).ln()).collect())
    }

    /// Of the ratio of two programs, which meet the same drawn cores.
    pub fn over(&self, other: &Draws) -> Draws {
        Draws(self.0.iter().zip(&other.0).map(|(a, b)| a - b).collect())
    }

    /// Root mean square about the cpu as it stands.
    pub fn spread(&self) -> f64 {
        (self.0.iter().map(|log| log * log).sum::<f64>() / self.0.len().max(1) as f64).sqrt()
    }
}

/// Predicts a program on the believable cores of a cpu.
pub fn draws(open: &mut Open<'_>, cpu: &Cpu, base: &Options) -> Result<Draws, PredictError> {
    if cpu.guesses().is_empty() {
        return Ok(Draws::default());
    }
    let options = Options { simulated_max: Some(DRAWN_INSTRUCTIONS), calls_min: 0, ..base.clone() };
    let mut cpus = vec![cpu.clone()];
    cpus.extend(believable(cpu));
    let cores: Vec<&Cpu> = cpus.iter().collect();
    let cycles = paces(&as_far(open, &cores, &options)?);
    Ok(Draws::of(cycles[0], &cycles[1..]))
}

/// Predictions of a program's beginning, as far into it on each core. One that skips a loop gets further with as many simulated
/// instructions than one on which the loop does not settle; so it is predicted once more, as far as the others came.
fn as_far(open: &mut Open<'_>, cpus: &[&Cpu], options: &Options) -> Result<Vec<Prediction>, PredictError> {
    let jobs: Vec<_> = cpus.iter().map(|&cpu| (cpu, options.clone())).collect();
    let mut predictions = predict_all(open, &jobs)?;
    if !options.skip_loops {
        return Ok(predictions);
    }
    let executed = |prediction: &Prediction| prediction.counters.instructions;
    let least = predictions.iter().map(executed).min();
    let nearer = Options { executed_max: least, ..options.clone() };
    let further: Vec<usize> =
        (0..cpus.len()).filter(|&core| Some(executed(&predictions[core])) > least).collect();
    let jobs: Vec<_> = further.iter().map(|&core| (cpus[core], nearer.clone())).collect();
    for (core, again) in further.into_iter().zip(predict_all(open, &jobs)?) {
        predictions[core] = again;
    }
    Ok(predictions)
}

/// Cycles of a call, or if not all of them tell that, of an instruction: one may go on for some iterations more than another.
fn paces(predictions: &[Prediction]) -> Vec<f64> {
    let of_calls: Option<Vec<f64>> = predictions.iter().map(|one| one.cycles_per_call).collect();
    let of_instruction = |one: &Prediction| one.cycles as f64 / one.counters.instructions.max(1) as f64;
    of_calls.unwrap_or_else(|| predictions.iter().map(of_instruction).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::Description;
    use std::path::Path;

    fn power7() -> Cpu {
        Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), "power7").unwrap()
    }

    #[test]
    fn drawn_cores_take_every_part_of_every_range_and_are_the_same_whichever_are_asked_for() {
        let cpu = power7();
        let all = drawn(&cpu, 32, &(0..32).collect::<Vec<_>>());
        for guess in cpu.guesses() {
            let mut values: Vec<f64> = all.iter().map(|cpu| cpu.value(&guess.key).unwrap()).collect();
            values.sort_by(f64::total_cmp);
            assert!(values[0] >= guess.low && values[31] <= guess.high, "{}", guess.key);
            // Of a number of which not even the size is known, every part of the range of its sizes.
            let of_size = |value: f64| if is_of_any_size(&guess) { (value + 1.0).ln() } else { value };
            let [least, low, high, most] = [guess.low, values[0], values[31], guess.high].map(of_size);
            let step = (most - least) / 32.0 + 1e-3;
            assert!(low - least <= step && most - high <= step, "{}: {values:?}", guess.key);
        }
        let one = drawn(&cpu, 32, &[17]).remove(0);
        for guess in cpu.guesses() {
            assert_eq!(one.value(&guess.key), all[17].value(&guess.key));
        }
    }

    /// As many cores remember a load for less than 64 executions as for more.
    #[test]
    fn numbers_of_any_size_are_drawn_by_their_size() {
        let cpu = power7();
        let remembers = "memory.order_remembers";
        let guess = cpu.guesses().into_iter().find(|guess| guess.key == remembers).unwrap();
        assert_eq!((guess.low, guess.high), (0.0, 4096.0));
        let all = drawn(&cpu, 32, &(0..32).collect::<Vec<_>>());
        let values: Vec<f64> = all.iter().map(|cpu| cpu.value(remembers).unwrap()).collect();
        let least = values.iter().filter(|&&value| value == 0.0).count();
        let less = values.iter().filter(|&&value| value < 63.0).count();
        assert!((2..=4).contains(&least) && (15..=17).contains(&less), "{values:?}");
    }

    #[test]
    fn a_drawn_line_is_a_power_of_two() {
        let guessed = r#"
            title = "POWER9 whose lines are guessed"
            inherits = "power9"
            cache.l1.line = { value = 128, unit = "bytes", source = "guess", kind = "guess", range = [64, 128] }
            [sources]
            guess = "nobody"
        "#;
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus");
        let cpu = Cpu::load_with("guessed", |name| match name {
            "guessed" => Ok((guessed.to_owned(), "guessed.toml".into())),
            _ => Ok((std::fs::read_to_string(dir.join("power/power9.toml")).unwrap(), "power9.toml".into())),
        });
        let all = drawn(&cpu.unwrap(), 32, &(0..32).collect::<Vec<_>>());
        let lines = |bytes| all.iter().filter(|cpu| cpu.value("cache.l1.line") == Some(bytes)).count();
        let (short, long) = (lines(64.0), lines(128.0));
        assert!(short >= 8 && long >= 8 && short + long == 32, "{short}, {long}");
        all.iter().for_each(|cpu| assert!(Description::new(cpu).is_ok()));
    }

    /// Figures that say: the candidate's number must be near `wanted`, a unit of error for each `width`.
    fn near(family: &str, wanted: f64, width: f64) -> Tried<'_> {
        let of = |candidate| (candidate as f64 - wanted) / width * SCALE;
        Tried { family, errors: (0..CANDIDATES).map(of).collect() }
    }

    #[test]
    fn candidates_that_disagree_with_a_figure_are_not_chosen() {
        let chosen = agreeing(&[&near("a", 100.0, 30.0)]);
        assert_eq!(chosen.len(), DRAWS);
        let mean = chosen.iter().sum::<usize>() as f64 / DRAWS as f64;
        assert!((mean - 100.0).abs() < 15.0, "{chosen:?}");
        assert!(chosen.iter().filter(|&&candidate| candidate > 220).count() <= 1, "{chosen:?}");
    }

    #[test]
    fn without_figures_every_part_of_the_candidates_is_chosen_alike() {
        let chosen = agreeing(&[]);
        let step = CANDIDATES / DRAWS;
        assert!(chosen.iter().enumerate().all(|(place, candidate)| candidate / step == place), "{chosen:?}");
    }

    #[test]
    fn a_family_counts_once_and_a_single_figure_does_not_leave_one_candidate_alone() {
        let (one, other) = (near("a", 100.0, 20.0), near("b", 400.0, 20.0));
        let copies: Vec<&Tried<'_>> = std::iter::repeat_n(&one, 20).chain([&other]).collect();
        assert_eq!(agreeing(&copies), agreeing(&[&one, &other]));
        // A figure so sharp that only one candidate meets it: the choice is still of many.
        let mut chosen = agreeing(&[&near("a", 256.0, 0.01)]);
        chosen.dedup();
        assert!(chosen.len() >= DRAWS / 2, "{chosen:?}");
    }
}
