// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Accesses that QEMU's plugin events omit, split or misreport, one test each. docs/trace-format.md lists them.

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::support::recording::{self, Program, Whole};
use arch::Arch;

struct Recorded {
    program: Program,
    whole: Whole,
}

impl Recorded {
    fn new(source: &str, arch: Arch, flags: &[&str], cpu: &str) -> Recorded {
        let program = Program::build(source, arch, flags);
        let whole = program.trace("holes", cpu, &[], &[]);
        Recorded { program, whole }
    }

    /// Checks the accesses of the first execution of the instruction at a label: offset in the buffer, bytes, kind.
    fn check(&self, label: &str, expected: &[(u64, u16, char)]) {
        let buffer = self.program.symbol("buffer");
        let all = self.whole.accesses_at(self.program.symbol(label));
        let first = all.first().unwrap_or_else(|| panic!("{label} was not executed"));
        let got: Vec<_> = first
            .iter()
            .map(|a| {
                assert!(a.known, "{label}: {a:?}");
                let kind = if a.cache_operation {
                    'c'
                } else if a.store {
                    's'
                } else {
                    'l'
                };
                (a.address.wrapping_sub(buffer), a.bytes, kind)
            })
            .collect();
        assert_eq!(got, expected, "{label} on {}", self.program.arch);
    }
}

fn big_endian() -> &'static [Recorded; 2] {
    static RECORDED: OnceLock<[Recorded; 2]> = OnceLock::new();
    RECORDED.get_or_init(|| {
        [
            Recorded::new("holes.S", Arch::Powerpc64, &["-mcpu=power8"], ""),
            Recorded::new("holes.S", Arch::Powerpc, &[], "7450"),
        ]
    })
}

fn power10() -> &'static Recorded {
    static RECORDED: OnceLock<Recorded> = OnceLock::new();
    let flags = ["-mcpu=pwr10", "-DVECTORS", "-DPOWER10"];
    RECORDED.get_or_init(|| Recorded::new("holes.S", Arch::Powerpc64le, &flags, "power10"))
}

fn power9_big_endian() -> &'static Recorded {
    static RECORDED: OnceLock<Recorded> = OnceLock::new();
    RECORDED.get_or_init(|| Recorded::new("holes.S", Arch::Powerpc64, &["-mcpu=pwr9", "-DVECTORS"], "power9"))
}

fn loongarch() -> &'static Recorded {
    static RECORDED: OnceLock<Recorded> = OnceLock::new();
    RECORDED.get_or_init(|| Recorded::new("vectors.S", Arch::Loongarch64, &["-mlasx"], "max"))
}

#[test]
fn load_multiple() {
    big_endian().iter().for_each(|r| r.check("lmw_at", &[(4, 32, 'l')]));
}

#[test]
fn store_multiple() {
    big_endian().iter().for_each(|r| r.check("stmw_at", &[(24, 12, 's')]));
}

#[test]
fn store_multiple_before_the_end_of_a_block() {
    big_endian().iter().for_each(|r| r.check("stmw_last", &[(16, 4, 's')]));
}

#[test]
fn load_string() {
    for r in big_endian() {
        r.check("lswi_at", &[(101, 7, 'l')]);
        r.check("lswx_at", &[(64, 5, 'l')]);
        r.check("lswx_none", &[]);
    }
}

#[test]
fn store_string() {
    for r in big_endian() {
        r.check("stswi_at", &[(101, 32, 's')]);
        r.check("stswx_at", &[(300, 5, 's')]);
    }
}

#[test]
fn cache_block_zero() {
    // The line size that Linux reports: 128 bytes on the 64-bit CPUs, 32 on the 7450.
    for r in [power10(), power9_big_endian(), &big_endian()[0]] {
        r.check("dcbz_at", &[(256, 128, 's')]);
        r.check("dcbz_zero", &[(512, 128, 's')]);
    }
    big_endian()[1].check("dcbz_at", &[(288, 32, 's')]);
    big_endian()[1].check("dcbz_zero", &[(512, 32, 's')]);
}

