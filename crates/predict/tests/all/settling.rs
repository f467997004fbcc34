// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What is left out of a run without changing what it says: calls that have settled; and regions that are inside of each other,
//! whether their loops are leapt over or not.

use arch::Arch;
use predict::draws::draws;
use predict::trace_source::TraceSource;
use predict::{predict, Cpu, Options, Prediction, Source, SourceError};
use std::path::{Path, PathBuf};
use trace::{Access, Block, Item, Leave, Writer};

fn cpu(name: &str) -> Cpu {
    Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), name).unwrap()
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.{}.trace", std::process::id()))
}

/// Instructions of four bytes.
fn block(address: u64, words: &[u32]) -> Block {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Block { address, bytes, sizes: vec![4; words.len()] }
}

fn run(path: &Path, cpu: &Cpu, options: &Options) -> Prediction {
    predict(&mut TraceSource::open(path).unwrap(), &[cpu], options).unwrap().remove(0)
}

/// An inner region of a load and dependent multiplies, called over and over by an outer one, that several times.
fn nested(path: &Path, calls: u64) {
    let regions = [("region", "outer:0x1000"), ("region", "inner:0x2000")];
    let mut writer = Writer::create(path, Arch::Powerpc64le, &regions).unwrap();
    let head = writer.define_block(&block(0x1000, &[0x3863_0001, 0x6000_0000])); // addi 3,3,1; nop
    let inner = writer.define_block(&block(0x2000, &[0xe8a4_0000, 0x7cc6_31d2, 0x7cc6_31d2])); // ld 5,0(4); mulld 6,6,6 twice
    let access = Access { address: 0x8000, instruction: 0, bytes: 8, known: true, ..Access::default() };
    let body = vec![
        Item::Enter(1),
        Item::Block { id: inner, accesses: vec![access] },
        Item::Leave(Leave::Return),
        Item::Block { id: head, accesses: vec![] },
    ];
    for _ in 0..calls {
        writer.put(&Item::Enter(0)).unwrap();
        writer.put(&Item::Block { id: head, accesses: vec![] }).unwrap();
        writer.put(&Item::Repeat { iterations: 2000, body: body.clone(), strides: vec![0] }).unwrap();
        writer.put(&Item::Leave(Leave::Return)).unwrap();
        writer.put(&Item::Block { id: head, accesses: vec![] }).unwrap();
    }
    writer.finish("exit").unwrap();
}

/// A loop of such a block, with such steps of its stores of eight bytes, that many times.
fn looped(name: &str, words: &[u32], steps: &[i64], turns: u64) -> PathBuf {
    let path = scratch(name);
    let mut writer = Writer::create(&path, Arch::Powerpc64le, &[]).unwrap();
    let id = writer.define_block(&block(0x1000, words));
    let access = |place| Access {
        address: 0x10000,
        instruction: place,
        bytes: 8,
        store: true,
        known: true,
        ..Access::default()
    };
    let accesses = (0..steps.len() as u16).map(access).collect();
    let body = vec![Item::Block { id, accesses }];
    let strides = steps.to_vec();
    writer.put(&Item::Repeat { iterations: turns, body, strides }).unwrap();
    writer.finish("exit").unwrap();
    path
}

/// As few bytes may say; turn by turn, or window by window, that takes ages.
#[test]
fn a_loop_of_any_number_of_turns_is_leapt_over() {
    // add 3,3,4 and std 3,0(4), each with b to the start.
    for (name, words, steps) in
        [("adds", [0x7c63_2214, 0x4bff_fffc], &[][..]), ("stores", [0xf864_0000, 0x4bff_fffc], &[8][..])]
    {
        let turns = [1 << 16, 1 << 56];
        let paths = turns.map(|turns| looped(&format!("{name}{turns}"), &words, steps, turns));
        for core in ["power8", "power9", "power10"] {
            let of = |path| run(path, &cpu(core), &Options::default());
            let (few, many) = (of(&paths[0]), of(&paths[1]));
            assert_eq!(many.counters.instructions, 1 << 57, "{core}, {name}");
            let a_turn = |told: &Prediction, turns: u64| told.cycles as f64 / turns as f64;
            let (short, long) = (a_turn(&few, turns[0]), a_turn(&many, turns[1]));
            assert!((long / short - 1.0).abs() < 0.01, "{core}, {name}: {short} and {long} cycles a turn");
        }
        paths.iter().for_each(|path| std::fs::remove_file(path).unwrap());
    }
}

