// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Compares the semantics that proofs rest on with QEMU: every instruction that has semantics, with random registers and
//! immediates, is executed on random and extreme operands, and all registers are compared.
//!
//! For each architecture one program is assembled: blocks that load eight registers, execute a sample of one to four
//! instructions, and store the eight registers. QEMU runs it; here the same bytes are decoded and executed on terms, and
//! the terms, the same that the solver gets, are evaluated with the same operands.

mod common;

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use arch::Arch;
use common::{compile, Scratch};
use decode::Decoder;
use object::{Object, ObjectSection, ObjectSymbol};
use prove::isa;
use prove::machine::State;

const REGISTERS: usize = 8;
const INSTANCES: usize = 6;
const EXTREMES: [u64; 8] = [
    0,
    u64::MAX,
    0x8000_0000_0000_0000,
    0x0123_4567_89ab_cdef,
    0xfedc_ba98_7654_3210,
    0x0000_0000_8000_0000,
    0x7fff_ffff_ffff_ffff,
    0x1122_3344_5566_7788,
];
const VECTORS: usize = 24;

/// What the generated program needs to know of an architecture.
struct Machine {
    arch: Arch,
    qemu: &'static [&'static str],
    /// The eight registers as the semantics name them.
    names: [&'static str; REGISTERS],
    /// The program's first lines: set the input and output pointers and the count of vectors (`%v`).
    entry: &'static str,
    /// Loads register i of the block (`%n` its assembler name, `%o` the offset).
    load: &'static str,
    /// Stores register i, with the same placeholders.
    store: &'static str,
    /// Advances the output pointer by a block (`%o` its bytes).
    next_block: &'static str,
    /// Advances the input pointer by a vector (`%o` its bytes), loops while vectors are left.
    next_vector: &'static str,
    /// write(1, out, %o); exit(0).
    finish: &'static str,
    assembler_names: [&'static str; REGISTERS],
    samples: &'static [&'static str],
}

const POWER_WORD: &[&str] = &[
    "rlwinm %r, %r, %u5, %u5, %u5",
    "rlwimi %r, %r, %u5, %u5, %u5",
    "rlwimi %r, %r, %u5, %u5, %u5",
    "or %r, %r, %r",
    "and %r, %r, %r",
    "xor %r, %r, %r",
    "nor %r, %r, %r",
    "andc %r, %r, %r",
    "orc %r, %r, %r",
    "ori %r, %r, %u16",
    "oris %r, %r, %u16",
    "xori %r, %r, %u16",
    "xoris %r, %r, %u16",
    "slw %r, %r, %r",
    "srw %r, %r, %r",
    "addi %r, %r, %i16",
    "li %r, %i16",
    "lis %r, %i16",
    "addis %r, %r, %i16",
    "add %r, %r, %r",
    "subf %r, %r, %r",
    "neg %r, %r",
    "stw %r, 64(1)\nlwz %r, 64(1)",
    "stw %r, 64(1)\nlhz %r, 64(1)",
    "stw %r, 64(1)\nlha %r, 64(1)",
    "stw %r, 64(1)\nlbz %r, 67(1)",
    "stw %r, 64(1)\nsth %r, 64(1)\nlwz %r, 64(1)",
    "stw %r, 64(1)\nstb %r, 65(1)\nlwz %r, 64(1)",
    "stw %r, 64(1)\naddi 9, 1, 64\nlwbrx %r, 0, 9",
    "stw %r, 64(1)\naddi 9, 1, 66\nlhbrx %r, 0, 9",
    "stw %r, 64(1)\nli 9, 64\nlwzx %r, 1, 9",
    "stw %r, 64(1)\nli 9, 64\nlhzx %r, 1, 9",
    "stw %r, 64(1)\nli 9, 66\nlbzx %r, 1, 9",
    "li 9, 64\nstwbrx %r, 1, 9\nlwz %r, 64(1)",
    "stw %r, 64(1)\nli 9, 64\nsthbrx %r, 1, 9\nlwz %r, 64(1)",
    "stw %r, 64(1)\nli 9, 65\nstbx %r, 1, 9\nlwz %r, 64(1)",
    "li 9, 64\nstwx %r, 1, 9\nlwz %r, 64(1)",
    "stw %r, 64(1)\nli 9, 64\nsthx %r, 1, 9\nlwz %r, 64(1)",
    "stwu 1, -64(1)\nstw %r, 8(1)\nlwz %r, 8(1)\naddi 1, 1, 64",
];

