// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `kernel trace`: what a function of a running kernel executes, as a file that `count`, `predict` and `explain` read.

use super::build::Which;
use super::tracing::{booted, entries, usual, Kernel, What};
use crate::context::{Context, Outcome};
use kernel::{boot, Built, Machine, Request};
use lab::output::Output;
use lab::symbols::Symbols;
use lab::{Problem, Result};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Options of `kernel trace`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// Boot this kernel as it stands instead of building one
    #[arg(long, value_name = "IMAGE", conflicts_with_all = ["patches", "series", "compiler", "source"])]
    kernel: Option<PathBuf>,
    /// The ELF file with the symbols of --kernel (default: the image itself)
    #[arg(long, value_name = "VMLINUX", requires = "kernel")]
    symbols: Option<PathBuf>,
    /// The cpu to boot on: it decides which code the kernel chooses
    #[arg(short, long, value_name = "CPU")]
    cpu: Option<String>,
    #[command(flatten)]
    what: What,
    /// The trace (default: FUNCTION.trace in the current folder)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Args {
    /// The machine, and the cpu with QEMU's name of it.
    pub fn look(&self) -> Result<(&'static Machine, (&str, &'static str))> {
        let machine = self.which.machine()?;
        let cpu = booted(machine, self.cpu.as_slice())?[0];
        self.what.look(self.which.arch)?;
        self.which.look(self.kernel.as_deref())?;
        Ok((machine, cpu))
    }
}

/// Runs the action.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let (machine, (ours, theirs)) = args.look()?;
    boot::qemu_program(&context.workspace, machine, true)?;
    let place =
        args.output.clone().unwrap_or_else(|| PathBuf::from(format!("{}.trace", args.what.all_regions()[0])));
    let output: Output = context.output(Some(&place))?.expect("it was named");
    let words = args.what.workload.iter().chain(&args.what.modules).map(Path::new);
    let files = args.kernel.iter().chain(&args.symbols).chain(&args.which.patches);
    output.spare(files.map(PathBuf::as_path).chain(words))?;
    let patches = args.which.series.iter().filter_map(|folder| folder.read_dir().ok()).flatten().flatten();
    output.spare(patches.map(|patch| patch.path()))?;
    let run = args.what.run(context, args.which.arch)?;
    let kernel = match &args.kernel {
        Some(image) => given(args, image)?,
        None => built(context, &args.which)?,
    };
    let recorded = args.what.record(context, &kernel, &run, theirs)?;
    let mut file = File::open(recorded.path())
        .map_err(|error| Problem::io("read the trace", recorded.path(), &error))?;
    output.copy(&mut file)?;
    tell(&output.name(), ours, recorded.path())
}

/// The kernel that the options choose, built unless it is in the cache.
fn built(context: &Context, which: &Which) -> Result<Kernel> {
    of_built(which, kernel::build(&context.workspace, &which.request()?, &|text| context.progress(text))?)
}

/// The kernel without the patches and the one with them, of the same source.
pub fn unpatched_and_patched(context: &Context, which: &Which) -> Result<[Kernel; 2]> {
    let patched = which.request()?;
    let unpatched = Request { patches: Vec::new(), ..patched.clone() };
    let build = |request| kernel::build(&context.workspace, request, &|text| context.progress(text));
    // The patched one first: a patch that does not apply is told before anything is compiled.
    let after = build(&patched)?;
    let before = build(&unpatched)?;
    if before.source != after.source {
        return Err(Problem::new("was changed between the two builds, which are not of the same source")
            .at(after.source.folder.display())
            .remedy("run it again, and let the tree alone meanwhile"));
    }
    Ok([of_built(which, before)?, of_built(which, after)?])
}

fn of_built(which: &Which, built: Built) -> Result<Kernel> {
    Ok(Kernel {
        symbols: Symbols::load(&built.vmlinux)?,
        says: format!("{} {}", built.source.version, built.compiler),
        key: built.key,
        machine: which.machine()?,
        image: built.image,
        modules: Some(built.modules),
    })
}

fn given(args: &Args, image: &Path) -> Result<Kernel> {
    let symbols = Symbols::load(args.symbols.as_deref().unwrap_or(image))?;
    if symbols.arch != args.which.arch {
        return Err(Problem::new(format!("is a kernel for {}", symbols.arch))
            .at(image.display())
            .remedy("choose its -a"));
    }
    let says = image.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Kernel {
        machine: args.which.machine()?,
        image: image.to_path_buf(),
        symbols,
        key: says.clone(),
        says,
        modules: None,
    })
}

fn tell(name: &str, cpu: &str, trace: &Path) -> Result<Outcome> {
    let (entries, end) = entries(trace)?;
    let calls: u64 = entries.iter().map(|entry| entry.entries).sum();
    let usual = usual(&entries);
    eprintln!(
        "{name}: {calls} calls on {cpu}, {} of them alike: {} instructions, {} loads, {} stores",
        usual.entries, usual.counts.instructions, usual.counts.loads, usual.counts.stores
    );
    for (key, meaning) in [
        ("interrupts", "interrupts and faults came inside; what they executed is not counted"),
        ("switched_away", "calls ended by a switch to a task that was not in the function"),
        (
            "other_thread_entries",
            "calls on other processors than the recorded one; they are not in the trace",
        ),
        ("recursive_entries", "recursive calls; each belongs to the call that it happened in"),
        ("unknown_addresses", "accesses whose address QEMU did not tell"),
    ] {
        if end.total(key) > 0 {
            eprintln!("note: {} {meaning}", end.total(key));
        }
    }
    Ok(Outcome::Fine)
}
