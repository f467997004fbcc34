// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Which file of the runner calls which: the table is complete, and no file in it calls one after it.

#[path = "../../trace/tests/all/support/calls.rs"]
mod calls;

use calls::{calls, table};
use std::collections::BTreeSet;
use std::path::Path;

/// Each file after those that it calls. `verdict` gets the checked call's part of a failure's report through a callback.
const CALLS: &[(&str, &[&str])] = &[
    ("memory_calls", &[]),
    ("compiler_support", &[]),
    ("text", &[]),
    ("memory", &["memory_calls", "text"]),
    ("verdict", &["memory", "text"]),
    ("canary", &["memory_calls", "verdict"]),
    ("call", &["canary", "memory", "memory_calls", "text", "verdict"]),
    ("time", &["text"]),
    ("main", &["call", "memory", "text", "time", "verdict"]),
];

#[test]
fn a_file_calls_only_those_that_the_table_says() {
    assert_eq!(calls(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runner")), table(CALLS));
}

#[test]
fn a_file_stands_on_those_before_it() {
    let mut before = BTreeSet::new();
    for (file, others) in CALLS {
        let wrong: Vec<_> = others.iter().filter(|other| !before.contains(**other)).collect();
        assert!(wrong.is_empty(), "{file} calls what comes after it: {wrong:?}");
        before.insert(*file);
    }
}
