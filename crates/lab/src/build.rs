// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! From a variant to a runner: a static program that holds the variant, the reference, the hot path's test and the
//! freestanding runtime in `runner/`.
//!
//! Objects and runners are cached under the hash of everything that goes into them, so a second run compiles
//! nothing, and two concurrent runs each make a file of their own instead of writing to one.

use crate::cache::{holds_elf, read_text, Scratch, Workspace};
use crate::discover::Variant;
use crate::elf::ElfFile;
use crate::hotpath::file_name;
use crate::problem::{Blame, Problem, Result, STORAGE_FULL_REMEDY};
use crate::process::{signal_name, Command, Ending, Limits};
use crate::target::{Requirement, Target};
use crate::toolchain::{linker, Compiler, CompilerKind};
use arch::Arch;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Flags for every C and assembly file of a runner: optimised as a kernel is, and without a libc beneath it.
const COMMON_FLAGS: &[&str] = &[
    "-O2",
    "-g1",
    "-std=gnu11",
    "-ffreestanding",
    "-fno-pic",
    "-fno-pie",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fno-strict-aliasing",
    "-ffunction-sections",
    "-Wall",
    "-Wextra",
];

/// No variant takes a compiler this long, unless it makes it loop.
const COMPILE_TIMEOUT: Duration = Duration::from_secs(120);

/// Nor this much memory, nor is an object this long, unless its source repeats something without end.
const TOOL_LIMITS: Limits = Limits { memory_bytes: 2 << 30, file_bytes: 64 << 20 };

/// A line of every host's instruction cache, or half of one: how fast code is fetched depends on where in its lines it stands.
const LINE_BYTES: u64 = 64;

/// Between two places of code; functions of architectures where instructions start at any byte seldom start anywhere else.
const PLACE_STEP_BYTES: u64 = 4;

/// The longest name of a variant with its hot path in names of files, which file systems limit to 255 bytes; names of
/// traces have the case besides.
const NAME_CHARS_MAX: usize = 40;

/// A built runner.
#[derive(Clone, Debug)]
pub struct Runner {
    /// The program.
    pub path: PathBuf,
    /// The compiler, for records.
    pub compiler: String,
    /// Its symbols.
    pub elf: ElfFile,
    /// By how many bytes its code stands further on than it would without room in front of it.
    pub place_bytes: u64,
    /// What the address of the variant's code is a multiple of in whatever program.
    pub alignment: u64,
}

/// Builds runners; cheap to make, and shared between threads.
pub struct Builder<'a> {
    workspace: &'a Workspace,
    kind: CompilerKind,
}

/// One source with what it is compiled with.
struct Unit {
    source: PathBuf,
    flags: Vec<String>,
    /// Whether it came from outside our libraries and tests.
    of_the_users: bool,
    /// Those of the flags that the command line gave.
    given_flags: Vec<String>,
}

impl Unit {
    fn ours(source: PathBuf, flags: Vec<String>) -> Unit {
        Unit { source, flags, of_the_users: false, given_flags: Vec::new() }
    }
}

