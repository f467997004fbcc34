// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Golden facts: `tests/golden/ARCH.txt` holds assembly, and under each instruction, indented, its bytes and facts.
//!
//! The assembly is assembled anew, so the bytes cannot drift from it. After a change that is meant,
//! `ASSAY_BLESS=1 cargo test -p decode --test all golden::` rewrites the indented lines; review the difference.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::line;
use arch::Arch;
use decode::Decoder;
use object::{Object, ObjectSection};

/// Where the first instruction stands, so that branch targets are told apart from offsets.
const START: u64 = 0x1000;

#[test]
fn powerpc64le() {
    check(Arch::Powerpc64le, "powerpc64le", &["--triple=powerpc64le", "--mcpu=pwr10"]);
}

#[test]
fn powerpc() {
    check(Arch::Powerpc, "powerpc", &["--triple=powerpc", "--mattr=+altivec"]);
}

#[test]
fn loongarch64() {
    check(Arch::Loongarch64, "loongarch64", &["--triple=loongarch64", "--mattr=+lsx,+lasx,+lbt,+lvz,+f,+d"]);
}

#[test]
fn x86_64() {
    let features =
        "--mattr=+avx512f,+avx512vl,+avx512bw,+avx512dq,+avx512vnni,+avx512vbmi2,+avx512vp2intersect,\
                    +avxvnni,+movdiri,+movdir64b,+enqcmd,+amx-tile,+shstk,+ptwrite,+clzero,+cmpccxadd";
    check(Arch::X86_64, "x86_64", &["--triple=x86_64", "--x86-asm-syntax=intel", features]);
}

#[test]
fn aarch64() {
    check(Arch::Aarch64, "aarch64", &["--triple=aarch64", "--mattr=+all"]);
}

#[test]
fn riscv64() {
    let features = "--mattr=+m,+a,+f,+d,+c,+v,+zca,+zcb,+zba,+zbb,+zicond,+zicbop,+zicboz,+zicbom,\
                    +experimental-zacas";
    check(Arch::Riscv64, "riscv64", &["--triple=riscv64", features]);
}

/// The same assembly has the same facts in either byte order.
#[test]
fn powerpc64_is_powerpc64le_with_swapped_bytes() {
    let source = source_lines(&read(&file("powerpc64le")));
    let code = assemble(&source, &["--triple=powerpc64", "--mcpu=pwr10"]);
    let big = facts(Arch::Powerpc64, &code, &source);
    let code = assemble(&source, &["--triple=powerpc64le", "--mcpu=pwr10"]);
    let little = facts(Arch::Powerpc64le, &code, &source);
    assert_eq!(big.len(), little.len());
    for ((big, little), source) in big.iter().zip(&little).zip(&source) {
        let without_bytes = |line: &str| line.split_once(" : ").map(|(_, facts)| facts.to_owned());
        assert_eq!(without_bytes(big), without_bytes(little), "{source}");
    }
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.txt"))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn is_source(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with(['#', ' ', '\t'])
}

fn source_lines(text: &str) -> Vec<String> {
    text.lines().filter(|line| is_source(line)).map(str::to_owned).collect()
}

fn check(arch: Arch, name: &str, options: &[&str]) {
    let path = file(name);
    let expected = read(&path);
    let source = source_lines(&expected);
    let code = assemble(&source, options);
    let mut facts = facts(arch, &code, &source).into_iter();
    let mut found = String::new();
    for line in expected.lines().filter(|line| !line.starts_with(['\t', ' '])) {
        found += line;
        found.push('\n');
        if is_source(line) {
            found += &format!("\t{}\n", facts.next().expect("one line of facts for each of assembly"));
        }
    }
    if std::env::var_os("ASSAY_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, found).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return;
    }
    for (number, (expected, found)) in (1..).zip(expected.lines().zip(found.lines())) {
        assert_eq!(
            found,
            expected,
            "{}:{number}: found differs from expected; if it is meant: ASSAY_BLESS=1 cargo test -p decode --test all golden::",
            path.display()
        );
    }
    assert_eq!(
        found.lines().count(),
        expected.lines().count(),
        "{}: lines are missing; bless it",
        path.display()
    );
}

/// One line for each line of source: bytes and facts.
fn facts(arch: Arch, code: &[u8], source: &[String]) -> Vec<String> {
    let mut decoder = Decoder::new(arch).unwrap();
    let (mut left, mut address) = (code, START);
    let mut lines = Vec::new();
    for text in source {
        let instruction = decoder.decode(left, address).unwrap_or_else(|error| panic!("'{text}': {error}"));
        let bytes: Vec<_> = instruction.encoding().iter().map(|byte| format!("{byte:02x}")).collect();
        lines.push(format!("{} : {}", bytes.join(" "), line::facts(&decoder, &instruction)));
        left = &left[usize::from(instruction.length)..];
        address += u64::from(instruction.length);
    }
    assert!(left.is_empty(), "{} bytes are left behind the last instruction", left.len());
    lines
}

/// The bytes of the text section, by the assembler of LLVM 19 (package llvm-19, which llvm-19-dev depends on).
fn assemble(source: &[String], options: &[&str]) -> Vec<u8> {
    let program = std::env::var("LLVM_MC").unwrap_or_else(|_| "llvm-mc-19".to_owned());
    let mut child = Command::new(&program)
        .args(options)
        .args(["--filetype=obj", "-o", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| {
            panic!("cannot run {program}: {error} (Debian: apt-get install llvm-19; or set LLVM_MC)")
        });
    // llvm-mc reads all of its input before it writes.
    child.stdin.take().unwrap().write_all((source.join("\n") + "\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{program} {options:?}:\n{}", String::from_utf8_lossy(&output.stderr));
    let object = object::File::parse(output.stdout.as_slice()).unwrap();
    object.section_by_name(".text").unwrap().data().unwrap().to_vec()
}
