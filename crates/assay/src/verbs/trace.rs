// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `trace`: records any Linux program of an architecture that QEMU runs, static or dynamic, as a file for `predict`.

use crate::context::{Context, Outcome};
use crate::interrupt;
use crate::progress::Progress;
use arch::Arch;
use lab::cache::Scratch;
use lab::code_map::CodeFile;
use lab::discover::is_source;
use lab::elf::{ElfFile, Function};
use lab::emulator::for_program;
use lab::foreign_root::{unpacked, Root};
use lab::output::Output;
use lab::process::{longest_file, signal_name, Ending, Printing};
use lab::record::Recording;
use lab::toolchain::find_program;
use lab::{Problem, Result};
use report::record::Record;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use trace::EntryCounts;

/// As many as the tracer takes (`tracer/tracer.h`).
const REGIONS_MAX: usize = 16;

/// The status with which the tracer ends QEMU when it cannot go on (`tracer/target.c`); there is no trace then.
const TRACER_FAILED: i32 = 125;

/// Options of `trace`.
#[derive(clap::Args)]
pub struct Args {
    /// Record only this function and what it calls (repeatable, up to 16, and one inside of another is told apart); FUNCTION@SONAME or FUNCTION@FILE for one in a shared library, FILE+0xADDRESS for one without a symbol
    #[arg(long = "roi", value_name = "FUNCTION[@LIBRARY]")]
    regions: Vec<String>,
    /// The trace (default: PROGRAM.trace in the current folder); -: to standard output, and the program's own to errors
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// QEMU's -cpu (default: the newest of the architecture; on aarch64 without SVE)
    #[arg(long, value_name = "CPU")]
    qemu_cpu: Option<String>,
    /// Folder that stands for / when the program looks for its loader and libraries
    #[arg(short = 'L', long, value_name = "DIR")]
    sysroot: Option<PathBuf>,
    /// Stop recording after so many instructions; the program runs on
    #[arg(long, value_name = "N", value_parser = crate::numbers::whole::<u64>(1..))]
    limit: Option<u64>,
    /// Seconds after which the program is asked to end; what was recorded until then is kept, as it is after Ctrl-C
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = crate::numbers::whole::<u64>(1..=604_800))]
    timeout: u64,
    /// Look the program up among those that `foreign unpack` has put here for this architecture
    #[arg(short, long = "arch", value_name = "ARCH")]
    arch: Option<Arch>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM [ARGS]")]
    command: Vec<String>,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let program = &match args.arch {
        Some(arch) => find_of(context, arch, &args.command[0])?,
        None => find(&args.command[0])?,
    };
    let elf = load(program)?;
    let engine = for_program(&context.workspace, elf.arch, args.qemu_cpu.as_deref())?;
    let output = output(context, args, program)?;
    // An argument that names a file is mostly read, too.
    output.spare(args.command[1..].iter().map(Path::new).chain([&**program]))?;
    let root = Root::find(&context.workspace, elf.arch, args.sysroot.as_deref());
    refuse_missing_loader(&root, program, &elf)?;
    let regions = regions(&root, &elf, program, &args.regions)?;
    output.spare(regions.iter().filter_map(|(_, region)| region.image.as_ref()))?;
    let mut plugin: Vec<String> = regions.iter().flat_map(|(_, region)| region.arguments()).collect();
    plugin.extend(args.limit.map(|limit| format!("limit={limit}")));
    let recording = Recording {
        engine: &engine,
        emulator_arguments: &root.options(),
        program,
        arguments: &args.command[1..],
        plugin_arguments: &plugin,
        timeout: Duration::from_secs(args.timeout),
        printing: if output.is_stdout() || context.json { Printing::ShownAsErrors } else { Printing::Shown },
    };
    let recorded = recording.run_foreign(&context.workspace)?;
    // QEMU's command line goes to a log file: it helps only those who debug QEMU.
    let log = context.workspace.log("trace.log", &recorded.line)?;
    let Some(trace) = recorded.trace else {
        return Err(no_trace(&root, program, &elf, recorded.ending, &log));
    };
    let outcome = keep(context, trace, recorded.ending, &output, args);
    // If `keep` failed, its message takes the place of the note on how the program ended.
    if let Ok(outcome) = &outcome {
        let kept = match outcome {
            Outcome::Fine => "what it did until then is recorded",
            _ => "until then it entered no region",
        };
        if let Some(text) = ending_text(recorded.ending, args, kept) {
            eprintln!("note: {text}");
        }
    }
    if let Some(remedy) = remedy_of(&root, program, &elf, recorded.ending, args) {
        eprintln!("  remedy: {remedy}");
    }
    if let (Err(problem), true) = (&outcome, interrupt::was_asked()) {
        eprintln!("assay: {problem}");
    }
    interrupt::end_if_asked();
    outcome
}

