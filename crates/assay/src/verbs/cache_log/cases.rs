// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The cases of the cache log's bench, and what each is to show.

use std::collections::BTreeMap;

/// What is expected of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// At least this many times the speed of doing nothing, or 80 % of the bound if the bound is lower.
    Times(f64),
    /// 80 % of the bound, if there is something to gain.
    Bound,
    /// With feedback, at least 0.97 times the speed of doing nothing.
    NoLoss,
    /// Feedback finds the best plan for the case, and loses little before it has.
    Choice,
}

/// One set of arguments of a bench.
pub struct Case {
    /// The bench's program.
    pub program: &'static str,
    /// The part of the bench that it belongs to.
    pub part: &'static str,
    /// For people.
    pub title: String,
    /// What is expected.
    pub goal: Goal,
    /// What the program is called with.
    pub arguments: Vec<String>,
}

/// The values of a case by way, one per process: nanoseconds for a step or an activation.
pub type Values = BTreeMap<String, Vec<f64>>;

fn slices(pattern: &str, kib: u64, us: u64, evict: &str, rounds: u64, title: &str, goal: Goal) -> Case {
    let words = [pattern, &kib.to_string(), &us.to_string(), evict, &rounds.to_string()];
    Case {
        program: "slices",
        part: if goal == Goal::NoLoss { "nothing-to-gain" } else { "slices" },
        title: format!("{title}, {kib} KiB, {us} us"),
        goal,
        arguments: words.map(str::to_owned).to_vec(),
    }
}

/// All cases, their rounds divided by `share`.
pub fn cases(share: u64) -> Vec<Case> {
    let mut cases = Vec::new();
    for (kib, us, goal) in [
        (512, 100, Goal::Times(3.0)),
        (512, 200, Goal::Times(3.0)),
        (512, 500, Goal::Bound),
        (1024, 100, Goal::Times(3.0)),
        (1024, 200, Goal::Times(3.0)),
        (1024, 500, Goal::Times(3.0)),
    ] {
        cases.push(slices("chase", kib, us, "l3", 300 / share, "chase, evicted to L3", goal));
    }
    // A search is likely to touch next what it touched last, so another plan is best for it than for a walk round all lines.
    for (kib, us, rounds) in [(1024, 100, 500), (4096, 50, 1000)] {
        cases.push(slices("search", kib, us, "l3", rounds / share, "search, evicted to L3", Goal::Choice));
    }
    cases.push(slices("chase", 512, 100, "none", 1500 / share, "chase, nothing evicted", Goal::NoLoss));
    cases.push(slices("stream", 65536, 100, "l3", 1500 / share, "stream", Goal::NoLoss));
    cases.push(slices("chase", 1024, 20, "l3", 3000 / share, "chase, slices too short", Goal::NoLoss));
    for (count, blocks, times) in [(4096, 400_u64, 4.0), (16384, 400, 10.0)] {
        cases.push(Case {
            program: "coroutines",
            part: "coroutines",
            title: format!("{count} coroutines"),
            goal: Goal::Times(times),
            arguments: vec![count.to_string(), (blocks / share).to_string()],
        });
    }
    cases
}
