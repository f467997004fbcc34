// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! AArch64: the A-profile ISA with NEON, the crypto and CRC instructions, atomics and SVE2.
//!
//! What a newcomer has to know of it for timing:
//!
//! * **Register 31 is zero or the stack pointer**, depending on the instruction; here `sp`, and nothing for zero. A
//!   write of `w0` zeroes the upper half of `x0`, one of `d0` the rest of `v0`: both are writes of the whole.
//! * **One flags register, NZCV**, set only by the forms that say so (`adds`, `ccmp`), so carry chains (`adcs`) go
//!   through it.
//! * **Addressing updates the base** (`ldr x0, [x1], #8`), and `ldp` writes two registers, three with the update.
//! * Destinations that are also sources: `movk`, `bfm`, `ins`, `mla`, `uadalp`, `bsl`, narrowing "2" forms. LLVM knows
//!   all of them but `fmov v0.d[1], x0`.
//! * `mrs` and `msr` go through the register `sysreg`, unless they name NZCV, those that set a field of PSTATE to a
//!   constant (`msr daifset, #2`) included. Rounding mode and status flags of floating point are no dependencies.
//! * SVE: registers are right (z0 is v0 here, predicates are p0 to p15); sizes of accesses are 0, since the
//!   vector length is the machine's. SME is not decoded.
//!
//! Arm Architecture Reference Manual, DDI 0487.

mod access;

use crate::facts::Facts;
use crate::instruction::{Flow, Role};
use crate::isa::{first_word, no_extra, plain, Isa, Raw};
use crate::registers::{file, split_number, File, Mapping, RegisterKind};

const LR: u16 = 30;
const SP: u16 = 31;
const V: u16 = 32;
const P: u16 = 64;
const NZCV: u16 = 80;
const SYSREG: u16 = 81;
const FFR: u16 = 82;

/// The numbers of system registers that are not `sysreg` here (op0, op1, CRn, CRm and op2 in one).
const SYSTEM_NZCV: i64 = 0xda10;
const SYSTEM_RNDR: i64 = 0xd920;
const SYSTEM_RNDRRS: i64 = 0xd921;

const FILES: &[File] = &[
    file("x", 31, RegisterKind::General),
    file("sp", 1, RegisterKind::General),
    file("v", 32, RegisterKind::Vector),
    file("p", 16, RegisterKind::Other),
    file("nzcv", 1, RegisterKind::Condition),
    file("sysreg", 1, RegisterKind::Other),
    file("ffr", 1, RegisterKind::Other),
];

/// Not "+all": SME stays off, because LLVM's decoder inserts the implicit ZA operand of an SME instruction by its place
/// even where decoding has failed and there are fewer operands, which writes outside of its buffers.
pub(crate) const ISA: Isa = Isa {
    triple: "aarch64-unknown-linux-gnu",
    features: "+v9.5a,+fp-armv8,+neon,+crc,+aes,+sha2,+sha3,+sm4,+crypto,+dotprod,+fullfp16,+fp16fml,+bf16,+i8mm,\
               +f32mm,+f64mm,+complxnum,+jsconv,+fptoint,+faminmax,+fp8,+fp8dot2,+fp8dot4,+fp8fma,+lut,+lse,+lse2,\
               +lse128,+rdm,+rcpc,+rcpc-immo,+rcpc3,+ls64,+mops,+mte,+pauth,+pauth-lr,+bti,+flagm,+altnzcv,+rand,+cssc,\
               +hbc,+chk,+gcs,+clrbhb,+cpa,+d128,+the,+tme,+predres,+specres2,+sb,+ssbs,+wfxt,+xs,+ccdp,+ccpp,+ras,\
               +rasv2,+brbe,+trbe,+ete,+spe,+perfmon,+ite,+sve,+sve2,+sve2p1,+sve2-aes,+sve2-sha3,+sve2-sm4,\
               +sve2-bitperm,+b16b16,+sve-b16b16,+el3,+el2vmsa,+vh,+am,+ecv,+fgt,+lor,+mpam,+nmi,+nv,+pan,+pan-rwv,\
               +rme,+sel2,+tlb-rmi,+uaops,+dit,+mec,-sme",
    files: FILES,
    arguments: &[("x", 0, 9), ("v", 0, 8)],
    map,
    mnemonic,
    mnemonics,
    own_mnemonics: &[HINTS],
    facts,
    operands: plain,
    extra: no_extra,
};

fn map(name: &str) -> Mapping {
    // Q31_Q0 is two registers.
    let mut registers = Vec::new();
    for part in name.split('_') {
        match one(part) {
            Some(number) => registers.push(number),
            None => continue,
        }
    }
    Mapping::several(registers)
}

