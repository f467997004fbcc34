// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `trace`: records any Linux program of an architecture that QEMU runs, static or dynamic, as a file for `predict`.

use crate::context::{Context, Outcome};
use arch::Arch;
use lab::elf::ElfFile;
use lab::emulator::{qemu_engine, Engine};
use lab::output::Output;
use lab::process::Printing;
use lab::record::Recording;
use lab::target::{Qemu, Target};
use lab::{Problem, Result};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Options of `trace`.
#[derive(clap::Args)]
pub struct Args {
    /// Record only this function and what it calls (repeatable); FUNCTION@FILE for one in a shared library
    #[arg(long = "roi", value_name = "FUNCTION[@FILE]")]
    regions: Vec<String>,
    /// The trace (default: PROGRAM.trace in the current folder); -: to standard output, and the program's own to errors
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// QEMU's -cpu (default: the newest of the architecture)
    #[arg(long, value_name = "CPU")]
    qemu_cpu: Option<String>,
    /// Folder that stands for / when the program looks for its loader and libraries
    #[arg(short = 'L', long, value_name = "DIR")]
    sysroot: Option<PathBuf>,
    /// Stop recording after so many instructions; the program runs on
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Seconds that the program may take
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM [ARGS]")]
    command: Vec<String>,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let program = Path::new(&args.command[0]);
    let elf = ElfFile::load(program)?;
    let engine = engine(context, elf.arch, args.qemu_cpu.as_deref())?;
    let output = output(context, args, program)?;
    let mut plugin = Vec::new();
    for region in &args.regions {
        plugin.extend(region_arguments(&elf, program, region)?);
    }
    plugin.extend(args.limit.map(|limit| format!("limit={limit}")));
    let sysroot = args.sysroot.clone().or_else(|| debian_cross_root(elf.arch));
    let mut arguments = Vec::new();
    if let Some(root) = &sysroot {
        arguments.extend(["-L".to_owned(), root.display().to_string()]);
    }
    let recording = Recording {
        engine: &engine,
        emulator_arguments: &arguments,
        program,
        arguments: &args.command[1..],
        plugin_arguments: &plugin,
        timeout: Duration::from_secs(args.timeout),
        printing: if output.is_stdout() { Printing::ShownAsErrors } else { Printing::Shown },
    };
    let recorded = recording.run(&context.workspace)?;
    keep(recorded.path(), &output, args)
}

/// Puts the trace in its place, unless nothing is in it, and says what was recorded.
fn keep(recorded: &Path, output: &Output, args: &Args) -> Result<Outcome> {
    let failed = |error: trace::Error| Problem::new(error.to_string());
    let mut reader = trace::Reader::open(recorded).map_err(failed)?;
    let entries = trace::count(&mut reader).map_err(failed)?;
    let instructions: u64 = entries.iter().map(|entry| entry.counts.instructions * entry.entries).sum();
    let calls: u64 = entries.iter().map(|entry| entry.entries).sum();
    if calls == 0 {
        reader.end().into_iter().for_each(note);
        return empty(&output.name(), args);
    }
    let mut file = File::open(recorded).map_err(|error| Problem::io("read the trace", recorded, &error))?;
    output.copy(&mut file)?;
    let bytes = file.metadata().map_or(0, |data| data.len());
    eprintln!("{}: {instructions} instructions in {calls} entries, {bytes} bytes", output.name());
    reader.end().into_iter().for_each(note);
    Ok(Outcome::Fine)
}

/// Says what is not in the trace, or not as one might think.
fn note(end: &trace::End) {
    for (key, meaning) in [
        ("other_thread_entries", "entries by other threads than the recorded one; they are not in the trace"),
        ("other_thread_instructions", "instructions of other threads; they are not in the trace"),
        (
            "unknown_addresses",
            "accesses whose address QEMU did not tell; a prediction counts them as first-level hits",
        ),
        ("recursive_entries", "recursive entries; each belongs to the call that it happened in"),
        ("longjmp_exits", "exits from the region by longjmp"),
        ("regions_not_loaded", "regions in libraries that the program never loaded"),
    ] {
        if end.total(key) > 0 {
            eprintln!("note: {} {meaning}", end.total(key));
        }
    }
}

