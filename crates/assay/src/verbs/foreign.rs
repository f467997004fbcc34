// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `foreign`: programs of other architectures to record: Debian's, fetched and unpacked, and the user's own, built against
//! Debian's C library. Nothing is installed; packages are unpacked into the cache.

use crate::context::{Context, Outcome};
use arch::Arch;
use lab::elf::ElfFile;
use lab::foreign_root::{triple, unpacked};
use lab::output::Output;
use lab::process::{quoted, Command, Printing};
use lab::target::Target;
use lab::toolchain::require_program;
use lab::{Problem, Result};
use report::record::Record;
use serde::Serialize;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Enough for a large package over a slow network.
const FETCH_TIMEOUT: Duration = Duration::from_secs(3600);
/// The package name that makes setup.d/foreign-package unpack what a C program is built with.
const FOR_BUILDING: &str = "libc-dev";

/// Options of `foreign`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand)]
enum Verb {
    /// Fetch Debian packages of another architecture, with what they depend on, and unpack them for trace
    Unpack(UnpackArgs),
    /// Build a C program for another architecture, static, against Debian's C library (fetched if it is not there)
    Build(BuildArgs),
}

#[derive(clap::Args)]
struct UnpackArgs {
    /// Architecture
    #[arg(short, long = "arch", value_name = "ARCH")]
    arch: Arch,
    /// Debian's names of the packages
    #[arg(required = true, value_name = "PACKAGE")]
    packages: Vec<String>,
}

#[derive(clap::Args)]
struct BuildArgs {
    /// Architecture
    #[arg(short, long = "arch", value_name = "ARCH")]
    arch: Arch,
    /// Sources, objects and libraries
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The program, a file, FIFO or device (default: the first file's name without its ending); -: standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Further arguments of the compiler; -O2 -g -static stand before them
    #[arg(last = true, value_name = "FLAGS")]
    flags: Vec<String>,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    match &args.verb {
        Verb::Unpack(args) => unpack(context, args),
        Verb::Build(args) => build(context, args),
    }
}

/// A program that is there now, to be recorded. Kind `foreign`.
#[derive(Serialize)]
struct ForeignRecord<'a> {
    kind: &'static str,
    arch: &'a str,
    program: String,
}

/// Prints a program's path, or its record.
fn tell(context: &Context, arch: Arch, program: String) {
    match context.json {
        true => println!("{}", ForeignRecord { kind: "foreign", arch: arch.name(), program }.to_line()),
        false => println!("{program}"),
    }
}

/// Refuses the architecture that Debian has no packages for, before anything is said to be fetched.
fn refuse_arch(arch: Arch) -> Result<()> {
    if arch != Arch::Powerpc64 {
        return Ok(());
    }
    let others: Vec<&str> =
        Arch::ALL.iter().filter(|other| **other != arch).map(|other| other.name()).collect();
    Err(Problem::new(format!(
        "Debian has no packages for {arch} (its own 64-bit big-endian POWER follows ELFv1)"
    ))
    .remedy(format!("choose one of: {}", others.join(" "))))
}

fn unpack(context: &Context, args: &UnpackArgs) -> Result<Outcome> {
    refuse_arch(args.arch)?;
    refuse_options(&args.packages)?;
    let programs = fetch(context, args.arch, &args.packages)?;
    let root = unpacked(&context.workspace, args.arch);
    eprintln!("unpacked into {}", root.display());
    let show = |program: &str| root.join(program.trim_start_matches('/')).display().to_string();
    programs.iter().for_each(|program| tell(context, args.arch, show(program)));
    let is_program = |program: &&String| ElfFile::load(Path::new(&show(program))).is_ok();
    if let Some(first) = programs.iter().find(is_program) {
        let name = first.rsplit_once('/').map_or(first.as_str(), |(_, name)| name);
        eprintln!("record one: ./assay trace -a {} -- {name} ARGS", args.arch);
    }
    Ok(Outcome::Fine)
}

/// Refuses what is no package name; apt would take a name that begins with a dash as an option.
fn refuse_options(packages: &[String]) -> Result<()> {
    let odd = |name: &&String| {
        !name.chars().all(|c| c.is_ascii_alphanumeric() || "+-.=~:".contains(c)) || name.starts_with('-')
    };
    packages.iter().find(odd).map_or(Ok(()), |name| {
        Err(Problem::new(format!("'{name}' is no name of a Debian package"))
            .remedy("packages.debian.org lists the names; a version may follow as in hello=2.10-3"))
    })
}

