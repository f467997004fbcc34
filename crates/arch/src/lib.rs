// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The seven architectures that Assay knows, by their GNU names.
//!
//! This is the bottom of the dependency tree: facts about an architecture that more than one crate needs
//! and that hold for all of its CPUs. How to compile for it and how to run it belong to `lab`; how its
//! instructions are decoded belongs to `decode`.

use std::fmt;
use std::str::FromStr;

/// An architecture, with its ABI: `powerpc64` means big-endian ELFv2 throughout Assay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Arch {
    /// 32-bit big-endian PowerPC, System V ABI.
    Powerpc = 1,
    /// 64-bit big-endian POWER, ELFv2 ABI.
    Powerpc64 = 2,
    /// 64-bit little-endian POWER, ELFv2 ABI.
    Powerpc64le = 3,
    /// 64-bit LoongArch, lp64d ABI.
    Loongarch64 = 4,
    /// x86-64, System V ABI.
    X86_64 = 5,
    /// 64-bit Arm, little endian.
    Aarch64 = 6,
    /// 64-bit RISC-V, lp64d ABI.
    Riscv64 = 7,
}

impl Arch {
    /// Every architecture, in the order in which they are listed to users.
    pub const ALL: [Arch; 7] = [
        Arch::Powerpc,
        Arch::Powerpc64,
        Arch::Powerpc64le,
        Arch::Loongarch64,
        Arch::X86_64,
        Arch::Aarch64,
        Arch::Riscv64,
    ];

    /// The GNU name, as in `-a powerpc64le` and as a folder of variants is named.
    pub const fn name(self) -> &'static str {
        match self {
            Arch::Powerpc => "powerpc",
            Arch::Powerpc64 => "powerpc64",
            Arch::Powerpc64le => "powerpc64le",
            Arch::Loongarch64 => "loongarch64",
            Arch::X86_64 => "x86_64",
            Arch::Aarch64 => "aarch64",
            Arch::Riscv64 => "riscv64",
        }
    }

    /// The number that stands for the architecture in a trace file; never reused.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The architecture with this trace-file number, if there is one.
    pub fn from_code(code: u8) -> Option<Arch> {
        Arch::ALL.into_iter().find(|arch| arch.code() == code)
    }

    /// Whether a multi-byte value has its most significant byte first in memory.
    pub const fn big_endian(self) -> bool {
        matches!(self, Arch::Powerpc | Arch::Powerpc64)
    }

    /// Bits in a general register.
    pub const fn word_bits(self) -> u32 {
        match self {
            Arch::Powerpc => 32,
            _ => 64,
        }
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not one of Assay's architectures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownArch(pub String);

impl fmt::Display for UnknownArch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.contains(',') {
            return write!(f, "one architecture is meant here, and '{}' names several", self.0);
        }
        let known: Vec<_> = Arch::ALL.iter().map(|arch| arch.name()).collect();
        write!(f, "unknown architecture '{}'; known: {}", self.0, known.join(" "))
    }
}

impl std::error::Error for UnknownArch {}

impl FromStr for Arch {
    type Err = UnknownArch;

    fn from_str(name: &str) -> Result<Arch, UnknownArch> {
        let found = Arch::ALL.into_iter().find(|arch| arch.name() == name).or(match name {
            // Names that Debian or the kernel uses.
            "ppc64el" | "ppc64le" => Some(Arch::Powerpc64le),
            "loong64" => Some(Arch::Loongarch64),
            "amd64" => Some(Arch::X86_64),
            "arm64" => Some(Arch::Aarch64),
            _ => None,
        });
        found.ok_or_else(|| UnknownArch(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_round_trip() {
        for arch in Arch::ALL {
            assert_eq!(arch.name().parse(), Ok(arch));
            assert_eq!(Arch::from_code(arch.code()), Some(arch));
        }
        assert_eq!(Arch::from_code(0), None);
        assert_eq!("ppc64el".parse(), Ok(Arch::Powerpc64le));
        let message = "ppc64".parse::<Arch>().unwrap_err().to_string();
        assert!(message.contains("powerpc64le"), "{message}");
    }
}
