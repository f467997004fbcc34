// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The file format: the reader returns what was written, with and without skipping, and refuses other files with a reason.

use std::path::{Path, PathBuf};

use crate::support::synthetic::{expand_all, read, write, Owned, Random};
use arch::Arch;
use trace::{count, reach, Counts, EntryCounts, Error, Event, Item, Leave, Reach, Reader, Writer};

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn random_traces_round_trip() {
    let path = scratch("round_trip.trace");
    for seed in 1..200 {
        let items = write(&path, &mut Random(seed), 20);
        let (read, written) = (read(&path), expand_all(&items));
        let differs = read.iter().zip(&written).position(|(r, w)| r != w);
        assert_eq!(differs.map(|at| (&read[at], &written[at])), None, "seed {seed}");
        assert_eq!(read.len(), written.len(), "seed {seed}");
    }
}

/// Reads with random skips: each has to skip as many events as reading them one by one gives.
#[test]
fn leaping_agrees_with_walking() {
    let path = scratch("leaps.trace");
    for seed in 1..300 {
        let mut random = Random(seed);
        let walked = expand_all(&write(&path, &mut random, 20));
        let mut reader = Reader::open(&path).unwrap();
        let mut at = 0;
        loop {
            let repetitions = reader.repetitions().unwrap().to_vec();
            if !repetitions.is_empty() && random.below(2) == 0 {
                let r = repetitions[random.below(repetitions.len() as u64) as usize];
                let n = random.below(r.remaining + 1);
                reader.skip_in(&r, n).unwrap();
                at += (n * (r.blocks_per_iteration + r.region_events_per_iteration)) as usize;
                continue;
            }
            let Some(event) = reader.next().unwrap() else { break };
            assert_eq!(Owned::from(event), walked[at], "seed {seed}, event {at}");
            at += 1;
        }
        assert_eq!(at, walked.len(), "seed {seed}");
    }
}

/// Counts the plain way: reads every event.
fn count_by_walking(path: &Path) -> Vec<EntryCounts> {
    let mut reader = Reader::open(path).unwrap();
    let mut all: Vec<EntryCounts> = Vec::new();
    let mut inside: Vec<(u8, Counts)> = Vec::new();
    let mut interrupted = false;
    loop {
        let before = reader.instructions();
        match reader.next().unwrap() {
            None => return all,
            Some(Event::EnterRegion { region }) => {
                if let Some(again) = inside.iter().position(|(other, _)| *other == region) {
                    inside.truncate(again);
                }
                inside.push((region, Counts::default()));
                interrupted = false;
            }
            Some(Event::Interrupt) => interrupted = true,
            Some(Event::InterruptOver) => interrupted = false,
            Some(Event::LeaveRegion { how }) => {
                let Some((region, counts)) = inside.pop() else { continue };
                let nested = !inside.is_empty();
                let key = (region, how, nested, counts);
                match all.iter_mut().find(|e| (e.region, e.how, e.nested, e.counts) == key) {
                    Some(entry) => entry.entries += 1,
                    None => all.push(EntryCounts { region, how, nested, counts, entries: 1 }),
                }
            }
            Some(Event::Block { accesses, .. }) => {
                let mut one = Counts { blocks: 1, ..Counts::default() };
                accesses.iter().for_each(|a| one.count(a));
                one.instructions = reader.instructions() - before;
                if !interrupted {
                    inside.iter_mut().for_each(|(_, sum)| sum.add(&one, 1));
                }
            }
        }
    }
}

#[test]
fn counts_agree_with_walking() {
    let path = scratch("counts.trace");
    let mut entries = 0;
    for seed in 1..500 {
        write(&path, &mut Random(seed), 20);
        let walked = count_by_walking(&path);
        entries += walked.len();
        assert_eq!(count(&mut Reader::open(&path).unwrap()).unwrap(), walked, "seed {seed}");
    }
    assert!(entries > 1000, "the traces had {entries} entries only");
}

