// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! LLVM's scheduling models through the shim, against the llvm-mca program of the same LLVM.

use std::io::Write;
use std::process::{Command, Stdio};

use arch::Arch;
use decode::{Decoder, Instruction, Scheduling, SchedulingError};

/// Instruction words, decoded.
fn instructions(arch: Arch, words: &[u32]) -> Vec<Instruction> {
    let mut decoder = Decoder::new(arch).unwrap();
    let bytes = |word: u32| if arch.big_endian() { word.to_be_bytes() } else { word.to_le_bytes() };
    words.iter().map(|&word| decoder.decode(&bytes(word), 0x1000).unwrap()).collect()
}

/// The "Total Cycles" that the program prints for 100 iterations, per iteration.
fn program(triple: &str, cpu: &str, text: &str) -> f64 {
    let program = std::env::var("LLVM_MCA").unwrap_or_else(|_| "llvm-mca-19".to_owned());
    let mut child = Command::new(&program)
        .args([format!("-mtriple={triple}"), format!("-mcpu={cpu}"), "-iterations=100".to_owned()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("cannot run {program}: {error} (Debian: apt-get install llvm-19)"));
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let line = output.lines().find_map(|line| line.strip_prefix("Total Cycles:")).expect("a total");
    line.trim().parse::<f64>().unwrap() / 100.0
}

#[test]
fn mca_agrees_with_the_program() {
    let adde = [0x7c63_2114, 0x7c63_2914, 0x7c63_3114, 0x7c63_3914];
    let adde_text = "adde 3,3,4\nadde 3,3,5\nadde 3,3,6\nadde 3,3,7\n";
    let mixed = [0xe864_0008, 0x7c85_1a14, 0xf8a4_0010, 0x7cc6_29d2];
    let mixed_text = "ld 3,8(4)\nadd 4,5,3\nstd 5,16(4)\nmulld 6,6,5\n";
    for cpu in ["pwr8", "pwr9", "pwr10"] {
        let mut scheduling = Scheduling::new(Arch::Powerpc64le, cpu).unwrap();
        for (words, text) in [(adde, adde_text), (mixed, mixed_text)] {
            let body = instructions(Arch::Powerpc64le, &words);
            let found = scheduling.mca_cycles(&body, 100).unwrap();
            assert_eq!(found, program("powerpc64le", cpu, text), "{cpu} {text}");
        }
    }
    let body = instructions(Arch::Aarch64, &[0xf840_8420, 0xab00_0063, 0x9a1f_0063]);
    let text = "ldr x0, [x1], #8\nadds x3, x3, x0\nadc x3, x3, xzr\n";
    let mut scheduling = Scheduling::new(Arch::Aarch64, "neoverse-n1").unwrap();
    assert_eq!(scheduling.mca_cycles(&body, 100).unwrap(), program("aarch64", "neoverse-n1", text));
}

/// The trap that makes llvm-mca unfit for POWER7: it has no entry for plain loads.
#[test]
fn a_missing_entry_is_named() {
    let body = instructions(Arch::Powerpc64le, &[0xe864_0008]);
    let mut scheduling = Scheduling::new(Arch::Powerpc64le, "pwr7").unwrap();
    assert_eq!(scheduling.entry(&body[0]), None);
    let error = scheduling.mca_cycles(&body, 100).unwrap_err().to_string();
    assert!(error.contains("pwr7") && error.contains("LD"), "{error}");
    let call = instructions(Arch::Powerpc64le, &[0x4800_0041]);
    let error = scheduling.mca_cycles(&call, 100).unwrap_err().to_string();
    assert!(error.contains("call"), "{error}");
    assert!(scheduling.mca_cycles(&[], 100).is_err());
}

/// The llvm-mca program of LLVM 19 never ends on these.
#[test]
fn an_instruction_that_never_issues_is_an_error() {
    for bytes in [&[0xc4, 0xe3, 0x75, 0x40, 0xd0, 0x01][..], &[0x66, 0x0f, 0x3a, 0xdf, 0xc8, 0x01]] {
        // vdpps ymm2, ymm1, ymm0, 1; aeskeygenassist xmm1, xmm0, 1
        let mut decoder = Decoder::new(Arch::X86_64).unwrap();
        let body = [decoder.decode(bytes, 0x1000).unwrap()];
        let mut scheduling = Scheduling::new(Arch::X86_64, "sapphirerapids").unwrap();
        let error = scheduling.mca_cycles(&body, 100).unwrap_err().to_string();
        assert!(error.contains("nothing retires"), "{error}");
    }
}

#[test]
fn a_cpu_without_model_is_refused_with_those_that_have_one() {
    for (arch, cpu, usable) in [
        (Arch::Powerpc, "603e", "pwr9"),
        (Arch::Powerpc64le, "power99", "pwr9"),
        (Arch::Loongarch64, "la464", "none for this architecture"),
        (Arch::X86_64, "", "skylake-avx512"),
    ] {
        let Err(error) = Scheduling::new(arch, cpu) else { panic!("{arch} {cpu} has a model") };
        assert!(matches!(error, SchedulingError::NoModel { .. }));
        let text = error.to_string();
        assert!(text.contains(&format!("'{cpu}'")), "{text}");
        assert!(text.contains(usable), "{text}");
    }
}

#[test]
fn an_entry_has_latencies_in_the_order_of_the_writes() {
    // ldr x0, [x1], #8: the base is there before the value. LLVM lists the base first, as we do.
    let body = instructions(Arch::Aarch64, &[0xf840_8420]);
    let mut scheduling = Scheduling::new(Arch::Aarch64, "neoverse-n1").unwrap();
    let entry = scheduling.entry(&body[0]).unwrap();
    assert_eq!(entry.write_latencies_cycles.len(), body[0].writes.len());
    let model = scheduling.model().clone();
    assert!(entry.uses.iter().all(|(resource, cycles)| *resource < model.resources.len() && *cycles > 0));
    let base = body[0].writes.iter().position(|write| write.role == decode::Role::BaseUpdate).unwrap();
    assert!(entry.write_latencies_cycles[base] < entry.write_latencies_cycles[1 - base], "{entry:?}");
    assert_eq!(entry.latency_cycles, *entry.write_latencies_cycles.iter().max().unwrap());
    assert!(model.issue_width > 1 && model.buffer_size > 1, "{model:?}");
}

#[test]
fn a_lock_prefix_does_not_hide_the_instruction() {
    let mut decoder = Decoder::new(Arch::X86_64).unwrap();
    let add = decoder.decode(&[0xf0, 0x48, 0x01, 0x1f], 0).unwrap(); // lock add [rdi], rbx
    let mut scheduling = Scheduling::new(Arch::X86_64, "skylake-avx512").unwrap();
    let entry = scheduling.entry(&add).unwrap();
    assert!(entry.micro_ops > 1, "{entry:?}");
    // CF, OF and ZF are one definition for LLVM.
    assert_eq!(entry.write_latencies_cycles.len(), add.writes.len());
}

#[test]
fn units_know_what_they_are_among_and_groups_what_they_are_made_of() {
    let model = Scheduling::new(Arch::Powerpc64le, "pwr9").unwrap().model().clone();
    let named = |name: &str| model.resources.iter().position(|one| one.name == name).unwrap();
    assert_eq!(model.resources[named("DPE")].above, Some(named("DP")));
    assert_eq!(model.resources[named("DP")].above, None);
    let of_group = &model.resources[named("DISP_SS")].members;
    assert_eq!(of_group.len(), 4, "two of each: {of_group:?}");
    assert!(model.resources[named("DISP_SS")].users > model.resources[named("DFU")].users);
    assert_eq!((model.retire_width, model.load_queue), (None, None));
    let zen = Scheduling::new(Arch::X86_64, "znver4").unwrap().model().clone();
    assert!(zen.retire_width.is_some() && zen.load_queue.is_some() && zen.store_queue.is_some(), "{zen:?}");
}

#[test]
fn an_entry_tells_late_operands_and_what_renaming_does() {
    let mut decoder = Decoder::new(Arch::X86_64).unwrap();
    let mut scheduling = Scheduling::new(Arch::X86_64, "znver4").unwrap();
    let mut entry = |code: &[u8]| scheduling.entry(&decoder.decode(code, 0).unwrap()).unwrap();
    let add_loaded = entry(&[0x48, 0x03, 0x07]); // add rax, [rdi]
    assert!(
        add_loaded.late_cycles > 1 && add_loaded.late_cycles < add_loaded.latency_cycles,
        "{add_loaded:?}"
    );
    let zero = entry(&[0x48, 0x29, 0xc0]); // sub rax, rax
    assert!(zero.breaks_dependencies && !zero.is_eliminated, "{zero:?}");
    let other = entry(&[0x48, 0x29, 0xd8]); // sub rax, rbx
    assert!(!other.breaks_dependencies && other.late_cycles == 0, "{other:?}");
    assert!(entry(&[0x48, 0x89, 0xd8]).is_eliminated, "mov rax, rbx");
}
