// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! References in the code and data of an ELF object (libs/ebpf/tests/objects/symbols.c), in both byte orders: pointers from
//! variables to variables, addresses of functions, and symbols that only a kernel defines, which are refused by name.

use crate::support;
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
        // Four in .data, in `pointers` and `to_pointers`, point into .data; the three of `words` point to its strings.
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

/// As in libbpf, the address of a function is kind 4 with the distance to the function, which is linked into the program
/// even if nothing calls it.
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
        let limits = Limits { any_byte_order: true, ..Limits::default() };
        let refused = Loaded::new(&object, program, limits).expect_err("no helper takes it");
        assert!(refused.message.contains("code_addr"), "{refused}");
    }
}

/// A program that needs a kernel can be listed and has the reason why it cannot run; the object's other programs run.
#[test]
fn what_needs_a_kernel_is_named_and_hinders_no_other_program() {
    for target in TARGETS {
        for (define, expected) in [
            ("KFUNC", "function program, instruction 1: calls bpf_some_kfunc, an extern function"),
            ("KSYM", "refers to some_ksym, an extern variable"),
            ("KCONFIG", "refers to CONFIG_SOMETHING, an extern variable"),
        ] {
            let object = parse(target, define).expect(define);
            let find = |name: &str| object.programs.iter().find(|program| program.name == name).expect(name);
            let reason = find("program").unresolved.as_deref().expect(define);
            assert!(reason.contains(expected), "{target}: `{expected}` is not in `{reason}`");
            let limits = || Limits { any_byte_order: true, ..Limits::default() };
            let refused = Loaded::new(&object, find("program"), limits()).expect_err(define);
            assert!(refused.message.contains(expected), "{refused}");
            assert_eq!(find("other").unresolved, None);
            let mut loaded = Loaded::new(&object, find("other"), limits()).expect("it needs no kernel");
            assert_eq!(loaded.run(ebpf::Engine::Interpreter, &mut []), Ok(11));
        }
        let object = parse(target, "KFUNC").expect("an object");
        let program = object.programs.iter().find(|program| program.name == "program").expect("it");
        let lines = disassemble(&program.bytecode, object.order);
        assert!(lines.iter().any(|line| line.text.starts_with("call btf")), "{lines:?}");
    }
}

#[test]
fn objects_for_the_other_byte_order_do_not_run_by_accident() {
    for target in TARGETS {
        let object = parse(target, "HELPER").expect("an object");
        let refused = Loaded::new(&object, &object.programs[0], Limits::default()).expect_err("no helper 77");
        assert_eq!(refused.message.contains("the other byte order"), target != HOST, "{refused}");
    }
}

#[test]
fn what_cannot_be_had_is_refused_by_name() {
    let refusals = [
        ("FUNCTION_IN_DATA", "section .data, byte 0: the address of .text in section .text"),
        ("EXTERN_IN_DATA", "section .data, byte 0: the address of some_variable, which is extern"),
    ];
    for target in TARGETS {
        for (define, expected) in refusals {
            let message = parse(target, define).expect_err(define);
            assert!(message.contains(expected), "{target}: `{expected}` is not in `{message}`");
        }
        let object = parse(target, "HELPER").expect("a call of a number needs no symbol");
        let limits = Limits { any_byte_order: true, ..Limits::default() };
        let refused = Loaded::new(&object, &object.programs[0], limits).expect_err("no helper 77");
        assert!(refused.message.contains("call of helper 77 (bpf_rc_repeat)"), "{refused}");
    }
}

/// An object as clang before version 8 wrote it: function symbols without type and size.
fn without_types(mut data: Vec<u8>) -> Vec<u8> {
    use object::read::{Object as _, ObjectSection as _};
    let file = object::File::parse(&*data).expect("an object");
    let table =
        file.section_by_name(".symtab").and_then(|section| section.file_range()).expect("a symbol table");
    // Elf64_Sym: name, info (binding and type), other, section, value, size.
    for symbol in data[table.0 as usize..][..table.1 as usize].chunks_exact_mut(24) {
        if symbol[4] & 15 == 2 {
            symbol[4] &= 0xf0;
            symbol[16..].fill(0);
        }
    }
    data
}

#[test]
fn functions_without_type_and_size_are_functions() {
    for target in TARGETS {
        for define in ["POINTERS", "KFUNC"] {
            let data = compile(target, define);
            let typed = Object::parse(&data).expect("an object");
            let untyped = Object::parse(&without_types(data)).expect("an older object");
            // Local functions are not recognised in such objects; these objects have none.
            assert_eq!(untyped.programs, typed.programs, "{target} {define}");
        }
    }
}

/// The bytes of e_machine in an ELF header.
const E_MACHINE: std::ops::Range<usize> = 18..20;

