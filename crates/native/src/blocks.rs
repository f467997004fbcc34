// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Basic blocks of the programs that are installed here, as loops.
//!
//! A seed chooses a file and a place in its code; the block is the code between two branches there. The branch itself is
//! left out, and a register that the block does not use counts the turns. Blocks that cannot run in a loop without their
//! program are left out, and counted by reason.

use crate::case::{Case, Category, GENERAL};
use crate::generate::{Half, Random};
use arch::Arch;
use decode::{Decoder, Flow, Instruction};
use object::{Object, ObjectSection};
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

/// Where programs and their libraries are installed.
const FOLDERS: [&str; 2] = ["/usr/bin", "/usr/lib/x86_64-linux-gnu"];
/// Shorter blocks add little to the generated loops, and longer ones are rare.
const INSTRUCTIONS: std::ops::RangeInclusive<usize> = 3..=40;
/// Bytes decoded to find a block; and bytes at their start in which no block begins, since decoding from an arbitrary byte
/// needs that many to find the instruction boundaries.
const WINDOW: usize = 600;
const INTO_STEP: usize = 48;
/// Places tried for each block wanted, at most.
const TRIES: u64 = 40;

/// What was found.
#[derive(Debug, Default)]
pub struct Harvest {
    /// The blocks.
    pub cases: Vec<Case>,
    /// Blocks left out, by reason.
    pub left_out: BTreeMap<&'static str, u64>,
    /// Number of files that the blocks were chosen from.
    pub files_count: usize,
}

/// The blocks 0 to `count` of a seed that belong to one half. They depend on the programs that are installed. Each is of other
/// code: what the open half has may have been looked at, so the held-out half is without it.
pub fn harvest(seed: u64, count: u64, half: Half) -> Result<Harvest, decode::Error> {
    let files = files();
    let mut decoder = Decoder::new(Arch::X86_64)?;
    let mut seen = HashSet::new();
    let mut of = |half: Half| {
        let mut harvest = Harvest { files_count: files.len(), ..Harvest::default() };
        for number in (0..count).filter(|number| !files.is_empty() && half.takes(number % 2 == 1)) {
            let case = one(seed, number, &files, &mut decoder, &mut seen, &mut harvest.left_out);
            harvest.cases.extend(case);
        }
        harvest
    };
    let open = of(Half::Open);
    Ok(if half == Half::Open { open } else { of(half) })
}

/// Block `number` of a seed, whose code is not in `seen` and is put there; `None` if no place that was tried has one.
fn one(
    seed: u64,
    number: u64,
    files: &[PathBuf],
    decoder: &mut Decoder,
    seen: &mut HashSet<Vec<u8>>,
    left_out: &mut BTreeMap<&'static str, u64>,
) -> Option<Case> {
    let mut random = Random::new(!seed, number);
    for _ in 0..TRIES {
        let path = random.pick(files);
        let (Some((code, address)), share) = (code_of(path), random.next()) else { continue };
        let Some(block) = block_at(decoder, &code, address, share) else { continue };
        if let Some(reason) = unfit(decoder, &block) {
            *left_out.entry(reason).or_default() += 1;
            continue;
        }
        let Some(counter) = counter(decoder, &block) else {
            *left_out.entry("uses every register").or_default() += 1;
            continue;
        };
        let bytes: Vec<u8> = block.iter().flat_map(|instruction| instruction.encoding().to_vec()).collect();
        if !seen.insert(bytes.clone()) {
            *left_out.entry("was taken before").or_default() += 1;
            continue;
        }
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        return Some(Case {
            name: format!("{file} 0x{:x}", block[0].address),
            category: Category::Block,
            functions: String::new(),
            setup: String::new(),
            body: directives(&bytes),
            counter,
            offset: 0,
            held_out: number % 2 == 1,
        });
    }
    None
}

/// The bytes as directives of the assembler.
fn directives(bytes: &[u8]) -> String {
    let numbers: Vec<String> = bytes.iter().map(u8::to_string).collect();
    format!(".byte {}", numbers.join(","))
}

