// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Predicts one loop on one cpu at every alignment:
//! `cargo run -p predict --example loop -- CPUS_DIR CPU ARCH CODE.bin START:STEP:WRAP...`, one triple an access.

use predict::loops::{LoopSource, Walk};
use predict::{predict, Cause, Cpu, Options};

fn number(text: &str) -> i64 {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    sign * value.expect("a number")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dir, cpu, arch, code, walks @ ..] = arguments.as_slice() else {
        return Err("usage: loop CPUS_DIR CPU ARCH CODE.bin [START:STEP:WRAP...]".into());
    };
    let cpu = Cpu::load(dir.as_ref(), cpu)?;
    let code = std::fs::read(code)?;
    let walks: Vec<Walk> = walks
        .iter()
        .map(|text| {
            let mut parts = text.split(':').map(number);
            let mut next = || parts.next().unwrap_or(0);
            Walk { start: next() as u64, step: next(), wrap: next() as u64 }
        })
        .collect();
    for offset in [0, 4, 8, 12, 16, 20, 24, 28] {
        let mut source = LoopSource::new(arch.parse()?, &code, 0x1000_0000 + offset, &walks, 20_000)?;
        let instructions = source.instructions().count();
        let prediction = predict(&mut source, &[&cpu], &Options::default())?.remove(0);
        let per = |count: u64| count as f64 / 20_000.0;
        print!(
            "+{offset:2} {instructions} instructions {:.3} cycles;",
            prediction.cycles_per_call.unwrap_or(0.0)
        );
        for (cause, cycles) in Cause::ALL.iter().zip(prediction.counters.stalls) {
            if per(cycles) > 0.02 {
                print!(" {} {:.2}", cause.name(), per(cycles));
            }
        }
        println!(" coverage {:.1}", prediction.coverage_percent);
        for (name, count) in &prediction.fallbacks {
            println!("    in no class: {name} ({count})");
        }
    }
    Ok(())
}
