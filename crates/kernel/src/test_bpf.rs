// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Parses what lib/test_bpf prints on the console: lines `#N WHAT jited:1 ... PASS` and `Summary: N PASSED, N FAILED,
//! [N/N JIT'ed]`.
//!
//! A program that the interpreter ran has not tested the JIT. A list names the programs that an architecture's JIT has
//! no code for: a program that is neither compiled nor listed fails the test, and so does one that is both.

use crate::suite::{counted, Verdict};
use arch::Arch;
use lab::{Problem, Result};
use std::collections::BTreeSet;

/// The list of what JITs leave to the interpreter.
pub const DIFFERS: &str = "kernel/tests/test_bpf.differs";
/// The module prints a summary each of its programs, of its tail calls and of skb_segment.
const SUMMARIES: usize = 3;

/// The programs that are listed for an architecture. A line has architectures, separated by commas, and the program's name.
pub fn left_to_interpreter(text: &str, arch: Arch) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for (index, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = || {
            Problem::new("is not ARCH[,ARCH]... PROGRAM")
                .at(format!("{DIFFERS}:{}", index + 1))
                .remedy("see the head of the file")
        };
        let (names, program) = line.split_once(char::is_whitespace).ok_or_else(wrong)?;
        let archs = names.split(',').map(|word| Arch::ALL.into_iter().find(|arch| arch.name() == word));
        let archs: Vec<Arch> = archs.collect::<Option<_>>().ok_or_else(wrong)?;
        if archs.contains(&arch) && !found.insert(program.trim().to_owned()) {
            return Err(wrong().at(format!("{DIFFERS}:{}: named twice", index + 1)));
        }
    }
    Ok(found)
}

/// The sums of the summaries' counts.
#[derive(Default)]
struct Totals {
    summaries: usize,
    passed: u64,
    programs: u64,
    compiled: u64,
}

impl Totals {
    fn add(&mut self, summary: &str) {
        let numbers: Vec<u64> = summary
            .split(|c: char| !c.is_ascii_digit())
            .filter(|word| !word.is_empty())
            .filter_map(|word| word.parse().ok())
            .collect();
        self.summaries += 1;
        self.passed += numbers.first().copied().unwrap_or(0);
        if let [_, _, compiled, all] = numbers[..] {
            self.compiled += compiled;
            self.programs += all;
        }
    }
}

/// The verdict on its output, given the list of its architecture.
pub fn verdict(lines: &[&str], listed: &BTreeSet<String>) -> Verdict {
    let (mut totals, mut failed, mut interpreted) = (Totals::default(), Vec::new(), BTreeSet::new());
    for line in lines.iter().filter_map(|line| line.strip_prefix("test_bpf: ")) {
        if let Some((_, summary)) = line.split_once("Summary: ") {
            totals.add(summary);
            continue;
        }
        if line.starts_with('#') && line.contains("FAIL") {
            failed.push(line.to_owned());
        }
        let name = line.split_once(" jited:0").and_then(|(head, _)| head.split_once(' '));
        interpreted.extend(name.map(|(_, name)| name.trim().to_owned()));
    }
    let not_listed = interpreted.difference(listed).map(|name| format!("not compiled by the JIT: {name}"));
    failed.extend(not_listed);
    // After an early end most of the listed programs were not reached.
    let whole = totals.summaries >= SUMMARIES;
    if whole {
        let listed_alone = listed.difference(&interpreted);
        failed.extend(listed_alone.map(|name| format!("compiled by the JIT, and in {DIFFERS}: {name}")));
    }
    let Totals { passed, programs, compiled, .. } = totals;
    let mut verdict = counted(Some(passed), failed);
    let rest = if compiled < programs { format!("; the rest stands in {DIFFERS}") } else { String::new() };
    verdict.note = Some(format!("{compiled} of {programs} programs compiled by the JIT{rest}"));
    if verdict.failure.is_some() {
        return verdict;
    }
    let unnamed = (programs - compiled).saturating_sub(interpreted.len() as u64);
    if !whole {
        verdict.failure = Some(format!("test_bpf printed {} of its three summaries", totals.summaries));
    } else if unnamed > 0 {
        verdict.failure =
            Some(format!("{unnamed} of {programs} programs were not compiled by the JIT, and have no name"));
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUMMARIES: [&str; 3] = [
        "test_bpf: Summary: 1049 PASSED, 0 FAILED, [1037/1037 JIT'ed]",
        "test_bpf: test_tail_calls: Summary: 10 PASSED, 0 FAILED, [10/10 JIT'ed]",
        "test_bpf: test_skb_segment: Summary: 2 PASSED, 0 FAILED",
    ];
    /// The output if the interpreter ran one program.
    const ONE_LEFT: [&str; 4] = [
        "test_bpf: #9 ALU64_DIV_K: 6 / 3 = 2 jited:0 12 PASS",
        "test_bpf: Summary: 1049 PASSED, 0 FAILED, [1036/1037 JIT'ed]",
        SUMMARIES[1],
        SUMMARIES[2],
    ];

    fn listed(text: &str) -> BTreeSet<String> {
        left_to_interpreter(text, Arch::Powerpc).unwrap()
    }

    #[test]
    fn it_passes_where_all_is_compiled_and_fails_by_a_case_and_by_an_early_end() {
        let note = Some("1047 of 1047 programs compiled by the JIT".to_owned());
        let passed = Verdict { passed: Some(1061), note, ..Verdict::default() };
        assert_eq!(verdict(&SUMMARIES, &listed("")), passed);
        assert!(verdict(&SUMMARIES[..2], &listed("")).failure.unwrap().contains("2 of its three"));
        let case = "test_bpf: #7 ALU_END_FROM_BE 64 jited:1 ret 1 != 2 (0x1 != 0x2)FAIL (1 times)";
        assert_eq!(verdict(&[&[case][..], &SUMMARIES[..]].concat(), &listed("")).failed.len(), 1);
    }

    #[test]
    fn what_the_interpreter_ran_has_to_be_listed_and_nothing_else() {
        let found = verdict(&ONE_LEFT, &listed(""));
        assert_eq!(found.failed, ["not compiled by the JIT: ALU64_DIV_K: 6 / 3 = 2"]);
        let list = "# why\n\npowerpc,riscv64  ALU64_DIV_K: 6 / 3 = 2\nriscv64 another\n";
        let found = verdict(&ONE_LEFT, &listed(list));
        assert_eq!((found.failure, found.passed), (None, Some(1061)));
        assert!(found.note.unwrap().starts_with("1046 of 1047 programs compiled by the JIT; the rest"));
        let found = verdict(&SUMMARIES, &listed(list));
        assert!(found.failed[0].starts_with("compiled by the JIT, and in kernel/"), "{:?}", found.failed);
        // If another message breaks the line with the name, the program is still counted.
        let found = verdict(&ONE_LEFT[1..], &listed(""));
        assert!(found.failure.unwrap().starts_with("1 of 1047 programs were not compiled"));
    }

    #[test]
    fn a_line_of_the_list_that_is_none_is_refused() {
        for wrong in ["powerpc", "nowhere A: 1", "powerpc A: 1\npowerpc  A: 1"] {
            assert!(left_to_interpreter(wrong, Arch::Powerpc).is_err(), "{wrong}");
        }
    }
}