/// The program's file, looked for as a shell does, except that one in the current folder needs no `./`.
fn find(word: &str) -> Result<PathBuf> {
    let path = Path::new(word);
    if word.contains('/') || path.is_file() {
        return Ok(path.to_path_buf());
    }
    find_program(word).ok_or_else(|| {
        Problem::new(format!("there is no program '{word}' here or in PATH"))
            .remedy("name its file; ./assay foreign unpacks programs of other architectures")
    })
}

/// With `-a`: a program of that architecture, by its path or from the unpacked packages.
fn find_of(context: &Context, arch: Arch, word: &str) -> Result<PathBuf> {
    let path = Path::new(word);
    // A word that begins with `.` is a path from here, and so is one with a `/` if there is such a file; all others are
    // looked for in the packages.
    if !word.starts_with('.') && (!word.contains('/') || !path.is_file()) {
        return find_unpacked(context, arch, word);
    }
    let is = ElfFile::load(path)?.arch;
    if is != arch {
        return Err(Problem::new(format!("is a program for {is}, and -a says {arch}"))
            .at(path.display())
            .remedy("leave out -a: the file says itself what it is for"));
    }
    Ok(path.to_path_buf())
}

fn find_unpacked(context: &Context, arch: Arch, word: &str) -> Result<PathBuf> {
    let root = unpacked(&context.workspace, arch);
    let folders = ["usr/bin", "usr/sbin", "usr/games", "usr/libexec", ""];
    let found = folders.iter().map(|folder| root.join(folder).join(word.trim_start_matches('/')));
    found.into_iter().find(|file| file.is_file()).ok_or_else(|| {
        Problem::new(format!("no package that is unpacked for {arch} has a program '{word}'"))
            .at(root.display())
            .remedy(format!("unpack its package: ./assay foreign unpack -a {arch} PACKAGE"))
    })
}

fn load(program: &Path) -> Result<ElfFile> {
    if program.is_dir() {
        return Err(Problem::new("is a folder and no program")
            .at(program.display())
            .remedy("name a program's file, as in: ./assay trace -- FOLDER/PROGRAM"));
    }
    if program.is_file() && program.extension().is_some_and(|ending| ending == "o") {
        return Err(Problem::new("is an object and no program")
            .at(program.display())
            .remedy(format!("link it first: ./assay foreign build -a ARCH {}", program.display())));
    }
    if program.is_file() && is_source(program) {
        return Err(Problem::new("is a source and no program")
            .at(program.display())
            .remedy(format!("build it first: ./assay foreign build -a ARCH {}", program.display())));
    }
    let mut start = [0; 2];
    let mut read = || File::open(program).and_then(|mut file| file.read_exact(&mut start));
    if program.is_file() && read().is_ok() && start == *b"#!" {
        return Err(Problem::new("is a script; its interpreter is the program that runs")
            .at(program.display())
            .remedy(format!("record that: ./assay trace -- INTERPRETER {}", program.display())));
    }
    let elf = ElfFile::load(program)?;
    if elf.position_independent && elf.wants.loader.is_none() && elf.entry == 0 {
        return Err(Problem::new("is a shared library and no program").at(program.display()).remedy(
            "name a program that loads it, and with --roi FUNCTION@SONAME what is to be recorded of it",
        ));
    }
    let mode = program.metadata().map_or(0o111, |data| data.permissions().mode());
    if mode & 0o111 == 0 {
        return Err(Problem::new("is not executable: its file has no x bit")
            .at(program.display())
            .remedy(format!("set it: chmod +x {}", program.display())));
    }
    Ok(elf)
}