const POWER_DOUBLEWORD: &[&str] = &[
    "rldicl %r, %r, %u6, %u6",
    "rldicr %r, %r, %u6, %u6",
    "rldic %r, %r, %u6, %u6",
    "rldimi %r, %r, %u6, %u6",
    "rldimi %r, %r, %u6, %u6",
    "extsw %r, %r",
    "sld %r, %r, %r",
    "srd %r, %r, %r",
    "brh %r, %r",
    "brw %r, %r",
    "brd %r, %r",
    "mtvsrd 34, %r\nxxbrd 35, 34\nmfvsrd %r, 35",
    "mtvsrd 2, %r\nxxbrw 33, 2\nmfvsrd %r, 33",
    "mtvsrd 40, %r\nxxbrh 5, 40\nmfvsrd %r, 5",
    "mtvsrdd 34, %r, %r\nxxbrq 34, 34\nmfvsrd %r, 34\nmfvsrld %r, 34",
    "mtvsrdd 34, %r, %r\nxxbrd 34, 34\nmfvsrld %r, 34",
    "std %r, 64(1)\nld %r, 64(1)",
    "std %r, 64(1)\nlwa %r, 68(1)",
    "std %r, 64(1)\nlwz %r, 64(1)",
    "std %r, 64(1)\nli 9, 64\nldx %r, 1, 9",
    "std %r, 64(1)\nli 9, 64\nldbrx %r, 1, 9",
    "std %r, 64(1)\nli 9, 68\nlwbrx %r, 1, 9",
    "li 9, 64\nstdbrx %r, 1, 9\nld %r, 64(1)",
    "li 9, 64\nstdx %r, 1, 9\nld %r, 64(1)",
    "stdu 1, -64(1)\nstd %r, 8(1)\nld %r, 8(1)\naddi 1, 1, 64",
];

const LOONGARCH: &[&str] = &[
    "revb.2h %r, %r",
    "revb.4h %r, %r",
    "revb.2w %r, %r",
    "revb.d %r, %r",
    "revh.2w %r, %r",
    "revh.d %r, %r",
    "bstrpick.d %r, %r, %h6, %l6",
    "bstrpick.w %r, %r, %h5, %l5",
    "bstrins.d %r, %r, %h6, %l6",
    "bstrins.w %r, %r, %h5, %l5",
    "slli.d %r, %r, %u6",
    "srli.d %r, %r, %u6",
    "srai.d %r, %r, %u6",
    "rotri.d %r, %r, %u6",
    "slli.w %r, %r, %u5",
    "srli.w %r, %r, %u5",
    "rotri.w %r, %r, %u5",
    "andi %r, %r, %u12",
    "ori %r, %r, %u12",
    "xori %r, %r, %u12",
    "addi.d %r, %r, %i12",
    "lu12i.w %r, %i20",
    "lu52i.d %r, %r, %i12",
    "and %r, %r, %r",
    "or %r, %r, %r",
    "xor %r, %r, %r",
    "nor %r, %r, %r",
    "andn %r, %r, %r",
    "orn %r, %r, %r",
    "add.d %r, %r, %r",
    "sub.d %r, %r, $zero",
    "sll.d %r, %r, %r",
    "srl.d %r, %r, %r",
    "addi.d $t0, $sp, 64\nst.d %r, $t0, -32\nld.d %r, $t0, -32",
    "addi.d $t0, $sp, 64\nst.d %r, $t0, -32\nld.w %r, $t0, -28\nld.wu %r, $t0, -32",
    "addi.d $t0, $sp, 64\nst.d %r, $t0, -32\nld.h %r, $t0, -28\nld.hu %r, $t0, -30",
    "addi.d $t0, $sp, 64\nst.d %r, $t0, -32\nld.b %r, $t0, -27\nld.bu %r, $t0, -25",
    "addi.d $t0, $sp, 64\nst.d %r, $t0, -32\nst.w %r, $t0, -30\nld.d %r, $t0, -32",
    "addi.d $t0, $sp, 64\nst.d %r, $t0, -32\nst.h %r, $t0, -29\nld.d %r, $t0, -32",
    "addi.d $t0, $sp, 64\nst.d %r, $t0, -32\nst.b %r, $t0, -27\nld.d %r, $t0, -32",
];

