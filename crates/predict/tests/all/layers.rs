// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The order of this crate's modules: each imports only modules below it, so that no two depend on each other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// From the bottom up. Modules of one row do not import each other, except in the row `TOGETHER`: a cpu's file, its typed
/// form, by which loading checks it, and LLVM's figures for one.
const ROWS: &[&[&str]] = &[
    &["skipped", "moment"],
    &["flags", "cause", "relax", "register_kinds", "special", "regions", "calls", "figures"],
    &["forms"],
    &["cpu", "description", "fallback"],
    &["value", "source"],
    &["op", "loops", "trace_source", "ahead"],
    &["plan"],
    &["core"],
    &["timeline", "settled"],
    &["chain"],
    &["profile", "hot"],
    &["driver"],
    &["explain", "fit"],
    &["draws", "least", "left_out", "validate", "verdict"],
    &["doubt"],
    &["oracle"],
];

/// The one row whose modules may import each other.
const TOGETHER: usize = 3;

/// The modules that a file names as `crate::MODULE`, comments left out.
fn named(file: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(file).expect("a source file");
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split("crate::").skip(1))
        .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("").to_owned())
        .collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the source").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn a_room_knows_only_those_below_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let row_of = |room: &str| ROWS.iter().position(|row| row.contains(&room));
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for file in files(&root) {
        let inside = file.strip_prefix(&root).expect("below the root").to_string_lossy().into_owned();
        let room = inside.split(['/', '.']).next().expect("a name").to_owned();
        if room == "lib" {
            continue;
        }
        let row = row_of(&room).unwrap_or_else(|| panic!("{inside}: its room stands in no row of this test"));
        seen.insert(room.clone());
        for other in named(&file).into_iter().filter(|other| *other != room) {
            let Some(other_row) = row_of(&other) else { continue };
            let may = other_row < row || other_row == row && row == TOGETHER;
            if !may {
                wrong.push(format!("{inside} knows {other}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(seen.len(), ROWS.iter().map(|row| row.len()).sum::<usize>(), "a room of this test is gone");
}