impl<'a> Builder<'a> {
    /// A builder with one kind of compiler.
    pub fn new(workspace: &'a Workspace, kind: CompilerKind) -> Builder<'a> {
        Builder { workspace, kind }
    }

    /// Why nothing can be built for an architecture, if the compiler does not exist for it anywhere: a reason to skip.
    pub fn cannot_build_for(&self, arch: Arch) -> Option<String> {
        Compiler::missing_for(self.kind, Target::of(arch))
    }

    /// Builds the runner of a variant, or finds it in the cache.
    ///
    /// A fault of the variant itself is a [`Problem`] that says so.
    pub fn runner(&self, variant: &Variant) -> Result<Runner> {
        self.runner_at(variant, 0)
    }

    /// A runner of a variant for each place that its code may have in a line of an instruction cache, the one of [`Builder::runner`]
    /// first. The others follow so that the first few are as far apart as that many can be.
    pub fn placed_runners(&self, variant: &Variant) -> Result<Vec<Runner>> {
        let mut runners = vec![self.runner(variant)?];
        for bytes in places_of(runners[0].alignment).into_iter().skip(1) {
            runners.push(self.runner_at(variant, bytes)?);
        }
        Ok(runners)
    }

    /// The runner with so many bytes in front of its code.
    fn runner_at(&self, variant: &Variant, place_bytes: u64) -> Result<Runner> {
        variant.in_order()?;
        let target = Target::of(variant.arch);
        let compiler = Compiler::of(self.kind, target)?;
        let runtime = self.workspace.root.join("runner");
        let surroundings = digest_of_headers(&[&runtime, library_of(variant)])?;
        let variant_object = self.variant_object(&compiler, variant, &surroundings)?;
        let alignment = alignment_of(variant, &ElfFile::load(&variant_object)?);
        let mut objects = vec![variant_object];
        objects.extend(self.adapter_object(&compiler, variant, &objects[0], &surroundings)?);
        for unit in self.library_units(variant, target) {
            let object = self.object(&compiler, &unit, &surroundings);
            let is_variant = variant.needs.iter().any(|need| need.source == unit.source);
            objects.push(object.map_err(|problem| if is_variant { problem } else { of_hotpath(problem) })?);
        }
        let of_runtime = digest_of_headers(&[&runtime])?;
        for unit in runtime_units(&runtime, target)? {
            objects.push(self.object(&compiler, &unit, &of_runtime)?);
        }
        if place_bytes > 0 {
            objects
                .insert(0, self.object(&compiler, &place_unit(&runtime, target, place_bytes), &of_runtime)?);
        }
        let path = self.link(variant, &objects)?;
        let elf = ElfFile::load(&path)
            .map_err(|problem| problem.remedy("remove this file of the cache; it is made again"))?;
        Ok(Runner { path, compiler: compiler.version, elf, place_bytes, alignment })
    }

    /// The flags that a variant is compiled with, those of the target first.
    pub fn flags(&self, variant: &Variant) -> Result<Vec<String>> {
        let compiler = Compiler::of(self.kind, Target::of(variant.arch))?;
        let common = COMMON_FLAGS.iter().map(|flag| (*flag).to_owned());
        Ok(compiler.target_flags.into_iter().chain(common).chain(self.variant_unit(variant).flags).collect())
    }

    /// Whether a C file of the user's defines the function with other types than the contract has. The compiler decides that, and
    /// only after something went wrong: types in kernel files may look different without a conflict.
    pub fn has_another_prototype(&self, variant: &Variant) -> Result<bool> {
        if !variant.foreign || variant.source.extension().is_none_or(|ending| ending != "c") {
            return Ok(false);
        }
        let scratch = self.workspace.scratch(".h")?;
        let contract = format!("#include <stddef.h>\n#include <stdint.h>\n{};\n", variant.hotpath.prototype);
        fs::write(scratch.path(), contract)
            .map_err(|error| Problem::io("write the prototype", scratch.path(), &error))?;
        let source = std::path::absolute(&variant.source)
            .map_err(|error| Problem::io("find the file", &variant.source, &error))?;
        let compiler = Compiler::of(self.kind, Target::of(variant.arch))?;
        let command = compiler.command().args(COMMON_FLAGS).args(&self.variant_unit(variant).flags);
        let command = command.arg("-include").arg(scratch.path()).arg("-fsyntax-only").arg(source);
        let output = command.timeout(COMPILE_TIMEOUT).limits(TOOL_LIMITS).run()?;
        Ok(output.stderr.contains(&format!("conflicting types for '{}'", variant.hotpath.symbol)))
    }

    /// The variant's own object, checked for its ABI and for what it defines.
    fn variant_object(&self, compiler: &Compiler, variant: &Variant, surroundings: &str) -> Result<PathBuf> {
        let is_given = variant.source.extension().is_some_and(|ending| ending == "o");
        let object = if is_given {
            variant.source.clone()
        } else {
            self.object(compiler, &self.variant_unit(variant), surroundings)?
        };
        // What was compiled elsewhere and cannot be read, or is for another machine, is another file than was meant.
        let elf = ElfFile::load(&object).map_err(|problem| {
            let problem = problem.at(variant.source.display());
            if is_given {
                problem
            } else {
                problem.of_variant()
            }
        })?;
        if elf.arch != variant.arch {
            return Err(Problem::new(format!("is {} code, but {} was asked for", elf.arch, variant.arch))
                .at(variant.source.display())
                .remedy(format!("give -a {}", elf.arch)));
        }
        Ok(object)
    }

    fn variant_unit(&self, variant: &Variant) -> Unit {
        let mut flags = claim_flags(&variant.requirements);
        if variant.foreign {
            flags.extend(self.compat_flags(variant));
        } else {
            flags.extend(self.include_flags(variant));
            flags.extend(variant.hotpath.bits_flag());
        }
        flags.extend(variant.keys.cflags.iter().chain(&variant.given_flags).cloned());
        let given_flags = variant.given_flags.clone();
        Unit { source: variant.source.clone(), flags, of_the_users: variant.foreign, given_flags }
    }

    fn include_flags(&self, variant: &Variant) -> Vec<String> {
        [library_of(variant), &variant.hotpath.folder, &self.workspace.root.join("runner")]
            .iter()
            .map(|folder| format!("-I{}", folder.display()))
            .collect()
    }

    /// Unmodified kernel sources find our stubs where they expect the kernel's headers.
    fn compat_flags(&self, variant: &Variant) -> Vec<String> {
        let compat = self.workspace.root.join("runner/compat");
        let mut flags: Vec<String> = compat_folders(variant.arch)
            .iter()
            .map(|folder| format!("-I{}", compat.join(folder).display()))
            .collect();
        // By -I, because a path with a quotation mark cannot be included by its own name.
        flags.push(format!("-I{}", self.workspace.root.join("runner").display()));
        // Behind them, so that a kernel's file never meets a header of ours by accident: those of the library.
        flags.extend(self.include_flags(variant));
        flags.extend(["-include".to_owned(), "compat/prelude.h".to_owned()]);
        flags.extend(["-D__KERNEL__".to_owned(), "-w".to_owned()]);
        if variant.source.extension().is_some_and(|ending| ending == "S" || ending == "s") {
            flags.push("-D__ASSEMBLY__".to_owned());
        }
        flags
    }

    /// Code from elsewhere may have another entry point; the hot path says which ones it can adapt.
    fn adapter_object(
        &self,
        compiler: &Compiler,
        variant: &Variant,
        object: &Path,
        surroundings: &str,
    ) -> Result<Option<PathBuf>> {
        let elf = ElfFile::load(object)?;
        let hotpath = &variant.hotpath;
        if elf.function(&hotpath.symbol).is_some() {
            return Ok(None);
        }
        let adapter = hotpath.adapters.iter().find(|adapter| elf.function(&adapter.symbol).is_some());
        let Some(adapter) = adapter else {
            let mut wanted = vec![hotpath.symbol.as_str()];
            wanted.extend(hotpath.adapters.iter().map(|adapter| adapter.symbol.as_str()));
            let has: Vec<&str> = elf.global_names.iter().map(String::as_str).take(8).collect();
            let has = if has.is_empty() { "no global function".to_owned() } else { has.join(" ") };
            return Err(Problem::new(format!(
                "cannot be judged: it does not define {} (it defines {has})",
                hotpath.symbol
            ))
            .at(variant.source.display())
            .remedy(format!(
                "define one of: {}; a function of another name is called so by --cflags=-DNAME={}",
                wanted.join(" "),
                hotpath.symbol
            )));
        };
        let mut flags = baseline_flags(Target::of(variant.arch));
        flags.extend(self.include_flags(variant));
        flags.extend(hotpath.bits_flag());
        let unit = Unit::ours(hotpath.folder.join(&adapter.source), flags);
        self.object(compiler, &unit, surroundings).map(Some)
    }

    /// What the library has besides the variant: what that needs, the reference under its own name, the test.
    fn library_units(&self, variant: &Variant, target: &'static Target) -> Vec<Unit> {
        let hotpath = &variant.hotpath;
        let symbol = &hotpath.symbol;
        let includes = self.include_flags(variant);
        let of_width = || {
            let mut flags = [baseline_flags(target), includes.clone()].concat();
            flags.extend(hotpath.bits_flag());
            flags
        };
        let mut units = Vec::new();
        for need in &variant.needs {
            let rename = vec![format!("-D{symbol}={symbol}_{}", need.name)];
            let mut flags =
                [claim_flags(&need.claims), includes.clone(), need.cflags.clone(), rename].concat();
            flags.extend(hotpath.bits_flag());
            units.push(Unit::ours(need.source.clone(), flags));
        }
        let rename = format!("-D{symbol}={symbol}_reference");
        units.push(Unit::ours(hotpath.folder.join("reference.c"), [of_width(), vec![rename]].concat()));
        let mut test = Unit::ours(hotpath.folder.join("test.c"), of_width());
        if variant.keys.reads_aligned_words {
            test.flags.push("-DASSAY_READS_ALIGNED_WORDS=1".to_owned());
        }
        units.push(test);
        units
    }

    fn object(&self, compiler: &Compiler, unit: &Unit, surroundings: &str) -> Result<PathBuf> {
        let text = read_text(&unit.source)?;
        let mut hasher = Sha256::new();
        let place = self.workspace.display(&unit.source);
        // A relative name could begin with a dash or an @, which compilers take for something else.
        let source = std::path::absolute(&unit.source)
            .map_err(|error| Problem::io("find the file", &unit.source, &error))?;
        let (included, takes_in_files) = self.included(compiler, unit, &source, &text)?;
        for part in [compiler.version.as_str(), surroundings, &place, &text, &included] {
            hasher.update(part.as_bytes());
            hasher.update([0]);
        }
        for flag in compiler
            .target_flags
            .iter()
            .chain(&unit.flags)
            .map(String::as_str)
            .chain(COMMON_FLAGS.iter().copied())
        {
            hasher.update(flag.as_bytes());
            hasher.update([0]);
        }
        let objects = self.workspace.folder("objects")?;
        let known = objects.join(format!("{}.o", hex(hasher.clone())));
        if !takes_in_files && holds_elf(&known) {
            return Ok(known);
        }
        let scratch = self.workspace.scratch(".o")?;
        let command = compiler
            .command()
            .args(COMMON_FLAGS)
            .args(&unit.flags)
            .arg("-c")
            .arg(source)
            .arg("-o")
            .arg(scratch.path());
        run_tool(command, &scratch, "does not compile", &place).map_err(|problem| {
            if problem.blame == Blame::Variant {
                if let Some(refused) = self.refused_flags(compiler, unit) {
                    return refused.at(&place);
                }
            }
            let missing = missing_header(&problem);
            match missing.as_deref() {
                Some(header) if is_of_the_c_library(header) => Problem::new(format!(
                    "cannot be judged: it includes {header}, a header of the C library, and there is none behind it"
                ))
                .at(&place)
                .remedy(
                    "leave it out: the compiler's own (stddef.h, stdint.h, stdbool.h, limits.h) are there, and memcpy, memmove, \
                     memset and memcmp are in assay.h",
                ),
                missing if unit.of_the_users => not_compiled(&place, &text, missing, problem),
                _ => problem,
            }
        })?;
        if !takes_in_files {
            return scratch.keep_as(&known);
        }
        hasher.update(digest_of(scratch.path())?.as_bytes());
        scratch.keep_as(&objects.join(format!("{}.o", hex(hasher))))
    }

    /// The problem of flags of the command line with which nothing compiles, not even an empty file.
    fn refused_flags(&self, compiler: &Compiler, unit: &Unit) -> Option<Problem> {
        if unit.given_flags.is_empty() {
            return None;
        }
        let command = compiler.command().args(COMMON_FLAGS).args(&unit.given_flags);
        let command = command.args(["-fsyntax-only", "-x", "c", "/dev/null"]).bare_environment();
        let output = command.timeout(COMPILE_TIMEOUT).limits(TOOL_LIMITS).run().ok()?;
        (!output.success()).then(|| {
            let given = unit.given_flags.join(" ");
            let what =
                format!("cannot be judged: nothing compiles with {given}:\n{}", indent(&output.head(3)));
            Problem::new(what).remedy("mend --cflags; ./assay check --help")
        })
    }

    /// The hash of the preprocessed text of a file of the user's, since it may include anything; our own sources include only headers of
    /// `surroundings`, unless they include other sources. Empty if there is no preprocessing, or if it fails, as the compilation
    /// then will.
    ///
    /// Also whether the assembler or the compiler takes in further files, of which no preprocessor tells.
    fn included(
        &self,
        compiler: &Compiler,
        unit: &Unit,
        source: &Path,
        text: &str,
    ) -> Result<(String, bool)> {
        let ours =
            ["libs", "runner"].iter().any(|folder| source.starts_with(self.workspace.root.join(folder)));
        if ours && !includes_other_than_headers(text)
            || source.extension().is_some_and(|ending| ending == "s")
        {
            return Ok((String::new(), takes_in_files(text)));
        }
        let scratch = self.workspace.scratch(".i")?;
        let command = compiler.command().args(COMMON_FLAGS).args(&unit.flags).arg("-E").arg(source);
        let output =
            command.arg("-o").arg(scratch.path()).timeout(COMPILE_TIMEOUT).limits(TOOL_LIMITS).run()?;
        if !output.success() || !scratch.path().is_file() {
            return Ok((String::new(), takes_in_files(text)));
        }
        let bytes = fs::read(scratch.path())
            .map_err(|error| Problem::io("read the preprocessed text", scratch.path(), &error))?;
        let takes_in = takes_in_files(text) || takes_in_files(&String::from_utf8_lossy(&bytes));
        Ok((digest_of(scratch.path())?, takes_in))
    }

    fn link(&self, variant: &Variant, objects: &[PathBuf]) -> Result<PathBuf> {
        let mut hasher = Sha256::new();
        for object in objects {
            hasher.update(object.to_string_lossy().as_bytes());
            hasher.update(fs::read(object).map_err(|error| Problem::io("read the object", object, &error))?);
        }
        let words = format!("{}-{}", variant.hotpath.name, variant.name);
        // The name is for people; the hash tells one from another, so that a long name may be cut.
        let words: String = words.replace('/', "_").chars().take(NAME_CHARS_MAX).collect();
        let name = format!("{words}-{}-{}", variant.arch, &hex(hasher)[..16]);
        let runner = self.workspace.folder("runners")?.join(name);
        if holds_elf(&runner) {
            return Ok(runner);
        }
        let scratch = self.workspace.scratch("")?;
        let command = Command::new(linker()?)
            .args(["-static", "-nostdlib", "-z", "noexecstack", "--build-id=none", "-e", "_start"])
            // An out-of-tree file may hold functions that call what is not here; the exception table must stay.
            .args(["--gc-sections", "-z", "nostart-stop-gc", "-o"])
            .arg(scratch.path())
            .args(objects);
        let linked = run_tool(command, &scratch, "does not link", &self.workspace.display(&variant.source));
        linked.map_err(|problem| match lacking(&problem, &variant.hotpath.symbol) {
            Some((file, what)) => Problem::new(format!("does not define {what}"))
                .at(variant.hotpath.folder.join(file).display())
                .remedy(HOTPATH_REMEDY),
            None => problem,
        })?;
        scratch.keep_as(&runner)
    }
}

/// Distances in bytes at which code of an alignment stands differently in a line, none first.
fn places_of(alignment: u64) -> Vec<u64> {
    let step = alignment.clamp(PLACE_STEP_BYTES, LINE_BYTES).next_power_of_two();
    let mut places = vec![0];
    let mut apart = LINE_BYTES / 2;
    while apart >= step {
        // Halfway between those that there are.
        places.extend(places.clone().iter().map(|place| place + apart));
        apart /= 2;
    }
    places
}

/// The alignment of the function that is judged, under its own name or one that the hot path adapts.
fn alignment_of(variant: &Variant, object: &ElfFile) -> u64 {
    let hotpath = &variant.hotpath;
    let adapted = hotpath.adapters.iter().map(|adapter| &adapter.symbol);
    let mut names = std::iter::once(&hotpath.symbol).chain(adapted);
    names.find(|name| object.function(name).is_some()).map_or(1, |name| object.alignment(name))
}

/// The problem of the hot path's own test or reference, without which no variant can be judged: none is wrong for it.
fn of_hotpath(mut problem: Problem) -> Problem {
    if problem.blame == Blame::Variant {
        problem = problem.remedy(HOTPATH_REMEDY);
        problem.blame = Blame::Surroundings;
    }
    problem
}

const HOTPATH_REMEDY: &str = "mend it: docs/add-a-hotpath.md tells what it has to do";

/// What the hot path's own test or reference has to define and, as the linker says, does not: the file, and the symbol.
fn lacking(problem: &Problem, symbol: &str) -> Option<(&'static str, String)> {
    let of_reference = format!("{symbol}_reference");
    let own = [("test.c", "assay_hotpath"), ("test.c", "assay_bench"), ("reference.c", &of_reference)];
    let undefined: Vec<&str> =
        problem.what.lines().filter_map(|line| Some(line.split_once("undefined symbol: ")?.1)).collect();
    let found = own.into_iter().find(|(_, name)| undefined.contains(name))?;
    // The reference is compiled under another name than it has in its file.
    Some((found.0, found.1.strip_suffix("_reference").unwrap_or(found.1).to_owned()))
}

/// Whether a text has directives that read other files after the preprocessor, in assembly or in asm statements.
fn takes_in_files(text: &str) -> bool {
    [".include", ".incbin", "embed"].iter().any(|word| text.contains(word))
}

/// Whether a source includes another one, of which `surroundings` knows nothing: a test that has its library compiled in.
fn includes_other_than_headers(text: &str) -> bool {
    let included =
        text.lines().filter_map(|line| line.trim_start().strip_prefix("#include \"")?.split('"').next());
    included.into_iter().any(|name| !name.ends_with(".h"))
}

/// The header that a compiler did not find. clang: 'x.h' file not found; gcc: x.h: No such file or directory
fn missing_header(problem: &Problem) -> Option<String> {
    let told = |line: &str| {
        let what = line.split_once("fatal error: ")?.1;
        let of_clang = || what.strip_prefix('\'')?.split_once("' file not found");
        Some(what.split_once(": No such file or directory").or_else(of_clang)?.0.to_owned())
    };
    problem.what.lines().find_map(told)
}

/// Whether a header is of a hosted C or POSIX: code for a kernel, or before main, has none. (The compiler's own headers are found,
/// so that one of those is never asked for here.)
fn is_of_the_c_library(header: &str) -> bool {
    const NAMES: &str = "assert byteswap ctype endian errno fcntl fenv inttypes locale malloc math memory poll pthread sched \
                         setjmp signal stdio stdlib string strings threads time unistd wchar wctype";
    const FOLDERS: [&str; 5] = ["arpa/", "bits/", "net/", "netinet/", "sys/"];
    let is_named = |name| NAMES.split_ascii_whitespace().any(|one| one == name);
    FOLDERS.iter().any(|folder| header.starts_with(folder)) || header.strip_suffix(".h").is_some_and(is_named)
}

/// The problem of a file that includes a header which is missing here, or of a kernel's that does not compile without its
/// kernel: such a file cannot be judged.
fn not_compiled(place: &str, source: &str, missing: Option<&str>, problem: Problem) -> Problem {
    let of_a_kernel =
        ["<linux/", "<asm/"].iter().any(|folder| source.contains(&format!("#include {folder}")));
    if problem.blame == Blame::Surroundings || missing.is_none() && !of_a_kernel {
        return problem;
    }
    match missing {
        None => Problem::new(format!("cannot be judged: it {}", problem.what)).at(place).remedy(
            "what the kernel's own headers would say is added with -I DIR, --cflags '-include FILE' or --cflags -DNAME=VALUE",
        ),
        Some(header) => Problem::new(format!("cannot be judged: it includes {header}, which is not here"))
            .at(place)
            .remedy(
                "name the folder that has it with -I DIR, or define what takes its place with --cflags; runner/compat has \
                 those headers of the kernel that the known files need",
            ),
    }
}

fn run_tool(command: Command, scratch: &Scratch, what: &str, place: &str) -> Result<()> {
    // A compiler that is killed leaves its temporary files with the scratch file, which is swept away.
    let command = command.env("TMPDIR", scratch.folder()).bare_environment();
    let program = command.program().display().to_string();
    let output = command.timeout(COMPILE_TIMEOUT).limits(TOOL_LIMITS).run_supplied();
    let output = output.map_err(|problem| problem.at(place))?;
    let wrong = |why: String| Err(Problem::new(format!("{what}:{why}")).at(place).of_variant());
    // The linker maps its output, and writing to a mapped file on a full disk raises SIGBUS.
    if output.ending == Ending::Killed(libc::SIGBUS) {
        return Err(Problem::new("the disk is full").at(place).remedy(STORAGE_FULL_REMEDY));
    }
    match output.ending {
        Ending::Exited(0) if fs::metadata(scratch.path()).is_ok_and(|made| made.len() > 0) => Ok(()),
        Ending::Exited(0) => Err(Problem::new(format!("{program} exited with status 0 and wrote nothing"))
            .at(place)
            .remedy("leave out options that have it write nothing; if there are none, run ./setup")),
        Ending::TimedOut => wrong(" the tool was still running after two minutes".to_owned()),
        Ending::Killed(signal) => wrong(format!(" the tool was ended by {}", signal_name(signal))),
        Ending::Exited(_) if output.stderr.contains("PLEASE submit a bug report") => {
            // The reason comes after a stack dump that means nothing to users.
            let errors: Vec<&str> = output.stderr.lines().filter(|line| line.contains(" error: ")).collect();
            wrong(format!(" the tool crashed:\n{}", indent(&errors.join("\n"))))
        }
        Ending::Exited(_) => wrong(format!("\n{}", indent(&output.head(12)))),
    }
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

/// The compiler flags of a set of claims; `-march`/`-mcpu` of the baseline where no claim brings one.
fn claim_flags(claims: &[&'static Requirement]) -> Vec<String> {
    claims.iter().flat_map(|claim| claim.cflags).map(|flag| flag.to_string()).collect()
}

fn baseline_flags(target: &'static Target) -> Vec<String> {
    target.requirement(target.baseline).map(|baseline| claim_flags(&[baseline])).unwrap_or_default()
}

/// Where stubs for an architecture's kernel headers stand, most special first.
fn compat_folders(arch: Arch) -> &'static [&'static str] {
    match arch {
        Arch::Powerpc | Arch::Powerpc64 | Arch::Powerpc64le => &["powerpc", "generic"],
        Arch::Loongarch64 => &["loongarch", "generic"],
        Arch::X86_64 => &["x86", "generic"],
        Arch::Aarch64 => &["arm64", "generic"],
        Arch::Riscv64 => &["riscv", "generic"],
    }
}

/// A hash of every header below the folders that a unit may include, so that a changed one rebuilds what it may touch.
fn digest_of_headers(folders: &[&Path]) -> Result<String> {
    let mut hasher = Sha256::new();
    let mut headers = Vec::new();
    for folder in folders {
        collect_headers(folder, &mut headers)?;
    }
    headers.sort();
    for header in headers {
        hasher.update(header.to_string_lossy().as_bytes());
        hasher.update(read_text(&header)?.as_bytes());
    }
    Ok(hex(hasher))
}

/// The folder of the library that a variant's hot path belongs to.
fn library_of(variant: &Variant) -> &Path {
    variant.hotpath.folder.parent().unwrap_or(&variant.hotpath.folder)
}

/// The runtime, which knows nothing of the library: so its objects serve all hot paths of an architecture.
fn runtime_units(runtime: &Path, target: &'static Target) -> Result<Vec<Unit>> {
    let folders = runtime_folders(runtime, target);
    let includes = folders.iter().map(|folder| format!("-I{}", folder.display()));
    let flags: Vec<String> = baseline_flags(target).into_iter().chain(includes).collect();
    Ok(runtime_sources(&folders)?.into_iter().map(|source| Unit::ours(source, flags.clone())).collect())
}

/// Room in front of the code.
fn place_unit(runner: &Path, target: &'static Target, bytes: u64) -> Unit {
    let flags = [baseline_flags(target), vec![format!("-DASSAY_PLACE_BYTES={bytes}")]].concat();
    Unit::ours(runner.join("place/place.S"), flags)
}

/// The runtime's own folder and the architecture's; both byte orders of POWER share one.
fn runtime_folders(runner: &Path, target: &Target) -> Vec<PathBuf> {
    let of_arch = target.variant_folders.iter().map(|name| runner.join("arch").join(name));
    std::iter::once(runner.to_path_buf()).chain(of_arch.filter(|folder| folder.is_dir())).collect()
}

fn runtime_sources(folders: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    for folder in folders {
        let entries = fs::read_dir(folder).map_err(|error| Problem::io("read the folder", folder, &error))?;
        let is_source =
            |path: &PathBuf| path.extension().is_some_and(|ending| ending == "c" || ending == "S");
        sources.extend(entries.flatten().map(|entry| entry.path()).filter(is_source));
    }
    sources.sort();
    Ok(sources)
}

fn collect_headers(folder: &Path, headers: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).map_err(|error| Problem::io("read the folder", folder, &error))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect_headers(&path, headers)?;
        } else if path.extension().is_some_and(|ending| ending == "h" || ending == "inc") {
            headers.push(path);
        }
    }
    Ok(())
}

