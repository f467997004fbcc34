// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Whole C libraries: every instruction that can be reached from a function's entry is known and keeps the rules, and so
//! is what clang makes of a C file for the architecture that Debian has no library for.
//!
//! Reached means by the control flow that the decoder reports, since POWER has jump tables and traceback tables among
//! its code. A wrong target, or a branch that is decoded as something else, leads into data or misses most of the code, and
//! fails.

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

use crate::support::invariants::broken;
use arch::Arch;
use decode::{Decoder, Flow, Instruction};
use object::{Object, ObjectSection, ObjectSymbol};

/// What a sweep over code found.
#[derive(Default)]
struct Sweep {
    instructions: usize,
    bytes: usize,
    /// Bytes of all of the functions, reached or not.
    bytes_total: usize,
    unknown: Vec<String>,
    loads: usize,
    stores: usize,
}

/// Decodes all of the functions that the symbol table knows, or the whole section without symbols.
fn sweep(arch: Arch, file: &[u8]) -> Sweep {
    let object = object::File::parse(file).unwrap();
    let section = object.section_by_name(".text").expect("a .text section");
    let mut decoder = Decoder::new(arch).unwrap();
    let mut found = Sweep::default();
    for (start, code) in functions(&object, section.address(), section.data().unwrap()) {
        one_function(&mut decoder, start, code, &mut found);
    }
    found
}

/// Address and code of each function. Between functions there may be padding and data.
fn functions<'a>(object: &object::File, base: u64, text: &'a [u8]) -> Vec<(u64, &'a [u8])> {
    let end = base + text.len() as u64;
    let mut ranges: Vec<_> = object
        .symbols()
        .chain(object.dynamic_symbols())
        .filter(|symbol| symbol.kind() == object::SymbolKind::Text && symbol.size() > 0)
        .map(|symbol| (entry(object, symbol.address()), symbol.size()))
        .filter(|(from, size)| base <= *from && from + size <= end)
        .collect();
    ranges.sort_unstable();
    ranges.dedup_by_key(|(from, _)| *from);
    assert!(!ranges.is_empty(), "no function has a symbol");
    ranges.into_iter().map(|(from, size)| (from, &text[(from - base) as usize..][..size as usize])).collect()
}

/// Where a function's code is: at its symbol, but for the function descriptors of 64-bit big-endian POWER's old ABI.
fn entry(object: &object::File, address: u64) -> u64 {
    let descriptor = object.section_by_name(".opd").and_then(|opd| {
        let offset = usize::try_from(address.checked_sub(opd.address())?).ok()?;
        opd.data().ok()?.get(offset..offset + 8).map(|bytes| u64::from_be_bytes(bytes.try_into().unwrap()))
    });
    descriptor.unwrap_or(address)
}

/// Follows a function from its entry.
fn one_function(decoder: &mut Decoder, start: u64, code: &[u8], found: &mut Sweep) {
    let mut seen = HashSet::new();
    let mut waiting = vec![start];
    found.bytes_total += code.len();
    while let Some(address) = waiting.pop() {
        let offset = address.wrapping_sub(start) as usize;
        if offset >= code.len() || !seen.insert(address) {
            continue;
        }
        let instruction = match decoder.decode(&code[offset..], address) {
            Ok(instruction) => instruction,
            Err(_) if is_abort(decoder.arch(), &code[offset..]) => continue,
            Err(error) => {
                found.unknown.push(error.to_string());
                continue;
            }
        };
        assert_eq!(broken(decoder, &instruction), None);
        assert!(has_address(&instruction), "an access without address: {instruction:?}");
        found.instructions += 1;
        found.bytes += usize::from(instruction.length);
        found.loads += usize::from(instruction.load);
        found.stores += usize::from(instruction.store);
        waiting.extend(successors(&instruction));
    }
}

/// The instruction by which glibc crashes if abort() returns: POWER's word of zeros.
fn is_abort(arch: Arch, bytes: &[u8]) -> bool {
    matches!(arch, Arch::Powerpc | Arch::Powerpc64 | Arch::Powerpc64le) && bytes.starts_with(&[0; 4])
}