const X86_64: &[&str] = &[
    "bswap %q",
    "bswap %d",
    "mov %q, %q",
    "mov %d, %d",
    "mov %w, %w",
    "movzwl %w, %d",
    "movzwq %w, %q",
    "movzbl %b, %d",
    "rol $%u4, %w",
    "rol $%u5, %d",
    "rol $%u6, %q",
    "ror $%u5, %d",
    "ror $%u6, %q",
    "rol %q",
    "shl $%u5, %d",
    "shl $%u6, %q",
    "shr $%u5, %d",
    "shr $%u6, %q",
    "shr $%u4, %w",
    "shr %d",
    "or %q, %q",
    "or %d, %d",
    "and %q, %q",
    "and %d, %d",
    "xor %q, %q",
    "xor %w, %w",
    "add %q, %q",
    "add %d, %d",
    "and $%i16, %q",
    "or $%i16, %d",
    "xor $%i7, %q",
    "add $%i7, %d",
    "sub $%i16, %q",
    "mov %q, -8(%rsp)\nmov -8(%rsp), %q",
    "mov %q, -8(%rsp)\nmovbe -8(%rsp), %q",
    "mov %q, -8(%rsp)\nmovbe -6(%rsp), %d",
    "mov %q, -8(%rsp)\nmovbe -6(%rsp), %w",
    "movbe %q, -16(%rsp)\nmov -16(%rsp), %q",
    "{disp32} mov %q, -72(%rsp)\n{disp32} movbe %d, -70(%rsp)\nmov -72(%rsp), %q",
    "mov %q, -8(%rsp)\nmovbe %w, -5(%rsp)\nmov -8(%rsp), %q",
    "mov %q, -8(%rsp)\nrolw $8, -6(%rsp)\nor -8(%rsp), %q",
    "mov %q, -8(%rsp)\nxor %d, -6(%rsp)\nmov -8(%rsp), %q",
    "mov %q, -8(%rsp)\nmovzwl -5(%rsp), %d\nmovzbl -2(%rsp), %d",
];

const AARCH64: &[&str] = &[
    "rev %x, %x",
    "rev %v, %v",
    "rev16 %x, %x",
    "rev16 %v, %v",
    "rev32 %x, %x",
    "ubfm %x, %x, #%u6, #%u6",
    "ubfm %v, %v, #%u5, #%u5",
    "bfm %x, %x, #%u6, #%u6",
    "bfm %v, %v, #%u5, #%u5",
    "orr %x, %x, %x, lsl #%u6",
    "orr %v, %v, %v, lsr #%u5",
    "orn %x, %x, %x",
    "and %x, %x, %x, ror #%u6",
    "bic %v, %v, %v, asr #%u5",
    "eor %x, %x, %x, asr #%u6",
    "eor %v, %v, %v, ror #%u5",
    "eon %x, %x, %x, lsl #%u6",
    "extr %x, %x, %x, #%u6",
    "extr %v, %v, %v, #%u5",
    "mov %x, %x",
    "mov %v, %v",
    "str %x, [sp, #64]\nldr %x, [sp, #64]",
    "str %x, [sp, #64]\nldr %v, [sp, #68]",
    "str %x, [sp, #64]\nldrh %v, [sp, #66]",
    "str %x, [sp, #64]\nldrb %v, [sp, #67]",
    "str %x, [sp, #64]\nstr %v, [sp, #64]\nldr %x, [sp, #64]",
    "str %x, [sp, #64]\nstrh %v, [sp, #66]\nldr %x, [sp, #64]",
    "str %x, [sp, #64]\nstrb %v, [sp, #65]\nldr %x, [sp, #64]",
];

