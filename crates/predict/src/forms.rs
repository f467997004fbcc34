// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What distinguishes instructions of one mnemonic when their class in a cpu file is looked up.

use crate::register_kinds::RegisterKinds;
use crate::register_kinds::STACK;
use decode::{Address, Flow, Instruction, Operand, Register, RegisterKind, Role};

/// x86's `cl`, which counts shifts.
const COUNT: Operand = Operand::Register { register: Register(1), bits: Some(8) };

/// The constants that cores of Intel's since Golden Cove add at rename (measured on Redwood Cove).
const ADDED: std::ops::RangeInclusive<i64> = -1024..=1023;

/// The names of all forms.
pub(crate) const FORMS: &[&str] = &[
    "scratch",
    "light",
    "nop",
    "zero",
    "narrow",
    "move",
    "to_vector",
    "to_general",
    "to_mask",
    "self",
    "merge",
    "quad",
    "displaced",
    "one",
    "byte",
    "relative",
    "scaled",
    "full",
    "wide",
    "wide_load",
    "count",
    "constant",
    "stack",
    "three",
    "immediate",
    "direct",
    "link",
    "carry",
    "update",
    "load",
    "store",
];

/// The forms of an instruction that a class can tell apart beyond the mnemonic, most telling first: what
/// [`special::form`](crate::special::form) says of special registers; `nop`; `zero` (of one register and itself, so that the
/// result may depend on nothing, unless a part of the destination stays); `narrow` (one of fewer than 64 bits, by name) and `move` (of a whole register); `to_vector` and
/// `to_general` (from the other kind of register; a mask of x86 or AArch64 is none of the general ones), `to_mask` (a comparison of
/// vectors, or a move of a general register, into a mask); `self` (its only source is its only result); what x86 alone has (`of_x86`);
/// `immediate` (the last source is a constant); `direct` (a jump or call, always taken, to a place that it names), `link` (moves
/// to or from LR, CTR, TAR), `carry` (writes CA, OV or SO), `update` (reads and writes memory), `load`, `store`.
pub(crate) fn forms(instruction: &Instruction, kinds: &RegisterKinds) -> Vec<&'static str> {
    let mut forms: Vec<&'static str> = crate::special::form(instruction).into_iter().collect();
    let mnemonic = instruction.mnemonic.as_str();
    if instruction.no_operation {
        forms.push("nop");
    }
    let operands = instruction.operands.as_slice();
    let memory = instruction.load || instruction.store;
    let keeps_rest = writes_part(operands, kinds);
    let alike = match operands {
        [.., one @ Operand::Register { register, .. }, other] => {
            one == other && !is_masked(instruction, *register, kinds)
        }
        _ => false,
    };
    if !memory && alike && !keeps_rest {
        forms.push(if ["or", "xxlor", "vor"].contains(&mnemonic) { "move" } else { "zero" });
    }
    let reads_kind = |wanted| instruction.reads.iter().any(|&register| kinds.kind(register) == wanted);
    let writes_kind = |wanted| instruction.writes.iter().any(|write| kinds.kind(write.register) == wanted);
    for (form, from, to) in [
        ("to_vector", RegisterKind::General, RegisterKind::Vector),
        ("to_general", RegisterKind::Vector, RegisterKind::General),
    ] {
        if !memory && reads_kind(from) && writes_kind(to) {
            forms.push(form);
        }
    }
    let is_of = |operand: Option<&Operand>, wanted| matches!(operand, Some(Operand::Register { register, .. }) if kinds.kind(*register) == wanted);
    let of_mask = |operand| is_of(operand, RegisterKind::Other);
    if is_of(operands.first(), RegisterKind::General) && of_mask(operands.get(1)) {
        forms.push("to_general");
    }
    if of_mask(operands.first()) && (reads_kind(RegisterKind::Vector) || reads_kind(RegisterKind::General)) {
        forms.push("to_mask");
    }
    let one_to_one = match (&*instruction.reads, &*instruction.writes) {
        ([read], [write]) if !memory => Some(*read == write.register),
        _ => None,
    };
    if one_to_one == Some(true) {
        forms.push("self");
    }
    if one_to_one.is_some() && mnemonic.contains("mov") && !keeps_rest {
        let is_narrow = |operand: &Operand| matches!(operand, Operand::Register { bits: Some(8..64), register } if kinds.kind(*register) == RegisterKind::General);
        if operands.last().is_some_and(is_narrow) {
            forms.push("narrow");
        }
        forms.push("move");
    }
    of_x86(instruction, kinds, &mut forms);
    if !memory && operands.len() >= 2 && operands.last().is_some_and(Operand::is_constant) {
        forms.push("immediate");
    }
    let jump = matches!(instruction.flow, Flow::Branch { .. }) && !instruction.conditional;
    if jump || matches!(instruction.flow, Flow::Call { target: Some(_) }) {
        forms.push("direct");
    }
    let writes = instruction.writes.iter().map(|write| write.register);
    if instruction
        .reads
        .iter()
        .copied()
        .chain(writes)
        .any(|register| kinds.kind(register) == RegisterKind::Link)
    {
        forms.push("link");
    }
    if instruction.writes.iter().any(|write| write.role == Role::Carry) {
        forms.push("carry");
    }
    match (instruction.load, instruction.store) {
        (true, true) => forms.push("update"),
        (true, false) => forms.push("load"),
        (false, true) => forms.push("store"),
        (false, false) => {}
    }
    debug_assert!(forms.iter().all(|form| FORMS.contains(form)), "{forms:?}");
    forms
}

