// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What the objects of libs/ebpf/host do to make code coherent with the instruction cache. QEMU notices every store to code,
//! so only the instructions tell.

use crate::support;
use std::process::Command;

/// The compilers that make host/posix.c on POWER, and the instructions of the library's callback, in their order.
#[test]
fn protect_code_flushes_the_instruction_cache() {
    let power = ["dcbst", "sync", "icbi", "sync", "isync"];
    for object in support::power_objects("host/posix.c") {
        assert_in_order(&object, "protect_code", &power);
    }
    for (arch, expected) in [("powerpc64le", &power[..]), ("powerpc64", &power), ("loongarch64", &["ibar"])] {
        support::make(&[&format!("ARCH={arch}"), "programs"]);
        let object = support::build_folder().join(arch).join("host/linux.o");
        assert_in_order(&object, "protect_code", expected);
    }
}

/// Instructions of these names occur in the function one after the other, with others between them.
fn assert_in_order(object: &std::path::Path, function: &str, names: &[&str]) {
    let output = Command::new("llvm-objdump-19")
        .args(["-d", "--no-show-raw-insn", &format!("--disassemble-symbols={function}")])
        .arg(object)
        .output()
        .expect("llvm-objdump-19 runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut words = text.split_whitespace();
    for name in names {
        assert!(words.any(|word| word == *name), "{}: no {name} in its place in\n{text}", object.display());
    }
}
