// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What kinds of registers an architecture has, looked up once.

use decode::{Register, RegisterKind};

/// Kinds of an architecture's registers.
pub struct RegisterKinds(Vec<RegisterKind>);

impl RegisterKinds {
    /// Reads them from a decoder.
    pub fn new(decoder: &decode::Decoder) -> RegisterKinds {
        RegisterKinds(
            (0..decoder.register_count()).map(|n| decoder.register_kind(Register(n as u16))).collect(),
        )
    }

    /// The kind of one register.
    pub fn kind(&self, register: Register) -> RegisterKind {
        self.0.get(usize::from(register.0)).copied().unwrap_or(RegisterKind::Other)
    }
}
