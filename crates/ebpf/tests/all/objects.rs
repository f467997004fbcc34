// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! ELF objects, compiled here by clang for both byte orders: loaded, linked and run; listings compared with llvm-objdump's;
//! and objects with random damage from a seeded generator.

use crate::support;
use ebpf::{disassemble, ByteOrder, Census, Engine, Limits, Loaded, Object, Options, Program, Status, Vm};
use std::path::PathBuf;
use std::process::Command;

fn tool(name: &str) -> Command {
    Command::new(format!("{name}-19"))
}

/// Compiles tests/objects/programs.c; `name` keeps the files of concurrent tests apart.
fn compile(target: &str, name: &str) -> PathBuf {
    let output = support::scratch().join(format!("{name}-{target}.o"));
    let status = tool("clang")
        .args(["-target", target, "-mcpu=v4", "-O2", "-g", "-Wno-everything", "-c", "-o"])
        .arg(&output)
        .arg(support::library().join("tests/objects/programs.c"))
        .status()
        .expect("clang-19 runs");
    assert!(status.success(), "clang-19 -target {target}");
    output
}

fn object(target: &str, name: &str) -> Object {
    let path = compile(target, name);
    Object::parse(&std::fs::read(path).expect("the object")).expect("the object loads")
}

fn program<'o>(object: &'o Object, name: &str) -> &'o Program {
    object.programs.iter().find(|program| program.name == name).expect("the program is in the object")
}

/// Runs a program with both engines, which have to agree.
fn run(object: &Object, name: &str, context: &mut [u8]) -> Result<u64, ebpf::Error> {
    let [interpreted, compiled] = run_both(object, program(object, name), context)?;
    assert_eq!(interpreted, compiled, "{name}: interpreter and compiled code");
    interpreted
}

/// Runs a program with both engines, on fresh maps each, so that addresses differ between the two.
fn run_both(
    object: &Object,
    program: &Program,
    context: &mut [u8],
) -> Result<[Result<u64, ebpf::Error>; 2], ebpf::Error> {
    let before = context.to_vec();
    let mut results = Vec::new();
    for engine in [Engine::Interpreter, Engine::Compiled] {
        context.copy_from_slice(&before);
        // Damaged objects of both byte orders run here, too; their results do not matter, only that nothing crashes.
        let limits = Limits { budget_instructions: Some(10_000), any_byte_order: true, ..Limits::default() };
        results.push(Loaded::new(object, program, limits)?.run(engine, context));
    }
    Ok(results.try_into().expect("two engines"))
}

fn host_order_object(name: &str) -> Object {
    object(if cfg!(target_endian = "big") { "bpfeb" } else { "bpfel" }, name)
}

#[test]
fn programs_run() {
    let object = host_order_object("run");
    let mut context = [7u8, 6, 0, 0, 0, 0, 0, 0];
    assert_eq!(run(&object, "count", &mut context), Ok(10));
    assert_eq!(run(&object, "remember", &mut context), Ok(3));
    assert_eq!(run(&object, "variables", &mut context), Ok(0x0102_0304 + 49 + 41 + 7));
    assert_eq!(run(&object, "calls", &mut context), Ok(30));
    let mut packet = [0u8; 54];
    packet[12..14].copy_from_slice(&[8, 0]);
    packet[34..38].copy_from_slice(&[0x12, 0x34, 0x00, 0x50]);
    assert_eq!(run(&object, "packet", &mut packet), Ok(0x1234 + 0x50));
    assert_eq!(packet[48..50], [0x12, 0x35]);
    let error = run(&object, "wild", &mut context).expect_err("it reads outside");
    assert_eq!(error.status, Status::Bounds);
}

#[test]
fn maps_keep_their_values_between_runs() {
    let object = host_order_object("keep");
    let mut loaded = Loaded::new(&object, program(&object, "count"), Limits::default()).expect("it loads");
    let context = &mut [0u8; 8];
    assert_eq!(loaded.run(Engine::Interpreter, context), Ok(10));
    assert_eq!(loaded.run(Engine::Compiled, context), Ok(20));
    let (_, values) = loaded.maps().find(|(map, _)| map.name == "counters").expect("the map");
    assert_eq!(values[16..24], 20u64.to_ne_bytes());
}

