// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Programs of other architectures: what is refused before anything is fetched, and what the code of a variant looks like.
//! That packages come and run is tried by `./assay foreign unpack -a loongarch64 hello`, which needs a network.

mod common;

use common::{Lab, GOOD};

#[test]
fn what_cannot_be_fetched_or_built_is_refused_with_the_reason() {
    let lab = Lab::shared();
    lab.write("prog.c", "int main(void) { return 0; }\n");
    let refused = |line: &str, part: &str| {
        lab.line(line).ends(2, &[part]);
    };
    refused("foreign unpack -a powerpc64le --bad", "--bad");
    refused("foreign unpack -a powerpc64le -- -o", "no name of a Debian package");
    refused("foreign unpack -a powerpc64 gzip", "Debian has no packages for powerpc64");
    refused("foreign build -a powerpc64le missing.c", "missing.c: there is no such file");
    refused("foreign build -a powerpc64le prog.c -o prog.c", "would be overwritten");
    refused("trace -a powerpc64le -- no-such-program", "./assay foreign unpack -a powerpc64le PACKAGE");
}

#[test]
fn a_file_without_main_is_told_to_be_no_program() {
    // A cache with something in the place of the C library, so that nothing is fetched, and its start.
    let lab = Lab::empty();
    lab.write("cache/roots/powerpc64le/usr/lib/libc.a", "");
    lab.write("start.s", ".globl _start\n_start: bl main\n nop\n");
    lab.write("function.c", "int function(int a) { return a + 1; }\n");
    lab.write("main.c", "int function(int a);\nint main(void) { return function(2); }\n");
    let build = "foreign build -a powerpc64le function.c start.s";
    lab.line(&format!("{build} -- -nostdlib"))
        .refused(&["function.c start.s has no main", "docs/add-a-hotpath.md"]);
    lab.line(&format!("{build} main.c -o whole -- -nostdlib"))
        .ends(0, &["record it: ./assay trace -- ./whole"]);
    // What else the linker misses is in its own words.
    lab.line("foreign build -a powerpc64le main.c start.s -- -nostdlib")
        .ends(1, &["undefined symbol: function"]);
}

#[test]
fn a_variants_code_is_shown_under_its_source_lines_with_compiler_and_flags() {
    let lab = Lab::shared();
    lab.write("mine.c", GOOD);
    let told = lab
        .line("code csum_partial mine.c -a powerpc64le")
        .ends(0, &["clang 19", "-O2", "-mcpu=power7"])
        .stdout;
    let line = GOOD.lines().position(|line| line.contains("total >> 32")).unwrap() + 1;
    assert!(told.contains(&format!("{line}      while (total >> 32)")), "{told}");
    assert!(told.contains("  blr"), "{told}");
    let line = "code csum_partial/uint64 -a powerpc64le --json";
    let records = lab.line(line).ends(0, &[]).records("code");
    let instructions = records[0]["instructions"].as_array().unwrap();
    let bytes = records[0]["bytes"].as_u64().unwrap();
    assert!(instructions.len() > 20 && bytes >= 4 * instructions.len() as u64 - 60, "{}", records[0]);
    assert!(instructions
        .iter()
        .any(|one| one["file"].as_str().is_some_and(|file| file.ends_with("uint64.c"))));
    lab.line("code csum_partial/uint64 -a powerpc64le --compiler clang,gcc,tcc")
        .refused(&["more than two compilers"]);
    lab.line("code csum_partial/uint64 -a powerpc64le --compiler tcc").refused(&["'tcc'"]);
}

#[test]
fn completions_and_manual_pages_know_every_verb() {
    let lab = Lab::shared();
    for shell in ["bash", "zsh", "fish"] {
        lab.line(&format!("completions {shell}")).ends(0, &["foreign", "unchecked"]);
    }
    lab.line("man").ends(0, &[".TH", "check"]);
    lab.line("man pages").ends(0, &["wrote"]);
    let page = std::fs::read_to_string(lab.folder.join("pages/assay-check.1")).unwrap();
    assert!(page.contains(".TH") && page.contains("quick"), "{page}");
}