#[test]
fn more_cycles_than_are_counted_are_refused() {
    // divd 3,3,4 and b to it.
    let path = looped("long", &[0x7c63_23d2, 0x4bff_fffc], &[], 1 << 59);
    let told = predict(&mut TraceSource::open(&path).unwrap(), &[&cpu("power9")], &Options::default());
    let told = told.map(|told| told[0].cycles).map_err(|error| error.to_string());
    assert!(
        told.as_ref().is_err_and(|told| told.contains("power9 would take more than 2^60 cycles")),
        "{told:?}"
    );
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn regions_inside_of_each_other_are_told_apart_whether_loops_are_skipped_or_not() {
    let path = scratch("nested");
    nested(&path, 6);
    // Not every core settles so that a loop may be leapt over.
    let mut leapt = Vec::new();
    for name in ["power8", "power9", "power10"] {
        let whole = run(&path, &cpu(name), &Options { skip_loops: false, ..Options::default() });
        let skipped = run(&path, &cpu(name), &Options::default());
        leapt.extend((skipped.simulated < whole.simulated / 2).then_some(name));
        for told in [&whole, &skipped] {
            let [outer, inner] = &told.regions[..] else { panic!("{name}: {:?}", told.regions) };
            assert_eq!((outer.number, outer.entries), (0, 6), "{name}");
            assert_eq!((inner.number, inner.entries), (1, 6 * 2000), "{name}");
            assert_eq!(inner.instructions, 6 * 2000 * 3, "{name}");
            assert_eq!(outer.instructions, 6 * (2000 * 5 + 2), "{name}");
            // The outer has the inner's and its own; the multiplies are most of both.
            assert!(inner.cycles < outer.cycles && outer.cycles <= told.cycles, "{name}: {told:?}");
            assert!(inner.cycles > outer.cycles / 2, "{name}: {:?}", told.regions);
            // Calls are those of the outermost.
            assert_eq!(told.calls, 6, "{name}");
        }
        let near = |a: u64, b: u64| (a as f64 / b as f64 - 1.0).abs() < 0.002;
        for (one, other) in whole.regions.iter().zip(&skipped.regions) {
            assert!(near(one.cycles, other.cycles), "{name}: {one:?} {other:?}");
        }
    }
    assert!(!leapt.is_empty(), "nothing was skipped on any core");
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn calls_that_have_settled_are_known_and_the_rest_of_them_is_left() {
    let path = scratch("settled");
    nested(&path, 100);
    for name in ["power8", "power9"] {
        let options = Options { skip_loops: false, ..Options::default() };
        let whole = run(&path, &cpu(name), &options);
        let settled = run(&path, &cpu(name), &Options { until_settled: true, ..options });
        // A chunk is read to its end.
        assert!(
            settled.simulated < whole.simulated * 2 / 3,
            "{name}: {} {}",
            settled.simulated,
            whole.simulated
        );
        let (whole, settled) = (whole.cycles_per_call.unwrap(), settled.cycles_per_call.unwrap());
        assert!((settled / whole - 1.0).abs() < 0.0005, "{name}: {settled} {whole}");
    }
    std::fs::remove_file(&path).unwrap();
}

/// A loop of one block, as a whole program; with what it accesses, and how far each of that moves.
fn looping(path: &Path, arch: Arch, block: &Block, accesses: &[(Access, i64)], iterations: u64) {
    let mut writer = Writer::create(path, arch, &[]).unwrap();
    let (accesses, strides) = accesses.iter().copied().unzip();
    let body = vec![Item::Block { id: writer.define_block(block), accesses }];
    writer.put(&Item::Repeat { iterations, body, strides }).unwrap();
    writer.finish("exit").unwrap();
}

/// A store of eight bytes by the instruction of that index.
fn store(instruction: u16, address: u64) -> Access {
    Access { address, instruction, bytes: 8, store: true, known: true, ..Access::default() }
}

/// While windows were skipped, the lines behind them were prefetched as if the path to the second level were free, which it never
/// is while each store waits for a line of its own: what was simulated next missed nothing.
#[test]
fn a_walk_of_stores_takes_the_same_whether_it_is_skipped_or_not() {
    let path = scratch("stores");
    // mov %r8,(%rsi); dec %rcx; jne.
    let bytes = vec![0x4c, 0x89, 0x06, 0x48, 0xff, 0xc9, 0x75, 0xf8];
    let block = Block { address: 0x1000, bytes, sizes: vec![3, 3, 2] };
    looping(&path, Arch::X86_64, &block, &[(store(0, 0x8000), 64)], 4000);
    for name in ["zen3", "zen4", "zen5"] {
        let whole = run(&path, &cpu(name), &Options { skip_loops: false, ..Options::default() });
        let skipped = run(&path, &cpu(name), &Options::default());
        assert!(skipped.simulated < whole.simulated, "{name}: nothing was skipped");
        let near = |a: u64, b: u64| (a as f64 / b as f64 - 1.0).abs() < 0.005;
        let cycles = (skipped.cycles, whole.cycles);
        assert!(near(cycles.0, cycles.1), "{name}: {cycles:?}");
        let misses = (skipped.counters.l1_misses, whole.counters.l1_misses);
        assert!(near(misses.0, misses.1), "{name}: {misses:?}");
    }
    std::fs::remove_file(&path).unwrap();
}

/// The misses of the fast walk come between those of the slow one, whose second line in a row is then none that is expected. In
/// skipped windows one walk was behind the other, so the slow one became a stream, and what was simulated next was prefetched.
#[test]
fn walks_side_by_side_are_skipped_side_by_side() {
    let path = scratch("walks");
    // st.d $a0,$a1,0; st.d $a2,$a3,0; addi.d $t0,$t0,-1; bnez $t0.
    let words = [0x29c0_00a4, 0x29c0_00e6, 0x02ff_fd8c, 0x47ff_f59f];
    looping(
        &path,
        Arch::Loongarch64,
        &block(0x1000, &words),
        &[(store(0, 0x8100), 128), (store(1, 0x80c0), 8)],
        3000,
    );
    let whole = run(&path, &cpu("la664"), &Options { skip_loops: false, ..Options::default() });
    let skipped = run(&path, &cpu("la664"), &Options::default());
    assert!(skipped.simulated < whole.simulated, "nothing was skipped");
    let cycles = (skipped.cycles as f64, whole.cycles as f64);
    assert!((cycles.0 / cycles.1 - 1.0).abs() < 0.01, "{cycles:?}");
    std::fs::remove_file(&path).unwrap();
}

/// On some of the drawn cores this loop settles and is skipped to its end; on others it does not, and their predictions stop at a
/// third of it. The cycles of different parts of a program say nothing of the cores.
#[test]
fn drawn_cores_are_compared_by_the_same_part_of_a_program() {
    let path = scratch("drawn");
    // stw 16,0(5); rldicl 16,17,5,8; sld 17,17,15; bdnz.
    let block = block(0x1000, &[0x9205_0000, 0x7a30_2a00, 0x7e31_7836, 0x4200_fff4]);
    let access = Access { bytes: 4, ..store(0, 0x8000) };
    looping(&path, Arch::Powerpc64le, &block, &[(access, 0)], 300_000);
    let mut open = || -> Result<Box<dyn Source>, SourceError> { Ok(Box::new(TraceSource::open(&path)?)) };
    let spread = draws(&mut open, &cpu("power9"), &Options::default()).unwrap().spread();
    assert!(spread < 0.1, "{spread}");
    std::fs::remove_file(&path).unwrap();
}