/// Where execution may go on in the same function.
fn successors(instruction: &Instruction) -> Vec<u64> {
    let next = instruction.address + u64::from(instruction.length);
    match instruction.flow {
        Flow::Next | Flow::Call { .. } => vec![next],
        Flow::Branch { target } if instruction.conditional => vec![next, target],
        Flow::Branch { target } => vec![target],
        Flow::System
            if matches!(instruction.mnemonic.as_str(), "ud2" | "hlt" | "brk" | "udf" | "ebreak" | "tw") =>
        {
            vec![]
        }
        Flow::System => vec![next],
        Flow::Return | Flow::Indirect => Vec::from_iter(instruction.conditional.then_some(next)),
    }
}

/// An access has address registers, unless its address is in the instruction: relative to it or to a segment, or
/// absolute.
fn has_address(instruction: &Instruction) -> bool {
    let text = &instruction.text;
    let absolute =
        |open: &str| text.split(open).skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let in_encoding = match instruction.mnemonic.as_str() {
        name if name.starts_with("ldr") => text.contains(", 0x"), // AArch64's literal
        name if name.starts_with("pl") || name.starts_with("pst") => text.ends_with(", 1"), // POWER, R = 1
        _ => {
            text.contains("rip")
                || text.contains("s:[")
                || text.contains("(0)")
                || text.contains("(zero)")
                || absolute("ptr [")
        }
    };
    !(instruction.load || instruction.store) || !instruction.address_reads.is_empty() || in_encoding
}

fn library(arch: Arch, path: &str, package: &str, instructions_min: usize) {
    let Ok(file) = std::fs::read(Path::new(path)) else {
        // Counted by the caller's output, since CI without the cross packages still runs the rest.
        println!("skipped: {path} is not there (Debian: apt-get install {package})");
        return;
    };
    let found = sweep(arch, &file);
    assert!(found.instructions > instructions_min, "{path}: only {} instructions", found.instructions);
    assert_eq!(found.unknown, Vec::<String>::new(), "{path}: {} instructions", found.instructions);
    // Compiled code loads in a fifth to a third of its instructions, and stores less often.
    let share = |count: usize| count as f64 / found.instructions as f64;
    assert!((0.10..0.40).contains(&share(found.loads)), "{path}: {} loads", found.loads);
    assert!((0.03..0.30).contains(&share(found.stores)), "{path}: {} stores", found.stores);
    let reached = found.bytes as f64 / found.bytes_total as f64;
    println!(
        "{path}: {} instructions, {} loads, {} stores; {:.1} % of the bytes reached",
        found.instructions,
        found.loads,
        found.stores,
        100.0 * reached
    );
    // The rest is behind jump tables, or padding and tables.
    assert!(reached > 0.80, "{path}: only {:.1} % of the bytes reached", 100.0 * reached);
}

#[test]
fn powerpc64le_libc() {
    library(Arch::Powerpc64le, "/usr/powerpc64le-linux-gnu/lib/libc.so.6", "libc6-ppc64el-cross", 100_000);
}

#[test]
fn powerpc64_libc() {
    library(Arch::Powerpc64, "/usr/powerpc64-linux-gnu/lib/libc.so.6", "libc6-ppc64-cross", 100_000);
}

#[test]
fn powerpc_libc() {
    library(Arch::Powerpc, "/usr/powerpc-linux-gnu/lib/libc.so.6", "libc6-powerpc-cross", 100_000);
}

#[test]
fn aarch64_libc() {
    library(Arch::Aarch64, "/usr/aarch64-linux-gnu/lib/libc.so.6", "libc6-arm64-cross", 100_000);
}

#[test]
fn riscv64_libc() {
    library(Arch::Riscv64, "/usr/riscv64-linux-gnu/lib/libc.so.6", "libc6-riscv64-cross", 100_000);
}

#[test]
fn x86_64_libc() {
    library(Arch::X86_64, "/lib/x86_64-linux-gnu/libc.so.6", "libc6", 100_000);
}

/// Debian 12 has no LoongArch library: clang's own code stands in, with and without vectors.
#[test]
fn loongarch64_from_clang() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/support/loops.c");
    for features in ["-mno-lsx", "-mlsx", "-mlasx"] {
        let output = Command::new("clang-19")
            .args(["--target=loongarch64-linux-gnu", "-O3", "-ffreestanding", "-c", "-o", "-", features])
            .arg(&source)
            .output()
            .expect("clang-19 runs (Debian: apt-get install clang-19)");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let found = sweep(Arch::Loongarch64, &output.stdout);
        assert_eq!(found.unknown, Vec::<String>::new());
        assert!(
            found.instructions > 100 && found.loads > 10 && found.stores > 5,
            "{features}: {}",
            found.instructions
        );
    }
}
