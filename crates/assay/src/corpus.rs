// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Prepares the code behind published figures for prediction: loops are assembled; routines are built unmodified, with a
//! driver of ours, into small static programs and recorded under QEMU. The figures are in `crates/predict/validation`.
//!
//! A recording is kept in the cache under a name that has a digest of all its inputs.

use crate::context::Context;
use arch::Arch;
use lab::cache::{read_text, Scratch};
use lab::elf::ElfFile;
use lab::emulator::qemu_engine;
use lab::output::Output;
use lab::process::{Command, Printing};
use lab::record::Recording;
use lab::target::{Requirement, Target};
use lab::toolchain::{linker, require_program, Compiler, CompilerKind};
use lab::{Problem, Result};
use object::{Object, ObjectSection};
use predict::figures::{Figure, Program};
use predict::validate::{Recorded, Workshop};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the figures are, in the checkout.
pub const FIGURES: &str = "crates/predict/validation";
/// A run is twenty calls of a few thousand instructions.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The driver's function that makes all calls, which is recorded, and the function that makes one call.
const REGION: &str = "drive";
const CALL: &str = "call";

/// Builds and records with the tools of this machine.
pub struct Tools<'a> {
    context: &'a Context,
}

impl<'a> Tools<'a> {
    /// For a checkout.
    pub fn new(context: &'a Context) -> Tools<'a> {
        Tools { context }
    }
}

impl Workshop for Tools<'_> {
    fn assemble(&self, arch: Arch, file: &Path) -> std::result::Result<Vec<u8>, String> {
        assemble(self.context, arch, file).map_err(|problem| problem.to_string())
    }

    fn record(
        &self,
        figure: &Figure,
        program: &Program,
        argument: u64,
    ) -> std::result::Result<Recorded, String> {
        let build = Build::new(self.context, figure, program);
        build.and_then(|build| build.record(argument)).map_err(|problem| problem.to_string())
    }
}

/// Assembles a loop and returns the bytes of its code.
fn assemble(context: &Context, arch: Arch, path: &Path) -> Result<Vec<u8>> {
    let target = Target::of(arch);
    let compiler = Compiler::of(CompilerKind::Clang, target)?;
    let newest = target.requirements.last().map_or(&[][..], |requirement| requirement.cflags);
    let object = context.workspace.scratch(".o")?;
    let command: Command = compiler.command().args(newest).args(["-x", "assembler", "-c"]).arg(path);
    let output = command.arg("-o").arg(object.path()).run()?;
    if !output.success() {
        return Err(Problem::new(format!("does not assemble: {}", output.head(6))).at(path.display()));
    }
    text_section(object.path(), |section| section.data().map(<[u8]>::to_vec))
        .map_err(|problem| problem.at(path.display()))
}

/// Applies `ask` to the code section of an object file.
fn text_section<T>(
    object: &Path,
    ask: impl FnOnce(&object::Section<'_, '_>) -> std::result::Result<T, object::Error>,
) -> Result<T> {
    let data = std::fs::read(object).map_err(|error| Problem::io("read the object", object, &error))?;
    let broken = |error: object::Error| Problem::new(error.to_string());
    let file = object::File::parse(&*data).map_err(broken)?;
    let text = file.section_by_name(".text").ok_or_else(|| Problem::new("holds no code"))?;
    ask(&text).map_err(broken)
}

/// The program of a figure, with its sources and tools.
struct Build<'a> {
    context: &'a Context,
    figure: &'a Figure,
    program: &'a Program,
    target: &'static Target,
    requirement: &'static Requirement,
    compiler: Compiler,
    /// The judged code and what it needs.
    routines: Vec<PathBuf>,
    /// The figure's driver, and what all drivers share.
    drivers: [PathBuf; 3],
    /// The architecture's folder of the runner, which has the entry point that the drivers use.
    entry: PathBuf,
    /// What drivers and GMP's files include.
    headers: [PathBuf; 3],
}

