// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Repeated string instructions, which are recorded element by element.

use arch::Arch;
use predict::trace_source::TraceSource;
use predict::{predict, Cpu, Options, Prediction};
use std::path::Path;
use trace::{Access, Block, Item, Writer};

const BYTES: u64 = 8192;

/// `rep stosb` of 8192 bytes, from 0x8003 on or down, so many times.
fn rep_stosb(cpu: &str, times: u64, stride: i64) -> Prediction {
    let name = format!("stosb.{cpu}.{times}.{stride}.{}.trace", std::process::id());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut writer = Writer::create(&path, Arch::X86_64, &[]).unwrap();
    let id = writer.define_block(&Block { address: 0x1000, bytes: vec![0xf3, 0xaa], sizes: vec![2] });
    let access = Access { address: 0x8003, bytes: 1, store: true, known: true, ..Access::default() };
    let turn = Item::Block { id, accesses: vec![access] };
    for _ in 0..times {
        writer.put(&turn).unwrap();
        let body = vec![turn.clone()];
        writer.put(&Item::Repeat { iterations: BYTES - 1, body, strides: vec![stride] }).unwrap();
    }
    writer.finish("exit").unwrap();
    let cpu = Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), cpu).unwrap();
    let options = Options { profile: true, ..Options::default() };
    let predicted = predict(&mut TraceSource::open(&path).unwrap(), &[&cpu], &options);
    std::fs::remove_file(&path).unwrap();
    predicted.unwrap().remove(0)
}

/// 260 cycles were measured on a Zen 4, 23 of them to begin; what a Golden Cove takes for `rep movsb` makes 135.
#[test]
fn a_repeated_string_instruction_moves_many_bytes_a_cycle() {
    for (cpu, cycles) in [("zen4", 256.0), ("golden_cove", 128.0)] {
        for stride in [1, -1] {
            // The first meets a cold cache, and its last stores enter that only during the second.
            let [less, more] = [2, 4].map(|times| rep_stosb(cpu, times, stride));
            let charged = more.profile.expect("it was asked for")[0].executions;
            assert_eq!(
                (more.counters.stores, more.counters.instructions, charged),
                (4 * BYTES, 4 * BYTES, 4 * BYTES)
            );
            let again = (more.cycles - less.cycles) as f64 / 2.0;
            assert!((0.9..1.2).contains(&(again / cycles)), "{cpu}, stride {stride}: {again} for {cycles}");
        }
    }
}
