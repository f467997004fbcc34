// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! RISC-V, 64 bits: G, C, B, V 1.0 and the small Z extensions.
//!
//! What a newcomer has to know of it for timing:
//!
//! * **No flags**; x0 is zero. Compressed instructions keep their own mnemonics (`c.addi`), with all operands that they
//!   imply made explicit by the facts.
//! * **`jal` and `jalr` are call, return and jump in one**; x1 and x5 are the link registers (unprivileged ISA, 2.5.1).
//! * **Vector instructions depend on vl and vtype**, which the last `vsetvli` wrote. What the encoding does not tell,
//!   the facts cannot: the group multiplier LMUL and the width of elements are in vtype, so every group is named by its
//!   first register alone, which at LMUL 1 leaves out the second of what widens, is narrowed, or has elements longer
//!   than vtype says (a whole group only where the encoding tells: `vmv4r.v`, `vl4re8.v`, the fields of `vlseg3e32.v`),
//!   and the size of a unit-stride access is 0.
//! * A masked instruction may keep the masked-off elements, which vtype decides; it counts as reading its destination.
//!   So does `vcompress.vm`, which writes as many elements as its mask selects. What is behind vl counts as lost.
//! * **vl is also a result**: of fault-only-first loads, which shorten it. `vsetvli x0,x0` takes the length from it.
//! * The floating-point rounding mode and flags are no dependency, save for the CSR instructions that name them.
//!
//! Unprivileged ISA 20240411; V extension 1.0.

use crate::facts::{Access, Facts};
use crate::instruction::{Flow, Role};
use crate::isa::{first_word, no_extra, plain, Isa, Raw};
use crate::registers::{file, split_number, File, Mapping, RegisterKind};

const F: u16 = 32;
const V: u16 = 64;
const VL: u16 = 96;
const VTYPE: u16 = 97;
const FCSR: u16 = 98;
/// Any other control and status register.
const CSR: u16 = 99;

const FILES: &[File] = &[
    file("x", 32, RegisterKind::General),
    file("f", 32, RegisterKind::Vector),
    file("v", 32, RegisterKind::Vector),
    file("vl", 1, RegisterKind::Other),
    file("vtype", 1, RegisterKind::Other),
    file("fcsr", 1, RegisterKind::Other),
    file("csr", 1, RegisterKind::Other),
];

/// Zfinx and Zcmp stay off: they reuse encodings of F and of compressed floating point.
pub(crate) const ISA: Isa = Isa {
    triple: "riscv64-unknown-linux-gnu",
    features: "+m,+a,+f,+d,+c,+v,+zca,+zcb,+zcd,+zicsr,+zifencei,+zicntr,+zihpm,+zicond,+zihintpause,+zihintntl,\
               +zawrs,+zacas,+zabha,+zba,+zbb,+zbc,+zbs,+zbkb,+zbkc,+zbkx,+zicbom,+zicbop,+zicboz,+zfh,+zfhmin,+zfa,\
               +zvfh,+zvfhmin,+zvbb,+zvbc,+zvkg,+zvkned,+zvknhb,+zvksed,+zvksh,+zknd,+zkne,+zknh,+zksed,+zksh,+zimop,\
               +zcmop,+svinval,+h,+experimental-zacas",
    files: FILES,
    arguments: &[("x", 10, 8), ("f", 10, 8), ("v", 8, 16)],
    map,
    mnemonic: |raw| raw.mnemonic.to_owned(),
    mnemonics: first_word,
    own_mnemonics: &[],
    facts,
    operands: plain,
    extra: no_extra,
};

fn map(name: &str) -> Mapping {
    match name {
        "VL" => return Mapping::whole(VL),
        "VTYPE" => return Mapping::whole(VTYPE),
        _ => {}
    }
    // F10_D is one register; X10_X11 and V8M2_V10M2 are several.
    let parts = name.split('_').filter(|part| !matches!(*part, "D" | "F" | "H"));
    let mut registers = Vec::new();
    for part in parts {
        let Some((stem, count)) = group(part) else { return Mapping::none() };
        match stem {
            ("X", 0) => {}
            ("X", n) => registers.push(n),
            ("F", n) => registers.push(F + n),
            ("V", n) => registers.extend((n..n + count).map(|n| V + n % 32)),
            _ => return Mapping::none(),
        }
    }
    Mapping::several(registers)
}

/// `V8M4` is v8 and three more.
fn group(part: &str) -> Option<((&str, u16), u16)> {
    match part.split_once('M') {
        Some((first, count)) => Some((split_number(first)?, count.parse().ok()?)),
        None => Some((split_number(part)?, 1)),
    }
}

/// `addi x0,x0,0`, and its compressed form.
const NOP: u32 = 0x0000_0013;
const COMPRESSED_NOP: u32 = 0x0001;