fn refuse_missing_loader(root: &Root, program: &Path, elf: &ElfFile) -> Result<()> {
    let Some(loader) = elf.wants.loader.as_deref().filter(|loader| root.inside(loader).is_none()) else {
        return Ok(());
    };
    Err(Problem::new(format!(
        "its loader {loader} is not in {}, where the libraries of {} programs are looked for",
        root.folder.display(),
        elf.arch
    ))
    .at(program.display())
    .remedy(format!(
        "name the folder that stands for / with -L, or unpack the C library with: ./assay foreign unpack -a {} libc6",
        elf.arch
    )))
}

/// How the program ended, unless it exited with status 0; `kept` says what there is of it.
fn ending_text(ending: Ending, args: &Args, kept: &str) -> Option<String> {
    match ending {
        Ending::Exited(0) => None,
        Ending::Exited(status) => Some(format!("the program failed: it exited with status {status}")),
        Ending::Killed(_) if interrupt::was_asked() => Some(format!("interrupted: {kept}")),
        Ending::Killed(libc::SIGINT) => Some(format!("interrupted: {kept}")),
        // QEMU moves the real-time signals to numbers that this machine's C library leaves free.
        Ending::Killed(signal) if signal >= 32 => Some(format!(
            "the program was ended by a real-time signal, which has the number {signal} on this machine; {kept}"
        )),
        Ending::Killed(signal) => Some(format!("the program was ended by {}; {kept}", signal_name(signal))),
        Ending::TimedOut => {
            Some(format!("the program was still running after {} s and was ended; {kept}", args.timeout))
        }
    }
}

/// A remedy if the program lacked an instruction or a library.
fn remedy_of(root: &Root, program: &Path, elf: &ElfFile, ending: Ending, args: &Args) -> Option<String> {
    match ending {
        Ending::Killed(libc::SIGILL) => Some(match args.qemu_cpu.as_deref() {
            Some(cpu) => format!(
                "QEMU's -cpu {cpu} lacks an instruction that it uses; leave out --qemu-cpu, for the newest, or choose another \
                 (help: lists them)"
            ),
            None if elf.arch == Arch::Aarch64 => "it lacks an instruction of SVE or one that QEMU has on no -cpu, or trapped on \
                     purpose (__builtin_trap does); the last lines of the trace show where, and --qemu-cpu max has SVE"
                .to_owned(),
            None => "it lacks an instruction even on the newest -cpu of QEMU, or trapped on purpose (__builtin_trap does); the \
                     last lines of the trace show where, and --qemu-cpu takes another (help: lists them)"
                .to_owned(),
        }),
        // The dynamic loader's exit status if it cannot start the program.
        Ending::Exited(127) => {
            let missing = root.missing_libraries(program, elf);
            (!missing.is_empty()).then(|| {
                format!(
                    "not found in {}: {}; name the folder that stands for / with -L, or unpack their packages with \
                     ./assay foreign unpack -a {} PACKAGE",
                    root.folder.display(),
                    missing.join(" "),
                    elf.arch
                )
            })
        }
        _ => None,
    }
}

/// The problem if there is no trace: the tracer never started, or was killed.
fn no_trace(root: &Root, program: &Path, elf: &ElfFile, ending: Ending, log: &Path) -> Problem {
    if ending == Ending::Exited(TRACER_FAILED) {
        return lost(program);
    }
    let why = match ending {
        Ending::Exited(status) => format!("nothing was recorded: QEMU exited with status {status}"),
        Ending::Killed(signal) => format!("nothing was recorded: {} ended QEMU", signal_name(signal)),
        Ending::TimedOut => {
            "nothing was recorded: the program did not end when it was asked to, and was killed".to_owned()
        }
    };
    let missing = root.missing_libraries(program, elf);
    let libraries =
        if missing.is_empty() { String::new() } else { format!("missing: {}; ", missing.join(" ")) };
    Problem::new(why)
        .at(program.display())
        .remedy(format!("{libraries}see what it said above; the command line is in {}", log.display()))
}

/// The problem if the tracer gave up, having said why: most often because it could not write, and then it removes what it wrote.
fn lost(program: &Path) -> Problem {
    let remedy = match longest_file() {
        Some(bytes) => format!(
            "see what the tracer says above; the limit on the size of files is {} KiB: raise it (ulimit -f), or record less (--roi, --limit)",
            bytes >> 10
        ),
        None => "see what the tracer says above; if a disk is full, free some space there, or set ASSAY_CACHE to a folder that has \
                 more, or record less (--roi, --limit)"
            .to_owned(),
    };
    Problem::new("the recording is lost: the tracer ended the program").at(program.display()).remedy(remedy)
}

