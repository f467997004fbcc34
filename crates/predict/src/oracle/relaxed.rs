// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What `explain` rests on: a resource that is free costs nothing.

use super::{cpus, Bench};
use crate::driver::{predict, Options, Prediction};
use crate::explain::relaxations;
use crate::least;
use crate::oracle::program::Program;
use crate::relax::Relax;

const PROGRAMS: u64 = 16;

struct Trial {
    bench: Bench,
    programs: Vec<Program>,
    /// Cycles of each with all limits.
    limited: Vec<f64>,
}

impl Trial {
    fn new(name: &str) -> Trial {
        let bench = Bench::new(name);
        let programs: Vec<_> = (0..PROGRAMS).map(|seed| Program::new(&bench.pool, seed, 300)).collect();
        let mut trial = Trial { bench, programs, limited: Vec::new() };
        trial.limited =
            trial.programs.iter().map(|one| trial.told(one, Relax::default()).cycles as f64).collect();
        trial
    }

    fn told(&self, program: &Program, relax: Relax) -> Prediction {
        let options = Options { relax, ..Options::default() };
        predict(&mut program.source(), &[&self.bench.cpu], &options).unwrap().remove(0)
    }

    /// Of all limited cycles, what is left of each program.
    fn shares(&self, relax: Relax) -> Vec<f64> {
        let left = |(program, limited)| self.told(program, relax).cycles as f64 / limited;
        self.programs.iter().zip(&self.limited).map(left).collect()
    }
}

fn on_each_cpu(check: impl Fn(&str) + Sync) {
    std::thread::scope(|scope| {
        for name in cpus() {
            let check = &check;
            scope.spawn(move || check(&name));
        }
    });
}

/// Where something is free, instructions issue in another order, loads meet other stores, and branches are predicted before what
/// they depend on is there, so that a program may take longer now and then, but few do.
#[test]
fn a_free_resource_costs_nothing() {
    on_each_cpu(|name| {
        let trial = Trial::new(name);
        for (resource, relax) in relaxations(&trial.bench.description) {
            let shares = trial.shares(relax);
            let longer = shares.iter().filter(|share| **share > 1.01).count();
            assert!(longer <= 3, "{name} without {resource}: {shares:.2?}");
        }
    });
}

/// What a resource alone allows is a bound only if it is below what all of them allow, and if next to nothing is left where
/// nothing limits: what is left there is charged to the stores.
#[test]
fn what_one_resource_allows_is_less_than_what_all_allow() {
    on_each_cpu(|name| {
        let trial = Trial::new(name);
        let alone = least::alone(&trial.bench.description);
        let ((_, free), limiting) = alone.split_first().unwrap();
        for (resource, relax) in limiting {
            let shares = trial.shares(*relax);
            assert!(shares.iter().all(|share| *share < 1.01), "{name}, {resource} alone: {shares:.2?}");
        }
        for program in &trial.programs {
            let left = trial.told(program, *free);
            let stores = left.counters.stores;
            assert!(left.cycles <= 40 + 2 * stores, "{name}: {} cycles for {stores} stores", left.cycles);
        }
    });
}
