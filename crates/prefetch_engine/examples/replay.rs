// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! replay PATTERN COUNT FILE: runs accesses through the model's hierarchy at POWER8's geometry, writes them to FILE (eight
//! bytes each, little-endian, the line's address times two, plus one for a store), and prints the geometry and the counts,
//! so that another simulator can replay the same: see tests/pycachesim.

use prefetch_engine::{Geometry, Hierarchy};
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [pattern, count, file] = &words[..] else { return Err("replay PATTERN COUNT FILE".into()) };
    let root = std::env::var("ASSAY_ROOT").unwrap_or_else(|_| ".".to_owned());
    let cpu = predict::Cpu::load(&std::path::Path::new(&root).join("cpus"), "power8")?;
    let geometry = Geometry::of(&cpu).ok_or("power8 has no three levels")?;
    let mut caches = Hierarchy::new(geometry);
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for index in 0..count.parse::<u64>()? {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let (line, store) = match pattern.as_str() {
            // Uniform over 12 MiB, more than the third level; a quarter are stores.
            "random" => (state % 98_304, state >> 40 & 3 == 0),
            // Few lines often, many lines rarely; an eighth are stores.
            "skewed" => ((state % 98_304) >> (state >> 60), state >> 40 & 7 == 0),
            // Four streams through arrays of 6 MiB, in lockstep; the last one is written.
            "stream" => (index / 4 % 49_152 + index % 4 * 65_537, index % 4 == 3),
            // Two tasks that take turns, each on 640 KiB of its own; half are stores.
            "slices" => (state % 5_120 + index / 20_000 % 2 * 1_000_000, state >> 40 & 1 == 0),
            other => return Err(format!("no pattern '{other}'").into()),
        };
        out.write_all(&(line * geometry.line_bytes * 2 + u64::from(store)).to_le_bytes())?;
        match store {
            true => caches.store(line, index * 1000),
            false => caches.load(line, index * 1000),
        };
    }
    out.flush()?;
    let counts = caches.counts();
    println!("line {}", geometry.line_bytes);
    for (level, shape) in geometry.levels.iter().enumerate() {
        println!(
            "level {} {} {} {} {}",
            level + 1,
            shape.sets,
            shape.ways,
            counts.hits[level],
            counts.misses[level]
        );
    }
    Ok(())
}
