// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! LoongArch, 64 bits, with LSX, LASX, LBT and LVZ.
//!
//! A plain three-operand RISC, and LLVM describes it well. What a newcomer has to know of it for timing:
//!
//! * **There is no carry**: an add-with-carry is `add.d`, `sltu`, `add.d`. Conditions of the floating-point and vector
//!   units live in eight one-bit registers, fcc0 to fcc7. `r0` is zero.
//! * **One file for floating point and vectors**: f0 is the low part of vr0, which is the low part of xr0. A narrower
//!   write leaves the rest undefined, so it is a write of the whole (`f0` here), save for the instructions that insert
//!   (`movgr2frh.w`, `vinsgr2vr.d`, `xvpermi.q`), which read it.
//! * **Destinations that are also sources**: `bstrins`, `lu32i.d`, `vmadd.d`, `vfrstp.b`, `vshuf.w`, the narrowing
//!   shifts, `csrwr`, and `sc.d`, whose destination holds the data. LLVM knows those; it does not know that `amcas`
//!   compares with its destination, and that `ldl.d` and `ldr.d` load a part of it.
//! * **`jirl` is call, return and jump in one**: with `rd` = r1 a call, with `rd` = r0 and `rj` = r1 a return.
//! * **fcsr1 to fcsr3 are parts of fcsr0**, and no registers here: a write of one keeps the rest of `fcsr0`.
//! * The binary translation extension (LBT) keeps x86 flags, here the one register `eflags`, and Arm's in the same
//!   bits. What writes some of them reads the others. The x87 stack's top, of which it keeps the number, is no
//!   dependency.
//!
//! LoongArch Reference Manual, volume 1, 1.10 and 3.1; for LSX and LASX the instruction list of the assembler. For LBT,
//! of which the manual is not public, the names, the x86 and Arm instructions that they stand for, and what others have
//! measured (https://github.com/jiegec/la-inst).

use crate::facts::{Access, Facts};
use crate::instruction::{Flow, Role};
use crate::isa::{first_word, no_extra, plain, Isa, Raw};
use crate::registers::{file, split_number, File, Mapping, RegisterKind};

const RA: u16 = 1;
const F: u16 = 32;
const FCC: u16 = 64;
const FCSR: u16 = 72;
const SCR: u16 = 73;
const EFLAGS: u16 = 77;

const FILES: &[File] = &[
    file("r", 32, RegisterKind::General),
    file("f", 32, RegisterKind::Vector),
    file("fcc", 8, RegisterKind::Condition),
    file("fcsr0", 1, RegisterKind::Other),
    file("scr", 4, RegisterKind::Other),
    file("eflags", 1, RegisterKind::Condition),
];

pub(crate) const ISA: Isa = Isa {
    triple: "loongarch64-unknown-linux-gnu",
    features: "+64bit,+f,+d,+lsx,+lasx,+lbt,+lvz,+frecipe,+lam-bh,+lamcas,+ld-seq-sa,+div32,+scq",
    files: FILES,
    arguments: &[("r", 4, 8), ("f", 0, 8)],
    map,
    mnemonic: |raw| raw.mnemonic.to_owned(),
    mnemonics: first_word,
    own_mnemonics: &[],
    facts,
    operands: plain,
    extra: no_extra,
};

fn map(name: &str) -> Mapping {
    match split_number(name.trim_end_matches("_64")) {
        Some(("R", 0)) => Mapping::none(),
        Some(("R", n)) => Mapping::whole(n),
        Some(("F" | "VR" | "XR", n)) => Mapping::whole(F + n),
        Some(("FCC", n)) => Mapping::whole(FCC + n),
        Some(("FCSR", 0)) => Mapping::whole(FCSR),
        Some(("FCSR", _)) => Mapping::part(FCSR),
        Some(("SCR", n)) => Mapping::whole(SCR + n),
        _ => Mapping::none(),
    }
}

/// `andi $zero,$zero,0`.
const NOP: u32 = 0x0340_0000;

fn facts(raw: &Raw, out: &mut Facts) {
    out.no_operation = raw.word == NOP;
    let access = access(raw.mnemonic);
    match access {
        Some((Access::Hint, _)) | None => {}
        Some((kind, bytes)) => out.access(kind, bytes),
    }
    operands(raw, out, access.map(|(kind, _)| kind));
    flags(raw, out);
    flow(raw, out);
}

/// Which operands form the address: those behind the data, but in an atomic only the last, and in a bound-checking
/// access not the bound.
fn operands(raw: &Raw, out: &mut Facts, access: Option<Access>) {
    let name = raw.mnemonic;
    let bounded = ["ldgt", "ldle", "stgt", "stle", "fldgt", "fldle", "fstgt", "fstle"];
    let bounded = bounded.iter().any(|start| name.starts_with(start));
    let uses: Vec<_> = raw
        .operands()
        .iter()
        .filter(|operand| operand.register().is_some() && !operand.is_definition())
        .collect();
    for (index, operand) in uses.iter().enumerate() {
        let Some(mapping) = raw.mapping(operand) else {
            continue;
        };
        let last = index + 1 == uses.len();
        match access {
            None => out.read_all(mapping),
            Some(Access::Both) if !last => out.read_all(mapping),
            Some(Access::Store) if index == 0 || (name == "sc.q" && index == 1) => out.data(mapping),
            Some(_) if bounded && last => out.read_all(mapping),
            Some(_) => out.address(mapping),
        }
    }
    for operand in raw.operands().iter().filter(|operand| operand.is_definition()) {
        let Some(mapping) = raw.mapping(operand) else {
            continue;
        };
        // To LLVM, this source is a destination.
        if matches!(name, "x86mtflag" | "armmtflag") {
            out.read_all(mapping);
            continue;
        }
        let condition = mapping.registers.first().is_some_and(|register| (FCC..FCSR).contains(&register.0));
        out.write_all(mapping, if condition { Role::Condition } else { Role::Value });
        if merges(name) {
            out.read_all(mapping);
        }
    }
}

