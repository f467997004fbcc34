// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Which special register a move names. The cost of such a move depends on the register: one that only holds a value for the
//! kernel is like any other, while a write to one that changes how instructions run waits for older instructions and makes
//! younger ones wait.

use decode::Instruction;

/// `scratch` for a move to or from a register that only holds a value, `light` for an MSR write that changes nothing but
/// whether interrupts are taken (mtmsrd with L=1); none for all else.
pub(crate) fn form(instruction: &Instruction) -> Option<&'static str> {
    let bytes: [u8; 4] = instruction.encoding().try_into().ok()?;
    match instruction.mnemonic.as_str() {
        "mtspr" | "mfspr" => {
            let word = power_word(bytes)?;
            let number = (word >> 16 & 31) | (word >> 6 & 0x3e0);
            power_scratch(number).then_some("scratch")
        }
        "mtmsrd" => (power_word(bytes)? >> 16 & 1 == 1).then_some("light"),
        "csrrd" | "csrwr" | "csrxchg" => {
            let number = u32::from_le_bytes(bytes) >> 10 & 0x3fff;
            loongarch_scratch(number).then_some("scratch")
        }
        _ => None,
    }
}

/// The word of an instruction of primary opcode 31, in whichever order its bytes are.
fn power_word(bytes: [u8; 4]) -> Option<u32> {
    const MOVES: [u32; 3] = [178, 339, 467];
    [u32::from_be_bytes(bytes), u32::from_le_bytes(bytes)]
        .into_iter()
        .find(|word| word >> 26 == 31 && MOVES.contains(&(word >> 1 & 0x3ff)))
}

/// Power ISA 3.1B, book III, 5.4: DSISR, DAR, SRR0 and SRR1, CFAR, VRSAVE, SPRG0 to 3 and their readable copy, HSPRG, HDSISR,
/// HDAR, HSRR.
fn power_scratch(number: u32) -> bool {
    matches!(number, 18 | 19 | 26..=28 | 256 | 259 | 272..=275 | 304..=307 | 314 | 315)
}

/// LoongArch reference manual 1.10, 7.1: PRMD, ESTAT, ERA, BADV, BADI and SAVE0 to 15, and those of the TLB's refill.
fn loongarch_scratch(number: u32) -> bool {
    matches!(number, 0x1 | 0x5..=0x8 | 0x30..=0x3f | 0x89..=0x8b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arch::Arch;

    fn form_of(arch: Arch, mnemonic: &str, word: u32) -> Option<&'static str> {
        let bytes = if arch == Arch::Powerpc64 { word.to_be_bytes() } else { word.to_le_bytes() };
        let unknown = Instruction::unknown(arch, &bytes, 0);
        form(&Instruction { mnemonic: mnemonic.to_owned(), ..unknown })
    }

    #[test]
    fn registers_that_hold_and_registers_that_act_are_told_apart() {
        for arch in [Arch::Powerpc64, Arch::Powerpc64le] {
            // mtspr SRR0, mtspr SPRG1, mfspr VRSAVE; mtspr FSCR, mtspr DSCR.
            for word in [0x7c7a_03a6, 0x7c71_43a6, 0x7c60_42a6] {
                let mnemonic = if word & 0x3ff << 1 == 339 << 1 { "mfspr" } else { "mtspr" };
                assert_eq!(form_of(arch, mnemonic, word), Some("scratch"), "{word:#x}");
            }
            for word in [0x7c79_23a6, 0x7c71_03a6] {
                assert_eq!(form_of(arch, "mtspr", word), None, "{word:#x}");
            }
            assert_eq!(form_of(arch, "mtmsrd", 0x7c61_0164), Some("light"));
            assert_eq!(form_of(arch, "mtmsrd", 0x7c60_0164), None);
        }
        // csrwr SAVE3, csrwr CRMD, csrxchg EUEN.
        assert_eq!(form_of(Arch::Loongarch64, "csrwr", 0x0400_cc24), Some("scratch"));
        assert_eq!(form_of(Arch::Loongarch64, "csrwr", 0x0400_0024), None);
        assert_eq!(form_of(Arch::Loongarch64, "csrxchg", 0x0400_0884), None);
    }
}
