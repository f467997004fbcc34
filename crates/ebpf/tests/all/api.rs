// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Calls in the wrong order or with wrong arguments, and sizes at their limits: each an error that says what is wrong.

use crate::support;
use ebpf::{assemble, targets, ByteOrder, Engine, Features, Fusion, Options, Status, Swap, Target, Vm};

fn vm() -> Vm {
    Vm::new(Options { bounds: true, ..Options::default() }).expect("memory")
}

fn loaded(text: &str) -> Vm {
    let mut vm = vm();
    vm.load(&assemble(text, ByteOrder::Little).expect("a program"), ByteOrder::Little)
        .expect("a good program");
    vm
}

fn error<T: std::fmt::Debug>(result: Result<T, ebpf::Error>) -> (Status, String) {
    let error = result.expect_err("an error");
    (error.status, error.message)
}

#[test]
fn calls_out_of_order() {
    let mut vm = vm();
    assert_eq!(error(vm.run(Engine::Interpreter, &mut [])).0, Status::State);
    assert_eq!(error(vm.compile(&Target::default())).0, Status::State);
    assert_eq!(error(vm.emit(&Target::default())).0, Status::State);
    assert_eq!(error(vm.census(ByteOrder::Big)).0, Status::State);
    let mut vm = loaded("r0 = 1\nexit");
    let (status, message) = error(vm.run(Engine::Compiled, &mut []));
    assert_eq!(
        (status, message.as_str()),
        (Status::State, "the program is not compiled: ebpf_compile comes first")
    );
}

#[test]
fn a_refused_program_replaces_the_one_before() {
    let mut vm = loaded("r0 = 1\nexit");
    vm.compile(&Target::default()).expect("code");
    assert_eq!(vm.run(Engine::Compiled, &mut []), Ok(1));
    assert_eq!(error(vm.load(&[0xff; 8], ByteOrder::Little)).0, Status::Program);
    assert_eq!(error(vm.run(Engine::Compiled, &mut [])).0, Status::State);
    assert_eq!(error(vm.run(Engine::Interpreter, &mut [])).0, Status::State);
}

/// Old code does not outlive a compilation, whatever is wrong with the target: it would run unnoticed.
#[test]
fn a_failed_compilation_leaves_no_code() {
    let arch = |name: &str| Target { arch: Some(name.into()), ..Target::default() };
    let lacking = Target { features: Features(!ebpf::host_features().0), ..Target::default() };
    let swap = Target { swap: Swap::Isa31, ..Target::default() };
    for wrong in [arch("x86_64"), arch("x86\0_64"), swap, lacking] {
        let mut vm = loaded("r0 = 1\nexit");
        vm.compile(&Target::default()).expect("code");
        assert_eq!(vm.run(Engine::Compiled, &mut []), Ok(1));
        error(vm.compile(&wrong));
        let (status, message) = error(vm.run(Engine::Compiled, &mut []));
        assert_eq!(status, Status::State, "after {wrong:?}");
        assert!(message.contains("is not compiled"), "{message}");
        assert_eq!(vm.run(Engine::Interpreter, &mut []), Ok(1));
    }
}

#[test]
fn without_bounds_running_is_not_safe() {
    let mut vm = Vm::new(Options::default()).expect("memory");
    vm.load(&assemble("r0 = 1\nexit", ByteOrder::Big).expect("a program"), ByteOrder::Big)
        .expect("a good program");
    assert_eq!(error(vm.run(Engine::Interpreter, &mut [])).0, Status::State);
}

#[test]
fn targets_that_do_not_exist() {
    let mut vm = loaded("r0 = be16 r0\nexit");
    let target = |arch: &str| Target { arch: Some(arch.into()), ..Target::default() };
    assert_eq!(
        error(vm.emit(&target("sparc64"))),
        (Status::Unsupported, "there is no code generator for sparc64".into())
    );
    assert_eq!(error(vm.compile(&target("x86_64"))).0, Status::Argument);
    let odd = Target { features: Features(1 << 31), ..target("x86_64") };
    assert_eq!(error(vm.emit(&odd)), (Status::Argument, "x86_64 has no CPU feature 0x80000000".into()));
    for (arch, swap, reason) in [
        ("x86_64", Swap::Memory, "movbe"),
        ("x86_64", Swap::Vector, "ssse3"),
        ("x86_64", Swap::Isa31, "POWER10"),
        ("powerpc64le", Swap::Vector, "isa300"),
        ("powerpc64", Swap::Isa31, "isa310"),
        ("loongarch64", Swap::Isa31, "POWER10"),
    ] {
        if !targets().contains(&arch) {
            continue;
        }
        let (status, message) = error(vm.emit(&Target { swap, fusion: Fusion::On, ..target(arch) }));
        assert_eq!(status, Status::Unsupported, "{arch} {swap:?}");
        assert!(message.starts_with(arch) && message.contains(reason), "{message}");
    }
}