/// Whether the destination is x86's 8 or 16 bits of a general register, which leave the others as they are.
fn writes_part(operands: &[Operand], kinds: &RegisterKinds) -> bool {
    let is_part = |register, bits: u16| bits < 32 && kinds.kind(register) == RegisterKind::General;
    matches!(operands.first(), Some(&Operand::Register { register, bits: Some(bits) }) if is_part(register, bits))
}

/// Whether a mask decides what is written, and the rest stays: x86's, without `{z}`, or a predicate of AArch64. It is read beside
/// `source`, which a mask may be, too.
fn is_masked(instruction: &Instruction, source: Register, kinds: &RegisterKinds) -> bool {
    let is_mask = |register: &Register| *register != source && kinds.kind(*register) == RegisterKind::Other;
    instruction.reads.iter().any(is_mask) && !instruction.text.contains("{z}")
}

/// Forms that only x86 has: `merge` (a load of 8 or 16 bits, which keeps the rest of its register), `quad` (arithmetic on 64 bits with one operand or a constant of 11 bits), `displaced` (an address of 64 bits from a
/// register and such a constant), `one` (of one operand: shifts by one, encoded so), `byte` (from the lowest byte of a register),
/// `relative` (an address from the next instruction), `scaled` (an index times 2, 4 or 8), `full` (vectors of 512 bits), `wide` (of 256 bits
/// and more, nothing in memory), `wide_load` (the same with what is loaded),
/// `count` (the last source is `cl`), `constant` (a store of a constant), `stack` (computes with the stack
/// pointer), `three` (an address of two registers and a constant).
fn of_x86(instruction: &Instruction, kinds: &RegisterKinds, forms: &mut Vec<&'static str>) {
    let operands = instruction.operands.as_slice();
    let memory = instruction.load || instruction.store;
    let is_general = |operand: &Operand| matches!(operand, Operand::Register { register, .. } if kinds.kind(*register) == RegisterKind::General);
    let address = operands.iter().find_map(Operand::address);
    let quad = operands.first().is_some_and(|first| first.bits() == Some(64) && is_general(first));
    let is_wide = operands.iter().any(|operand| operand.bits() >= Some(256));
    let is_small = |constant: i64| constant != 0 && ADDED.contains(&constant);
    let is_added = |operand: &Operand| matches!(operand, Operand::Constant(value) if ADDED.contains(value));
    let with_one = quad && !memory && (operands.len() == 1 || operands.last().is_some_and(is_added));
    let in_memory = matches!(operands, [Operand::Memory(_)]);
    let divisor = in_memory && instruction.load && !instruction.store && instruction.access_bytes == 8;
    // `lea` accesses nothing: what its address is made of are its sources.
    let terms = address.map_or(0, |address| u8::from(address.has_base) + u8::from(address.scale != 0));
    let is = |wanted: &dyn Fn(&Address) -> bool| address.is_some_and(wanted);
    let is_load = matches!(
        instruction.mnemonic.as_str(),
        "mov" | "movzx" | "movsx" | "movbe" | "pop" | "lodsb" | "lodsw"
    );
    let keeps =
        |register| kinds.kind(register) == RegisterKind::General && instruction.reads.contains(&register);
    let merges = is_load && instruction.load && instruction.writes.iter().any(|write| keeps(write.register));
    let low_byte = |operand: &Operand| operand.bits() == Some(8) && is_general(operand);
    for (form, holds) in [
        ("merge", merges && !instruction.store),
        ("quad", with_one || divisor),
        (
            "displaced",
            quad && !memory && terms == 1 && is(&|one| is_small(one.displacement) && one.scale < 2),
        ),
        ("one", !memory && matches!(operands, [only] if only.bits().is_some())),
        ("byte", !memory && matches!(operands, [_, source] if low_byte(source))),
        ("relative", is(&|address| address.from_next)),
        ("scaled", is(&|address| address.scale > 1)),
        ("full", operands.iter().any(|operand| matches!(operand, Operand::Register { bits: Some(512), .. }))),
        ("wide", !memory && is_wide),
        ("wide_load", instruction.load && is_wide),
        ("count", operands.len() > 1 && operands.last() == Some(&COUNT)),
        ("stack", instruction.reads.contains(&STACK)),
        (
            "constant",
            instruction.store && !instruction.load && operands.last().is_some_and(Operand::is_constant),
        ),
        ("three", terms == 2 && is(&|address| address.displacement != 0)),
    ] {
        if holds {
            forms.push(form);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arch::Arch;

    fn forms_of(arch: Arch, bytes: &[u8]) -> Vec<&'static str> {
        let mut decoder = decode::Decoder::new(arch).unwrap();
        let instruction = decoder.decode(bytes, 0x1000).unwrap();
        forms(&instruction, &RegisterKinds::new(&decoder))
    }

    fn x86(bytes: &[u8]) -> Vec<&'static str> {
        forms_of(Arch::X86_64, bytes)
    }

    #[test]
    fn prefixes_and_short_encodings_are_the_same_forms() {
        assert!(x86(&[0x90]).contains(&"nop"));
        // cs nop word ptr [rax + rax]: what assemblers fill with.
        assert!(x86(&[0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0]).contains(&"nop"));
        // add rax, 5 with ModRM, and without, where rax is implied; add eax, 5; add rax, rbx.
        for bytes in [&[0x48, 0x83, 0xc0, 5][..], &[0x48, 0x05, 5, 0, 0, 0]] {
            let forms = x86(bytes);
            assert!(forms.contains(&"quad") && forms.contains(&"immediate"), "{forms:?}");
        }
        assert!(!x86(&[0x83, 0xc0, 5]).contains(&"quad"));
        // add rax, 1023; sub rax, -1024; add rax, 1024; add rax, -1025.
        assert!(x86(&[0x48, 0x05, 0xff, 3, 0, 0]).contains(&"quad"));
        assert!(x86(&[0x48, 0x2d, 0, 0xfc, 0xff, 0xff]).contains(&"quad"));
        assert!(!x86(&[0x48, 0x05, 0, 4, 0, 0]).contains(&"quad"));
        assert!(!x86(&[0x48, 0x05, 0xff, 0xfb, 0xff, 0xff]).contains(&"quad"));
        assert!(!x86(&[0x48, 0x01, 0xd8]).contains(&"quad"));
        // The condition of a jump is no constant that it works on.
        assert!(!x86(&[0x75, 0x10]).contains(&"immediate"));
    }

    #[test]
    fn a_short_load_merges() {
        for bytes in [&[0x8a, 0x07][..], &[0x66, 0x8b, 0x07], &[0xac], &[0x66, 0x58]] {
            assert!(x86(bytes).contains(&"merge"), "{bytes:x?}"); // mov al, [rdi]; mov ax, [rdi]; lodsb; pop ax
        }
        for bytes in
            [&[0x0f, 0xb6, 0x07][..], &[0x8b, 0x07], &[0x48, 0xad], &[0x58], &[0x88, 0x07], &[0x88, 0xd8]]
        {
            assert!(!x86(bytes).contains(&"merge"), "{bytes:x?}"); // movzx, mov eax, lodsq, pop rax, a store, mov al, bl
        }
    }

    #[test]
    fn only_one_and_the_same_part_of_a_register_gives_zero() {
        assert!(x86(&[0x31, 0xc0]).contains(&"zero")); // xor eax, eax
        assert!(!x86(&[0x30, 0xc4]).contains(&"zero")); // xor ah, al
        assert!(!x86(&[0xd3, 0xc9]).contains(&"zero")); // ror ecx, cl
                                                        // rldicl r3, r4, 5, 5: two constants.
        let rldicl = 0x7883_2942u32 & !0x7e0 | 5 << 6;
        assert!(!forms_of(Arch::Powerpc64, &rldicl.to_be_bytes()).contains(&"zero"));
    }

    #[test]
    fn a_part_of_a_register_is_neither_zeroed_nor_moved() {
        for bytes in [&[0x31, 0xc0][..], &[0x48, 0x29, 0xc0], &[0x45, 0x31, 0xc0]] {
            assert!(x86(bytes).contains(&"zero"), "{bytes:x?}"); // xor eax, eax; sub rax, rax; xor r8d, r8d
        }
        for bytes in
            [&[0x30, 0xc0][..], &[0x66, 0x29, 0xc0], &[0x45, 0x30, 0xc0], &[0x30, 0xe4], &[0x18, 0xc0]]
        {
            assert!(!x86(bytes).contains(&"zero"), "{bytes:x?}"); // xor al, al; sub ax, ax; xor r8b, r8b; xor ah, ah; sbb al, al
        }
        for bytes in [&[0x89, 0xc0][..], &[0x89, 0xd8], &[0x0f, 0xb6, 0xc0]] {
            assert!(x86(bytes).contains(&"move"), "{bytes:x?}"); // mov eax, eax; mov eax, ebx; movzx eax, al
        }
        assert!(x86(&[0x89, 0xd8]).contains(&"narrow")); // mov eax, ebx
        assert!(!x86(&[0x48, 0x89, 0xd8]).contains(&"narrow")); // mov rax, rbx
        assert!(!x86(&[0x0f, 0x28, 0xc1]).contains(&"narrow")); // movaps xmm0, xmm1
        for bytes in [&[0x88, 0xc0][..], &[0x66, 0x89, 0xc0], &[0x88, 0xc4], &[0x88, 0xe0], &[0x88, 0xe4]] {
            assert!(!x86(bytes).contains(&"move"), "{bytes:x?}"); // mov al, al; mov ax, ax; mov ah, al; mov al, ah; mov ah, ah
        }
    }

    #[test]
    fn masks_come_from_comparisons_and_moves_and_go_to_general_registers() {
        for bytes in [
            &[0x62, 0xf1, 0x6d, 0x48, 0x76, 0xcb][..], // vpcmpeqd k1, zmm2, zmm3
            &[0x62, 0xf1, 0x6d, 0x48, 0x76, 0x0f],     // vpcmpeqd k1, zmm2, [rdi]
            &[0xc5, 0xfb, 0x92, 0xc9],                 // kmovd k1, ecx
        ] {
            assert!(x86(bytes).contains(&"to_mask"), "{bytes:x?}");
        }
        assert!(x86(&[0xc5, 0xfb, 0x93, 0xc9]).contains(&"to_general")); // kmovd ecx, k1
        for bytes in [
            &[0xc5, 0xe9, 0x76, 0xcb][..],         // vpcmpeqd xmm1, xmm2, xmm3
            &[0xc4, 0xe1, 0xf9, 0x90, 0xca],       // kmovd k1, k2
            &[0xc4, 0xe1, 0xf9, 0x90, 0x0f],       // kmovd k1, [rdi]
            &[0x62, 0xf1, 0x6d, 0x49, 0xfe, 0xcb], // vpaddd zmm1 {k1}, zmm2, zmm3
            &[0xc5, 0xf8, 0x98, 0xca],             // kortestw k1, k2
        ] {
            let forms = x86(bytes);
            assert!(!forms.contains(&"to_mask") && !forms.contains(&"to_general"), "{bytes:x?}");
        }
    }

    #[test]
    fn what_a_mask_keeps_is_not_zero() {
        assert!(x86(&[0x62, 0xf1, 0x6d, 0x48, 0xef, 0xca]).contains(&"zero")); // vpxord zmm1, zmm2, zmm2
        assert!(!x86(&[0x62, 0xf1, 0x6d, 0x49, 0xef, 0xca]).contains(&"zero")); // vpxord zmm1 {k1}, zmm2, zmm2
        assert!(!x86(&[0x62, 0xf1, 0x75, 0x49, 0xef, 0xc9]).contains(&"zero")); // vpxord zmm1 {k1}, zmm1, zmm1
        assert!(x86(&[0x62, 0xf1, 0x75, 0xc9, 0xef, 0xc9]).contains(&"zero")); // vpxord zmm1 {k1} {z}, zmm1, zmm1
        assert!(!x86(&[0x62, 0xf1, 0x6d, 0x49, 0x76, 0xca]).contains(&"zero")); // vpcmpeqd k1 {k1}, zmm2, zmm2
        assert!(x86(&[0xc5, 0xf4, 0x47, 0xc9]).contains(&"zero")); // kxorw k1, k1, k1
        let eor = 0x0499_0000u32; // eor z0.s, p0/m, z0.s, z0.s
        assert!(!forms_of(Arch::Aarch64, &eor.to_le_bytes()).contains(&"zero"));
    }

    #[test]
    fn addresses_are_told_apart_by_what_they_are_made_of() {
        let of = |bytes: &[u8]| {
            let told = ["displaced", "relative", "scaled", "three"];
            x86(bytes).into_iter().filter(|form| told.contains(form)).collect::<Vec<_>>()
        };
        assert_eq!(of(&[0x48, 0x8d, 0x47, 0x08]), ["displaced"]); // lea rax, [rdi + 8]
        assert!(of(&[0x48, 0x8d, 0x87, 0, 4, 0, 0]).is_empty()); // lea rax, [rdi + 1024], of more than 11 bits
        assert_eq!(of(&[0x48, 0x8d, 0x05, 8, 0, 0, 0]), ["relative"]); // lea rax, [rip + 8]
        assert_eq!(of(&[0x48, 0x8d, 0x04, 0xb7]), ["scaled"]); // lea rax, [rdi + 4*rsi]
        assert_eq!(of(&[0x48, 0x8d, 0x44, 0x3f, 0x08]), ["three"]); // lea rax, [rdi + rdi + 8]
        assert_eq!(of(&[0x48, 0x8d, 0x44, 0xb7, 0x08]), ["scaled", "three"]);
    }

    #[test]
    fn vectors_of_512_bits_are_full_and_wide() {
        let of = |bytes: &[u8]| {
            let told = ["full", "wide"];
            x86(bytes).into_iter().filter(|form| told.contains(form)).collect::<Vec<_>>()
        };
        assert_eq!(of(&[0x62, 0xf1, 0x6d, 0x48, 0xfe, 0xcb]), ["full", "wide"]); // vpaddd zmm1, zmm2, zmm3
        assert_eq!(of(&[0x62, 0xf1, 0x6d, 0x48, 0xfe, 0x0f]), ["full"]); // vpaddd zmm1, zmm2, [rdi]
        assert_eq!(of(&[0xc5, 0xed, 0xfe, 0xcb]), ["wide"]); // vpaddd ymm1, ymm2, ymm3
        assert!(of(&[0xc5, 0xe9, 0xfe, 0xcb]).is_empty()); // vpaddd xmm1, xmm2, xmm3
        assert!(x86(&[0xc4, 0xe2, 0x7d, 0x33, 0x0f]).contains(&"wide_load")); // vpmovzxwd ymm1, [rdi]
        assert!(!x86(&[0xc4, 0xe2, 0x79, 0x33, 0x0f]).contains(&"wide_load")); // vpmovzxwd xmm1, [rdi]
        assert!(!x86(&[0xc5, 0xfe, 0x7f, 0x0f]).contains(&"wide_load")); // vmovdqu [rdi], ymm1
    }

    #[test]
    fn a_count_is_a_second_operand() {
        assert!(x86(&[0xd3, 0xe0]).contains(&"count")); // shl eax, cl
        let by_one = x86(&[0xd0, 0xe1]); // shl cl
        assert!(by_one.contains(&"one") && !by_one.contains(&"count"), "{by_one:?}");
    }

    #[test]
    fn each_isa_names_its_nop() {
        assert!(forms_of(Arch::Powerpc64, &0x6000_0000u32.to_be_bytes()).contains(&"nop"));
        assert!(forms_of(Arch::Powerpc64le, &0x6000_0000u32.to_le_bytes()).contains(&"nop"));
        assert!(!forms_of(Arch::Powerpc64, &0x6063_0000u32.to_be_bytes()).contains(&"nop")); // ori r3, r3, 0
        assert!(forms_of(Arch::Loongarch64, &0x0340_0000u32.to_le_bytes()).contains(&"nop"));
        assert!(forms_of(Arch::Riscv64, &[0x13, 0, 0, 0]).contains(&"nop"));
        assert!(forms_of(Arch::Riscv64, &[0x01, 0x00]).contains(&"nop"));
        assert!(forms_of(Arch::Aarch64, &0xd503_201fu32.to_le_bytes()).contains(&"nop"));
    }
}
