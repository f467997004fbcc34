// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The generator and the harness, mostly without timing: generated loops are reproducible, single steps record the loop as
//! it was written, and addresses follow from the registers. One sample is timed and predicted.
#![cfg(target_arch = "x86_64")]

use native::blocks;
use native::case::{assembly, programs, Case, Category, CODE, DATA};
use native::generate::{cases, Half};
use native::run::{sample, steps, Failure, Runs};
use native::source::Recorded;
use std::collections::HashSet;
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

fn assemble_text(text: &str, name: &str) -> std::io::Result<Vec<u8>> {
    let folder = std::env::temp_dir().join(format!("assay-native-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let (source, object) = (folder.join("loops.s"), folder.join("loops.o"));
    std::fs::write(&source, text)?;
    let mut command = Command::new("clang-19");
    command.args(["-c", "-x", "assembler"]).arg(&source).arg("-o").arg(&object);
    let output = command.output().expect("clang-19 is set up");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let bytes = std::fs::read(&object);
    std::fs::remove_dir_all(&folder)?;
    bytes
}

fn assemble(cases: &[Case]) -> Vec<native::case::Program> {
    let object = assemble_text(&assembly(cases), &cases.len().to_string()).unwrap();
    programs(&object, cases.len()).unwrap()
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
fn what_is_held_out_is_not_in_the_open_half() {
    let code = |case: &Case| (case.setup.clone(), case.functions.clone(), case.body.clone());
    let all = |of: &dyn Fn(Half) -> Vec<Case>| {
        let open: HashSet<_> = of(Half::Open).iter().map(code).collect();
        let held_out = of(Half::HeldOut);
        let known: Vec<&str> =
            held_out.iter().filter(|case| open.contains(&code(case))).map(|case| &*case.name).collect();
        assert!(known.is_empty(), "{known:?}");
        assert!(held_out.iter().all(|case| case.held_out));
        held_out.len()
    };
    // Five of these walks are drawn twice.
    let generated = all(&|half| cases(1, 1000, half));
    assert!((480..500).contains(&generated), "{generated}");
    all(&|half| blocks::harvest(1, 400, half).unwrap().cases);
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

/// A long run behind a short one finds the lines of its first turns in the cache, the short one behind a long one does not: their
/// difference made walks through the second level a sixth too fast.
#[test]
fn short_and_long_runs_of_a_walk_both_go_behind_a_long_one() {
    let mut case = one("mov rax, [rdi + 64]");
    // Ends in an illegal instruction if one of the two runs before a short one was short.
    let lines = [
        &format!("mov rdi, {DATA}\ncmp rsi, 16\njne 1f") as &str,
        "cmp qword ptr [rdi], 16\nje 2f\ncmp qword ptr [rdi + 8], 16\njne 1f\n2: ud2",
        "1: mov rax, [rdi]\nmov [rdi + 8], rax\nmov [rdi], rsi",
    ];
    case.setup = lines.join("\n");
    let program = assemble(&[case]).remove(0);
    let sampled = |walks| sample(&program, Runs { short: 16, long: 64, filled: false, walks });
    assert!(sampled(true).is_ok_and(|visit| visit.samples.len() as u64 + visit.disturbed > 0));
    assert_eq!(sampled(false).err(), Some(Failure::Signal(4)));
}

/// Limit on the median error of the undisturbed loops in a sample of `validate --native`. The median of the long run is 0.5
/// percent on a described core; a wrong latency or pipe of one class changes some rows, a broken engine or harness changes
/// half of them.
const MEDIAN_PERCENT_MAX: f64 = 5.0;
/// The fewest measured loops for which the median is meaningful.
const MEASURED_MIN: usize = 12;

#[test]
fn loops_on_this_machine_take_the_cycles_that_its_cpu_file_says() {
    let cpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus");
    let cpu = match native::machine::described_in(&cpus) {
        Ok(cpu) => cpu,
        Err(native::machine::NotDescribed::Cpu(error)) => panic!("{error}"),
        Err(reason) => {
            println!("skipped: {reason}");
            return;
        }
    };
    let kinds = [Category::Chain, Category::Mix, Category::Loads];
    let sample = cases(11, 240, Half::Open).into_iter().filter(|case| kinds.contains(&case.category));
    let assembler = |text: &str| assemble_text(text, "sample").map_err(|error| error.to_string());
    let results =
        native::judge::judge(sample.collect(), &cpu, false, &assembler, &Default::default(), &|_| {})
            .unwrap();
    let (own, _) = results.errors(|_| true);
    if own.count < MEASURED_MIN {
        let (count, control) = (own.count, results.control);
        println!("skipped: only {count} loops could be measured undisturbed on this busy machine; control loop {control:?}");
        return;
    }
    let rows: Vec<String> = results
        .outcomes
        .iter()
        .map(|outcome| format!("{}: {:+.0} %", outcome.case.name, outcome.error_percent()))
        .collect();
    assert!(
        own.median_percent <= MEDIAN_PERCENT_MAX,
        "median {:.1} %, control loop {:?}: {rows:?}",
        own.median_percent,
        results.control
    );
}

#[test]
fn loops_that_are_written_down_say_where_each_line_stands() {
    let text = "// remark\n# one: of all\n! xor eax, eax\n@ 1: ret\n% 5\nadd rax, 1 ; remark\n\n# two\nnop\n";
    let cases = native::probes::parse(text);
    assert_eq!(cases.iter().map(|case| case.name.as_str()).collect::<Vec<_>>(), ["one: of all", "two"]);
    let first = &cases[0];
    assert_eq!(
        (first.functions.as_str(), first.body.as_str(), first.offset),
        ("1: ret\n", "add rax, 1\n", 5)
    );
    assert!(first.setup.ends_with("\nxor eax, eax\n"));
    let all = native::probes::parse(include_str!("../probes/x86_64.txt"));
    assert!(all.len() > 100);
    let zen = native::probes::parse(include_str!("../probes/zen.txt"));
    assert_eq!(assemble(&zen).len(), zen.len(), "what this machine lacks is assembled, too");
    for (case, program) in all.iter().zip(assemble(&all)) {
        steps(&program, 2, false).unwrap_or_else(|failure| panic!("{}: {failure}", case.name));
    }
}
