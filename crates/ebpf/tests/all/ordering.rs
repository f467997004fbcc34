// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Atomic operations with FETCH are full fences on POWER, the machine here that orders least, in both engines. No run under QEMU
//! could tell: it executes in the order of x86-64.

use crate::support;
use ebpf::{assemble, ByteOrder, Options, Target, Vm};
use std::process::Command;

const SYNC: u32 = 0x7c00_04ac;
const ISYNC: u32 = 0x4c00_012c;

/// Every atomic operation, and what is to stand behind its loop.
const OPERATIONS: [(&str, u32); 11] = [
    ("r1 = atomic_fetch_add((u64 *)(r10 - 8), r1)", SYNC),
    ("r1 = atomic_fetch_or((u64 *)(r10 - 8), r1)", SYNC),
    ("r1 = atomic_fetch_and((u64 *)(r10 - 8), r1)", SYNC),
    ("r1 = atomic_fetch_xor((u64 *)(r10 - 8), r1)", SYNC),
    ("w1 = atomic_fetch_add((u32 *)(r10 - 8), w1)", SYNC),
    ("r1 = xchg_64(r10 - 8, r1)", SYNC),
    ("w1 = xchg32_32(r10 - 8, w1)", SYNC),
    ("r0 = cmpxchg_64(r10 - 8, r0, r1)", SYNC),
    ("w0 = cmpxchg32_32(r10 - 8, w0, w1)", SYNC),
    ("lock *(u64 *)(r10 - 8) += r1", ISYNC),
    ("lock *(u32 *)(r10 - 8) ^= w1", ISYNC),
];

#[test]
fn code_of_atomics_with_fetch_ends_in_a_full_fence() {
    for arch in ["powerpc64le", "powerpc64"] {
        for (text, expected) in OPERATIONS {
            let bytecode = assemble(&format!("{text}\nexit"), ByteOrder::Little).expect(text);
            let mut vm = Vm::new(Options::default()).expect("memory");
            vm.load(&bytecode, ByteOrder::Little).expect(text);
            let code = vm.emit(&Target { arch: Some(arch.into()), ..Target::default() }).expect("code");
            let word = match arch {
                "powerpc64" => u32::from_be_bytes,
                _ => u32::from_le_bytes,
            };
            let words: Vec<u32> =
                code.chunks_exact(4).map(|four| word(four.try_into().expect("four bytes"))).collect();
            let at = words.iter().position(|&word| is_store_conditional(word)).expect(text);
            assert!(words[..at].contains(&SYNC), "{arch}: {text}: {words:#x?}");
            assert_eq!(words[at + 2], expected, "{arch}: {text}: {words:#x?}");
        }
    }
}

/// stwcx. or stdcx. (Power ISA, book II, section 4.6.2)
fn is_store_conditional(word: u32) -> bool {
    matches!(word & 0xfc00_07ff, 0x7c00_012d | 0x7c00_01ad)
}

/// The interpreter's twelve operations have a sync before each, by __ATOMIC_SEQ_CST, and one behind those with FETCH.
#[test]
fn the_interpreter_has_a_fence_of_its_own() {
    for object in support::power_objects("interpret.c") {
        let output = Command::new("llvm-objdump-19").arg("-d").arg(&object).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let count = |names: [&str; 2]| text.split_whitespace().filter(|word| names.contains(word)).count();
        let loops = count(["lwarx", "ldarx"]);
        assert!(loops > 0 && count(["sync", "hwsync"]) > loops, "{}: {text}", object.display());
    }
}