#[test]
fn executions_agree_with_walking() {
    let path = scratch("executions.trace");
    for seed in 1..300 {
        let mut expected = vec![0u64; 6];
        for event in expand_all(&write(&path, &mut Random(seed), 20)) {
            if let Owned::Block(id, _) = event {
                expected[id as usize] += 1;
            }
        }
        let mut executions = Reader::open(&path).unwrap().executions().unwrap();
        executions.resize(6, 0);
        assert_eq!(executions, expected, "seed {seed}");
    }
}

fn access(address: u64) -> trace::Access {
    trace::Access { address, instruction: 0, bytes: 8, store: false, cache_operation: false, known: true }
}

fn one_block() -> trace::Block {
    trace::Block { address: 0x1000, bytes: vec![0; 4], sizes: vec![4] }
}

#[test]
fn a_billion_iterations_are_counted_and_leapt_over_at_once() {
    let path = scratch("billion.trace");
    let mut writer = Writer::create(&path, Arch::Loongarch64, &[]).unwrap();
    let id = writer.define_block(&one_block());
    let inner = Item::Repeat {
        iterations: 1 << 20,
        body: vec![Item::Block { id, accesses: vec![access(64)] }],
        strides: vec![8],
    };
    let call = vec![Item::Enter(0), inner, Item::Leave(Leave::Return)];
    writer.put(&Item::Repeat { iterations: 1 << 20, body: call, strides: vec![0] }).unwrap();
    writer.finish("exit").unwrap();
    let counts = Counts { instructions: 1 << 20, blocks: 1 << 20, loads: 1 << 20, ..Counts::default() };
    let expected = EntryCounts { region: 0, how: Leave::Return, nested: false, counts, entries: 1 << 20 };
    assert_eq!(count(&mut Reader::open(&path).unwrap()).unwrap(), [expected]);

    let mut reader = Reader::open(&path).unwrap();
    let outer = reader.repetition().unwrap().unwrap();
    assert_eq!((outer.depth, outer.remaining, outer.instructions_per_iteration), (0, 1 << 20, 1 << 20));
    reader.skip((1 << 20) - 1).unwrap();
    assert_eq!(reader.next().unwrap(), Some(Event::EnterRegion { region: 0 }));
    let inner = reader.repetition().unwrap().unwrap();
    assert_eq!((inner.depth, inner.remaining), (1, 1 << 20));
    reader.skip(inner.remaining - 1).unwrap();
    let last = access(64 + 8 * ((1 << 20) - 1));
    assert_eq!(reader.next().unwrap(), Some(Event::Block { id: 0, accesses: &[last] }));
    assert_eq!(reader.next().unwrap(), Some(Event::LeaveRegion { how: Leave::Return }));
    assert_eq!(reader.next().unwrap(), None);
    assert_eq!(reader.instructions(), 1 << 40);
}

#[test]
fn a_region_inside_of_another_is_counted_in_both_and_leapt_over() {
    let path = scratch("nested.trace");
    let mut writer = Writer::create(&path, Arch::Loongarch64, &[]).unwrap();
    let id = writer.define_block(&one_block());
    let block = || Item::Block { id, accesses: vec![access(64)] };
    let inner = vec![Item::Enter(1), block(), block(), Item::Leave(Leave::Return), block()];
    let calls = Item::Repeat { iterations: 1 << 40, body: inner, strides: vec![0; 3] };
    [Item::Enter(0), calls, Item::Leave(Leave::Exit)].iter().for_each(|item| writer.put(item).unwrap());
    writer.finish("exit").unwrap();
    let executed =
        |count: u64| Counts { instructions: count, blocks: count, loads: count, ..Counts::default() };
    let expected = [
        EntryCounts { region: 1, how: Leave::Return, nested: true, counts: executed(2), entries: 1 << 40 },
        EntryCounts { region: 0, how: Leave::Exit, nested: false, counts: executed(3 << 40), entries: 1 },
    ];
    assert_eq!(count(&mut Reader::open(&path).unwrap()).unwrap(), expected);
}

