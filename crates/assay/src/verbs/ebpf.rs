// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `ebpf`: programs for the library in libs/ebpf: run them here or under QEMU, inspect them and the code that is generated
//! for them, and run the public conformance suite on the library's engines. docs/ebpf.md is the manual.

pub mod conformance;
mod emit;
mod input;
mod inspect;
mod machine;
mod plugin;
mod run;
mod stats;

use crate::context::{Context, Outcome};
use crate::select::{Cases, Selection};
use crate::verbs::compare_ebpf;
use lab::Result;

/// What `ebpf` does.
#[derive(clap::Subcommand)]
pub enum Action {
    /// Run a program: interpreted or compiled, on this machine or for another under QEMU
    Run(run::Args),
    /// The instructions, in the syntax of LLVM's BPF assembler
    Disassemble(inspect::DisassembleArgs),
    /// What the load-time verifier says; exit status 1 if it refuses a program
    Verify(inspect::VerifyArgs),
    /// Byte-order operations, how many of them an access can absorb, and the size of the code of each back end
    Stats(stats::Args),
    /// Machine code for any back end's architecture, as a listing or into a file
    Emit(emit::Args),
    /// The public conformance suite on every machine: interpreter and compiled code
    Conformance(conformance::Args),
    /// Build the program that speaks bpf_conformance's plugin protocol, and print where it is
    Plugin(plugin::Args),
    /// Packet programs: our code with and without merged swaps beside the sequences of Linux's JIT
    Compare(CompareArgs),
}

/// Options of `ebpf compare`.
#[derive(clap::Args)]
pub struct CompareArgs {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    cases: Cases,
    /// Predict for these CPUs (repeatable or separated by commas; default: power8,power9,power10)
    #[arg(short, long = "cpu", value_name = "CPU", value_delimiter = ',')]
    cpus: Vec<String>,
}

/// Runs the verb.
pub fn run(context: &Context, action: &Action) -> Result<Outcome> {
    match action {
        Action::Run(args) => run::run(context, args),
        Action::Disassemble(args) => inspect::disassemble(context, args),
        Action::Verify(args) => inspect::verify(context, args),
        Action::Stats(args) => stats::run(context, args),
        Action::Emit(args) => emit::run(context, args),
        Action::Conformance(args) => conformance::run(context, args),
        Action::Plugin(args) => plugin::run(context, args),
        Action::Compare(args) => compare(context, args),
    }
}

/// The same as `compare ebpf PROGRAM...`, whose selection begins with the word `ebpf`.
fn compare(context: &Context, args: &CompareArgs) -> Result<Outcome> {
    let mut selection = args.selection.clone();
    selection.words.insert(0, "ebpf".to_owned());
    compare_ebpf::run(context, &selection, &args.cases.cases, &args.cpus)
}
