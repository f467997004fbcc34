// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `cache-log bench`: every case in every process, the processes interleaved; ratios of medians with intervals.

use super::judge::{self, BenchRecord};
use super::{program, table};
use crate::context::{Context, Outcome};
use lab::{Problem, Result};
use stats::PROCESSES_MIN;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Options of `cache-log bench`.
#[derive(clap::Args)]
pub struct Args {
    /// Only this part
    #[arg(long, value_name = "PART", value_parser = ["slices", "nothing-to-gain", "coroutines"])]
    only: Option<String>,
    /// Processes, each of which runs every case
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u64).range(PROCESSES_MIN as u64..=1000))]
    processes: u64,
    /// A thirtieth of the rounds in each process: shows that all runs, its intervals are wide
    #[arg(long)]
    quick: bool,
}

/// What is expected of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// So many times the speed of doing nothing; where the bound is lower, 80 % of the bound.
    Times(f64),
    /// 80 % of the bound, where there is something to gain.
    Bound,
    /// Feedback keeps it at 0.97 or more.
    NoLoss,
    /// Feedback finds the plan that is best here, and loses little until it has.
    Choice,
}

/// One set of arguments of a bench.
pub struct Case {
    /// The bench's program.
    pub program: &'static str,
    /// Which part of the bench it is of.
    pub part: &'static str,
    /// For people.
    pub title: String,
    /// What is expected.
    pub goal: Goal,
    arguments: Vec<String>,
}

/// Values of one way in one case, one a process: nanoseconds for a step or an activation.
pub type Values = BTreeMap<String, Vec<f64>>;

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let wanted = |case: &Case| args.only.as_ref().is_none_or(|only| only == case.part);
    let cases: Vec<Case> = cases(if args.quick { 30 } else { 1 }).into_iter().filter(wanted).collect();
    let mut programs: BTreeMap<&str, PathBuf> = BTreeMap::new();
    for case in &cases {
        if !programs.contains_key(case.program) {
            programs.insert(case.program, program::build(context, case.program)?);
        }
    }
    let mut values: Vec<Values> = cases.iter().map(|_| Values::new()).collect();
    for process in 0..args.processes {
        context.progress(&format!("process {} of {}", process + 1, args.processes));
        for (case, values) in cases.iter().zip(&mut values) {
            let mut arguments = case.arguments.clone();
            arguments.push((process + 1).to_string());
            for words in program::lines(&programs[case.program], &arguments)? {
                let (way, value) = read(case.program, &words)
                    .ok_or_else(|| Problem::new(format!("printed '{}'", words.join(" "))).at(case.program))?;
                values.entry(way).or_default().push(value);
            }
        }
    }
    for values in &mut values {
        // `loads` has no speed in a process in which reading took whole slices.
        values.retain(|_, of_way| of_way.len() as u64 == args.processes);
    }
    let mut records: Vec<BenchRecord> = Vec::new();
    for (case, values) in cases.iter().zip(&values) {
        records.extend(judge::judge(case, values)?);
    }
    context.tell(records.iter(), || table::report(&records, args.processes));
    let missed = records.iter().filter(|record| record.missed()).count();
    if missed > 0 {
        eprintln!("{missed} goals that are in reach here were missed");
    }
    Ok(if missed == 0 { Outcome::Fine } else { Outcome::Failed })
}

/// `WAY STEPS_PER_US ...` of slices, `WAY SERIALISED NANOSECONDS` and `logging SERIALISED SPEED` of coroutines.
fn read(program: &str, words: &[String]) -> Option<(String, f64)> {
    let number = |index: usize| words.get(index)?.parse::<f64>().ok().filter(|value| *value > 0.0);
    let way = words.first()?;
    match program {
        "slices" => Some((way.clone(), 1000.0 / number(1)?)),
        _ => {
            let serialised = words.get(1)? == "1";
            Some((format!("{way}{}", if serialised { ", serialised" } else { "" }), number(2)?))
        }
    }
}

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

/// All cases, with one of `share` of their rounds.
fn cases(share: u64) -> Vec<Case> {
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
    // Lines touched last are touched again: what goes round gains by another plan.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_or_refused() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(read("slices", &words("restore 125.0 100 2 98 5.1")), Some(("restore".to_owned(), 8.0)));
        assert_eq!(
            read("coroutines", &words("ahead2 1 150.5")),
            Some(("ahead2, serialised".to_owned(), 150.5))
        );
        assert_eq!(read("coroutines", &words("ahead2 0 150.5")), Some(("ahead2".to_owned(), 150.5)));
        for line in ["restore", "restore x", "restore 0", "restore -1"] {
            assert_eq!(read("slices", &words(line)), None, "{line}");
        }
    }
}