fn one(name: &str) -> Option<u16> {
    match name {
        "SP" | "WSP" => return Some(SP),
        "LR" => return Some(LR),
        "FP" => return Some(29),
        "NZCV" => return Some(NZCV),
        "FFR" => return Some(FFR),
        _ => {}
    }
    match split_number(name)? {
        ("X" | "W", n) => Some(n),
        ("B" | "H" | "S" | "D" | "Q" | "Z", n) => Some(V + n),
        ("P" | "PN", n) => Some(P + n),
        _ => None,
    }
}

const CONDITIONS: [&str; 16] =
    ["eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"];

/// All of these share one opcode of LLVM's, `hint`.
const HINTS: &[&str] = &[
    "nop",
    "yield",
    "wfe",
    "wfi",
    "sev",
    "sevl",
    "dgh",
    "esb",
    "psb",
    "tsb",
    "csdb",
    "clrbhb",
    "bti",
    "gcsb",
    "chkfeat",
    "pacm",
    "xpaclri",
    "pacia1716",
    "pacib1716",
    "autia1716",
    "autib1716",
    "paciaz",
    "paciasp",
    "pacibz",
    "pacibsp",
    "autiaz",
    "autiasp",
    "autibz",
    "autibsp",
    "stshh",
];

/// What [`mnemonic`] may make of LLVM's.
fn mnemonics(llvm_mnemonic: &str) -> Vec<String> {
    let own = first_word(llvm_mnemonic);
    match own.first() {
        Some(branch) if branch.ends_with('.') => {
            CONDITIONS.iter().map(|name| format!("{branch}{name}")).collect()
        }
        _ => own,
    }
}

/// LLVM prints conditions as operands (`b.` + `ne`), and calls hints by number.
fn mnemonic(raw: &Raw) -> String {
    let own = raw.mnemonic.split_whitespace().next().unwrap_or(raw.mnemonic);
    let first_word = || raw.text.split_whitespace().next().unwrap_or(own).to_owned();
    match own {
        "hint" => first_word(),
        _ if own.ends_with('.') => first_word(),
        _ => own.to_owned(),
    }
}

fn facts(raw: &Raw, out: &mut Facts) {
    out.no_operation = raw.mnemonic == "nop";
    let kind = access::of(raw, out);
    access::operands(raw, out, kind);
    implicit(raw, out);
    system(raw, out);
    flow(raw, out);
}

fn role(register: u16) -> Role {
    match register {
        NZCV => Role::Condition,
        _ => Role::Value,
    }
}

fn implicit(raw: &Raw, out: &mut Facts) {
    // mrs: LLVM lists NZCV for the random number registers' sake; msr: NZCV, which no constant can be moved to. Calls:
    // SP for the compiler's.
    if matches!(raw.mnemonic, "mrs" | "msr") || raw.opcode.call {
        return;
    }
    for &number in &raw.opcode.implicit_uses {
        out.read_all(&raw.mappings[number]);
    }
    for &number in &raw.opcode.implicit_definitions {
        for register in &raw.mappings[number].registers {
            out.write(register.0, role(register.0));
        }
    }
}

fn system(raw: &Raw, out: &mut Facts) {
    let number = raw.operands().iter().find_map(|operand| operand.immediate());
    match (raw.mnemonic, number) {
        ("mrs", Some(SYSTEM_NZCV)) => out.read(NZCV),
        ("mrs", Some(SYSTEM_RNDR | SYSTEM_RNDRRS)) => out.write(NZCV, Role::Condition),
        ("mrs" | "mrrs", _) => out.read(SYSREG),
        ("msr", Some(SYSTEM_NZCV)) => out.write(NZCV, Role::Condition),
        ("msr" | "msrr", _) => out.write(SYSREG, Role::Value),
        // They keep C and Z, and V becomes the opposite of C.
        ("ctermeq" | "ctermne", _) => out.read(NZCV),
        // LLVM takes the result for a source.
        ("sysl", _) => {
            let result = std::mem::take(&mut out.reads);
            result.iter().for_each(|register| out.write(register.0, Role::Value));
        }
        // The lower half stays.
        ("fmov", _) if raw.opcode.name == "FMOVXDHighr" => {
            out.writes.clone().iter().for_each(|write| out.read(write.register.0));
        }
        _ => {}
    }
}

fn flow(raw: &Raw, out: &mut Facts) {
    let opcode = raw.opcode;
    match raw.mnemonic {
        "svc" | "hvc" | "smc" | "brk" | "hlt" | "udf" | "eret" | "eretaa" | "eretab" => {
            out.flow = Some(Flow::System)
        }
        _ if opcode.call => {
            out.flow = Some(Flow::Call { target: raw.decoded.target() });
            out.write(LR, Role::Link);
        }
        _ if opcode.ret => out.flow = Some(Flow::Return),
        _ if opcode.indirect => out.flow = Some(Flow::Indirect),
        "b" => out.branch(raw.decoded.target(), false),
        _ if opcode.branch => out.branch(raw.decoded.target(), true),
        _ => {}
    }
}
