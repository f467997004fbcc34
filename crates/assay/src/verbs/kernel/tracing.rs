// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What `kernel trace` and `kernel compare` share: which functions under which workload, and what a trace of them holds.

use crate::context::Context;
use crate::judge;
use kernel::machine::Machine;
use kernel::record::{record, Interrupts, Recording};
use kernel::region::{Region, PROGRAM};
use kernel::{workload, Boot, Run};
use lab::build::digest;
use lab::cache::{file_length, read_whole, Scratch};
use lab::module::Module;
use lab::symbols::Symbols;
use lab::{Problem, Result};
use predict::fallback::PREFIX;
use std::path::{Path, PathBuf};
use std::time::Duration;
use trace::{End, EntryCounts, Leave};

/// What is recorded.
#[derive(Clone, Debug, clap::Args)]
pub struct What {
    /// A function of the kernel or of a --module (repeatable): recorded is what it and its callees execute. MODULE:FUNCTION and
    /// vmlinux:FUNCTION say where it is, bpf:NAME is a program that the workload tells of, compiled by the kernel's JIT
    #[arg(long = "roi", value_name = "FUNCTION", required_unless_present = "program_regions")]
    pub regions: Vec<String>,
    /// A function of the workload (repeatable): what it executes in user mode, and in the kernel for its system calls
    #[arg(long = "user-roi", value_name = "FUNCTION", requires = "workload")]
    pub program_regions: Vec<String>,
    /// A workload of ours, or a static program of yours
    #[arg(long, value_name = "NAME|PROGRAM", required_unless_present = "modules")]
    pub workload: Option<String>,
    /// A module of the kernel to load before the workload, such as a test that runs when it is loaded, or the file of one
    /// (repeatable)
    #[arg(long = "module", value_name = "NAME|FILE.ko")]
    pub modules: Vec<String>,
    /// A word for the kernel's command line (repeatable)
    #[arg(long, value_name = "WORD")]
    pub append: Vec<String>,
    /// What becomes of interrupts and faults inside the function: left-out, marked or part
    #[arg(long, value_name = "HOW", default_value = "left-out")]
    pub interrupts: Interrupts,
    /// Processors of the machine; recorded is the first that enters the function
    #[arg(long, default_value_t = 1, value_parser = crate::numbers::whole::<u32>(1..=8))]
    pub smp: u32,
    /// Stop recording after so many instructions; the kernel runs on
    #[arg(long, value_name = "N", value_parser = crate::numbers::whole::<u64>(1..))]
    pub limit: Option<u64>,
    /// Seconds after which nothing is waited for any more
    #[arg(long, default_value_t = 300, value_name = "SECONDS", value_parser = crate::numbers::whole::<u64>(1..=86_400))]
    pub timeout: u64,
    /// Arguments of the program, behind --
    #[arg(last = true)]
    pub arguments: Vec<String>,
}

/// A kernel that can be traced.
pub struct Kernel {
    /// What it boots on.
    pub machine: &'static Machine,
    /// What QEMU boots.
    pub image: PathBuf,
    /// Its symbols.
    pub symbols: Symbols,
    /// For the trace's header: version and compiler, or the file.
    pub says: String,
    /// Identifies the kernel in the cache.
    pub key: String,
    /// Where its modules are, if it was built here.
    pub modules: Option<PathBuf>,
}

impl Kernel {
    fn module(&self, name: &str) -> Result<PathBuf> {
        if name.ends_with(".ko") {
            return Ok(PathBuf::from(name));
        }
        let found = self.modules.as_ref().map(|folder| folder.join(format!("{name}.ko")));
        found.filter(|path| path.is_file()).ok_or_else(|| {
            Problem::new(format!("there is no module '{name}' of {}", self.says))
                .remedy("let kernel/config have it as =m; of a kernel of yours name the module's FILE.ko")
        })
    }
}

impl What {
    /// Refuses a workload that is not there or does not fit, and files of modules that are not there.
    pub fn look(&self, arch: arch::Arch) -> Result<()> {
        for module in self.modules.iter().filter(|name| name.ends_with(".ko")) {
            file_length(Path::new(module), "name a module's file")?;
        }
        self.workload.as_ref().map_or(Ok(()), |name| workload::look(arch, name))
    }

    /// The workload, before anything is built.
    pub fn run(&self, context: &Context, arch: arch::Arch) -> Result<Run> {
        let Some(name) = &self.workload else { return Ok(Run::default()) };
        workload::find(&context.workspace, arch, name, &self.arguments)
    }

    /// All functions.
    pub fn all_regions(&self) -> Vec<&str> {
        self.regions.iter().chain(&self.program_regions).map(String::as_str).collect()
    }

    /// Modules and workload, as text.
    pub fn work(&self) -> String {
        self.modules.iter().chain(&self.workload).cloned().collect::<Vec<_>>().join(", ")
    }

    fn loaded_modules(&self, kernel: &Kernel) -> Result<Vec<Module>> {
        let module = |name: &String| {
            let module = Module::load(&kernel.module(name)?)?;
            match module.arch == kernel.symbols.arch {
                true => Ok(module),
                false => Err(Problem::new(format!("is a module for {}", module.arch))
                    .at(module.path().display())
                    .remedy("name one of the kernel that is booted")),
            }
        };
        self.modules.iter().map(module).collect()
    }

    /// Bytes of code of the kernel's functions; `None` if one of them is generated when the kernel runs, or is the workload's.
    pub fn bytes(&self, kernel: &Kernel) -> Result<Option<u64>> {
        if !self.program_regions.is_empty() {
            return Ok(None);
        }
        let modules = self.loaded_modules(kernel)?;
        let mut sum = 0;
        for name in &self.regions {
            match Region::of(&kernel.symbols, &modules, name)?.bytes(&kernel.symbols) {
                Some(bytes) => sum += bytes,
                None => return Ok(None),
            }
        }
        Ok(Some(sum))
    }