/// What was recorded. Kind `trace`.
#[derive(Serialize)]
struct TraceRecord<'a> {
    kind: &'static str,
    trace: String,
    arch: &'a str,
    calls: u64,
    instructions: u64,
    bytes: u64,
    /// Why recording stopped: `exit`, `limit`, `exec` or `signal`.
    end: &'a str,
    /// With several regions: each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    regions: Vec<RegionRecord>,
}

#[derive(Serialize)]
struct RegionRecord {
    region: String,
    calls: u64,
    /// Those of its calls that another region's contain.
    nested_calls: u64,
    instructions: u64,
}

/// The regions of a trace that has several.
fn of_regions(header: &trace::Header, entries: &[EntryCounts]) -> Vec<RegionRecord> {
    let regions = header.regions();
    let each = regions.iter().enumerate().filter(|_| regions.len() > 1);
    let record = |(number, region): (usize, &trace::Region)| {
        let own = |entry: &&EntryCounts| usize::from(entry.region) == number;
        let (calls, instructions) = sums(entries.iter().filter(own));
        let (nested_calls, _) = sums(entries.iter().filter(own).filter(|entry| entry.nested));
        RegionRecord { region: region.name.clone(), calls, nested_calls, instructions }
    };
    each.map(record).collect()
}

/// Calls and instructions.
fn sums<'a>(entries: impl Iterator<Item = &'a EntryCounts>) -> (u64, u64) {
    entries.fold((0, 0), |(calls, instructions), entry| {
        (calls + entry.entries, instructions + entry.counts.instructions * entry.entries)
    })
}

/// Copies the trace to its place, unless it is empty, and says what was recorded.
fn keep(
    context: &Context,
    recorded: Scratch,
    ending: Ending,
    output: &Output,
    args: &Args,
) -> Result<Outcome> {
    let failed = |error: trace::Error| Problem::new(error.to_string());
    let mut reader = trace::Reader::open(recorded.path()).map_err(failed)?;
    // The program has ended, so the terminal is free for a progress display.
    let progress = Progress::of("reading what was recorded", 0);
    let entries = trace::count(&mut reader).map_err(failed)?;
    drop(progress);
    let (calls, instructions) = sums(entries.iter().filter(|entry| !entry.nested));
    if instructions == 0 {
        reader.end().into_iter().for_each(note);
        // The tracer notes the program's own file once QEMU has loaded it.
        let is_loaded = reader.end().is_some_and(|end| !end.images().is_empty());
        let has_children = reader.end().is_some_and(|end| end.total("forked_children") > 0);
        return empty(&output.name(), args, is_loaded || ending == Ending::Exited(0), has_children);
    }
    let opened = File::open(recorded.path());
    let mut file = opened.map_err(|error| Problem::io("read the trace", recorded.path(), &error))?;
    if let Err(problem) = output.copy(&mut file) {
        return Err(if output.is_file() { kept_elsewhere(context, recorded, problem) } else { problem });
    }
    let bytes = file.metadata().map_or(0, |data| data.len());
    eprintln!("{}: {instructions} instructions in {calls} entries, {bytes} bytes", output.name());
    let regions = of_regions(reader.header(), &entries);
    for RegionRecord { region, calls, nested_calls, instructions } in &regions {
        eprintln!(
            "  {region}: {instructions} instructions in {calls} entries, {nested_calls} of them inside of another"
        );
    }
    reader.end().into_iter().for_each(note);
    if context.json {
        let record = TraceRecord {
            kind: "trace",
            trace: output.name(),
            arch: reader.header().arch.name(),
            calls,
            instructions,
            bytes,
            end: reader.end().and_then(|end| end.get("end")).unwrap_or_default(),
            regions,
        };
        println!("{}", record.to_line());
    }
    Ok(Outcome::Fine)
}

/// A recording may have taken minutes: where its own place has no room for it, it stays in the cache, until the next such one.
fn kept_elsewhere(context: &Context, recorded: Scratch, problem: Problem) -> Problem {
    let kept = context.workspace.folder("log").and_then(|log| recorded.keep_as(&log.join("unwritten.trace")));
    match kept {
        Ok(path) => {
            let place = path.display();
            let remedy = format!(
                "{}; what was recorded is in {place}, until another trace cannot be written: move it from there",
                problem.remedy
            );
            problem.remedy(remedy)
        }
        // The first of the problems is the one to tell.
        Err(_) => problem,
    }
}