#[test]
fn pages_are_those_of_outermost_calls_without_their_interrupts() {
    let path = scratch("pages.trace");
    let mut writer = Writer::create(&path, Arch::Loongarch64, &[]).unwrap();
    let id = writer.define_block(&one_block());
    let at = |address: u64| Item::Block { id, accesses: vec![access(address)] };
    let items = [
        // Four pages of 4 KiB by a loop, one by a call inside, and two by an access across a page boundary.
        vec![Item::Enter(0), Item::Repeat { iterations: 8, body: vec![at(0x10000)], strides: vec![0x800] }],
        vec![Item::Enter(1), at(0x20000), Item::Leave(Leave::Return), at(0x2fffc)],
        vec![Item::Interrupt, at(0x9_0000), Item::InterruptOver, Item::Leave(Leave::Return)],
        vec![Item::Enter(0), at(0x10000), Item::Leave(Leave::Return)],
    ];
    items.iter().flatten().for_each(|item| writer.put(item).unwrap());
    writer.finish("exit").unwrap();
    let of = |page_bytes: u64| reach(&mut Reader::open(&path).unwrap(), page_bytes).unwrap();
    assert_eq!(of(4 << 10), Reach { calls: vec![[1, 7], [1, 1]], all: [1, 7] });
    assert_eq!(of(64 << 10), Reach { calls: vec![[1, 3], [1, 1]], all: [1, 3] });
}

fn error_of(path: &Path) -> Error {
    let mut reader = match Reader::open(path) {
        Ok(reader) => reader,
        Err(error) => return error,
    };
    loop {
        match reader.next() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("{} was accepted", path.display()),
            Err(error) => return error,
        }
    }
}

#[test]
fn a_file_cut_anywhere_is_truncated() {
    let path = scratch("cut.trace");
    write(&path, &mut Random(7), 20);
    let whole = std::fs::read(&path).unwrap();
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        match error_of(&path) {
            Error::NotATrace { .. } if length == 0 => {}
            Error::Truncated { at, .. } => assert_eq!(at, length as u64),
            other => panic!("cut at {length} of {}: {other}", whole.len()),
        }
    }
}

#[test]
fn a_changed_bit_is_noticed() {
    let path = scratch("changed.trace");
    write(&path, &mut Random(7), 20);
    let whole = std::fs::read(&path).unwrap();
    for byte in 0..whole.len() {
        // The unused bit of a zstd frame header, which decoders have to ignore (RFC 8878, 3.1.1.1.1).
        if byte % 8 == 4 && whole[..byte].ends_with(b"\x28\xb5\x2f\xfd") {
            continue;
        }
        let mut changed = whole.clone();
        changed[byte] ^= 1 << (byte % 8);
        std::fs::write(&path, &changed).unwrap();
        if let (9, Ok(reader)) = (byte, Reader::open(&path)) {
            assert!(reader.expect_arch(Arch::Powerpc64le).is_err()); // the changed byte is the architecture's number
            continue;
        }
        error_of(&path);
    }
}

#[test]
fn what_is_no_trace_is_refused_with_a_reason() {
    let path = scratch("refused.trace");
    std::fs::write(&path, "ELF, perhaps").unwrap();
    assert!(error_of(&path).to_string().contains("not an Assay trace"));
    std::fs::write(&path, b"\x89ASSAYT\n\x63\x03").unwrap();
    assert!(error_of(&path).to_string().contains("version 99"), "{}", error_of(&path));
    std::fs::write(&path, b"\x89ASSAYT\n\x01\x63").unwrap();
    assert!(error_of(&path).to_string().contains("architecture number 99"));
    assert!(matches!(Reader::open(scratch("absent.trace")), Err(Error::Io { .. })));

    write(&path, &mut Random(7), 3);
    let reader = Reader::open(&path).unwrap();
    reader.expect_arch(Arch::Powerpc64le).unwrap();
    let message = reader.expect_arch(Arch::Loongarch64).unwrap_err().to_string();
    assert!(message.contains("powerpc64le") && message.contains("loongarch64"), "{message}");

    let mut longer = std::fs::read(&path).unwrap();
    longer.push(0);
    std::fs::write(&path, &longer).unwrap();
    assert!(error_of(&path).to_string().contains("after the end"));
}

