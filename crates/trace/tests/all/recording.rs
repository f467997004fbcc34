// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Compares the tracer with the simplest recorder: after folding and unfolding, the stream of events is the same.

use crate::support::recording::{plain_plugin, tracer, tracer_by_gcc, Program};
use arch::Arch;
use trace::{count, Event, Reader};

fn mix(hash: &mut u64, word: u64) {
    *hash = (*hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    *hash ^= *hash >> 32;
}

/// What the plain plugin prints, computed from the trace.
fn hash_of(path: &std::path::Path) -> String {
    let mut reader = Reader::open(path).unwrap();
    let (mut hash, mut count) = (1, 0);
    while let Some(event) = reader.next().unwrap() {
        let Event::Block { id, accesses } = event else { continue };
        let accesses = accesses.to_vec();
        mix(&mut hash, reader.blocks()[id as usize].address);
        for a in accesses {
            count += 1;
            mix(&mut hash, a.address);
            mix(&mut hash, (u64::from(a.instruction) << 32) + u64::from(a.bytes) * 2 + u64::from(a.store));
        }
    }
    format!("{} {count} {hash:016x}\n", reader.instructions())
}

// Not aarch64: QEMU splits loads and stores of register pairs, and the tracer merges the parts.
const ARCHES: [Arch; 6] =
    [Arch::Powerpc64le, Arch::Powerpc64, Arch::Powerpc, Arch::Loongarch64, Arch::Riscv64, Arch::X86_64];

#[test]
fn unfolded_traces_are_what_was_executed() {
    let plain = plain_plugin();
    let by_gcc = tracer_by_gcc();
    for arch in ARCHES {
        // No vector accesses: the tracer merges their parts, the plain plugin does not.
        let program = Program::build("loops.c", arch, &["-fno-vectorize", "-fno-slp-vectorize"]);
        let expected = program.run_with(&plain, "", &[], &[]);
        let expected = String::from_utf8(expected.stderr).unwrap();
        for plugin in [tracer(), &by_gcc] {
            let path = program.trace_path("loops");
            let output = program.run_with(plugin, "", &[format!("out={}", path.display())], &[]);
            assert!(output.status.success(), "{arch}: {output:?}");
            assert_eq!(hash_of(&path), expected, "{arch} by {}", plugin.display());
        }
    }
}

/// The loops that the tracer has to be fast on, with 200 outer iterations; docs/trace-format.md has the figures for
/// all 261760.
#[test]
fn nested_loops_fold_into_a_few_hundred_bytes() {
    const OUTER: u64 = 200;
    for (flag, instructions, loads, stores) in [("", 8, 2, 2), ("-DIN_REGISTER", 15, 1, 1)] {
        let flags: Vec<String> = vec![format!("-DOUTER={OUTER}"), flag.to_owned()];
        let flags: Vec<&str> = flags.iter().map(String::as_str).filter(|f| !f.is_empty()).collect();
        let program = Program::build("bswap.S", Arch::Powerpc64le, &flags);
        let (output, path) = program.record("bswap", "", &[], &[]);
        assert!(output.status.success(), "{output:?}");
        let bytes = std::fs::metadata(&path).unwrap().len();
        assert!(bytes < 2000, "{bytes} bytes");

        let entries = count(&mut Reader::open(&path).unwrap()).unwrap();
        let counts = entries[0].counts;
        // Six instructions before, three after; four of the outer loop, less the branch back that the last inner iteration
        // does not execute.
        let expected = 6 + 3 + OUTER * (4090 * instructions - 1 + 4);
        assert_eq!((entries.len(), counts.instructions), (1, expected));
        assert_eq!((counts.loads, counts.stores), (OUTER * 4090 * loads, OUTER * 4090 * stores + 1));

        // The outer loop is one repetition, so that a reader can skip all of it.
        let mut reader = Reader::open(&path).unwrap();
        let mut largest = 0;
        while reader.next().unwrap().is_some() {
            for r in reader.repetitions().unwrap() {
                largest = largest.max(r.instructions_per_iteration * (r.remaining + r.iteration));
            }
        }
        assert!(
            largest > (OUTER - 5) * 4090 * instructions,
            "{largest} of {expected} instructions are in one loop"
        );
    }
}
