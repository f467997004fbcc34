// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `test --changed`: maps the files that differ from the upstream branch to what they can break directly: the variant and
//! not all variants, the crate's tests and not those of the crates that depend on it. The whole test has the last word.

use lab::process::Command;
use lab::toolchain::require_program;
use lab::{Problem, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What is to be run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Parts of the whole test.
    pub parts: BTreeSet<&'static str>,
    /// Hot paths, each with the variants that are checked; an empty set means all.
    pub hotpaths: BTreeMap<String, BTreeSet<String>>,
    /// The options of each run of `cargo test`; those behind `--` go to the tests.
    pub rust: BTreeSet<Vec<String>>,
    /// How many files differ.
    pub files_count: usize,
    /// Files that only the whole test can judge.
    pub beyond: Vec<String>,
}

/// Parts by the beginning of a path; the longest match counts. "" is a file that only the gates judge.
const PARTS: [(&str, &str); 26] = [
    ("README.md", "docs"),
    ("assay", "setup"),
    ("docs/", "docs"),
    ("kernel/", "kernel"),
    ("libs/README.md", ""),
    ("libs/cache_log/", "cache-log"),
    ("libs/cross/", "libraries"),
    ("libs/library.map.in", "libraries"),
    ("libs/meson", "libraries"),
    ("libs/names.in", "libraries"),
    ("libs/one_object.sh", "libraries"),
    ("libs/tests/", "libraries"),
    ("libs/vdso/", "vdso"),
    ("libs/vector_state/switch/", "switch"),
    ("setup", "setup"),
    ("studies/", "docs"),
    ("tests/compat/", "compat"),
    ("tests/gates/", "gates"),
    ("tests/must_fail/", "must-fail"),
    ("tests/setup/", "setup"),
    (".clang-format", ""),
    (".clang-tidy", "gates"),
    (".git", ""),
    ("ARCHITECTURE.md", ""),
    ("CHANGELOG.md", ""),
    ("CONTRIBUTING.md", ""),
];

/// What a cpu file can break: all tests of `predict` except those of planted faults in the engine, which use cpu files only
/// as something to run on.
const CPU_FILE: [&str; 5] = ["-p", "predict", "--", "--skip", "oracle::faults"];

/// Asks git which files differ from the merge base with the upstream branch, and plans what they need.
pub fn plan(root: &Path) -> Result<Plan> {
    let base = git(root, &["merge-base", "HEAD", "@{upstream}"])
        .or_else(|_| git(root, &["rev-parse", "HEAD"]))?
        .trim()
        .to_owned();
    let differ = git(root, &["diff", "--name-only", &base])?;
    let new = git(root, &["ls-files", "--others", "--exclude-standard"])?;
    let files: BTreeSet<&str> = differ.lines().chain(new.lines()).collect();
    if files.is_empty() {
        return Err(Problem::new("no file differs from the upstream branch")
            .remedy("leave out --changed to test everything, or name parts with --only"));
    }
    let verbs_tests = |verb: &str| root.join(format!("crates/assay/tests/{verb}.rs")).is_file();
    let hotpath_kind = |folder: &str| {
        let text = std::fs::read_to_string(root.join(folder).join("hotpath.toml")).ok()?;
        Some(if text.contains("\n[[width]]") { Kind::Widths } else { Kind::One })
    };
    Ok(plan_for(&files, verbs_tests, hotpath_kind))
}

fn git(root: &Path, words: &[&str]) -> Result<String> {
    let output = Command::new(require_program("git", "git")?).args(words).folder(root).run()?;
    if !output.success() {
        return Err(Problem::new(format!("git {}: {}", words.join(" "), output.tail(3)))
            .remedy("--changed wants a git checkout"));
    }
    Ok(output.stdout)
}

/// Whether a hotpath.toml describes one hot path, or one for each of several widths.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    One,
    Widths,
}

fn plan_for(
    files: &BTreeSet<&str>,
    verb_has_tests: impl Fn(&str) -> bool,
    hotpath_kind: impl Fn(&str) -> Option<Kind>,
) -> Plan {
    let mut plan = Plan { files_count: files.len(), ..Plan::default() };
    for file in files {
        let steps: Vec<&str> = file.split('/').collect();
        let begins = |start: &str| file.starts_with(start);
        match steps.as_slice() {
            ["crates", "assay", "src", "verbs", verb, ..] => {
                let verb = verb.trim_end_matches(".rs");
                plan.cargo(&["-p", "assay", "--bins"]);
                if verb_has_tests(verb) {
                    plan.cargo(&["-p", "assay", "--test", verb]);
                }
            }
            ["crates", "assay", "tests", test] if test.ends_with(".rs") => {
                plan.cargo(&["-p", "assay", "--test", test.trim_end_matches(".rs")]);
            }
            ["crates", "assay", ..] => plan.cargo(&["-p", "assay"]),
            ["crates", package, ..] => plan.cargo(&["-p", package]),
            ["cpus", ..] => plan.cargo(&CPU_FILE),
            ["tracer", ..] => plan.cargo(&["-p", "trace"]),
            ["libs", "ebpf", "packets", ..] => plan.beyond.push((*file).to_owned()),
            ["libs", "ebpf", ..] => plan.cargo(&["-p", "ebpf"]),
            ["libs", library, hotpath, rest @ ..]
                if hotpath_kind(&format!("libs/{library}/{hotpath}")).is_some() =>
            {
                let kind = hotpath_kind(&format!("libs/{library}/{hotpath}"));
                plan.hotpath(hotpath, rest, kind == Some(Kind::One));
            }
            ["libs", library @ ("checksum" | "byteswap"), ..] if !begins("libs/checksum/bench") => {
                plan.hotpaths.entry((*library).to_owned()).or_default().clear();
                plan.parts.insert("libraries");
            }
            _ => plan.part_of(file),
        }
        // Adopters build with these files, wherever they lie.
        if steps[0] == "libs" && matches!(steps.last(), Some(&"meson.build")) {
            plan.parts.insert("libraries");
        }
    }
    // A run of all tests of the crate includes those for cpu files.
    if plan.rust.contains(&words(&["-p", "predict"])) {
        plan.rust.remove(&words(&CPU_FILE));
    }
    plan
}