#[test]
fn sizes_at_their_limits() {
    const SLOTS_MAX: usize = 1 << 20;
    let mut vm = vm();
    let exit = [0x95u8, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(error(vm.load(&[], ByteOrder::Little)), (Status::Program, "the program is empty".into()));
    assert_eq!(
        error(vm.load(&exit[..7], ByteOrder::Little)).1,
        "instruction 0: truncated: the size is not a multiple of 8 bytes"
    );
    let large = exit.repeat(SLOTS_MAX);
    vm.load(&large, ByteOrder::Little).expect("the largest program");
    assert_eq!(vm.slots(), SLOTS_MAX);
    vm.compile(&Target::default()).expect("code for the largest program");
    assert_eq!(vm.run(Engine::Compiled, &mut []), Ok(0));
    let (_, message) = error(vm.load(&exit.repeat(SLOTS_MAX + 1), ByteOrder::Little));
    assert_eq!(message, "the program has more than 1048576 slots");
}

/// Without checks at run time, the size of x86-64's code and the reach of its jumps follow from an estimate, which has to be an
/// upper bound for every instruction. Many of each, so that what the entry and exit code leave unused does not hide a byte.
#[test]
fn code_is_no_longer_than_estimated() {
    const COPIES: usize = 400;
    const IMMEDIATES: [i32; 13] = [0, 1, -1, 7, 16, 32, 64, 127, 128, -128, -129, i32::MIN, i32::MAX];
    let mut vm = Vm::new(Options::default()).expect("memory");
    let mut compiled = 0;
    for opcode in (0..=u8::MAX).filter(|opcode| !matches!(opcode, 0x18 | 0x85 | 0x95)) {
        let offsets: &[i16] = if matches!(opcode & 7, 5 | 6) { &[0] } else { &[0, 1, 8, -128, 128] };
        for (dst, src) in [(0, 0), (1, 9), (9, 1)] {
            for (imm, offset) in IMMEDIATES.iter().flat_map(|imm| offsets.iter().map(move |at| (imm, at))) {
                let (offset, imm) = (offset.to_le_bytes(), imm.to_le_bytes());
                let slot = [opcode, dst | src << 4, offset[0], offset[1], imm[0], imm[1], imm[2], imm[3]];
                let program = [slot.repeat(COPIES), vec![0x95, 0, 0, 0, 0, 0, 0, 0]].concat();
                if vm.load(&program, ByteOrder::Little).is_ok() {
                    vm.compile(&Target::default()).unwrap_or_else(|error| panic!("{slot:02x?}: {error}"));
                    compiled += 1;
                }
            }
        }
    }
    assert!(compiled > 1300, "only {compiled} programs");
}

/// The same for the entry and exit code of functions, which save what they use of r6 to r9: any number of them before a loop
/// that is longer than a short jump. Where their code is longer than estimated, by less than a short jump, the jump back is
/// taken for a short one.
#[test]
fn functions_are_no_longer_than_estimated() {
    const LOOP_SLOTS: usize = 50;
    let looping = format!(
        "r1 = 3\n{}r1 += -1\nif r1 != 0 goto -{LOOP_SLOTS}\nexit\n",
        "r5 += r0\n".repeat(LOOP_SLOTS - 2)
    );
    for saved in 0..=4 {
        let saving: String = (6..6 + saved).map(|register| format!("r{register} += r1\n")).collect();
        for functions in 40..160 {
            let before_calls = functions * (saved + 1) + LOOP_SLOTS + 2;
            let calls: String = (0..=functions)
                .map(|number| format!("call pc-{}\n", before_calls + number + 1 - number * (saved + 1)))
                .collect();
            let text = format!(
                "r1 = 0\ncall pc+{}\nexit\n{}{looping}{calls}r0 = 7\nexit\n",
                before_calls + 1,
                format!("{saving}exit\n").repeat(functions)
            );
            let bytecode = assemble(&text, ByteOrder::Little).expect("a program");
            let mut vm = Vm::new(Options::default()).expect("memory");
            vm.load(&bytecode, ByteOrder::Little).expect("a good program");
            vm.compile(&Target::default())
                .unwrap_or_else(|error| panic!("{functions} functions that save {saved}: {error}"));
            // SAFETY: the program accesses no memory.
            assert_eq!(unsafe { vm.run_unchecked(Engine::Compiled, &mut []) }, Ok(7));
        }
    }
}

/// Jumps across the whole of a large program, where branches of every machine need their long forms.
#[test]
fn far_jumps() {
    let middle = "r3 = 0x123456789abcdef0 ll\nr0 += r3\n".repeat(30_000);
    let text = format!("r0 = 0\nr1 = 0\nif r1 == 0 goto +2\nr0 = 9\nexit\ngotol +90000\n{middle}r1 += 1\nif r1 == 1 goto +1\nexit\ngotol -90004\n");
    let mut vm = loaded(&text);
    for target in targets() {
        let code = vm.emit(&Target { arch: Some(target.into()), ..Target::default() }).expect("code");
        assert!(code.len() > 300_000, "{target}");
    }
    let expected = 0x1234_5678_9abc_def0u64.wrapping_mul(30_000);
    vm.compile(&Target::default()).expect("code");
    assert_eq!(vm.run(Engine::Interpreter, &mut []), Ok(expected));
    assert_eq!(vm.run(Engine::Compiled, &mut []), Ok(expected));
    let bytecode = assemble(&text, ByteOrder::Little).expect("a program");
    let hex: String = bytecode.iter().map(|byte| format!("{byte:02x}")).collect();
    for (arch, emulator) in support::MACHINES.into_iter().filter(|(arch, _)| support::has_back_end(arch)) {
        let plugin = support::plugin(arch, emulator);
        let answers = plugin.run_batch(&[(&hex, "")], Engine::Compiled, &[]).expect("the plugin runs");
        assert_eq!(answers, [Ok(expected)], "{arch}");
    }
}

/// With this many nested loops, the liveness analysis gives up: compilation must still end quickly, and the code be right.
#[test]
fn many_nested_loops() {
    let mut text = String::from("r0 = 7\n");
    for _ in 0..5000 {
        text.push_str("r3 += 1\n");
    }
    for depth in 0..5000 {
        text.push_str(&format!("if r9 s> 0 goto -{}\n", 2 * depth + 2));
    }
    text.push_str("exit\n");
    let mut vm = loaded(&text);
    vm.compile(&Target::default()).expect("code");
    assert_eq!(vm.run(Engine::Interpreter, &mut []), Ok(7));
    assert_eq!(vm.run(Engine::Compiled, &mut []), Ok(7));
}

#[test]
fn text_that_is_no_program() {
    for (text, expected) in [
        ("r0 = 1\nfoo", "line 2: cannot assemble `foo`: unknown instruction"),
        ("r16 = 1", "line 1: cannot assemble `r16 = 1`: a register was expected"),
        (
            "r0 = 0x100000000",
            "line 1: cannot assemble `r0 = 0x100000000`: the immediate does not fit 32 bits",
        ),
        ("goto +32768", "line 1: cannot assemble `goto +32768`: the offset does not fit 16 bits"),
        ("r1 = *(u24 *)(r1 + 0)", "line 1: cannot assemble `r1 = *(u24 *)(r1 + 0)`: unknown width"),
        ("w\u{fc} = 1", "line 1: cannot assemble `w\u{fc} = 1`: a register was expected"),
    ] {
        let error = assemble(text, ByteOrder::Little).expect_err(text);
        assert_eq!(error.to_string(), expected);
    }
}

/// Text that has no instruction is not taken for one that is near.
#[test]
fn text_is_assembled_as_written_or_not_at_all() {
    let widths = "the registers have different widths: r is 64 bits, w is 32";
    let one = "this operation has one register: move the value there first";
    let wide = "an r register was expected: all 64 bits are used";
    let source = "the result goes to the operand's register";
    let r0 = "cmpxchg compares with register 0, and the result goes there";
    let raw = "a field does not fit: opcode has 8 bits, dst and src 4 each, offset 16, imm 32";
    for (text, reason) in [
        ("r1 = -r2", one),
        ("w1 = -r1", one),
        ("r0 = be16 r2", one),
        ("r0 = bswap64 r2", one),
        ("w0 = be16 w0", wide),
        ("r0 = be24 r0", "bytes are swapped in 16, 32 or 64 bits"),
        ("r0 = be4294967312 r0", "bytes are swapped in 16, 32 or 64 bits"),
        ("r0 = (s65544)r1", "the width does not fit 16 bits"),
        (
            "r0 = *(u8 *)(r10 - 1) + 5",
            "nothing can follow a load: compute with its register in the next line",
        ),
        ("r0 = *(u8 *)(w10 - 1)", wide),
        ("w0 = *(u64 *)(r10 - 8)", wide),
        ("w0 = *(s8 *)(r10 - 8)", wide),
        ("*(u64 *)(r10 - 8) = w1", wide),
        ("*(s8 *)(r10 - 8) = 1", "only loads extend a sign: u8, u16, u32 or u64 was expected"),
        ("lock *(u64 *)(r10 - 8) += w1", wide),
        ("r1 = xchg_64(r10 - 8, r0)", source),
        ("w1 = xchg_64(r10 - 8, r1)", source),
        ("r1 = xchg32_32(r10 - 8, r1)", widths),
        ("r1 = xchg_64(r10 - 8, r2, r1)", "operands of an atomic operation were expected"),
        ("r1 = atomic_fetch_add((u64 *)(r10 - 8), r2)", source),
        ("r1 = cmpxchg_64(r10 - 8, r0, r2)", r0),
        ("r0 = cmpxchg_64(r10 - 8, r1, r2)", r0),
        ("r0 = w2", widths),
        ("w0 += r2", widths),
        ("r0 = (s8)w2", widths),
        ("if r0 == w2 goto +1", widths),
        ("w1 = 5 ll", wide),
        ("callx w1", wide),
        ("r0 = 18446744073709551615", "the immediate does not fit 32 bits"),
        ("r0 += -2147483649", "the immediate does not fit 32 bits"),
        ("r0 = -18446744073709551615 ll", "the immediate does not fit 64 bits"),
        ("goto +65535", "the offset does not fit 16 bits"),
        ("raw 256 0 0 0 0", raw),
        ("raw 0 16 0 0 0", raw),
        ("raw 0 0 -1 0 0", raw),
        ("raw 0 0 0 65536 0", raw),
        ("raw 0 0 0 0 4294967296", raw),
    ] {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let error = assemble(&format!("exit\n{text}"), order).expect_err(text);
            assert_eq!((error.line, error.text.as_str(), error.reason), (2, text, reason));
        }
    }
    for text in
        ["r0 = 4294967295", "r0 = -2147483648", "r0 = 18446744073709551615 ll", "raw 255 15 15 65535 -1"]
    {
        assemble(text, ByteOrder::Little).expect(text);
    }
}

