// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Builds a bootable kernel from source and patches, with as little compiling as possible.
//!
//! For each architecture and compiler there is one baseline tree: hard links to the source, and `build` within it. Kbuild
//! then names all sources as `../FILE`, so its dependency files are valid in any other folder of the same layout. A patched
//! kernel is such a folder: hard links again, copies of the patched files, and a copy of the baseline's `build`, in which
//! make only rebuilds what depends on a patched file. Only its results are kept, under the hash of all inputs.

use crate::listing::Listing;
use crate::machine::Machine;
use crate::patch::{self, Patch};
use crate::source::{copy, Source};
use arch::Arch;
use lab::build::digest;
use lab::cache::{read_text, Workspace};
use lab::problem::STORAGE_FULL_REMEDY;
use lab::process::{Command, Output};
use lab::target::Target;
use lab::toolchain::{require_program, Compiler, CompilerKind};
use lab::{Problem, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A whole kernel on one slow processor.
const MAKE_TIMEOUT: Duration = Duration::from_secs(3 * 3600);
/// To be incremented when a change here changes what is built.
const RECIPE: &str = "1";
/// In the output folder of a tree that is finished.
const DONE: &str = "build/assay-done";
/// There as well, in a tree of the user's source: the listing of what its objects were compiled from.
const LISTING: &str = "build/assay-files";
/// Among the results: the compiler's warnings, a line each.
const WARNINGS: &str = "warnings";

/// What to build.
#[derive(Clone, Debug)]
pub struct Request {
    /// The machine to boot it on.
    pub machine: &'static Machine,
    /// The compiler; `None` is gcc where Debian has one, else clang.
    pub compiler: Option<CompilerKind>,
    /// Patches, to be applied in this order; none is the baseline.
    pub patches: Vec<Patch>,
    /// A tree of the user's instead of Debian's source.
    pub source: Option<PathBuf>,
}

/// A kernel that was built.
#[derive(Clone, Debug)]
pub struct Built {
    /// The architecture.
    pub arch: Arch,
    /// The hash of all inputs.
    pub key: String,
    /// The folder of its results.
    pub folder: PathBuf,
    /// The ELF file, with symbols.
    pub vmlinux: PathBuf,
    /// What QEMU boots; on most machines this is vmlinux.
    pub image: PathBuf,
    /// Symbols by address.
    pub system_map: PathBuf,
    /// A folder of *.ko.
    pub modules: PathBuf,
    /// What it was built from.
    pub source: Source,
    /// The compiler with its version.
    pub compiler: String,
    /// Objects that were compiled for it; 0 if it came from the cache.
    pub compiled_count: usize,
    /// Warnings of the compiler when it was built.
    pub warnings: Vec<String>,
    /// Whether it came from the cache.
    pub cached: bool,
    /// How long the build took.
    pub elapsed: Duration,
}

impl Built {
    /// A module of this kernel by its name, without `.ko`.
    pub fn module(&self, name: &str) -> Result<PathBuf> {
        let path = self.modules.join(format!("{name}.ko"));
        path.is_file().then_some(path).ok_or_else(|| {
            Problem::new(format!("this kernel has no module '{name}'"))
                .at(self.folder.display())
                .remedy(format!("let kernel/config/{}.config have it as =m", self.arch))
        })
    }
}

/// The inputs, names and folders of one build.
struct Plan<'a> {
    workspace: &'a Workspace,
    request: &'a Request,
    machine: &'static Machine,
    source: Source,
    kind: CompilerKind,
    compiler: Compiler,
    /// The file of the architecture, for messages.
    config: PathBuf,
    /// The configuration that all kernels share, and that of this architecture.
    fragment: String,
    /// Lines for which a user's tree, which may be older, has no options; the fragment leaves them out.
    unknown: Vec<String>,
    /// `ARCH-COMPILER-SOURCE`: one tree is kept of those whose names start with it.
    family: String,
    baseline: String,
    key: String,
}

