// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What it takes to build and run for an architecture: one [`Target`] each, in the order a porter needs it.
//!
//! A variant *claims* the oldest CPU or the features that it needs (`assay-requires:` in its head comment). A claim
//! decides three things together, so they stand in one row: the compiler flags, the `-cpu` of QEMU under which the
//! claim is put to the test, and what a real machine must have to run it natively.

use arch::Arch;

/// Which QEMU can run something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Qemu {
    /// Debian 12's QEMU 7.2, with plugins of API 1.
    Packaged,
    /// The QEMU 10 that `./setup` builds: LSX and LASX, plugin API 2 and later.
    Built,
    /// No available one (AVX-512): natively or not at all.
    None,
}

/// A claim that a variant can make: the oldest CPU, or a feature, that it needs.
#[derive(Clone, Copy, Debug)]
pub struct Requirement {
    /// As in `assay-requires:`.
    pub name: &'static str,
    /// Compiler flags, understood by clang and by gcc.
    pub cflags: &'static [&'static str],
    /// The oldest `-cpu` of QEMU that has it; of several claims the last one in the table decides, with what the others turn on.
    pub qemu_cpu: &'static str,
    /// Which QEMU is needed.
    pub qemu: Qemu,
    /// Flags of `/proc/cpuinfo` that a real machine must show, all of them.
    pub host_flags: &'static [&'static str],
}

/// How to compile for an architecture and how to run the result.
#[derive(Debug)]
pub struct Target {
    /// The architecture.
    pub arch: Arch,
    /// clang's `--target`.
    pub triple: &'static str,
    /// Flags for every file, clang and gcc alike.
    pub cflags: &'static [&'static str],
    /// Debian 12's cross gcc, where it has one, and the flags that only it needs.
    pub gcc: Option<(&'static str, &'static [&'static str])>,
    /// QEMU's user-mode program.
    pub qemu_program: &'static str,
    /// Folders of variants that serve this architecture, besides `generic`.
    pub variant_folders: &'static [&'static str],
    /// The claim of a variant that makes none.
    pub baseline: &'static str,
    /// What variants may claim, oldest first.
    pub requirements: &'static [Requirement],
}

const fn requirement(
    name: &'static str,
    cflags: &'static [&'static str],
    qemu_cpu: &'static str,
) -> Requirement {
    Requirement { name, cflags, qemu_cpu, qemu: Qemu::Packaged, host_flags: &[] }
}

const fn x86(
    name: &'static str,
    cflags: &'static [&'static str],
    qemu_cpu: &'static str,
    host_flags: &'static [&'static str],
) -> Requirement {
    let qemu = if qemu_cpu.is_empty() { Qemu::None } else { Qemu::Packaged };
    Requirement { name, cflags, qemu_cpu, qemu, host_flags }
}

/// POWER in both byte orders: the same machines. clang would emit POWER8 code for powerpc64le unless told.
const POWER: &[Requirement] = &[
    // All of them have these two; the claims are for what 32-bit machines may lack.
    requirement("fpu", &["-mcpu=power7"], "power7"),
    requirement("altivec", &["-mcpu=power7"], "power7"),
    requirement("power7", &["-mcpu=power7"], "power7"),
    requirement("power8", &["-mcpu=power8"], "power8"),
    requirement("power9", &["-mcpu=power9"], "power9"),
    // Without PC-relative code: the call checker verifies r2, which such code does not keep.
    requirement("power10", &["-mcpu=power10", "-mno-pcrel"], "power10"),
];

