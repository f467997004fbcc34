// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `prove`: is a variant right for all inputs? The machine code of a straight-line variant, as linked into its runner, is
//! turned into a formula and given to an SMT solver together with the contract of its hot path.

use crate::context::{Context, Outcome};
use crate::judge::Judge;
use crate::progress::in_order;
use crate::select::Selection;
use lab::discover::Variant;
use lab::hotpath::HotPath;
use lab::{Problem, Result};
use prove::{Contract, Counterexample, Verdict};
use report::record::{Common, Record};
use serde::Serialize;
use std::collections::BTreeMap;

/// Options of `prove`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
}

/// The verdict on one variant. Kind `prove`.
#[derive(Serialize)]
struct ProveRecord {
    #[serde(flatten)]
    common: Common,
    /// `proved`, `counterexample` or `cannot`.
    verdict: &'static str,
    /// Instructions from entry to return.
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<CounterexampleRecord>,
    /// Why there is no proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Numbers of up to 128 bits, in hex.
#[derive(Serialize)]
struct CounterexampleRecord {
    what: String,
    inputs: BTreeMap<String, String>,
    got: String,
    want: String,
}

#[derive(Default)]
struct Counts {
    proved: usize,
    refuted: usize,
    cannot: usize,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let variants = provable(context, &args.selection)?;
    let judge = Judge::new(context, args.selection.compiler()?).unchecked(true);
    let mut counts = Counts::default();
    let mut stopped = None;
    in_order(
        "proving",
        &variants,
        |(variant, contract)| prove_one(&judge, variant, *contract),
        |index, result| match result {
            Ok((verdict, compiler)) => {
                match &verdict {
                    Verdict::Proved { .. } => counts.proved += 1,
                    Verdict::Refuted(_) => counts.refuted += 1,
                    Verdict::Cannot(_) => counts.cannot += 1,
                }
                show(context, &variants[index].0, &compiler, &verdict);
            }
            Err(problem) => {
                let variant = &variants[index].0;
                if stopped.is_none() {
                    stopped = Some(problem.at(format!("{} {}", variant.title(), variant.arch)));
                }
            }
        },
    );
    if let Some(problem) = stopped {
        return Err(problem);
    }
    eprintln!("{} proved, {} refuted, {} cannot be proved", counts.proved, counts.refuted, counts.cannot);
    Ok(if counts.refuted == 0 { Outcome::Fine } else { Outcome::Failed })
}

/// The selected variants of hot paths that have a contract.
fn provable(context: &Context, selection: &Selection) -> Result<Vec<(Variant, Contract)>> {
    let hotpaths = selection.hotpaths(context)?;
    let has_contract = |hotpath: &HotPath| Contract::of_symbol(&hotpath.symbol).is_some();
    let without: Vec<&str> = hotpaths
        .iter()
        .filter(|hotpath| !has_contract(hotpath))
        .map(|hotpath| hotpath.name.as_str())
        .collect();
    if without.len() == hotpaths.len() {
        return Err(Problem::new(format!("there is no contract to prove for {}", without.join(", ")))
            .remedy("contracts exist for swap, load_swap and store_swap of 16, 32 and 64 bits; ./assay check runs the rest"));
    }
    // If words select the hot paths, those left out are named. Without words everything is selected, and nobody expects all
    // of it to be provable.
    if !without.is_empty() && !selection.words.is_empty() {
        eprintln!("without a contract, left out: {}", without.join(" "));
    }
    let variants = selection.variants(context)?.into_iter();
    let chosen: Vec<(Variant, Contract)> = variants
        .filter_map(|variant| {
            Contract::of_symbol(&variant.hotpath.symbol).map(|contract| (variant, contract))
        })
        .collect();
    if chosen.is_empty() {
        return Err(Problem::new("none of these variants belongs to a hot path with a contract to prove")
            .remedy("./assay list byteswap shows those that do"));
    }
    Ok(chosen)
}

/// The verdict, and the compiler whose output was judged.
fn prove_one(judge: &Judge, variant: &Variant, contract: Contract) -> Result<(Verdict, String)> {
    let runner = judge.runner(variant)?;
    let program =
        std::fs::read(&runner.path).map_err(|error| Problem::io("read the runner", &runner.path, &error))?;
    let verdict = prove::prove(variant.arch, &program, &variant.hotpath.symbol, contract).map_err(
        |error| match error {
            prove::Error::NoSolver(_) => {
                Problem::new(error.to_string()).remedy("run ./setup, or: apt-get install z3")
            }
            _ => Problem::new(error.to_string()),
        },
    )?;
    Ok((verdict, runner.compiler))
}

fn show(context: &Context, variant: &Variant, compiler: &str, verdict: &Verdict) {
    if context.json {
        println!("{}", record(variant, compiler, verdict).to_line());
        return;
    }
    let (word, detail) = match verdict {
        Verdict::Proved { instructions: 1 } => ("proved", "1 instruction".to_owned()),
        Verdict::Proved { instructions } => ("proved", format!("{instructions} instructions")),
        Verdict::Refuted(example) => ("WRONG", example.to_string()),
        Verdict::Cannot(reason) => ("cannot", reason.clone()),
    };
    println!("{word:6} {:32} {:12} {detail}", variant.title(), variant.arch.name());
}

fn record(variant: &Variant, compiler: &str, verdict: &Verdict) -> ProveRecord {
    let mut common = Common::new("prove", &variant.hotpath.name, &variant.name, variant.arch.name());
    common.compiler = compiler.to_owned();
    let mut record =
        ProveRecord { common, verdict: "proved", instructions: None, counterexample: None, reason: None };
    match verdict {
        Verdict::Proved { instructions } => record.instructions = Some(*instructions),
        Verdict::Refuted(example) => {
            record.verdict = "counterexample";
            record.counterexample = Some(counterexample(example));
        }
        Verdict::Cannot(reason) => {
            record.verdict = "cannot";
            record.reason = Some(reason.clone());
        }
    }
    record
}

fn counterexample(example: &Counterexample) -> CounterexampleRecord {
    CounterexampleRecord {
        what: example.what.clone(),
        inputs: example.inputs.iter().map(|(name, value)| (name.clone(), format!("{value:#x}"))).collect(),
        got: format!("{:#x}", example.got),
        want: format!("{:#x}", example.want),
    }
}
