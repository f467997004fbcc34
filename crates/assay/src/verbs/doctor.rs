// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `doctor`: what is set up here, what is missing and how to get it, and what each claim is tested under.

use crate::context::{Context, Outcome};
use arch::Arch;
use lab::emulator::{qemu_engine, Engine};
use lab::target::{Qemu, Target};
use lab::toolchain::{linker, Compiler, CompilerKind};
use lab::{host, Problem, Result};

/// Options of `doctor`.
#[derive(clap::Args)]
pub struct Args {}

/// Runs the verb.
pub fn run(context: &Context, _: &Args) -> Result<Outcome> {
    let machine = host::machine();
    println!("machine   {} ({}), Linux {}", machine.processor, machine.identification, machine.kernel);
    println!("checkout  {}", context.workspace.root.display());
    println!("cache     {}\n", context.workspace.cache.display());
    let mut missing = 0;
    missing += tell("cache can be written", context.workspace.scratch("").map(|_| String::new()), true);
    missing += tell("linker", linker().map(|path| path.display().to_string()), true);
    for arch in Arch::ALL {
        let target = Target::of(arch);
        let clang = Compiler::of(CompilerKind::Clang, target).map(|compiler| compiler.version);
        missing += tell(&format!("{arch}: clang"), clang, true);
        if target.gcc.is_some() {
            let gcc = Compiler::of(CompilerKind::Gcc, target).map(|compiler| compiler.version);
            missing += tell(&format!("{arch}: gcc"), gcc, false);
        }
        missing += tell_qemus(context, target);
    }
    if missing == 0 {
        println!("\neverything that is needed is there");
        return Ok(Outcome::Fine);
    }
    println!("\n{missing} missing; ./setup installs what it can");
    Ok(Outcome::Failed)
}

fn tell_qemus(context: &Context, target: &'static Target) -> usize {
    let mut missing = 0;
    for requirement in target.requirements {
        let what = format!("{}: {}", target.arch, requirement.name);
        if requirement.qemu == Qemu::None {
            let flag = host::missing_flag(&[requirement]);
            let here = match (host::native_arch() == Some(target.arch), flag) {
                (true, None) => "no QEMU has it; this machine has".to_owned(),
                (true, Some(flag)) => format!("no QEMU has it; this machine has no {flag} either: skipped"),
                (false, _) => "no QEMU has it: skipped on this machine".to_owned(),
            };
            tell(&what, Ok(here), true);
        } else {
            let engine = qemu_engine(&context.workspace, target.arch, requirement.qemu, requirement.qemu_cpu);
            missing += tell(&what, engine.map(|engine: Engine| engine.describe()), true);
        }
    }
    missing
}

/// Prints a line and returns 1 if something needed is missing.
fn tell(what: &str, found: Result<String, Problem>, needed: bool) -> usize {
    match found {
        Ok(detail) => {
            println!("  ok       {what:26} {detail}");
            0
        }
        Err(problem) => {
            let word = if needed { "MISSING" } else { "optional" };
            println!("  {word:8} {what:26} {}", problem.what);
            if !problem.remedy.is_empty() {
                println!("  {:8} {:26} {}", "", "", problem.remedy);
            }
            usize::from(needed)
        }
    }
}
