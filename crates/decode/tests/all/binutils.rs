// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! POWER: what binutils disassembles is decoded. LLVM lacks instructions, most of them a kernel's; `power::extra` has them.

use std::collections::BTreeSet;
use std::process::Command;

use arch::Arch;
use decode::Decoder;

const OBJDUMP: &str = "powerpc64le-linux-gnu-objdump";

/// Refused, and why. Reserved bits, at which binutils does not look: the first line. No cpu that is described here has them:
/// `icswx` and `pbt.` (POWER7's coprocessors, hypervisor's only), `mtsrd` and `mtsrdin` (64-bit bridge), `mtsle`, `rmieg`.
const REFUSED: &str = "\
    isel dss dst dstst lxvpx stxvpx xsrqpi* xsrqpxp drint* dct* dcffix* ddedpd* denbcd* dxex* drsp* drdpq* \
    icswx icswx. pbt. mtsrd mtsrdin mtsle rmieg";

/// Words of the primary opcodes with extended ones of ten bits, each with some registers and with zeros, and with and without
/// the last bit.
fn words() -> Vec<u32> {
    const PRIMARY: [u32; 12] = [4, 17, 19, 30, 31, 57, 58, 59, 60, 61, 62, 63];
    const REGISTERS: [[u32; 3]; 6] = [[4, 6, 8], [4, 0, 8], [4, 6, 0], [0, 0, 0], [0, 0, 8], [4, 0, 0]];
    let word = |primary: u32, extended: u32, last: u32, [rt, ra, rb]: [u32; 3]| {
        primary << 26 | rt << 21 | ra << 16 | rb << 11 | extended << 1 | last
    };
    let mut words = Vec::new();
    for primary in PRIMARY {
        for extended in 0..1024 {
            for last in 0..2 {
                words.extend(REGISTERS.map(|registers| word(primary, extended, last, registers)));
            }
        }
    }
    words
}

/// The mnemonics, in order; none where binutils knows no instruction.
fn disassembled(words: &[u32]) -> Vec<Option<String>> {
    let file = std::env::temp_dir().join(format!("assay-words-{}", std::process::id()));
    std::fs::write(&file, words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>()).unwrap();
    let options = ["-D", "-z", "-b", "binary", "-m", "powerpc:common64", "-EB", "-M", "power10,raw"];
    let output = Command::new(OBJDUMP).args(options).arg(&file).output();
    std::fs::remove_file(&file).unwrap();
    let output = output.unwrap_or_else(|error| panic!("{OBJDUMP}: {error}; ./setup --gcc installs it"));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter_map(|line| line.split_once(":\t"));
    let mnemonic = |line: &str| line.split('\t').nth(1)?.split_whitespace().next().map(str::to_owned);
    lines.map(|(_, line)| mnemonic(line).filter(|word| !word.starts_with('.'))).collect()
}

fn is_refused_by_intent(mnemonic: &str) -> bool {
    REFUSED.split_whitespace().any(|known| match known.strip_suffix('*') {
        Some(start) => mnemonic.starts_with(start),
        None => mnemonic == known,
    })
}

#[test]
fn what_binutils_disassembles_for_power10_is_decoded() {
    let words = words();
    let known = disassembled(&words);
    assert_eq!(known.len(), words.len(), "a line for each word");
    let mut decoder = Decoder::new(Arch::Powerpc64).unwrap();
    let mut refused = BTreeSet::new();
    let mut decoded = 0;
    for (word, mnemonic) in words.iter().zip(known) {
        let Some(mnemonic) = mnemonic else { continue };
        match decoder.decode(&word.to_be_bytes(), 0) {
            Ok(_) => decoded += 1,
            Err(_) if is_refused_by_intent(&mnemonic) => {}
            Err(_) => {
                refused.insert(format!("{mnemonic} {word:08x}"));
            }
        }
    }
    assert!(decoded > 20_000, "{decoded} words of {}", words.len());
    assert!(refused.is_empty(), "{refused:?}");
}