/// Fetches and unpacks the packages; returns the programs that they bring.
pub fn fetch(context: &Context, arch: Arch, packages: &[String]) -> Result<Vec<String>> {
    let script = context.workspace.root.join("setup.d/foreign-package");
    let cache = context.workspace.folder("roots")?;
    let cache = cache.parent().unwrap_or(&cache);
    let shared = context.workspace.scratch(".programs")?;
    // The script's messages go to the user as they come; its standard output, the list of programs, goes into a file.
    let line = "out=$1; shift; exec \"$@\" >\"$out\"".to_owned();
    let mut words = vec!["-c".to_owned(), line, "foreign-package".to_owned()];
    words.extend([shared.path().display().to_string(), script.display().to_string()]);
    words.extend([cache.display().to_string(), arch.name().to_owned()]);
    words.extend(packages.iter().cloned());
    let output = Command::new("/bin/sh")
        .args(&words)
        .timeout(FETCH_TIMEOUT)
        .printing(Printing::ShownAsErrors)
        .run()?;
    if !output.success() {
        return Err(Problem::new("the packages were not unpacked, for the reason above")
            .remedy("mend that, and run it again; what was unpacked before is still there"));
    }
    Ok(lab::cache::read_text(shared.path())?.lines().map(str::to_owned).collect())
}

fn build(context: &Context, args: &BuildArgs) -> Result<Outcome> {
    refuse_arch(args.arch)?;
    let target = Target::of(args.arch);
    let root = unpacked(&context.workspace, args.arch);
    if let Some(missing) = args.files.iter().find(|file| !file.is_file()) {
        return Err(Problem::new("there is no such file")
            .at(missing.display())
            .remedy("name C sources, objects or libraries"));
    }
    let named =
        args.output.clone().unwrap_or_else(|| PathBuf::from(args.files[0].file_stem().unwrap_or_default()));
    let output = match context.output(args.output.as_deref())? {
        Some(output) => output.program(),
        None => Output::new(&named)?.program(),
    };
    output.spare(&args.files)?;
    if libc_archive(&root, args.arch).is_none() {
        context.progress(&format!("fetching the C library for {}, once", args.arch));
        fetch(context, args.arch, &[FOR_BUILDING.to_owned()])?;
    }
    let baseline = target.requirement(target.baseline).map_or(&[][..], |requirement| requirement.cflags);
    let scratch = context.workspace.scratch("")?;
    let compiler = Command::new(require_program("clang-19", "clang-19")?)
        .arg(format!("--target={}", triple(args.arch)))
        .arg(format!("--sysroot={}", root.display()))
        .arg(format!("--gcc-toolchain={}", root.join("usr").display()))
        .args(["-fuse-ld=lld-19", "-static", "-O2", "-g"])
        .args(baseline)
        .args(&args.flags)
        .args(&args.files)
        .arg("-o");
    let command = compiler.clone().arg(scratch.path());
    let ran = command.env("TMPDIR", scratch.folder()).bare_environment().run_supplied();
    let ran = ran.map_err(|problem| problem.at(scratch.path().display()))?;
    if !ran.success() {
        if lacks_main(&ran.stderr) {
            return Err(Problem::new(format!("{} has no main, so it is no program", shown(&args.files)))
                .remedy(
                    "name the file that has it, too, or write one that calls the function; a function alone is judged as a hot path: \
                     docs/add-a-hotpath.md",
                ));
        }
        eprintln!("{}", ran.head(20));
        eprintln!("failed: does not build; the command was\n  {}", compiler.arg(&named).line());
        return Ok(Outcome::Failed);
    }
    eprint!("{}", ran.stderr);
    let mut program = File::open(scratch.path())
        .map_err(|error| Problem::io("read the program", scratch.path(), &error))?;
    output.copy(&mut program)?;
    if output.is_file() {
        tell(context, args.arch, output.name());
        let path = Path::new(".").join(&named);
        eprintln!("record it: ./assay trace -- {} ARGS", quoted(path.as_os_str()));
    }
    Ok(Outcome::Fine)
}

/// Whether the linker (lld) misses `main`, which the C library's start-up code calls.
fn lacks_main(told: &str) -> bool {
    told.lines().any(|line| line.trim_end().ends_with("undefined symbol: main"))
}

fn shown(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(" ")
}

fn libc_archive(root: &Path, arch: Arch) -> Option<PathBuf> {
    let places = [root.join("usr/lib").join(triple(arch)), root.join("usr/lib")];
    places.into_iter().map(|folder| folder.join("libc.a")).find(|file| file.is_file())
}