impl<'a> Build<'a> {
    fn new(context: &'a Context, figure: &'a Figure, program: &'a Program) -> Result<Build<'a>> {
        let root = &context.workspace.root;
        let figures = root.join(FIGURES);
        let arch: Arch =
            figure.arch.parse().map_err(|error: arch::UnknownArch| Problem::new(error.to_string()))?;
        let target = Target::of(arch);
        // The program may use only what the cpu has; QEMU traps on newer instructions.
        let requirement = target
            .requirement(&figure.cpu)
            .or_else(|| target.requirement(target.baseline))
            .expect("a test holds that the baseline exists");
        let routines = program.routine.iter().map(|name| routine_file(context, &figures, name));
        let entry = match arch {
            Arch::Powerpc64 | Arch::Powerpc64le => "power",
            other => other.name(),
        };
        let entry = root.join("runner/arch").join(entry);
        let drivers = [figures.join(&program.driver), figures.join("driver/main.c"), entry.join("entry.S")];
        let headers = [figures.join("driver/driver.h"), figures.join("gmp/config.m4"), entry.join("arch.h")];
        Ok(Build {
            context,
            figure,
            program,
            target,
            requirement,
            compiler: Compiler::of(CompilerKind::Clang, target)?,
            routines: routines.collect::<Result<_>>()?,
            drivers,
            entry,
            headers,
        })
    }

    /// Records the program run with one argument, unless the cache has the recording.
    fn record(&self, argument: u64) -> Result<Recorded> {
        let workspace = &self.context.workspace;
        let trace = workspace.folder("corpus")?.join(format!("{}-{argument}.trace", self.name()?));
        if !trace.is_file() {
            self.record_as(argument, &trace)?;
        }
        let reader = trace::Reader::open(&trace).map_err(|error| damaged(&trace, &error.to_string()))?;
        let alignment = reader.header().get("alignment").and_then(|text| text.parse().ok());
        let alignment = alignment.ok_or_else(|| damaged(&trace, "it does not tell the code's alignment"))?;
        Ok(Recorded { trace, alignment })
    }

    /// The routine's name and a digest of everything that determines what is executed.
    fn name(&self) -> Result<String> {
        let texts =
            self.routines.iter().chain(&self.drivers).chain(&self.headers).map(|path| read_text(path));
        let mut parts = texts.collect::<Result<Vec<String>>>()?;
        parts.push(self.gmp_stamp());
        parts.push(self.compiler.version.clone());
        parts.push(format!("{:?} {:?}", self.target.arch, self.requirement));
        parts.push(self.program.operation.clone().unwrap_or_default());
        parts.push(lab::record::tracer_digest(&self.context.workspace)?);
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let stem = self.program.operation.as_deref().unwrap_or_else(|| stem(&self.routines[0]));
        Ok(format!("{stem}-{}-{}", self.figure.cpu, lab::build::digest(&parts)))
    }

    /// Names the version of GMP's sources, and so of the macros that its files include.
    fn gmp_stamp(&self) -> String {
        read_text(&gmp_source(self.context).join("stamp")).unwrap_or_default()
    }

    fn record_as(&self, argument: u64, trace: &Path) -> Result<()> {
        let workspace = &self.context.workspace;
        let (program, alignment) = self.build()?;
        let elf = ElfFile::load(program.path())?;
        let function = |name: &str| {
            elf.function(name).ok_or_else(|| {
                Problem::new(format!("the driver defines no function '{name}'"))
                    .at(self.drivers[0].display())
                    .remedy("driver/driver.h says what a driver defines")
            })
        };
        let (region, call) = (function(REGION)?, function(CALL)?);
        let engine =
            qemu_engine(workspace, self.target.arch, self.requirement.qemu, self.requirement.qemu_cpu)?;
        let plugin = [
            format!("roi={REGION}:{:#x}:{:#x}", region.address, region.local_entry),
            format!("mark={CALL}:{:#x}", call.local_entry),
            format!("note=alignment:{alignment}"),
            format!("note=compiler:{}", self.compiler.version),
        ];
        let recording = Recording {
            engine: &engine,
            emulator_arguments: &[],
            program: program.path(),
            arguments: &[argument.to_string()],
            plugin_arguments: &plugin,
            timeout: TIMEOUT,
            printing: Printing::Kept,
        };
        recording.run(workspace)?.keep_as(trace)?;
        Ok(())
    }

    /// The program, and the alignment of the judged code.
    fn build(&self) -> Result<(Scratch, u64)> {
        let mut objects = Vec::new();
        for source in &self.routines {
            let expanded = self.expand(source)?;
            let object = self.compile(expanded.as_ref().map_or(source.as_path(), Scratch::path), source)?;
            objects.push(object);
        }
        let alignment = text_section(objects[0].path(), |section| Ok(section.align()))
            .map_err(|problem| problem.at(self.routines[0].display()))?;
        for source in &self.drivers {
            objects.push(self.compile(source, source)?);
        }
        let program = self.context.workspace.scratch(".program")?;
        let link =
            Command::new(linker()?).args(["-static", "-nostdlib", "-e", "_start", "-o"]).arg(program.path());
        let output = link.args(objects.iter().map(Scratch::path)).run()?;
        if !output.success() {
            return Err(
                Problem::new(format!("does not link: {}", output.head(8))).at(self.drivers[0].display())
            );
        }
        Ok((program, alignment))
    }

    /// Expands a file of GMP with m4; `None` for any other file.
    fn expand(&self, source: &Path) -> Result<Option<Scratch>> {
        if source.extension().is_none_or(|ending| ending != "asm") {
            return Ok(None);
        }
        let drivers = self.context.workspace.root.join(FIGURES).join("gmp/drivers");
        let operation = self.program.operation.iter().map(|name| format!("-DOPERATION_{name}"));
        let command = Command::new(require_program("m4", "m4")?)
            .folder(&drivers)
            .arg("-I")
            .arg(gmp_source(self.context))
            .args(operation)
            .arg(source);
        let output = command.run()?;
        if !output.success() || !output.stderr.is_empty() {
            return Err(Problem::new(format!("m4 cannot expand it: {}", output.head(6))).at(source.display()));
        }
        let expanded = self.context.workspace.scratch(".s")?;
        Output::new(expanded.path())?.write(output.stdout.as_bytes())?;
        Ok(Some(expanded))
    }

    /// Compiles `file`; messages name `source`, from which it was generated.
    fn compile(&self, file: &Path, source: &Path) -> Result<Scratch> {
        let object = self.context.workspace.scratch(".o")?;
        let command = self
            .compiler
            .command()
            .args(self.requirement.cflags)
            .args(["-O2", "-std=gnu11", "-ffreestanding", "-fno-builtin", "-Wall", "-Werror"])
            .args(["-Wno-unused-command-line-argument", "-c"])
            .arg("-I")
            .arg(self.context.workspace.root.join(FIGURES).join("driver"))
            .arg("-I")
            .arg(&self.entry)
            .arg(file)
            .arg("-o")
            .arg(object.path());
        let output = command.run()?;
        if !output.success() {
            return Err(Problem::new(format!("does not compile: {}", output.head(8))).at(source.display()));
        }
        Ok(object)
    }
}

fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("routine")
}

fn gmp_source(context: &Context) -> PathBuf {
    context.workspace.cache.join("gmp-source")
}

/// The path of the routine that a figure calls `name`.
fn routine_file(context: &Context, figures: &Path, name: &str) -> Result<PathBuf> {
    if let Some(inside) = name.strip_prefix("gmp:") {
        let path = gmp_source(context).join(inside);
        if path.is_file() {
            return Ok(path);
        }
        return Err(Problem::new(format!("GMP's {inside} is not there")).at(path.display()).remedy(
            "run ./setup --gmp-source, which takes the files that setup.d/gmp-source lists out of Debian's source package",
        ));
    }
    let path = match name.strip_prefix('/') {
        Some(inside) => context.workspace.root.join(inside),
        None => figures.join(name),
    };
    if path.is_file() {
        return Ok(path);
    }
    Err(Problem::new("there is no such routine").at(path.display()).remedy(format!(
        "name a file below {FIGURES}, one of the checkout as /libs/..., or one of GMP as gmp:mpn/..."
    )))
}

fn damaged(trace: &Path, what: &str) -> Problem {
    Problem::new(what).at(trace.display()).remedy("remove the file; it is recorded again")
}