/// Nothing was executed of what is recorded: no trace, and one that was there before stays.
fn empty(place: &str, args: &Args) -> Result<Outcome> {
    if args.regions.is_empty() {
        return Err(Problem::new("QEMU ended before the program's first instruction; nothing was written")
            .at(&args.command[0])
            .remedy("see what QEMU says above; with -cpu help it lists what --qemu-cpu takes"));
    }
    let names: Vec<String> = args.regions.iter().map(|name| format!("'{name}'")).collect();
    let problem = Problem::new(format!("{} was never entered; nothing was written", names.join(", ")))
        .at(place)
        .remedy("give the program arguments that make it call the function; nm shows other functions");
    eprintln!("assay: {problem}");
    Ok(Outcome::Failed)
}

fn engine(context: &Context, arch: Arch, cpu: Option<&str>) -> Result<Engine> {
    let mut newest_first = Target::of(arch).requirements.iter().rev();
    let newest = newest_first
        .find(|requirement| requirement.qemu != Qemu::None)
        .expect("every target has a baseline that QEMU runs");
    // On x86 no model has all that QEMU can do, and the newest ones have what it cannot.
    let newest_cpu = if arch == Arch::X86_64 { "max" } else { newest.qemu_cpu };
    qemu_engine(&context.workspace, arch, newest.qemu, cpu.unwrap_or(newest_cpu))
}

fn output(context: &Context, args: &Args, program: &Path) -> Result<Output> {
    let usual =
        || PathBuf::from(format!("{}.trace", program.file_name().unwrap_or_default().to_string_lossy()));
    let named = args.output.clone().unwrap_or_else(usual);
    Ok(context.output(Some(&named))?.expect("it was named"))
}

/// The tracer's arguments for `FUNCTION` in the program or `FUNCTION@FILE` in a library.
fn region_arguments(program: &ElfFile, path: &Path, region: &str) -> Result<Vec<String>> {
    let (name, library) = match region.split_once('@') {
        Some((name, file)) => (name, Some(PathBuf::from(file))),
        None => (region, None),
    };
    let loaded = library.as_ref().map(|file| ElfFile::load(file)).transpose()?;
    let elf = loaded.as_ref().unwrap_or(program);
    let place = library.as_deref().unwrap_or(path);
    let function = elf.function(name).ok_or_else(|| {
        let similar: Vec<&str> = elf
            .functions
            .iter()
            .map(|(known, _)| known.as_str())
            .filter(|known| known.contains(name) || name.contains(known))
            .take(5)
            .collect();
        Problem::new(format!("has no function '{name}'")).at(place.display()).remedy(if similar.is_empty() {
            "its symbols may have been stripped; name one that nm or nm -D shows".to_owned()
        } else {
            format!("similar: {}", similar.join(" "))
        })
    })?;
    let mut arguments = Vec::new();
    if library.is_some() || elf.position_independent {
        let real = place.canonicalize().map_err(|error| Problem::io("find the file", place, &error))?;
        arguments.push(format!("image={}", real.display()));
    }
    arguments.push(format!("roi={name}:{:#x}:{:#x}", function.address, function.local_entry));
    Ok(arguments)
}

/// Where Debian's cross packages put a foreign C library.
fn debian_cross_root(arch: Arch) -> Option<PathBuf> {
    let triple = match arch {
        Arch::Powerpc => "powerpc-linux-gnu",
        Arch::Powerpc64 => "powerpc64-linux-gnu",
        Arch::Powerpc64le => "powerpc64le-linux-gnu",
        Arch::Loongarch64 => "loongarch64-linux-gnu",
        Arch::Aarch64 => "aarch64-linux-gnu",
        Arch::Riscv64 => "riscv64-linux-gnu",
        Arch::X86_64 => return None,
    };
    Some(Path::new("/usr").join(triple)).filter(|root| root.is_dir())
}