const RISCV: &[&str] = &[
    "rev8 %r, %r",
    "rori %r, %r, %u6",
    "roriw %r, %r, %u5",
    "zext.h %r, %r",
    "addi %r, %r, %i12",
    "andi %r, %r, %i12",
    "ori %r, %r, %i12",
    "xori %r, %r, %i12",
    "slli %r, %r, %u6",
    "srli %r, %r, %u6",
    "srai %r, %r, %u6",
    "slliw %r, %r, %u5",
    "srliw %r, %r, %u5",
    "addiw %r, %r, %i12",
    "and %r, %r, %r",
    "or %r, %r, %r",
    "xor %r, %r, %r",
    "add %r, %r, %r",
    "sub %r, %r, %r",
    "lui %r, %u16",
    "addi t0, sp, 64\nsd %r, -32(t0)\nld %r, -32(t0)",
    "addi t0, sp, 64\nsd %r, -32(t0)\nlw %r, -28(t0)\nlwu %r, -32(t0)",
    "addi t0, sp, 64\nsd %r, -32(t0)\nlh %r, -28(t0)\nlhu %r, -30(t0)",
    "addi t0, sp, 64\nsd %r, -32(t0)\nlb %r, -27(t0)\nlbu %r, -25(t0)",
    "addi t0, sp, 64\nsd %r, -32(t0)\nsw %r, -28(t0)\nld %r, -32(t0)",
    "addi t0, sp, 64\nsd %r, -32(t0)\nsh %r, -30(t0)\nld %r, -32(t0)",
    "addi t0, sp, 64\nsd %r, -32(t0)\nsb %r, -27(t0)\nld %r, -32(t0)",
    "c.mv %r, %r",
    "c.add %r, %r",
    "c.slli %r, 7\nc.addi %r, -3",
    "c.li %r, -11",
    "c.lui %r, 31",
    "c.addiw %r, -7",
    "c.lui %r, 0xfffe3",
    "mv a0, sp\nc.sd a1, 8(a0)\nc.lw a2, 12(a0)",
    "c.srli a0, 9\nc.andi a1, 13\nc.srai a2, 5",
    "c.and a0, a1\nc.or a2, a3",
    "c.xor a0, a1\nc.sub a2, a3",
    "mv a0, sp\nc.sd a1, 8(a0)\nc.ld a2, 8(a0)",
    "mv a0, sp\nc.sd a1, 72(a0)\nc.sw a2, 76(a0)\nc.ld a3, 72(a0)",
];

const POWER64_NAMES: [&str; REGISTERS] = ["r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10"];
const POWER_ASSEMBLER: [&str; REGISTERS] = ["3", "4", "5", "6", "7", "8", "9", "10"];