    /// Boots and records. `theirs` is QEMU's name of the cpu.
    pub fn record(&self, context: &Context, kernel: &Kernel, run: &Run, theirs: &str) -> Result<Scratch> {
        let workspace = &context.workspace;
        // The workload needs no symbols unless a function of it or a program of BPF, which it reports by a call, is asked
        // for.
        let asked =
            !self.program_regions.is_empty() || self.regions.iter().any(|name| name.starts_with(PROGRAM));
        let program = run.program.as_deref().filter(|_| asked).map(Symbols::load).transpose()?;
        let modules = self.loaded_modules(kernel)?;
        let mut run = run.clone();
        run.modules.extend(modules.iter().map(|module| module.path().to_path_buf()));
        let boot = Boot {
            cpu: theirs,
            processors: self.smp,
            timeout: Duration::from_secs(self.timeout),
            append: self.append.clone(),
            ..Boot::new(kernel.machine, &kernel.image, run)
        };
        let recording = Recording {
            boot,
            symbols: &kernel.symbols,
            modules: &modules,
            regions: &self.regions,
            program: program.as_ref(),
            program_regions: &self.program_regions,
            interrupts: self.interrupts,
            limit: self.limit,
            notes: vec![format!("kernel:{}", kernel.says), format!("workload:{}", self.work())],
        };
        let (trace, outcome) = record(workspace, &recording)?;
        outcome.complaints.iter().for_each(|complaint| eprintln!("kernel ({theirs}): {complaint}"));
        let (entered, end) = entries(trace.path())?;
        if entered.is_empty() {
            let names = self.all_regions().join(", ");
            let why = match end.total("regions_not_loaded") {
                0 => "was never entered",
                _ => "was never entered, and the workload has told of no program of that name",
            };
            return Err(Problem::new(format!("{names} {why}; nothing was written"))
            .at(workspace.display(&outcome.log))
            .remedy("choose a --workload that makes the kernel call it (what runs before the first program is not recorded); the path is the console's log")
            .of_variant());
        }
        Ok(trace)
    }

    /// As `record`, but the trace is kept in the cache and used again.
    pub fn cached(&self, context: &Context, kernel: &Kernel, run: &Run, theirs: &str) -> Result<PathBuf> {
        let workspace = &context.workspace;
        let program = run.program.as_deref().map(content).transpose()?.unwrap_or_default();
        let mut modules = String::new();
        for module in self.modules.iter().filter(|name| name.ends_with(".ko")) {
            modules += &content(Path::new(module))?;
        }
        let words = format!(
            "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {modules}",
            run.arguments, run.files, self.interrupts, self.limit, self.smp, self.modules, self.append
        );
        let tracer = lab::record::tracer_digest(workspace)?;
        let regions = format!("{} {:?}", self.regions.join(" "), self.program_regions);
        let all = digest(&[&kernel.key, &program, &words, &regions, theirs, &tracer]);
        let name = format!("kernel-{}-{theirs}-{}.trace", self.all_regions()[0], &all[..16]);
        let finished = workspace.folder("traces")?.join(name.replace(['/', ','], "+"));
        match finished.is_file() {
            true => Ok(finished),
            false => self.record(context, kernel, run, theirs)?.keep_as(&finished),
        }
    }
}

fn content(path: &Path) -> Result<String> {
    let bytes = read_whole(path, "name a program's or a module's file")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Each cpu that was asked for, or the machine's default, with QEMU's name for it. All are checked before any is booted. A
/// core that only LLVM describes is booted under its name without the prefix.
pub fn booted<'a>(machine: &'static Machine, names: &'a [String]) -> Result<Vec<(&'a str, &'static str)>> {
    if names.is_empty() {
        return Ok(vec![machine.cpus[0]]);
    }
    let plain = |name: &'a str| name.strip_prefix(PREFIX).unwrap_or(name);
    names.iter().map(|name| Ok((name.as_str(), machine.cpu(Some(plain(name)))?))).collect()
}

/// The distinct executions of a trace's regions, the most frequent first, and what the tracer says at the end.
pub fn entries(path: &Path) -> Result<(Vec<EntryCounts>, End)> {
    let failed = |error: trace::Error| judge::of_trace(path, &error);
    let mut reader = trace::Reader::open(path).map_err(failed)?;
    let mut entries = trace::count(&mut reader).map_err(failed)?;
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.entries));
    let end = reader.end().cloned().ok_or_else(|| Problem::new("the trace has no end").at(path.display()))?;
    Ok((entries, end))
}

/// The most frequent execution that returned; without one, the most frequent.
pub fn usual(entries: &[EntryCounts]) -> &EntryCounts {
    entries.iter().find(|entry| entry.how == Leave::Return).unwrap_or(&entries[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        what: What,
    }

    #[test]
    fn the_kernel_has_no_bytes_of_the_workloads_functions() {
        let image = std::env::current_exe().unwrap();
        let symbols = Symbols::load(&image).unwrap();
        let kernel = Kernel {
            machine: Machine::of(symbols.arch),
            image,
            symbols,
            says: String::new(),
            key: String::new(),
            modules: None,
        };
        let bytes = |words: &[&str]| {
            let words = ["kernel", "--workload", "clocks"].iter().chain(words);
            Words::parse_from(words).what.bytes(&kernel).unwrap()
        };
        assert!(bytes(&["--roi", "main"]).is_some_and(|bytes| bytes > 0));
        assert_eq!(bytes(&["--user-roi", "machine_clock_gettime"]), None);
        assert_eq!(bytes(&["--roi", "main", "--user-roi", "machine_clock_gettime"]), None);
    }
}
