// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! "A beats B on this cpu", and how much of that rests on guesses.
//!
//! Two programs are predicted with each guessed number at both ends of its range, the same end for both, since they run on
//! one core. For a guess that changes the verdict at an end, bisection finds the value at which the verdict changes. It is
//! assumed to change only once in between, and only one guess is moved at a time.

use crate::cpu::Cpu;
use crate::driver::{Options, PredictError};
use crate::explain::{cycles_of, predict_all, Move, Open, Sensitivity};
use std::collections::BTreeSet;

/// Cycles that differ by no more than this part are no difference.
const DIFFERENCE: f64 = 0.001;
/// Steps into which the range of a number that is not whole is divided.
const STEPS: f64 = 64.0;

/// Which of two programs takes fewer cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faster {
    /// The first.
    First,
    /// Neither by a thousandth.
    Neither,
    /// The second.
    Second,
}

impl Faster {
    /// Of two numbers of cycles.
    pub fn of(first: f64, second: f64) -> Faster {
        if first < second * (1.0 - DIFFERENCE) {
            Faster::First
        } else if second < first * (1.0 - DIFFERENCE) {
            Faster::Second
        } else {
            Faster::Neither
        }
    }
}

/// A guess, and what is left of the verdict at one end of its range.
#[derive(Clone, Debug, PartialEq)]
pub struct AtEnd {
    /// The number's key.
    pub key: String,
    /// The guess itself.
    pub guess: f64,
    /// Its range.
    pub range: (f64, f64),
    /// The end.
    pub end: f64,
    /// Cycles of both programs there.
    pub cycles: (f64, f64),
}

impl AtEnd {
    /// Who is faster there.
    pub fn faster(&self) -> Faster {
        Faster::of(self.cycles.0, self.cycles.1)
    }
}

/// How a verdict depends on the guesses.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Cycles of both with all guesses as they stand.
    pub cycles: (f64, f64),
    /// The guesses that change the verdict, each with the end at which it does.
    pub turned_by: Vec<AtEnd>,
    /// The guess that comes nearest to changing it, where none does.
    pub nearest: Option<AtEnd>,
}

impl Verdict {
    /// Who is faster with all guesses as they stand.
    pub fn faster(&self) -> Faster {
        Faster::of(self.cycles.0, self.cycles.1)
    }

    /// Whether it is the same at both ends of every guess.
    pub fn survives(&self) -> bool {
        self.turned_by.is_empty()
    }
}

/// Compares two programs on one cpu by what moving its guesses does to each.
pub fn verdict(first: &Sensitivity, second: &Sensitivity) -> Verdict {
    let faster = Faster::of(first.cycles, second.cycles);
    let (mut turned_by, mut others) = (Vec::new(), Vec::new());
    for at_end in ends(first, second) {
        if at_end.faster() == faster { &mut others } else { &mut turned_by }.push(at_end);
    }
    let lead = |at: &AtEnd| (at.cycles.0 / at.cycles.1).ln().abs();
    let nearest = others.into_iter().min_by(|a, b| lead(a).total_cmp(&lead(b)));
    let before = (first.cycles / second.cycles).ln().abs();
    let nearest = nearest.filter(|at| turned_by.is_empty() && lead(at) < before);
    Verdict { cycles: (first.cycles, second.cycles), turned_by, nearest }
}

/// Both ends of every guess that moves either program.
fn ends(first: &Sensitivity, second: &Sensitivity) -> Vec<AtEnd> {
    let find = |of: &Sensitivity, key: &str| of.moves.iter().find(|m| m.key == key).cloned();
    let moved = first.moves.iter().chain(&second.moves);
    let keys: BTreeSet<&str> = moved.map(|m| m.key.as_str()).collect();
    let mut found = Vec::new();
    for key in keys {
        let both = (find(first, key), find(second, key));
        let Some(known) = both.0.as_ref().or(both.1.as_ref()).cloned() else { continue };
        let cycles = |m: Option<Move>, base: f64| m.map_or((base, base), |m| m.cycles);
        let (a, b) = (cycles(both.0, first.cycles), cycles(both.1, second.cycles));
        for (end, cycles) in [(known.range.0, (a.0, b.0)), (known.range.1, (a.1, b.1))] {
            found.push(AtEnd { key: key.to_owned(), guess: known.guess, range: known.range, end, cycles });
        }
    }
    found
}

/// The value nearest to the guess at which the verdict is no longer what it is at the guess: whole where the range is.
pub fn turning_point(
    first: &mut Open<'_>,
    second: &mut Open<'_>,
    cpu: &Cpu,
    base: &Options,
    at: &AtEnd,
) -> Result<f64, PredictError> {
    let mut at_value = |value: f64| -> Result<Faster, PredictError> {
        let Some(changed) = cpu.with(&at.key, value) else { return Ok(at.faster()) };
        let jobs = [(&changed, base.clone())];
        let cycles = [predict_all(first, &jobs)?, predict_all(second, &jobs)?];
        Ok(Faster::of(cycles_of(&cycles[0][0]), cycles_of(&cycles[1][0])))
    };
    let kept = at_value(at.guess)?;
    let whole = [at.guess, at.range.0, at.range.1].iter().all(|value| value.fract() == 0.0);
    let step = if whole { 1.0 } else { (at.range.1 - at.range.0) / STEPS };
    // Steps from the guess towards the end: at 0 the verdict holds, after all of them it does not.
    let all = ((at.end - at.guess).abs() / step).round();
    let value_of = |steps: f64| {
        if steps == all {
            at.end
        } else {
            at.guess + (at.end - at.guess).signum() * steps * step
        }
    };
    let (mut holds, mut turned) = (0.0, all);
    while turned - holds > 1.0 {
        let middle = ((holds + turned) / 2.0).floor();
        if at_value(value_of(middle))? == kept {
            holds = middle;
        } else {
            turned = middle;
        }
    }
    Ok(value_of(turned))
}
