// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Compiled code keeps the C calling convention. The plugin and the differential fuzzer enter every program by the checked
//! call (libs/ebpf/host/checked.c), so all other tests verify this too. The tests here verify the check itself: it has to
//! catch code with one wrong instruction on each architecture.

use crate::support;
use ebpf::{assemble, ByteOrder, Engine, Options, Plugin, Target, Vm};
use std::ffi::c_void;

/// Writes r6 to r9 in the main program and in a function, calls a helper from both, uses the stack in both. `r0 = 1234` has
/// no effect: the tests put another instruction in its place.
const PROGRAM: &str = "
r6 = 6
r7 = 7
r8 = 8
r9 = 9
*(u64 *)(r10 - 8) = r6
r1 = 1
call 5
call pc+8
r1 = *(u64 *)(r10 - 8)
r6 += r7
r6 += r8
r6 += r9
r6 += r1
r0 = 1234
r0 = r6
exit
r6 = 66
r7 = 77
r8 = 88
r9 = 99
*(u64 *)(r10 - 8) = r6
r1 = 3
call 5
exit
";
const RESULT: u64 = 6 + 7 + 8 + 9 + 6;
const UNWIND_HELPER: u32 = 5;

extern "C" fn nothing(_: u64, _: u64, _: u64, _: u64, _: u64, _: *mut c_void) -> u64 {
    1
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The program's code for an architecture, and the plugin with the options to run it, with run-time checks or without.
struct Subject {
    plugin: Plugin,
    bytecode: String,
    code: Vec<u8>,
    options: &'static [&'static str],
}

impl Subject {
    fn new(arch: &str, emulator: &[&str], checks: bool) -> Subject {
        let mut vm = Vm::new(Options {
            bounds: checks,
            budget_instructions: checks.then_some(1000),
            ..Options::default()
        })
        .expect("memory");
        // SAFETY: the function looks at none of its arguments.
        unsafe { vm.register_helper(UNWIND_HELPER, nothing, true) }.expect("a valid number");
        let bytecode = assemble(PROGRAM, ByteOrder::Little).expect("the program assembles");
        vm.load(&bytecode, ByteOrder::Little).expect("the program is valid");
        let code = vm.emit(&Target { arch: Some(arch.into()), ..Target::default() }).expect("code");
        let options: &[&str] = if checks { &["--bounds", "--budget", "1000"] } else { &[] };
        Subject { plugin: support::plugin(arch, emulator), bytecode: hex(&bytecode), code, options }
    }

    fn run(&self, code: &[u8]) -> Result<u64, String> {
        let code = hex(code);
        let options: Vec<&str> = self.options.iter().copied().chain(["--code", &code]).collect();
        let answers = self.plugin.run_batch(&[(&self.bytecode, "")], Engine::Compiled, &options);
        answers.expect("the plugin runs").swap_remove(0)
    }

    fn word(&self, index: usize) -> u32 {
        let bytes: [u8; 4] = self.code[index * 4..index * 4 + 4].try_into().expect("four bytes");
        if self.plugin.is_big_endian() {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        }
    }

    /// The code with instructions of 32 bits replaced.
    fn with_words(&self, words: &[(usize, u32)]) -> Vec<u8> {
        let mut code = self.code.clone();
        for (index, word) in words {
            let bytes = if self.plugin.is_big_endian() { word.to_be_bytes() } else { word.to_le_bytes() };
            code[index * 4..index * 4 + 4].copy_from_slice(&bytes);
        }
        code
    }

    fn words(&self) -> Vec<u32> {
        (0..self.code.len() / 4).map(|index| self.word(index)).collect()
    }

    fn check_unbroken(&self) {
        assert_eq!(self.run(&self.code), Ok(RESULT), "{} {:?}", self.plugin.arch(), self.options);
    }

    /// Broken code has to fail, with a message that names the violation.
    fn check_caught(&self, code: &[u8], broken: &str, expected: &str) {
        let caught = matches!(self.run(code), Err(message) if message.starts_with("failure: ") && message.contains(expected));
        assert!(
            caught,
            "{} {:?}, {broken}: not `{expected}` but {:?}",
            self.plugin.arch(),
            self.options,
            self.run(code)
        );
    }

    /// Replaces one instruction.
    fn check_word(&self, index: usize, word: u32, broken: &str, expected: &str) {
        self.check_caught(&self.with_words(&[(index, word)]), broken, expected);
    }
}

/// With and without the checks of bounds and budget, which change the entry and exit code.
fn subjects(arch: &str) -> [Subject; 2] {
    let (_, emulator) =
        support::MACHINES.into_iter().find(|(name, _)| *name == arch).expect("a known architecture");
    [false, true].map(|checks| Subject::new(arch, emulator, checks))
}

fn only(words: &[u32], wanted: u32) -> usize {
    let mut all = words.iter().enumerate().filter(|(_, word)| **word == wanted);
    let found = all.next().unwrap_or_else(|| panic!("no instruction {wanted:08x}")).0;
    assert!(all.next().is_none(), "instruction {wanted:08x} is there twice");
    found
}