/// Whether a reader refuses a trace of this loop, with this reason.
fn refuses_loop(iterations: u64, body: Vec<Item>, strides: usize) -> Option<String> {
    let path = scratch("large_loop.trace");
    let mut writer = Writer::create(&path, Arch::Powerpc, &[]).unwrap();
    writer.define_block(&one_block());
    writer.put(&Item::Repeat { iterations, body, strides: vec![0; strides] }).unwrap();
    writer.finish("exit").unwrap();
    Reader::open(&path).unwrap().next().err().map(|error| error.to_string())
}

#[test]
fn loops_beyond_the_limits_are_refused() {
    // 64 executions and the loop itself; then an address and a stride for each access.
    let body = |accesses: usize| vec![Item::Block { id: 0, accesses: vec![access(8); accesses] }; 64];
    assert_eq!(refuses_loop(1, body(511), 64 * 511), None);
    let told = refuses_loop(1, body(512), 64 * 512).expect("65,601 parts");
    assert!(told.contains("body is too large"), "{told}");

    let block = Item::Block { id: 0, accesses: Vec::new() };
    let loop_of =
        |iterations: u64| Item::Repeat { iterations, body: vec![block.clone()], strides: Vec::new() };
    assert_eq!(refuses_loop(1 << 4, vec![loop_of(1 << 50); 64], 0), None);
    // 16 times 2^60 is 0 in 64 bits.
    let told = refuses_loop(1 << 60, vec![loop_of(1 << 60); 16], 0).expect("2^124 instructions");
    assert!(told.contains("more than 2^60"), "{told}");
    let flush = trace::Access { cache_operation: true, ..access(8) };
    let flushes = Item::Block { id: 0, accesses: vec![flush; 2] };
    let told = refuses_loop(1 << 60, vec![flushes], 2).expect("2^61 cache operations");
    assert!(told.contains("more than 2^60"), "{told}");
}

/// What a reader says of a trace of these items, if it refuses it.
fn refuses(items: &[Item]) -> Option<String> {
    let path = scratch("large_sum.trace");
    let mut writer = Writer::create(&path, Arch::Powerpc, &[]).unwrap();
    writer.define_block(&one_block());
    for item in items {
        writer.put(item).unwrap();
    }
    writer.finish("exit").unwrap();
    let mut reader = Reader::open(&path).unwrap();
    reader.executions().err().map(|error| error.to_string())
}

#[test]
fn loops_that_are_too_long_together_are_refused() {
    let block = Item::Block { id: 0, accesses: Vec::new() };
    let of =
        |iterations, body: Vec<Item>, strides| Item::Repeat { iterations, body, strides: vec![0; strides] };
    let half = of(1 << 59, vec![block.clone()], 0);
    assert_eq!(refuses(&[half.clone(), half.clone()]), None, "2^60 instructions");
    let too_long = "a trace of more than 2^60";
    let refused = |items: &[Item]| refuses(items).is_some_and(|told| told.contains(too_long));
    assert!(refused(&[half.clone(), half.clone(), block.clone()]), "one more, outside of loops");
    assert!(refused(&[block.clone(), half.clone(), half.clone()]), "one more before them");
    // Thirty-two times 2^59 is 0 in 64 bits, and so would the end have it.
    assert!(refused(&[vec![half; 32], vec![block.clone(); 4]].concat()), "4 instructions in 64 bits");
    let loads = Item::Block { id: 0, accesses: vec![access(8); 8] };
    assert!(refused(&vec![of(1 << 57, vec![loads], 8); 2]), "2^61 loads, 2^58 instructions");
    let markers = vec![Item::Enter(0), Item::Leave(Leave::Return), block];
    assert!(refused(&vec![of(1 << 59, markers, 0); 2]), "2^61 markers");
}

#[test]
fn the_header_tells_the_version_of_the_file() {
    let path = scratch("version.trace");
    write(&path, &mut Random(7), 3);
    let mut bytes = std::fs::read(&path).unwrap();
    for version in [1, 2, 4] {
        bytes[8] = version;
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(Reader::open(&path).unwrap().header().version, u64::from(version));
    }
}

#[test]
fn an_unfinished_trace_has_no_name() {
    let path = scratch("unfinished.trace");
    drop(Writer::create(&path, Arch::Powerpc, &[]).unwrap());
    assert!(!path.exists());
}