#[test]
fn both_byte_orders_hold_the_same_programs() {
    let (little, big) = (object("bpfel", "orders"), object("bpfeb", "orders"));
    assert_eq!((little.order, big.order), (ByteOrder::Little, ByteOrder::Big));
    let names = |object: &Object| object.programs.iter().map(|p| p.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&little), names(&big));
    assert_eq!(little.maps, big.maps);
    for name in ["count", "calls", "variables"] {
        let text = |object: &Object| {
            let lines = disassemble(&program(object, name).bytecode, object.order);
            lines.into_iter().map(|line| line.text).collect::<Vec<_>>()
        };
        assert_eq!(text(&little), text(&big), "{name}");
    }
}

/// A big-endian object whose program reads its data in single bytes runs on a little-endian machine, too.
#[test]
fn a_foreign_object_runs_where_its_data_is_not_looked_at() {
    let object = object("bpfeb", "foreign");
    assert_eq!(run(&object, "calls", &mut [7, 6]), Ok(30));
}

#[test]
fn maps_are_read_from_btf() {
    let object = host_order_object("maps");
    let find = |name: &str| object.maps.iter().find(|map| map.name == name).expect("the map").clone();
    let counters = find("counters");
    assert_eq!((counters.key_bytes, counters.value_bytes, counters.entries), (4, 8, 4));
    assert_eq!(counters.kind, ebpf::MapKind::Array);
    let table = find("table");
    assert_eq!((table.key_bytes, table.value_bytes, table.entries), (8, 4, 2));
    assert_eq!(table.kind, ebpf::MapKind::Hash);
}

#[test]
fn the_census_counts_swaps() {
    let object = object("bpfel", "census");
    let program = program(&object, "packet");
    let mut vm = Vm::new(Options::default()).expect("memory");
    vm.load(&program.bytecode, object.order).expect("it needs no helper");
    let little = Census::of(&mut vm, &program.bytecode, object.order, ByteOrder::Little).expect("verified");
    assert_eq!(little.be[0] + little.bswap[0], 3, "{little:?}");
    assert!(little.with_load >= 1 && little.with_store >= 1, "{little:?}");
    assert_eq!(little.with_load + little.with_store + little.remaining, 3);
}

/// Lines of llvm-objdump, without addresses and comments, function by function.
fn objdump(path: &PathBuf) -> Vec<String> {
    let output = tool("llvm-objdump")
        .args([
            "-d",
            "--no-show-raw-insn",
            "--no-print-imm-hex",
            "--mcpu=v4",
            "--no-leading-addr",
            "--section=test",
            "--section=net",
            "--section=.text",
        ])
        .arg(path)
        .output()
        .expect("llvm-objdump-19 runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let mut lines = Vec::new();
    for line in text.lines().filter(|line| line.starts_with('\t')) {
        let code = line.split('#').next().unwrap_or("").trim_end();
        let label = code.rfind('<').filter(|_| code.ends_with('>')).unwrap_or(code.len());
        let line = &code[..label];
        lines.push(line.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    lines
}

/// Writes numbers in decimal and jumps without a plus sign: the two disassemblers differ there, and both forms assemble.
fn normal(line: &str) -> String {
    let mut parts = line.split("0x");
    let mut text = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(part.len());
        let value = u64::from_str_radix(&part[..digits], 16).expect("hex digits");
        text.push_str(&format!("{value}{}", &part[digits..]));
    }
    text.replace("goto +", "goto ").replace("gotol +", "gotol ")
}

#[test]
fn listings_are_like_those_of_llvm_objdump() {
    for target in ["bpfel", "bpfeb"] {
        let path = compile(target, "listing");
        let data = std::fs::read(&path).expect("the object");
        let expected: Vec<String> = objdump(&path).iter().map(|line| normal(line)).collect();
        let file = object::File::parse(&*data).expect("an object");
        let order = if target == "bpfel" { ByteOrder::Little } else { ByteOrder::Big };
        let mut lines = Vec::new();
        use object::{Object as _, ObjectSection as _};
        for section in file.sections() {
            if ["test", "net", ".text"].contains(&section.name().expect("a name")) {
                let listing = disassemble(section.data().expect("data"), order);
                lines.extend(listing.iter().map(|line| normal(&line.text)));
            }
        }
        assert!(lines.len() > 100, "only {} lines", lines.len());
        assert_eq!(lines.len(), expected.len());
        for (ours, theirs) in lines.iter().zip(&expected) {
            // llvm-objdump shows a relocated call by its symbol.
            let same = ours == theirs || (ours.starts_with("call") && theirs.starts_with("call"));
            assert!(same, "{target}: we write `{ours}`, llvm-objdump `{theirs}`");
        }
    }
}

/// xorshift64*, seeded: the same damage in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize) % limit
    }
}

