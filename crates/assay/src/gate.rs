// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The quick check before anything is counted, predicted or measured: a variant that skips work is fast and wrong, and
//! its figures would be taken for a gain.
//!
//! A passing verdict is kept in the cache under the name of the runner, which has the hash of all its inputs. Within a
//! run each runner is checked at most once.

use crate::context::Context;
use lab::build::{digest, Builder, Runner};
use lab::check::{check_in, engines, Manner, Verdict};
use lab::discover::Variant;
use lab::emulator::Engine;
use lab::{Problem, Result};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

/// One verdict: the first thread that asks runs the check while the others wait.
type Cell = Arc<OnceLock<Result<()>>>;

/// Passes only variants that the quick check finds right.
#[derive(Default)]
pub struct Gate {
    /// Passes all variants unchecked.
    pub open: bool,
    known: Mutex<BTreeMap<PathBuf, Cell>>,
}

impl Gate {
    /// Fails with the check's message if the variant is wrong. A variant that cannot be run here for a check passes:
    /// its claims decide later whether it can be judged at all.
    pub fn pass(
        &self,
        context: &Context,
        builder: &Builder,
        variant: &Variant,
        runner: &Runner,
    ) -> Result<()> {
        if self.open || variant.reference {
            return Ok(());
        }
        let cell =
            self.known.lock().expect("no panic holds it").entry(runner.path.clone()).or_default().clone();
        cell.get_or_init(|| find_out(context, builder, variant, runner)).clone()
    }
}

fn find_out(context: &Context, builder: &Builder, variant: &Variant, runner: &Runner) -> Result<()> {
    let name = runner.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // The verdict depends on the QEMUs and the cpus that the check runs on, so these are part of the key.
    let (engines, _) = engines(&context.workspace, variant)?;
    let engines: Vec<String> = engines.iter().map(Engine::describe).collect();
    let key = digest(&[&name, &engines.join("; "), env!("CARGO_PKG_VERSION")]);
    let kept = context.workspace.folder("checked")?.join(key);
    if kept.is_file() {
        return Ok(());
    }
    let checked =
        check_in(&context.workspace, builder, variant, Manner { quick: true, ..Manner::default() })?;
    match checked.verdict {
        Verdict::Right { .. } => {
            let scratch = context.workspace.scratch("")?;
            std::fs::write(scratch.path(), b"")
                .map_err(|error| Problem::io("write the verdict", scratch.path(), &error))?;
            scratch.keep_as(&kept).map(drop)
        }
        Verdict::Skipped(_) => Ok(()),
        Verdict::Wrong(text) | Verdict::Caught(text) => {
            let first = text.lines().next().unwrap_or_default().to_owned();
            Err(Problem::new(format!("is wrong, so its figures would mean nothing: {first}"))
                .remedy("./assay check tells how to repeat it; --unchecked takes it as it is")
                .of_variant())
        }
    }
}
