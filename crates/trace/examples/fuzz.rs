// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Reads N broken traces: `cargo run --release -p trace --example fuzz -- N [SEED]`. A panic or a hang is a bug; the
//! seed repeats it.

#[path = "../tests/all/support/fuzzing.rs"]
mod fuzzing;
#[path = "../tests/all/support/synthetic.rs"]
mod synthetic;

use std::time::Instant;

fn main() {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<u64>().expect("usage: fuzz N [SEED]"));
    let inputs = args.next().expect("usage: fuzz N [SEED]");
    let seed = args.next().unwrap_or(1).max(1);
    let scratch = std::env::temp_dir().join(format!("trace-fuzz-{}.trace", std::process::id()));
    let mut fuzzer = fuzzing::Fuzzer::new(seed, &scratch);
    std::fs::remove_file(&scratch).expect("the scratch file was written");
    let start = Instant::now();
    for i in 0..inputs {
        fuzzer.one();
        if (i + 1) % 100_000 == 0 {
            eprintln!("{} inputs in {:.1} s", i + 1, start.elapsed().as_secs_f64());
        }
    }
    println!("{inputs} inputs from seed {seed}: {} refused, {} read", fuzzer.refused, fuzzer.accepted);
}
