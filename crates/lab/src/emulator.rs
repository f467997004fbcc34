// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Choosing what runs a program: which QEMU under which `-cpu`, or the machine itself.

use crate::cache::Workspace;
use crate::discover::Variant;
use crate::host;
use crate::problem::{Problem, Result};
use crate::process::{Command, Limits};
use crate::target::{Qemu, Requirement, Target};
use crate::toolchain::find_program;
use arch::Arch;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The oldest QEMU whose plugins and CPUs we rely on.
const QEMU_OLDEST: (u32, u32) = (7, 2);

/// A runner maps tens of megabytes and writes no file; QEMU takes a gigabyte for the code that it makes.
const RUNNER_LIMITS: Limits = Limits { memory_bytes: 3 << 30, file_bytes: 1 << 20 };

/// What runs a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The machine itself.
    Native,
    /// QEMU's user mode.
    Qemu {
        /// The program.
        program: PathBuf,
        /// `-cpu`.
        cpu: String,
        /// Its version, as in `7.2.22`.
        version: String,
    },
}

impl Engine {
    /// For records and lists: `native` or `qemu-ppc64 7.2.22 -cpu power8`.
    pub fn describe(&self) -> String {
        match self {
            Engine::Native => "native".to_owned(),
            Engine::Qemu { program, cpu, version } => {
                let name = program.file_name().unwrap_or_default().to_string_lossy();
                format!("{name} {version} -cpu {cpu}")
            }
        }
    }

    /// A command that runs `program`, which starts no other one, on this engine.
    pub fn command(&self, program: &Path) -> Command {
        let command = match self {
            Engine::Native => Command::new(program),
            Engine::Qemu { program: qemu, cpu, .. } => Command::new(qemu).args(["-cpu", cpu]).arg(program),
        };
        command.limits(RUNNER_LIMITS).alone()
    }
}

/// Why a variant cannot be run here at all; a skip with this reason is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotRun(pub String);

/// The engine that puts a variant's claim to the test: the oldest `-cpu` that it claims, or the machine itself
/// where no QEMU has the instructions.
pub fn for_check(workspace: &Workspace, variant: &Variant) -> Result<Result<Engine, CannotRun>> {
    variant.in_order()?;
    match needed_qemu(&variant.requirements) {
        Qemu::None => Ok(native_for(variant)),
        which => qemu_engine(workspace, variant.arch, which, &qemu_cpu(&variant.requirements)).map(Ok),
    }
}

/// The further engines on which a dispatcher is put to the test: one for each claim of the variants that it may call,
/// because on each it has to choose another one.
pub fn for_dispatch(workspace: &Workspace, variant: &Variant) -> Result<Vec<Result<Engine, CannotRun>>> {
    let mut claims: Vec<&'static Requirement> =
        variant.needs.iter().flat_map(|need| need.claims.clone()).collect();
    claims.sort_by_key(|claim| claim.name);
    claims.dedup_by_key(|claim| claim.name);
    let mut engines = Vec::new();
    for claim in claims {
        let engine = match claim.qemu {
            Qemu::None => native_with(variant.arch, &[claim]),
            which => Ok(qemu_engine(workspace, variant.arch, which, claim.qemu_cpu)?),
        };
        if !engines.contains(&engine) {
            engines.push(engine);
        }
    }
    Ok(engines)
}

/// The engine under which a variant can be traced: always a QEMU.
pub fn for_trace(workspace: &Workspace, variant: &Variant) -> Result<Result<Engine, CannotRun>> {
    variant.in_order()?;
    match needed_qemu(&variant.requirements) {
        Qemu::None => Ok(Err(CannotRun(format!("no QEMU has {}: measured natively only", variant.claims())))),
        which => qemu_engine(workspace, variant.arch, which, &qemu_cpu(&variant.requirements)).map(Ok),
    }
}

/// The same for a cpu, whose claims `has` tells. A dispatcher chooses by the machine that it runs on, so it is traced on a
/// machine that has the same of the features it asks for as the cpu.
pub fn for_trace_on(
    workspace: &Workspace,
    variant: &Variant,
    has: impl Fn(&str) -> bool,
) -> Result<Result<Engine, CannotRun>> {
    if variant.needs.is_empty() {
        return for_trace(workspace, variant);
    }
    variant.in_order()?;
    let asked = |claim: &&Requirement| {
        let among = |claims: &[&Requirement]| claims.iter().any(|known| known.name == claim.name);
        among(&variant.requirements)
            || has(claim.name) && variant.needs.iter().any(|need| among(&need.claims))
    };
    let claims: Vec<&'static Requirement> =
        Target::of(variant.arch).requirements.iter().filter(asked).collect();
    match claims.iter().find(|claim| claim.qemu == Qemu::None) {
        Some(claim) => Ok(Err(CannotRun(format!(
            "the cpu has {}, which no QEMU has: the dispatcher cannot be traced on the way that it takes there",
            claim.name
        )))),
        None => qemu_engine(workspace, variant.arch, needed_qemu(&claims), &qemu_cpu(&claims)).map(Ok),
    }
}