#[test]
fn cache_instructions_are_no_loads() {
    for r in big_endian().iter().chain([power10()]) {
        for label in ["dcbst_at", "icbi_at"] {
            let accesses = r.whole.accesses_at(r.program.symbol(label));
            assert!(accesses[0].iter().all(|a| a.cache_operation && !a.store), "{label}: {accesses:?}");
        }
    }
    assert_eq!(power10().whole.end.total("cache_operations"), 2);
}

#[test]
fn conditional_stores_only_write() {
    for r in big_endian().iter().chain([power10()]) {
        r.check("stwcx_at", &[(64, 4, 's')]);
        r.check("stwcx_fails", &[]);
    }
    power10().check("stdcx_at", &[(128, 8, 's')]);
    loongarch().check("sc_at", &[(0, 4, 's')]);
}

#[test]
fn exclusive_stores_of_aarch64_and_riscv_only_write() {
    let riscv = Recorded::new("exclusive.S", Arch::Riscv64, &["-march=rv64ima"], "");
    let arm = Recorded::new("exclusive.S", Arch::Aarch64, &["-DLSE"], "max");
    for r in [&riscv, &arm] {
        r.check("load_at", &[(0, 8, 'l')]);
        r.check("store_at", &[(0, 8, 's')]);
        r.check("store_fails", &[]);
    }
    arm.check("pair_at", &[(0, 16, 's')]);
    let swap = arm.whole.accesses_at(arm.program.symbol("swap_at"))[0];
    assert!(!swap[0].store, "CASP and CAS read: {swap:?}");
    arm.check("byte_at", &[(1100, 1, 'l')]);
    arm.check("tagged_zero", &[(1024, 512, 's')]);
    riscv.check("swap_at", &[(0, 8, 'l'), (0, 8, 's')]);
}

/// What `dc zva` clears depends on the model.
#[test]
fn zeroed_blocks_of_aarch64_are_stores() {
    for (cpu, bytes, from) in
        [("cortex-a53", 64, 1088), ("a64fx", 256, 1024), ("max", 512, 1024), ("", 512, 1024)]
    {
        let r = Recorded::new("exclusive.S", Arch::Aarch64, &[], cpu);
        r.check("zero_at", &[(from, bytes, 's')]);
        assert_eq!(r.whole.accesses_at(r.program.symbol("zero_last") - 4)[0][0].bytes, bytes, "{cpu}");
    }
}

/// QEMU 7.2 tells neither where nor how much, and we do not know the vectors' length and the predicates.
#[test]
fn scalable_vectors_of_aarch64_are_accesses_of_unknown_address() {
    let r = Recorded::new("scalable.S", Arch::Aarch64, &["-march=armv9-a+sme"], "max");
    let unknown = |label: &str| {
        let accesses = r.whole.accesses_at(r.program.symbol(label))[0];
        assert!(accesses.iter().all(|a| !a.known && a.bytes == 0), "{label}: {accesses:?}");
        accesses.iter().map(|a| a.store).collect::<Vec<_>>()
    };
    for label in ["contiguous", "four", "gathered", "first_fault", "quadword", "tile_loaded"] {
        assert_eq!(unknown(label), [false], "{label}");
    }
    for label in ["stored", "scattered", "tile_stored"] {
        assert_eq!(unknown(label), [true], "{label}");
    }
    r.check("element_at", &[(8, 8, 'l')]);
    for label in ["register_at", "predicate_at"] {
        let accesses = r.whole.accesses_at(r.program.symbol(label))[0];
        assert!(accesses.len() == 1 && accesses[0].known, "{label}: {accesses:?}");
    }
    for number in 0..4 {
        assert!(r.whole.accesses_at(r.program.symbol("prefetches") + 4 * number)[0].is_empty(), "{number}");
    }
    assert_eq!(r.whole.end.total("unknown_addresses"), 9);
}

