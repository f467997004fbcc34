// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! How an x86 instruction forms the address of its access, for callers that know the registers' values.

use crate::isa::Raw;
use crate::registers::Register;

use super::{memory, RBP, RDI, RSI, RSP};

/// `[base + scale * index + displacement]`, in bytes. The stack and string instructions have theirs, too: what `push`
/// writes is `[rsp - 8]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressForm {
    /// Added as it is.
    pub base: Option<Register>,
    /// Added `scale` times.
    pub index: Option<Register>,
    /// 1, 2, 4 or 8.
    pub scale: u8,
    /// Added; relative to the next instruction's address if `from_next`.
    pub displacement: i64,
    /// `rip` is the base.
    pub from_next: bool,
}

/// The form; none where there is no address, more than one, or one that needs more than general registers (segments,
/// addresses of 32 bits, vectors of indices).
pub(crate) fn of(raw: &Raw) -> Option<AddressForm> {
    let at = |base, displacement| AddressForm {
        base: Some(Register(base)),
        index: None,
        scale: 1,
        displacement,
        from_next: false,
    };
    let operands: Vec<_> = raw.operands().iter().filter(|operand| operand.is_memory()).collect();
    let stack = |bytes: i64| at(RSP, bytes);
    match raw.mnemonic {
        "push" | "call" if !operands.is_empty() => return None,
        "pop" if !operands.is_empty() => return None,
        "push" | "pushf" | "pushfq" => {
            return Some(stack(if raw.opcode.name.contains("16") { -2 } else { -8 }))
        }
        "call" => return Some(stack(-8)),
        "pop" | "popf" | "popfq" | "ret" => return Some(stack(0)),
        "leave" => return Some(at(RBP, 0)),
        "movdir64b" | "enqcmd" | "enqcmds" => return None,
        "enter" | "xlatb" | "maskmovdqu" | "vmaskmovdqu" | "maskmovq" => return None,
        _ if memory::takes_bit_of_string(raw) => return None,
        _ => {}
    }
    match raw.opcode.name.get(..4) {
        Some("MOVS" | "CMPS") if raw.opcode.name.len() == 5 => return None,
        Some("STOS" | "SCAS") if raw.opcode.name.len() == 5 => return Some(at(RDI, 0)),
        Some("LODS") if raw.opcode.name.len() == 5 => return Some(at(RSI, 0)),
        _ => {}
    }
    let &[base, scale, index, displacement, segment] = operands.as_slice() else { return None };
    let general = |operand| -> Option<Option<Register>> {
        let Some(name) = raw.name(operand) else { return Some(None) };
        let mapping = raw.mapping(operand)?;
        let whole = name.starts_with('R') && !name.ends_with('D') && !mapping.partial;
        let register = mapping.registers.first().filter(|register| register.0 < 32);
        whole.then(|| register.copied()).filter(Option::is_some)
    };
    let from_next = raw.name(base) == Some("RIP");
    if segment.register().is_some() {
        return None;
    }
    Some(AddressForm {
        base: if from_next { None } else { general(base)? },
        index: general(index)?,
        scale: scale.immediate()? as u8,
        displacement: displacement.immediate()?,
        from_next,
    })
}