mod power {
    use super::*;

    const NOP: u32 = 0x6000_0000;
    const BLR: u32 = 0x4e80_0020;
    const LI_R8_1234: u32 = 0x3900_0000 | 1234; // r0 = 1234
    const STD_R0_LR: u32 = 0xf801_0010; // std r0,16(r1)
    const LD_R0_LR: u32 = 0xe801_0010;

    /// ld RT,D(r1): RT.
    fn restored(word: u32) -> Option<u32> {
        (word & 0xfc1f_0003 == 0xe801_0000).then_some(word >> 21 & 31)
    }

    fn std_r8(displacement: u32) -> u32 {
        0xf901_0000 | displacement
    }

    pub fn check(subject: &Subject) {
        let words = subject.words();
        let exit = words.iter().position(|word| *word == BLR).expect("a return");
        let useless = only(&words, LI_R8_1234);
        let mut lost = Vec::new();
        for (index, word) in words[..exit].iter().enumerate() {
            match restored(*word) {
                Some(0) => (), // LR: without it, the code would not return
                Some(2) => {
                    let broken = subject.with_words(&[(useless, 0x3840_0000), (index, NOP)]); // li r2,0
                    subject.check_caught(&broken, "TOC not restored", "r2 (the TOC pointer)");
                    let kept = subject.with_words(&[(useless, 0x3840_0000)]);
                    assert_eq!(subject.run(&kept), Ok(RESULT), "the exit restores r2");
                    lost.push(2);
                }
                Some(reg) => {
                    subject.check_word(index, NOP, "restore is a nop", &format!("register r{reg},"));
                    lost.push(reg);
                }
                None => (),
            }
        }
        lost.sort_unstable();
        assert_eq!(lost, [2, 26, 27, 28, 29, 30, 31], "which registers the exit restores");
        for (word, expected) in [
            (0x7d02_0120, "CR2, CR3 or CR4"), // mtcrf 0x20,r8
            (0x7d01_0120, "CR2, CR3 or CR4"), // mtcrf 0x10,r8
            (0x7d00_8120, "CR2, CR3 or CR4"), // mtcrf 0x08,r8
            (0xfdc0_7050, "register f14,"),   // fneg f14,f14
            (0x1294_a4c4, "register v20,"),   // vxor v20,v20,v20
            (0x39c0_0001, "register r14,"),   // li r14,1
            (0x7d00_43a6, "VRSAVE"),          // mtspr 256,r8
        ] {
            subject.check_word(useless, word, &format!("{word:08x} inserted"), expected);
        }
        frame(subject, &words, useless);
    }

    /// Stores into the caller's frame, and LR saved outside its slot, are caught.
    fn frame(subject: &Subject, words: &[u32], useless: usize) {
        let stdu = words.iter().find(|word| **word & 0xffff_0003 == 0xf821_0001).expect("stdu r1,-N(r1)");
        let bytes = (stdu & 0xfffc).wrapping_neg() & 0xffff;
        for (offset, expected) in [
            (0, "clobbered its caller's back chain"),
            (24, "into its caller's frame header"),
            (32, "into its caller's stack frame"),
        ] {
            let broken = format!("std r8,{offset} of the caller's frame");
            subject.check_word(useless, std_r8(bytes + offset), &broken, expected);
        }
        let stores: Vec<usize> = (0..words.len()).filter(|at| words[*at] == STD_R0_LR).collect();
        let loads: Vec<usize> = (0..words.len()).filter(|at| words[*at] == LD_R0_LR).collect();
        assert_eq!((stores.len(), loads.len()), (2, 2), "the program and its function save LR");
        for (store, load) in stores.into_iter().zip(loads) {
            for slot in [8, 24] {
                let moved = [(store, STD_R0_LR - 16 + slot), (load, LD_R0_LR - 16 + slot)];
                let broken = format!("LR saved at {slot}(r1)");
                subject.check_caught(&subject.with_words(&moved), &broken, "LR save word");
            }
        }
    }
}

mod loongarch {
    use super::*;

    const NOP: u32 = 0x0340_0000;
    const JR_RA: u32 = 0x4c00_0020;
    const LI_A5_1234: u32 = 0x02c0_0009 | 1234 << 10; // r0 = 1234

    /// ld.d rd,$sp,D: rd.
    fn restored(word: u32) -> Option<u32> {
        (word & 0xffc0_03e0 == 0x28c0_0060).then_some(word & 31)
    }

