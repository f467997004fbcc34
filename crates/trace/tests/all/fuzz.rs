// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The reader never panics, whatever the bytes. For a long run: `cargo run --release -p trace --example fuzz -- N`.

#[test]
fn broken_traces_are_refused_without_a_panic() {
    let scratch = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz.trace");
    let mut fuzzer = crate::support::fuzzing::Fuzzer::new(2026, &scratch);
    for _ in 0..20_000 {
        fuzzer.one();
    }
    // Most changes break a trace, some do not (an address, an instruction's bytes): both kinds have to occur.
    assert!(fuzzer.refused > 2_000 && fuzzer.accepted > 500, "{} {}", fuzzer.refused, fuzzer.accepted);
}
