// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Prints a trace as text: `cargo run -p trace --example dump -- FILE [EVENTS]`. Repetitions are printed where an
//! iteration starts; iterations after the second are skipped.

use trace::{Event, Reader};

fn main() -> Result<(), trace::Error> {
    let mut args = std::env::args().skip(1);
    let path = args.next().expect("usage: dump FILE [EVENTS]");
    let mut left: u64 = args.next().map_or(u64::MAX, |n| n.parse().expect("EVENTS is a number"));
    let mut reader = Reader::open(path)?;
    println!("{:?}", reader.header());
    loop {
        for r in reader.repetitions()?.to_vec() {
            println!("{:?}", r);
            if r.iteration == 2 {
                reader.skip_in(&r, r.remaining)?;
                break;
            }
        }
        let Some(event) = reader.next()? else { break };
        match event {
            Event::Block { id, accesses } => {
                let accesses: Vec<_> = accesses.to_vec();
                println!(
                    "block {id} at {:#x}, {} instructions",
                    reader.blocks()[id as usize].address,
                    reader.blocks()[id as usize].instructions()
                );
                for a in accesses {
                    let kind = if a.cache_operation {
                        "cache"
                    } else if a.store {
                        "store"
                    } else {
                        "load"
                    };
                    println!(
                        "  {} {kind} {} bytes at {:#x}{}",
                        a.instruction,
                        a.bytes,
                        a.address,
                        if a.known { "" } else { " (unknown)" }
                    );
                }
            }
            other => println!("{other:?}"),
        }
        left -= 1;
        if left == 0 {
            return Ok(());
        }
    }
    println!("{:?}", reader.end());
    Ok(())
}
