// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Stores where the first level writes through and the second does not hold their lines: each line takes its turn on the path to
//! where it is, so many at once, and is asked for once.

use arch::Arch;
use predict::trace_source::TraceSource;
use predict::{predict, Cpu, Options, Prediction};
use std::path::{Path, PathBuf};
use trace::{Access, Block, Item, Writer};

const POWER: [&str; 4] = ["power7", "power8", "power9", "power10"];
const LINE: i64 = 128;
const PAGE: i64 = 4096;

const BDNZ: u32 = 0x4200_0000;
/// `stb r3,0(r4)`, `stb r3,1(r4)`, `stvx v2,0,r4`, `lvx v2,0,r5`, `dcbz 0,r4`, `nop`.
const STB: u32 = 38 << 26 | 3 << 21 | 4 << 16;
const STB_NEXT: u32 = STB | 1;
const STVX: u32 = 31 << 26 | 2 << 21 | 4 << 11 | 231 << 1;
const LVX: u32 = 31 << 26 | 2 << 21 | 5 << 11 | 103 << 1;
const DCBZ: u32 = 31 << 26 | 4 << 11 | 1014 << 1;
const NOP: u32 = 0x6000_0000;

const TO: u64 = 0x1_0000_0000;
const FROM: u64 = 0x9_0000_0000;

fn cpu(name: &str) -> Cpu {
    Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), name).unwrap()
}

/// One with other numbers.
fn with(name: &str, numbers: &[(&str, f64)]) -> Cpu {
    let mut cpu = cpu(name);
    numbers.iter().for_each(|&(key, value)| cpu.set(key, value).unwrap());
    cpu
}

/// An access of so many bytes by the instruction of that index.
fn access(instruction: u16, store: bool, address: u64, bytes: u16) -> Access {
    Access { address, instruction, bytes, store, known: true, ..Access::default() }
}

/// What `bdnz` behind `words` repeats, with the accesses of a turn, each of which goes `stride` bytes on in the next one: so many
/// turns from the start, several times.
struct Loop<'a> {
    words: &'a [u32],
    accesses: &'a [Access],
    stride: i64,
    turns: &'a [u64],
}

impl Loop<'_> {
    fn written(&self, name: &str) -> PathBuf {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let path = path.join(format!("store_misses.{name}.{}.trace", std::process::id()));
        let back = (self.words.len() as u32 * 4).wrapping_neg() & 0xfffc;
        let words: Vec<u32> = self.words.iter().copied().chain([BDNZ | back]).collect();
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let block = Block { address: 0x1000, bytes, sizes: vec![4; words.len()] };
        let mut writer = Writer::create(&path, Arch::Powerpc64le, &[]).unwrap();
        let id = writer.define_block(&block);
        for &iterations in self.turns {
            let body = vec![Item::Block { id, accesses: self.accesses.to_vec() }];
            let strides = vec![self.stride; self.accesses.len()];
            writer.put(&Item::Repeat { iterations, body, strides }).unwrap();
        }
        writer.finish("exit").unwrap();
        path
    }

    fn run(&self, name: &str, cpu: &Cpu, options: &Options) -> Prediction {
        let path = self.written(name);
        let prediction = predict(&mut TraceSource::open(&path).unwrap(), &[cpu], options).unwrap().remove(0);
        std::fs::remove_file(&path).unwrap();
        prediction
    }

    /// Cycles of a turn.
    fn turn(&self, name: &str, cpu: &Cpu) -> f64 {
        self.run(name, cpu, &Options::default()).cycles as f64 / self.turns.iter().sum::<u64>() as f64
    }
}

fn near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 0.03, "{found} instead of {expected}");
}

/// Counted, but for stores whose group is open at the end.
fn about(counted: u64, expected: u64) -> bool {
    (expected - 3..=expected).contains(&counted)
}

/// A byte into each page, of which none is in a cache.
fn pages<'a>(accesses: &'a [Access]) -> Loop<'a> {
    Loop { words: &[STB], accesses, stride: PAGE, turns: &[4000] }
}

#[test]
fn a_store_that_misses_takes_its_lines_turn_on_the_path_to_memory() {
    let byte = [access(0, true, TO, 1)];
    for name in POWER {
        let path = |latency, interval, lines| {
            let keys = ["cache.memory.latency", "cache.memory.interval", "memory.store_misses"];
            let numbers: Vec<_> = keys.into_iter().zip([latency, interval, lines]).collect();
            pages(&byte).turn("pages", &with(name, &numbers))
        };
        near(path(320.0, 12.0, 64.0), 12.0);
        near(path(320.0, 30.0, 64.0), 30.0);
        // Sixteen at once.
        near(path(320.0, 12.0, 16.0), 20.0);
        near(path(640.0, 12.0, 16.0), 40.0);
        near(path(320.0, 12.0, 1.0), 320.0);
    }
}

