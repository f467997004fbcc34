// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Loads every cpu file of a folder and says which are sound: `cargo run -p predict --example cpus -- cpus`.

use predict::Cpu;
use std::path::PathBuf;

fn main() {
    let dir = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "cpus".into()));
    let mut failed = false;
    for name in Cpu::list(&dir) {
        match Cpu::load(&dir, &name).and_then(|cpu| cpu.check_names().map(|()| cpu)) {
            Ok(cpu) => println!(
                "{name}: {}, {} keys, {} guessed",
                cpu.title(),
                cpu.entries().count(),
                cpu.guesses().len()
            ),
            Err(error) => {
                failed = true;
                println!("{name}: {error}");
            }
        }
    }
    std::process::exit(i32::from(failed));
}
