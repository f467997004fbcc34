// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Every straight-line byteswap variant is proved, on every architecture; wrong code is refuted; for code that cannot be
//! proved, the verdict says why.

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arch::Arch;
use common::{compile, Scratch};
use lab::cache::Workspace;
use lab::discover::{self, Variant};
use lab::hotpath::HotPath;
use prove::{prove, Contract, Verdict};

fn library() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../libs/byteswap")
}

/// Assembles lines that define the function `f`.
fn assemble(arch: Arch, lines: &str) -> Vec<u8> {
    let scratch = Scratch::new();
    let source = scratch.path("f.s");
    std::fs::write(&source, format!("\t.text\n\t.globl f\nf:\n{lines}\n")).expect("the folder is writable");
    compile(arch, &source, &[])
}

/// All variants of the hot paths that have a contract.
fn variants(arch: Arch) -> Vec<Variant> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let scratch = Scratch::new();
    let workspace = Workspace { root, cache: scratch.path("cache") };
    let mut hotpaths = discover::hotpaths(&workspace, &[]).expect("the libraries are in order");
    hotpaths.retain(|hotpath| hotpath.library == "byteswap" && Contract::of_symbol(&hotpath.name).is_some());
    let of = |hotpath: &Arc<HotPath>| {
        discover::variants(&workspace, &[], hotpath, arch).expect("the variants are in order")
    };
    hotpaths.iter().flat_map(of).collect()
}

fn every_variant_is_proved(arch: Arch) {
    let mut proved = 0;
    for variant in variants(arch) {
        let (hotpath, source) = (&variant.hotpath, &variant.source);
        let include = format!("-I{}", library().display());
        let bits = hotpath.bits_flag().expect("all of them are of several widths");
        let object = compile(arch, source, &[&include, &bits]);
        let contract = Contract::of_symbol(&hotpath.name).expect("chosen for its contract");
        let verdict = prove(arch, &object, &hotpath.symbol, contract).expect("z3 answers");
        assert!(matches!(verdict, Verdict::Proved { .. }), "{arch}: {}: {verdict:?}", variant.title());
        proved += 1;
    }
    // Nine hot paths, each with a reference, the builtin and at least one variant of the architecture's own.
    assert!(proved >= 27, "{arch}: only {proved} variants found");
}

#[test]
fn every_variant_is_proved_on_powerpc() {
    every_variant_is_proved(Arch::Powerpc);
}

#[test]
fn every_variant_is_proved_on_powerpc64() {
    every_variant_is_proved(Arch::Powerpc64);
}

#[test]
fn every_variant_is_proved_on_powerpc64le() {
    every_variant_is_proved(Arch::Powerpc64le);
}

#[test]
fn every_variant_is_proved_on_loongarch64() {
    every_variant_is_proved(Arch::Loongarch64);
}

#[test]
fn every_variant_is_proved_on_x86_64() {
    every_variant_is_proved(Arch::X86_64);
}

#[test]
fn every_variant_is_proved_on_aarch64() {
    every_variant_is_proved(Arch::Aarch64);
}

#[test]
fn every_variant_is_proved_on_riscv64() {
    every_variant_is_proved(Arch::Riscv64);
}

fn refutation(arch: Arch, code: &str, contract: Contract) -> prove::Counterexample {
    match prove(arch, &assemble(arch, code), "f", contract).expect("z3 answers") {
        Verdict::Refuted(counterexample) => counterexample,
        other => panic!("{arch}: {code}: {other:?}"),
    }
}

#[test]
fn upper_bits_left_dirty_are_found() {
    let cases = [
        (Arch::Powerpc64le, "brw 3, 3\nblr", Contract::Swap(32)),
        (Arch::Powerpc64le, "brh 3, 3\nblr", Contract::Swap(16)),
        (Arch::Loongarch64, "revb.2w $a0, $a0\njr $ra", Contract::Swap(32)),
        (Arch::Aarch64, "rev32 x0, x0\nret", Contract::Swap(32)),
        (Arch::X86_64, "mov %rdi, %rax\nrolw $8, %ax\nret", Contract::Swap(16)),
        (Arch::Riscv64, ".option arch, +zbb\nrev8 a0, a0\nsrai a0, a0, 32\nret", Contract::Swap(32)),
    ];
    for (arch, code, contract) in cases {
        let example = refutation(arch, code, contract);
        assert_eq!(example.what, "result");
        assert_ne!(example.got, example.want, "{arch}: {example}");
        assert!(!example.inputs.is_empty(), "{arch}: {example}");
    }
}

