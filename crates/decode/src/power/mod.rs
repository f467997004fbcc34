// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! POWER and PowerPC, 32 and 64 bits, both byte orders.
//!
//! What a newcomer has to know of its instructions for timing:
//!
//! * **RA|0.** In addresses, `addi`, `addis` and `isel`, the field RA = 0 is the number zero and not `r0`. LLVM says
//!   `ZERO` there, save for a few instructions that it describes as plain (`lswi`, the cache-inhibited loads).
//! * **Three things are called carry or overflow**, and they are renamed apart: CA (`addc`, `adde`, every `sra`), OV
//!   (`addo`, and `addex`'s second carry chain), SO (sticky; each compare and each integer record form copies it into
//!   the CR field, so each of those reads it). CA32 and OV32 always travel with CA and OV.
//! * **CR is eight registers.** A CR-bit instruction (`crxor 4*cr1+eq, ...`) writes one bit of a field and so reads the
//!   other three. `add.` writes CR0, `fadd.` CR1 (from the FPSCR), `vcmpequb.` CR6.
//! * **64 VSRs.** The FPRs are halves of vs0-vs31 and the Altivec registers are vs32-vs63, so `f1` is `vs1` here and
//!   `v1` is `vs33`. The MMA accumulators overlap vs0-vs31 only when moved by `xxmtacc` and `xxmfacc`, so they are
//!   registers of their own.
//! * **Branches** are taken apart from their encoding: BO tells whether CTR is counted down (read and written) and
//!   whether a CR bit is read. `bcl 20,31,.+4` only asks for its own address, and is no call.
//! * **FPSCR** is no dependency of arithmetic: its rounding mode is renamed state that hardly ever changes and its
//!   exception bits are sticky. Only the moves to and from it read and write it. The same holds for VSCR.
//!
//! Power ISA 3.1B, books I and II; e300 and 8xx: their core manuals. Bits are numbered from the most significant.

mod access;
mod extra;
pub(crate) mod versions;

use crate::facts::{Access, Facts};
use crate::instruction::{Flow, Role};
use crate::isa::{first_word, plain, Isa, Raw};
use crate::registers::{file, split_number, File, Mapping, RegisterKind};

const VS: u16 = 32;
const CR: u16 = 96;
const CA: u16 = 104;
const OV: u16 = 105;
const SO: u16 = 106;
const LR: u16 = 107;
const CTR: u16 = 108;
const TAR: u16 = 109;
const VRSAVE: u16 = 110;
const VSCR: u16 = 111;
const FPSCR: u16 = 112;
const MSR: u16 = 113;
const TB: u16 = 114;
/// Any other special-purpose register: too many to tell apart, and their moves serialise anyway.
const SPR: u16 = 115;
const ACC: u16 = 116;

const FILES: &[File] = &[
    file("r", 32, RegisterKind::General),
    file("vs", 64, RegisterKind::Vector),
    file("cr", 8, RegisterKind::Condition),
    file("ca", 1, RegisterKind::Carry),
    file("ov", 1, RegisterKind::Carry),
    file("so", 1, RegisterKind::Carry),
    file("lr", 1, RegisterKind::Link),
    file("ctr", 1, RegisterKind::Link),
    file("tar", 1, RegisterKind::Link),
    file("vrsave", 1, RegisterKind::Other),
    file("vscr", 1, RegisterKind::Other),
    file("fpscr", 1, RegisterKind::Other),
    file("msr", 1, RegisterKind::Other),
    file("tb", 1, RegisterKind::Other),
    file("spr", 1, RegisterKind::Other),
    file("acc", 8, RegisterKind::Vector),
];

