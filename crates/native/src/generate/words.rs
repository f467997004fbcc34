// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The instructions that loops are made of, as patterns, and how these are filled with registers.

use super::random::Random;

/// A general register by its widths: 64, 32, 16, 8 bits.
pub type General = [&'static str; 4];

/// Registers that a loop may write. `rdi` points to the data, `rsi` counts, `rsp` is the stack.
pub const FREE: [General; 13] = [
    ["rax", "eax", "ax", "al"],
    ["rcx", "ecx", "cx", "cl"],
    ["rdx", "edx", "dx", "dl"],
    ["rbx", "ebx", "bx", "bl"],
    ["rbp", "ebp", "bp", "bpl"],
    ["r8", "r8d", "r8w", "r8b"],
    ["r9", "r9d", "r9w", "r9b"],
    ["r10", "r10d", "r10w", "r10b"],
    ["r11", "r11d", "r11w", "r11b"],
    ["r12", "r12d", "r12w", "r12b"],
    ["r13", "r13d", "r13w", "r13b"],
    ["r14", "r14d", "r14w", "r14b"],
    ["r15", "r15d", "r15w", "r15b"],
];

/// Integer instructions that read and write `d`, roughly in the proportions in which compilers use them.
pub const INTEGER_CHAIN: &[&str] = &[
    "add d, s",
    "add d, s",
    "sub d, s",
    "xor d, s",
    "and d, s",
    "or d, s",
    "add d, i",
    "sub d, i",
    "inc d",
    "dec d",
    "neg d",
    "not d",
    "add wd, ws",
    "xor wd, ws",
    "sub wd, i",
    "lea d, [d+s]",
    "lea d, [d+i]",
    "lea d, [d+4*s]",
    "lea d, [d+8*s+24]",
    "imul d, s",
    "imul wd, ws",
    "imul d, d, 7",
    "shl d, c",
    "shr d, c",
    "sar d, c",
    "rol d, c",
    "ror wd, c",
    "bswap d",
    "bswap wd",
    "popcnt d, d",
    "lzcnt d, d",
    "tzcnt d, d",
    "movzx wd, bd",
    "movsx d, hd",
    "movsxd d, wd",
    "mov wd, wd",
    "adc d, s",
    "sbb d, s",
    "cmovc d, s",
    "rorx d, d, 11",
    "shlx d, d, s",
    "andn d, d, s",
    "blsr d, d",
    "pdep d, d, s",
    "pext d, d, s",
    "bts d, c",
    "shld d, s, 5",
    "xadd d, s",
];

/// Integer instructions that write `d` or the flags; not all read `d`.
pub const INTEGER: &[&str] = &[
    "add d, s",
    "add d, s",
    "add wd, ws",
    "sub d, s",
    "xor d, s",
    "and d, t",
    "or d, s",
    "add d, i",
    "and wd, i",
    "mov d, s",
    "mov d, s",
    "mov wd, ws",
    "mov wd, i",
    "xor wd, wd",
    "lea d, [s+t]",
    "lea d, [s+i]",
    "lea d, [s+4*t]",
    "lea d, [s+2*t+40]",
    "lea wd, [s+1]",
    "imul d, s",
    "imul d, s, 100",
    "shl d, c",
    "shr wd, c",
    "sar d, c",
    "rol d, c",
    "movzx wd, bs",
    "movzx wd, hs",
    "movsx d, bs",
    "movsxd d, ws",
    "cmp d, s",
    "test d, s",
    "cmp wd, i",
    "test bd, bd",
    "inc d",
    "dec wd",
    "neg d",
    "not d",
    "popcnt d, s",
    "lzcnt d, s",
    "tzcnt wd, ws",
    "bswap d",
    "shrx d, s, t",
    "andn d, s, t",
    "rorx d, s, 3",
    "setc bd",
    "setz bd",
    "cmovc d, s",
    "cmovz d, s",
    "adc d, s",
    "bt d, c",
    "mulx d, s, t",
    "xchg d, s",
];

/// Vector instructions that read and write `d`; `v` is a register as wide as the loop's vectors, `x` its lower 128 bits.
pub const VECTOR_CHAIN: &[&str] = &[
    "vpaddd vd, vd, vs",
    "vpaddq vd, vd, vs",
    "vpsubb vd, vd, vs",
    "vpxor vd, vd, vs",
    "vpand vd, vd, vs",
    "vpor vd, vd, vs",
    "vpmulld vd, vd, vs",
    "vpmullw vd, vd, vs",
    "vpmuludq vd, vd, vs",
    "vpmaddwd vd, vd, vs",
    "vpshufb vd, vd, vs",
    "vpshufd vd, vd, 27",
    "vpunpckldq vd, vd, vs",
    "vpslld vd, vd, 3",
    "vpsrlq vd, vd, 9",
    "vpsllvd vd, vd, vs",
    "vpsadbw vd, vd, vs",
    "vaddps vd, vd, vs",
    "vmulps vd, vd, vs",
    "vaddpd vd, vd, vs",
    "vmulpd vd, vd, vs",
    "vfmadd231ps vd, vs, vt",
    "vfmadd213pd vd, vs, vt",
    "vminps vd, vd, vs",
    "vandps vd, vd, vs",
    "vshufps vd, vd, vs, 17",
    "vpblendw vd, vd, vs, 90",
    "vpackuswb vd, vd, vs",
    "vcvtdq2ps vd, vd",
    "vcvttps2dq vd, vd",
    "vpcmpeqd vd, vd, vs",
    "vpcmpgtd vd, vd, vs",
    "vcmpltps vd, vd, vs",
    "vpalignr vd, vd, vs, 4",
    "vpabsd vd, vd",
    "vpavgb vd, vd, vs",
    "vpmaxud vd, vd, vs",
    "vroundps vd, vd, 1",
    "vdivps vd, vd, vs",
    "vsqrtpd vd, vd",
    "vpblendvb vd, vd, vs, vt",
    "vunpcklpd vd, vd, vs",
    "vpermilps vd, vd, 99",
    "vhaddps vd, vd, vs",
    "aesenc xd, xs",
    "vpclmulqdq xd, xd, xs, 1",
    "vpmovzxbw vd, xd",
    "paddd xd, xs",
    "pxor xd, xs",
    "pshufd xd, xd, 57",
    "mulsd xd, xs",
    "addss xd, xs",
    "vaddsd xd, xd, xs",
];

/// Vector instructions that write `d`; not all read it.
pub const VECTOR: &[&str] = &[
    "vpaddd vd, vs, vt",
    "vpaddd vd, vs, vt",
    "vpsubw vd, vs, vt",
    "vpxor vd, vs, vt",
    "vpxor vd, vs, vs",
    "vpand vd, vs, vt",
    "vpmulld vd, vs, vt",
    "vpmullw vd, vs, vt",
    "vpmuludq vd, vs, vt",
    "vpshufb vd, vs, vt",
    "vpshufd vd, vs, 78",
    "vpunpckhbw vd, vs, vt",
    "vpslld vd, vs, 7",
    "vpsrad vd, vs, 2",
    "vpsadbw vd, vs, vt",
    "vaddps vd, vs, vt",
    "vmulps vd, vs, vt",
    "vsubpd vd, vs, vt",
    "vmulpd vd, vs, vt",
    "vfmadd231ps vd, vs, vt",
    "vmaxps vd, vs, vt",
    "vorps vd, vs, vt",
    "vshufps vd, vs, vt, 17",
    "vcvtdq2ps vd, vs",
    "vpcmpeqb vd, vs, vt",
    "vmovdqa vd, vs",
    "vmovaps vd, vs",
    "vpminsw vd, vs, vt",
    "vpackssdw vd, vs, vt",
    "vpalignr vd, vs, vt, 8",
    "vpsrldq vd, vs, 3",
    "vdivps vd, vs, vt",
    "paddw xd, xs",
    "por xd, xs",
    "movaps xd, xs",
    "vpblendd vd, vs, vt, 5",
];

/// Vector instructions of 256 bits that move data between the halves.
pub const ACROSS: &[&str] = &[
    "vperm2i128 yd, yd, ys, 1",
    "vpermq yd, yd, 78",
    "vpermd yd, ys, yd",
    "vinserti128 yd, yd, xs, 1",
    "vextracti128 xd, yd, 1",
    "vpermps yd, ys, yd",
    "vbroadcastss yd, xd",
    "vpbroadcastd yd, xd",
    "vpmovsxwd yd, xd",
];

/// Pairs of moves: from general register `g` to a vector register, and back.
pub const TRIPS: &[(&str, &str)] = &[
    ("vmovq xd, g", "vmovq g, xd"),
    ("vmovd xd, wg", "vmovd wg, xd"),
    ("vpinsrq xd, xd, g, 1", "vpextrq g, xd, 1"),
    ("vmovd xd, wg", "vpmovmskb wg, xd"),
    ("vcvtsi2sd xd, xd, g", "vcvttsd2si g, xd"),
];

/// Replaces a register token of a pattern: the letter of its width (none: 64 bits), then that of its role.
fn word(token: &str, roles: &[(char, General)], vectors: &[(char, u64)], wide: bool) -> Option<String> {
    let mut letters = token.chars();
    let (first, second) = (letters.next()?, letters.next());
    if letters.next().is_some() {
        return None;
    }
    let (width, role) = match second {
        Some(role) => (first, role),
        None => ('q', first),
    };
    let general = |width: usize| {
        roles.iter().find(|(known, _)| *known == role).map(|(_, register)| register[width].to_owned())
    };
    let vector = |kind: &str| {
        vectors.iter().find(|(known, _)| *known == role).map(|(_, number)| format!("{kind}{number}"))
    };
    match width {
        'q' => general(0),
        'w' => general(1),
        'h' => general(2),
        'b' => general(3),
        'x' => vector("xmm"),
        'y' => vector("ymm"),
        'v' => vector(if wide { "ymm" } else { "xmm" }),
        _ => None,
    }
}

/// Fills a pattern: registers by role, `i` with a small constant, `c` with a count of 1 to 31.
pub fn fill(
    pattern: &str,
    random: &mut Random,
    roles: &[(char, General)],
    vectors: &[(char, u64)],
    wide: bool,
) -> String {
    let mut out = String::new();
    let (mnemonic, operands) = pattern.split_once(' ').unwrap_or((pattern, ""));
    out.push_str(mnemonic);
    out.push(' ');
    let mut token = String::new();
    let mut finish = |token: &mut String, out: &mut String| {
        let word = match token.as_str() {
            "i" => random.within(1, 100).to_string(),
            "c" => random.within(1, 31).to_string(),
            other => word(other, roles, vectors, wide).unwrap_or_else(|| other.to_owned()),
        };
        out.push_str(&word);
        token.clear();
    };
    for letter in operands.chars() {
        if letter.is_ascii_alphanumeric() {
            token.push(letter);
        } else {
            finish(&mut token, &mut out);
            out.push(letter);
        }
    }
    finish(&mut token, &mut out);
    out
}
