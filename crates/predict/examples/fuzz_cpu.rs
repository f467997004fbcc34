// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Feeds damaged cpu files to the loader: `cargo run --release -p predict --example fuzz_cpu -- FILE.toml [INPUTS] [SEED]`.
//! A panic ends it; the short form of this is a test.

use predict::Cpu;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments.first().ok_or("usage: fuzz_cpu FILE.toml [INPUTS] [SEED]")?;
    let inputs: u64 = arguments.get(1).map_or(Ok(1_000_000), |text| text.parse())?;
    let mut state: u64 = arguments.get(2).map_or(Ok(0x5eed), |text| text.parse())?;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % below.max(1)
    };
    let whole = std::fs::read(path)?;
    let (mut refused, mut loaded) = (0u64, 0u64);
    for _ in 0..inputs {
        // A short piece of the file is as telling as all of it and much faster.
        let from = next(whole.len());
        let mut bytes = whole[from..(from + 200 + next(2000)).min(whole.len())].to_vec();
        for _ in 0..next(6) {
            let at = next(bytes.len());
            match next(3) {
                0 => bytes[at] = next(256) as u8,
                1 => bytes.truncate(at.max(1)),
                _ => drop(bytes.drain(at..(at + next(30)).min(bytes.len()))),
            }
            if bytes.is_empty() {
                break;
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match Cpu::load_with("fuzzed", |_| Ok((text.clone(), "fuzzed.toml".into()))) {
            Ok(_) => loaded += 1,
            Err(_) => refused += 1,
        }
    }
    println!("{inputs} inputs: {refused} refused, {loaded} loaded, no panic");
    Ok(())
}