#[test]
fn a_store_to_a_line_of_the_second_level_costs_what_it_did() {
    let byte = [access(0, true, TO, 1)];
    for name in POWER {
        let walk = |turns| {
            let lines = Loop { words: &[STB], accesses: &byte, stride: LINE, turns };
            lines.run("held", &cpu(name), &Options::default())
        };
        let (once, often) = (walk(&[512]), walk(&[512; 41]));
        let turn = (often.cycles - once.cycles) as f64 / (40.0 * 512.0);
        let same = Loop { words: &[STB], accesses: &byte, stride: 0, turns: &[20_000] };
        near(turn, same.turn("same", &cpu(name)));
        assert!(about(often.counters.l1_misses, 512), "{name}: {}", often.counters.l1_misses);
    }
}

#[test]
fn lines_of_the_third_level_come_from_there() {
    // 2 MiB: more than POWER9's second level has, and less than its third.
    let byte = [access(0, true, TO, 1)];
    let third = with(
        "power9",
        &[("cache.l3.latency", 64.0), ("cache.l3.interval", 4.0), ("memory.store_misses", 8.0)],
    );
    let cycles = |turns| {
        let lines = Loop { words: &[STB], accesses: &byte, stride: LINE, turns };
        lines.run("third", &third, &Options::default()).cycles as f64
    };
    near((cycles(&[16_384; 5]) - cycles(&[16_384])) / (4.0 * 16_384.0), 8.0);
}

#[test]
fn stores_to_a_line_that_is_asked_for_are_gathered() {
    let line = with("power9", &[("memory.store_misses", 16.0)]);
    let two = [access(0, true, TO, 1), access(1, true, TO + 1, 1)];
    let one = pages(&two[..1]).run("one", &line, &Options::default());
    let both = Loop { words: &[STB, STB_NEXT], ..pages(&two) }.run("both", &line, &Options::default());
    near(both.cycles as f64, one.cycles as f64);
    assert!(about(one.counters.l1_misses, 4000) && about(both.counters.l1_misses, 4000));
    // Memory is set by sixteen bytes: eight stores to a line.
    let vector = [access(0, true, TO, 16)];
    let set = Loop { words: &[STVX], accesses: &vector, stride: 16, turns: &[32_000] };
    near(set.turn("set", &line), 20.0 / 8.0);
}

/// The loads of a copy run ahead of its stores, whose lines are asked for later; so they do not wait for these.
#[test]
fn a_copy_shares_the_path_and_its_loads_are_not_held_up() {
    let line = with("power9", &[("cache.memory.interval", 24.0), ("memory.store_misses", 16.0)]);
    let both = [access(0, false, FROM, 16), access(1, true, TO, 16)];
    let copy = Loop { words: &[LVX, STVX], accesses: &both, stride: 16, turns: &[32_000] };
    let read = Loop { words: &[LVX, NOP], accesses: &both[..1], ..copy };
    near(read.turn("read", &line), 24.0 / 8.0);
    let turn = copy.turn("copy", &line);
    assert!((2.0 * 24.0 / 8.0 * 0.99..2.0 * 24.0 / 8.0 * 1.1).contains(&turn), "{turn}");
}

#[test]
fn a_line_that_is_cleared_is_not_fetched() {
    for name in POWER {
        let cleared = [access(0, true, TO, 128)];
        let clear = Loop { words: &[DCBZ], accesses: &cleared, stride: LINE, turns: &[8000] };
        let clear = clear.run("clear", &cpu(name), &Options::default());
        let byte = [access(0, true, TO, 1)];
        let set = Loop { words: &[STB], accesses: &byte, stride: LINE, turns: &[8000] };
        let set = set.run("set", &cpu(name), &Options::default());
        assert!(clear.cycles * 3 < set.cycles, "{name}: {} {}", clear.cycles, set.cycles);
        assert!(about(clear.counters.l2_misses, 8000) && about(set.counters.l2_misses, 8000), "{name}");
        assert!(about(set.counters.memory_accesses, 8000), "{name}: {}", set.counters.memory_accesses);
        assert_eq!(clear.counters.memory_accesses, 0, "{name}");
    }
}

#[test]
fn a_walk_of_stores_that_miss_takes_the_same_whether_it_is_skipped_or_not() {
    for name in POWER {
        // The last of the walks finds its first lines in the second level.
        let walks: [(u32, u16, i64, &[u64]); 4] = [
            (STB, 1, PAGE, &[40_000]),
            (STB, 1, LINE, &[40_000]),
            (STVX, 16, 16, &[40_000]),
            (STB, 1, LINE, &[1500, 40_000]),
        ];
        for (words, bytes, stride, turns) in walks {
            let walk = [access(0, true, TO, bytes)];
            let walk = Loop { words: &[words], accesses: &walk, stride, turns };
            let whole = walk.run("whole", &cpu(name), &Options { skip_loops: false, ..Options::default() });
            let skipped = walk.run("skipped", &cpu(name), &Options::default());
            assert!(skipped.simulated * 2 < whole.simulated, "{name}, {stride}: {}", skipped.simulated);
            let apart = skipped.cycles as f64 / whole.cycles as f64 - 1.0;
            assert!(apart.abs() < 0.005, "{name}, {stride}: {} {}", skipped.cycles, whole.cycles);
            assert_eq!(skipped.counters.l1_misses, whole.counters.l1_misses, "{name}, {stride}");
        }
    }
}
