// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `check`: is a variant right? Every selected one against the reference, each under the oldest CPU that it claims.

use crate::context::{Context, Outcome};
use crate::progress::Progress;
use crate::select::Selection;
use crate::work::Stops;
use arch::Arch;
use lab::build::Builder;
use lab::check::{check_in, Checked, Manner, Verdict};
use lab::discover::Variant;
use lab::process::quoted;
use lab::{pool, Problem, Result};
use report::record::{CheckRecord, Common, Record};
use std::time::Duration;

/// Options of `check`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    /// The short form: the same checks on fewer lengths and offsets
    #[arg(long)]
    quick: bool,
    /// Give a variant up after this long (default: 600, with --quick 90, for one that is expected to fail 20)
    #[arg(long, value_name = "SECONDS", value_parser = crate::numbers::whole::<u64>(1..=86400))]
    timeout: Option<u64>,
    /// Stop behind this call of the variant, as a wrong verdict names it
    #[arg(long, value_name = "N", value_parser = crate::numbers::whole::<u64>(1..))]
    call: Option<u64>,
    /// Other random data than usual
    #[arg(long, value_name = "N", value_parser = crate::numbers::whole::<u64>(0..))]
    seed: Option<u64>,
}

/// How many checks came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Every case was right, or an announced failure was caught.
    pub right: usize,
    /// Wrong.
    pub wrong: usize,
    /// Could not be run here.
    pub skipped: usize,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let manner = Manner {
        quick: args.quick,
        timeout: args.timeout.map(Duration::from_secs),
        seed: args.seed,
        call: args.call,
    };
    let tally = check_selection_in(context, &args.selection, manner)?;
    if tally.skipped > 0 && tally.right + tally.wrong == 0 {
        return Err(Problem::new("nothing was checked: all was skipped, for the reasons above")
            .remedy("choose another variant or architecture; ./assay doctor tells what is missing here"));
    }
    Ok(if tally.wrong == 0 { Outcome::Fine } else { Outcome::Failed })
}

/// Checks a selection in the usual manner, in its full or its short form.
pub fn check_selection(context: &Context, selection: &Selection, quick: bool) -> Result<Tally> {
    check_selection_in(context, selection, Manner { quick, ..Manner::default() })
}

/// Checks a selection; shows each verdict as it comes, and their numbers at the end.
fn check_selection_in(context: &Context, selection: &Selection, manner: Manner) -> Result<Tally> {
    // A user's file is judged alone, unless variants of ours are named, to be judged beside it.
    let selection = &selection.resolved(context)?;
    let beside = selection.words.len() > 1 && !selection.variants.is_empty();
    let variants = if beside { selection.competitors(context)? } else { selection.variants(context)? };
    let builder = Builder::new(&context.workspace, selection.compiler()?);
    let mut tally = Tally::default();
    let mut stops = Stops::default();
    // Verdicts are shown as they come; this shows that work goes on until the next one.
    let progress = Progress::of("checking", variants.len());
    pool::in_order(
        &variants,
        |variant| check_in(&context.workspace, &builder, variant, manner),
        |index, result| {
            progress.step();
            match result {
                Ok(checked) => {
                    match checked.verdict {
                        Verdict::Right { .. } | Verdict::Caught(_) => tally.right += 1,
                        Verdict::Wrong(_) => tally.wrong += 1,
                        Verdict::Skipped(_) => tally.skipped += 1,
                    }
                    let again = Again::of(selection, &variants[index], manner, &checked);
                    show(context, &variants[index], &checked, again.as_ref());
                }
                // The other variants are still checked.
                Err(problem) => {
                    stops.add(format!("{} on {}", variants[index].title(), variants[index].arch), problem)
                }
            }
        },
    );
    eprintln!("{} right, {} wrong, {} skipped", tally.right, tally.wrong, tally.skipped);
    stops.outcome().map(|()| tally)
}

/// How to repeat a wrong call.
pub struct Again {
    command: String,
    debugger: String,
}

impl Again {
    /// `None` if the variant is right, or failed before its first call.
    pub fn of(selection: &Selection, variant: &Variant, manner: Manner, checked: &Checked) -> Option<Again> {
        let repeat = checked.repeat.as_ref().filter(|_| checked.verdict.is_failure())?;
        let mut words = vec!["./assay".to_owned(), "check".to_owned()];
        words.extend(selection.words_of(variant));
        words.extend(manner.quick.then(|| "--quick".to_owned()));
        words.extend(manner.seed.map(|seed| format!("--seed={seed}")));
        words.push(format!("--call={}", repeat.call));
        let command = words.iter().map(|word| quoted(word.as_ref())).collect::<Vec<_>>().join(" ");
        Some(Again { command, debugger: repeat.debugger_line() })
    }
}

fn show(context: &Context, variant: &Variant, checked: &Checked, again: Option<&Again>) {
    if context.json {
        println!("{}", record(variant, checked, again).to_line());
        return;
    }
    let (word, detail, message) = match &checked.verdict {
        Verdict::Right { cases_count } => ("ok", format!("{cases_count} cases"), None),
        Verdict::Caught(text) => ("caught", String::new(), Some(text)),
        Verdict::Wrong(text) => ("WRONG", String::new(), Some(text)),
        Verdict::Skipped(reason) => ("skip", reason.clone(), None),
    };
    let seconds = checked.elapsed.as_secs_f64();
    println!(
        "{word:6} {:32} {:12} {:44} {detail}{}",
        variant.title(),
        variant.arch.name(),
        checked.engine,
        if seconds > 0.0 { format!("  {seconds:.1} s") } else { String::new() },
    );
    for line in message.map(String::as_str).unwrap_or_default().lines() {
        println!("         {line}");
    }
    if let Some(again) = again {
        println!("         again:  {}\n         in gdb: {}", again.command, again.debugger);
        if variant.arch == Arch::Loongarch64 && !checked.engine.is_empty() {
            println!("         (by a gdb that knows LoongArch: Debian 12's gdb-multiarch does not)");
        }
    }
}

/// The record of a check.
pub fn record(variant: &Variant, checked: &Checked, again: Option<&Again>) -> CheckRecord {
    let (ok, cases_count, failure) = match &checked.verdict {
        Verdict::Right { cases_count } => (Some(true), Some(*cases_count), None),
        Verdict::Caught(text) => (Some(true), None, Some(text.clone())),
        Verdict::Wrong(text) => (Some(false), None, Some(text.clone())),
        Verdict::Skipped(reason) => (None, None, Some(format!("skipped: {reason}"))),
    };
    let mut common = Common::new("check", &variant.hotpath.name, &variant.name, variant.arch.name());
    common.compiler = checked.compiler.clone();
    CheckRecord {
        common,
        engine: checked.engine.clone(),
        ok,
        cases_count,
        failure,
        again: again.map(|again| again.command.clone()),
        debugger: again.map(|again| again.debugger.clone()),
    }
}
