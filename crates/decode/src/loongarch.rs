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
//!   compares with its destination.
//! * **`jirl` is call, return and jump in one**: with `rd` = r1 a call, with `rd` = r0 and `rj` = r1 a return.
//! * The binary translation extension (LBT) keeps x86 flags, here the one register `eflags`.
//!
//! LoongArch Reference Manual, volume 1, 1.10; for LSX and LASX the instruction list of the assembler.

use crate::facts::{Access, Facts};
use crate::instruction::{Flow, Role};
use crate::isa::{no_extra, plain, Isa, Raw};
use crate::registers::{file, split_number, File, Mapping, RegisterKind};

const RA: u16 = 1;
const F: u16 = 32;
const FCC: u16 = 64;
const FCSR: u16 = 72;
const SCR: u16 = 76;
const EFLAGS: u16 = 80;

const FILES: &[File] = &[
    file("r", 32, RegisterKind::General),
    file("f", 32, RegisterKind::Vector),
    file("fcc", 8, RegisterKind::Condition),
    file("fcsr", 4, RegisterKind::Other),
    file("scr", 4, RegisterKind::Other),
    file("eflags", 1, RegisterKind::Condition),
];

pub(crate) const ISA: Isa = Isa {
    triple: "loongarch64-unknown-linux-gnu",
    features: "+64bit,+f,+d,+lsx,+lasx,+lbt,+lvz,+frecipe,+lam-bh,+lamcas,+ld-seq-sa,+div32,+scq",
    files: FILES,
    map,
    mnemonic: |raw| raw.mnemonic.to_owned(),
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
        Some(("FCSR", n)) => Mapping::whole(FCSR + n),
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
    flags(raw.mnemonic, out);
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
        let condition = mapping.registers.first().is_some_and(|register| (FCC..FCSR).contains(&register.0));
        out.write_all(mapping, if condition { Role::Condition } else { Role::Value });
        if name.starts_with("amcas") {
            out.read_all(mapping);
        }
    }
}

/// The flags of the binary translation extension, which LLVM leaves out.
fn flags(name: &str, out: &mut Facts) {
    let reads = [
        "adc.", "sbc.", "rcr.", "rcri.", "setx86", "x86adc.", "x86sbc.", "x86rcl", "x86rcr", "x86inc.",
        "x86dec.",
    ];
    let reads_flags = reads.iter().any(|start| name.starts_with(start)) || name == "x86mfflag";
    let keeps_flags = ["x86mfflag", "x86mftop", "x86mttop", "x86inctop", "x86dectop", "x86settm", "x86clrtm"];
    if reads_flags {
        out.read(EFLAGS);
    }
    if name.starts_with("x86") && !keeps_flags.contains(&name) {
        out.write(EFLAGS, Role::Condition);
    }
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
        "syscall" | "break" | "ertn" | "hvcl" => out.flow = Some(Flow::System),
        _ if raw.opcode.branch => out.branch(raw.decoded.target(), true),
        _ => {}
    }
}

/// What the instruction does to memory, and how many bytes of it.
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
        | "vldrepl" | "xvldrepl" | "ldl" | "ldr" => Some((Access::Load, bytes)),
        "st" | "stx" | "stptr" | "sc" | "screl" | "stgt" | "stle" | "fst" | "fstx" | "fstgt" | "fstle"
        | "vstelm" | "xvstelm" | "stl" | "str" => Some((Access::Store, bytes)),
        // Walks of the page table.
        "lddir" | "ldpte" => Some((Access::Load, 8)),
        "preld" | "preldx" | "cacop" => Some((Access::Hint, 0)),
        _ if stem.starts_with("am") => Some((Access::Both, bytes)),
        _ => None,
    }
}
