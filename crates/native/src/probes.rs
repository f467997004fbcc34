// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Hand-written loops that show one mechanism each, to be measured and predicted.
//!
//! A file of probes is plain text: `# name` starts a loop; a line with `!` in front is executed before the loop, one with
//! `@` belongs to a function that it calls, and every other line is an instruction of a turn (Intel syntax); `% n` places
//! the turn `n` bytes after the start of a cache line. `; ` starts a remark, and so does `//` at the start of a line. As in
//! generated loops, `rdi` points to zeroed data at the start of a line and `rsi` counts the turns.

use crate::case::{Case, Category};
use crate::generate::{BASE, COUNTER};

/// The loops of a text.
pub fn parse(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().map(|line| line.split("; ").next().unwrap_or_default().trim()) {
        if let Some(name) = line.strip_prefix("# ") {
            cases.push(Case {
                name: name.to_owned(),
                category: Category::Probe,
                functions: String::new(),
                setup: format!("mov rdi, {BASE}\n"),
                body: String::new(),
                counter: COUNTER,
                offset: 0,
                held_out: false,
            });
            continue;
        }
        let Some(case) = cases.last_mut().filter(|_| !line.is_empty() && !line.starts_with("//")) else {
            continue;
        };
        let (text, line) = match line.split_at(1) {
            ("!", rest) => (&mut case.setup, rest.trim()),
            ("%", rest) => {
                case.offset = rest.trim().parse().unwrap_or(0);
                continue;
            }
            ("@", rest) => (&mut case.functions, rest.trim()),
            _ => (&mut case.body, line),
        };
        text.push_str(line);
        text.push('\n');
    }
    cases
}