/// SPE, which shares encodings with Altivec, stays off.
pub(crate) const ISA_32: Isa = Isa {
    triple: "powerpc-unknown-linux-gnu",
    features: "+altivec",
    files: FILES,
    arguments: &[("r", 3, 8), ("vs", 1, 13), ("vs", 34, 12)],
    map,
    mnemonic,
    mnemonics: |llvm| first_word(llvm).iter().map(|word| own(word).to_owned()).collect(),
    own_mnemonics: OWN_MNEMONICS,
    facts,
    operands: plain,
    extra: extra::decode,
};
pub(crate) const ISA_64: Isa = Isa {
    triple: "powerpc64-unknown-linux-gnu",
    features: "+altivec,+vsx,+prefix-instrs,+mma,+isa-v31-instructions",
    ..ISA_32
};
pub(crate) const ISA_64LE: Isa = Isa { triple: "powerpc64le-unknown-linux-gnu", ..ISA_64 };

fn map(name: &str) -> Mapping {
    match name {
        "CARRY" => return Mapping::whole(CA),
        // LLVM names all of XER where an instruction writes OV and SO.
        "XER" => return Mapping::several([OV, SO]),
        "LR" | "LR8" => return Mapping::whole(LR),
        "CTR" | "CTR8" => return Mapping::whole(CTR),
        "VRSAVE" => return Mapping::whole(VRSAVE),
        _ => {}
    }
    if let Some(field) =
        name.strip_prefix("CR").and_then(|rest| rest.get(..1)).and_then(|digit| digit.parse::<u16>().ok())
    {
        let bit = name.len() > "CR0".len();
        return if bit { Mapping::part(CR + field) } else { Mapping::whole(CR + field) };
    }
    match split_number(name) {
        Some(("R" | "X", n)) => Mapping::whole(n),
        Some(("F" | "VSL" | "VSX", n)) => Mapping::whole(VS + n),
        Some(("V" | "VF", n)) => Mapping::whole(VS + 32 + n),
        Some(("VSRp", n)) => Mapping::several([VS + 2 * n, VS + 2 * n + 1]),
        Some(("ACC" | "UACC", n)) => Mapping::whole(ACC + n),
        Some(("Fpair", n)) => Mapping::several([VS + n, VS + n + 1]),
        Some(("G8p", n)) => Mapping::several([2 * n, 2 * n + 1]),
        _ => Mapping::none(),
    }
}

/// The primary opcode: 16 `bc`, 18 `b`, 19 branches to registers, 31 most register forms, 1 a prefix.
fn primary(raw: &Raw) -> u32 {
    raw.field(0, 5)
}

/// `sync` by its L field, and what LLVM does not decode.
const OWN_MNEMONICS: &[&[&str]] = &[&["lwsync", "ptesync"], extra::MNEMONICS];

/// The extended opcode of X and XL forms.
fn extended(raw: &Raw) -> u32 {
    raw.field(21, 30)
}

fn mnemonic(raw: &Raw) -> String {
    let suffixed = |base: &str, absolute: bool| {
        let link = if raw.word & 1 != 0 { "l" } else { "" };
        let absolute = if absolute && raw.word & 2 != 0 { "a" } else { "" };
        format!("{base}{link}{absolute}")
    };
    match (primary(raw), extended(raw)) {
        (16, _) => return suffixed("bc", true),
        (18, _) => return suffixed("b", true),
        (19, 16) => return suffixed("bclr", false),
        (19, 528) => return suffixed("bcctr", false),
        // What clang makes of `mftb` for later processors; those with a time base of its own kind take it for the same.
        (31, 339) if spr(raw) == [TB] => return "mftb".to_owned(),
        (31, 339) => return "mfspr".to_owned(),
        (31, 467) => return "mtspr".to_owned(),
        (31, 598) if raw.field(9, 10) == 1 => return "lwsync".to_owned(),
        (31, 598) if raw.field(9, 10) == 2 => return "ptesync".to_owned(),
        _ => {}
    }
    own(raw.mnemonic).to_owned()
}