#[test]
fn regions_are_read_only_and_removed() {
    let mut value = 42u64;
    let address = std::ptr::from_mut(&mut value).cast::<u8>();
    let mut context = (address as u64).to_ne_bytes();
    let mut store = loaded("r2 = *(u64 *)(r1 + 0)\n*(u64 *)(r2 + 0) = 43\nexit");
    store.compile(&Target::default()).expect("code");
    for engine in [Engine::Interpreter, Engine::Compiled] {
        // SAFETY: the value lives as long as the VM runs, and nobody else uses it.
        unsafe { store.register_read_only_region(address, 8) }.expect("a region");
        let (status, message) = error(store.run(engine, &mut context));
        assert_eq!(status, Status::Bounds);
        assert!(message.contains("which may only be read"), "{message}");
        // SAFETY: as above.
        unsafe { store.register_region(address, 8) }.expect("a region");
        store.run(engine, &mut context).expect("it may be written");
        assert_eq!(std::mem::replace(&mut value, 42), 43);
        for _ in 0..2 {
            store.unregister_region(address, 8).expect("it is registered");
        }
        assert!(error(store.run(engine, &mut context)).1.contains("outside context, stack and regions"));
        assert_eq!(error(store.unregister_region(address, 8)).0, Status::Argument);
    }
}

/// `--emit ARCH` of the plugin generates code for the oldest CPU of ARCH. The host's feature bits mean something else on
/// ARCH: the bits of an x86-64 CPU with movbe, bmi2 and ssse3 would select POWER9's modud.
#[test]
fn the_plugin_emits_for_the_target_and_not_for_the_host() {
    let text = "r0 = 7\nr1 = 3\nr0 %= r1\nr0 = be64 r0\nexit";
    let bytecode = assemble(text, ByteOrder::Little).expect("a program");
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let (host, emulator) = support::MACHINES[0];
    let plugin = support::plugin(host, emulator);
    let mut vm = Vm::new(Options::default()).expect("memory");
    vm.load(&bytecode, ByteOrder::Little).expect("a good program");
    for target in targets() {
        let code = vm.emit(&Target { arch: Some(target.into()), ..Target::default() }).expect("code");
        let output = plugin
            .command("plugin")
            .args(["--emit", target, "--program", &hex(&bytecode)])
            .output()
            .expect("it runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), hex(&code), "{target}");
    }
}