#[test]
fn a_model_among_the_programs_own_arguments_is_not_qemus() {
    let program = Program::build("exclusive.S", Arch::Aarch64, &[]);
    let whole = program.trace("argument", "", &[], &["-cpu", "a64fx"]);
    assert_eq!(whole.accesses_at(program.symbol("zero_last") - 4)[0][0].bytes, 512);
}

#[test]
fn atomic_updates_read_and_write() {
    loongarch().check("amadd_at", &[(0, 4, 'l'), (0, 4, 's')]);
}

#[test]
fn sixteen_bytes_are_one_access() {
    for r in [power10(), power9_big_endian()] {
        for label in ["lxvd2x_at", "lvx_at"] {
            r.check(label, &[(64, 16, 'l')]);
        }
        for label in ["stxvw4x_at", "stvx_at"] {
            r.check(label, &[(64, 16, 's')]);
        }
        r.check("lxv_at", &[(32, 16, 'l')]);
    }
    power10().check("plxv_at", &[(48, 16, 'l')]);
    loongarch().check("vst_at", &[(64, 16, 's')]);
}

#[test]
fn thirty_two_bytes_are_one_access() {
    power10().check("lxvp_at", &[(32, 32, 'l')]);
    power10().check("stxvp_at", &[(32, 32, 's')]);
    loongarch().check("xvst_at", &[(96, 32, 's')]);
}

#[test]
fn length_controlled_vectors_are_one_access() {
    for r in [power10(), power9_big_endian()] {
        r.check("lxvl_at", &[(64, 11, 'l')]);
        r.check("stxvl_at", &[(64, 11, 's')]);
        r.check("lxvl_none", &[]);
    }
}

#[test]
fn the_first_vector_instruction_counts_once() {
    let r = loongarch();
    r.check("first_lsx", &[(32, 16, 'l')]);
    r.check("first_lasx", &[(64, 32, 'l')]);
    let at: Vec<u64> = r.whole.instructions.iter().map(|i| i.address).collect();
    let times = |label: &str| at.iter().filter(|&&a| a == r.program.symbol(label)).count();
    assert_eq!((times("_start"), times("first_lsx"), times("first_lasx"), times("xvst_at")), (1, 1, 1, 1));
    assert_eq!((times("next"), times("again"), times("last")), (1, 5, 1));
    // No instruction is missing either: up to the branch, the addresses are consecutive.
    let branch = at.iter().position(|&a| a == r.program.symbol("next")).unwrap();
    assert!(at[..branch].windows(2).all(|w| w[1] == w[0] + 4), "{:x?}", &at[..branch]);
}

#[test]
fn a_block_that_rewrites_itself_counts_once() {
    let r = Recorded::new("rewrites.S", Arch::X86_64, &[], "");
    let at: Vec<u64> = r.whole.instructions.iter().map(|i| i.address).collect();
    let [direct, indirect] = ["direct", "indirect"].map(|label| r.program.symbol(label));
    // Each loop executes ten times what is from its label to its branch back.
    let times = |from: u64, below: u64| at.iter().filter(|&&a| (from..below).contains(&a)).count();
    assert_eq!((times(direct, indirect), times(indirect, u64::MAX)), (10 * 6 + 2, 10 * 7 + 3));
    let stores = r.whole.instructions.iter().flat_map(|i| i.accesses.iter()).filter(|a| a.store);
    assert_eq!((at.len(), stores.count()), (1 + 62 + 73, 20));
}

/// Runs a program of the stand-in for a newer QEMU; gives what was executed and the bytes of the trace.
fn newer_qemu(program: &str, rounds: u64, turns: u64) -> (Whole, u64) {
    static BUILT: OnceLock<[PathBuf; 2]> = OnceLock::new();
    let [emulator, tracer] =
        BUILT.get_or_init(|| [recording::stand_in(), recording::tracer_without_registers()]);
    let path = recording::scratch(&format!("{program}.{}.trace", std::process::id()));
    let mut command = std::process::Command::new(emulator);
    command.arg(tracer).arg(format!("out={}", path.display())).arg(program);
    let output = command.args([rounds, turns].map(|n| n.to_string())).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    (Whole::read(&path), std::fs::metadata(&path).unwrap().len())
}

