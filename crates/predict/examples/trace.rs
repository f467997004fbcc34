// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Predicts a trace and says how fast: `cargo run --release -p predict --example trace -- CPUS_DIR TRACE CPU... [--all]`.
//! `--all` simulates every instruction instead of skipping loops in steady state.

use predict::trace_source::TraceSource;
use predict::{predict, Cpu, Options};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (flags, names): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|text| text.starts_with("--"));
    let [dir, path, cpus @ ..] = names.as_slice() else {
        return Err("usage: trace CPUS_DIR TRACE CPU... [--all]".into());
    };
    let loaded = cpus.iter().map(|name| Cpu::load(dir.as_ref(), name)).collect::<Result<Vec<_>, _>>()?;
    let options = Options { skip_loops: !flags.iter().any(|flag| flag == "--all"), ..Options::default() };
    let start = Instant::now();
    let mut source = TraceSource::open(path.as_ref())?;
    let predictions = predict(&mut source, &loaded.iter().collect::<Vec<_>>(), &options)?;
    let seconds = start.elapsed().as_secs_f64();
    for p in predictions {
        println!(
            "{}: {} cycles, {} instructions, ipc {:.3}, per call {:?}, cold {:?}, simulated {}, {:.1} M instructions/s, coverage {:.2} %",
            p.cpu, p.cycles, p.counters.instructions, p.ipc(), p.cycles_per_call, p.cycles_cold, p.simulated,
            p.simulated as f64 / seconds / 1e6, p.coverage_percent
        );
        println!("  {:?}", p.counters);
        println!("  in no class: {:?}", p.fallbacks);
    }
    println!("{seconds:.2} s");
    Ok(())
}
