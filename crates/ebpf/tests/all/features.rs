// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The CPU's features (libs/ebpf/host/features.c) select the generated code, on the CPUs that QEMU models.

use crate::support;
use ebpf::{assemble, ByteOrder, Features, Options, Swap, Target, Vm};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

const PROGRAM: &str = "r0 = bswap64 r0\nexit";

/// QEMU's `-cpu`, the features in its auxiliary vector, and an instruction that tells its code from that of older CPUs.
const CPUS: [(&str, u32, &str); 4] = [
    ("power7", 1 | 16, "rlwimi"),
    ("power8", 1 | 2 | 16, "ldbrx"),
    ("power9", 1 | 2 | 4 | 16, "xxbrd"),
    ("power10", 1 | 2 | 4 | 8 | 16, "brd"),
];

fn code_for(arch: &str, features: u32) -> String {
    code_of("r0 = bswap64 r0", arch, features)
}

fn code_of(instruction: &str, arch: &str, features: u32) -> String {
    let mut vm = Vm::new(Options::default()).expect("memory");
    let bytecode =
        assemble(&format!("{instruction}\nexit"), ByteOrder::Little).expect("the program assembles");
    vm.load(&bytecode, ByteOrder::Little).expect("the program is valid");
    let target = Target { arch: Some(arch.into()), features: Features(features), ..Target::default() };
    let code = vm.emit(&target).expect("code");
    code.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn power_cpus_get_code_of_their_own() {
    let hex: String = assemble(PROGRAM, ByteOrder::Little)
        .expect("the program assembles")
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    for (arch, qemu) in [("powerpc64le", "qemu-ppc64le"), ("powerpc64", "qemu-ppc64")] {
        let mut seen = Vec::new();
        for (cpu, features, instruction) in CPUS {
            let plugin = support::plugin(arch, &[qemu, "-cpu", cpu]);
            let output = plugin
                .command("plugin")
                .args(["--program", &hex, "--emit", "host"])
                .output()
                .expect("the plugin runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let code = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            assert_eq!(code, code_for(arch, features), "{arch} on {cpu}");
            let text = listing(arch, &code);
            assert!(text.contains(instruction), "{arch} on {cpu}: no {instruction} in\n{text}");
            assert!(!seen.contains(&code), "{arch} on {cpu}: the code of an older one");
            seen.push(code);
        }
    }
}

/// An ISA 3.0 core may be without the vector registers that xxbrd needs, and QEMU models none: its auxiliary vector is made up.
#[test]
fn a_core_without_vsx_has_no_vector_instructions() {
    let source = support::scratch().join("without_vsx.c");
    let text = "#include \"host/host.h\"\n\
         uint64_t ebpf_host_auxiliary(uint64_t type) { return type == 16 ? 0x40000100 : type == 26 ? 0x80800000 : 0; }\n\
         int main(void) { return (int)ebpf_host_features(); }\n";
    std::fs::write(&source, text).expect("a file");
    let program = support::scratch().join("without_vsx");
    let status = Command::new("powerpc64le-linux-gnu-gcc")
        .args(["-static", "-I"])
        .arg(support::library())
        .arg(&source)
        .arg(support::library().join("host/features.c"))
        .arg("-o")
        .arg(&program)
        .status()
        .expect("powerpc64le-linux-gnu-gcc runs");
    assert!(status.success());
    let features = Command::new("qemu-ppc64le").arg(&program).status().expect("it runs").code();
    assert_eq!(features, Some(1 | 2 | 4));
}

/// A kernel passes its CPU's level without VSX: no code for it may touch the vector registers, which are user space's.
#[test]
fn without_vsx_no_level_writes_vector_registers() {
    for arch in ["powerpc64le", "powerpc64"] {
        for features in 0..16 {
            let text = listing(arch, &code_for(arch, features));
            assert!(!text.contains("xxbrd") && !text.contains("vsr"), "{arch}, {features:#x}:\n{text}");
        }
        let text = listing(arch, &code_for(arch, 1 | 2 | 4));
        assert!(text.contains("ldbrx"), "{arch}: POWER9 swaps as POWER8 does:\n{text}");
        let mut vm = Vm::new(Options::default()).expect("memory");
        vm.load(&assemble(PROGRAM, ByteOrder::Little).expect("it assembles"), ByteOrder::Little)
            .expect("valid");
        let target = Target {
            arch: Some(arch.into()),
            features: Features(15),
            swap: Swap::Vector,
            ..Target::default()
        };
        let error = vm.emit(&target).expect_err("vectors without vsx");
        assert!(error.to_string().contains("isa300 and vsx"), "{error}");
    }
}

/// A made-up auxiliary vector, for the code of LoongArch that asks it, compiled for this machine: only LAM is a feature.
#[test]
fn loongarch_has_its_atomic_instructions_where_the_kernel_says_so() {
    let [object, source, program] = ["lam.o", "lam.c", "lam"].map(|name| support::scratch().join(name));
    let arguments = ["-ffreestanding", "-U__x86_64__", "-U__powerpc64__", "-D__loongarch__", "-c", "-o"];
    let features_c = support::library().join("host/features.c");
    let status = Command::new("gcc").args(arguments).arg(&object).arg(features_c).status().expect("gcc runs");
    assert!(status.success());
    let text = "#include \"host/host.h\"\n\
         static uint64_t hwcap;\n\
         uint64_t ebpf_host_auxiliary(uint64_t type) { return type == 16 ? hwcap : 0; }\n\
         int main(void) { for (; hwcap < 64; hwcap++) if (ebpf_host_features() != (hwcap >> 1 & 1)) return 1; return 0; }\n";
    std::fs::write(&source, text).expect("a file");
    let mut gcc = Command::new("gcc");
    gcc.arg("-I").arg(support::library()).args([&source, &object]).arg("-o").arg(&program);
    assert!(gcc.status().expect("gcc runs").success());
    assert!(Command::new(&program).status().expect("it runs").success());
}

/// Without LAM no atomic operation is one of its instructions; with it all are but compare-and-exchange, of which it has none.
#[test]
fn loongarch_without_lam_has_loops() {
    for operation in [
        "lock *(u64 *)(r10 - 8) += r1",
        "lock *(u32 *)(r10 - 8) |= w1",
        "r1 = atomic_fetch_and((u64 *)(r10 - 8), r1)",
        "w1 = atomic_fetch_xor((u32 *)(r10 - 8), w1)",
        "r1 = xchg_64(r10 - 8, r1)",
        "w1 = xchg32_32(r10 - 8, w1)",
    ] {
        let with = listing("loongarch64", &code_of(operation, "loongarch64", 1));
        let without = listing("loongarch64", &code_of(operation, "loongarch64", 0));
        assert!(with.contains("_db.") && !with.contains("sc."), "{operation}:\n{with}");
        assert!(!without.contains("am") && without.contains("sc."), "{operation}:\n{without}");
        assert_eq!(without.matches("dbar").count(), 2, "{operation}:\n{without}");
    }
}

fn listing(arch: &str, code: &str) -> String {
    let bytes: Vec<String> =
        (0..code.len()).step_by(2).map(|at| format!("0x{}", &code[at..at + 2])).collect();
    // Tests run side by side.
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let input = support::scratch().join(format!("features-{arch}-{number}.txt"));
    std::fs::write(&input, bytes.join(" ")).expect("a file");
    let output = Command::new("llvm-mc-19")
        .args(["--disassemble", &format!("--triple={arch}")])
        .args(if arch.starts_with("power") { &["-mcpu=pwr10"][..] } else { &[] })
        .arg(&input)
        .output()
        .expect("llvm-mc-19 runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The detected features are exactly those of this machine, and code is compiled for them.
#[test]
fn this_machine_compiles_with_its_own_features() {
    let mut vm = Vm::new(Options::default()).expect("memory");
    let bytecode = assemble(PROGRAM, ByteOrder::Little).expect("the program assembles");
    vm.load(&bytecode, ByteOrder::Little).expect("the program is valid");
    let features = ebpf::host_features();
    vm.compile(&Target { features, ..Target::default() }).expect("code for this machine");
    #[cfg(target_arch = "x86_64")]
    for (bit, present) in [
        (1, std::arch::is_x86_feature_detected!("movbe")),
        (2, std::arch::is_x86_feature_detected!("bmi2")),
        (4, std::arch::is_x86_feature_detected!("ssse3")),
    ] {
        assert_eq!(features.0 & bit != 0, present, "feature bit {bit}");
    }
}
