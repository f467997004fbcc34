// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The oracle: a second engine that takes every instruction one general way, to be compared with the fast one.
//!
//! It has no fast paths for common instructions, no rings, calendars or masks of busy cycles, no index into the store queue, and
//! skips no loops: it has lists of everything that ever was, and maps from cycles, searched one by one. It is written from
//! docs/method.md and the meanings in cpu/schema.rs. It shares with the fast engine the description of an instruction
//! (`description`, and of `plan` the lists of sources, parts and results and the flags that classes and the decoder set, but
//! none of those that choose a fast path) and the tables that predict branches, whose hashes are the model.
//!
//! `compare` runs a program on both and names the first instruction whose fetch, dispatch, issue, result or completion
//! differs. Programs come from seeds (`program`). `faults` plants errors in the fast engine, one for each mechanism, and
//! demands that they are found. The long form: `ORACLE_SEEDS=2000 cargo test --release -p predict --lib oracle -- --ignored`.

mod caches;
mod dispatch;
mod faults;
mod fetch;
mod in_order;
mod machine;
mod memory;
mod pipes;
mod program;
mod queues;
mod registers;
mod relaxed;
mod stalls;
mod stores;
mod window;

use crate::core::Event;
use crate::cpu::schema::CoreKind;
use crate::cpu::Cpu;
use crate::description::{Description, Memory};
use crate::driver::{predict, Options, Prediction};
use crate::fallback::Fallback;
use crate::op::Op;
use crate::plan::Plan;
use crate::relax::Relax;
use crate::source::Access;
use program::{Pool, Program};
use std::path::Path;

/// What is counted besides cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    forwards: u64,
    forward_failures: u64,
    order_flushes: u64,
    branch_misses: u64,
    l1_misses: u64,
    instruction_misses: u64,
    /// The most cycles ahead of dispatch for which something was reserved.
    ahead: u64,
}

/// A core of the oracle.
trait Machine {
    /// Takes an instruction from fetch to completion; `next` is executed after it.
    fn step(&mut self, plan: &Plan, op: &Op, accesses: &[Access], next: u64);
    fn lives(&self) -> &[Event];
    /// The cycle up to which everything has completed.
    fn end(&self) -> u64;
    fn tally(&self) -> Tally;
}

/// What an access costs that crosses boundaries. One that is longer than between two of them crosses wherever it stands, and
/// its latency says so.
fn crossing(memory: &Memory, address: u64, bytes: u64) -> u64 {
    let crosses = |boundary: u64| bytes <= boundary && address / boundary != (address + bytes - 1) / boundary;
    memory.crossings.iter().filter(|(boundary, _)| crosses(*boundary)).map(|(_, cost)| cost).sum()
}

/// The fast engine remembers reservations for 2048 cycles; a chain of misses that reaches further meets no competition there.
const FAR: u64 = 1900;

/// Before the name of a cpu that is to have a first level so small that few accesses push out what was written.
const SMALL: &str = "small:";

/// Before the name of one whose programs are made of few instructions: those that rename may execute, and others that cannot take
/// what it did as it is.
const RENAMING: &str = "renaming:";

/// Before the name of one whose programs pass values on through memory, mostly through one place.
const PASSING: &str = "passing:";

fn load(name: &str) -> Cpu {
    if let Some(llvm) = name.strip_prefix(crate::fallback::PREFIX) {
        return crate::fallback::llvm_cpu(arch::Arch::X86_64, llvm).unwrap_or_else(|error| panic!("{error}"));
    }
    if let Some(name) = name.strip_prefix(SMALL) {
        return load(name).with("cache.l1.size", 1.0).unwrap();
    }
    Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), name)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// All cpus there are files of, and three that only LLVM describes, the last of which issues in order.
fn cpus() -> Vec<String> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus");
    let files =
        std::fs::read_dir(dir).unwrap().flat_map(|arch| std::fs::read_dir(arch.unwrap().path()).unwrap());
    let name = |file: std::fs::DirEntry| file.path().file_stem().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<String> = files.map(|file| name(file.unwrap())).collect();
    names.sort();
    names.extend(["llvm:znver4", "llvm:skylake-avx512", "llvm:atom"].map(str::to_owned));
    names
}