/// An object as compilers wrote it before EM_BPF: e_machine 0, relocations of type 0 and, with `of_sections`, no symbols of
/// functions.
fn of_no_machine(mut data: Vec<u8>, of_sections: bool) -> Vec<u8> {
    use object::read::{Object as _, ObjectSection as _};
    data[E_MACHINE].fill(0);
    let file = object::File::parse(&*data).expect("an object");
    let little = file.is_little_endian();
    let range_of = |section: object::Section| {
        let (start, bytes) = section.file_range().expect("it is in the file");
        start as usize..(start + bytes) as usize
    };
    let symbols = range_of(file.section_by_name(".symtab").expect("a symbol table"));
    let of_code = ["test", "second"].map(|name| file.section_by_name(&format!(".rel{name}")));
    let relocations: Vec<_> = of_code.into_iter().flatten().map(range_of).collect();
    // Elf64_Rel: offset, info, the type in its lower half.
    for range in relocations {
        for relocation in data[range].chunks_exact_mut(16) {
            let kind = if little { 8..12 } else { 12..16 };
            relocation[kind].fill(0);
        }
    }
    for symbol in data[symbols].chunks_exact_mut(24) {
        if of_sections && symbol[4] & 15 == 2 {
            symbol[4] = 0;
            symbol[6..8].fill(0); // in no section
        }
    }
    data
}

#[test]
fn objects_older_than_the_machine_s_number_are_read() {
    for target in TARGETS {
        let data = compile(target, "OLD_MAPS");
        let today = Object::parse(&data).expect("an object of today");
        let old = Object::parse(&of_no_machine(data.clone(), false)).expect("an old object");
        assert_eq!((&old.programs, &old.maps), (&today.programs, &today.maps), "{target}");
        let sections = Object::parse(&of_no_machine(data, true)).expect("an object of sections");
        let codes =
            |object: &Object| object.programs.iter().map(|one| one.bytecode.clone()).collect::<Vec<_>>();
        assert_eq!(codes(&sections), codes(&today), "{target}");
        assert_eq!(sections.programs[0].name, "test");
    }
    let mut foreign = compile(HOST, "OLD_MAPS");
    foreign[E_MACHINE].copy_from_slice(&62u16.to_ne_bytes());
    let message = Object::parse(&foreign).expect_err("x86-64").to_string();
    assert!(message.contains("not for BPF"), "{message}");
}

#[test]
fn maps_may_have_a_section_each() {
    for target in TARGETS {
        let object = parse(target, "OLD_MAPS").expect(target);
        let mut maps: Vec<_> = object.maps.iter().map(|map| (map.name.as_str(), map.entries)).collect();
        maps.sort();
        assert_eq!(maps, [("counts", 3), ("others", 7)], "{target}");
    }
    let object = parse(HOST, "OLD_MAPS").expect("it loads");
    let random = object.programs.iter().find(|program| program.name == "random").expect("it");
    Loaded::new(&object, random, Limits::default()).expect("its helper is there");
    assert!([1, 7].iter().all(|number| ebpf::helper_numbers().any(|own| own == *number)));
    let mut loaded = Loaded::new(&object, &object.programs[0], Limits::default()).expect("it loads");
    for (run, engine) in [Engine::Interpreter, Engine::Compiled].into_iter().enumerate() {
        assert_eq!(loaded.run(engine, &mut []), Ok(5 * (run as u64 + 1)), "{engine:?}");
    }
}

#[test]
fn an_object_of_maps_alone_is_told_so() {
    // The code sections get size 0, so that the object has no code.
    let mut data = compile(HOST, "OLD_MAPS");
    let names = ["test", "second", ".text"];
    let headers = {
        use object::read::{Object as _, ObjectSection as _};
        let file = object::File::parse(&*data).expect("an object");
        let table = u64::from_ne_bytes(data[40..48].try_into().expect("e_shoff")) as usize;
        let is_code = |section: &object::Section| names.contains(&section.name().unwrap_or_default());
        file.sections().filter(is_code).map(|section| table + 64 * section.index().0).collect::<Vec<_>>()
    };
    for header in headers {
        data[header + 32..header + 40].fill(0); // sh_size
    }
    data = of_no_machine(data, true);
    let message = Object::parse(&data).expect_err("no code").to_string();
    assert!(message.contains("no code, only data or maps"), "{message}");
}

#[test]
fn co_re_relocations_are_counted() {
    for target in TARGETS {
        assert_eq!(parse(target, "CO_RE").expect("an object").co_re_relocations, 2, "{target}");
        assert_eq!(parse(target, "POINTERS").expect("an object").co_re_relocations, 0, "{target}");
    }
}
