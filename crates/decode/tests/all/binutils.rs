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

/// Prefixes and suffixes in turn: of each kind of prefix and each primary opcode, with what its format extends that by.
/// Relative addresses have no base.
fn prefixed_words() -> Vec<u32> {
    const KINDS: [u32; 5] = [0x0400_0000, 0x0500_0000, 0x0600_0000, 0x0790_0000, 0x0700_0000];
    const RELATIVE: [u32; 2] = [0x0410_0000, 0x0610_0000];
    const OUTER_PRODUCTS: u32 = 59;
    let suffix = |primary: u32, ra: u32, low: u32| primary << 26 | 4 << 21 | ra << 16 | 8 << 11 | low;
    let mut words = Vec::new();
    for primary in (0..64).filter(|&primary| primary != 1) {
        words.extend(RELATIVE.map(|prefix| [prefix, suffix(primary, 0, 0)]));
        for prefix in KINDS {
            let fields = (0..32).flat_map(|ra| (0..64).step_by(16).map(move |low| (ra, low)));
            words.extend(fields.map(|(ra, low)| [prefix, suffix(primary, ra, low)]));
            let products = (0..1024).filter(|_| primary == OUTER_PRODUCTS);
            words.extend(products.map(|extended| [prefix, suffix(primary, 6, extended << 1)]));
        }
    }
    words.push([0x0700_0000, 0]);
    words.concat()
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
fn a_prefixed_no_operation_is_not_decoded_with_a_branch_behind_its_prefix() {
    let mut decoder = Decoder::new(Arch::Powerpc64).unwrap();
    let mut takes = |prefix: u32, suffix: u32| {
        decoder
            .decode(&[prefix.to_be_bytes(), suffix.to_be_bytes()].concat(), 0)
            .is_ok_and(|one| one.no_operation)
    };
    const PNOP: u32 = 0x0700_0000;
    // b, bc, sc, scv, blr, bctr, bctar, rfid, rfscv, rfebb, hrfid, urfid, stop, mtmsr, mtmsrd, attn.
    let refused: [u32; 16] = [
        0x4800_0008,
        0x4182_0008,
        0x4400_0002,
        0x4400_0001,
        0x4e80_0020,
        0x4e80_0420,
        0x4e80_0460,
        0x4c00_0024,
        0x4c00_00a4,
        0x4c00_0124,
        0x4c00_0224,
        0x4c00_0264,
        0x4c00_02e4,
        0x7c60_0124,
        0x7c60_0164,
        0x0000_0200,
    ];
    for suffix in refused {
        assert!(!takes(PNOP, suffix), "{suffix:08x}");
    }
    // nop, isync, sync, mtmsr with L, no instruction.
    for suffix in [0x6000_0000, 0x4c00_012c, 0x7c00_04ac, 0x7c61_0124, 0xffff_ffff] {
        assert!(takes(PNOP, suffix), "{suffix:08x}");
    }
    assert!(takes(PNOP | 0x000c_0000, 0) && !takes(PNOP | 1, 0) && !takes(PNOP | 0x0010_0000, 0));
}

#[test]
fn what_binutils_disassembles_for_power10_is_decoded() {
    let mut encodings: Vec<Vec<u32>> = words().into_iter().map(|word| vec![word]).collect();
    encodings.extend(prefixed_words().chunks(2).map(<[u32]>::to_vec));
    let words = encodings.concat();
    let known = disassembled(&words);
    assert_eq!(known.len(), words.len(), "a line for each word");
    let mut known = known.into_iter();
    let mut decoder = Decoder::new(Arch::Powerpc64).unwrap();
    let mut refused = BTreeSet::new();
    let mut decoded = [0; 2];
    for encoding in encodings {
        let mnemonics: Vec<Option<String>> = known.by_ref().take(encoding.len()).collect();
        let Some(Some(mnemonic)) = mnemonics.first() else { continue };
        let bytes: Vec<u8> = encoding.iter().flat_map(|word| word.to_be_bytes()).collect();
        match decoder.decode(&bytes, 0) {
            Ok(_) => decoded[encoding.len() - 1] += 1,
            Err(_) if is_refused_by_intent(mnemonic) => {}
            Err(_) => {
                refused.insert(format!("{mnemonic} {encoding:08x?}"));
            }
        }
    }
    assert!(decoded[0] > 20_000 && decoded[1] > 1000, "{decoded:?} words of {}", words.len());
    assert!(refused.is_empty(), "{refused:?}");
}