/// Whether the destination is a source, too, where LLVM does not know it: it is compared with, loaded in part, kept if
/// the condition is false, or one bit of it changes.
fn merges(name: &str) -> bool {
    let starts = ["amcas", "ldl.", "ldr.", "armmove", "x86settag"];
    starts.iter().any(|start| name.starts_with(start))
}

/// The flags of the binary translation extension, which LLVM leaves out.
fn flags(raw: &Raw, out: &mut Facts) {
    let name = raw.mnemonic;
    let reads = ["adc.", "sbc.", "rcr.", "rcri.", "setx86", "setarmj", "x86mfflag", "armmfflag", "armmove"];
    if reads.iter().any(|start| name.starts_with(start)) {
        out.read(EFLAGS);
    } else if writes_flags(name) {
        out.write(EFLAGS, Role::Condition);
        if keeps_flags(raw) {
            out.read(EFLAGS);
        }
    }
}

/// Whether it writes flags: all that computes what an x86 or Arm instruction would, for only the flags of the result
/// are kept.
fn writes_flags(name: &str) -> bool {
    let others = ["x86mftop", "x86mttop", "x86inctop", "x86dectop", "x86settm", "x86clrtm", "x86settag"];
    (name.starts_with("x86") || name.starts_with("arm")) && !others.contains(&name)
}

/// Whether it keeps some of the flags or looks at the carry. Arm has four of the six; of x86, `inc` and `dec` keep CF,
/// rotates all but CF and OF, and shifts all where the register that counts is zero.
fn keeps_flags(raw: &Raw) -> bool {
    const ALL: u32 = 0x3f;
    let name = raw.mnemonic;
    let starts = [
        "arm", "x86adc.", "x86sbc.", "x86inc.", "x86dec.", "x86rc", "x86rot", "x86sll.", "x86srl.", "x86sra.",
    ];
    // x86mtflag: its constant selects flags.
    let part = name == "x86mtflag" && raw.word >> 10 & ALL != ALL;
    part || starts.iter().any(|start| name.starts_with(start))
}

fn flow(raw: &Raw, out: &mut Facts) {
    match raw.mnemonic {
        "b" => out.branch(raw.decoded.target(), false),
        "bl" => {
            out.flow = Some(Flow::Call { target: raw.decoded.target() });
            out.write(RA, Role::Link);
        }
        "jirl" => {
            let (link, base) = (raw.word & 31, raw.word >> 5 & 31);
            out.writes.iter_mut().for_each(|write| write.role = Role::Link);
            out.flow = Some(match (link, base) {
                (0, 1) => Flow::Return,
                (1, _) => Flow::Call { target: None },
                // The stubs of a PLT leave their address in another register; they are no calls.
                _ => Flow::Indirect,
            });
        }
        // Through the scratch register of that number. jiscr1 leaves the program counter in the first, as measured.
        "jiscr0" => {
            out.read(SCR);
            out.flow = Some(Flow::Indirect);
        }
        "jiscr1" => {
            out.read(SCR + 1);
            out.write(SCR, Role::Link);
            out.flow = Some(Flow::Indirect);
        }
        "syscall" | "break" | "ertn" | "hvcl" => out.flow = Some(Flow::System),
        _ if raw.opcode.branch => out.branch(raw.decoded.target(), true),
        _ => {}
    }
}

/// What the instruction does to memory, and how many bytes of it; 0 if that depends on the address.
fn access(name: &str) -> Option<(Access, u16)> {
    let (stem, suffix) = name.rsplit_once('.').unwrap_or((name, ""));
    let bytes = match suffix {
        "b" | "bu" => 1,
        "h" | "hu" => 2,
        "w" | "wu" | "s" => 4,
        "q" => 16,
        _ => 8,
    };
    match stem {
        "vld" | "vldx" => Some((Access::Load, 16)),
        "xvld" | "xvldx" => Some((Access::Load, 32)),
        "vst" | "vstx" => Some((Access::Store, 16)),
        "xvst" | "xvstx" => Some((Access::Store, 32)),
        "ld" | "ldx" | "ldptr" | "ll" | "llacq" | "ldgt" | "ldle" | "fld" | "fldx" | "fldgt" | "fldle"
        | "vldrepl" | "xvldrepl" => Some((Access::Load, bytes)),
        "st" | "stx" | "stptr" | "sc" | "screl" | "stgt" | "stle" | "fst" | "fstx" | "fstgt" | "fstle"
        | "vstelm" | "xvstelm" => Some((Access::Store, bytes)),
        // The part of a word or doubleword on this side of a boundary.
        "ldl" | "ldr" => Some((Access::Load, 0)),
        "stl" | "str" => Some((Access::Store, 0)),
        // Walks of the page table.
        "lddir" | "ldpte" => Some((Access::Load, 8)),
        "preld" | "preldx" | "cacop" => Some((Access::Hint, 0)),
        _ if stem.starts_with("am") => Some((Access::Both, bytes)),
        _ => None,
    }
}
