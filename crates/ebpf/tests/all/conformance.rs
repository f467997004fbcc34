// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The shared conformance suite through the plugin: both engines, every machine.

use crate::support;
use ebpf::{conformance, Engine};
use std::path::Path;

/// Cases with big-endian results that are in bpf_conformance, but not in the shared suite.
const BIG_ENDIAN_ELSEWHERE: [&str; 4] =
    ["lock_add32", "neg64-intmin-imm", "rfc9669_be32", "rfc9669_lock_xchg32"];

#[test]
fn every_machine_passes_the_suite() {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("it is there");
    let suite = conformance::default_suite(&checkout);
    if !suite.is_file() {
        println!("skipped: the suite is not there: set ASSAY_SHARED to the folder that holds it");
        return;
    }
    let suite = conformance::read_suite(&suite).expect("the suite is readable");
    let overlay = conformance::read_overlay(&support::library().join("tests/conformance_big_endian.txt"))
        .expect("the big-endian results are readable");
    assert_eq!(suite.len(), 250, "the suite has another size than the documents say");
    assert_eq!(overlay.len(), 32, "the documents give another number of big-endian results");
    let unknown: Vec<_> =
        overlay.keys().filter(|name| !suite.iter().any(|case| case.name == **name)).collect();
    assert_eq!(unknown, BIG_ENDIAN_ELSEWHERE, "big-endian results for cases that do not exist");
    for (arch, emulator) in support::MACHINES {
        let plugin = support::plugin(arch, emulator);
        for engine in [Engine::Interpreter, Engine::Compiled] {
            if engine == Engine::Compiled && !support::has_back_end(arch) {
                continue;
            }
            let report =
                conformance::run(&plugin, engine, &[], &suite, &overlay, arch == std::env::consts::ARCH)
                    .expect("the plugin runs");
            assert_eq!(report.passed + report.failures.len(), suite.len());
            let by_overlay = if plugin.is_big_endian() { overlay.len() - unknown.len() } else { 0 };
            assert_eq!(report.passed_by_overlay, by_overlay, "{arch}");
            assert!(
                report.failures.is_empty(),
                "{arch}, {engine:?}: {} of {} fail:\n{}",
                report.failures.len(),
                suite.len(),
                report.failures.join("\n")
            );
        }
    }
}

#[test]
fn a_wrong_result_is_noticed() {
    let plugin = support::plugin("x86_64", &[]);
    let case = conformance::Case {
        name: "wrong".into(),
        program: "b7000000030000009500000000000000".into(),
        memory: String::new(),
        result: 4,
    };
    let report = conformance::run(&plugin, Engine::Interpreter, &[], &[case], &Default::default(), true)
        .expect("the plugin runs");
    assert_eq!(report.failures, ["wrong: r0 is 0x3, not 0x4"]);
}
