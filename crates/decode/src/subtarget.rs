// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Whether a cpu that LLVM knows by name has an instruction at all.
//!
//! LLVM's decoder refuses instructions that the features of the cpu do not allow, but only on architectures whose tables check
//! them: RISC-V, AArch64 and LoongArch. On PowerPC and x86 it decodes everything for every cpu, so it gives no answer.

use crate::instruction::Instruction;
use crate::ports::isa_of;
use crate::shim::Target;
use arch::Arch;

/// The instructions of one cpu. Not `Send`: make one per thread.
pub struct Subtarget(Target);

impl Subtarget {
    /// The cpu that LLVM knows under this name (`-mcpu`); `None` if LLVM does not, or says nothing of its instructions.
    pub fn new(arch: Arch, cpu: &str) -> Option<Subtarget> {
        if !matches!(arch, Arch::Riscv64 | Arch::Aarch64 | Arch::Loongarch64) {
            return None;
        }
        let target = Target::new(isa_of(arch).triple, cpu, "").ok()?;
        let is_known = target.cpus().iter().any(|(name, _)| *name == cpu);
        is_known.then_some(Subtarget(target))
    }

    /// Whether the cpu has that instruction.
    pub fn has(&mut self, instruction: &Instruction) -> bool {
        self.0.decode(instruction.encoding(), instruction.address).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Decoder;

    fn has(arch: Arch, cpu: &str, encoding: &[u8]) -> bool {
        let instruction = Decoder::new(arch).unwrap().decode(encoding, 0x1000).unwrap();
        Subtarget::new(arch, cpu).unwrap().has(&instruction)
    }

    #[test]
    fn a_core_has_its_own_instructions_and_not_those_of_others() {
        // vsetvli a0, a1, e8, m1; add a0, a1, a2; mul a0, a1, a2
        for (encoding, u74, x280) in [
            ([0x57, 0xf5, 0x05, 0x0c], false, true),
            ([0x33, 0x85, 0xc5, 0x00], true, true),
            ([0x33, 0x85, 0xc5, 0x02], true, true),
        ] {
            assert_eq!(has(Arch::Riscv64, "sifive-u74", &encoding), u74, "{encoding:x?}");
            assert_eq!(has(Arch::Riscv64, "sifive-x280", &encoding), x280, "{encoding:x?}");
        }
        // add z0.b, z1.b, z2.b of SVE; add v0.16b, v1.16b, v2.16b
        let (sve, neon) = ([0x20, 0x00, 0x22, 0x04], [0x20, 0x84, 0x22, 0x4e]);
        assert!(!has(Arch::Aarch64, "neoverse-n1", &sve) && has(Arch::Aarch64, "neoverse-v1", &sve));
        assert!(has(Arch::Aarch64, "neoverse-n1", &neon));
    }

    #[test]
    fn where_llvm_says_nothing_there_is_no_answer() {
        assert!(Subtarget::new(Arch::Powerpc64le, "pwr8").is_none());
        assert!(Subtarget::new(Arch::X86_64, "haswell").is_none());
        assert!(Subtarget::new(Arch::Riscv64, "nosuch").is_none());
    }
}
