// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Random bytes: the decoder answers with an instruction that keeps the rules or with an error, and never panics.
//! `ASSAY_RANDOM_ROUNDS` sets the number of instructions per architecture (default 60,000).

use crate::support::invariants::broken;
use arch::Arch;
use decode::{Decoder, Instruction, Reason};

/// Marsaglia's xorshift64: the same bytes in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn bytes(&mut self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.next().to_le_bytes());
        bytes[8..].copy_from_slice(&self.next().to_le_bytes());
        bytes
    }
}

fn rounds() -> u64 {
    match std::env::var("ASSAY_RANDOM_ROUNDS") {
        Ok(text) => text.parse().expect("ASSAY_RANDOM_ROUNDS is a number"),
        Err(_) => 60_000,
    }
}

#[test]
fn random_bytes_keep_the_rules() {
    for arch in Arch::ALL {
        let mut decoder = Decoder::new(arch).unwrap();
        let mut random = Random(0x5eed_0000 + u64::from(arch.code()));
        let mut decoded = 0;
        for _ in 0..rounds() {
            let bytes = random.bytes();
            let length = (random.next() % 17) as usize;
            let address = random.next();
            match decoder.decode(&bytes[..length], address) {
                Ok(instruction) => {
                    decoded += 1;
                    assert!(usize::from(instruction.length) <= length, "{instruction:?}");
                    assert_eq!(instruction.encoding(), &bytes[..usize::from(instruction.length)]);
                    assert_eq!(broken(&decoder, &instruction), None, "{arch}");
                }
                Err(error) => {
                    assert_eq!(error.bytes, &bytes[..length]);
                    assert!(error.to_string().contains(arch.name()), "{error}");
                }
            }
        }
        println!("{arch}: {decoded} of {} are instructions", rounds());
        // A decoder that refuses everything would pass the rest.
        assert!(
            decoded > rounds() / 8,
            "{arch}: only {decoded} of {} random words are instructions",
            rounds()
        );
    }
}

#[test]
fn unknown_and_cut_off_bytes_are_told_apart() {
    let mut decoder = Decoder::new(Arch::Powerpc64le).unwrap();
    let error = decoder.decode(&[0, 0, 0, 0], 0x40).unwrap_err();
    assert_eq!((error.reason, error.address), (Reason::Unknown, 0x40));
    let text = error.to_string();
    assert!(text.contains("00 00 00 00") && text.contains("0x40") && text.contains("powerpc64le"), "{text}");
    // The prefix of pld without its suffix, and half a word.
    assert_eq!(decoder.decode(&0x0400_0000u32.to_le_bytes(), 0).unwrap_err().reason, Reason::Truncated);
    assert_eq!(decoder.decode(&[0x14], 0).unwrap_err().reason, Reason::Truncated);
    let mut decoder = Decoder::new(Arch::X86_64).unwrap();
    assert_eq!(decoder.decode(&[0x48, 0x8b], 0).unwrap_err().reason, Reason::Truncated);
    assert_eq!(decoder.decode(&[0x06], 0).unwrap_err().reason, Reason::Unknown);
    assert_eq!(decoder.decode(&[], 0).unwrap_err().reason, Reason::Truncated);
}

#[test]
fn an_unknown_instruction_takes_one_step() {
    for (arch, bytes, length) in [
        (Arch::Powerpc, &[0u8, 0, 0, 0, 1][..], 4),
        (Arch::Riscv64, &[0, 0, 0, 0], 2),
        (Arch::Riscv64, &[0xff, 0xff, 0xff, 0xff], 4),
        (Arch::X86_64, &[6, 7], 1),
        (Arch::Loongarch64, &[1, 2], 2),
        (Arch::Aarch64, &[], 0),
    ] {
        let unknown = Instruction::unknown(arch, bytes, 16);
        assert_eq!(unknown.encoding(), &bytes[..length]);
        assert_eq!((unknown.mnemonic.as_str(), unknown.address), ("unknown", 16));
        assert!(!unknown.load && !unknown.store && unknown.writes.is_empty());
    }
}