fn machines() -> Vec<Machine> {
    let power = |arch, qemu, samples| {
        Machine {
        arch,
        qemu,
        names: POWER64_NAMES,
        entry: "addi 1, 1, -4096\nlis 30, in@h\nori 30, 30, in@l\nlis 31, out@h\nori 31, 31, out@l\nli 29, %v",
        load: "ld %n, %o(30)",
        store: "std %n, %o(31)",
        next_block: "addi 31, 31, %o",
        next_vector: "addi 30, 30, %o\naddi 29, 29, -1\ncmpwi 29, 0\nbne vector",
        finish: "li 0, 4\nli 3, 1\nlis 4, out@h\nori 4, 4, out@l\nlis 5, %o@h\nori 5, 5, %o@l\nsc\nli 0, 1\nli 3, 0\nsc",
        assembler_names: POWER_ASSEMBLER,
        samples,
    }
    };
    let mut all = Vec::new();
    for samples in [POWER_WORD, POWER_DOUBLEWORD] {
        all.push(power(Arch::Powerpc64le, &["qemu-ppc64le", "-cpu", "power10"], samples));
        all.push(power(Arch::Powerpc64, &["qemu-ppc64", "-cpu", "power10"], samples));
    }
    let mut word = power(Arch::Powerpc, &["qemu-ppc", "-cpu", "7450"], POWER_WORD);
    word.load = "lwz %n, %o(30)";
    word.store = "stw %n, %o(31)";
    all.push(word);
    all.push(Machine {
        arch: Arch::Loongarch64,
        qemu: &["qemu-loongarch64"],
        names: ["r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11"],
        entry: "addi.d $sp, $sp, -1024\nla.local $s0, in\nla.local $s1, out\nli.w $s2, %v",
        load: "ld.d %n, $s0, %o",
        store: "st.d %n, $s1, %o",
        next_block: "addi.d $s1, $s1, %o",
        next_vector: "addi.d $s0, $s0, %o\naddi.d $s2, $s2, -1\nbeqz $s2, 1f\nb vector\n1:",
        finish: "li.w $a7, 64\nli.w $a0, 1\nla.local $a1, out\nli.w $a2, %o\nsyscall 0\nli.w $a7, 93\nli.w $a0, 0\nsyscall 0",
        assembler_names: ["$a0", "$a1", "$a2", "$a3", "$a4", "$a5", "$a6", "$a7"],
        samples: LOONGARCH,
    });
    all.push(Machine {
        arch: Arch::X86_64,
        qemu: &["qemu-x86_64", "-cpu", "Haswell"],
        names: ["rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10"],
        entry: "lea in(%rip), %r14\nlea out(%rip), %r15\nmov $%v, %r13",
        load: "mov %o(%r14), %n",
        store: "mov %n, %o(%r15)",
        next_block: "add $%o, %r15",
        next_vector: "add $%o, %r14\ndec %r13\njnz vector",
        finish: "mov $1, %eax\nmov $1, %edi\nlea out(%rip), %rsi\nmov $%o, %rdx\nsyscall\nmov $60, %eax\nxor %edi, %edi\nsyscall",
        assembler_names: ["%rax", "%rcx", "%rdx", "%rsi", "%rdi", "%r8", "%r9", "%r10"],
        samples: X86_64,
    });
    all.push(Machine {
        arch: Arch::Aarch64,
        qemu: &["qemu-aarch64"],
        names: ["x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"],
        entry: "sub sp, sp, #4096\nadrp x20, in\nadd x20, x20, :lo12:in\nadrp x21, out\nadd x21, x21, :lo12:out\nmov x22, #%v",
        load: "ldr %n, [x20, #%o]",
        store: "str %n, [x21, #%o]",
        next_block: "add x21, x21, #%o",
        next_vector: "add x20, x20, #%o\nsub x22, x22, #1\ncbnz x22, vector",
        finish: "mov x8, #64\nmov x0, #1\nadrp x1, out\nadd x1, x1, :lo12:out\nldr x2, =%o\nsvc #0\nmov x8, #93\nmov x0, #0\nsvc #0\n.ltorg",
        assembler_names: ["x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"],
        samples: AARCH64,
    });
    all.push(Machine {
        arch: Arch::Riscv64,
        qemu: &["qemu-riscv64", "-cpu", "rv64,zbb=true"],
        names: ["x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17"],
        entry: ".option arch, +zbb\naddi sp, sp, -2048\nla s0, in\nla s1, out\nli s2, %v",
        load: "ld %n, %o(s0)",
        store: "sd %n, %o(s1)",
        next_block: "addi s1, s1, %o",
        next_vector: "addi s0, s0, %o\naddi s2, s2, -1\nbeqz s2, 1f\nj vector\n1:",
        finish: "li a7, 64\nli a0, 1\nla a1, out\nli a2, %o\necall\nli a7, 93\nli a0, 0\necall",
        assembler_names: ["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7"],
        samples: RISCV,
    });
    all
}

/// A xorshift generator: the same samples in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

const X86_WORD: [&str; REGISTERS] = ["%ax", "%cx", "%dx", "%si", "%di", "%r8w", "%r9w", "%r10w"];
const X86_DOUBLEWORD: [&str; REGISTERS] = ["%eax", "%ecx", "%edx", "%esi", "%edi", "%r8d", "%r9d", "%r10d"];
const X86_BYTE: [&str; REGISTERS] = ["%al", "%cl", "%dl", "%sil", "%dil", "%r8b", "%r9b", "%r10b"];

