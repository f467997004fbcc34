// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `cache-log bench`: every case in every process, the processes interleaved; ratios of medians with intervals.

use super::cases::{cases, Case, Values};
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
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = crate::numbers::whole::<u64>(PROCESSES_MIN as u64..=1000))]
    processes: u64,
    /// A thirtieth of the rounds in each process: shows that all runs, its intervals are wide
    #[arg(long)]
    quick: bool,
}

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
        // Ways without a value of each process are dropped: `loads` has no speed if reading took the whole slice.
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
