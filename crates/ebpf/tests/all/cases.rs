// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The library's own cases (libs/ebpf/tests/*.bpf): both engines, fusion on and off, on every machine; cases that swap bytes
//! also with every swap strategy.

use crate::support;
use crate::support::cases::{self, Case, Expectation};
use ebpf::{assemble, disassemble, disassemble_exactly, Answer, ByteOrder, Engine, Plugin, Question};
use std::collections::BTreeMap;

/// The strategies besides "auto".
const SWAPS: [&str; 4] = ["memory", "register", "vector", "isa31"];
const UNSUPPORTED: &str = "unsupported: ";

fn all_cases() -> Vec<Case> {
    let cases = cases::read_all(&support::library().join("tests"));
    assert!(cases.len() > 1800, "only {} cases were found", cases.len());
    cases
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn program(case: &Case, order: ByteOrder) -> Vec<u8> {
    assemble(&case.text, order).unwrap_or_else(|error| panic!("case {}: {error}", case.name))
}

fn judge(case: &Case, answer: &Answer, big_endian: bool) -> Result<(), String> {
    match (&case.expectation, answer) {
        (Expectation::Result(little, big), Ok(r0)) => {
            let expected = if big_endian { *big } else { *little };
            (*r0 == expected).then_some(()).ok_or_else(|| format!("r0 is {r0:#x}, not {expected:#x}"))
        }
        (Expectation::Refused(text), Err(message)) => {
            let refused = message.starts_with("program: ") || message.starts_with("relocation: ");
            (refused && message.contains(text))
                .then_some(())
                .ok_or_else(|| format!("the message is: {message}"))
        }
        (Expectation::Stopped(text), Err(message)) => {
            let refused = message.starts_with("program: ");
            (!refused && message.contains(text))
                .then_some(())
                .ok_or_else(|| format!("the message is: {message}"))
        }
        (expectation, answer) => Err(format!("{answer:x?} where {expectation:x?} was expected")),
    }
}

/// Runs the cases, those with the same options in one process; returns the failures.
fn run(plugin: &Plugin, cases: &[Case], engine: Engine, strategy: &[&str]) -> Vec<String> {
    let mut by_options: BTreeMap<&[String], Vec<&Case>> = BTreeMap::new();
    for case in cases {
        by_options.entry(&case.options).or_default().push(case);
    }
    let mut failures = Vec::new();
    for (options, group) in by_options {
        let programs: Vec<String> = group.iter().map(|case| hex(&program(case, ByteOrder::Little))).collect();
        let questions: Vec<Question> = programs
            .iter()
            .zip(&group)
            .map(|(program, case)| (program.as_str(), case.memory.as_str()))
            .collect();
        let words: Vec<&str> = options.iter().map(String::as_str).chain(strategy.iter().copied()).collect();
        let answers = plugin.run_batch(&questions, engine, &words).expect("the plugin runs");
        for (index, case) in group.iter().enumerate() {
            let verdict = match answers.get(index) {
                Some(answer) => judge(case, answer, plugin.is_big_endian()),
                None => Err("not run".into()),
            };
            if let Err(reason) = verdict {
                let arch = plugin.arch();
                failures.push(format!("{arch}, {engine:?} {strategy:?}, case {}: {reason}", case.name));
            }
        }
    }
    failures
}

fn is_supported(plugin: &Plugin, swap: &str) -> bool {
    let question = ("d7000000100000009500000000000000", "");
    let answers =
        plugin.run_batch(&[question], Engine::Compiled, &["--swap", swap]).expect("the plugin runs");
    !matches!(&answers[0], Err(message) if message.starts_with(UNSUPPORTED))
}

#[test]
fn every_case_on_every_machine() {
    let cases = all_cases();
    let swapping =
        |case: &&Case| ["le", "be", "bswap"].iter().any(|word| case.text.contains(&format!("= {word}")));
    let with_swaps: Vec<Case> = cases.iter().filter(swapping).cloned().collect();
    assert!(with_swaps.len() > 200, "only {} cases swap bytes", with_swaps.len());
    let mut failures = Vec::new();
    for (arch, emulator) in support::MACHINES {
        let plugin = support::plugin(arch, emulator);
        failures.extend(run(&plugin, &cases, Engine::Interpreter, &[]));
        if !support::has_back_end(arch) {
            continue;
        }
        for fusion in ["--fuse", "--no-fuse"] {
            failures.extend(run(&plugin, &cases, Engine::Compiled, &[fusion]));
        }
        let swaps: Vec<&str> = SWAPS.into_iter().filter(|swap| is_supported(&plugin, swap)).collect();
        assert!(swaps.contains(&"register"), "{arch} has only {swaps:?}");
        for swap in swaps {
            for fusion in ["--fuse", "--no-fuse"] {
                failures.extend(run(&plugin, &with_swaps, Engine::Compiled, &["--swap", swap, fusion]));
            }
        }
    }
    let count = failures.len();
    failures.truncate(40);
    assert!(failures.is_empty(), "{count} failures, among them:\n{}", failures.join("\n"));
}

/// Together, the cases that expect a result have to use every opcode of RFC 9669, counted from their bytecode.
#[test]
fn the_cases_cover_every_opcode() {
    let mut seen = [false; 256];
    for case in all_cases().iter().filter(|case| matches!(case.expectation, Expectation::Result(..))) {
        let bytecode = program(case, ByteOrder::Little);
        for line in disassemble(&bytecode, ByteOrder::Little) {
            seen[bytecode[line.slot * 8] as usize] = true;
        }
    }
    let mut expected: Vec<u8> = vec![0x18, 0x05, 0x06, 0x85, 0x8d, 0x95, 0xd4, 0xdc, 0xd7, 0x84, 0x87];
    for code in [0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x90, 0xa0, 0xb0, 0xc0] {
        expected.extend([0x04, 0x0c, 0x07, 0x0f].map(|class| code | class));
    }
    for code in [0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0xa0, 0xb0, 0xc0, 0xd0] {
        expected.extend([0x05, 0x0d, 0x06, 0x0e].map(|class| code | class));
    }
    for size in [0x00, 0x08, 0x10, 0x18] {
        expected.extend([0x61 | size, 0x62 | size, 0x63 | size]);
    }
    expected.extend([0x81, 0x89, 0x91, 0xc3, 0xdb]);
    let missing: Vec<String> = expected
        .iter()
        .filter(|opcode| !seen[**opcode as usize])
        .map(|opcode| format!("{opcode:#04x}"))
        .collect();
    assert!(missing.is_empty(), "no case uses {missing:?}");
    assert_eq!(expected.len(), 120, "RFC 9669 without the packet group has this many opcodes");
}

/// The disassembly of a program assembles to the same bytecode, in both byte orders.
#[test]
fn text_and_bytecode_agree() {
    for case in all_cases().iter().filter(|case| !case.text.contains("raw")) {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let bytecode = program(case, order);
            let lines: Vec<String> =
                disassemble(&bytecode, order).into_iter().map(|line| line.text).collect();
            let again = assemble(&lines.join("\n"), order);
            assert_eq!(again.as_ref(), Ok(&bytecode), "case {}:\n{}", case.name, lines.join("\n"));
        }
    }
}