/// The QEMU for a program that claims nothing: with the newest `-cpu` of its architecture, if none is named.
pub fn for_program(workspace: &Workspace, arch: Arch, cpu: Option<&str>) -> Result<Engine> {
    let mut newest_first = Target::of(arch).requirements.iter().rev();
    let newest = newest_first
        .find(|requirement| requirement.qemu != Qemu::None)
        .expect("every target has a baseline that QEMU runs");
    let newest_cpu = match arch {
        // No CPU model has all that QEMU emulates, and the newest models have features that it does not emulate.
        Arch::X86_64 => "max",
        // QEMU 7.2 does not tell where SVE loads and stores, and the C library chooses it for copying where it can.
        Arch::Aarch64 => "max,sve=off",
        // A claim's `-cpu` is without the extensions that it does not name.
        Arch::Riscv64 => "rv64,v=true,vext_spec=v1.0",
        _ => newest.qemu_cpu,
    };
    qemu_engine(workspace, arch, newest.qemu, cpu.unwrap_or(newest_cpu))
}

/// The machine itself, if it can run the variant.
pub fn native_for(variant: &Variant) -> Result<Engine, CannotRun> {
    native_with(variant.arch, &variant.requirements)
}

fn native_with(arch: Arch, requirements: &[&'static Requirement]) -> Result<Engine, CannotRun> {
    if host::native_arch() != Some(arch) {
        return Err(CannotRun(format!("this machine is no {arch}")));
    }
    match host::missing_flag(requirements) {
        Some(flag) => Err(CannotRun(format!("this machine's processor has no {flag}"))),
        None => Ok(Engine::Native),
    }
}

fn needed_qemu(requirements: &[&'static Requirement]) -> Qemu {
    requirements.iter().map(|requirement| requirement.qemu).max().unwrap_or(Qemu::Packaged)
}

/// The last claim's `-cpu`, with the properties that the others turn on: QEMU takes the last of several values of one.
fn qemu_cpu(requirements: &[&'static Requirement]) -> String {
    let Some((last, others)) = requirements.split_last() else { return String::new() };
    let properties = others.iter().flat_map(|other| other.qemu_cpu.split(','));
    let turned_on = properties.filter(|property| property.ends_with("=true"));
    std::iter::once(last.qemu_cpu).chain(turned_on).collect::<Vec<_>>().join(",")
}

/// A QEMU for any program of an architecture, with a chosen `-cpu`; the built one if it is asked for.
pub fn qemu_engine(workspace: &Workspace, arch: Arch, which: Qemu, cpu: &str) -> Result<Engine> {
    let target = Target::of(arch);
    let program = match which {
        Qemu::Built => {
            let built = workspace.cache.join("qemu-10/bin").join(target.qemu_program);
            if !built.is_file() {
                return Err(Problem::new(format!(
                    "the QEMU 10 that runs LSX and LASX on {arch} is not built"
                ))
                .at(workspace.display(&built))
                .remedy("run ./setup, which builds it in a few minutes"));
            }
            built
        }
        _ => find_program(target.qemu_program).ok_or_else(|| {
            Problem::new(format!("the program '{}' is missing", target.qemu_program))
                .remedy("run ./setup, or install the Debian package qemu-user")
        })?,
    };
    let version = qemu_version(&program)?;
    Ok(Engine::Qemu { program, cpu: cpu.to_owned(), version })
}

/// A QEMU's version, refused when it is older than what we rely on; asked once per program.
fn qemu_version(program: &Path) -> Result<String> {
    static KNOWN: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());
    if let Some(version) = KNOWN.lock().expect("no panic holds it").get(program) {
        return Ok(version.clone());
    }
    let output = Command::new(program).arg("--version").run_supplied()?;
    let version = parse_version(&output.stdout).ok_or_else(|| {
        Problem::new("does not tell its version as QEMU does").at(program.display()).remedy("run ./setup")
    })?;
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let number = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if number < QEMU_OLDEST {
        return Err(Problem::new(format!(
            "QEMU {version} is too old: {}.{} is needed",
            QEMU_OLDEST.0, QEMU_OLDEST.1
        ))
        .at(program.display())
        .remedy("run ./setup, or put a newer qemu-user first in PATH"));
    }
    KNOWN.lock().expect("no panic holds it").insert(program.to_path_buf(), version.clone());
    Ok(version)
}

fn parse_version(text: &str) -> Option<String> {
    let rest = text.split("version ").nth(1)?;
    let version: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    version.contains('.').then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_of_two_extensions_need_a_cpu_with_both() {
        let cpu = |arch, names: &[&str]| {
            let claim = |name: &&str| Target::of(arch).requirement(name).expect("it is known");
            qemu_cpu(&names.iter().map(claim).collect::<Vec<_>>())
        };
        let rvv = cpu(Arch::Riscv64, &["rvv"]);
        assert!(rvv.contains("zbb=false") && !rvv.contains("zbb=true"), "{rvv}");
        assert_eq!(cpu(Arch::Riscv64, &["zbb", "rvv"]), format!("{rvv},zbb=true"));
        assert_eq!(cpu(Arch::Loongarch64, &["la64", "lsx", "lasx"]), "la464");
    }

    #[test]
    fn versions_are_read_from_what_qemu_prints() {
        let text = "qemu-ppc64 version 7.2.22 (Debian 1:7.2+dfsg-7)\nCopyright\n";
        assert_eq!(parse_version(text).as_deref(), Some("7.2.22"));
        assert_eq!(parse_version("something else"), None);
    }
}
