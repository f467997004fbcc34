// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Whole programs of a study: one assembly or C file with a `main`, without a C library; `main` is recorded from entry
//! to return.

use crate::context::Context;
use crate::counting;
use crate::judge;
use arch::Arch;
use decode::Decoder;
use lab::elf::ElfFile;
use lab::emulator::qemu_engine;
use lab::process::{Command, Printing};
use lab::record::Recording;
use lab::target::{Qemu, Target};
use lab::toolchain::{linker, Compiler, CompilerKind};
use lab::{Problem, Result};
use predict::doubt::{self, ModelError};
use predict::draws;
use predict::trace_source::TraceSource;
use predict::{Cpu, Options};
use std::path::{Path, PathBuf};
use std::time::Duration;
use trace::Reader;

/// The longest study program executes 16 billion instructions, which takes a minute here and more elsewhere.
const TIMEOUT: Duration = Duration::from_secs(900);

/// Builds a program and records its `main`; a finished recording is kept in the cache.
pub fn record_main(context: &Context, arch: Arch, source: &Path) -> Result<PathBuf> {
    let workspace = &context.workspace;
    let target = Target::of(arch);
    let source = workspace.root.join(source);
    let text = lab::cache::read_text(&source)?;
    let compiler = Compiler::of(CompilerKind::Clang, target)?;
    let stem = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let tracer = lab::record::tracer_digest(workspace)?;
    let digest = lab::build::digest(&[&compiler.version, &text, &tracer]);
    let finished = workspace.folder("traces")?.join(format!("{stem}-{arch}-{digest}.trace"));
    if finished.is_file() {
        return Ok(finished);
    }
    let baseline = target.requirement(target.baseline).expect("a test holds that the baseline exists");
    let program = build(context, &compiler, baseline.cflags, &source)?;
    let elf = ElfFile::load(program.path())?;
    let main = elf.function("main").ok_or_else(|| Problem::new("has no main").at(source.display()))?;
    context.progress(&format!("recording {stem} ({arch}) under QEMU; kept for the next time"));
    let engine = qemu_engine(workspace, arch, Qemu::Packaged, baseline.qemu_cpu)?;
    let roi = format!("roi=main:{:#x}:{:#x}", main.address, main.local_entry);
    let recording = Recording {
        engine: &engine,
        emulator_arguments: &[],
        program: program.path(),
        arguments: &[],
        plugin_arguments: &[roi],
        timeout: TIMEOUT,
        printing: Printing::Kept,
    };
    recording.run(workspace)?.keep_as(&finished)
}

fn build(
    context: &Context,
    compiler: &Compiler,
    cflags: &[&str],
    source: &Path,
) -> Result<lab::cache::Scratch> {
    let object = context.workspace.scratch(".o")?;
    let program = context.workspace.scratch(".program")?;
    let compile = compiler.command().args(cflags).args(["-O2", "-ffreestanding", "-c"]).arg(source);
    let link =
        Command::new(linker()?).args(["-static", "-nostdlib", "-e", "_start", "-o"]).arg(program.path());
    for command in [compile.arg("-o").arg(object.path()), link.arg(object.path())] {
        let output = command.run_supplied()?;
        if !output.success() {
            return Err(Problem::new(format!("does not build: {}", output.head(8))).at(source.display()));
        }
    }
    Ok(program)
}

/// A whole trace, predicted.
pub struct Whole {
    /// Cycles from entry to return.
    pub cycles: f64,
    /// How much of it the cpu's file describes.
    pub coverage_percent: f64,
}

/// The prediction of a whole trace.
pub fn whole(trace: &Path, cpu: &Cpu) -> Result<Whole> {
    let failed = |error: &dyn std::fmt::Display| Problem::new(error.to_string());
    let mut source = TraceSource::open(trace).map_err(|error| failed(&error))?;
    let predictions =
        predict::predict(&mut source, &[cpu], &Options::default()).map_err(|error| failed(&error))?;
    let [one] = &predictions[..] else { unreachable!("one cpu") };
    Ok(Whole { cycles: one.cycles as f64, coverage_percent: one.coverage_percent })
}

/// The 90 % interval around `figure`, which is proportional to the cycles of `trace`, or to their ratio to the cycles
/// of `over`.
pub fn interval(trace: &Path, over: Option<&Path>, cpu: &Cpu, figure: f64) -> Result<[f64; 2]> {
    let draws = |trace: &Path| {
        draws::draws(&mut judge::opener(trace), cpu, &Options::default()).map_err(judge::failed)
    };
    let (error, own) = (ModelError::of(cpu), draws(trace)?);
    Ok(match over {
        None => doubt::interval(error, figure, &own, &[]),
        Some(over) => doubt::ratio_interval(error, figure, &own.over(&draws(over)?), [&[], &[]], [1.0, 1.0]),
    })
}

/// Instructions and branches of a whole trace.
pub fn counts(path: &Path) -> Result<(u64, u64)> {
    let failed = |error: trace::Error| Problem::new(error.to_string());
    let mut reader = Reader::open(path).map_err(failed)?;
    let mut decoder = Decoder::new(reader.header().arch).map_err(|error| Problem::new(error.to_string()))?;
    let executions = reader.executions().map_err(failed)?;
    let mut totals = (0, 0);
    for (block, times) in reader.blocks().iter().zip(executions) {
        totals.0 += block.instructions() as u64 * times;
        totals.1 += counting::branches(&mut decoder, block) * times;
    }
    Ok(totals)
}
