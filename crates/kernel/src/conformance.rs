// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Prepares the public conformance suite of BPF for `kernel/workloads/bpf_conformance.c` in a booted kernel, and parses
//! its output.
//!
//! The kernel's verifier accepts fewer programs than the RFC allows, and the kernel's JITs leave a shift by more than
//! the width to the machine. A list says which programs are refused and why, and which give another r0 on which
//! architecture: a program that is refused and not listed fails the test, and so does one that is listed and accepted.

use crate::suite::Verdict;
use arch::Arch;
use ebpf::conformance::{self, Case, Overlay};
use lab::cache::{read_text, Workspace};
use lab::{Problem, Result};
use std::collections::{BTreeMap, BTreeSet};

/// The list of the kernel's differences from the suite.
const DIFFERS: &str = "kernel/workloads/bpf_conformance.differs";
/// How the workload calls the two ways of loading a program.
const WAYS: [&str; 2] = ["optimised", "kept"];

/// The list's entries for one architecture.
#[derive(Debug, Default)]
struct Differs {
    /// Why a program is refused, by its name and the way.
    refusals: BTreeMap<(String, String), String>,
    /// r0 of a program whose result is not the suite's.
    results: BTreeMap<String, u64>,
}

/// The path of the suite; the error says how to set it.
pub fn suite(workspace: &Workspace) -> Result<std::path::PathBuf> {
    let path = conformance::default_suite(&workspace.root);
    match path.is_file() {
        true => Ok(path),
        false => Err(Problem::new("bpf_conformance's programs are not there")
            .at(path.display())
            .remedy("set ASSAY_SHARED to the folder that has conformance/ebpf.json")),
    }
}

/// The file of cases for an architecture: with the results that hold in its byte order.
pub fn cases(workspace: &Workspace, arch: Arch) -> Result<Vec<u8>> {
    let failed = |error: conformance::SuiteError| Problem::new(error.to_string());
    let suite = conformance::read_suite(&suite(workspace)?).map_err(failed)?;
    let overlay = match arch.big_endian() {
        true => conformance::read_overlay(&workspace.root.join(conformance::BIG_ENDIAN_RESULTS))
            .map_err(failed)?,
        false => Overlay::new(),
    };
    let differs = differs(&read_text(&workspace.root.join(DIFFERS))?, arch)?;
    lines(&suite, &overlay, &differs).map(String::into_bytes)
}

fn lines(suite: &[Case], overlay: &Overlay, differs: &Differs) -> Result<String> {
    let names: BTreeSet<&str> = suite.iter().map(|case| case.name.as_str()).collect();
    let mut listed = differs.refusals.keys().map(|(name, _)| name).chain(differs.results.keys());
    if let Some(name) = listed.find(|name| !names.contains(name.as_str())) {
        return Err(Problem::new(format!("the suite has no program '{name}'"))
            .at(DIFFERS)
            .remedy("strike it out, or take the suite that has it"));
    }
    let mut text = String::new();
    for case in suite {
        let published = overlay.get(&case.name).map_or(case.result, |big_endian| big_endian.result);
        let result = differs.results.get(&case.name).copied().unwrap_or(published);
        let memory = if case.memory.is_empty() { "-".to_owned() } else { hex(&case.memory) };
        text += &format!("{}\t{}\t{memory}\t{result:x}", case.name, hex(&case.program));
        for way in WAYS {
            text += "\t";
            text += differs.refusals.get(&(case.name.clone(), way.to_owned())).map_or("-", String::as_str);
        }
        text += "\n";
    }
    Ok(text)
}

/// Without the blanks that a suite may have between bytes.
fn hex(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect()
}

/// Parses the list. A line has a program, a way and the verifier's message, or a program, architectures and r0 in hex.
/// A way that is meant for some architectures only is followed by `@` and their names.
fn differs(text: &str, arch: Arch) -> Result<Differs> {
    let mut found = Differs::default();
    for (index, line) in
        text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    {
        let wrong = || {
            Problem::new("is neither PROGRAM optimised|kept[@ARCH,...] REASON nor PROGRAM ARCH[,ARCH]... R0")
                .at(format!("{DIFFERS}:{}", index + 1))
                .remedy("see the head of the file")
        };
        let (name, rest) = line.split_once(char::is_whitespace).ok_or_else(wrong)?;
        let (word, rest) = rest.trim_start().split_once(char::is_whitespace).ok_or_else(wrong)?;
        let (way, on) = word.split_once('@').unwrap_or((word, ""));
        let named = if WAYS.contains(&way) { on } else { word };
        let archs = named.split(',').map(|word| Arch::ALL.into_iter().find(|arch| arch.name() == word));
        let archs: Vec<Arch> = match WAYS.contains(&word) {
            true => Arch::ALL.to_vec(),
            false => archs.collect::<Option<_>>().ok_or_else(wrong)?,
        };
        if WAYS.contains(&way) {
            if archs.contains(&arch) {
                found.refusals.insert((name.to_owned(), way.to_owned()), rest.trim().to_owned());
            }
            continue;
        }
        let digits = rest.trim().strip_prefix("0x").ok_or_else(wrong)?;
        let result = u64::from_str_radix(digits, 16).map_err(|_| wrong())?;
        if archs.contains(&arch) {
            found.results.insert(name.to_owned(), result);
        }
    }
    Ok(found)
}

