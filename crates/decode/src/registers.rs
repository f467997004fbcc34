// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The register space of an architecture: what can be renamed on its own, numbered from 0 without holes.

/// One architectural register, numbered per architecture; `Decoder::register_name` gives its name.
///
/// Overlapping names are one register (`w0` and `x0`; `f0`, `vs0` and the like; `ymm3` and `zmm3`). Whatever can be
/// renamed separately is a register of its own: each CR field, CA, OV, each x86 flag group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register(pub u16);

/// What a register holds, by the kinds that cores keep in different register files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterKind {
    /// An integer or address.
    General,
    /// Floating point, a vector, or an accumulator.
    Vector,
    /// Comparison results: POWER's CR fields, x86's flags, NZCV, LoongArch's fcc; mask registers are `Other`.
    Condition,
    /// A carry or overflow bit that add-with-carry chains run through: POWER's CA and OV, x86's CF and OF.
    Carry,
    /// A branch target or count: POWER's LR, CTR and TAR. Where the ISA links through a general register it is that.
    Link,
    /// All else: masks, status and control registers, vector configuration.
    Other,
}

/// `count` registers of one kind: `r0` to `r31`; or one without a number where `count` is 1.
pub(crate) struct File {
    pub(crate) name: &'static str,
    pub(crate) count: u16,
    pub(crate) kind: RegisterKind,
}

/// Shorthand for the tables of the architectures.
pub(crate) const fn file(name: &'static str, count: u16, kind: RegisterKind) -> File {
    File { name, count, kind }
}

/// What one of LLVM's register names stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mapping {
    /// Empty for a hard-wired zero, and for state that is no dependency (a rounding mode).
    pub(crate) registers: Vec<Register>,
    /// A write leaves the rest of the register as it was, so it reads it too.
    pub(crate) partial: bool,
}

impl Mapping {
    /// No register that matters.
    pub(crate) fn none() -> Mapping {
        Mapping::default()
    }

    /// One register, written as a whole.
    pub(crate) fn whole(number: u16) -> Mapping {
        Mapping { registers: vec![Register(number)], partial: false }
    }

    /// A part of one register.
    pub(crate) fn part(number: u16) -> Mapping {
        Mapping { registers: vec![Register(number)], partial: true }
    }

    /// Several at once: a pair, a group.
    pub(crate) fn several(numbers: impl IntoIterator<Item = u16>) -> Mapping {
        Mapping { registers: numbers.into_iter().map(Register).collect(), partial: false }
    }
}

/// Splits `VSRp12` into `VSRp` and 12, if there is a number at the end.
pub(crate) fn split_number(name: &str) -> Option<(&str, u16)> {
    let digits = name.len() - name.bytes().rev().take_while(u8::is_ascii_digit).count();
    Some((&name[..digits], name[digits..].parse().ok()?))
}

/// Names and kinds of all of the registers of one architecture.
pub(crate) struct RegisterSpace {
    names: Vec<String>,
    kinds: Vec<RegisterKind>,
}

impl RegisterSpace {
    pub(crate) fn new(files: &[File]) -> RegisterSpace {
        let mut space = RegisterSpace { names: Vec::new(), kinds: Vec::new() };
        for file in files {
            for number in 0..file.count {
                let name =
                    if file.count == 1 { file.name.to_owned() } else { format!("{}{number}", file.name) };
                space.names.push(name);
                space.kinds.push(file.kind);
            }
        }
        space
    }

    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn name(&self, register: Register) -> Option<&str> {
        self.names.get(usize::from(register.0)).map(String::as_str)
    }

    pub(crate) fn kind(&self, register: Register) -> Option<RegisterKind> {
        self.kinds.get(usize::from(register.0)).copied()
    }

    pub(crate) fn find(&self, name: &str) -> Option<Register> {
        self.names.iter().position(|known| known == name).map(|number| Register(number as u16))
    }
}
