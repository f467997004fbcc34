// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Which part of the tracer calls which: the table is the whole of it, so that no two parts come to lean on each other unseen.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Each part, and those that it calls besides `target`, on which all stand. Nobody calls `plugin`. An event goes down from
/// `region` to `stream`; up go ends (of a loop, of a region) and what comes in between (an interrupt, a marker).
const CALLS: &[(&str, &[&str])] = &[
    ("target", &[]),
    ("isa", &["guest"]),
    ("guest", &["system"]),
    ("blocks", &["isa", "region"]),
    ("images", &["blocks", "guest"]),
    ("stream", &["images", "region"]),
    ("fold", &["record", "stream"]),
    ("record", &["blocks", "fold", "isa", "region", "system"]),
    ("system", &["blocks", "guest", "isa", "record", "region"]),
    ("region", &["blocks", "guest", "record", "stream", "system"]),
    ("plugin", &["blocks", "guest", "isa", "record", "region", "stream", "system"]),
];

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The functions that a file defines for others: what .clang-format puts at the start of a line, and a brace on one of its own after.
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

#[test]
fn a_part_calls_only_those_that_the_table_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tracer");
    let mut texts = BTreeMap::new();
    for entry in std::fs::read_dir(&folder).expect("the tracer") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "c") {
            let part = path.file_stem().expect("a name").to_string_lossy().into_owned();
            texts.insert(part, std::fs::read_to_string(&path).expect("a source file"));
        }
    }
    let owners: BTreeMap<&str, &str> = texts
        .iter()
        .flat_map(|(part, text)| defined(text).into_iter().map(|name| (name, part.as_str())))
        .collect();
    let mut calls: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (part, text) in &texts {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let called = code.flat_map(words).filter_map(|word| owners.get(word).copied());
        calls.insert(part, called.filter(|other| other != part && *other != "target").collect());
    }
    let table: BTreeMap<&str, BTreeSet<&str>> =
        CALLS.iter().map(|(part, others)| (*part, others.iter().copied().collect())).collect();
    assert_eq!(calls, table);
}
