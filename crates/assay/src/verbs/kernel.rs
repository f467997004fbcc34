// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `kernel`: judges code inside Linux itself, which is built with patches and booted under QEMU with a workload.
//! docs/kernel.md is the manual.

mod build;
mod compare;
mod run;
mod switches;
mod test;
mod trace;
mod tracing;

use crate::context::{Context, Outcome};
use lab::Result;

/// What `kernel` does.
#[derive(clap::Subcommand)]
pub enum Action {
    /// Build a kernel, patched or not; of what was built before only what a patch changes is compiled
    Build(build::Args),
    /// Boot a kernel under QEMU, run a program in it, and tell how both ended
    Run(run::Args),
    /// Run the kernel's own tests and ours in a booted kernel, patched or not
    Test(test::Args),
    /// Record what a function of a running kernel executes, for count, predict and explain
    Trace(trace::Args),
    /// A patch's table: instructions, accesses and predicted cycles of a function before and after
    Compare(compare::Args),
    /// The ping-pong of the 2016 thread in the kernel, its eight rows, with a patch and without, beside what was published
    Switches(switches::Args),
}

impl Action {
    /// What can be told of the options before anything is set up or built. Each action does so itself before it begins.
    pub fn look(&self, context: &Context) -> Result<()> {
        match self {
            Action::Build(args) => args.look().map(drop),
            Action::Run(args) => args.look().map(drop),
            Action::Test(args) => args.look().map(drop),
            Action::Trace(args) => args.look().map(drop),
            Action::Compare(args) => args.look(context).map(drop),
            Action::Switches(args) => args.look(context).map(drop),
        }
    }
}

/// Runs the verb.
pub fn run(context: &Context, action: &Action) -> Result<Outcome> {
    match action {
        Action::Build(args) => build::run(context, args),
        Action::Run(args) => run::run(context, args),
        Action::Test(args) => test::run(context, args),
        Action::Trace(args) => trace::run(context, args),
        Action::Compare(args) => compare::run(context, args),
        Action::Switches(args) => switches::run(context, args),
    }
}
