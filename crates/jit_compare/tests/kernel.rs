// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The re-created kernel sequences, instruction by instruction, and the folder that is written. Whether the sequences
//! compute the right results is checked as for all variants: against the reference, on random packets.

use ebpf::ByteOrder;
use jit_compare::{bytecode, kernel, write_hotpaths};
use std::path::{Path, PathBuf};

fn slot(opcode: u8, dst: u8, src: u8, offset: i16, imm: i32) -> Vec<u8> {
    let mut bytes = vec![opcode, src << 4 | dst];
    bytes.extend(offset.to_le_bytes());
    bytes.extend(imm.to_le_bytes());
    bytes
}

/// The lines between entry and exit for one instruction followed by `exit`.
fn sequence(instruction: Vec<u8>) -> Vec<String> {
    let program = [instruction, slot(0x95, 0, 0, 0, 0)].concat();
    let text = kernel::assembly(&program).expect("a known instruction");
    let body = text.split(".Lslot0:\n").nth(1).expect("a body").split(".Lslot1:").next().expect("an end");
    body.lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn byte_swaps_take_three_or_four_instructions() {
    assert_eq!(
        sequence(slot(0xdc, 1, 0, 0, 16)),
        ["rlwinm 9, 3, 8, 16, 23", "rlwimi 9, 3, 24, 24, 31", "mr 3, 9"]
    );
    assert_eq!(sequence(slot(0xdc, 1, 0, 0, 32)).len(), 4);
    assert_eq!(sequence(slot(0xdc, 2, 0, 0, 64)), ["std 4, -80(1)", "addi 9, 1, -80", "ldbrx 4, 0, 9"]);
    assert_eq!(sequence(slot(0xd4, 2, 0, 0, 16)), ["rldicl 4, 4, 0, 48"]);
}

#[test]
fn near_branches_are_followed_by_a_nop() {
    assert_eq!(sequence(slot(0x15, 1, 0, 0, 8)), ["cmpldi 3, 8", "beq .Lslot1", "nop"]);
    assert_eq!(
        sequence(slot(0x56, 1, 0, 0, 0x8100)),
        ["lis 9, 0", "ori 9, 9, 33024", "cmplw 3, 9", "bne .Lslot1", "nop"]
    );
}

#[test]
fn zero_extension_follows_only_where_the_upper_half_is_read() {
    // w1 += 1, and r1 is not read again; w0 += 1, and r0 is the result.
    assert_eq!(sequence(slot(0x04, 1, 0, 0, 1)), ["addi 3, 3, 1"]);
    assert_eq!(sequence(slot(0x04, 0, 0, 0, 1)), ["addi 8, 8, 1", "rlwinm 8, 8, 0, 0, 31"]);
    // A shift clears the upper half by itself.
    assert_eq!(sequence(slot(0x74, 0, 0, 0, 16)), ["srwi 8, 8, 16"]);
}

#[test]
fn what_is_not_recreated_is_refused_by_name() {
    let call = [slot(0x85, 0, 0, 0, 1), slot(0x95, 0, 0, 0, 0)].concat();
    let error = kernel::assembly(&call).unwrap_err();
    assert_eq!((error.slot, error.opcode), (0, 0x85));
    assert!(error.to_string().contains("0x85"), "{error}");
}

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn every_program_becomes_a_hot_path_and_is_rewritten_as_a_whole() {
    let folder = std::env::temp_dir().join(format!("assay-jit-compare-{}", std::process::id()));
    let names = write_hotpaths(&checkout(), &folder).expect("clang-19 compiles for BPF");
    assert!(names.len() >= 4, "{names:?}");
    let stale = folder.join(jit_compare::LIBRARY).join("stale");
    std::fs::create_dir_all(&stale).expect("the folder is writable");
    assert_eq!(write_hotpaths(&checkout(), &folder).expect("again"), names);
    assert!(!stale.exists());
    for name in &names {
        let hotpath = folder.join(jit_compare::LIBRARY).join(name);
        for file in ["hotpath.toml", "reference.c", "test.c", "powerpc64le/fused.S", "powerpc64/jit.S"] {
            assert!(hotpath.join(file).is_file(), "{name}/{file}");
        }
        let kernel = std::fs::read_to_string(hotpath.join(format!("powerpc64le/{}.S", jit_compare::KERNEL)));
        assert!(kernel.expect("written").contains("rlwi"), "{name} has no byte swap to compare");
    }
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn a_program_that_does_not_compile_is_an_error_with_the_compiler_s_words() {
    let file = std::env::temp_dir().join(format!("assay-jit-compare-{}.c", std::process::id()));
    std::fs::write(&file, "int program(void) { return undeclared; }\n").expect("the folder is writable");
    let error = bytecode(&file, ByteOrder::Little).unwrap_err();
    assert!(error.to_string().contains("undeclared"), "{error}");
    std::fs::remove_file(&file).expect("it is ours");
}
