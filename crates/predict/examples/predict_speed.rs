// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! How many instructions a second the predictor simulates, from trace file to result, on one core, nothing skipped:
//! `cargo run --release -p predict --example predict_speed -- CPUS_DIR TRACE ROUNDS CPU...`; bench/run makes the trace.
//!
//! Time is the processor time that the kernel accounts. A core whose other thread is busy gets less done in the same
//! accounted time, so the best round says more than the median one. Both are printed, and the clock that a chain of
//! multiplies ran at right after each round.

use predict::trace_source::TraceSource;
use predict::{predict, Cpu, Options};
use std::time::Instant;

/// Seconds of processor time that this process has used.
fn processor_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one timespec to where it is told to.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Most memory that this process has had, in megabytes.
fn peak_megabytes() -> f64 {
    // SAFETY: an rusage is plain numbers, and the kernel writes one to where it is told to.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    usage.ru_maxrss as f64 / 1024.0
}

/// The core's clock in GHz, by a chain of multiplies, each of which takes three cycles on every recent x86-64.
fn clock() -> f64 {
    const STEPS: u32 = 10_000_000;
    let start = Instant::now();
    let mut value = std::hint::black_box(3u64);
    for _ in 0..STEPS {
        value = value.wrapping_mul(value);
    }
    std::hint::black_box(value);
    f64::from(STEPS) * 3.0 / start.elapsed().as_secs_f64() / 1e9
}

struct Round {
    millions_a_second: f64,
    cycles: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dir, trace, rounds, names @ ..] = arguments.as_slice() else {
        return Err("usage: predict_speed CPUS_DIR TRACE ROUNDS CPU...".into());
    };
    let cpus = names.iter().map(|name| Cpu::load(dir.as_ref(), name)).collect::<Result<Vec<_>, _>>()?;
    let options = Options { skip_loops: false, ..Options::default() };
    let mut measured: Vec<Vec<Round>> = cpus.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds.parse::<u32>()?.max(1) {
        for (cpu, measured) in cpus.iter().zip(&mut measured) {
            let start = processor_seconds();
            let mut source = TraceSource::open(trace.as_ref())?;
            let prediction = predict(&mut source, &[cpu], &options)?.remove(0);
            let seconds = processor_seconds() - start;
            let instructions = prediction.simulated as f64;
            let cycles = seconds * clock() * 1e9 / instructions;
            measured.push(Round { millions_a_second: instructions / seconds / 1e6, cycles });
        }
    }
    for (cpu, mut rounds) in cpus.iter().zip(measured) {
        rounds.sort_by(|a, b| b.millions_a_second.total_cmp(&a.millions_a_second));
        let (best, middle) = (&rounds[0], &rounds[rounds.len() / 2]);
        println!(
            "{:12} best {:5.1}, median {:5.1} million instructions a second; {:.0} and {:.0} cycles of the host each",
            cpu.name, best.millions_a_second, middle.millions_a_second, best.cycles, middle.cycles
        );
    }
    println!("at most {:.0} MB", peak_megabytes());
    Ok(())
}
