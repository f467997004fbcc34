// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Maps an architecture to its port. Ports know what an `Isa` is, but not each other or this module.

use arch::Arch;

use crate::isa::Isa;

/// The tables of an architecture.
pub(crate) fn isa_of(arch: Arch) -> &'static Isa {
    match arch {
        Arch::Powerpc => &crate::power::ISA_32,
        Arch::Powerpc64 => &crate::power::ISA_64,
        Arch::Powerpc64le => &crate::power::ISA_64LE,
        Arch::Loongarch64 => &crate::loongarch::ISA,
        Arch::X86_64 => &crate::x86::ISA,
        Arch::Aarch64 => &crate::aarch64::ISA,
        Arch::Riscv64 => &crate::riscv::ISA,
    }
}
