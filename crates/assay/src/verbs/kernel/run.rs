// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `kernel run`: a program in a kernel that has just booted. Its output is passed through; its exit status is reported, and
//! ours is 1 if it is not 0.

use super::build::Which;
use crate::context::{Context, Outcome};
use kernel::{workload, Boot, Ending, Machine};
use lab::{Problem, Result};
use report::record::Record;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// Options of `kernel run`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// Boot this kernel as it stands instead of building one: a vmlinux or image that QEMU takes, such as a distribution's
    #[arg(long, value_name = "IMAGE", conflicts_with_all = ["patches", "series", "compiler", "source"])]
    kernel: Option<PathBuf>,
    /// The cpu to boot on; a list runs on each in turn
    #[arg(short, long = "cpu", value_name = "CPU", value_delimiter = ',')]
    cpus: Vec<String>,
    /// A workload of ours, or a static program of yours
    #[arg(long, value_name = "NAME|PROGRAM")]
    workload: String,
    /// Processors of the machine
    #[arg(long, default_value_t = 1, value_parser = crate::numbers::whole::<u32>(1..=8))]
    smp: u32,
    /// Seconds after which nothing is waited for any more
    #[arg(long, default_value_t = 300, value_name = "SECONDS", value_parser = crate::numbers::whole::<u64>(1..=86_400))]
    timeout: u64,
    /// A word for the kernel's command line (repeatable)
    #[arg(long, value_name = "WORD")]
    append: Vec<String>,
    /// Arguments of the program, behind --
    #[arg(last = true)]
    arguments: Vec<String>,
}

impl Args {
    /// The machine, and each cpu with QEMU's name of it.
    pub fn look(&self) -> Result<(&'static Machine, Vec<(&str, &'static str)>)> {
        let machine = self.which.machine()?;
        let cpus: Vec<Option<&str>> = match self.cpus.is_empty() {
            true => vec![None],
            false => self.cpus.iter().map(|cpu| Some(cpu.as_str())).collect(),
        };
        let cpus = cpus.into_iter().map(|cpu| Ok((cpu.unwrap_or(machine.cpus[0].0), machine.cpu(cpu)?)));
        let cpus = cpus.collect::<Result<_>>()?;
        workload::look(self.which.arch, &self.workload)?;
        self.which.look(self.kernel.as_deref())?;
        Ok((machine, cpus))
    }
}

/// One run. Kind `kernel_run`.
#[derive(Serialize)]
struct RunRecord {
    kind: &'static str,
    arch: &'static str,
    cpu: String,
    kernel: String,
    workload: String,
    /// The program's exit status, if it exited.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<i32>,
    /// What went wrong, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    complaints: Vec<String>,
    stdout: String,
    stderr: String,
    log: String,
    /// Under QEMU: no measurement.
    emulated_s: f64,
    assay_version: &'static str,
}

/// Runs the action.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let workspace = &context.workspace;
    let (machine, cpus) = args.look()?;
    kernel::boot::qemu_program(workspace, machine, false)?;
    let run = workload::find(workspace, args.which.arch, &args.workload, &args.arguments)?;
    let image = match &args.kernel {
        Some(image) => image.clone(),
        None => kernel::build(workspace, &args.which.request()?, &|text| context.progress(text))?.image,
    };
    let mut outcome = Outcome::Fine;
    for (ours, theirs) in cpus {
        let boot = Boot {
            cpu: theirs,
            processors: args.smp,
            timeout: Duration::from_secs(args.timeout),
            append: args.append.clone(),
            ..Boot::new(machine, &image, run.clone())
        };
        let found = kernel::boot(workspace, &boot)?;
        refuse_no_kernel(args, &found)?;
        tell(context, args, ours, &image, &found);
        if !found.success() {
            outcome = Outcome::Failed;
        }
    }
    Ok(outcome)
}

/// A file of the user's that QEMU cannot load is no kernel that could be judged. One that we built is.
fn refuse_no_kernel(args: &Args, found: &kernel::Outcome) -> Result<()> {
    match (&args.kernel, &found.ending) {
        (Some(image), Ending::Stopped(said)) if !found.started && said != kernel::boot::NOTHING => {
            Err(Problem::new(format!("QEMU does not start it: {said}"))
                .at(image.display())
                .remedy(format!("name an image of {} that is built for QEMU's machine", args.which.arch)))
        }
        _ => Ok(()),
    }
}

fn tell(context: &Context, args: &Args, cpu: &str, image: &std::path::Path, found: &kernel::Outcome) {
    let log = context.workspace.display(&found.log);
    if context.json {
        let record = RunRecord {
            kind: "kernel_run",
            arch: args.which.arch.name(),
            cpu: cpu.to_owned(),
            kernel: context.workspace.display(image),
            workload: args.workload.clone(),
            status: match found.ending {
                Ending::Exited(status) => Some(status),
                _ => None,
            },
            failure: found.failure(),
            complaints: found.complaints.clone(),
            stdout: found.stdout.clone(),
            stderr: found.stderr.clone(),
            log,
            emulated_s: found.elapsed.as_secs_f64(),
            assay_version: env!("CARGO_PKG_VERSION"),
        };
        println!("{}", record.to_line());
        return;
    }
    print!("{}", found.stdout);
    eprint!("{}", found.stderr);
    for complaint in &found.complaints {
        eprintln!("kernel ({cpu}): {complaint}");
    }
    match found.failure() {
        None => eprintln!(
            "{} on {cpu}: exit status 0; booted, ran and powered off in {:.1} s under QEMU; console: {log}",
            args.workload,
            found.elapsed.as_secs_f64()
        ),
        Some(failure) => eprintln!(
            "assay: {}",
            Problem::new(format!("{} on {cpu}: {failure}", args.workload))
                .at(log)
                .remedy("the console's log has the rest")
        ),
    }
}
