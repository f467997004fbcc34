// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The programs of regcheck: which library on which architecture and machine, how each is built and run.
//!
//! The Makefile of libs/vector_state/switch builds them. Our own switch needs no libc and runs everywhere; the C library's
//! and Boost's run against Debian's packages of the architecture, which `./setup --foreign-libraries` unpacks.

use super::library::Library;
use super::result::{parse, Finding};
use crate::context::Context;
use arch::Arch;
use lab::cache::{file_length, read_text};
use lab::emulator::{qemu_engine, Engine};
use lab::make::Make;
use lab::process::{quoted, Command, Ending};
use lab::target::{Qemu, Target};
use lab::{host, Problem, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A few thousand crossings take a second; only a switch that hangs takes this long.
const TIMEOUT: Duration = Duration::from_secs(120);

/// What is tested.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A library that has an adapter here.
    Known(Library),
    /// A user's adapter and what it is linked with.
    Adapter {
        /// The C file.
        file: PathBuf,
        /// Further arguments of the linker.
        link: Vec<String>,
    },
}

impl Subject {
    /// A user's adapter.
    pub fn adapter(file: &Path, link: &[String]) -> Result<Subject> {
        let file = std::fs::canonicalize(file)
            .map_err(|error| Problem::io("find the adapter", file, &error).remedy("name a C file"))?;
        file_length(&file, "name a C file")?;
        // The compiler would hand a file with another ending to the linker.
        if file.extension().is_none_or(|ending| ending != "c") {
            return Err(Problem::new("is no C file")
                .at(file.display())
                .remedy("name an adapter that ends in .c"));
        }
        // The linker runs in another folder.
        let here = std::env::current_dir()
            .map_err(|error| Problem::io("read the current folder", Path::new("."), &error))?;
        let absolute = |arg: &String| match arg.starts_with('-') {
            true => arg.clone(),
            false => here.join(arg).display().to_string(),
        };
        Ok(Subject::Adapter { file, link: link.iter().map(absolute).collect() })
    }

    /// For messages.
    pub fn name(&self) -> String {
        match self {
            Subject::Known(library) => library.name().to_owned(),
            Subject::Adapter { file, .. } => file.display().to_string(),
        }
    }
}

/// One program, ready to be built and run; or why there is none.
pub struct Program {
    subject: Subject,
    arch: Arch,
    machine: Result<Machine, String>,
}

/// Where a program is built and what runs it.
struct Machine {
    engine: Engine,
    /// The folder of the architecture's own packages.
    root: Option<PathBuf>,
    /// Subfolder of the build and variables of make.
    build: &'static str,
    variables: &'static [(&'static str, &'static str)],
}

/// QEMU and its `-cpu` for programs linked with Debian's packages: ppc64el needs POWER8, powerpc runs on any.
fn packaged_cpu(arch: Arch) -> (Qemu, &'static str) {
    match arch {
        Arch::Powerpc => (Qemu::Packaged, "7450"),
        Arch::Powerpc64 | Arch::Powerpc64le => (Qemu::Packaged, "power8"),
        Arch::Loongarch64 => (Qemu::Built, "la464"),
        Arch::X86_64 => (Qemu::Packaged, "Opteron_G1"),
        Arch::Aarch64 => (Qemu::Packaged, "cortex-a53"),
        Arch::Riscv64 => (Qemu::Packaged, "rv64"),
    }
}

impl Program {
    /// The programs of a subject on an architecture: more than one where CPUs differ in what there is to save.
    pub fn all(context: &Context, subject: &Subject, arch: Arch) -> Result<Vec<Program>> {
        let machines = match subject {
            Subject::Known(Library::ContextSwitch) => {
                bare_machines(context, arch)?.into_iter().map(Ok).collect()
            }
            Subject::Known(library) => vec![packaged_machine(context, arch, Some(*library))?],
            Subject::Adapter { .. } => vec![packaged_machine(context, arch, None)?],
        };
        let program = |machine| Program { subject: subject.clone(), arch, machine };
        Ok(machines.into_iter().map(program).collect())
    }

    /// For messages.
    pub fn title(&self) -> String {
        format!("{} on {}", self.subject.name(), self.arch)
    }

    /// Builds it, runs it and parses its output.
    pub fn run(&self, context: &Context, rounds: u32, seed: u32) -> Result<Vec<Finding>> {
        let machine = match &self.machine {
            Ok(machine) => machine,
            Err(reason) => return Ok(vec![Finding::skip(&self.subject.name(), self.arch, reason)]),
        };
        let program = self.build(context, machine)?;
        let output = command(machine, self.arch, &program)
            .args([rounds.to_string(), seed.to_string()])
            .timeout(TIMEOUT)
            .run()?;
        let version = machine.root.as_deref().and_then(|root| version(root, &self.subject));
        let engine = machine.engine.describe();
        match output.ending {
            // Status 1: registers were lost, 3: a switch missed the other side, which the output names.
            Ending::Exited(0 | 1 | 3) => parse(&output.stdout, self.arch, &engine, version.as_deref()),
            ending => {
                let how = format!("regcheck {ending} without a verdict: {}", output.tail(3));
                Ok(vec![Finding::crash(&self.subject.name(), self.arch, &engine, &how)])
            }
        }
    }