/// Builds a kernel, or finds it in the cache. `say` gets a message about what takes long.
pub fn build(workspace: &Workspace, request: &Request, say: &dyn Fn(&str)) -> Result<Built> {
    let started = Instant::now();
    let plan = Plan::new(workspace, request)?;
    // The baseline takes minutes, which a patch that does not apply must not cost.
    let notes = patch::try_out(&plan.source, &request.patches, workspace.scratch(".files")?.path())?;
    notes.iter().for_each(|note| say(note));
    if let Some(found) = plan.found(started) {
        return Ok(found);
    }
    // Concurrent builds for one architecture and compiler wait for each other, since they would build the same objects.
    let _lock = workspace.lock(&format!("kernel-{}", plan.family))?;
    if let Some(found) = plan.found(started) {
        return Ok(found);
    }
    let (tree, compiled) = plan.baseline_tree(say)?;
    if request.patches.is_empty() {
        // If the tree was compiled just now, its output is at hand; an older tree may lack some results, so make runs
        // again.
        let output = compiled.map_or_else(|| plan.make(&tree), Ok)?;
        return plan.keep(&tree, &output, started);
    }
    say(&format!(
        "kernel: applies {} to {}",
        counted(request.patches.len(), "patch", "patches"),
        plan.source.version
    ));
    // A gigabyte or more, which an interrupted run takes away, too.
    let patched = workspace.scratch(".tree")?;
    plan.patched_tree(&tree, patched.path())?;
    let output = plan.make(patched.path())?;
    plan.keep(patched.path(), &output, started)
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The configuration file of the architecture or board, and all the text: common, of the architecture, of the board.
/// Checked before the source is looked for, since nothing can be built without a configuration.
fn config_of(workspace: &Workspace, machine: &Machine) -> Result<(PathBuf, String)> {
    let arch = machine.arch;
    let folder = workspace.root.join("kernel/config");
    let config = folder.join(format!("{arch}.config"));
    if config.is_file() {
        let fragment = format!("{}\n{}", read_text(&folder.join("common.config"))?, read_text(&config)?);
        if machine.board.is_none() {
            return Ok((config, fragment));
        }
        let config = folder.join(format!("{}.config", machine.name()));
        let of_board = read_text(&config)?;
        return Ok((config, format!("{fragment}\n{of_board}")));
    }
    let there = Arch::ALL.into_iter().filter(|arch| folder.join(format!("{arch}.config")).is_file());
    let names: Vec<String> = there.map(|arch| arch.to_string()).collect();
    Err(Problem::new(format!("there is no configuration for a kernel of {arch}"))
        .at(config.display())
        .remedy(format!(
            "choose {}, boot a kernel of yours with --kernel, or write that file",
            names.join(" or ")
        )))
}

impl<'a> Plan<'a> {
    fn new(workspace: &'a Workspace, request: &'a Request) -> Result<Plan<'a>> {
        let machine = request.machine;
        let target = Target::of(machine.arch);
        let (config, mut fragment) = config_of(workspace, machine)?;
        let mut unknown = Vec::new();
        let source = match &request.source {
            Some(folder) => {
                let source = Source::named(folder)?;
                (fragment, unknown) = without_unknown(&fragment, &source.options()?);
                source
            }
            None => Source::of_debian(workspace)?,
        };
        let kind = request.compiler.unwrap_or(match Compiler::missing_for(CompilerKind::Gcc, target) {
            Some(_) => CompilerKind::Clang,
            None => CompilerKind::Gcc,
        });
        let compiler = Compiler::of(kind, target)?;
        let kind_name = if kind == CompilerKind::Gcc { "gcc" } else { "clang" };
        let family = format!("{}-{kind_name}-{}", machine.name(), &digest(&[&source.identity])[..8]);
        let state = source.state();
        let ingredients = [
            RECIPE,
            &source.identity,
            &state,
            &compiler.version,
            machine.image_target().unwrap_or_default(),
            &fragment,
        ];
        let base = digest(&ingredients);
        let key = format!("{}-{}", machine.name(), digest(&[&base, &patch::digest_of(&request.patches)]));
        let baseline = format!("{family}-{base}");
        Ok(Plan {
            workspace,
            request,
            machine,
            source,
            kind,
            compiler,
            config,
            fragment,
            unknown,
            family,
            baseline,
            key,
        })
    }

    fn folder(&self) -> PathBuf {
        self.workspace.cache.join("kernel/images").join(&self.key)
    }

    fn log(&self) -> Result<PathBuf> {
        Ok(self.workspace.folder("kernel/log")?.join(format!("build-{}.log", self.key)))
    }

    /// The results of an earlier build, if they are complete. Without the warnings they are of before these were kept.
    fn found(&self, started: Instant) -> Option<Built> {
        let folder = self.folder();
        let text = fs::read_to_string(folder.join(WARNINGS)).ok()?;
        let warnings = text.lines().map(str::to_owned).collect();
        folder.join("stamp").is_file().then(|| self.built(folder, started, 0, warnings, true))
    }

    fn built(
        &self,
        folder: PathBuf,
        started: Instant,
        compiled_count: usize,
        warnings: Vec<String>,
        cached: bool,
    ) -> Built {
        Built {
            arch: self.machine.arch,
            key: self.key.clone(),
            vmlinux: folder.join("vmlinux"),
            image: folder.join(Path::new(self.machine.image).file_name().unwrap_or_default()),
            system_map: folder.join("System.map"),
            modules: folder.join("modules"),
            folder,
            source: self.source.clone(),
            compiler: self.compiler.version.clone(),
            compiled_count,
            warnings,
            cached,
            elapsed: started.elapsed(),
        }
    }

    /// The tree of the unpatched kernel, with everything compiled, and make's output if that was done now. An
    /// interrupted build continues where it stopped.
    fn baseline_tree(&self, say: &dyn Fn(&str)) -> Result<(PathBuf, Option<Output>)> {
        let trees = self.workspace.folder("kernel/trees")?;
        let tree = trees.join(&self.baseline);
        if tree.join(DONE).is_file() {
            return Ok((tree, None));
        }
        self.take_over_another(&trees, &tree)?;
        if !tree.is_dir() {
            let part = self.part(&tree);
            self.source.link_to(&part)?;
            rename(&part, &tree)?;
        }
        say(&format!(
            "kernel: builds {} for {} with {}: the baseline of all patches, some three minutes on two idle processors, once",
            self.source.version, self.machine.name(), self.compiler.version
        ));
        if !self.unknown.is_empty() {
            say(&format!("kernel: {} has no such options: {}", self.source.version, self.unknown.join(" ")));
        }
        self.configure(&tree)?;
        let output = self.make(&tree)?;
        self.source.must_be_unchanged()?;
        if let Some(files) = &self.source.files {
            write(&tree.join(LISTING), &files.to_text())?;
        }
        write(&tree.join(DONE), "")?;
        Ok((tree, Some(output)))
    }

    /// A tree that is being made.
    fn part(&self, tree: &Path) -> PathBuf {
        tree.with_file_name(format!("{}.part", self.baseline))
    }

    /// Keeps one tree of each family. A tree of an older configuration, compiler or state of the source becomes this one: kbuild
    /// sees from its dependency files which objects are still valid. A `.part` was left by a killed run and is removed.
    fn take_over_another(&self, trees: &Path, tree: &Path) -> Result<()> {
        let entries = fs::read_dir(trees).map_err(|error| Problem::io("read the folder", trees, &error))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !name.starts_with(&self.family) || name == self.baseline {
                continue;
            }
            let done = path.join(DONE);
            // Without a listing, as before there were any, nothing tells which objects are still valid.
            let known = self.source.files.is_none() || path.join(LISTING).is_file();
            if !tree.is_dir() && done.is_file() && known {
                fs::remove_file(&done).map_err(|error| Problem::io("remove the mark", &done, &error))?;
                match &self.source.files {
                    None => rename(&path, tree)?,
                    Some(files) => self.take_over(&path, tree, files)?,
                }
            } else {
                fs::remove_dir_all(&path)
                    .map_err(|error| Problem::io("remove the old tree", &path, &error))?;
            }
        }
        Ok(())
    }

    /// Takes the objects of a tree of the user's source into a new one. Make compares times, and a file may have been replaced by
    /// an older one: what is not as it was when the objects were compiled becomes a copy with the time of now.
    fn take_over(&self, old: &Path, tree: &Path, files: &Listing) -> Result<()> {
        let part = self.part(tree);
        self.source.link_to(&part)?;
        let listing = old.join(LISTING);
        let compiled = fs::read_to_string(&listing)
            .map_err(|error| Problem::io("read the listing", &listing, &error))?;
        for path in files.changed_since(&Listing::from_text(&compiled)) {
            patch::own(&part.join(path))?;
        }
        rename(&old.join("build"), &part.join("build"))?;
        fs::remove_dir_all(old).map_err(|error| Problem::io("remove the old tree", old, &error))?;
        rename(&part, tree)
    }

    fn patched_tree(&self, baseline: &Path, tree: &Path) -> Result<()> {
        patch::patched_tree(&self.source, &self.request.patches, tree)?;
        // Some tools write objects in place, so these are copied and not linked.
        copy(&["-a", "--reflink=auto"], &baseline.join("build"), &tree.join("build"))?;
        // The vDSO's commands name a file of lib/vdso by its whole path, without links. Kbuild compiles anew what has another
        // command, and all that depends on it.
        let named = |tree: &Path| match tree.canonicalize() {
            Ok(whole) => Ok(format!("{}/", whole.display())),
            Err(error) => Err(Problem::io("find the tree", tree, &error)),
        };
        move_commands(&tree.join("build"), &named(baseline)?, &named(tree)?)?;
        let of_kconfig = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("Kconfig"))
        };
        match self.request.patches.iter().any(|patch| patch.touched.iter().any(of_kconfig)) {
            true => self.configure(tree),
            false => Ok(()),
        }
    }

    /// `make` with everything that determines the result.
    fn make_command(&self, tree: &Path) -> Result<Command> {
        let command = Command::new(require_program("make", "make")?)
            .bare_environment()
            .folder(tree)
            .timeout(MAKE_TIMEOUT)
            .args(["O=build", &format!("ARCH={}", self.machine.kernel_arch)])
            .env("LC_ALL", "C")
            .env("KBUILD_BUILD_TIMESTAMP", "2024-01-01")
            .env("KBUILD_BUILD_USER", "assay")
            .env("KBUILD_BUILD_HOST", "assay")
            .env("KBUILD_BUILD_VERSION", "1");
        Ok(match self.kind {
            CompilerKind::Clang => command.arg("LLVM=-19"),
            CompilerKind::Gcc => {
                let name =
                    self.compiler.program.file_name().unwrap_or_default().to_string_lossy().into_owned();
                command.arg(format!("CROSS_COMPILE={}", name.trim_end_matches("gcc")))
            }
        })
    }

    /// Configures with everything off but what the fragment sets. A line of the fragment that Kconfig's rules undo is
    /// an error.
    fn configure(&self, tree: &Path) -> Result<()> {
        let build = tree.join("build");
        fs::create_dir_all(&build).map_err(|error| Problem::io("make the folder", &build, &error))?;
        let fragment = build.join("assay.config");
        write(&fragment, &self.fragment)?;
        let command = self.make_command(tree)?.arg("allnoconfig").env("KCONFIG_ALLCONFIG", &fragment);
        let output = command.run()?;
        if !output.success() {
            self.log_output(&output)?;
            return Err(self.failed(&output, "the kernel cannot be configured"));
        }
        let result = read_text(&build.join(".config"))?;
        let lost = lost_lines(&self.fragment, &result);
        match lost.is_empty() {
            true => Ok(()),
            false => Err(Problem::new(format!("the kernel's rules undo these lines: {}", lost.join(" ")))
                .at(self.workspace.display(&self.config))
                .remedy("name what they depend on, too, or leave them out (make menuconfig tells)")),
        }
    }

    fn make(&self, tree: &Path) -> Result<Output> {
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
        let mut command =
            self.make_command(tree)?.arg(format!("-j{processors}")).args(["vmlinux", "modules"]);
        if let Some(image) = self.machine.image_target() {
            command = command.arg(image);
        }
        let output = command.run()?;
        self.log_output(&output)?;
        match output.success() {
            true => Ok(output),
            false => Err(self.failed(&output, "the kernel does not compile")),
        }
    }

    fn log_output(&self, output: &Output) -> Result<()> {
        write(&self.log()?, &format!("{}\n{}", output.stdout, output.stderr))
    }

    fn failed(&self, output: &Output, what: &str) -> Problem {
        if output.found_no_space() {
            return Problem::new(format!("{what}: the disk is full")).remedy(STORAGE_FULL_REMEDY);
        }
        let log = self.log().map(|log| self.workspace.display(&log)).unwrap_or_default();
        let problem = Problem::new(format!("{what}: {}", first_error(output)));
        match self.request.patches.is_empty() {
            true => problem.at(log),
            false => {
                problem.at(log).remedy("see the log; the kernel without the patch compiles").of_variant()
            }
        }
    }

    /// Keeps the results of a tree under their key.
    fn keep(&self, tree: &Path, output: &Output, started: Instant) -> Result<Built> {
        self.source.must_be_unchanged()?;
        let build = tree.join("build");
        let folder = self.folder();
        self.workspace.folder("kernel/images")?;
        let part = self.workspace.scratch(".image")?;
        let modules = part.path().join("modules");
        fs::create_dir_all(&modules).map_err(|error| Problem::io("make the folder", &modules, &error))?;
        for name in ["vmlinux", "System.map", ".config", self.machine.image] {
            let to = part.path().join(Path::new(name).file_name().unwrap_or_default());
            if !to.exists() {
                copy(&["--sparse=auto"], &build.join(name), &to)?;
            }
        }
        // modules.order names the objects of all modules, a line each.
        for line in read_text(&build.join("modules.order"))?.lines() {
            let module = build.join(line).with_extension("ko");
            copy(&[], &module, &modules.join(module.file_name().unwrap_or_default()))?;
        }
        let names: Vec<String> =
            self.request.patches.iter().map(|patch| format!("patch {}", patch.path.display())).collect();
        let text = format!("{}\n{}", output.stdout, output.stderr);
        let warnings: Vec<String> =
            text.lines().filter(|line| line.contains("warning:")).map(str::to_owned).collect();
        write(&part.path().join(WARNINGS), &warnings.join("\n"))?;
        let stamp = [
            format!("source {}", self.source.identity),
            format!("compiler {}", self.compiler.version),
            names.join("\n"),
        ];
        write(&part.path().join("stamp"), &stamp.join("\n"))?;
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .map_err(|error| Problem::io("remove what is half there", &folder, &error))?;
        }
        let folder = part.keep_as(&folder)?;
        let compiled = output.stdout.lines().filter(|line| is_compilation(line)).count();
        Ok(self.built(folder, started, compiled, warnings, false))
    }
}

