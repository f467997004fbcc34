// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Short runs of the fuzzers (libs/ebpf/fuzz). Long runs: `make -C libs/ebpf fuzz COUNT=1000000`, and
//! `make -C libs/ebpf programs && libs/ebpf/build/x86_64/differential --seed 1 --count 1000000`.

use crate::support;
use ebpf::Plugin;

fn output(plugin: &Plugin, arguments: &[&str]) -> String {
    let output = plugin.command("differential").args(arguments).output().expect("the fuzzer runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{} {arguments:?}: {}\n{text}", plugin.arch(), output.status);
    text
}

#[test]
fn interpreter_and_compiled_code_agree() {
    for (arch, emulator) in support::MACHINES.into_iter().filter(|(arch, _)| support::has_back_end(arch)) {
        let plugin = support::plugin(arch, emulator);
        let count = if emulator.is_empty() { "20000" } else { "2000" };
        let text = output(&plugin, &["--seed", "20261120", "--count", count]);
        assert!(text.starts_with(&format!("{count} programs, no difference")), "{text}");
    }
}

/// The code for a target does not depend on the byte order or the architecture of the machine that generates it.
#[test]
fn code_does_not_depend_on_the_host() {
    let machines: Vec<Plugin> =
        support::MACHINES.into_iter().map(|(arch, emulator)| support::plugin(arch, emulator)).collect();
    for target in ebpf::targets() {
        let arguments = ["--count", "300", "--emit", target];
        let first = output(&machines[0], &arguments);
        assert!(first.contains("300 programs emitted, hash 0x"), "{first}");
        for machine in &machines[1..] {
            assert_eq!(output(machine, &arguments), first, "{target} from {}", machine.arch());
        }
    }
}

/// Damaged bytecode, and memory that runs out, under the address and undefined-behaviour sanitizers.
#[test]
fn damaged_bytecode_is_refused_or_contained() {
    let text = support::make(&["COUNT=3000", "fuzz"]);
    assert!(text.contains("3000 programs, "), "{text}");
}
