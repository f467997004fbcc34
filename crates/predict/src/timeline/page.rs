// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The timeline as part of a page: rows that are made as they are scrolled into sight, so that 20,000 of them stay small and quick.
//!
//! Address and instruction stay in place while the bars scroll sideways. Each iteration of the hot loop begins at the left
//! edge, and so do rows after a long stretch without one, so that no bar is ever far away.

use super::Timeline;
use crate::core::Event;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Rows after which the bars begin anew where there is no loop.
const FOLD_AFTER: usize = 64;
/// Cycles after which they do so in any case: a program leaves its hot loop, and further on no bar would be in sight.
const FOLD_AFTER_CYCLES: u64 = 120;

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
                let text = shown(&text);
                let place = shown(&self.place_of(address));
                let _ = write!(texts, "{}\"{place} {text}\"", if next == 0 { "" } else { "," });
            }
        }
        let mut rows = String::new();
        let mut origin = self.start();
        let mut since = 0;
        for event in &self.events {
            let begins = match head {
                Some(address) => self.text_of(event).0 == address,
                None => since == FOLD_AFTER,
            } || since > 0 && event.dispatch.saturating_sub(origin) >= FOLD_AFTER_CYCLES;
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

/// Decoded instructions and symbols come from the program, not from us: they must not end the script.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !"<>&\"\\\n`$".contains(*c)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a word stands in a text, by itself.
    fn place_of(word: &str, text: &str) -> Option<usize> {
        let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "_$.\"-".contains(c));
        let mut places = text.match_indices(word).map(|(at, _)| at);
        places.find(|&at| {
            let (before, behind) = (text[..at].chars().last(), text[at + word.len()..].chars().next());
            !joins(before) && !behind.is_some_and(|c| c.is_alphanumeric() || c == '_')
        })
    }

    /// A `const` that is used above its line ends the script there, and the page has no timeline.
    #[test]
    fn every_name_of_the_script_is_declared_before_it_is_used() {
        let mut names = Vec::new();
        for line in SCRIPT.lines().filter(|line| line.starts_with("const ") || line.starts_with("let ")) {
            let declared = line.split(' ').zip(line.split(' ').skip(1)).zip(line.split(' ').skip(2));
            // `const a = 1, b = 2;` at the left margin.
            names.extend(
                declared
                    .filter(|((before, _), sign)| {
                        *sign == "=" && (*before == "const" || *before == "let" || before.ends_with(','))
                    })
                    .map(|((_, name), _)| (name, line)),
            );
        }
        assert!(names.len() > 10 && names.iter().any(|(name, _)| *name == "narrow"), "{names:?}");
        for (name, line) in names {
            let declared = SCRIPT.find(line).expect("it is a line of it") + line.len();
            let used = place_of(name, SCRIPT).expect("it is there");
            assert!(used < declared && used >= declared - line.len(), "'{name}' is used before '{line}'");
        }
    }
}
