// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Compilers and the linker. The version that was used stands in every record and in every cache key.

use crate::problem::{Problem, Result};
use crate::process::Command;
use crate::target::Target;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::OnceLock;

/// Which compiler builds the variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompilerKind {
    /// clang 19, for every architecture.
    Clang,
    /// Debian's gcc or cross gcc, where there is one.
    Gcc,
}

impl FromStr for CompilerKind {
    type Err = Problem;

    fn from_str(name: &str) -> Result<CompilerKind> {
        match name {
            "clang" => Ok(CompilerKind::Clang),
            "gcc" => Ok(CompilerKind::Gcc),
            _ => Err(Problem::new(format!("unknown compiler '{name}'")).remedy("choose clang or gcc")),
        }
    }
}

/// A compiler for one target, ready to be called.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The program.
    pub program: PathBuf,
    /// The flags that choose the target and hold for every file.
    pub target_flags: Vec<String>,
    /// For records: `clang 19.1.7` or `powerpc64le-linux-gnu-gcc 12.2.0`.
    pub version: String,
}

/// Looks a program up in `$PATH`.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|candidate| candidate.is_file())
}

/// A program that must be there, with the Debian package that brings it.
pub fn require_program(name: &str, package: &str) -> Result<PathBuf> {
    find_program(name).ok_or_else(|| {
        Problem::new(format!("the program '{name}' is missing"))
            .remedy(format!("run ./setup, or install the Debian package {package}"))
    })
}

impl Compiler {
    /// The compiler of this kind for a target.
    pub fn of(kind: CompilerKind, target: &'static Target) -> Result<Compiler> {
        match kind {
            CompilerKind::Clang => Self::clang(target),
            CompilerKind::Gcc => Self::gcc(target),
        }
    }

    /// Why there is no such compiler for a target, if there is none to be had.
    pub fn missing_for(kind: CompilerKind, target: &'static Target) -> Option<String> {
        let missing = kind == CompilerKind::Gcc && target.gcc.is_none();
        missing.then(|| format!("Debian 12 has no gcc for {}", target.arch))
    }

    fn clang(target: &'static Target) -> Result<Compiler> {
        static VERSION: OnceLock<Result<String>> = OnceLock::new();
        let program = require_program("clang-19", "clang-19")?;
        let version = VERSION.get_or_init(|| dumped_version(&program)).clone()?;
        // clang would read the headers of the machine's C library, perhaps for another architecture, so that a file might compile on
        // one machine and not on another.
        let mut flags = vec![format!("--target={}", target.triple), "-nostdlibinc".to_owned()];
        flags.extend(target.cflags.iter().map(|flag| flag.to_string()));
        Ok(Compiler { program, target_flags: flags, version: format!("clang {version}") })
    }

    fn gcc(target: &'static Target) -> Result<Compiler> {
        let (name, extra) = target.gcc.ok_or_else(|| {
            Problem::new(Self::missing_for(CompilerKind::Gcc, target).unwrap_or_default())
                .remedy("leave out --compiler, or choose --compiler clang")
        })?;
        let program = require_program(name, &format!("gcc-{}", name.trim_end_matches("-gcc")))?;
        let version = dumped_version(&program)?;
        let flags = target.cflags.iter().chain(extra).map(|flag| flag.to_string()).collect();
        Ok(Compiler { program, target_flags: flags, version: format!("{name} {version}") })
    }

    /// A command that has the target's flags already.
    pub fn command(&self) -> Command {
        Command::new(&self.program).args(&self.target_flags).bare_environment()
    }
}

fn dumped_version(program: &Path) -> Result<String> {
    let command = Command::new(program).args(["-dumpfullversion", "-dumpversion"]).bare_environment();
    let output = command.run_supplied()?;
    let version = output.stdout.lines().next().unwrap_or_default().trim().to_owned();
    if !output.success() || version.is_empty() {
        return Err(Problem::new("does not tell its version").at(program.display()).remedy("run ./setup"));
    }
    Ok(version)
}

/// The linker: lld, for every architecture.
pub fn linker() -> Result<PathBuf> {
    require_program("ld.lld-19", "lld-19")
}