fn words(options: &[&str]) -> Vec<String> {
    options.iter().map(|word| (*word).to_owned()).collect()
}

impl Plan {
    fn cargo(&mut self, options: &[&str]) {
        self.rust.insert(words(options));
    }

    /// `rest` is ARCH and FILE of a variant, or a file that all variants are judged by. With several widths (`named_by_file`
    /// is false) a file's name does not tell its variants: all are checked.
    fn hotpath(&mut self, hotpath: &str, rest: &[&str], named_by_file: bool) {
        let known = self.hotpaths.get(hotpath).is_some_and(BTreeSet::is_empty);
        let variants = self.hotpaths.entry(hotpath.to_owned()).or_default();
        match rest {
            [_, file] if file.ends_with(".c") || file.ends_with(".S") => {
                if !named_by_file {
                    variants.clear();
                } else if !known {
                    let stem = file.rsplit_once('.').map_or(*file, |(stem, _)| stem);
                    variants.insert(stem.to_owned());
                }
            }
            _ => {
                variants.clear();
                self.parts.insert("must-fail");
            }
        }
    }

    fn part_of(&mut self, file: &str) {
        let fits =
            PARTS.iter().filter(|(start, _)| file.starts_with(start)).max_by_key(|(start, _)| start.len());
        match fits {
            Some((_, "")) => {}
            Some((_, part)) => {
                self.parts.insert(part);
            }
            None if file.ends_with(".md") => {}
            None => self.beyond.push(file.to_owned()),
        }
    }

    /// What will be run and what will not.
    pub fn describe(&self) -> String {
        let mut text = format!("{} files differ from the upstream branch\n", self.files_count);
        if self.rust.contains(&words(&CPU_FILE)) {
            text += "note: of the engine's tests, the planted faults are left out: cargo test --release -p predict\n";
        }
        for file in &self.beyond {
            text += &format!("note: what {file} can break, only the whole test shows: ./assay test\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan_of(files: &[&str]) -> Plan {
        let hotpath = |folder: &str| match folder {
            "libs/checksum/csum_partial" => Some(Kind::One),
            "libs/byteswap/swap" => Some(Kind::Widths),
            _ => None,
        };
        plan_for(&files.iter().copied().collect(), |verb| verb == "hot", hotpath)
    }

    #[test]
    fn a_variant_is_checked_alone() {
        let plan = plan_of(&["libs/checksum/csum_partial/power/vsx.S"]);
        assert_eq!(plan.hotpaths["csum_partial"], BTreeSet::from(["vsx".to_owned()]));
        assert!(plan.parts.is_empty() && plan.rust.is_empty() && plan.beyond.is_empty(), "{plan:?}");
    }

    #[test]
    fn a_file_for_several_widths_is_checked_at_all() {
        let plan = plan_of(&["libs/byteswap/swap/power/memory.S"]);
        assert!(plan.hotpaths["swap"].is_empty() && plan.parts.is_empty(), "{plan:?}");
    }

    #[test]
    fn a_test_of_a_hot_path_judges_all_variants() {
        let plan = plan_of(&["libs/checksum/csum_partial/power/vsx.S", "libs/checksum/csum_partial/test.c"]);
        assert!(plan.hotpaths["csum_partial"].is_empty() && plan.parts.contains("must-fail"), "{plan:?}");
    }

    #[test]
    fn a_verb_has_its_tests() {
        let plan = plan_of(&["crates/assay/src/verbs/hot.rs", "crates/assay/src/verbs/list.rs"]);
        let expected =
            BTreeSet::from([words(&["-p", "assay", "--bins"]), words(&["-p", "assay", "--test", "hot"])]);
        assert_eq!(plan.rust, expected);
    }

    #[test]
    fn a_cpu_file_breaks_no_planted_fault() {
        let of_file = plan_of(&["cpus/power/power9.toml"]);
        assert_eq!(of_file.rust, BTreeSet::from([words(&CPU_FILE)]));
        assert!(of_file.describe().contains("planted faults"), "{}", of_file.describe());
        let of_both = plan_of(&["cpus/power/power9.toml", "crates/predict/src/plan.rs"]);
        assert_eq!(of_both.rust, BTreeSet::from([words(&["-p", "predict"])]));
        assert!(!of_both.describe().contains("planted faults"), "{}", of_both.describe());
    }

    #[test]
    fn what_nothing_small_judges_is_told() {
        let plan = plan_of(&["runner/call.c", "libs/vdso/vdso_read.h", "docs/method.md"]);
        assert_eq!(plan.beyond, ["runner/call.c"]);
        assert_eq!(plan.parts, BTreeSet::from(["docs", "vdso"]));
        assert!(plan.describe().contains("runner/call.c"));
    }
}
