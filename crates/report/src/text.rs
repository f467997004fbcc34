// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Texts from anywhere made harmless, measured in terminal columns, and wrapped.

use unicode_width::UnicodeWidthChar;

/// One line without anything that could move the cursor, hide text or reverse it: white space becomes a blank, any other
/// control or formatting character U+FFFD.
pub(crate) fn clean(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_whitespace() { ' ' } else { visible(c) })
        .collect::<String>()
        .trim()
        .to_owned()
}

/// As [`clean`], line by line; tabs go to the next multiple of eight as in a terminal.
pub fn clean_lines(text: &str) -> Vec<String> {
    let clean_line = |line: &str| {
        let mut cleaned = String::new();
        let mut column = 0;
        for c in line.trim_end().chars() {
            let c = if c == '\t' || !c.is_whitespace() { c } else { ' ' };
            if c == '\t' {
                let blanks = 8 - column % 8;
                cleaned.extend(std::iter::repeat_n(' ', blanks));
                column += blanks;
            } else {
                cleaned.push(visible(c));
                column += char_width(visible(c));
            }
        }
        cleaned
    };
    text.lines().map(clean_line).collect()
}

fn visible(c: char) -> char {
    let formatting = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    if c.is_control() || formatting {
        '\u{fffd}'
    } else {
        c
    }
}

fn char_width(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The columns that a text takes in a terminal: East Asian wide characters take two, combining ones none.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// The widest word.
pub(crate) fn longest_word(text: &str) -> usize {
    text.split_whitespace().map(width).max().unwrap_or(0)
}

/// Wraps at blanks to lines of at most `limit` columns (2 at least); a longer word is broken. Never gives no line.
pub(crate) fn wrap(text: &str, limit: usize) -> Vec<String> {
    let limit = limit.max(2);
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        if used > 0 && used + 1 + width(word) <= limit {
            let line = lines.last_mut().expect("never empty");
            line.push(' ');
            line.push_str(word);
            used += 1 + width(word);
            continue;
        }
        for piece in break_word(word, limit) {
            used = width(&piece);
            if lines.last().is_some_and(String::is_empty) {
                lines.pop();
            }
            lines.push(piece);
        }
    }
    lines
}

/// Cuts into pieces of at most `limit` columns, blanks and all.
pub(crate) fn break_word(text: &str, limit: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut used = 0;
    for c in text.chars() {
        if used + char_width(c) > limit {
            pieces.push(String::new());
            used = 0;
        }
        pieces.last_mut().expect("never empty").push(c);
        used += char_width(c);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_bidi_characters_do_not_survive() {
        assert_eq!(clean(" a\u{1b}[31mb\tc\r\nd\0 "), "a\u{fffd}[31mb c  d\u{fffd}");
        assert_eq!(clean("x\u{202e}y\u{feff}"), "x\u{fffd}y\u{fffd}");
        assert_eq!(clean_lines("a\tb  \n\u{7}"), ["a       b", "\u{fffd}"]);
    }

    #[test]
    fn wrapping_keeps_to_the_limit_and_loses_nothing() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("", 10), [""]);
        assert_eq!(wrap("漢字漢字", 5), ["漢字", "漢字"]);
        assert_eq!(width("e\u{301}漢"), 3);
    }
}