/// Fills a template: %r %x %q a register, %v %d %w %b narrower names, %uN %iN numbers, %hN and then %lN an ordered pair.
fn instantiate(template: &str, machine: &Machine, random: &mut Random) -> String {
    let mut text = String::new();
    let mut rest = template;
    let mut low = 0;
    while let Some(at) = rest.find('%') {
        text += &rest[..at];
        let tail = &rest[at + 1..];
        let kind = tail.chars().next().expect("a template does not end in %");
        let digits = tail[1..].chars().take_while(char::is_ascii_digit).count();
        let bits: u32 = tail[1..=digits].parse().unwrap_or(0);
        let register = random.below(REGISTERS);
        match kind {
            'u' => text += &(random.next() & ((1 << bits) - 1)).to_string(),
            'i' => text += &((random.next() as i64) << (64 - bits) >> (64 - bits)).to_string(),
            'h' => {
                let (a, b) = (random.below(1 << bits), random.below(1 << bits));
                low = a.min(b);
                text += &a.max(b).to_string();
            }
            'l' => text += &low.to_string(),
            'v' => text += &machine.assembler_names[register].replace('x', "w"),
            'd' => text += X86_DOUBLEWORD[register],
            'w' => text += X86_WORD[register],
            'b' => text += X86_BYTE[register],
            'r' if tail.starts_with("rsp") => text += "%r",
            'r' | 'x' | 'q' => text += machine.assembler_names[register],
            other => panic!("%{other} in {template}"),
        }
        rest = &tail[1 + digits..];
    }
    text + rest
}

fn program(machine: &Machine, samples: &[String], inputs: &[[u64; REGISTERS]]) -> String {
    let word = machine.arch.word_bits() as usize / 8;
    let out_bytes = samples.len() * inputs.len() * REGISTERS * word;
    let mut text = String::from("\t.text\n\t.globl _start\n_start:\n");
    if matches!(machine.arch, Arch::Powerpc64 | Arch::Powerpc64le) {
        text.insert_str(0, "\t.abiversion 2\n");
    }
    let fill = |template: &str, name: &str, number: usize| {
        template.replace("%n", name).replace("%o", &number.to_string())
    };
    let _ = writeln!(text, "{}\nvector:", machine.entry.replace("%v", &inputs.len().to_string()));
    for (i, sample) in samples.iter().enumerate() {
        for (r, name) in machine.assembler_names.iter().enumerate() {
            let _ = writeln!(text, "{}", fill(machine.load, name, r * word));
        }
        let _ = writeln!(text, "begin{i}:\n{sample}\nend{i}:");
        for (r, name) in machine.assembler_names.iter().enumerate() {
            let _ = writeln!(text, "{}", fill(machine.store, name, r * word));
        }
        let _ = writeln!(text, "{}", fill(machine.next_block, "", REGISTERS * word));
    }
    let _ = writeln!(text, "{}", fill(machine.next_vector, "", REGISTERS * word));
    let _ = writeln!(text, "{}", fill(machine.finish, "", out_bytes));
    let _ = writeln!(text, "\t.data\n\t.balign 16\nin:");
    for value in inputs.iter().flatten() {
        let directive = if word == 8 { ".8byte" } else { ".4byte" };
        let value = if word == 8 { *value } else { *value & 0xffff_ffff };
        let _ = writeln!(text, "\t{directive} {value:#x}");
    }
    let _ = writeln!(text, "\t.bss\n\t.balign 16\nout:\n\t.space {out_bytes}");
    text
}