/// The ISA's own for what LLVM has an opcode under another name of.
fn own(llvm_mnemonic: &str) -> &str {
    match llvm_mnemonic {
        "nop" => "ori",
        "xnop" => "xori",
        "li" => "addi",
        "lis" => "addis",
        "pli" => "paddi",
        "cmpw" | "cmpd" => "cmp",
        "cmpwi" | "cmpdi" => "cmpi",
        "cmplw" | "cmpld" => "cmpl",
        "cmplwi" | "cmpldi" => "cmpli",
        "trap" => "tw",
        "msync" => "sync",
        other => other,
    }
}

/// `tw 31,0,0`, which no condition can keep from trapping.
const TRAP: u32 = 0x7fe0_0008;

/// `ori 0,0,0`.
const NOP: u32 = 0x6000_0000;

fn facts(raw: &Raw, out: &mut Facts) {
    out.no_operation = raw.word == NOP;
    if branch(raw, out) {
        return;
    }
    let access = access::of(raw);
    match access {
        Some((Access::Hint, _)) | None => {}
        Some((kind, bytes)) => out.access(kind, bytes),
    }
    operands(raw, out, access.map(|(kind, _)| kind));
    implicit(raw, out);
    access::widen(raw, out);
    special(raw, out);
    let enters_or_returns = matches!(
        raw.mnemonic,
        "sc" | "scv" | "rfid" | "hrfid" | "rfi" | "rfci" | "rfdi" | "rfmci" | "rfebb" | "rfscv" | "urfid"
    );
    if enters_or_returns || raw.word == TRAP {
        out.flow = Some(Flow::System);
    }
}

fn role(register: u16) -> Role {
    match register {
        CA | OV | SO => Role::Carry,
        LR | CTR | TAR => Role::Link,
        n if (CR..CA).contains(&n) => Role::Condition,
        _ => Role::Value,
    }
}

fn write_mapping(out: &mut Facts, mapping: &Mapping) {
    for register in &mapping.registers {
        let one = Mapping { registers: vec![*register], partial: mapping.partial };
        out.write_all(&one, role(register.0));
    }
}

/// The operands that LLVM names. Every register that a load, store or cache operation uses forms the address, save for
/// a store's first, which is what it stores.
fn operands(raw: &Raw, out: &mut Facts, access: Option<Access>) {
    let is_base =
        |index: usize| raw.operands().iter().any(|use_| use_.is_memory() && use_.tied_to() == Some(index));
    let mut data_is_next = matches!(access, Some(Access::Store | Access::Both))
        && !matches!(raw.mnemonic, "dcbz" | "dcbzl" | "dcbzep" | "dcbzlep" | "lwat" | "ldat" | "paste.");
    for (index, operand) in raw.operands().iter().enumerate() {
        let Some(mapping) = raw.mapping(operand) else {
            continue;
        };
        if operand.is_definition() {
            if is_base(index) {
                out.write_all(mapping, Role::BaseUpdate);
            } else {
                write_mapping(out, mapping);
            }
        } else if access.is_none() {
            out.read_all(mapping);
        } else if data_is_next {
            out.data(mapping);
            data_is_next = false;
        } else {
            out.address(mapping);
        }
    }
}

/// Registers that are not operands: CA, CR0, and what LLVM leaves out.
fn implicit(raw: &Raw, out: &mut Facts) {
    for &number in &raw.opcode.implicit_uses {
        out.read_all(&raw.mappings[number]);
    }
    for &number in &raw.opcode.implicit_definitions {
        write_mapping(out, &raw.mappings[number]);
    }
    let writes = |out: &Facts, number| out.writes.iter().any(|write| write.register.0 == number);
    // SO is sticky, and CR0's fourth bit is a copy of it (book I, 3.3.9 and 3.2.2).
    let compares = matches!(raw.mnemonic, "cmp" | "cmpi" | "cmpl" | "cmpli");
    if compares || writes(out, SO) || (raw.mnemonic.ends_with('.') && writes(out, CR)) {
        out.read(SO);
    }
}

