// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Measures the decoder: `cargo run --release -p decode --example rate [ROUNDS]`.
//!
//! For each architecture it prints the time to make a decoder, and how many instructions per second it decodes into
//! facts (names and text included) from the words of the golden files, the fastest of five passes.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use arch::Arch;
use decode::Decoder;

fn main() -> Result<(), Box<dyn Error>> {
    let rounds: usize = std::env::args().nth(1).map_or(Ok(200), |text| text.parse())?;
    println!("{:<12} {:>12} {:>16}", "arch", "start, ms", "instructions/s");
    for (arch, golden) in [
        (Arch::Powerpc, "powerpc"),
        (Arch::Powerpc64le, "powerpc64le"),
        (Arch::Loongarch64, "loongarch64"),
        (Arch::X86_64, "x86_64"),
        (Arch::Aarch64, "aarch64"),
        (Arch::Riscv64, "riscv64"),
    ] {
        let encodings = encodings(golden)?;
        let before = Instant::now();
        let mut decoder = Decoder::new(arch)?;
        let start = before.elapsed();
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            let before = Instant::now();
            for _ in 0..rounds {
                for encoding in &encodings {
                    std::hint::black_box(decoder.decode(encoding, 0x1000)?);
                }
            }
            best = best.min(before.elapsed().as_secs_f64());
        }
        let per_second = (rounds * encodings.len()) as f64 / best;
        println!("{:<12} {:>12.2} {:>16.0}", arch.name(), start.as_secs_f64() * 1e3, per_second);
    }
    Ok(())
}

/// The bytes in the indented lines of a golden file.
fn encodings(name: &str) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.txt"));
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text.lines().filter_map(|line| line.strip_prefix('\t')?.split_once(" : "));
    let bytes = |hex: &str| hex.split(' ').map(|byte| u8::from_str_radix(byte, 16)).collect::<Result<_, _>>();
    Ok(lines.map(|(hex, _)| bytes(hex)).collect::<Result<_, _>>()?)
}