fn facts(raw: &Raw, out: &mut Facts) {
    out.no_operation = match raw.bytes.len() {
        2 => raw.word & 0xffff == COMPRESSED_NOP,
        _ => raw.word == NOP,
    };
    let access = access(raw.mnemonic);
    match access {
        Some((Access::Hint, _)) | None => {}
        Some((kind, bytes)) => out.access(kind, bytes),
    }
    operands(raw, out, access.map(|(kind, _)| kind));
    segments(raw, out);
    pairs(raw, out);
    vector(raw, out);
    length(raw, out);
    csr(raw, out);
    flow(raw, out);
}

fn is_vector(mapping: &Mapping) -> bool {
    mapping.registers.first().is_some_and(|register| (V..VL).contains(&register.0))
}

/// Of a vector access, the base, the stride and the indices form the address and the last operand is the mask.
fn operands(raw: &Raw, out: &mut Facts, access: Option<Access>) {
    let vector = raw.mnemonic.starts_with('v');
    let count = raw.operands().len();
    let mut seen_base = false;
    for (index, operand) in raw.operands().iter().enumerate() {
        let Some(mapping) = raw.mapping(operand) else { continue };
        let is_mask = vector && index + 1 == count && is_vector(mapping);
        match access {
            _ if operand.is_definition() => out.write_all(mapping, Role::Value),
            None => out.read_all(mapping),
            Some(_) if operand.is_memory() => out.address(mapping),
            Some(Access::Hint) => out.address(mapping),
            Some(_) if seen_base && vector && !is_mask => out.address(mapping),
            Some(Access::Store) if !is_mask => out.data(mapping),
            Some(Access::Both) if raw.mnemonic.starts_with("amoswap") => out.data(mapping),
            Some(_) => out.read_all(mapping),
        }
        seen_base |= operand.is_memory();
    }
    for &number in &raw.opcode.implicit_definitions {
        out.write_all(&raw.mappings[number], Role::Value);
    }
}

/// Adds the other fields of a segment access: LLVM names the first.
fn segments(raw: &Raw, out: &mut Facts) {
    let fields =
        raw.mnemonic.split_once("seg").and_then(|(_, rest)| rest.get(..1)?.parse::<u16>().ok()).unwrap_or(1);
    let first = (raw.word >> 7 & 31) as u16;
    for number in (1..fields).map(|n| V + (first + n) % 32) {
        if out.store {
            out.data(&Mapping::whole(number));
        } else {
            out.write(number, Role::Value);
        }
    }
}

/// Adds the second registers of the pairs of `amocas.q`: LLVM names the even ones. x0 stands for a pair of zeros.
fn pairs(raw: &Raw, out: &mut Facts) {
    if !raw.mnemonic.starts_with("amocas.q") {
        return;
    }
    let (destination, desired) = ((raw.word >> 7 & 31) as u16, (raw.word >> 20 & 31) as u16);
    if destination != 0 {
        out.read(destination | 1);
        out.write(destination | 1, Role::Value);
    }
    if desired != 0 {
        out.read(desired | 1);
    }
}

/// What vector instructions read and write besides their operands.
fn vector(raw: &Raw, out: &mut Facts) {
    let name = raw.mnemonic;
    if !name.starts_with('v') || name.starts_with("vset") {
        return;
    }
    // Whole registers whatever vl is: vl4re8.v, vs4r.v, vmv4r.v.
    let whole = ["r.v", "re8.v", "re16.v", "re32.v", "re64.v"];
    let whole = whole
        .iter()
        .any(|end| name.strip_suffix(end).is_some_and(|stem| stem.ends_with(['1', '2', '4', '8'])));
    if !whole {
        out.read(VL);
        out.read(VTYPE);
    }
    // They stop in front of a fault, and vl is then what they have loaded.
    if name.ends_with("ff.v") {
        out.write(VL, Role::Value);
    }
    // vcompress.vm names its mask, which any register can be.
    let compresses = name == "vcompress.vm";
    // vadc.vvm, vmerge.vxm
    let carries = name.ends_with('m') && name.contains(".v") && !name.ends_with(".m") && !compresses;
    // The bit vm of every vector encoding: 0 is "where v0 says so". The carrying ones have it, too, for another reason.
    let masked = raw.word >> 25 & 1 == 0 && !carries;
    if masked || carries {
        out.read(V);
    }
    // vslideup keeps the elements below its offset; vslide1up writes all.
    if masked || compresses || name.starts_with("vslideup") {
        let vectors =
            out.writes.iter().map(|write| write.register).filter(|register| (V..VL).contains(&register.0));
        vectors.collect::<Vec<_>>().into_iter().for_each(|register| out.read(register.0));
    }
}

/// `vsetvli x0,x0` and `vsetvl x0,x0` keep the length: vl is what they ask for (V extension 1.0, 6.2).
fn length(raw: &Raw, out: &mut Facts) {
    let (destination, source) = (raw.word >> 7 & 31, raw.word >> 15 & 31);
    if matches!(raw.mnemonic, "vsetvl" | "vsetvli") && (destination, source) == (0, 0) {
        out.read(VL);
    }
}