/// QEMU 10 and later execute them within one block.
#[test]
fn each_turn_of_a_repeated_string_instruction_is_an_execution() {
    let (whole, bytes) = newer_qemu("repeated", 3, 20_000);
    assert_eq!(whole.instructions.len(), 3 * (1 + 20_000));
    let copies = whole.accesses_at(0x1001);
    assert_eq!(copies.len(), 3 * 20_000);
    for (number, accesses) in copies.iter().enumerate() {
        let moved = number as u64 % 20_000;
        let told: Vec<_> = accesses.iter().map(|a| (a.address, a.bytes, a.store)).collect();
        assert_eq!(told, [(0x10000 + moved, 1, false), (0x90000 + moved, 1, true)], "{number}");
    }
    assert!(bytes < 1000, "{bytes} bytes: they are a loop");
    // Within a loop; then too few turns for one, and a single one.
    for (rounds, turns) in [(50, 5), (1, 2), (50, 1)] {
        let instructions = newer_qemu("repeated", rounds, turns).0.instructions.len() as u64;
        assert_eq!(instructions, rounds * (1 + turns), "{rounds} of {turns}");
    }
}

#[test]
fn an_atomic_access_that_stops_the_other_threads_counts_once() {
    let (whole, _) = newer_qemu("restarted", 20, 0);
    assert_eq!((whole.instructions.len(), whole.accesses_at(0x1000).len()), (40, 20));
    assert_eq!((whole.end.total("loads"), whole.end.total("stores")), (20, 20));
}

#[test]
fn memory_copies_and_sets_of_aarch64_are_accesses_of_unknown_address() {
    let (whole, _) = newer_qemu("copied", 20, 0);
    let at = |address| -> Vec<_> {
        let accesses = whole.accesses_at(address)[0];
        accesses.iter().map(|a| (a.known, a.bytes, a.store)).collect()
    };
    assert_eq!((at(0x1000), at(0x1004)), (vec![(false, 0, false), (false, 0, true)], vec![(false, 0, true)]));
    assert_eq!(whole.end.total("unknown_addresses"), 20 * 3);
}

#[test]
fn a_call_of_the_vsyscall_page_is_recorded_as_a_call_of_nothing() {
    let r = Recorded::new("vsyscall.S", Arch::X86_64, &[], "");
    let start = r.program.symbol("_start");
    assert!(r.whole.instructions.iter().all(|i| (start..start + 64).contains(&i.address)));
    assert_eq!((r.whole.instructions.len(), r.whole.end.total("stores")), (2 + 10 * 4 + 2, 10));
}

#[test]
fn without_registers_addresses_are_unknown_and_regions_refused() {
    let plugin = recording::tracer_without_registers();
    let program = Program::build("holes.S", Arch::Powerpc64, &["-mcpu=power8"]);
    let path = program.trace_path("unknown");
    let out = format!("out={}", path.display());
    let output = program.run_with(&plugin, "", std::slice::from_ref(&out), &[]);
    assert!(output.status.success(), "{output:?}");
    let whole = Whole::read(&path);
    let accesses = whole.accesses_at(program.symbol("lmw_at"))[0];
    assert_eq!((accesses.len(), accesses[0].known, accesses[0].bytes), (1, false, 32));
    // Ten, lswx_none among them: without registers, the tracer cannot know that it accesses nothing.
    assert_eq!(whole.end.total("unknown_addresses"), 10, "{:?}", whole.end);

    std::fs::remove_file(&path).unwrap();
    let output = program.run_with(&plugin, "", &[out, program.region("_start")], &[]);
    assert_eq!(output.status.code(), Some(125), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot follow a region"), "{output:?}");
    assert!(!path.exists());
}
