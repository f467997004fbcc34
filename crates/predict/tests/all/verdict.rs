// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! "A beats B": whether that survives the guesses, and from which value on it does not, on a cpu that is made for it.

use arch::Arch;
use predict::explain::{sensitivity, Sensitivity};
use predict::loops::LoopSource;
use predict::verdict::{turning_point, verdict, Faster};
use predict::{Cpu, Options, Source, SourceError};
use std::path::Path;

const ADDI_R3: u32 = 0x3863_0001;
const NOP: u32 = 0x6000_0000;
const B_OVER_ONE: u32 = 0x4800_0008;
const BDNZ: u32 = 0x4200_0000;

/// POWER10, with the cost of a taken branch as a guess of 2 cycles between 1 and 9; one that the target buffer does not
/// know costs 9.
fn guessing_cpu() -> Cpu {
    let child = "inherits = \"power10\"\n[sources]\ntest = \"made for this test\"\n[fetch]\n\
        btb_taken = { value = 2, unit = \"cycles\", source = \"test\", kind = \"guess\", range = [1, 9] }\n\
        taken = { value = 9, unit = \"cycles\", source = \"test\", kind = \"manual\" }\n";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus/power");
    let read = |name: &str| {
        let path = folder.join(format!("{name}.toml"));
        let text =
            if name == "guessing" { child.to_owned() } else { std::fs::read_to_string(&path).unwrap() };
        Ok((text, path))
    };
    Cpu::load_with("guessing", read).unwrap_or_else(|error| panic!("{error}"))
}

/// A loop of these instructions and a `bdnz` back to their start.
fn opener(body: &[u32]) -> impl FnMut() -> Result<Box<dyn Source>, SourceError> {
    let back = (body.len() as u32 * 4).wrapping_neg() & 0xfffc;
    let code: Vec<u8> = body.iter().chain(&[BDNZ | back]).flat_map(|word| word.to_le_bytes()).collect();
    move || Ok(Box::new(LoopSource::new(Arch::Powerpc64le, &code, 0x1000_0000, &[], 400)?))
}

/// Two taken branches an iteration.
const BRANCHES: [u32; 2] = [B_OVER_ONE, NOP];

fn moved(body: &[u32], cpu: &Cpu) -> Sensitivity {
    sensitivity(&mut opener(body), cpu, &Options::default()).unwrap()
}

/// Guesses of classes that no instruction is of are left out of the search: each of them, moved, changes nothing.
#[test]
fn guesses_that_are_not_tried_move_nothing() {
    // ld r4, 0(r3); add r5, r4, r3; addi r3, r3, 1
    let body = [0xe883_0000, 0x7ca4_1a14, ADDI_R3];
    for name in ["power7", "power8", "power9"] {
        let cpu = Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), name).unwrap();
        let back = (body.len() as u32 * 4).wrapping_neg() & 0xfffc;
        let code: Vec<u8> = body.iter().chain(&[BDNZ | back]).flat_map(|word| word.to_le_bytes()).collect();
        let walk = predict::loops::Walk { start: 0x2000_0000, step: 8, wrap: 4096 };
        let open = || -> Result<Box<dyn Source>, SourceError> {
            Ok(Box::new(LoopSource::new(Arch::Powerpc64le, &code, 0x1000_0000, &[walk], 400)?))
        };
        let options = Options::default();
        let cycles_on = |cpu: &Cpu| {
            let prediction = predict::predict(&mut *open().unwrap(), &[cpu], &options).unwrap().remove(0);
            (prediction.cycles, prediction.classes)
        };
        let (cycles, classes) = cycles_on(&cpu);
        assert!(!classes.is_empty(), "{name}");
        let of_others = |key: &str| {
            key.strip_prefix("class.").is_some_and(|rest| !classes.contains(rest.split('.').next().unwrap()))
        };
        let untried: Vec<_> = cpu.guesses().into_iter().filter(|guess| of_others(&guess.key)).collect();
        assert!(untried.len() > 10, "{name}: {}", untried.len());
        for guess in untried {
            for value in [guess.low, guess.high] {
                let changed = cpu.with(&guess.key, value).unwrap();
                assert_eq!(cycles_on(&changed).0, cycles, "{name}: {} at {value}", guess.key);
            }
        }
    }
}

#[test]
fn a_guess_that_turns_a_verdict_is_named_with_the_value_from_which_on_it_does() {
    let cpu = guessing_cpu();
    let chain = [ADDI_R3; 7];
    let (branches, additions) = (moved(&BRANCHES, &cpu), moved(&chain, &cpu));
    assert_eq!(branches.cycles, 4.0, "two branches of two cycles");
    let found = verdict(&branches, &additions);
    assert_eq!((found.faster(), found.survives()), (Faster::First, false), "{found:?}");
    let [at] = &found.turned_by[..] else { panic!("one guess at one end: {:?}", found.turned_by) };
    assert_eq!((at.key.as_str(), at.end, at.faster()), ("fetch.btb_taken", 9.0, Faster::Second));
    let options = Options::default();
    let turns = turning_point(&mut opener(&BRANCHES), &mut opener(&chain), &cpu, &options, at).unwrap();
    // Two branches take as long as the chain or longer from here on, and at one cycle less they do not.
    // The chain starts a fraction of a cycle late.
    assert_eq!(turns, (additions.cycles / 2.0 - 0.05).ceil(), "{additions:?}");
    assert!(turns > at.guess && turns < at.end);
}

#[test]
fn the_other_way_round_it_is_the_same_verdict() {
    let cpu = guessing_cpu();
    let found = verdict(&moved(&[ADDI_R3; 7], &cpu), &moved(&BRANCHES, &cpu));
    assert_eq!((found.faster(), found.survives()), (Faster::Second, false));
    assert_eq!(found.turned_by[0].faster(), Faster::First);
}

#[test]
fn a_verdict_that_no_guess_turns_survives_and_names_what_comes_nearest() {
    let cpu = guessing_cpu();
    let found = verdict(&moved(&BRANCHES, &cpu), &moved(&[ADDI_R3; 60], &cpu));
    assert_eq!((found.faster(), found.survives()), (Faster::First, true), "{found:?}");
    let nearest = found.nearest.expect("the branches get slower");
    assert_eq!((nearest.key.as_str(), nearest.end), ("fetch.btb_taken", 9.0));
}

#[test]
fn the_same_program_is_no_faster_than_itself_whatever_the_guesses() {
    let cpu = guessing_cpu();
    let one = moved(&BRANCHES, &cpu);
    let found = verdict(&one, &one);
    assert_eq!((found.faster(), found.survives()), (Faster::Neither, true));
}