#[test]
fn a_counterexample_is_an_input_on_which_the_result_is_what_it_says() {
    // The mask of the last insert reaches one bit too far.
    let code = "rlwinm 4, 3, 8, 0, 31\nrlwimi 4, 3, 24, 0, 7\nrlwimi 4, 3, 24, 16, 24\nmr 3, 4\nblr";
    let example = refutation(Arch::Powerpc64le, code, Contract::Swap(32));
    let (name, input) = example.inputs[0].clone();
    assert_eq!(name, "r3");
    let input = input as u32;
    assert_eq!(example.want, u128::from(input.swap_bytes()));
    let rotated = input.rotate_left(24);
    let mut wrong = input.rotate_left(8);
    for mask in [0xff00_0000u32, 0x0000_ff80] {
        wrong = wrong & !mask | rotated & mask;
    }
    assert_eq!(example.got, u128::from(wrong));
}

#[test]
fn callee_saved_registers_and_memory_have_to_survive() {
    let clobber = refutation(Arch::Powerpc64, "mr 14, 3\nbrd 3, 3\nblr", Contract::Swap(64));
    assert_eq!(clobber.what, "register r14 after return");
    let stray = refutation(Arch::Powerpc64le, "std 3, 16(1)\nbrd 3, 3\nblr", Contract::Swap(64));
    assert!(stray.what.starts_with("byte written at r1+16"), "{stray}");
    let wide = refutation(Arch::Powerpc64le, "stwbrx 4, 0, 3\nblr", Contract::StoreSwap(16));
    assert!(wide.what.starts_with("byte"), "{wide}");
    let order = refutation(Arch::Powerpc64, "stw 4, 0(3)\nblr", Contract::StoreSwap(32));
    assert!(order.what.contains("stored"), "{order}");
}

#[test]
fn the_halves_of_vector_registers_that_are_callee_saved_survive() {
    // f14 is doubleword 0 of vs14, the higher one; the lower one is nobody's.
    let code =
        |target: u32| format!("mtvsrdd {target}, 3, 4\nxxbrd {target}, {target}\nmfvsrd 3, {target}\nblr");
    for arch in [Arch::Powerpc64, Arch::Powerpc64le] {
        for target in [14, 31, 52, 63] {
            let example = refutation(arch, &code(target), Contract::Swap(64));
            assert_eq!(example.what, format!("register vs{target} after return"), "{arch}");
        }
        for free in [0, 13, 32, 51] {
            let verdict =
                prove(arch, &assemble(arch, &code(free)), "f", Contract::Swap(64)).expect("z3 answers");
            assert!(matches!(verdict, Verdict::Proved { .. }), "{arch}: vs{free}: {verdict:?}");
        }
        let low_half = "mfvsrd 5, 14\nmtvsrdd 14, 5, 3\nbrd 3, 3\nblr";
        let verdict = prove(arch, &assemble(arch, low_half), "f", Contract::Swap(64)).expect("z3 answers");
        assert!(matches!(verdict, Verdict::Proved { .. }), "{arch}: {verdict:?}");
    }
}