/// A cpu with what it takes to compare on it.
struct Bench {
    cpu: Cpu,
    description: Description,
    pool: Pool,
}

/// How a comparison came out.
#[derive(Debug)]
enum Verdict {
    Same(Tally),
    /// Something was planned too far ahead for the fast engine to remember.
    Far,
    Differs(String),
}

impl Bench {
    fn new(name: &str) -> Bench {
        let renamed = name.strip_prefix(RENAMING);
        let passed = name.strip_prefix(PASSING);
        let mut cpu = load(renamed.or(passed).unwrap_or(name));
        // The programs have short paths, branches far apart, and few executions of a load.
        let few = [
            ("replay.slots", "replay.slots", 12.0),
            ("replay.slots", "replay.lines", 6.0),
            ("replay.slots", "replay.after", 6.0),
            ("replay.slots", "replay.decided", 2.0),
            ("replay.slots", "fetch.btb_ways", 1.0),
            ("memory.rename_learns", "memory.rename_learns", 4.0),
            ("memory.rename_learns", "memory.rename_unlearns", 2.0),
        ];
        for (where_there_is, key, value) in few {
            if cpu.value(where_there_is).is_some() {
                cpu.set(key, value);
            }
        }
        let description = Description::new(&cpu).unwrap();
        let pool = match (renamed, passed) {
            (Some(_), _) => Pool::drawn(&cpu, &description, program::renamed),
            (_, Some(_)) => Pool::drawn(&cpu, &description, program::passed).at_one_place(80),
            _ => Pool::new(&cpu, &description),
        };
        Bench { cpu, description, pool }
    }

    fn told(&self, program: &Program, events: bool, skip_loops: bool) -> Prediction {
        let options = Options { events: events.then_some((0, u64::MAX)), skip_loops, ..Options::default() };
        predict(&mut program.source(), &[&self.cpu], &options).unwrap().remove(0)
    }

    fn machine(&self) -> Box<dyn Machine> {
        match self.description.kind {
            CoreKind::InOrder => Box::new(in_order::InOrder::new(&self.description)),
            _ => Box::new(machine::OutOfOrder::new(&self.description)),
        }
    }

    /// Runs a program on the oracle.
    fn slowly(&self, program: &Program) -> Box<dyn Machine> {
        let fallback = Fallback::of(&self.cpu, &self.description, self.pool.arch);
        let mut plan = Plan::new(None, 0, Relax::default(), fallback);
        for block in &program.blocks {
            plan.add_block(&self.description, self.pool.kinds(), block);
        }
        let mut machine = self.machine();
        for visit in program.unfolded() {
            let block = plan.blocks[visit.block];
            let ops = &plan.ops[block.first as usize..(block.first + block.count) as usize];
            for (index, op) in ops.iter().enumerate() {
                let of = |access: &&Access| usize::from(access.instruction) == index;
                let accesses: Vec<Access> = visit.accesses.iter().filter(of).copied().collect();
                let next = ops.get(index + 1).map_or(visit.next, |op| op.address);
                machine.step(&plan, op, &accesses, next);
            }
        }
        machine
    }

    /// Runs a program on both engines.
    fn compare(&self, program: &Program) -> Verdict {
        self.compare_with(&*self.slowly(program), program)
    }

