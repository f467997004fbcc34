// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What `explain` says of loops that one thing bounds by construction, on every core: it is named, freeing it saves what it
//! costs, and freeing something else costs nothing.

use arch::Arch;
use predict::explain::{explain, Explanation};
use predict::loops::{LoopSource, Walk};
use predict::{Cpu, Options, Source};
use std::path::Path;

fn explained(name: &str, arch: Arch, code: &[u8], starts: &[u64]) -> Explanation {
    let cpu = Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), name).unwrap();
    let walks: Vec<Walk> = starts.iter().map(|&start| Walk { start, step: 0, wrap: 0 }).collect();
    let mut open = || {
        let source = LoopSource::new(arch, code, 0x1000_0000, &walks, 2000)?;
        Ok(Box::new(source) as Box<dyn Source>)
    };
    explain(&mut open, &cpu, &Options::default()).unwrap()
}

/// Additions of 1 to eight registers in turn: add eax,1 and so on; jmp.
fn additions(count: usize) -> Vec<u8> {
    let one = |number: usize| match [0, 1, 2, 3, 5, 6, 7, 8][number % 8] {
        8 => vec![0x41, 0x83, 0xc0, 1],
        low => vec![0x83, 0xc0 | low, 1],
    };
    let mut code: Vec<u8> = (0..count).flat_map(one).collect();
    code.push(0xe9);
    let back = -(code.len() as i32 + 4);
    code.extend(back.to_le_bytes());
    code
}

/// The pipes are the bound. With an unlimited window some hundred additions wait for each, and an addition is bound to the pipe
/// that the fewest wait for, as with a window.
#[test]
fn an_unlimited_window_makes_no_loop_of_additions_longer() {
    for name in ["golden_cove", "zen3", "zen4"] {
        let found = explained(name, Arch::X86_64, &additions(64), &[]);
        let longer = found.bounds.iter().filter(|bound| bound.cycles_without > 1.02 * found.cycles);
        let longer: Vec<_> = longer.collect();
        assert!(longer.is_empty(), "{name}: {:.2}, {longer:?}", found.cycles);
    }
}
