// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The generator and the harness, without a clock: what is written is reproducible, what is stepped through is what was
//! written, and addresses are those that the registers say.
#![cfg(target_arch = "x86_64")]

use native::case::{assembly, programs, Case, Category, CODE, DATA};
use native::generate::{cases, Half};
use native::run::{steps, Failure};
use native::source::Recorded;
use std::process::Command;

fn one(body: &str) -> Case {
    Case {
        name: "test".into(),
        category: Category::Flow,
        functions: String::new(),
        setup: format!("mov rdi, {DATA}\nxor ebx, ebx"),
        body: body.into(),
        counter: "rsi",
        offset: 3,
        held_out: false,
    }
}

fn assemble(cases: &[Case]) -> Vec<native::case::Program> {
    let folder = std::env::temp_dir().join(format!("assay-native-{}-{}", std::process::id(), cases.len()));
    std::fs::create_dir_all(&folder).unwrap();
    let (source, object) = (folder.join("loops.s"), folder.join("loops.o"));
    std::fs::write(&source, assembly(cases)).unwrap();
    let mut command = Command::new("clang-19");
    command.args(["-c", "-x", "assembler"]).arg(&source).arg("-o").arg(&object);
    let output = command.output().expect("clang-19 is set up");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let programs = programs(&std::fs::read(&object).unwrap(), cases.len()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    programs
}

#[test]
fn a_seed_gives_the_same_loops_and_its_halves_share_none() {
    let (open, held_out) = (cases(5, 48, Half::Open), cases(5, 48, Half::HeldOut));
    assert_eq!(open, cases(5, 48, Half::Open));
    assert_ne!(open, cases(6, 48, Half::Open));
    assert_eq!((open.len(), held_out.len()), (24, 24));
    assert!(open.iter().all(|case| !case.held_out && held_out.iter().all(|other| other.body != case.body)));
    for category in Category::GENERATED {
        assert!(open.iter().any(|case| case.category == category), "{}", category.name());
    }
}

#[test]
fn some_dozen_generated_loops_assemble_and_run_their_turns() {
    let cases = cases(5, 48, Half::Open);
    for (case, program) in cases.iter().zip(assemble(&cases)) {
        let steps = steps(&program, 4, false).unwrap_or_else(|failure| panic!("{}: {failure}", case.name));
        let recorded =
            Recorded::new(&program, &steps).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        assert_eq!(recorded.turns(), 4, "{}", case.name);
        assert!(recorded.turn().len() >= 2, "{}", case.name);
    }
}

#[test]
fn steps_tell_path_and_registers_and_only_moving_accesses_walk() {
    let still = one("add rax, [rdi+8]");
    let walking = one("mov rax, [rdi+8*rbx+16]\ninc rbx");
    let programs = assemble(&[still, walking]);
    let recorded: Vec<Recorded> = programs
        .iter()
        .map(|program| Recorded::new(program, &steps(program, 5, false).unwrap()).unwrap())
        .collect();
    assert_eq!(recorded.iter().map(Recorded::walks).collect::<Vec<_>>(), [false, true]);
    let first = steps(&programs[1], 5, false).unwrap();
    assert_eq!(first[0].address, CODE + programs[1].start);
    let rbx: Vec<u64> = first.iter().step_by(4).map(|step| step.registers[3]).collect();
    assert_eq!(rbx, [0, 1, 2, 3, 4]);
}

#[test]
fn what_cannot_run_is_named_and_harms_nobody() {
    let programs = assemble(&[one("xor ecx, ecx\ndiv ecx"), one("mov rax, [rbx]"), one("ud2")]);
    let failures: Vec<Failure> =
        programs.iter().map(|program| steps(program, 2, true).unwrap_err()).collect();
    assert_eq!(failures, [Failure::Signal(8), Failure::Unmappable, Failure::Signal(4)]);
}
