// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! x86-64, with everything up to AVX-512 and AMX.
//!
//! What a newcomer has to know of its instructions for timing:
//!
//! * **Writes of parts.** A write of `eax` zeroes the upper half of `rax`, so it depends on nothing older; a write of
//!   `ax`, `al` or `ah` keeps the rest, so it reads `rax`. xmm3, ymm3 and zmm3 are one register, `zmm3`. A legacy SSE
//!   write keeps bits 128 and up, which cores hide as long as they are zero, so it counts as whole; what keeps a part
//!   of the low 128 bits (`sqrtsd`, `movlps`, `cvtsi2sd`) and what merges under a mask reads its destination.
//! * **Flags are three groups**, as cores rename them: CF; OF; and ZF, SF, PF and AF together, here `zf`. `inc` leaves
//!   CF, rotates leave `zf`, `adcx` touches CF alone and `adox` OF alone, which makes their two chains independent. A
//!   shift by `cl` and a comparison with `rep` may leave all flags as they are, so they read them. See `flags`.
//! * **The stack is memory**: `push`, `pop`, `call` and `ret` access it through `rsp` and write `rsp` as a base update.
//! * **LLVM takes `lock` for an instruction of its own**; here it belongs to the one behind it (`lock add`).
//! * Not split: the x87 stack is the one register `x87` (its registers rotate), so x87 code looks serial. Segment
//!   bases, MXCSR's rounding and the status bits are no dependencies.
//!
//! Intel SDM volume 2; the flag groups: Agner Fog, "The microarchitecture of Intel, AMD and VIA CPUs", on renaming.

pub(crate) mod address;
mod flags;
mod memory;
mod operands;

use crate::facts::Facts;
use crate::instruction::{Flow, Role};
use crate::isa::{no_extra, Isa, Raw};
use crate::registers::{file, split_number, File, Mapping, Register, RegisterKind};

const RAX: u16 = 0;
const RCX: u16 = 1;
const RDX: u16 = 2;
const RBX: u16 = 3;
const RSP: u16 = 4;
const RBP: u16 = 5;
const RSI: u16 = 6;
const RDI: u16 = 7;
const R11: u16 = 11;
const ZMM: u16 = 32;
const K: u16 = 64;
const CF: u16 = 72;
const OF: u16 = 73;
const ZF: u16 = 74;
const DF: u16 = 75;
const X87: u16 = 76;
const MM: u16 = 77;
const MXCSR: u16 = 85;
const CONTROL: u16 = 86;
const TMM: u16 = 87;

const FILES: &[File] = &[
    file("rax", 1, RegisterKind::General),
    file("rcx", 1, RegisterKind::General),
    file("rdx", 1, RegisterKind::General),
    file("rbx", 1, RegisterKind::General),
    file("rsp", 1, RegisterKind::General),
    file("rbp", 1, RegisterKind::General),
    file("rsi", 1, RegisterKind::General),
    file("rdi", 1, RegisterKind::General),
    file("r8", 1, RegisterKind::General),
    file("r9", 1, RegisterKind::General),
    file("r10", 1, RegisterKind::General),
    file("r11", 1, RegisterKind::General),
    file("r12", 1, RegisterKind::General),
    file("r13", 1, RegisterKind::General),
    file("r14", 1, RegisterKind::General),
    file("r15", 1, RegisterKind::General),
    // APX's r16 to r31.
    file("egpr", 16, RegisterKind::General),
    file("zmm", 32, RegisterKind::Vector),
    file("k", 8, RegisterKind::Other),
    file("cf", 1, RegisterKind::Carry),
    file("of", 1, RegisterKind::Carry),
    file("zf", 1, RegisterKind::Condition),
    file("df", 1, RegisterKind::Other),
    file("x87", 1, RegisterKind::Vector),
    file("mm", 8, RegisterKind::Vector),
    file("mxcsr", 1, RegisterKind::Other),
    file("control", 1, RegisterKind::Other),
    file("tmm", 8, RegisterKind::Vector),
];

/// LLVM decodes every extension, whatever the features are.
pub(crate) const ISA: Isa = Isa {
    triple: "x86_64-unknown-linux-gnu",
    features: "",
    files: FILES,
    arguments: &[
        ("rdi", 0, 1),
        ("rsi", 0, 1),
        ("rdx", 0, 1),
        ("rcx", 0, 1),
        ("r8", 0, 1),
        ("r9", 0, 1),
        ("rax", 0, 1),
        ("zmm", 0, 8),
    ],
    map,
    mnemonic,
    mnemonics,
    own_mnemonics: &[],
    facts,
    operands: operands::of,
    extra: no_extra,
};

/// The eight old registers by their letters, and how each is written in 64, 32, 16, and 8 bits.
const OLD: [[&str; 5]; 8] = [
    ["RAX", "EAX", "AX", "AL", "AH"],
    ["RCX", "ECX", "CX", "CL", "CH"],
    ["RDX", "EDX", "DX", "DL", "DH"],
    ["RBX", "EBX", "BX", "BL", "BH"],
    ["RSP", "ESP", "SP", "SPL", ""],
    ["RBP", "EBP", "BP", "BPL", ""],
    ["RSI", "ESI", "SI", "SIL", ""],
    ["RDI", "EDI", "DI", "DIL", ""],
];