/// Whether a line of make's output is like `  CC      lib/checksum.o`, or for a module `  CC [M]  lib/test_bpf.o`. The tables of
/// symbols that each link makes are none of the source's objects.
fn is_compilation(line: &str) -> bool {
    matches!(
        line.split_whitespace().next(),
        Some("CC" | "AS" | "VDSO64A" | "VDSO64C" | "VDSO32A" | "VDSO32C")
    ) && line.ends_with(".o")
        && !line.contains(" .tmp_vmlinux")
}

/// How a compiler, an assembler, kconfig, the linker and make mark an error.
const ERRORS: [&str; 6] = ["error:", "Error:", ": syntax error", ": unknown statement", "undefined", "*** "];

/// The first line that is marked as an error.
fn first_error(output: &Output) -> String {
    let text = format!("{}\n{}", output.stderr, output.stdout);
    let is_error = |line: &&str| ERRORS.iter().any(|word| line.contains(word));
    text.lines().find(is_error).map_or_else(|| output.tail(3), |line| line.trim().to_owned())
}

/// Lines of the fragment that are not in the result.
fn lost_lines(fragment: &str, result: &str) -> Vec<String> {
    let wanted = fragment.lines().filter(|line| line.starts_with("CONFIG_"));
    let off = |line: &str| line.strip_suffix("=n").map(|name| format!("# {name} is not set"));
    let has = |line: &str| result.lines().any(|there| there == line);
    wanted
        .filter(|line| match off(line) {
            // An option that is off may be listed as not set or not at all.
            Some(_) => result.lines().any(|there| there.starts_with(&line.replace("=n", "="))),
            None => !has(line),
        })
        .map(str::to_owned)
        .collect()
}

