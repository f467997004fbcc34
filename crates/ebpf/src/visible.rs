// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Texts of objects and programs for a terminal.

/// The text without what could move the cursor, hide text or reverse it: control and formatting characters become U+FFFD, as in
/// crates/report.
pub(crate) fn visible(text: &str) -> String {
    text.chars().map(|c| if is_harmless(c) { c } else { '\u{fffd}' }).collect()
}

/// As [`visible`], with line ends and tabs.
pub(crate) fn visible_lines(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '\n' | '\t') || is_harmless(c) { c } else { '\u{fffd}' }).collect()
}

fn is_harmless(c: char) -> bool {
    let formatting = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    !c.is_control() && !formatting
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_formatting_characters_are_replaced() {
        assert_eq!(visible("a\u{1b}[31m\n\u{202e}b"), "a\u{fffd}[31m\u{fffd}\u{fffd}b");
        assert_eq!(visible_lines("a\tb\n\u{7}\r"), "a\tb\n\u{fffd}\u{fffd}");
    }
}
