// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! x86 flags. LLVM knows only "EFLAGS", so which of CF, OF and the ZF group an instruction reads and writes is here.
//! A flag that the manual calls undefined afterwards counts as written.

use crate::facts::Facts;
use crate::instruction::Role;
use crate::isa::Raw;

use super::{memory, CF, OF, ZF};

const NONE: &[u16] = &[];
const ALL: &[u16] = &[CF, OF, ZF];

/// The sixteen conditions in the order of their encoding, and the flag groups that each looks at.
const CONDITIONS: [(&str, &[u16]); 16] = [
    ("o", &[OF]),
    ("no", &[OF]),
    ("b", &[CF]),
    ("ae", &[CF]),
    ("e", &[ZF]),
    ("ne", &[ZF]),
    ("be", &[CF, ZF]),
    ("a", &[CF, ZF]),
    ("s", &[ZF]),
    ("ns", &[ZF]),
    ("p", &[ZF]),
    ("np", &[ZF]),
    ("l", &[ZF, OF]),
    ("ge", &[ZF, OF]),
    ("le", &[ZF, OF]),
    ("g", &[ZF, OF]),
];

/// The condition is LLVM's last operand.
fn condition(raw: &Raw) -> Option<(&'static str, &'static [u16])> {
    let number = raw.operands().last()?.immediate()?;
    CONDITIONS.get(usize::try_from(number).ok()?).copied()
}

/// `ne` of `jne`; empty if there is none.
pub(super) fn condition_name(raw: &Raw) -> &'static str {
    condition(raw).map_or("", |(name, _)| name)
}

/// Whether LLVM's last operand is a condition, which the mnemonic names.
pub(super) fn has_condition(raw: &Raw) -> bool {
    ["JCC", "SETCC", "SETZUCC", "CMOV", "CFCMOV", "CMPCCXADD"]
        .iter()
        .any(|start| raw.opcode.name.starts_with(start))
        && condition(raw).is_some()
}

/// `ne` and all the others.
pub(super) fn condition_names() -> impl Iterator<Item = &'static str> {
    CONDITIONS.iter().map(|(name, _)| *name)
}

fn is_flags(raw: &Raw, numbers: &[usize]) -> bool {
    numbers.iter().any(|&number| raw.register_names[number] == "EFLAGS")
}

/// Adds the flags read and written.
pub(super) fn of(raw: &Raw, out: &mut Facts) {
    if is_flags(raw, &raw.opcode.implicit_uses) || reads_unknown_to_llvm(raw.mnemonic) {
        reads(raw).iter().for_each(|&flag| out.read(flag));
    }
    if is_flags(raw, &raw.opcode.implicit_definitions) || VIRTUAL_MACHINES.contains(&raw.mnemonic) {
        let counted = raw.opcode.name.ends_with("CL") || memory::repeat_prefix(raw).is_some();
        for &flag in writes(raw) {
            out.write(flag, Role::Condition);
            // A count of zero, in cl or rcx, leaves the flags; ZF shares its group with flags that those of ZF alone leave.
            if counted || ZF_ALONE.contains(&raw.mnemonic) {
                out.read(flag);
            }
        }
    }
}

/// What writes ZF and none of the other flags.
const ZF_ALONE: [&str; 6] = ["cmpxchg8b", "cmpxchg16b", "lar", "lsl", "verr", "verw"];

/// Instructions of VMX, which tell by all of the flags how they have ended (SDM volume 3, "Conventions"), unknown to
/// LLVM.
const VIRTUAL_MACHINES: [&str; 12] = [
    "vmread", "vmwrite", "vmptrld", "vmptrst", "vmclear", "vmxon", "vmxoff", "vmlaunch", "vmresume",
    "vmcall", "invept", "invvpid",
];

/// Loops and moves of x87 registers under a condition.
fn reads_unknown_to_llvm(name: &str) -> bool {
    matches!(name, "loope" | "loopne") || name.starts_with("fcmov")
}

fn reads(raw: &Raw) -> &'static [u16] {
    let name = raw.mnemonic;
    match name {
        "adc" | "sbb" | "adcx" | "rcl" | "rcr" | "cmc" | "salc" => return &[CF],
        "adox" => return &[OF],
        // Of the last four, IF and AC, which are no dependencies here.
        "clc" | "stc" | "cli" | "sti" | "clac" | "stac" => return NONE,
        "lahf" => return &[CF, ZF],
        "loope" | "loopne" | "fcmove" | "fcmovne" | "fcmovu" | "fcmovnu" => return &[ZF],
        "fcmovb" | "fcmovnb" => return &[CF],
        "fcmovbe" | "fcmovnbe" => return &[CF, ZF],
        _ => {}
    }
    if ["j", "set", "cmov", "cfcmov"].iter().any(|start| name.starts_with(start)) {
        return condition(raw).map_or(ALL, |(_, flags)| flags);
    }
    ALL
}

fn writes(raw: &Raw) -> &'static [u16] {
    match raw.mnemonic {
        "inc" | "dec" => &[OF, ZF],
        "adcx" | "clc" | "stc" | "cmc" | "bt" | "bts" | "btr" | "btc" => &[CF],
        "adox" => &[OF],
        "rol" | "ror" | "rcl" | "rcr" => &[CF, OF],
        "sahf" => &[CF, ZF],
        name if ZF_ALONE.contains(&name) => &[ZF],
        "clac" | "stac" | "cli" | "sti" => NONE,
        _ => ALL,
    }
}