/// Files that may hold code, in the order of their names.
fn files() -> Vec<PathBuf> {
    let entries = FOLDERS.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.symlink_metadata().is_ok_and(|about| about.is_file() && about.len() > 20_000))
        .filter(|path| {
            let mut start = [0; 20];
            let read = std::fs::File::open(path)
                .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start));
            // An ELF file of 64 bits for x86-64.
            read.is_ok() && start.starts_with(b"\x7fELF\x02\x01") && start[18..] == [62, 0]
        })
        .collect();
    files.sort();
    files
}

/// The code section and its address.
fn code_of(path: &PathBuf) -> Option<(Vec<u8>, u64)> {
    let data = std::fs::read(path).ok()?;
    let file = object::File::parse(&*data).ok()?;
    let text = file.section_by_name(".text")?;
    let code = text.data().ok()?;
    (code.len() > 2 * WINDOW).then(|| (code.to_vec(), text.address()))
}

/// The first whole block after the place that `share` chooses.
fn block_at(decoder: &mut Decoder, code: &[u8], address: u64, share: u64) -> Option<Vec<Instruction>> {
    let place = (u128::from(share) * (code.len() - WINDOW) as u128 >> 64) as usize;
    let mut at = place;
    let mut block: Option<Vec<Instruction>> = None;
    while at < place + WINDOW {
        let instruction = match decoder.decode(code.get(at..)?, address + at as u64) {
            Ok(instruction) => instruction,
            Err(_) if at < place + INTO_STEP => {
                at += 1;
                continue;
            }
            Err(_) => return None,
        };
        at += usize::from(instruction.length);
        let padding = instruction.mnemonic == "nop" || instruction.mnemonic == "endbr64";
        match &mut block {
            _ if instruction.flow == Flow::Next => {
                // Padding before a function does not belong to a block.
                if let Some(block) = block.as_mut().filter(|block| !(padding && block.is_empty())) {
                    block.push(instruction);
                }
            }
            Some(found) if INSTRUCTIONS.contains(&found.len()) => return block,
            _ if at >= place + INTO_STEP => block = Some(Vec::new()),
            _ => {}
        }
    }
    None
}

/// Instructions that depend on state that the process lacks, or change state that other code depends on.
const SPECIAL: [&str; 24] = [
    "cpuid", "rdtsc", "rdtscp", "rdpmc", "xgetbv", "rdrand", "rdseed", "rdpkru", "wrpkru", "std", "cld",
    "popf", "popfq", "in", "out", "cli", "sti", "hlt", "pause", "ldmxcsr", "vldmxcsr", "xlatb", "enter",
    "rdsspq",
];

/// Why a block cannot be run.
fn unfit(decoder: &mut Decoder, block: &[Instruction]) -> Option<&'static str> {
    let special =
        ["xsave", "xrstor", "fxsave", "fxrstor", "mwait", "monitor", "wr", "rdfs", "rdgs", "inv", "int"];
    for instruction in block {
        let mnemonic = instruction.mnemonic.as_str();
        if SPECIAL.contains(&mnemonic) || special.iter().any(|start| mnemonic.starts_with(start)) {
            return Some("has an instruction that needs its system");
        }
        if instruction.text.contains("fs:") || instruction.text.contains("gs:") {
            return Some("reads thread-local data");
        }
        if mnemonic.starts_with('f') || instruction.text.contains(" mm") {
            return Some("has x87 or MMX instructions");
        }
        if mnemonic.starts_with("rep") {
            return Some("has a repeated string instruction");
        }
        if instruction.encoding()[0] == 0x62 {
            return Some("has AVX-512 instructions");
        }
        if (instruction.load || instruction.store) && decoder.address_form(instruction).is_none() {
            return Some("has an address that is not of two registers");
        }
    }
    None
}

/// A register that the block neither reads nor writes.
fn counter(decoder: &Decoder, block: &[Instruction]) -> Option<&'static str> {
    let used: HashSet<&str> = block
        .iter()
        .flat_map(|instruction| {
            let reads = [&instruction.reads, &instruction.address_reads, &instruction.store_reads];
            let reads = reads.into_iter().flatten().copied().collect::<Vec<_>>();
            let writes = instruction.writes.iter().map(|write| write.register).collect::<Vec<_>>();
            reads.into_iter().chain(writes)
        })
        .map(|register| decoder.register_name(register))
        .collect();
    GENERAL.into_iter().rev().find(|name| *name != "rsp" && !used.contains(name))
}
