// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What kinds of registers an architecture has, looked up once.

use arch::Arch;
use decode::{Register, RegisterKind};

/// x86's stack pointer.
pub(crate) const STACK: Register = Register(4);

/// Kinds of an architecture's registers, and those that hold arguments.
pub struct RegisterKinds {
    kinds: Vec<RegisterKind>,
    arguments: Vec<Register>,
    stack: Option<Register>,
}

impl RegisterKinds {
    /// Reads them from a decoder.
    pub fn new(decoder: &decode::Decoder) -> RegisterKinds {
        let numbers = (0..decoder.register_count()).map(|number| Register(number as u16));
        let kinds = numbers.map(|register| decoder.register_kind(register)).collect();
        let stack = (decoder.arch() == Arch::X86_64).then_some(STACK);
        RegisterKinds { kinds, arguments: decoder.arguments(), stack }
    }

    /// Those in which a function gets its arguments.
    pub fn arguments(&self) -> &[Register] {
        &self.arguments
    }

    /// The one that instructions for the stack move.
    pub fn stack(&self) -> Option<Register> {
        self.stack
    }

    /// The kind of one register.
    pub fn kind(&self, register: Register) -> RegisterKind {
        self.kinds.get(usize::from(register.0)).copied().unwrap_or(RegisterKind::Other)
    }
}