/// Instructions whose registers are given by other fields, or that LLVM describes too coarsely.
fn special(raw: &Raw, out: &mut Facts) {
    match raw.mnemonic {
        "mfspr" => spr(raw).into_iter().for_each(|number| out.read(number)),
        "mtspr" => spr(raw).into_iter().for_each(|number| out.write(number, role(number))),
        "mftb" => out.read(TB),
        "mfmsr" => out.read(MSR),
        "mtmsr" | "mtmsrd" => out.write(MSR, Role::Value),
        "mfcr" => (CR..CR + 8).for_each(|number| out.read(number)),
        "mtcrf" => fields(raw.field(12, 19)).for_each(|number| out.write(number, Role::Condition)),
        "mcrxrx" => [CA, OV].into_iter().for_each(|number| out.read(number)),
        "mcrxr" => [CA, OV, SO].into_iter().for_each(|number| {
            out.read(number);
            out.write(number, Role::Carry);
        }),
        "addex" => {
            out.read(OV);
            out.write(OV, Role::Carry);
        }
        "mfvscr" => out.read(VSCR),
        "mtvscr" => out.write(VSCR, Role::Value),
        // LLVM gives it the form of `sradi`, and with that CA. Shifts to the left have no carry.
        "extswsli" | "extswsli." => out.no_write(CA),
        "mcrfs" => {
            out.reads.clear(); // LLVM takes the FPSCR field for a CR field
            out.read(FPSCR);
            if copies_exceptions(raw) {
                out.write(FPSCR, Role::Value);
            }
        }
        // LLVM knows the other inserts to keep the rest of the register.
        "vinsertw" | "vinsertd" => out.writes.clone().iter().for_each(|write| out.read(write.register.0)),
        "mffsce" | "mffscrn" | "mffscrni" | "mffscdrn" | "mffscdrni" => {
            out.read(FPSCR);
            out.write(FPSCR, Role::Value);
        }
        "xxmtacc" => {
            let acc = raw.field(6, 8) as u16;
            out.no_read(ACC + acc);
            (0..4).for_each(|n| out.read(VS + 4 * acc + n));
        }
        "xxmfacc" => {
            let acc = raw.field(6, 8) as u16;
            out.no_write(ACC + acc);
            (0..4).for_each(|n| out.write(VS + 4 * acc + n, Role::Value));
        }
        // LLVM takes the exponent's register, one of vs32 to vs63, for one of the others.
        "xsiexpqp" => {
            let exponent = VS + raw.field(16, 20) as u16;
            out.no_read(exponent);
            out.read(exponent + 32);
        }
        // LLVM has them write CR0, as integers do.
        "dquai." | "dquaiq." => {
            out.no_read(SO);
            out.no_write(CR);
            out.write(CR + 1, Role::Condition);
        }
        // Where the return goes, and the state to return to.
        "scv" => [LR, CTR].into_iter().for_each(|number| out.write(number, Role::Link)),
        "hashst" | "hashstp" | "hashchk" | "hashchkp" => digest(raw, out),
        name if name.starts_with("mffs") => out.read(FPSCR),
        name if name.starts_with("mtfs") => {
            out.write(FPSCR, Role::Value);
            if keeps_status(raw) {
                out.read(FPSCR);
            }
        }
        _ => {}
    }
}

/// Whether a move to the FPSCR leaves a part of it: one bit (`mtfsb0`), one field (`mtfsfi`), or the fields that
/// `mtfsf` does not select (book I, 4.6.10). All eight of the lower half count as all: the upper half has but the
/// decimal rounding mode.
fn keeps_status(raw: &Raw) -> bool {
    const FIELDS: u32 = 0xff;
    let (everything, upper_half) = (raw.field(6, 6) == 1, raw.field(15, 15) == 1);
    match raw.mnemonic {
        "mtfsf" | "mtfsf." => !everything && (upper_half || raw.field(7, 14) != FIELDS),
        _ => true,
    }
}

