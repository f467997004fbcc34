// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The program of whole routines of published crates (`crates/native/routines`): built by cargo when it is wanted, run, and
//! recorded.

use crate::cache::{read_text, Scratch, Workspace};
use crate::elf::ElfFile;
use crate::emulator::Engine;
use crate::problem::{Problem, Result};
use crate::process::{Command, Ending, Output, Printing};
use crate::record::Recording;
use crate::toolchain::require_program;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// The program's sources in the checkout.
const FOLDER: &str = "crates/native/routines";
/// What it is built for. Named, so that the flags are not for what cargo runs while it builds.
const TARGET: &str = "x86_64-unknown-linux-gnu";
/// On a slow network, the crates have to be fetched first.
const BUILD_TIMEOUT: Duration = Duration::from_secs(1800);
/// A run takes milliseconds, and some hundred of them under QEMU.
const RUN_TIMEOUT: Duration = Duration::from_secs(60);

/// Flags of rustc, one a line: a static program, which is at the same addresses wherever it runs, and no crate that asks what the
/// machine has.
const FLAGS: &str = include_str!("../../native/routines/rustflags");

/// The program.
pub struct Program {
    path: PathBuf,
    elf: ElfFile,
}

/// A routine that the program has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routine {
    /// By which the program knows it.
    pub name: String,
    /// What it is one of: `hash`.
    pub kind: String,
}

/// Where it is once it is built.
pub fn place(workspace: &Workspace) -> PathBuf {
    workspace.cache.join("routines").join(TARGET).join("release/routines")
}

/// The routines, as the sources list them: what needs no program. Errors: the sources cannot be read.
pub fn listed(workspace: &Workspace) -> Result<Vec<Routine>> {
    let folder = workspace.root.join(FOLDER).join("src");
    let entries = fs::read_dir(&folder).map_err(|error| Problem::io("read the folder", &folder, &error))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut routines = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "rs")) {
        routines.extend(listed_in(&read_text(file)?));
    }
    Ok(routines)
}

/// Those of a file: `roi_NAME(` at the beginning of a line in `routines! { "KIND"`.
fn listed_in(text: &str) -> Vec<Routine> {
    let Some((_, list)) = text.split_once("\nroutines! { \"") else { return Vec::new() };
    let Some((kind, list)) = list.split_once('"') else { return Vec::new() };
    let name = |line: &str| Some(line.trim_start().strip_prefix("roi_")?.split_once('(')?.0.to_owned());
    list.lines().filter_map(name).map(|name| Routine { name, kind: kind.to_owned() }).collect()
}

impl Program {
    /// Builds the program if its sources have changed. Cargo fetches the crates.
    pub fn build(workspace: &Workspace) -> Result<Program> {
        let target = workspace.folder("routines")?;
        let _lock = workspace.lock("routines")?;
        let output = Command::new(require_program("cargo", "cargo-web")?)
            .args(["build", "--quiet", "--release", "--locked", "--target", TARGET])
            .folder(&workspace.root.join(FOLDER))
            .env("CARGO_TARGET_DIR", target)
            // Takes the place of all other flags, those of the user's among them.
            .env("CARGO_ENCODED_RUSTFLAGS", FLAGS.trim_end().replace('\n', "\x1f"))
            .timeout(BUILD_TIMEOUT)
            .run_supplied()?;
        if !output.success() {
            return Err(Problem::new(format!("the routines do not build:\n{}", output.tail(12)))
                .at(FOLDER)
                .remedy("if crates could not be fetched, see that the network reaches their registry"));
        }
        let path = place(workspace);
        let elf = ElfFile::load(&path)?;
        Ok(Program { path, elf })
    }

    /// The routines, in the program's order.
    pub fn routines(&self) -> Result<Vec<Routine>> {
        let output = self.run("list", Command::new(&self.path))?;
        let routine = |line: &str| {
            let (name, kind) = line.split_once(' ')?;
            Some(Routine { name: name.to_owned(), kind: kind.to_owned() })
        };
        Ok(output.stdout.lines().filter_map(routine).collect())
    }

    /// What a process prints that calls a routine on this machine.
    pub fn call(&self, name: &str) -> Result<String> {
        Ok(self.run(name, Engine::Native.command(&self.path))?.stdout)
    }

    fn run(&self, word: &str, command: Command) -> Result<Output> {
        let output = command.arg(word).timeout(RUN_TIMEOUT).run_supplied()?;
        match output.success() {
            true => Ok(output),
            false => Err(self.failed(word, &format!("{}: {}", output.ending, output.tail(4)))),
        }
    }

    fn failed(&self, word: &str, how: &str) -> Problem {
        let path = self.path.display();
        Problem::new(format!("'{word}' {how}")).at(&path).remedy(format!("see what it says: {path} {word}"))
    }

    /// Records the same calls under QEMU: the trace, and what the process printed.
    pub fn record(&self, workspace: &Workspace, name: &str, engine: &Engine) -> Result<(Scratch, String)> {
        let symbol = format!("roi_{name}");
        let function = self
            .elf
            .function(&symbol)
            .ok_or_else(|| self.failed(name, &format!("has no function '{symbol}'")))?;
        let recording = Recording {
            engine,
            emulator_arguments: &[],
            program: &self.path,
            arguments: &[name.to_owned()],
            plugin_arguments: &[format!("roi={symbol}:{:#x}:{:#x}", function.address, function.local_entry)],
            timeout: RUN_TIMEOUT,
            printing: Printing::Kept,
        };
        let recorded = recording.run_foreign(workspace)?;
        match (recorded.ending, recorded.trace) {
            (Ending::Exited(0), Some(trace)) => Ok((trace, recorded.printed)),
            (ending, _) => Err(self.failed(name, &format!("under QEMU: {ending}"))),
        }
    }
}