fn map(name: &str) -> Mapping {
    for (number, names) in (0..).zip(OLD) {
        match names.iter().position(|known| *known == name && !name.is_empty()) {
            Some(0 | 1) => return Mapping::whole(number),
            Some(_) => return Mapping::part(number),
            None => {}
        }
    }
    match name {
        "DF" => return Mapping::whole(DF),
        "FPSW" => return Mapping::part(X87),
        _ => {}
    }
    // K2_K3, the pair that vp2intersect writes.
    if let Some((first, second)) = name.split_once('_') {
        return Mapping { registers: [map(first).registers, map(second).registers].concat(), partial: false };
    }
    // r8 to r31: R8, R8D, R8W, R8B.
    if let Some((number, width)) = name.strip_prefix('R').and_then(numbered) {
        return if matches!(width, "W" | "B") { Mapping::part(number) } else { Mapping::whole(number) };
    }
    match split_number(name) {
        Some(("XMM" | "YMM" | "ZMM", n)) => Mapping::whole(ZMM + n),
        Some(("K", n)) => Mapping::whole(K + n),
        Some(("MM", n)) => Mapping::whole(MM + n),
        Some(("ST" | "FP", _)) => Mapping::part(X87),
        Some(("TMM", n)) => Mapping::whole(TMM + n),
        Some(("CR" | "DR", _)) => Mapping::whole(CONTROL),
        _ => Mapping::none(),
    }
}

/// `12D` is 12 and `D`; none without digits.
fn numbered(name: &str) -> Option<(u16, &str)> {
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    Some((name[..digits].parse().ok()?, &name[digits..]))
}

fn mnemonic(raw: &Raw) -> String {
    let own = raw.mnemonic.split_whitespace().next().unwrap_or(raw.mnemonic);
    let named = match own {
        "j" | "set" | "cmov" => format!("{own}{}", flags::condition_name(raw)),
        "cmp" if raw.opcode.name.starts_with("CMPCCXADD") => format!("cmp{}xadd", flags::condition_name(raw)),
        _ => own.to_owned(),
    };
    match memory::repeat_prefix(raw) {
        Some(prefix) => format!("{prefix} {named}"),
        None => named,
    }
}

/// What [`mnemonic`] may make of LLVM's, whose condition is an operand, and whose prefix is a flag.
fn mnemonics(llvm_mnemonic: &str) -> Vec<String> {
    let own = llvm_mnemonic.split_whitespace().next().unwrap_or_default();
    let with_condition =
        |end: &str| flags::condition_names().map(|name| format!("{own}{name}{end}")).collect();
    let mut all: Vec<String> = match own {
        "j" | "set" | "cmov" => with_condition(""),
        "cmp" => with_condition("xadd"),
        _ => Vec::new(),
    };
    all.extend(memory::repeat_prefixes(own).iter().map(|prefix| format!("{prefix} {own}")));
    all.push(own.to_owned());
    all
}

fn facts(raw: &Raw, out: &mut Facts) {
    if raw.mnemonic == "nop" {
        out.no_operation = true;
        return; // its operands are not looked at
    }
    let access = memory::of(raw);
    if let Some((kind, bytes)) = access {
        out.access(kind, bytes);
    }
    memory::operands(raw, out);
    implicit(raw, out);
    flags::of(raw, out);
    memory::stack(raw, out);
    memory::strings(raw, out);
    special(raw, out);
    flow(raw, out);
}

fn implicit(raw: &Raw, out: &mut Facts) {
    if raw.mnemonic == "vzeroupper" {
        return; // done by renaming: it waits for nothing and delays nothing
    }
    for &number in &raw.opcode.implicit_uses {
        out.read_all(&raw.mappings[number]);
    }
    // LLVM says that these write the register whose sign they copy into another one, too.
    let keeps_source = matches!(raw.mnemonic, "cwd" | "cdq" | "cqo");
    for &number in &raw.opcode.implicit_definitions {
        let mapping = &raw.mappings[number];
        if !(keeps_source && mapping.registers.contains(&Register(RAX))) {
            out.write_all(mapping, if is_upper(raw, mapping) { Role::Upper } else { Role::Value });
        }
    }
}

/// Whether this register, which the opcode names, gets the upper half of a product or the remainder.
fn is_upper(raw: &Raw, definition: &Mapping) -> bool {
    let gives_two = matches!(raw.mnemonic, "mul" | "imul" | "div" | "idiv");
    gives_two && definition.registers.contains(&Register(RDX))
}

fn special(raw: &Raw, out: &mut Facts) {
    match raw.mnemonic {
        "ldmxcsr" | "vldmxcsr" => out.write(MXCSR, Role::Value),
        "stmxcsr" | "vstmxcsr" => out.read(MXCSR),
        "xlatb" => {
            out.no_read(RBX);
            out.address(&Mapping::whole(RBX));
            out.address(&Mapping::whole(RAX));
        }
        "maskmovdqu" | "vmaskmovdqu" | "maskmovq" => {
            out.no_read(RDI);
            out.address(&Mapping::whole(RDI));
        }
        "clzero" => {
            out.no_read(RAX);
            out.address(&Mapping::whole(RAX));
        }
        "syscall" => {
            out.write(RCX, Role::Value);
            out.write(R11, Role::Value);
        }
        "loop" | "loope" | "loopne" => {
            out.read(RCX);
            out.write(RCX, Role::Value);
        }
        _ => {}
    }
}

fn flow(raw: &Raw, out: &mut Facts) {
    let opcode = raw.opcode;
    match raw.mnemonic {
        "syscall" | "sysenter" | "sysret" | "sysexit" | "int3" | "int" | "int1" | "ud0" | "ud1" | "ud2"
        | "iret" | "iretd" | "iretq" | "hlt" | "uiret" => {
            out.flow = Some(Flow::System);
        }
        _ if opcode.ret => out.flow = Some(Flow::Return),
        _ if opcode.call => out.flow = Some(Flow::Call { target: raw.decoded.target() }),
        _ if opcode.indirect => out.flow = Some(Flow::Indirect),
        "jmp" => out.branch(raw.decoded.target(), false),
        _ if opcode.branch => out.branch(raw.decoded.target(), true),
        _ => {}
    }
}