/// Parses the workload's output. It counts each program once for each way; what was refused as listed is reported
/// separately.
pub fn verdict(stdout: &str) -> Verdict {
    let ours = || stdout.lines().filter_map(|line| line.strip_prefix("bpf_conformance: "));
    let failed: Vec<String> =
        ours().filter_map(|line| line.strip_prefix("wrong: ")).map(str::to_owned).collect();
    let passed = ours().find_map(|line| line.strip_prefix("right ")?.split(',').next()?.parse().ok());
    let mut by_reason: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for line in ours().filter_map(|line| line.strip_prefix("refused: ")) {
        let mut parts = line.splitn(2, ": ");
        let (who, reason) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let (name, way) = who.split_once(", ").unwrap_or((who, ""));
        by_reason.entry((way, reason)).or_default().push(name);
    }
    let refused = by_reason.iter().map(|((way, reason), names)| {
        format!("{way}: {} refused as listed, \"{reason}\": {}", names.len(), names.join(" "))
    });
    let refused: Vec<String> = refused.collect();
    let refusals = ours().filter(|line| line.starts_with("refused: ")).count();
    let note = (refusals > 0).then(|| format!("{refusals} refused, all as listed in {DIFFERS}"));
    let failure = match (passed, failed.len()) {
        (None | Some(0), 0) => Some("no program was run".to_owned()),
        (_, 0) => None,
        (_, 1) => Some("a case failed".to_owned()),
        (_, count) => Some(format!("{count} cases failed")),
    };
    Verdict { passed, failed, failure, refused, note }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(name: &str) -> Case {
        Case { name: name.to_owned(), program: "95 00".to_owned(), memory: String::new(), result: 0x2a }
    }

    #[test]
    fn a_case_is_a_line_with_what_is_expected_in_each_way() {
        let list = "# why\n\nb  kept  back-edge from 1\na  powerpc,powerpc64le  0x2b\n\
                    a  kept@riscv64,loongarch64  misaligned\n";
        let of =
            |arch| lines(&[case("a"), case("b")], &Overlay::new(), &differs(list, arch).unwrap()).unwrap();
        assert_eq!(of(Arch::X86_64), "a\t9500\t-\t2a\t-\t-\nb\t9500\t-\t2a\t-\tback-edge from 1\n");
        assert!(of(Arch::Powerpc64le).starts_with("a\t9500\t-\t2b\t-\t-\n"));
        assert!(of(Arch::Loongarch64).starts_with("a\t9500\t-\t2a\t-\tmisaligned\n"));
        let none = lines(&[case("a")], &Overlay::new(), &differs(list, Arch::X86_64).unwrap());
        assert!(none.unwrap_err().to_string().contains("no program 'b'"));
        for wrong in
            ["a", "a kept", "a nowhere 0x1", "a powerpc 12", "a kept@nowhere no", "a lost@powerpc no"]
        {
            assert!(differs(wrong, Arch::Powerpc).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_refused_as_listed_is_told_and_nothing_run_is_no_success() {
        let refused = "bpf_conformance: refused: callx, kept: unknown opcode 8d\n\
                       bpf_conformance: refused: prime, kept: back-edge from insn 9 to 4\n";
        let found =
            verdict(&format!("{refused}bpf_conformance: right 480, refused as listed 2, wrong 0; more\n"));
        assert_eq!((found.passed, found.failure.as_deref()), (Some(480), None));
        assert!(found.note.unwrap().starts_with("2 refused, all as listed in kernel/"));
        assert_eq!(found.refused[1], "kept: 1 refused as listed, \"unknown opcode 8d\": callx");
        let wrong = "bpf_conformance: wrong: add, kept: r0 is 0x1, not 0x3\n";
        assert_eq!(verdict(wrong).failed, ["add, kept: r0 is 0x1, not 0x3"]);
        assert!(verdict(refused).failure.unwrap().contains("no program"));
    }
}
