// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The timeline as part of a page: rows that are made as they are scrolled into sight, so that 20,000 of them stay small and quick.
//!
//! Address and instruction stand still while the bars scroll sideways. Each iteration of the hot loop begins anew at the left
//! edge, so that no bar is ever far away.

use super::Timeline;
use crate::core::Event;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Rows after which the bars begin anew where there is no loop.
const FOLD_AFTER: usize = 64;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

impl Timeline {
    /// Style, rows and script, to stand at the end of a page's body. `head`: the address at which an iteration begins.
    pub fn html(&self, head: Option<u64>) -> String {
        let mut texts = String::new();
        let mut numbers: BTreeMap<u32, usize> = BTreeMap::new();
        for event in &self.events {
            let next = numbers.len();
            if let std::collections::btree_map::Entry::Vacant(entry) = numbers.entry(event.op) {
                entry.insert(next);
                let (address, text) = self.text_of(event);
                // What a program's bytes decode to is no text of ours: it must not end the script.
                let text: String = text.chars().filter(|c| !"<>&\"\\\n`$".contains(*c)).collect();
                let _ = write!(texts, "{}\"{address:x} {text}\"", if next == 0 { "" } else { "," });
            }
        }
        let mut rows = String::new();
        let mut origin = self.start();
        let mut since = 0;
        for event in &self.events {
            let begins = match head {
                Some(address) => self.text_of(event).0 == address,
                None => since == FOLD_AFTER,
            };
            if begins {
                (origin, since) = (event.dispatch, 0);
            }
            since += 1;
            let _ =
                write!(rows, "{}{}", if begins { "+" } else { " " }, row(event, numbers[&event.op], origin));
        }
        format!(
            "<style>{STYLE}</style><section id=\"timeline\"><h2>Timeline of {} instructions, predicted</h2>\
             <p id=\"legend\"></p><noscript><p>The timeline is drawn by a script of this page.</p></noscript>\
             <div id=\"scroll\" tabindex=\"0\"><div id=\"ruler\"></div><div id=\"rows\"></div></div></section>\
             <script>const texts=[{texts}],rows=\"{rows}\";\n{SCRIPT}</script>",
            self.events.len(),
        )
    }
}

/// Number of the text, cycles from the origin to the dispatch (an iteration may begin behind some of its instructions), then
/// from each step of its life to the next, and a letter for the cause, in base 36.
fn row(event: &Event, text: usize, origin: u64) -> String {
    let end = Timeline::end_of(event);
    let steps = [event.dispatch, event.start.min(event.issue), event.ready, event.issue, event.finish, end];
    let mut row = base36(text as u64);
    let behind = event.dispatch as i64 - origin as i64;
    let _ = write!(row, ",{}{}", if behind < 0 { "-" } else { "" }, base36(behind.unsigned_abs()));
    let mut last = event.dispatch;
    for step in &steps[1..] {
        let step = (*step).max(last);
        let _ = write!(row, ",{}", base36(step - last));
        last = step;
    }
    if event.opens_group {
        row.push_str(",g");
    }
    row
}

fn base36(mut value: u64) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((value % 36) as u32, 36).unwrap_or('0'));
        value /= 36;
        if value == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}