#[test]
fn below_the_stack_pointer_there_is_the_red_zone_and_nothing_else() {
    // What lies below it may be overwritten by a signal handler at any time, between the store and the load, too.
    let cases = [
        (Arch::Powerpc, "stw 3, -8(1)\nrlwinm 4, 3, 8, 0, 31\nrlwimi 4, 3, 24, 0, 7\nrlwimi 4, 3, 24, 16, 23\nmr 3, 4\nblr", "byte written at r1-8"),
        (Arch::Powerpc64le, "std 3, -296(1)\nbrd 3, 3\nblr", "byte written at r1-296"),
        (Arch::Powerpc64, "std 3, -296(1)\nbrd 3, 3\nblr", "byte written at r1-296"),
        (Arch::Loongarch64, "st.d $a0, $sp, -8\nrevb.d $a0, $a0\nret", "byte written at r3-8"),
        (Arch::Riscv64, ".option arch, +zbb\nsd a0, -8(sp)\nrev8 a0, a0\nret", "byte written at x2-8"),
        (Arch::X86_64, "mov %rdi, -136(%rsp)\nmov %rdi, %rax\nbswap %rax\nret", "byte written at rsp-136"),
    ];
    for (arch, code, what) in cases {
        let example = refutation(arch, code, Contract::Swap(if arch == Arch::Powerpc { 32 } else { 64 }));
        assert_eq!(example.what, what, "{arch}: {example}");
    }
    let popped = "ld.d $a0, $sp, -8";
    let made_again = "addi.d $sp, $sp, -16\nld.d $a0, $sp, 8\naddi.d $sp, $sp, 16";
    for late in [popped, made_again] {
        let frame = "addi.d $sp, $sp, -16\nst.d $a0, $sp, 8\naddi.d $sp, $sp, 16";
        let code = format!("{frame}\n{late}\nrevb.d $a0, $a0\nret");
        assert_eq!(refutation(Arch::Loongarch64, &code, Contract::Swap(64)).what, "result", "{late}");
    }
}

#[test]
fn a_frame_and_the_red_zone_below_it_may_be_used() {
    let cases = [
        (Arch::Powerpc, "stwu 1, -16(1)\nstw 3, 8(1)\nli 5, 8\nlwbrx 3, 5, 1\naddi 1, 1, 16\nblr"),
        (Arch::Powerpc64le, "stdu 1, -512(1)\nstd 3, -288(1)\nli 5, -288\nldbrx 3, 5, 1\naddi 1, 1, 512\nblr"),
        (Arch::Powerpc64, "std 3, -288(1)\nli 5, -288\nldbrx 3, 5, 1\nblr"),
        (Arch::Loongarch64, "addi.d $sp, $sp, -16\nst.d $a0, $sp, 8\nld.d $a0, $sp, 8\nrevb.d $a0, $a0\naddi.d $sp, $sp, 16\nret"),
        (Arch::Riscv64, ".option arch, +zbb\n.option norvc\naddi sp, sp, -16\nsd a0, 0(sp)\nld a0, 0(sp)\nrev8 a0, a0\naddi sp, sp, 16\nret"),
        (Arch::X86_64, "mov %rdi, -128(%rsp)\nmovbe -128(%rsp), %rax\nret"),
    ];
    for (arch, code) in cases {
        let contract = Contract::Swap(if arch == Arch::Powerpc { 32 } else { 64 });
        let verdict = prove(arch, &assemble(arch, code), "f", contract).expect("z3 answers");
        assert!(matches!(verdict, Verdict::Proved { .. }), "{arch}: {verdict:?}");
    }
}

/// What the caller lends besides, LR's doubleword, is for the return address.
#[test]
fn the_word_for_cr_in_the_callers_frame_may_be_used_on_64_bit_power() {
    for arch in [Arch::Powerpc64, Arch::Powerpc64le] {
        let code = "stw 3, 8(1)\nlwz 5, 8(1)\nbrd 3, 3\nblr";
        let verdict = prove(arch, &assemble(arch, code), "f", Contract::Swap(64)).expect("z3 answers");
        assert!(matches!(verdict, Verdict::Proved { .. }), "{arch}: {verdict:?}");
        for (offset, first) in [(4, 4), (10, 12), (12, 12), (16, 16)] {
            let code = format!("stw 3, {offset}(1)\nbrd 3, 3\nblr");
            let example = refutation(arch, &code, Contract::Swap(64));
            assert_eq!(example.what, format!("byte written at r1+{first}"), "{arch}");
        }
    }
    let code =
        "stw 3, 8(1)\nrlwinm 4, 3, 8, 0, 31\nrlwimi 4, 3, 24, 0, 7\nrlwimi 4, 3, 24, 16, 23\nmr 3, 4\nblr";
    let example = refutation(Arch::Powerpc, code, Contract::Swap(32));
    assert_eq!(example.what, "byte written at r1+8");
}

