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

/// imul eax, edi, 5, three times; rol ecx, 5, rol edx, 5, rol ebx, 5, three times each; jmp. Rotations are bound to the pipe of
/// the products, too, and wait there until these are written.
#[test]
fn an_unlimited_window_lets_no_pipe_write_two_results_at_once() {
    let products = [0x6b, 0xc7, 5].repeat(3);
    let rotations = [0xc1, 0xc1, 5, 0xc1, 0xc2, 5, 0xc1, 0xc3, 5].repeat(3);
    let code = [products, rotations, vec![0xeb, 0xda]].concat();
    for name in ["zen3", "zen4"] {
        let found = explained(name, Arch::X86_64, &code, &[]);
        let window = found.bounds.iter().find(|bound| bound.resource.starts_with("window")).unwrap();
        assert!(found.cycles > 7.5, "{name}: {:.2}, the pipe is no bound", found.cycles);
        // Two pipes could take 12 operations in six cycles.
        assert!(window.cycles_without > 7.5, "{name}: {:.2}, {window:?}", found.cycles);
    }
}

/// `mov [rdi+8n],rax` and so on; jmp.
fn stores_x86() -> Vec<u8> {
    let code: Vec<u8> = (0..STORES as u8).flat_map(|number| [0x48, 0x89, 0x47, 8 * number]).collect();
    [code, vec![0xeb, (STORES as u8 * 4 + 2).wrapping_neg()]].concat()
}

/// The same by words of 32 bits, each four bytes more than the one before, and a branch back over so many bytes.
fn stores_in_words(first: u32, step: u32, branch: impl Fn(u32) -> u32) -> Vec<u32> {
    let stores = (0..STORES).map(|number| first + step * number);
    stores.chain([branch(4 * STORES)]).collect()
}

const STORES: u32 = 15;

/// Stores of the same register to a line or two in the first level: so many enter the cache in a cycle, and everything else waits
/// for that in the end. On the cores that are left out the pipes take no more stores than the cache does.
#[test]
fn a_loop_of_stores_is_bound_by_the_cache_that_takes_them() {
    // std 3,8n(4); bdnz. st.d $a0,$a1,8n; b.
    let bdnz = |back: u32| 0x4200_0000 | back.wrapping_neg() & 0xfffc;
    let std = stores_in_words(0xf864_0000, 8, bdnz);
    let std_la = stores_in_words(0x29c0_00a4, 8 << 10, |back| {
        let words = (back / 4).wrapping_neg();
        0x5000_0000 | (words & 0xffff) << 10 | words >> 16 & 0x3ff
    });
    let little = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let cores = [
        (Arch::Powerpc64le, little(&std), &["power7", "power8", "power9", "power10"][..]),
        (Arch::Loongarch64, little(&std_la), &["la664"]),
        (Arch::X86_64, stores_x86(), &["golden_cove", "zen3"]),
    ];
    let mut wrong = Vec::new();
    for (arch, code, names) in cores {
        let starts: Vec<u64> = (0..u64::from(STORES)).map(|number| 0x2000_0000 + 8 * number).collect();
        for name in names {
            let found = explained(name, arch, &code, &starts);
            if found.bound_by().is_none_or(|bound| bound.resource != predict::explain::STORES) {
                wrong.push(format!("{name}: {}", found.summary()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