fn damage(data: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..1 + random.below(6) {
        let at = random.below(data.len());
        match random.below(6) {
            0 => data[at] = random.below(256) as u8,
            1 => data[at] ^= 1 << random.below(8),
            2 => data[at] = [0, 0xff, 0x7f, 0x80][random.below(4)],
            3 => data.truncate(at.max(1)),
            4 => {
                let from = random.below(data.len());
                let bytes = random.below(64).min(data.len() - at.max(from));
                data.copy_within(from..from + bytes, at);
            }
            _ => {
                let from = random.below(other.len());
                let bytes = random.below(256).min(other.len() - from);
                let removed = random.below(256).min(data.len() - at);
                data.splice(at..at + removed, other[from..from + bytes].iter().copied());
            }
        }
    }
}

/// Counts of damaged objects tried and loaded, and of programs of theirs that could be loaded and run.
#[derive(Default)]
struct Tally {
    tried: usize,
    loaded: usize,
    ran: usize,
}

impl Tally {
    /// Parses, lists, loads and runs what is left of an object.
    fn try_object(&mut self, data: &[u8]) {
        self.tried += 1;
        let Ok(object) = Object::parse(data) else {
            return;
        };
        self.loaded += 1;
        for program in &object.programs {
            disassemble(&program.bytecode, object.order);
            if object.map_contents.iter().map(Vec::len).sum::<usize>() > 1 << 20 {
                continue;
            }
            let mut context = [7, 6, 5, 4, 3, 2, 1, 0];
            self.ran += usize::from(run_both(&object, program, &mut context).is_ok());
        }
    }
}

/// No contents of an object make the loader, the verifier or an engine panic or crash.
#[test]
fn damaged_objects_are_errors_at_worst() {
    // A short run by default; EBPF_ELF_ROUNDS=1000000 makes a long one.
    let rounds = std::env::var("EBPF_ELF_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(4000);
    let good =
        ["bpfel", "bpfeb"].map(|target| std::fs::read(compile(target, "damaged")).expect("the object"));
    let mut random = Random(0x5eed);
    let mut tally = Tally::default();
    for round in 0..rounds {
        let mut data = good[round % 2].clone();
        damage(&mut data, &good[1 - round % 2], &mut random);
        tally.try_object(&data);
    }
    let Tally { loaded, ran, .. } = tally;
    assert!(loaded > rounds / 10 && ran > rounds / 10, "{loaded} of {rounds} loaded, {ran} programs ran");
}

/// The same for each byte: the object is truncated there, or one bit of the byte is flipped.
#[test]
fn each_byte_of_an_object_may_be_missing_or_wrong() {
    let mut random = Random(0xb17);
    for target in ["bpfel", "bpfeb"] {
        let good = std::fs::read(compile(target, "each")).expect("the object");
        let (mut cut, mut flipped) = (Tally::default(), Tally::default());
        for at in 0..good.len() {
            cut.try_object(&good[..at]);
            let mut data = good.clone();
            data[at] ^= 1 << random.below(8);
            flipped.try_object(&data);
        }
        assert_eq!((cut.tried, flipped.tried), (good.len(), good.len()));
        assert_eq!(cut.loaded, 0, "{target}: the section headers are at the end");
        assert!(
            flipped.loaded > good.len() / 4 && flipped.ran > flipped.loaded,
            "{target}: {}",
            flipped.loaded
        );
    }
}

#[test]
fn what_is_no_object_is_named() {
    let message = |data: &[u8]| Object::parse(data).expect_err("no object").to_string();
    assert!(message(b"").contains("not a readable ELF object"), "{}", message(b""));
    assert!(message(b"\x7fELF").contains("not a readable ELF object"));
    let own = std::fs::read(std::env::current_exe().expect("this program")).expect("it");
    assert!(message(&own).contains("not for BPF"), "{}", message(&own));
}
