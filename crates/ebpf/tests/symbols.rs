// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What the code and the data of an ELF object may refer to (libs/ebpf/tests/objects/symbols.c), in both byte orders:
//! variables from variables, functions by address; and what needs a kernel, which is refused by its name.

mod support;

use ebpf::{disassemble, Engine, LddwKind, Limits, Loaded, Object, Options, Vm};
use std::process::Command;

const TARGETS: [&str; 2] = ["bpfel", "bpfeb"];
const HOST: &str = if cfg!(target_endian = "big") { "bpfeb" } else { "bpfel" };

fn compile(target: &str, define: &str) -> Vec<u8> {
    let output = support::scratch().join(format!("symbols-{define}-{target}.o"));
    let status = Command::new("clang-19")
        .args([
            "-target",
            target,
            "-mcpu=v4",
            "-O2",
            "-g",
            "-Wno-everything",
            &format!("-D{define}"),
            "-c",
            "-o",
        ])
        .arg(&output)
        .arg(support::library().join("tests/objects/symbols.c"))
        .status()
        .expect("clang-19 runs");
    assert!(status.success(), "clang-19 -target {target} -D{define}");
    std::fs::read(output).expect("the object")
}

fn parse(target: &str, define: &str) -> Result<Object, String> {
    Object::parse(&compile(target, define)).map_err(|error| error.to_string())
}

#[test]
fn data_sections_point_to_each_other() {
    for target in TARGETS {
        let object = parse(target, "POINTERS").expect(target);
        // Of `pointers` and `to_pointers` in .data, which point into it, and of `words` in .rodata to its strings.
        let inside = |pointer: &&ebpf::Pointer| pointer.map == pointer.target;
        assert_eq!(object.pointers.iter().filter(inside).count(), 4, "{target}: {:?}", object.pointers);
        let strings = object.pointers.iter().filter(|pointer| pointer.map != pointer.target);
        let offsets: Vec<usize> = strings.map(|pointer| pointer.target_offset).collect();
        assert_eq!(offsets, [0, 3, 6], "{target}: {:?}", object.pointers);
    }
    let object = parse(HOST, "POINTERS").expect("it loads");
    for engine in [Engine::Interpreter, Engine::Compiled] {
        let mut loaded = Loaded::new(&object, &object.programs[0], Limits::default()).expect("it loads");
        let mut context = 1u32.to_ne_bytes();
        // values[3], twice; values[0] after the addition; the f of "ef"
        assert_eq!(loaded.run(engine, &mut context), Ok(4000 + 4000 + 6 + u64::from(b'f')), "{engine:?}");
    }
}

/// libbpf's form: kind 4, and how far the function is away; the function is in the program although nothing calls it.
#[test]
fn a_function_has_an_address() {
    for target in TARGETS {
        let object = parse(target, "FUNCTION_POINTER").expect(target);
        let program = &object.programs[0];
        let lines = disassemble(&program.bytecode, object.order);
        let addresses: Vec<_> = lines.iter().filter(|line| line.text.contains("code_addr(")).collect();
        assert_eq!(addresses.len(), 2, "{target}");
        for line in addresses {
            let digits = line.text.split(['(', ')']).nth(1).expect("a number in brackets");
            let distance: usize = digits.parse().expect("a function behind the program");
            let start = line.slot + 1 + distance;
            let body: Vec<&str> = lines
                .iter()
                .filter(|line| line.slot >= start)
                .map(|line| line.text.as_str())
                .take(1)
                .collect();
            assert!(body[0].starts_with("*(u64 *)(r10 - 8) = r1"), "{target}: {body:?} at {start}");
        }
        let relocate = Some(Box::new(|kind, imm, _| (kind == LddwKind::Code).then_some(u64::from(imm))) as _);
        let mut vm = Vm::new(Options { bounds: true, relocate, ..Options::default() }).expect("memory");
        vm.load(&program.bytecode, object.order).expect(target);
        assert_eq!(vm.run(Engine::Interpreter, &mut []), Ok(41), "{target}");
        let refused = Loaded::new(&object, program, Limits::default()).expect_err("no helper takes it");
        assert!(refused.message.contains("code_addr"), "{refused}");
    }
}

#[test]
fn what_needs_a_kernel_is_refused_by_name() {
    let refusals = [
        ("KFUNC", "function program, instruction 1: calls bpf_some_kfunc, an extern function"),
        ("KSYM", "refers to some_ksym, an extern variable"),
        ("KCONFIG", "refers to CONFIG_SOMETHING, an extern variable"),
        ("FUNCTION_IN_DATA", "section .data, byte 0: the address of .text in section .text"),
        ("EXTERN_IN_DATA", "section .data, byte 0: the address of some_variable, which is extern"),
    ];
    for target in TARGETS {
        for (define, expected) in refusals {
            let message = parse(target, define).expect_err(define);
            assert!(message.contains(expected), "{target}: `{expected}` is not in `{message}`");
        }
        let object = parse(target, "HELPER").expect("a call of a number needs no symbol");
        let refused = Loaded::new(&object, &object.programs[0], Limits::default()).expect_err("no helper 77");
        assert!(refused.message.contains("77"), "{refused}");
    }
}
