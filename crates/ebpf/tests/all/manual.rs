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

/// Names that the objects, or the archive's, need and do not define, but for those that any freestanding program needs.
fn needs(objects: &[std::path::PathBuf]) -> Vec<String> {
    let nm = |option: &str| {
        let output =
            Command::new("llvm-nm-19").args(["-j", option]).args(objects).output().expect("llvm-nm-19");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("names")
    };
    let defined = nm("--defined-only");
    let known = |name: &&str| {
        let allowed = ["memcpy", "memset", "memmove", "memcmp", ".TOC."];
        name.is_empty()
            || name.ends_with(':')
            || allowed.contains(name)
            || defined.lines().any(|line| line == *name)
    };
    nm("--undefined-only").lines().filter(|name| !known(name)).map(str::to_owned).collect()
}

#[test]
fn the_library_is_freestanding() {
    for (arch, _) in support::MACHINES {
        support::make(&[&format!("ARCH={arch}"), "all"]);
        let archive = support::build_folder().join(arch).join("libebpf.a");
        assert_eq!(needs(&[archive]), [""; 0], "clang for {arch}");
    }
}

/// What clang has an instruction or a loop for, gcc may call libgcc for.
#[test]
fn the_library_is_freestanding_by_gcc() {
    let compilers: [(&str, &[&str]); 5] = [
        ("gcc", &[]),
        ("powerpc64-linux-gnu-gcc", &[]),
        ("powerpc64le-linux-gnu-gcc", &[]),
        ("aarch64-linux-gnu-gcc", &["-mno-outline-atomics"]),
        ("riscv64-linux-gnu-gcc", &[]),
    ];
    std::thread::scope(|scope| {
        for (compiler, flags) in compilers {
            scope.spawn(move || {
                let folder = support::scratch().join(format!("freestanding-{compiler}"));
                std::fs::create_dir_all(&folder).expect("a folder");
                let mut command = Command::new(compiler);
                command.args(["-std=c11", "-O1", "-ffreestanding", "-fno-stack-protector", "-c"]);
                let output =
                    command.args(flags).args(sources()).current_dir(&folder).output().expect(compiler);
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                let objects =
                    folder.read_dir().expect("the folder").map(|entry| entry.expect("an object").path());
                assert_eq!(needs(&objects.collect::<Vec<_>>()), [""; 0], "{compiler}");
            });
        }
    });
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