/// Whatever has a text can be assembled from it, also with fields that the verifier refuses. Reserved fields have no text, and a
/// sign extension from a negative number of bits has one that the assembler does not take.
#[test]
fn every_text_of_the_disassembler_is_assembled() {
    const IMMEDIATES: [i32; 12] = [0, 1, -1, 16, 32, 64, 0x41, 0x51, 0xa1, 0xe1, 0xf1, i32::MIN];
    let mut assembled = 0;
    for opcode in 0..=u8::MAX {
        for (imm, offset) in IMMEDIATES.iter().flat_map(|imm| [0i16, 1, 8, -8].map(|offset| (*imm, offset))) {
            for registers in [0x00, 0x21, 0x12, 0x53] {
                let (offset, imm) = (offset.to_le_bytes(), imm.to_le_bytes());
                let slot = [opcode, registers, offset[0], offset[1], imm[0], imm[1], imm[2], imm[3]];
                let line = &disassemble(&[slot, [0; 8]].concat(), ByteOrder::Little)[0];
                if !line.text.starts_with('<') && !line.text.contains("(s-") {
                    let again =
                        assemble(&line.text, ByteOrder::Little).unwrap_or_else(|error| panic!("{error}"));
                    assert_eq!(again[0], opcode, "{}", line.text);
                    assembled += 1;
                }
            }
        }
    }
    assert!(assembled > 20_000, "only {assembled}");
}

/// Any slots, an lddw with what its second slot may not have, and a slot that is cut off, whose bytes are lost.
#[test]
fn an_exact_listing_gives_the_same_bytes() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        for opcode in 0..=u8::MAX {
            for fields in
                [[0; 7], [0x21, 0, 0, 0, 0, 0, 0], [0xc3, 0xff, 1, 0x80, 2, 3, 0xfe], [0, 0, 0, 7, 0, 0, 0]]
            {
                let slot = [&[opcode][..], &fields].concat();
                let bytes = [slot.as_slice(), &[0, 0x10, 0, 0, 2, 0, 0, 0], &slot].concat();
                let text = disassemble_exactly(&bytes, order).join("\n");
                assert_eq!(assemble(&text, order), Ok(bytes.clone()), "{text}");
                let cut = disassemble_exactly(&bytes[..21], order).join("\n");
                assert_eq!(assemble(&cut, order), Ok(bytes[..16].to_vec()), "{cut}");
            }
        }
    }
}