/// A function that is called from another module sets its TOC pointer itself, from the address in r12, and need not bring back
/// the caller's; one that is marked as using none may change r2.
#[test]
fn the_toc_pointer_comes_back_where_the_caller_relies_on_it() {
    let prologue = "addis 2, 12, 8\naddi 2, 2, 16\n.localentry f, .-f\n";
    let only_r2 = "li 2, 5\nbrd 3, 3\nblr";
    for arch in [Arch::Powerpc64, Arch::Powerpc64le] {
        let verdict =
            |code: &str| prove(arch, &assemble(arch, code), "f", Contract::Swap(64)).expect("z3 answers");
        for right in [format!("{prologue}brd 3, 3\nblr"), format!(".localentry f, 1\n{only_r2}")] {
            assert!(matches!(verdict(&right), Verdict::Proved { instructions: 2 | 3 }), "{arch}: {right}");
        }
        for wrong in [only_r2.to_owned(), format!("{prologue}{only_r2}")] {
            let example = refutation(arch, &wrong, Contract::Swap(64));
            assert_eq!(example.what, "register r2 after return", "{arch}: {wrong}");
        }
        for odd in ["li 3, 0\nli 2, 0", "std 3, -8(1)\nli 2, 0", "ld 2, 0(3)\nli 2, 0", "b 1f\n1: li 2, 0"] {
            let code = format!("{odd}\n.localentry f, .-f\nbrd 3, 3\nblr");
            assert!(
                matches!(verdict(&code), Verdict::Cannot(why) if why.contains("before the local entry point")),
                "{arch}: {odd}"
            );
        }
    }
}

#[test]
fn what_is_beside_the_value_must_not_be_read() {
    let cases = [
        (Arch::X86_64, "mov (%rdi), %eax\nbswap %eax\nshr $16, %eax\nret", "byte read at rdi+2"),
        (
            Arch::X86_64,
            "mov -4096(%rdi), %ecx\nmovzwl (%rdi), %eax\nrol $8, %ax\nret",
            "byte read at rdi-4096",
        ),
        (Arch::X86_64, "mov (%rsi), %ecx\nmovzwl (%rdi), %eax\nrol $8, %ax\nret", "byte read at rsi+0"),
        (Arch::Powerpc64le, "lwz 5, 0(3)\nli 4, 0\nlhbrx 3, 4, 3\nblr", "byte read at r3+2"),
        (Arch::Powerpc64le, "ld 5, 8(1)\nli 4, 0\nlhbrx 3, 4, 3\nblr", "byte read at r1+12"),
    ];
    for (arch, code, what) in cases {
        let example = refutation(arch, code, Contract::LoadSwap(16));
        assert_eq!(example.what, what, "{arch}");
        assert!(example.to_string().contains("no byte of the contract"), "{example}");
    }
}

fn refusal(arch: Arch, code: &str) -> String {
    match prove(arch, &assemble(arch, code), "f", Contract::Swap(64)).expect("no solver is needed") {
        Verdict::Cannot(why) => why,
        other => panic!("{arch}: {code}: {other:?}"),
    }
}

/// rev32 of a vector and rev of a predicate reverse nothing in a general register.
#[test]
fn instructions_on_vectors_are_not_taken_for_those_of_the_same_name() {
    for code in ["rev32 v0.8b, v0.8b", "rev16 v0.8b, v0.8b", "rev z0.b, z0.b", "rev p0.b, p0.b"] {
        let why = refusal(Arch::Aarch64, &format!(".arch_extension sve\n{code}\nret"));
        let name = code.split(' ').next().unwrap();
        assert!(why.ends_with(&format!("no semantics for {name}")), "{code}: {why}");
    }
}

