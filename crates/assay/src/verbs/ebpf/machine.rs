// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What machine code is generated for and what runs it: CPUs by name, the options of code generation, and VMs.

use arch::Arch;
use clap::ValueEnum;
use ebpf::{Features, Fusion, Options, Swap, Target, Vm};
use lab::emulator::{qemu_engine, Engine};
use lab::target::Requirement;
use lab::{Problem, Result};
use std::ffi::c_void;

use super::input::Form;
use crate::context::Context;

/// How code is generated.
#[derive(clap::Args, Clone, Debug)]
pub struct CodeArgs {
    /// CPU to generate code for: power7 to power10; la64; x86-64, movbe or avx2 (default: the oldest of the architecture)
    #[arg(long, value_name = "CPU")]
    pub cpu: Option<String>,
    /// How bytes are swapped in a register
    #[arg(long, value_enum, default_value = "auto")]
    swap: SwapChoice,
    /// Whether swaps are merged with loads and stores
    #[arg(long, value_enum, default_value = "auto")]
    fusion: FusionChoice,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SwapChoice {
    /// The best that the CPU has
    Auto,
    /// Stored, and loaded in reverse
    Memory,
    /// In general registers
    Register,
    /// Through a vector register
    Vector,
    /// By POWER10's brh, brw, brd
    Isa31,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FusionChoice {
    /// Where it pays
    Auto,
    /// Wherever the CPU can
    On,
    /// Never
    Off,
}

impl CodeArgs {
    fn swap(&self) -> Swap {
        match self.swap {
            SwapChoice::Auto => Swap::Auto,
            SwapChoice::Memory => Swap::Memory,
            SwapChoice::Register => Swap::Register,
            SwapChoice::Vector => Swap::Vector,
            SwapChoice::Isa31 => Swap::Isa31,
        }
    }

    fn fusion(&self) -> Fusion {
        match self.fusion {
            FusionChoice::Auto => Fusion::Auto,
            FusionChoice::On => Fusion::On,
            FusionChoice::Off => Fusion::Off,
        }
    }

    /// The target for code that runs elsewhere.
    pub fn target(&self, arch: Arch) -> Result<Target> {
        let cpu = cpu(arch, self.cpu.as_deref())?;
        Ok(self.target_with(Some(arch), features(arch, cpu.name).unwrap_or_default()))
    }

    /// The target for code that runs in this process: this machine's features, or those of a named CPU, all of which this
    /// machine must have.
    pub fn native_target(&self, arch: Arch) -> Result<Target> {
        let here = ebpf::host_features();
        let Some(name) = &self.cpu else {
            return Ok(self.target_with(None, here));
        };
        let wanted = features(arch, cpu(arch, Some(name))?.name).unwrap_or_default();
        if wanted.0 & !here.0 != 0 {
            return Err(Problem::new(format!("this machine cannot run code for {name}")).remedy(
                "./assay ebpf emit shows the code; on another architecture --target runs it under QEMU",
            ));
        }
        Ok(self.target_with(None, wanted))
    }

    /// An `arch` of `None` is this machine, the only one whose code can run in this process.
    fn target_with(&self, arch: Option<Arch>, features: Features) -> Target {
        let arch = arch.map(|arch| arch.name().to_owned());
        Target { arch, features, swap: self.swap(), fusion: self.fusion() }
    }

    /// The same as options of the plugin program.
    pub fn plugin_options(&self) -> Vec<&'static str> {
        let swap = match self.swap {
            SwapChoice::Auto => "auto",
            SwapChoice::Memory => "memory",
            SwapChoice::Register => "register",
            SwapChoice::Vector => "vector",
            SwapChoice::Isa31 => "isa31",
        };
        let fusion = match self.fusion {
            FusionChoice::Auto => None,
            FusionChoice::On => Some("--fuse"),
            FusionChoice::Off => Some("--no-fuse"),
        };
        ["--swap", swap].into_iter().chain(fusion).collect()
    }
}

/// The features of a CPU, as ebpf.h numbers them; `None` for names that make no difference to the library.
pub fn features(arch: Arch, cpu: &str) -> Option<Features> {
    let bits = match (arch, cpu) {
        // 16 is VSX, which makes a difference from POWER9 on.
        (Arch::Powerpc64 | Arch::Powerpc64le, "power7") => 1,
        (Arch::Powerpc64 | Arch::Powerpc64le, "power8") => 1 | 2,
        (Arch::Powerpc64 | Arch::Powerpc64le, "power9") => 1 | 2 | 4 | 16,
        (Arch::Powerpc64 | Arch::Powerpc64le, "power10") => 1 | 2 | 4 | 8 | 16,
        (Arch::X86_64, "x86-64") => 0,
        (Arch::X86_64, "movbe") => 1,
        // A Haswell: movbe, BMI2, SSSE3.
        (Arch::X86_64, "avx2") => 1 | 2 | 4,
        (Arch::Loongarch64, "la64") => 1, // LAM
        (Arch::Aarch64, "armv8-a") | (Arch::Riscv64, "rv64gc") => 0,
        _ => return None,
    };
    Some(Features(bits))
}

/// The CPUs of an architecture that make a difference to the library, oldest first.
pub fn cpus(arch: Arch) -> Vec<&'static Requirement> {
    let all = lab::target::Target::of(arch).requirements.iter();
    all.filter(|requirement| features(arch, requirement.name).is_some()).collect()
}

