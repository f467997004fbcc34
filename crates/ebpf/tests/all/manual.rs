// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The manual's example prints what the manual says, and the library needs no symbols but those that the manual names.

use crate::support;
use std::process::Command;

fn read(name: &str) -> String {
    std::fs::read_to_string(support::library().join(name)).expect(name)
}

/// The library's C files without the plugin.
fn sources() -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for folder in ["", "backends"] {
        let entries = support::library().join(folder).read_dir().expect("a folder");
        files.extend(entries.map(|entry| entry.expect("an entry").path()).filter(|path| {
            path.extension().is_some_and(|extension| extension == "c") && !path.ends_with("plugin.c")
        }));
    }
    files
}

#[test]
fn the_example_runs_as_printed() {
    let (manual, example) = (read("README.md"), read("examples/ethertype.c"));
    assert!(
        manual.contains(&format!("```c\n{example}```\n")),
        "README.md does not show examples/ethertype.c as it is"
    );
    let program = support::scratch().join("ethertype");
    let library = support::library();
    let output = Command::new("clang-19")
        .args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(library.join("examples/ethertype.c"))
        .args(sources())
        .args([library.join("host/posix.c"), library.join("host/features.c")])
        .output()
        .expect("clang-19 runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(program).output().expect("the example runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(manual.contains(&format!("It prints\n\n```\n{text}```\n")), "it prints otherwise:\n{text}");
}

#[test]
fn the_library_is_freestanding() {
    for (arch, _) in support::MACHINES {
        support::make(&[&format!("ARCH={arch}"), "all"]);
        let archive = support::build_folder().join(arch).join("libebpf.a");
        let nm = |option: &str| {
            let output =
                Command::new("llvm-nm-19").args(["-j", option]).arg(&archive).output().expect("llvm-nm-19");
            String::from_utf8(output.stdout).expect("names")
        };
        let defined = nm("--defined-only");
        let allowed = ["memcpy", "memset", "memmove", "memcmp", ".TOC."];
        for name in nm("--undefined-only").lines().filter(|line| !line.is_empty() && !line.ends_with(':')) {
            let known = allowed.contains(&name) || defined.lines().any(|line| line == name);
            assert!(known, "{arch}: the library needs {name}");
        }
    }
}

/// ebpf.h promises that 80 bytes are enough for any instruction's text.
#[test]
fn every_text_fits_the_promised_buffer() {
    for opcode in 0..=255u8 {
        for fill in [0u8, 0x7f, 0x80, 0xff] {
            let mut slots = [fill; 16];
            slots[0] = opcode;
            for imm in [0x00, 0x01, 0x41, 0xe1, 0xf1] {
                slots[4..8].copy_from_slice(&[imm, fill, fill, fill]);
                for order in [ebpf::ByteOrder::Little, ebpf::ByteOrder::Big] {
                    let lines = ebpf::disassemble(&slots, order);
                    assert!(lines[0].text.len() < 80, "{}", lines[0].text);
                }
            }
        }
    }
}