/// Runs the program under QEMU and returns what it wrote.
fn execute(machine: &Machine, object: &Path, scratch: &Scratch) -> Vec<u8> {
    let executable = scratch.path("samples");
    let linked = Command::new("ld.lld-19")
        .args(["-static", "-o"])
        .arg(&executable)
        .arg(object)
        .output()
        .expect("ld.lld-19 runs");
    assert!(linked.status.success(), "{}", String::from_utf8_lossy(&linked.stderr));
    let output =
        Command::new(machine.qemu[0]).args(&machine.qemu[1..]).arg(&executable).output().expect("QEMU runs");
    assert!(
        output.status.success(),
        "{}: {} {}",
        machine.arch,
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// The registers after a sample, as terms over the registers before.
fn carry_out(machine: &Machine, decoder: &mut Decoder, bytes: &[u8], sample: &str) -> State {
    let mut state = State::new(machine.arch);
    let mut offset = 0;
    while offset < bytes.len() {
        let instruction = decoder
            .decode(&bytes[offset..], offset as u64)
            .unwrap_or_else(|error| panic!("{}: {sample}: {error}", machine.arch));
        isa::step(&instruction, &mut state)
            .unwrap_or_else(|error| panic!("{}: {sample}: {error}", machine.arch));
        offset += usize::from(instruction.length);
    }
    state
}

fn compare(machine: &Machine, random: &mut Random) -> usize {
    let samples: Vec<String> = machine
        .samples
        .iter()
        .flat_map(|template| std::iter::repeat_n(template, INSTANCES))
        .map(|template| instantiate(template, machine, random))
        .collect();
    let inputs: Vec<[u64; REGISTERS]> = (0..VECTORS)
        .map(|v| {
            std::array::from_fn(|_| match v % 3 {
                0 => EXTREMES[random.below(EXTREMES.len())],
                1 => random.next() >> random.below(64),
                _ => random.next(),
            })
        })
        .collect();
    let scratch = Scratch::new();
    let source = scratch.path("samples.s");
    std::fs::write(&source, program(machine, &samples, &inputs)).expect("the folder is writable");
    let data = compile(machine.arch, &source, &[]);
    let object_path = scratch.path("samples.o");
    std::fs::write(&object_path, &data).expect("the folder is writable");
    let output = execute(machine, &object_path, &scratch);

    let object = object::File::parse(&*data).expect("clang wrote an object file");
    let text = object.section_by_name(".text").expect("it has code").data().expect("readable");
    let labels: HashMap<String, u64> =
        object.symbols().map(|symbol| (symbol.name().unwrap_or("").to_owned(), symbol.address())).collect();
    let word = machine.arch.word_bits() as usize / 8;
    assert_eq!(output.len(), samples.len() * inputs.len() * REGISTERS * word, "{}", machine.arch);
    let mut decoder = Decoder::new(machine.arch).expect("a decoder");
    let mut compared = 0;
    for (i, sample) in samples.iter().enumerate() {
        let range = labels[&format!("begin{i}")] as usize..labels[&format!("end{i}")] as usize;
        let state = carry_out(machine, &mut decoder, &text[range], sample);
        for (v, input) in inputs.iter().enumerate() {
            let mask = if word == 8 { u64::MAX } else { 0xffff_ffff };
            let values: HashMap<String, u128> = machine
                .names
                .iter()
                .zip(input)
                .map(|(name, value)| ((*name).to_owned(), u128::from(value & mask)))
                .collect();
            for (r, name) in machine.names.iter().enumerate() {
                let at = ((v * samples.len() + i) * REGISTERS + r) * word;
                let bytes = &output[at..at + word];
                let qemu = bytes.iter().enumerate().fold(0u128, |sum, (k, byte)| {
                    let place = if machine.arch.big_endian() { word - 1 - k } else { k };
                    sum | u128::from(*byte) << (8 * place)
                });
                let term = state.read(name, machine.arch.word_bits());
                // A stack address as a value: only QEMU knows where the stack is.
                if term.variables().iter().any(|(variable, _)| !values.contains_key(variable)) {
                    continue;
                }
                let ours = term.evaluate(&values);
                assert_eq!(
                    ours, qemu,
                    "{}: {name} after `{sample}` with {input:x?}: ours {ours:#x}, QEMU {qemu:#x}",
                    machine.arch
                );
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn semantics_agree_with_qemu() {
    let mut random = Random(0x2017_0124);
    for machine in machines() {
        let compared = compare(&machine, &mut random);
        let all = machine.samples.len() * INSTANCES * VECTORS * REGISTERS;
        assert!(compared * 10 > all * 9, "{}: only {compared} of {all} registers compared", machine.arch);
    }
}
