// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `doctor`: what is set up here, what is missing and how to get it, and what each claim is tested under.

use crate::context::{Context, Outcome};
use arch::Arch;
use lab::emulator::{qemu_engine, Engine};
use lab::target::{Qemu, Requirement, Target};
use lab::toolchain::{linker, Compiler, CompilerKind};
use lab::{host, Problem, Result};
use report::record::Record;
use serde::Serialize;

/// Options of `doctor`.
#[derive(clap::Args)]
pub struct Args {}

/// One thing that was looked for. Kind `doctor`.
#[derive(Serialize)]
struct Finding {
    kind: &'static str,
    /// The architecture that it is for; absent where it is for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    arch: Option<&'static str>,
    what: String,
    state: State,
    /// What was found, or what is wrong.
    detail: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    remedy: String,
    assay_version: &'static str,
}

/// How a finding came out.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// It is there.
    Ok,
    /// It is missing, but only a second compiler is lost.
    Optional,
    /// It is missing and cannot be had on this machine: what needs it is skipped.
    Skipped,
    /// It is missing and needed.
    Missing,
}

/// Runs the verb.
pub fn run(context: &Context, _: &Args) -> Result<Outcome> {
    let findings = findings(context);
    let missing = findings.iter().filter(|finding| finding.state == State::Missing).count();
    if context.json {
        findings.iter().for_each(|finding| println!("{}", finding.to_line()));
    } else {
        show(context, &findings);
        match missing {
            0 => println!("\neverything that is needed is there"),
            count => println!("\n{count} missing; ./setup installs what it can"),
        }
    }
    Ok(if missing == 0 { Outcome::Fine } else { Outcome::Failed })
}

fn findings(context: &Context) -> Vec<Finding> {
    let cache = &context.workspace.cache;
    let writable = context.workspace.scratch("").map(|_| cache.display().to_string());
    let mut findings = vec![
        found(None, "cache can be written", writable, State::Missing),
        found(None, "linker", linker().map(|path| path.display().to_string()), State::Missing),
    ];
    for arch in Arch::ALL {
        let target = Target::of(arch);
        let version = |kind| Compiler::of(kind, target).map(|compiler| compiler.version);
        findings.push(found(Some(arch), "clang", version(CompilerKind::Clang), State::Missing));
        let unavailable = Compiler::missing_for(CompilerKind::Gcc, target).is_some();
        let without = if unavailable { State::Skipped } else { State::Optional };
        findings.push(found(Some(arch), "gcc", version(CompilerKind::Gcc), without));
        findings.extend(target.requirements.iter().map(|requirement| engine_for(context, arch, requirement)));
    }
    findings
}

/// The engine that a claim is tested under.
fn engine_for(context: &Context, arch: Arch, requirement: &'static Requirement) -> Finding {
    if requirement.qemu != Qemu::None {
        let engine = qemu_engine(&context.workspace, arch, requirement.qemu, requirement.qemu_cpu);
        return found(
            Some(arch),
            requirement.name,
            engine.map(|engine: Engine| engine.describe()),
            State::Missing,
        );
    }
    let here = match (host::native_arch() == Some(arch), host::missing_flag(&[requirement])) {
        (true, None) => Ok("no QEMU has it; this machine has".to_owned()),
        (true, Some(flag)) => {
            Err(Problem::new(format!("no QEMU has it, and this machine's processor has no {flag}")))
        }
        (false, _) => Err(Problem::new("no QEMU has it, and this machine is of another architecture")),
    };
    found(Some(arch), requirement.name, here, State::Skipped)
}

fn found(arch: Option<Arch>, what: &str, result: Result<String>, without: State) -> Finding {
    let (state, detail, remedy) = match result {
        Ok(detail) => (State::Ok, detail, String::new()),
        Err(problem) => (without, problem.what, problem.remedy),
    };
    Finding {
        kind: "doctor",
        arch: arch.map(Arch::name),
        what: what.to_owned(),
        state,
        detail,
        remedy,
        assay_version: env!("CARGO_PKG_VERSION"),
    }
}

fn show(context: &Context, findings: &[Finding]) {
    let machine = host::machine();
    println!("machine   {} ({}), Linux {}", machine.processor, machine.identification, machine.kernel);
    println!("checkout  {}", context.workspace.root.display());
    println!("cache     {}\n", context.workspace.cache.display());
    for finding in findings {
        let word = match finding.state {
            State::Ok => "ok",
            State::Optional => "optional",
            State::Skipped => "skipped",
            State::Missing => "MISSING",
        };
        let what = match finding.arch {
            Some(arch) => format!("{arch}: {}", finding.what),
            None => finding.what.clone(),
        };
        println!("  {word:8} {what:26} {}", finding.detail);
        if !finding.remedy.is_empty() {
            println!("  {:8} {:26} {}", "", "", finding.remedy);
        }
    }
}