    /// Runs a program on the fast engine and compares with what the oracle made of it.
    fn compare_with(&self, machine: &dyn Machine, program: &Program) -> Verdict {
        let tally = machine.tally();
        if tally.ahead > FAR {
            return Verdict::Far;
        }
        let fast = self.told(program, true, false);
        let events = &fast.timeline.as_ref().unwrap().events;
        let text = |event: &Event| &fast.timeline.as_ref().unwrap().texts[event.op as usize].1;
        for (index, (fast, slow)) in events.iter().zip(machine.lives()).enumerate() {
            if (Event { cause: slow.cause, pipes: 0, kept: (0, 0), loaded_from: 0, stored: 0, ..*fast })
                != *slow
            {
                let from = index.saturating_sub(2);
                let told = (from..=index).map(|index| {
                    let (fast, slow) = (&events[index], &machine.lives()[index]);
                    format!("{index:5} {:32} {}\n{:38} {}\n", text(fast), times(fast), "", times(slow))
                });
                return Verdict::Differs(format!("fast, then slow:\n{}", told.collect::<String>()));
            }
        }
        let counted = Tally {
            forwards: fast.counters.forwards,
            forward_failures: fast.counters.forward_failures,
            order_flushes: fast.counters.order_flushes,
            branch_misses: fast.counters.branch_misses,
            l1_misses: fast.counters.l1_misses,
            instruction_misses: fast.counters.instruction_misses,
            ahead: tally.ahead,
        };
        let silent = self.told(program, false, false);
        if (events.len(), counted, fast.cycles) != (machine.lives().len(), tally, machine.end()) {
            return Verdict::Differs(format!(
                "{counted:?}, {} cycles; {tally:?}, {}",
                fast.cycles,
                machine.end()
            ));
        }
        if (silent.cycles, &silent.counters) != (fast.cycles, &fast.counters) {
            return Verdict::Differs(format!("{} cycles unless recorded: {}", silent.cycles, fast.cycles));
        }
        Verdict::Same(tally)
    }
}

fn times(event: &Event) -> String {
    let Event { fetch, dispatch, start, ready, issue, finish, complete, opens_group, .. } = event;
    let complete = if *complete == u64::MAX { "open".to_owned() } else { complete.to_string() };
    format!("fetch {fetch} dispatch {dispatch} start {start} ready {ready} issue {issue} finish {finish} complete {complete}{}", if *opens_group { " opens" } else { "" })
}

/// What the programs of these seeds have tested: not the number of instructions counts, but the mechanisms met.
fn over_seeds(bench: &Bench, seeds: std::ops::Range<u64>, instructions: usize) -> (Tally, u64) {
    let (mut all, mut far) = (Tally::default(), 0);
    for seed in seeds.clone() {
        match bench.compare(&Program::new(&bench.pool, seed, instructions)) {
            Verdict::Same(tally) => {
                all.forwards += tally.forwards;
                all.forward_failures += tally.forward_failures;
                all.order_flushes += tally.order_flushes;
                all.branch_misses += tally.branch_misses;
                all.l1_misses += tally.l1_misses;
                all.instruction_misses += tally.instruction_misses;
                all.ahead = all.ahead.max(tally.ahead);
            }
            Verdict::Far => far += 1,
            Verdict::Differs(how) => panic!("{}, seed {seed}: {how}", bench.cpu.name),
        }
    }
    assert!(far * 2 < seeds.end - seeds.start, "{}: {far} programs reach too far ahead", bench.cpu.name);
    (all, far)
}

fn compare_all(seeds: u64, instructions: usize) {
    std::thread::scope(|scope| {
        for name in cpus() {
            scope.spawn(move || {
                let bench = Bench::new(&name);
                let (tally, far) = over_seeds(&bench, 0..seeds, instructions);
                println!(
                    "{name}: {seeds} programs of {} mnemonics, {far} not compared, {tally:?}",
                    bench.pool.mnemonics()
                );
                assert!(
                    bench.pool.mnemonics() > 100 && tally.forwards > 0 && tally.branch_misses > 0,
                    "{name}"
                );
            });
        }
    });
}

#[test]
fn every_cpu_tells_what_the_oracle_tells() {
    compare_all(40, 300);
}

#[test]
fn written_lines_that_are_pushed_out_are_told_alike() {
    for name in ["small:redwood_cove", "small:la664"] {
        over_seeds(&Bench::new(name), 0..40, 300);
    }
}

/// What rename has done reaches others through copies and through memory.
#[test]
fn constants_that_rename_adds_are_told_alike() {
    over_seeds(&Bench::new("renaming:redwood_cove"), 0..60, 300);
}