fn digest_of(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(|error| Problem::io("read the file", path, &error))?;
    let mut hasher = Sha256::new();
    hasher.update(bytes);
    Ok(hex(hasher))
}

/// A short name for a list of texts, for file names in the cache.
pub fn digest(parts: &[&str]) -> String {
    digest_of_bytes(&parts.iter().map(|part| part.as_bytes()).collect::<Vec<_>>())
}

/// The same for what need not be text.
pub fn digest_of_bytes(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
        hasher.update([0]);
    }
    hex(hasher)
}

fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// The name of a variant made from a file of the user's.
pub fn foreign_name(path: &Path) -> String {
    let name = file_name(path);
    name.rsplit_once('.').map_or(name.clone(), |(stem, _)| stem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{includes_other_than_headers, places_of};

    #[test]
    fn places_of_a_line_are_as_far_apart_as_so_many_can_be() {
        assert_eq!(places_of(16), [0, 32, 16, 48]);
        assert_eq!(places_of(32), [0, 32]);
        assert_eq!(places_of(64), [0]);
        assert_eq!(places_of(4096), [0]);
        assert_eq!((places_of(u64::MAX), places_of(24)), (vec![0], vec![0, 32]));
        let all = places_of(1);
        assert_eq!((all.len(), &all[..8]), (16, &[0, 32, 16, 48, 8, 40, 24, 56][..]));
        assert!(all.iter().all(|place| place % 4 == 0 && *place < 64));
    }

    #[test]
    fn a_source_that_includes_another_is_told_from_one_with_headers() {
        for text in ["#include \"log.c\"", "int x;\n  #include \"../of/all.S\" /* all */\n"] {
            assert!(includes_other_than_headers(text), "{text}");
        }
        for text in ["#include \"assay.h\"\n#include <stdint.h>", "/* log.c */", "", "#include FILE"] {
            assert!(!includes_other_than_headers(text), "{text}");
        }
    }
}
