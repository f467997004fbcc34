// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What a booted kernel is to run: a program with its arguments, files and modules; ours by name, others by path.

use crate::{conformance, packets};
use arch::Arch;
use lab::cache::Workspace;
use lab::elf::ElfFile;
use lab::freestanding;
use lab::target::Target;
use lab::{Problem, Result};
use std::path::{Path, PathBuf};

/// A program to run in a booted kernel, and what it needs there.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// A static program; `None` if only modules are to be loaded.
    pub program: Option<PathBuf>,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Further files: their path in the booted kernel, and their content.
    pub files: Vec<(String, Vec<u8>)>,
    /// Modules to load before the program starts, in this order.
    pub modules: Vec<PathBuf>,
    /// Files of /sys or /proc whose first line init reports once the modules are loaded.
    pub told_files: Vec<String>,
}

/// A workload of ours.
pub struct Named {
    /// What the command line calls it.
    pub name: &'static str,
    /// What it does, for lists.
    pub what: &'static str,
    build: fn(&Workspace, &'static Target) -> Result<PathBuf>,
    arguments: fn(Arch) -> Vec<String>,
}

/// The workload that needs a file of cases, and the file's path.
const CONFORMANCE: &str = "bpf_conformance";
const CASES: &str = "assay/cases";

/// Every workload of ours.
pub static NAMED: [Named; 15] = [
    Named {
        name: "pingpong",
        what: "two processes hand a token over pipes, touching every floating-point and vector facility",
        build: pingpong,
        arguments: |arch| ["count", "pipe", "process", all_facilities(arch), "2000"].map(str::to_owned).to_vec(),
    },
    Named {
        name: "regcheck",
        what: "every floating-point and vector register, bit by bit, over switches, preemption, signals and forks",
        build: regcheck,
        arguments: |_| Vec::new(),
    },
    Named {
        name: "bpfcheck",
        what: "swaps behind loads in programs of BPF, compiled by the kernel's JIT, whose length is told",
        build: |workspace, target| of_ours(workspace, target, "bpfcheck", &["bpfcheck.c", "code_at.c"]),
        arguments: |_| Vec::new(),
    },
    Named {
        name: CONFORMANCE,
        what: "bpf_conformance's programs, compiled by the kernel's JIT with and without the verifier's optimisations",
        build: |workspace, target| of_ours(workspace, target, CONFORMANCE, &["bpf_conformance.c", "bpf_cases.c"]),
        arguments: |_| vec![format!("/{CASES}")],
    },
    Named {
        name: packets::WORKLOAD,
        what: "the packet programs of libs/ebpf, compiled by the kernel's JIT, for traces of them (--roi bpf:parse_tcp)",
        build: |workspace, target| of_ours(workspace, target, packets::WORKLOAD, &["packets.c", "code_at.c"]),
        arguments: |_| packets::arguments(),
    },
    Named {
        name: "copies",
        what: "pages through a pipe, which the kernel copies with its vector loops where it has them",
        build: |workspace, target| of_ours(workspace, target, "copies", &["copies.c"]),
        arguments: |_| Vec::new(),
    },
    Named {
        name: "touches",
        what: "reads and writes pages that fault, for those who trace touch_pages",
        build: |workspace, target| of_ours(workspace, target, "touches", &["touches.c"]),
        arguments: |_| Vec::new(),
    },
    Named {
        name: "guest_switch",
        what: "enters a guest of KVM HV by turns with it, both with all VSX registers in use; on powerpc64le, --board powernv",
        build: guest_switch,
        arguments: |_| Vec::new(),
    },
    Named {
        name: "datagrams",
        what: "packets from a tunnel, each summed whole for the program that reads it; damaged ones have to be refused",
        build: |workspace, target| of_ours(workspace, target, "datagrams", &["datagrams.c"]),
        arguments: |_| Vec::new(),
    },
    Named {
        name: "clocks",
        what: "reads CLOCK_MONOTONIC through the vDSO, for those who trace machine_clock_gettime",
        build: vdso_test,
        arguments: |_| of_vdso(["read", "1000"]),
    },
    Named {
        name: "vdso_verify",
        what: "each call and clock of the vDSO by turns with the system call",
        build: vdso_test,
        arguments: |_| of_vdso(["verify", "100"]),
    },
    Named {
        name: "vdso_abi",
        what: "vdsotest's cases of bad pointers and clocks, as system calls and in the vDSO",
        build: vdso_test,
        arguments: |_| of_vdso(["abi", "0"]),
    },
    Named {
        name: "vdso_verify_32",
        what: "vdso_verify by a program of 32 bits: the vDSO that a powerpc64 kernel has for such",
        build: compat_vdso_test,
        arguments: |_| of_vdso(["verify", "100"]),
    },
    Named {
        name: "vdso_abi_32",
        what: "vdso_abi by a program of 32 bits",
        build: compat_vdso_test,
        arguments: |_| of_vdso(["abi", "0"]),
    },
    Named {
        name: "misbehave",
        what: "for tests: exits, crashes, hangs, floods or panics as its argument says",
        build: |workspace, target| of_ours(workspace, target, "misbehave", &["misbehave.c"]),
        arguments: |_| Vec::new(),
    },
];

/// A workload by its name or by the path of a program; given arguments replace its own.
pub fn find(workspace: &Workspace, arch: Arch, name: &str, arguments: &[String]) -> Result<Run> {
    let (program, own) = match NAMED.iter().find(|named| named.name == name) {
        Some(named) => ((named.build)(workspace, Target::of(arch))?, (named.arguments)(arch)),
        None => (foreign(arch, Path::new(name))?, Vec::new()),
    };
    let arguments = if arguments.is_empty() { own } else { arguments.to_vec() };
    let files = match name {
        packets::WORKLOAD => packets::files(workspace, arch)?,
        CONFORMANCE => vec![(CASES.to_owned(), conformance::cases(workspace, arch)?)],
        _ => Vec::new(),
    };
    Ok(Run { program: Some(program), arguments, files, ..Run::default() })
}

/// Refuses what [`find`] would not take, and builds nothing.
pub fn look(arch: Arch, name: &str) -> Result<()> {
    match NAMED.iter().any(|named| named.name == name) {
        true => Ok(()),
        false => foreign(arch, Path::new(name)).map(drop),
    }
}

/// A user's own program: it has to be for the architecture, and static.
fn foreign(arch: Arch, path: &Path) -> Result<PathBuf> {
    let known = || NAMED.iter().map(|named| named.name).collect::<Vec<_>>().join(" ");
    if !path.is_file() {
        return Err(Problem::new("is neither a workload nor a program")
            .at(path.display())
            .remedy(format!("name a static program, or one of: {}", known())));
    }
    let elf = ElfFile::load(path)?;
    if elf.arch != arch {
        return Err(Problem::new(format!("is a program for {}, and the kernel is for {arch}", elf.arch))
            .at(path.display())
            .remedy("choose another -a, or build it for this architecture"));
    }
    if elf.wants.loader.is_some() {
        return Err(Problem::new("needs a dynamic linker, and the booted kernel has no file but this one")
            .at(path.display())
            .remedy("link it with -static"));
    }
    Ok(path.to_path_buf())
}

/// libs/vector_state/pingpong as a program.
pub fn pingpong(workspace: &Workspace, target: &'static Target) -> Result<PathBuf> {
    let own = Path::new("libs/vector_state/pingpong");
    let switch = Path::new("libs/vector_state/switch");
    let of_arch = match target.arch {
        Arch::Powerpc64 | Arch::Powerpc64le => "power64.S".to_owned(),
        other => format!("{other}.S"),
    };
    let sources =
        [own.join("pingpong.c"), switch.join("context_switch.c"), switch.join("arch").join(of_arch)];
    let folders = [own.to_path_buf(), PathBuf::from("libs/vector_state"), switch.to_path_buf()];
    freestanding::program(workspace, target, "pingpong", &sources, &folders, None)
}

fn of_vdso(words: [&str; 2]) -> Vec<String> {
    ["kernel", words[0], words[1]].map(str::to_owned).to_vec()
}

/// libs/vdso's own test, applied to the kernel's vDSO.
fn vdso_test(workspace: &Workspace, target: &'static Target) -> Result<PathBuf> {
    lab::make::build(workspace, "vdso", target.arch, "vdso-test")
}

/// The same test as a 32-bit program, in a 64-bit kernel that runs such programs.
fn compat_vdso_test(workspace: &Workspace, target: &'static Target) -> Result<PathBuf> {
    if target.arch != Arch::Powerpc64 {
        return Err(Problem::new(format!("no kernel of {} runs programs of 32 bits here", target.arch))
            .remedy("choose -a powerpc64, or vdso_verify and vdso_abi"));
    }
    lab::make::build(workspace, "vdso", Arch::Powerpc, "vdso-test")
}

fn regcheck(workspace: &Workspace, target: &'static Target) -> Result<PathBuf> {
    if !matches!(target.arch, Arch::Powerpc | Arch::Powerpc64 | Arch::Powerpc64le | Arch::Loongarch64) {
        return Err(Problem::new(format!("regcheck has no registers for {}", target.arch))
            .at("kernel/workloads/registers.S")
            .remedy("choose powerpc, powerpc64, powerpc64le or loongarch64, or write the crossing for it"));
    }
    of_ours(workspace, target, "regcheck", &["regcheck.c", "registers.S"])
}

fn guest_switch(workspace: &Workspace, target: &'static Target) -> Result<PathBuf> {
    if target.arch != Arch::Powerpc64le {
        return Err(Problem::new(format!("guest_switch has no guest for {}", target.arch))
            .remedy("choose -a powerpc64le --board powernv"));
    }
    of_ours(workspace, target, "guest_switch", &["guest_switch.c", "guest.S", "registers.S"])
}

/// A program of kernel/workloads.
fn of_ours(workspace: &Workspace, target: &'static Target, name: &str, sources: &[&str]) -> Result<PathBuf> {
    let folder = PathBuf::from("kernel/workloads");
    let sources: Vec<PathBuf> = sources.iter().map(|source| folder.join(source)).collect();
    freestanding::program(workspace, target, name, &sources, &[folder], None)
}

/// The mask of everything that the ping-pong can touch under QEMU.
fn all_facilities(arch: Arch) -> &'static str {
    match arch {
        Arch::Powerpc => "3",
        Arch::Powerpc64 | Arch::Powerpc64le | Arch::Loongarch64 | Arch::X86_64 => "7",
        Arch::Aarch64 | Arch::Riscv64 => "1",
    }
}