static TARGETS: [Target; 7] = [
    Target {
        arch: Arch::Powerpc,
        triple: "powerpc-unknown-linux-gnu",
        cflags: &["-mbig-endian"],
        gcc: Some(("powerpc-linux-gnu-gcc", &[])),
        qemu_program: "qemu-ppc",
        variant_folders: &["powerpc"],
        baseline: "603",
        requirements: &[
            // The classic core that the e300 descends from. Soft float, because the MPC8xx has no FPU and because
            // clang's variadic functions save f1-f8 without being asked.
            requirement("603", &["-mcpu=603", "-msoft-float"], "603"),
            // The same with its floating-point unit: for code that is about its registers.
            requirement("fpu", &["-mcpu=603"], "603"),
            // The first AltiVec machine that QEMU's user mode gives its vector unit to (the 7400 it does not).
            requirement("altivec", &["-mcpu=7450", "-maltivec"], "7450"),
        ],
    },
    Target {
        arch: Arch::Powerpc64,
        triple: "powerpc64-unknown-linux-gnu",
        cflags: &["-mabi=elfv2", "-mbig-endian"],
        gcc: Some(("powerpc64-linux-gnu-gcc", &[])),
        qemu_program: "qemu-ppc64",
        variant_folders: &["powerpc64", "power"],
        baseline: "power7",
        requirements: POWER,
    },
    Target {
        arch: Arch::Powerpc64le,
        triple: "powerpc64le-unknown-linux-gnu",
        cflags: &["-mabi=elfv2", "-mlittle-endian"],
        gcc: Some(("powerpc64le-linux-gnu-gcc", &[])),
        qemu_program: "qemu-ppc64le",
        variant_folders: &["powerpc64le", "power"],
        baseline: "power7",
        requirements: POWER,
    },
    Target {
        arch: Arch::Loongarch64,
        triple: "loongarch64-unknown-linux-gnu",
        cflags: &["-mabi=lp64d"],
        gcc: None,
        qemu_program: "qemu-loongarch64",
        variant_folders: &["loongarch64"],
        baseline: "la64",
        requirements: &[
            requirement("la64", &["-march=loongarch64"], "la464"),
            Requirement {
                name: "lsx",
                cflags: &["-mlsx"],
                qemu_cpu: "la464,lsx=on,lasx=off",
                qemu: Qemu::Built,
                host_flags: &["lsx"],
            },
            Requirement {
                name: "lasx",
                cflags: &["-mlasx"],
                qemu_cpu: "la464",
                qemu: Qemu::Built,
                host_flags: &["lasx"],
            },
        ],
    },
    Target {
        arch: Arch::X86_64,
        triple: "x86_64-unknown-linux-gnu",
        cflags: &["-mno-red-zone"],
        gcc: Some(("gcc", &[])),
        qemu_program: "qemu-x86_64",
        variant_folders: &["x86_64"],
        baseline: "x86-64",
        requirements: &[
            x86("x86-64", &["-march=x86-64"], "Opteron_G1", &[]),
            // All but the first 64-bit processors, and the first that QEMU has.
            x86("rdtscp", &[], "Opteron_G3", &["rdtscp"]),
            x86("movbe", &["-mmovbe"], "Haswell", &["movbe"]),
            x86("xsave", &["-mxsave"], "SandyBridge", &["xsave"]),
            x86("avx", &["-mavx"], "SandyBridge", &["avx"]),
            x86("xsaveopt", &["-mxsaveopt"], "SandyBridge", &["xsaveopt"]),
            x86("avx2", &["-mavx2", "-mbmi", "-mbmi2"], "Haswell", &["avx2", "bmi1", "bmi2"]),
            x86("adx", &["-madx", "-mbmi2"], "Broadwell", &["adx", "bmi2"]),
            x86("xsavec", &["-mxsavec"], "", &["xsavec"]),
            x86("avx_vnni", &["-mavx2", "-mbmi2", "-mavxvnni"], "", &["avx2", "bmi2", "avx_vnni"]),
            x86(
                "avx512",
                &["-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mbmi2"],
                "",
                &["avx512f", "avx512bw", "avx512vl", "avx512dq", "bmi2"],
            ),
            x86(
                "avx512_vnni",
                &["-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mbmi2", "-mavx512vnni"],
                "",
                &["avx512f", "avx512bw", "avx512vl", "avx512dq", "bmi2", "avx512_vnni"],
            ),
            x86("avx512_vbmi", &["-mavx512vbmi", "-mavx512bw"], "", &["avx512vbmi", "avx512bw"]),
        ],
    },
    Target {
        arch: Arch::Aarch64,
        triple: "aarch64-unknown-linux-gnu",
        // x18 is the platform's: the kernel keeps its shadow call stack there, so hot paths leave it alone. Out-of-line
        // atomics would call into libgcc.
        cflags: &["-mlittle-endian", "-ffixed-x18", "-mno-outline-atomics"],
        gcc: Some(("aarch64-linux-gnu-gcc", &[])),
        qemu_program: "qemu-aarch64",
        variant_folders: &["aarch64"],
        baseline: "armv8-a",
        requirements: &[requirement("armv8-a", &["-march=armv8-a"], "cortex-a53")],
    },
    Target {
        arch: Arch::Riscv64,
        triple: "riscv64-unknown-linux-gnu",
        cflags: &["-mabi=lp64d", "-mno-relax"],
        gcc: Some(("riscv64-linux-gnu-gcc", &[])),
        qemu_program: "qemu-riscv64",
        variant_folders: &["riscv64"],
        baseline: "rv64gc",
        requirements: &[
            // A real core that has nothing more: QEMU's rv64 has Zba, Zbb, Zbc and Zbs unless told, and newer QEMUs' more.
            requirement("rv64gc", &["-march=rv64gc"], "sifive-u54"),
            requirement("zbb", &["-march=rv64gc_zbb"], "rv64,zba=false,zbb=true,zbc=false,zbs=false"),
            requirement(
                "rvv",
                &["-march=rv64gcv"],
                "rv64,zba=false,zbb=false,zbc=false,zbs=false,v=true,vext_spec=v1.0",
            ),
        ],
    },
];

impl Target {
    /// The target of an architecture.
    pub fn of(arch: Arch) -> &'static Target {
        TARGETS.iter().find(|target| target.arch == arch).expect("every Arch has a Target; a test holds it")
    }

    /// The requirement of this name.
    pub fn requirement(&self, name: &str) -> Option<&'static Requirement> {
        self.requirements.iter().find(|requirement| requirement.name == name)
    }

    /// What may be claimed, for a message.
    pub fn requirement_names(&self) -> String {
        self.requirements.iter().map(|requirement| requirement.name).collect::<Vec<_>>().join(" ")
    }
}

/// Every claim that any architecture knows; a generic variant may make one that only some have.
pub fn known_anywhere(name: &str) -> bool {
    TARGETS.iter().any(|target| target.requirement(name).is_some())
}

/// Every folder name that holds variants, `generic` included.
pub fn variant_folder_names() -> Vec<&'static str> {
    let mut names: Vec<_> = TARGETS.iter().flat_map(|target| target.variant_folders).copied().collect();
    names.push("generic");
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_arch_has_a_target_with_its_own_folder_and_baseline() {
        for arch in Arch::ALL {
            let target = Target::of(arch);
            assert!(target.variant_folders.contains(&arch.name()), "{arch}");
            assert!(target.requirement(target.baseline).is_some(), "{arch}");
        }
    }

    #[test]
    fn what_no_qemu_has_names_the_flags_of_a_machine_that_does() {
        for target in &TARGETS {
            for requirement in target.requirements {
                let native_only = requirement.qemu == Qemu::None;
                assert_eq!(native_only, requirement.qemu_cpu.is_empty(), "{}", requirement.name);
                assert!(!native_only || !requirement.host_flags.is_empty(), "{}", requirement.name);
            }
        }
    }
}
