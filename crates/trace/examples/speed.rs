// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Measures how fast a trace is read event by event: `cargo run --release -p trace --example speed -- FILE`. Without FILE it
//! writes and reads a trace without repetitions: 8 million blocks of 5 instructions with 2 accesses each.

use std::time::Instant;

use arch::Arch;
use trace::{Access, Block, Event, Item, Reader, Writer};

/// Blocks in random order with random addresses, so that nothing repeats.
fn write_without_repetitions(path: &std::path::Path) -> Result<(), trace::Error> {
    let mut writer = Writer::create(path, Arch::Powerpc64le, &[])?;
    let block = |i: u64| Block { address: 0x1000_0000 + 32 * i, bytes: vec![0; 20], sizes: vec![4; 5] };
    for i in 0..1000 {
        writer.define_block(&block(i));
    }
    let mut random = 1u64;
    for _ in 0..8_000_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let access = |i: u16, shift: u32| Access {
            address: 0x4000_0000 + (random >> shift & 0xfff8),
            instruction: i,
            bytes: 8,
            store: i == 3,
            cache_operation: false,
            known: true,
        };
        let id = (random >> 40) as u32 % 1000;
        writer.put(&Item::Block { id, accesses: vec![access(1, 30), access(3, 45)] })?;
    }
    writer.finish("exit")
}

fn main() -> Result<(), trace::Error> {
    let given = std::env::args().nth(1).map(std::path::PathBuf::from);
    let path = given.clone().unwrap_or_else(|| std::env::temp_dir().join("speed.trace"));
    if given.is_none() {
        write_without_repetitions(&path)?;
    }
    let bytes = std::fs::metadata(&path).map_or(0, |m| m.len());
    let start = Instant::now();
    let mut reader = Reader::open(&path)?;
    let (mut blocks, mut accesses_count, mut sum) = (0u64, 0u64, 0u64);
    while let Some(event) = reader.next()? {
        if let Event::Block { accesses, .. } = event {
            blocks += 1;
            accesses_count += accesses.len() as u64;
            sum = accesses.iter().fold(sum, |sum, access| sum.wrapping_add(access.address));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let instructions = reader.instructions();
    println!(
        "{instructions} instructions, {blocks} blocks, {accesses_count} accesses, {bytes} bytes (sum {sum:x}): \
         {seconds:.2} s, {:.0} million instructions/s",
        instructions as f64 / seconds / 1e6
    );
    if given.is_none() {
        std::fs::remove_file(&path).map_err(|source| trace::Error::Io { path, source })?;
    }
    Ok(())
}