    pub fn check(subject: &Subject) {
        let words = subject.words();
        let exit = words.iter().position(|word| *word == JR_RA).expect("a return");
        let useless = only(&words, LI_A5_1234);
        let mut lost = Vec::new();
        for (index, word) in words[..exit].iter().enumerate() {
            // $ra: without it, the code would not return
            if let Some(reg) = restored(*word).filter(|reg| *reg != 1) {
                let expected = format!("callee-saved register $r{reg} ");
                subject.check_word(index, NOP, "restore is a nop", &expected);
                lost.push(reg);
            }
        }
        lost.sort_unstable();
        assert_eq!(lost, [23, 24, 25, 26, 27, 28], "which registers the exit restores");
        // The instruction before the return releases the frame.
        subject.check_word(
            exit - 1,
            words[exit - 1] + (16 << 10),
            "16 bytes too many",
            "clobbered the stack pointer",
        );
        for (word, expected) in [
            (0x02c0_0402, "$r2 (tp)"),        // addi.d $tp,$zero,1
            (0x02c0_0415, "$r21 (reserved)"), // addi.d $r21,$zero,1
            (0x02c0_0416, "$r22 (fp)"),       // addi.d $fp,$zero,1
            (0x0114_a818, "$f24"),            // movgr2fr.d $f24,$zero
            (0x0114_c001 | 9 << 5, "fcsr"),   // movgr2fcsr $fcsr1,$a5
        ] {
            subject.check_word(useless, word, &format!("{word:08x} inserted"), expected);
        }
    }
}

mod x86 {
    use super::*;

    const MOV_EAX_1234: [u8; 5] = [0xb8, 0xd2, 0x04, 0, 0];
    const RET: u8 = 0xc3;

    /// The pops right before a return: where, how long, of which register.
    fn pops(code: &[u8], ret: usize) -> Vec<(usize, usize, u8)> {
        let mut found = Vec::new();
        let mut end = ret;
        while end > 1 && (0x58..0x60).contains(&code[end - 1]) {
            let bytes = if code[end - 2] == 0x41 { 2 } else { 1 };
            end -= bytes;
            found.push((end, bytes, code[end + bytes - 1] - 0x58 + if bytes == 2 { 8 } else { 0 }));
        }
        found
    }

    pub fn check(subject: &Subject) {
        const NAMES: [&str; 16] = [
            "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
            "r14", "r15",
        ];
        let code = &subject.code;
        let exit = (1..code.len()).find(|at| code[*at] == RET && pops(code, *at).len() > 1).expect("an exit");
        let mut lost = Vec::new();
        for (at, bytes, reg) in pops(code, exit) {
            let mut broken = code.clone();
            // Pops into rcx or r9, which are caller-saved; the stack pointer stays right.
            broken[at + bytes - 1] = 0x59;
            let name = NAMES[usize::from(reg)];
            subject.check_caught(&broken, "popped elsewhere", &format!("callee-saved register {name},"));
            lost.push(reg);
        }
        lost.sort_unstable();
        assert_eq!(lost, [3, 5, 12, 13, 14, 15], "which registers the exit restores");
        let useless = code.windows(5).position(|bytes| bytes == MOV_EAX_1234).expect("r0 = 1234");
        let insertions: [(&[u8], &str); 2] = [
            (&[0xfd], "direction flag"),  // std
            (&[0x0f, 0xef, 0xc0], "x87"), // pxor mm0,mm0 without emms
        ];
        for (bytes, expected) in insertions {
            let mut broken = code.clone();
            broken[useless..useless + 5].fill(0x90);
            broken[useless..useless + bytes.len()].copy_from_slice(bytes);
            subject.check_caught(&broken, &format!("{bytes:02x?} inserted"), expected);
        }
        misaligned(subject);
    }

    /// Frames that are 8 bytes larger misalign the stack where the helper is called.
    fn misaligned(subject: &Subject) {
        let mut code = subject.code.clone();
        let setup = code.windows(4).position(|bytes| bytes == [0x48, 0x83, 0xec, 8]).expect("sub rsp,8");
        code[setup + 3] = 16; // the first is the padding of the entry, or of the function
        let undo = code.windows(4).position(|bytes| bytes == [0x48, 0x83, 0xc4, 8]).expect("add rsp,8");
        code[undo + 3] = 16;
        subject.check_caught(&code, "frames of 16 bytes more 8", "no multiple of 16");
    }
}

#[test]
fn broken_code_is_caught_on_powerpc64le() {
    for subject in subjects("powerpc64le") {
        subject.check_unbroken();
        power::check(&subject);
    }
}

#[test]
fn broken_code_is_caught_on_powerpc64() {
    for subject in subjects("powerpc64") {
        subject.check_unbroken();
        power::check(&subject);
    }
}

#[test]
fn broken_code_is_caught_on_loongarch64() {
    for subject in subjects("loongarch64") {
        subject.check_unbroken();
        loongarch::check(&subject);
    }
}

#[test]
fn broken_code_is_caught_on_x86_64() {
    for subject in subjects("x86_64") {
        subject.check_unbroken();
        x86::check(&subject);
    }
}

/// What helpers may do to the VM that runs them (libs/ebpf/tests/reentry.c).
#[test]
fn helpers_may_call_back_into_the_vm() {
    for (arch, emulator) in support::MACHINES {
        let plugin = support::plugin(arch, emulator);
        let output = plugin.command("reentry").output().expect("the program runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let expected = if support::has_back_end(arch) { "compiled code too\nok\n" } else { "ok\n" };
        assert!(output.status.success() && text == expected, "{arch}: {} {text}", output.status);
    }
    support::make(&["reentry-sanitized"]);
}