/// A CPU by name, or the oldest.
pub fn cpu(arch: Arch, name: Option<&str>) -> Result<&'static Requirement> {
    let all = cpus(arch);
    let found = match name {
        None => all.first(),
        Some(name) => all.iter().find(|requirement| requirement.name == name),
    };
    found.copied().ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|requirement| requirement.name).collect();
        let problem = Problem::new(format!(
            "there is no {arch} cpu '{}' to generate code for",
            name.unwrap_or_default()
        ));
        problem.remedy(if known.is_empty() {
            "the eBPF library is not built for this architecture".to_owned()
        } else {
            format!("choose one of: {}", known.join(" "))
        })
    })
}

/// The architectures that code can be generated for.
pub fn back_ends() -> Vec<Arch> {
    let targets = ebpf::targets();
    Arch::ALL.into_iter().filter(|arch| targets.contains(&arch.name())).collect()
}

/// Whether the library generates code for an architecture.
pub fn has_back_end(arch: Arch) -> bool {
    back_ends().contains(&arch)
}

/// An architecture without a back end is refused with the list of those that have one.
pub fn require_back_end(arch: Arch) -> Result<()> {
    if has_back_end(arch) {
        return Ok(());
    }
    let known: Vec<&str> = back_ends().iter().map(|arch| arch.name()).collect();
    Err(Problem::new(format!("no code can be generated for {arch}"))
        .remedy(format!("there are back ends for: {}", known.join(" "))))
}

/// The QEMU that stands for a CPU.
pub fn emulator(context: &Context, arch: Arch, cpu: &Requirement) -> Result<Engine> {
    qemu_engine(&context.workspace, arch, cpu.qemu, cpu.qemu_cpu)
}

/// A VM; making one can fail only for want of memory.
pub fn vm(options: Options) -> Result<Vm> {
    Vm::new(options).ok_or_else(|| Problem::new("there is no memory for a VM"))
}

/// Registers these helpers as stubs, so that the verifier accepts calls to them; code that calls a helper must not run in
/// this VM. A program of an object can call the kernel's, which return; one of another form the conformance suite's.
pub fn pretend_helpers(vm: &mut Vm, form: Form, numbers: impl IntoIterator<Item = u32>) -> Result<()> {
    extern "C" fn nothing(_: u64, _: u64, _: u64, _: u64, _: u64, _: *mut c_void) -> u64 {
        0
    }
    for number in numbers {
        let unwinds = form != Form::Elf && number == UNWIND_HELPER;
        // SAFETY: the function looks at none of its arguments.
        unsafe { vm.register_helper(number, nothing, unwinds) }.map_err(|error| {
            Problem::new(error.to_string()).remedy(format!("helper numbers are below {HELPER_NUMBER_MAX}"))
        })?;
    }
    Ok(())
}

/// EBPF_HELPER_NUMBER_MAX of ebpf.h.
pub const HELPER_NUMBER_MAX: u32 = 1024;
/// The conformance suite's helper, which returns its argument and ends the program if that is 0.
pub const UNWIND_HELPER: u32 = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_back_end_has_a_cpu_and_newer_ones_have_more() {
        assert!(back_ends().len() >= 4, "{:?}", back_ends());
        for arch in back_ends() {
            let bits: Vec<u32> = cpus(arch)
                .iter()
                .map(|cpu| features(arch, cpu.name).expect("it was chosen by that").0)
                .collect();
            assert_eq!(
                bits.first().map(|first| first & !1),
                Some(0),
                "{arch}: the oldest has next to nothing"
            );
            assert!(
                bits.windows(2).all(|pair| pair[0] & !pair[1] == 0 && pair[0] != pair[1]),
                "{arch}: {bits:?}"
            );
        }
        assert!(cpu(Arch::X86_64, Some("power8")).is_err());
        assert!(cpu(Arch::Powerpc, None).is_err());
    }
}