/// The fragment without the lines whose option is not in `options`, and those lines.
fn without_unknown(fragment: &str, options: &BTreeSet<String>) -> (String, Vec<String>) {
    let is_unknown = |line: &&str| {
        let option = line.strip_prefix("CONFIG_").and_then(|rest| rest.split_once('='));
        option.is_some_and(|(name, _)| !options.contains(name))
    };
    let (unknown, known): (Vec<&str>, Vec<&str>) = fragment.lines().partition(is_unknown);
    (known.join("\n") + "\n", unknown.into_iter().map(str::to_owned).collect())
}

/// Has the commands that kbuild keeps, in `.FILE.cmd`, name another tree.
fn move_commands(folder: &Path, old: &str, new: &str) -> Result<()> {
    let unreadable = |error: std::io::Error| Problem::io("read the folder", folder, &error);
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path();
        if entry.file_type().map_err(unreadable)?.is_dir() {
            move_commands(&path, old, new)?;
        } else if path.extension().is_some_and(|extension| extension == "cmd") {
            // What is no text is compiled anew.
            let text = fs::read_to_string(&path).unwrap_or_default();
            if text.contains(old) {
                write(&path, &text.replace(old, new))?;
            }
        }
    }
    Ok(())
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(|error| Problem::io("put the finished folder in place", to, &error))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|error| Problem::io("write the file", path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_rules_undo_is_told() {
        let fragment = "# why\nCONFIG_A=y\nCONFIG_B=m\nCONFIG_C=n\nCONFIG_D=n\n";
        let result = "CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=y\n# CONFIG_D is not set\n";
        assert_eq!(lost_lines(fragment, result), ["CONFIG_B=m", "CONFIG_C=n"]);
    }

    #[test]
    fn what_an_older_tree_has_no_option_for_is_left_out_and_told() {
        let options = BTreeSet::from(["A".to_owned(), "AB".to_owned()]);
        let (fragment, unknown) = without_unknown("# why\nCONFIG_A=y\nCONFIG_B=m\nCONFIG_AB=n\n", &options);
        assert_eq!(
            (fragment.as_str(), unknown),
            ("# why\nCONFIG_A=y\nCONFIG_AB=n\n", vec!["CONFIG_B=m".to_owned()])
        );
    }

    #[test]
    fn objects_are_counted_and_nothing_else() {
        let lines = [
            "  CC      lib/a.o",
            "  CC [M]  lib/b.o",
            "  AS      arch/x.o",
            "  LD      vmlinux.o",
            "  AS      .tmp_vmlinux1.kallsyms.o",
            "  CC ../x.c: warning",
        ];
        assert_eq!(lines.iter().filter(|line| is_compilation(line)).count(), 3);
    }
}