/// Whether `mcrfs` copies bits of exceptions, which it then clears (book I, 4.6.10). Fields 4, 6 and 7 have none: they
/// are the class of a result, the enables, and the mode of rounding with the last enable.
fn copies_exceptions(raw: &Raw) -> bool {
    !matches!(raw.field(11, 13), 4 | 6 | 7)
}

/// RA, which is the base, too, and RB: what is stored or compared is their digest, and not one of them.
fn digest(raw: &Raw, out: &mut Facts) {
    let (base, key) = (raw.field(11, 15) as u16, raw.field(16, 20) as u16);
    out.store_reads.clear();
    out.address_reads.clear();
    out.address(&Mapping::whole(base));
    out.read(key);
    out.read(base);
}

/// The registers behind the number in `mfspr` and `mtspr`, whose halves stand swapped in the encoding.
fn spr(raw: &Raw) -> Vec<u16> {
    match raw.field(16, 20) << 5 | raw.field(11, 15) {
        1 => vec![CA, OV, SO],
        8 => vec![LR],
        9 => vec![CTR],
        256 => vec![VRSAVE],
        268 | 269 | 284 | 285 => vec![TB],
        815 => vec![TAR],
        _ => vec![SPR],
    }
}

/// The CR fields of an eight-bit mask, field 0 first.
fn fields(mask: u32) -> impl Iterator<Item = u16> {
    (0..8).filter(move |n| mask & (0x80 >> n) != 0).map(|n| CR + n as u16)
}

/// Branches, from their encoding alone (book I, 2.4). False: it is none.
fn branch(raw: &Raw, out: &mut Facts) -> bool {
    let link = raw.word & 1 != 0;
    let (bo, bi) = (raw.field(6, 10), raw.field(11, 15));
    let flow = match (primary(raw), extended(raw)) {
        (18, _) => direct(raw, sign_extend(raw.word & 0x03ff_fffc, 26), link),
        (16, _) => {
            let offset = sign_extend(raw.word & 0xfffc, 16);
            let own_address = is_unconditional(bo) && offset == 4 && raw.word & 2 == 0;
            direct(raw, offset, link && !own_address)
        }
        (19, 16 | 528) if link => Flow::Call { target: None },
        (19, 16) => Flow::Return,
        (19, 528) => Flow::Indirect,
        _ => return false,
    };
    out.flow = Some(flow);
    match (primary(raw), extended(raw)) {
        (19, 16) => out.read(LR),
        (19, 528) => out.read(CTR),
        _ => {}
    }
    if primary(raw) != 18 {
        condition(bo, bi, out);
    }
    if link {
        out.write(LR, Role::Link);
    }
    true
}

/// Whether a branch with this field BO tests neither a CR bit nor CTR.
fn is_unconditional(bo: u32) -> bool {
    bo & 0b10100 == 0b10100
}

/// What a branch with these fields BO and BI tests: a CR bit, and CTR, which it counts down.
fn condition(bo: u32, bi: u32, out: &mut Facts) {
    out.conditional = !is_unconditional(bo);
    if bo & 0b10000 == 0 {
        out.read(CR + bi as u16 / 4);
    }
    if bo & 0b00100 == 0 {
        out.read(CTR);
        out.write(CTR, Role::Link);
    }
}

fn direct(raw: &Raw, offset: i64, call: bool) -> Flow {
    let absolute = raw.word & 2 != 0;
    let wide = if absolute { offset as u64 } else { raw.address.wrapping_add_signed(offset) };
    let target = if raw.bits_32 { wide & 0xffff_ffff } else { wide };
    if call {
        Flow::Call { target: Some(target) }
    } else {
        Flow::Branch { target }
    }
}

fn sign_extend(value: u32, bits: u32) -> i64 {
    i64::from((value << (32 - bits)) as i32 >> (32 - bits))
}