/// CSR instructions: the number is the top twelve bits.
fn csr(raw: &Raw, out: &mut Facts) {
    let name = raw.mnemonic;
    if !name.starts_with("csrr") {
        return;
    }
    let register = match raw.word >> 20 {
        1..=3 => FCSR,
        0xc20 => VL,
        0xc21 => VTYPE,
        _ => CSR,
    };
    let (destination, source) = (raw.word >> 7 & 31, raw.word >> 15 & 31);
    let swaps = name.starts_with("csrrw");
    if !swaps || destination != 0 {
        out.read(register);
    }
    if swaps || source != 0 {
        out.write(register, Role::Value);
    }
}

fn flow(raw: &Raw, out: &mut Facts) {
    const LINKS: [u32; 2] = [1, 5];
    match raw.mnemonic {
        "c.j" => return out.branch(raw.decoded.target(), false),
        "c.jr" if LINKS.contains(&(raw.word >> 7 & 31)) => out.flow = Some(Flow::Return),
        "c.jr" => out.flow = Some(Flow::Indirect),
        "c.jalr" => out.flow = Some(Flow::Call { target: None }),
        "jal" if !LINKS.contains(&(raw.word >> 7 & 31)) => return out.branch(raw.decoded.target(), false),
        "jal" => out.flow = Some(Flow::Call { target: raw.decoded.target() }),
        "jalr" => {
            // The stubs of a PLT leave their address in t1; they are no calls (unprivileged ISA 2.5.1).
            out.flow = Some(match (raw.word >> 7 & 31, raw.word >> 15 & 31) {
                (link, _) if LINKS.contains(&link) => Flow::Call { target: None },
                (0, base) if LINKS.contains(&base) => Flow::Return,
                _ => Flow::Indirect,
            });
        }
        "ecall" | "ebreak" | "c.ebreak" | "mret" | "sret" | "unimp" | "c.unimp" => {
            out.flow = Some(Flow::System)
        }
        _ if raw.opcode.branch => return out.branch(raw.decoded.target(), true),
        _ => return,
    }
    if matches!(out.flow, Some(Flow::Call { .. })) {
        out.writes.iter_mut().for_each(|write| write.role = Role::Link);
    }
}

/// What the instruction does to memory, and how many bytes of it; 0 where vl decides.
fn access(name: &str) -> Option<(Access, u16)> {
    if name.starts_with("prefetch.") || matches!(name, "cbo.clean" | "cbo.flush" | "cbo.inval") {
        return Some((Access::Hint, 0));
    }
    if name == "cbo.zero" {
        return Some((Access::Store, 0));
    }
    if name.starts_with('v') {
        return vector_access(name);
    }
    let stem = name.strip_prefix("c.").unwrap_or(name);
    let stem = stem.strip_suffix("sp").unwrap_or(stem);
    if let Some((operation, rest)) = stem.split_once('.') {
        let bytes = match rest.split('.').next()? {
            "b" => 1,
            "h" => 2,
            "w" | "wu" => 4,
            "q" => 16,
            _ => 8,
        };
        return match operation {
            "lr" => Some((Access::Load, bytes)),
            "sc" => Some((Access::Store, bytes)),
            "hlv" | "hlvx" => Some((Access::Load, bytes)),
            "hsv" => Some((Access::Store, bytes)),
            _ if operation.starts_with("amo") => Some((Access::Both, bytes)),
            _ => None,
        };
    }
    Some(match stem {
        "lb" | "lbu" => (Access::Load, 1),
        "lh" | "lhu" | "flh" => (Access::Load, 2),
        "lw" | "lwu" | "flw" => (Access::Load, 4),
        "ld" | "fld" => (Access::Load, 8),
        "sb" => (Access::Store, 1),
        "sh" | "fsh" => (Access::Store, 2),
        "sw" | "fsw" => (Access::Store, 4),
        "sd" | "fsd" => (Access::Store, 8),
        _ => return None,
    })
}

fn vector_access(name: &str) -> Option<(Access, u16)> {
    let stem = name.strip_suffix(".v")?;
    let load = stem.starts_with("vl");
    if !load && !stem.starts_with("vs") {
        return None;
    }
    let rest = stem.get(2..)?;
    let forms = [
        "e8", "e16", "e32", "e64", "m", "seg", "sseg", "uxseg", "oxseg", "se8", "se16", "se32", "se64",
        "uxei", "oxei",
    ];
    let whole = rest.starts_with(['1', '2', '4', '8']) && rest.get(1..2) == Some("r");
    if !whole && !forms.iter().any(|form| rest.starts_with(form)) {
        return None; // vsll.vv, vsext.vf2 and the like
    }
    // A strided access is one element at a time, of the size that the name tells.
    let strided =
        rest.strip_prefix("se").and_then(|bits| bits.parse::<u16>().ok()).map_or(0, |bits| bits / 8);
    Some((if load { Access::Load } else { Access::Store }, strided))
}