/// Notes what the trace leaves out, or counts in another way than expected.
fn note(end: &trace::End) {
    if end.get("end") == Some("limit") {
        eprintln!("note: recording stopped at --limit; what the program did behind that is not in the trace");
    }
    if end.get("end") == Some("exec") {
        eprintln!(
            "note: recording stopped when the program called execve; what it did behind that is not in the trace"
        );
    }
    for (key, meaning) in [
        ("other_thread_entries", "entries by other threads than the recorded one; they are not in the trace"),
        ("other_thread_instructions", "instructions of other threads; they are not in the trace"),
        ("forked_children", "forks; what the children executed is not in the trace"),
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

/// No instruction was recorded: no trace is written, and an older file of that name stays.
fn empty(place: &str, args: &Args, began: bool, has_children: bool) -> Result<Outcome> {
    if args.regions.is_empty() || !began {
        return Err(Problem::new("QEMU ended before the program's first instruction; nothing was written")
            .at(&args.command[0])
            .remedy("see what QEMU says above; with -cpu help it lists what --qemu-cpu takes"));
    }
    let names: Vec<String> = args.regions.iter().map(|name| format!("'{name}'")).collect();
    let where_not =
        if has_children { " by the program itself, only its children may have been in it" } else { "" };
    let remedy = if has_children {
        "children are not recorded: have the program do the work without a fork (servers and shells often have an option for that)"
    } else {
        "give the program arguments that make it call the function; if the compiler has inlined it, name its caller (nm shows the functions) or forbid that (noinline)"
    };
    let problem =
        Problem::new(format!("{} was never entered{where_not}; nothing was written", names.join(", ")))
            .at(place)
            .remedy(remedy);
    eprintln!("assay: {problem}");
    Ok(Outcome::Failed)
}

fn output(context: &Context, args: &Args, program: &Path) -> Result<Output> {
    let usual =
        || PathBuf::from(format!("{}.trace", program.file_name().unwrap_or_default().to_string_lossy()));
    let named = args.output.clone().unwrap_or_else(usual);
    Ok(context.output(Some(&named))?.expect("it was named"))
}

/// A function to record.
struct Region {
    name: String,
    /// The file that has it, if that is loaded at an address of its own.
    image: Option<PathBuf>,
    function: Function,
}

impl Region {
    /// The tracer's arguments.
    fn arguments(&self) -> Vec<String> {
        let Function { address, local_entry, .. } = self.function;
        let image = self.image.iter().map(|file| format!("image={}", file.display()));
        image.chain([format!("roi={}:{address:#x}:{local_entry:#x}", self.name)]).collect()
    }

    fn is_at(&self, other: &Region) -> bool {
        self.image == other.image && self.function.address == other.function.address
    }
}

/// The named regions; one that is named twice is recorded once.
fn regions<'a>(
    root: &Root,
    program: &ElfFile,
    path: &Path,
    words: &'a [String],
) -> Result<Vec<(&'a str, Region)>> {
    let mut regions: Vec<(&str, Region)> = Vec::new();
    for word in words {
        if regions.iter().any(|(known, _)| known == word) {
            continue;
        }
        let new = region(root, program, path, word)?;
        if let Some((known, _)) = regions.iter().find(|(_, known)| known.is_at(&new)) {
            return Err(Problem::new(format!("'{known}' and '{word}' are one function"))
                .at(path.display())
                .remedy("leave one of them out: each call belongs to one region"));
        }
        regions.push((word, new));
    }
    if regions.len() > REGIONS_MAX {
        return Err(Problem::new(format!("{} regions, and the tracer takes {REGIONS_MAX}", regions.len()))
            .remedy("leave some of the --roi out, and record those in another trace"));
    }
    Ok(regions)
}

/// The region that `FUNCTION` in the program or `FUNCTION@FILE` in a library is, the latter by its path or its soname.
fn region(root: &Root, program: &ElfFile, path: &Path, region: &str) -> Result<Region> {
    let own = path.file_name().unwrap_or_default();
    let (name, library) = match (region.split_once('@'), code_place(region)) {
        // Its name may have an @.
        (_, Some((file, _))) if own == file => (region, None),
        (Some((name, file)), _) => (name, Some(library_file(root, program, path, file)?)),
        (None, Some((file, _))) if !file.is_empty() => {
            (region, Some(library_file(root, program, path, file)?))
        }
        (None, _) => (region, None),
    };
    let loaded = library.as_ref().map(|file| ElfFile::load(file)).transpose()?;
    let elf = loaded.as_ref().unwrap_or(program);
    let place = library.as_deref().unwrap_or(path);
    let function = match code_place(name) {
        Some((_, address)) => Some(function_at(place, address)?),
        None => the_one(elf, place, name)?,
    };
    let function = function.ok_or_else(|| {
        let known: BTreeSet<&str> = elf.functions.iter().map(|(known, _)| known.as_str()).collect();
        let similar = known.into_iter().filter(|known| known.contains(name) || name.contains(known));
        let similar: Vec<&str> = similar.take(5).collect();
        let elsewhere = (library.is_none()).then(|| defined_in(root, program, path, name)).flatten();
        Problem::new(format!("has no function '{name}'")).at(place.display()).remedy(
            match (elsewhere, &similar[..]) {
                (Some(soname), _) => format!("{soname} has it: --roi {name}@{soname}"),
                (None, []) => {
                    "its symbols may have been stripped; name one that nm or nm -D shows, or the place of one as ./assay hot shows it"
                        .to_owned()
                }
                (None, similar) => format!("similar: {}", similar.join(" ")),
            },
        )
    })?;
    let moves = library.is_some() || elf.position_independent;
    let real = || place.canonicalize().map_err(|error| Problem::io("find the file", place, &error));
    Ok(Region { name: name.to_owned(), image: moves.then(real).transpose()?, function })
}

/// The function of a name; refused if the file has several, as static ones of several sources are.
fn the_one(elf: &ElfFile, file: &Path, name: &str) -> Result<Option<Function>> {
    let places: Vec<&Function> = elf.places(name).collect();
    if let [] | [_] = places[..] {
        return Ok(places.first().map(|function| **function));
    }
    let own = file.file_name().unwrap_or_default().to_string_lossy();
    let places: Vec<String> = places.iter().map(|place| format!("{own}+{:#x}", place.address)).collect();
    Err(Problem::new(format!("'{name}' is several functions")).at(file.display()).remedy(format!(
        "name one of {}; nm -l tells their sources, nm -D a library's versions",
        places.join(" ")
    )))
}

/// Parses `FILE+0xADDRESS`, by which `hot` names a function without a symbol; an empty FILE is the program itself.
fn code_place(region: &str) -> Option<(&str, u64)> {
    let (file, address) = region.rsplit_once("+0x")?;
    Some((file, u64::from_str_radix(address, 16).ok()?))
}

fn function_at(file: &Path, address: u64) -> Result<Function> {
    let (address, local_entry) = CodeFile::load(file)?.entries(address).ok_or_else(|| {
        Problem::new(format!("has no code at {address:#x}"))
            .at(file.display())
            .remedy("name a function, or its address in the file as ./assay hot and objdump show it")
    })?;
    Ok(Function { address, local_entry, size_bytes: 0 })
}

fn library_file(root: &Root, program: &ElfFile, path: &Path, name: &str) -> Result<PathBuf> {
    if name.contains('/') || Path::new(name).is_file() {
        return Ok(PathBuf::from(name));
    }
    root.library(name, path, program).ok_or_else(|| {
        Problem::new(format!("there is no library '{name}' where {} looks for it", path.display()))
            .at(root.folder.display())
            .remedy(match &program.wants.libraries[..] {
                [] => "it is a static program; its functions are its own: leave out @FILE".to_owned(),
                wanted => format!("it needs {}; or name the library's file", wanted.join(" ")),
            })
    })
}

/// The first of the program's libraries that defines a function.
fn defined_in(root: &Root, program: &ElfFile, path: &Path, function: &str) -> Option<String> {
    let defines = |name: &&String| {
        let file = root.library(name, path, program).and_then(|file| ElfFile::load(&file).ok());
        file.is_some_and(|elf| elf.function(function).is_some())
    };
    program.wants.libraries.iter().find(defines).cloned()
}