/// Values that go through memory come when loads try again, or are put together.
#[test]
fn values_through_memory_are_told_alike() {
    for name in ["passing:redwood_cove", "passing:golden_cove", "passing:zen5"] {
        over_seeds(&Bench::new(name), 0..60, 300);
    }
}

/// Of long programs: a load of the stack pointer that misses, result ports that are held more than 512 cycles apart, a load
/// across a line of what is forwarded, an instruction whose operations wait in a branch's queue and in a slice's, and code
/// that is left backwards without a branch.
#[test]
fn long_programs_that_once_differed_are_told_alike() {
    for (name, seed) in [
        ("zen3", 134),
        ("golden_cove", 134),
        ("power9", 28),
        ("llvm:atom", 15),
        ("power9", 57),
        ("zen5", 692),
    ] {
        over_seeds(&Bench::new(name), seed..seed + 1, 2000);
    }
}

#[test]
#[ignore = "minutes: ORACLE_SEEDS programs (1000) of each cpu"]
fn every_cpu_tells_what_the_oracle_tells_of_many_programs() {
    let seeds = std::env::var("ORACLE_SEEDS").map_or(1000, |seeds| seeds.parse().unwrap());
    compare_all(seeds, 2000);
}

/// How far off the cycles of a loop may be whose settled iterations are skipped.
const LEAP: f64 = 0.002;
/// The same for many loops. Among hundreds are some that reserve a divider for longer than the engine remembers (2048 cycles), or
/// that miss a line more than usual every few hundred turns.
const LEAP_OF_MANY: f64 = 0.02;

/// How far it is off for a loop of that seed, executed some thousand times; none if it does not settle. It is compared with
/// the same engine without leaps, which the other tests compare with the oracle.
fn leaps(bench: &Bench, seed: u64) -> Option<f64> {
    let program = Program::one_loop(&bench.pool, seed, 12_000);
    let leapt = bench.told(&program, false, true);
    let is_leapt = leapt.simulated < leapt.counters.instructions;
    is_leapt.then(|| (leapt.cycles as f64 / bench.told(&program, false, false).cycles as f64 - 1.0).abs())
}

#[test]
fn leaping_over_turns_takes_the_cycles_of_all_of_them() {
    for name in cpus() {
        let bench = Bench::new(&name);
        leap_all(&bench, 30, LEAP);
    }
    // Pipes of which one falls behind for some hundred turns of equal cycles, or one while another catches up; loads that find
    // the lines that others missed 500 turns before.
    for (name, seed) in [("power10", 181), ("la664", 324), ("e300c2", 808)] {
        assert!(leaps(&Bench::new(name), seed).is_none_or(|off| off <= LEAP), "{name}, seed {seed}");
    }
}

#[test]
#[ignore = "minutes: ORACLE_SEEDS loops (1000) of each cpu"]
fn leaping_over_turns_of_many_loops() {
    let seeds = std::env::var("ORACLE_SEEDS").map_or(1000, |seeds| seeds.parse().unwrap());
    for name in cpus() {
        leap_all(&Bench::new(&name), seeds, LEAP_OF_MANY);
    }
}

fn leap_all(bench: &Bench, seeds: u64, most: f64) {
    let off: Vec<(u64, f64)> =
        (0..seeds).filter_map(|seed| leaps(bench, seed).map(|off| (seed, off))).collect();
    let bad: Vec<&(u64, f64)> = off.iter().filter(|(_, off)| *off > most).collect();
    println!(
        "{}: {} loops were leapt over, {} of them exactly, {} off by more than a hundredth, the worst by {:.2} percent",
        bench.cpu.name,
        off.len(),
        off.iter().filter(|(_, off)| *off == 0.0).count(),
        off.iter().filter(|(_, off)| *off > 0.01).count(),
        100.0 * off.iter().map(|(_, off)| *off).fold(0.0, f64::max)
    );
    assert!(!off.is_empty() && bad.is_empty(), "{}: seeds and how far: {bad:?}", bench.cpu.name);
}
