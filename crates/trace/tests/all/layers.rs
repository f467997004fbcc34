// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Which part of the tracer calls which. The table is complete, so that a new dependency between parts fails the test.

use crate::support::calls::{calls, table};
use std::collections::BTreeSet;
use std::path::Path;

/// Each part comes after those that it calls. All call `target`, which is left out.
const CALLS: &[(&str, &[&str])] = &[
    ("target", &[]),
    ("guest", &[]),
    ("isa", &["guest"]),
    ("blocks", &["isa"]),
    ("files", &[]),
    ("maps", &["files"]),
    ("images", &["blocks", "guest", "maps"]),
    ("stream", &["files", "images"]),
    ("fold", &["stream"]),
    ("places", &["blocks", "guest", "maps"]),
    ("record", &["blocks", "fold", "isa", "region", "system"]),
    ("system", &["blocks", "guest", "isa", "places", "record", "region"]),
    ("region", &["blocks", "guest", "places", "record", "stream", "system"]),
    ("signals", &["record", "region"]),
    ("system_calls", &["guest", "places", "region", "signals"]),
    (
        "plugin",
        &[
            "blocks",
            "files",
            "guest",
            "isa",
            "places",
            "record",
            "region",
            "signals",
            "stream",
            "system",
            "system_calls",
        ],
    ),
];

/// Three files that call each other. Events go from `region` through `system` to `record`; the calls in the other direction
/// end a region (at the limit, say) or ask whether a block has to be looked at.
const TOGETHER: [&str; 3] = ["record", "system", "region"];

#[test]
fn a_part_calls_only_those_that_the_table_says() {
    let mut found = calls(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tracer"));
    for others in found.values_mut() {
        others.remove("target");
    }
    assert_eq!(found, table(CALLS));
}

#[test]
fn a_part_stands_on_those_before_it() {
    let mut before = BTreeSet::new();
    for (part, others) in CALLS {
        let above = |other: &&&str| !before.contains(**other);
        let together = |other: &&str| TOGETHER.contains(part) && TOGETHER.contains(other);
        let wrong: Vec<_> = others.iter().filter(above).filter(|other| !together(other)).collect();
        assert!(wrong.is_empty(), "{part} calls what comes after it: {wrong:?}");
        before.insert(*part);
    }
}
