// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The least cycles that each resource allows, of loops in which they can be counted by hand.

use arch::Arch;
use predict::least::Bounds;
use predict::loops::{LoopSource, Walk};
use predict::{Cpu, Options, Source, SourceError};
use std::path::Path;

struct Found(Bounds);

impl Found {
    fn of(cpu: &str, arch: Arch, code: &[u8], accesses: &[u64]) -> Found {
        let cpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus");
        let cpu = Cpu::load(&cpus, cpu).unwrap_or_else(|error| panic!("{error}"));
        let walks: Vec<Walk> = accesses.iter().map(|&start| Walk { start, step: 0, wrap: 0 }).collect();
        let mut open = || {
            let source = LoopSource::new(arch, code, 0x1000_0000, &walks, 2000);
            source
                .map(|one| Box::new(one) as Box<dyn Source>)
                .map_err(|error| SourceError::Failed(error.to_string()))
        };
        Found(Bounds::of(&mut open, &cpu, &Options::default()).unwrap())
    }

    /// That resource takes that long where nothing else limits.
    fn takes(&self, resource: &str, cycles: f64) {
        let list = || self.0.least.iter().map(|one| format!("{} {:.2}", one.resource, one.cycles));
        let found = self.0.least.iter().find(|one| one.resource == resource);
        let is_near = found.is_some_and(|one| (one.cycles - cycles).abs() < 0.05 * cycles.max(1.0));
        assert!(is_near, "{resource} is to take {cycles}: {:?}", list().collect::<Vec<_>>());
    }
}

/// A verb that takes minutes tells how many readings of the program are done, of how many.
#[test]
fn no_part_of_an_explanation_reads_the_program_more_often_than_told() {
    use predict::explain::{explain, predict_placed, readings_max, sensitivity};
    let cpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus");
    for name in ["power7", "power8", "power9", "power10"] {
        let cpu = Cpu::load(&cpus, name).unwrap_or_else(|error| panic!("{error}"));
        let (options, arch) = (Options::default(), Arch::Powerpc64le);
        let readings = std::cell::Cell::new(0);
        let mut open = || {
            readings.set(readings.get() + 1);
            let source = LoopSource::new(arch, &power(&[add(3, 4, 5), add(6, 3, 5)]), 0x1000_0000, &[], 200);
            source
                .map(|one| Box::new(one) as Box<dyn Source>)
                .map_err(|error| SourceError::Failed(error.to_string()))
        };
        let explained = explain(&mut open, &cpu, &options).unwrap();
        let mut took = vec![readings.take()];
        Bounds::of(&mut open, &cpu, &options).unwrap();
        took.push(readings.take());
        sensitivity(&mut open, &cpu, &options).unwrap();
        took.push(readings.take());
        predict_placed(&mut open, &[&cpu], &options).unwrap();
        took.push(readings.take());
        let told = readings_max(arch, &cpu, &explained.prediction).unwrap();
        assert!(
            took.iter().zip(told).all(|(took, told)| (1..=told).contains(took)),
            "{name}: {took:?} {told:?}"
        );
        // But for the search for an obstacle, which may not be needed, it is as often.
        let known = [0, 2, 3];
        assert_eq!(known.map(|part| took[part]), known.map(|part| told[part]), "{name}");
    }
}

/// A loop of these words and `bdnz`.
fn power(body: &[u32]) -> Vec<u8> {
    let bdnz = 0x4200_0000 | ((body.len() as u32 * 4).wrapping_neg() & 0xfffc);
    body.iter().chain([&bdnz]).flat_map(|word| word.to_le_bytes()).collect()
}

/// `add rt,ra,rb`
fn add(rt: u32, ra: u32, rb: u32) -> u32 {
    31 << 26 | rt << 21 | ra << 16 | rb << 11 | 266 << 1
}

#[test]
fn results_take_one_port_of_four() {
    let chains: Vec<u32> = (0..64).map(|n| add(14 + n % 8, 14 + n % 8, 4)).collect();
    let found = Found::of("power9", Arch::Powerpc64le, &power(&chains), &[]);
    for resource in ["RESULT pipes", "ALU pipes", "all pipes", "latency of results"] {
        found.takes(resource, 16.0);
    }
    assert!(found.0.cycles > 17.0, "dispatch binds the additions: {}", found.0.cycles);
}

#[test]
fn chains_that_overlap_in_a_window_of_any_length_are_no_bound() {
    // li r3,1 and 400 products, each of the last one's result. Turn by turn they take 2000 cycles; the next turn's do not wait
    // for them, so with two turns in step they are done in half the time, and with twenty in 100, which the pipes take.
    let product = 31 << 26 | 3 << 21 | 3 << 16 | 4 << 11 | 233 << 1;
    let body: Vec<u32> = [14 << 26 | 3 << 21 | 1].into_iter().chain([product; 400]).collect();
    let found = Found::of("power9", Arch::Powerpc64le, &power(&body), &[]);
    assert!(found.0.cycles > 1000.0, "{} cycles: nothing to be wrong about", found.0.cycles);
    let most = &found.0.least[0];
    assert!(most.cycles < 125.0, "{} {}", most.resource, most.cycles);
    // What a turn gets from the one before stays: no order makes it shorter.
    let chained = Found::of("power9", Arch::Powerpc64le, &power(&body[1..]), &[]);
    chained.takes("latency of results", 2000.0);
}

#[test]
fn pipes_that_one_kind_of_work_can_take_are_one_resource() {
    // add eax,1 and so on for twelve registers; jmp. Each of the four pipes alone would have to do none of it.
    let additions = [0, 1, 2, 3, 5, 6, 7].map(|low| vec![0x83, 0xc0 | low, 1]);
    let more = [0, 1, 2, 3, 4].map(|high| vec![0x41, 0x83, 0xc0 | high, 1]);
    let mut code = [additions.concat(), more.concat()].concat();
    code.extend([0xeb, (code.len() as u8 + 2).wrapping_neg()]);
    let found = Found::of("zen4", Arch::X86_64, &code, &[]);
    found.takes("all pipes", 3.0);
    found.takes("A0 pipes", 0.0);
    found.takes("dispatch and completion (width, groups, binding)", 13.0 / 6.0);
}

#[test]
fn a_chain_takes_its_latency_wherever_dispatch_sends_its_links() {
    // Two cycles from one half to the other, to which dispatch sends the next link; one within a half.
    let found = Found::of("power8", Arch::Powerpc64le, &power(&[add(3, 3, 4); 8]), &[]);
    found.takes("latency of results", 8.0);
    assert!((found.0.cycles - 16.0).abs() < 0.1, "{}", found.0.cycles);
    let obstacle = found.0.obstacle.as_ref().unwrap();
    assert!(obstacle.resource.starts_with("dispatch") && obstacle.cycles < 8.1, "{}", obstacle.resource);
}