#[test]
fn what_cannot_be_proved_names_the_instruction() {
    let branch = refusal(Arch::Powerpc64le, "cmpdi 3, 0\nbeq 1f\nbrd 3, 3\n1: blr");
    assert!(branch.starts_with("cmp"), "{branch}");
    let unknown = refusal(Arch::Powerpc64le, "cntlzd 3, 3\nblr");
    assert!(unknown.contains("cntlzd"), "{unknown}");
    let address = refusal(Arch::Loongarch64, "add.d $a0, $a0, $a1\nld.d $a0, $a0, 0\njr $ra");
    assert!(address.contains("address"), "{address}");
    let loops = refusal(Arch::X86_64, "1: jmp 1b");
    assert!(loops.contains("jmp") && loops.contains("straight line"), "{loops}");
    let alias = refusal(Arch::Powerpc64le, "std 3, -8(1)\nld 3, 0(4)\nblr");
    assert!(alias.contains("same place"), "{alias}");
    let endless = refusal(Arch::X86_64, "mov %rdi, %rax");
    assert!(!endless.is_empty());
    let undefined = refusal(Arch::X86_64, "mov %rdi, %rax\n.byte 0x66, 0x0f, 0xc8\nret");
    assert!(undefined.contains("undefined"), "{undefined}");
    let narrow = refusal(Arch::Powerpc, ".machine power9\nmtvsrd 2, 3\nmfvsrd 3, 2\nblr");
    assert!(narrow.contains("mtvsrd"), "{narrow}");
    // Instructions of 64-bit implementations, whose registers 32-bit code does not have.
    let wide = [
        "ld 3, 0(1)",
        "std 3, -8(1)",
        "stdu 1, -16(1)",
        "lwa 3, 0(1)",
        "ldx 3, 0, 1",
        "stdbrx 3, 0, 1",
        "sld 3, 3, 4",
    ];
    let wide = wide.into_iter().chain(["srd 3, 3, 4", "extsw 3, 3", "brd 3, 3"]);
    for line in wide {
        let why = refusal(Arch::Powerpc, &format!(".machine power10\n{line}\nblr"));
        assert!(why.contains(line.split(' ').next().unwrap()), "{line}: {why}");
    }
}

#[test]
fn only_a_return_to_the_caller_that_pops_nothing_ends_a_proof() {
    let cases = [
        (Arch::Aarch64, "rev x0, x0\nret x5", "ret x5"),
        (Arch::X86_64, "mov %rdi, %rax\nbswap %rax\nret $16", "ret 16"),
        (Arch::X86_64, "mov %rdi, %rax\nbswap %rax\nlret", "retf"),
        (Arch::Riscv64, ".option arch, +zbb\nrev8 a0, a0\njr t0", "jr t0"),
        (Arch::Riscv64, ".option arch, +zbb\nrev8 a0, a0\njr 4(ra)", "jr 4(ra)"),
        (Arch::Loongarch64, "revb.d $a0, $a0\njirl $zero, $ra, 4", "jirl $zero, $ra, 4"),
        (Arch::Powerpc64le, "brd 3, 3\nbeqlr\nblr", "bclr 12"),
    ];
    for (arch, code, text) in cases {
        let why = refusal(arch, code);
        assert!(why.contains(text) && why.contains("straight line"), "{arch}: {why}");
    }
    let repeated = "mov %rdi, %rax\nbswap %rax\nrep ret";
    let verdict = prove(Arch::X86_64, &assemble(Arch::X86_64, repeated), "f", Contract::Swap(64));
    assert_eq!(verdict.expect("z3 answers"), Verdict::Proved { instructions: 3 });
}

#[test]
fn an_undefined_value_proves_nothing() {
    // Doubleword 1 of mtvsrd's target is undefined; mfvsrld reads it.
    let code = "mtvsrd 34, 3\nxxbrd 34, 34\nmfvsrld 3, 34\nblr";
    assert_eq!(refutation(Arch::Powerpc64le, code, Contract::Swap(64)).what, "result");
}

#[test]
fn objects_that_are_none_are_errors() {
    let nothing = prove(Arch::X86_64, b"no object", "f", Contract::Swap(16)).unwrap_err();
    assert!(!nothing.to_string().is_empty());
    let object = assemble(Arch::X86_64, "ret");
    let missing = prove(Arch::X86_64, &object, "g", Contract::Swap(16)).unwrap_err();
    assert!(missing.to_string().contains("does not define g"), "{missing}");
}
