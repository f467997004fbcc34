// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Finds which C file of a folder calls which, for the tests of the tracer's and the runner's layers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The functions with external linkage that a file defines: in .clang-format's layout, the head starts a line and the
/// opening brace follows on a line of its own.
fn defined(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut last = None;
    for line in text.lines() {
        if line == "{" {
            found.extend(last.take());
        } else if line.starts_with(|c: char| c.is_ascii_lowercase()) {
            let head = line.split_once('(').map_or("", |(head, _)| head);
            last = words(head).last().filter(|_| !head.starts_with("static "));
        }
    }
    found
}

/// For each C file, by its name without the extension: the other files whose functions it names.
pub fn calls(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut texts = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder of C files") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "c") {
            let part = path.file_stem().expect("a name").to_string_lossy().into_owned();
            texts.insert(part, std::fs::read_to_string(&path).expect("a source file"));
        }
    }
    let owners: BTreeMap<&str, &String> = texts
        .iter()
        .flat_map(|(part, text)| defined(text).into_iter().map(move |name| (name, part)))
        .collect();
    let called = |text: &str| {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        code.flat_map(words).filter_map(|word| owners.get(word).copied().cloned()).collect::<BTreeSet<_>>()
    };
    let others = |(part, text): (&String, &String)| {
        let others = called(text).into_iter().filter(|other| other != part);
        (part.clone(), others.collect())
    };
    texts.iter().map(others).collect()
}

/// A test's table in the form that [`calls`] returns.
pub fn table(rows: &[(&str, &[&str])]) -> BTreeMap<String, BTreeSet<String>> {
    let owned = |others: &[&str]| others.iter().map(|other| (*other).to_owned()).collect();
    rows.iter().map(|(part, others)| ((*part).to_owned(), owned(others))).collect()
}