    fn build(&self, context: &Context, machine: &Machine) -> Result<PathBuf> {
        let name = match &self.subject {
            Subject::Known(library) => format!("regcheck-{}", library.name()),
            Subject::Adapter { .. } => "regcheck-adapter".to_owned(),
        };
        let below = format!("context_switch/{}", machine.build);
        let mut make = Make::new(&context.workspace, "vector_state/switch", &below, self.arch)?;
        for (variable, value) in machine.variables {
            make = make.set(variable, value);
        }
        if let Some(root) = &machine.root {
            make = make.set_path("ROOT", root)?;
        }
        if let Subject::Adapter { file, link } = &self.subject {
            let words: Vec<String> = link.iter().map(|word| quoted(word.as_ref())).collect();
            make = make.set_path("ADAPTER", file)?.set("LINK", &words.join(" ").replace('$', "$$"));
        }
        let output = make.run(&name)?;
        match output.success() {
            true => Ok(make.path_of(&name)),
            false => Err(Problem::new(format!("{} does not build:\n{}", self.title(), output.head(12)))
                .remedy("run ./setup; for an adapter, mend what the compiler names")),
        }
    }
}

/// The command that runs a program; QEMU finds the libraries of Debian's packages by `-L`, this machine's loader by its variable.
fn command(machine: &Machine, arch: Arch, program: &Path) -> Command {
    match (&machine.engine, &machine.root) {
        (Engine::Native, Some(root)) => {
            let libraries = root.join(format!("usr/lib/{arch}-linux-gnu"));
            machine.engine.command(program).env("LD_LIBRARY_PATH", libraries)
        }
        (Engine::Qemu { program: qemu, cpu, .. }, Some(root)) => {
            Command::new(qemu).arg("-L").arg(root).args(["-cpu", cpu]).arg(program).alone()
        }
        (engine, _) => engine.command(program),
    }
}

/// The machines for our own switch: native if possible, otherwise QEMU as the oldest CPU of the architecture; for 32-bit
/// PowerPC two, a build with FPU and AltiVec and one with neither.
fn bare_machines(context: &Context, arch: Arch) -> Result<Vec<Machine>> {
    if host::native_arch() == Some(arch) {
        return Ok(vec![Machine { engine: Engine::Native, root: None, build: "all", variables: &[] }]);
    }
    let qemu = |which, cpu, build, variables| {
        let engine = qemu_engine(&context.workspace, arch, which, cpu)?;
        Ok(Machine { engine, root: None, build, variables })
    };
    if arch == Arch::Powerpc {
        let soft =
            qemu(Qemu::Packaged, "603", "603", &[("CPU_powerpc", "-mcpu=603 -msoft-float -D_SOFT_FLOAT")])?;
        return Ok(vec![qemu(Qemu::Packaged, "7450", "all", &[])?, soft]);
    }
    let baseline = Target::of(arch).requirement(Target::of(arch).baseline).expect("a test holds it");
    let which = if arch == Arch::Loongarch64 { Qemu::Built } else { baseline.qemu };
    Ok(vec![qemu(which, baseline.qemu_cpu, "all", &[])?])
}

/// The machine for a library of Debian's, or for a user's adapter.
fn packaged_machine(
    context: &Context,
    arch: Arch,
    library: Option<Library>,
) -> Result<Result<Machine, String>> {
    let native = host::native_arch() == Some(arch);
    let root = context.workspace.cache.join("foreign").join(arch.name());
    match (arch, library) {
        (Arch::Powerpc64, _) => {
            return Ok(Err(
                "Debian's glibc for big-endian powerpc64 is ELFv1, and ELFv2 is checked here".into()
            ))
        }
        (Arch::Powerpc, Some(Library::BoostContext)) => {
            return Ok(Err("Debian 12 has no Boost for 32-bit powerpc".into()))
        }
        // A user's adapter for this machine is built against this machine's libraries.
        (_, None) if native => {
            return Ok(Ok(Machine { engine: Engine::Native, root: None, build: "all", variables: &[] }))
        }
        _ if !root.is_dir() => {
            let stamp = context.workspace.cache.join("foreign/stamp");
            let is_left_out = std::fs::read_to_string(stamp)
                .is_ok_and(|text| text.lines().any(|line| line.starts_with(&format!("left-out {arch} "))));
            return Ok(Err(match is_left_out {
                true => {
                    "Debian's packages of this architecture could not be fetched: ./setup --foreign-libraries tries again \
                     after six hours"
                        .into()
                }
                false => {
                    "Debian's packages of this architecture are not unpacked: ./setup --foreign-libraries"
                        .into()
                }
            }));
        }
        _ => {}
    }
    let (which, cpu) = packaged_cpu(arch);
    let engine = match native {
        true => Engine::Native,
        false => qemu_engine(&context.workspace, arch, which, cpu)?,
    };
    Ok(Ok(Machine { engine, root: Some(root), build: "all", variables: &[] }))
}

/// The version of the package that brought the library, as `packages` in its root lists it.
fn version(root: &Path, subject: &Subject) -> Option<String> {
    let Subject::Known(library) = subject else { return None };
    let package = library.package()?;
    let text = read_text(&root.join("packages")).ok()?;
    let line = text.lines().find(|line| line.starts_with(package) && !line.contains("-dev"))?;
    line.split_whitespace().nth(1).map(str::to_owned)
}
