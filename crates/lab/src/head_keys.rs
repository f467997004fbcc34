// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The keys that a variant's head comment may carry, such as `assay-requires: power9`.
//!
//! A file says about itself what the tool has to know about it, so a variant is one file and the path is its
//! registration. Keys are read from the comments before the first code; a key we do not know is an error, because a
//! misspelt claim that went unread would be tested under the wrong CPU.

use crate::problem::{Problem, Result};

/// What the head comment of a variant said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeadKeys {
    /// `assay-requires:` claims, oldest CPU or features.
    pub requires: Vec<String>,
    /// `assay-cflags:` compiler flags.
    pub cflags: Vec<String>,
    /// `assay-needs:` other variants of the hot path, linked in as `<symbol>_<variant>`.
    pub needs: Vec<String>,
    /// `assay-expect: fail [TEXT]`: the check has to fail, and its message has to contain the text.
    pub expect_fail: Option<String>,
    /// `assay-peer: NAME (source)`: somebody else's technique, written again to compare with.
    pub peer: Option<String>,
    /// `assay-reads: aligned-words`: may read, but not use, bytes of an aligned word that holds a byte of the input.
    pub reads_aligned_words: bool,
    /// `assay-about:` one line for `list`.
    pub about: Option<String>,
}

const KNOWN: &str = "assay-requires assay-cflags assay-needs assay-expect assay-peer assay-reads assay-about";

/// Reads the head comment of a C or assembly source; `place` is for messages.
pub fn parse(source: &str, place: &str) -> Result<HeadKeys> {
    let mut keys = HeadKeys::default();
    for (index, line) in source.lines().enumerate() {
        let Some(text) = comment_text(line, index, source) else {
            break;
        };
        if !text.to_ascii_lowercase().starts_with("assay-") {
            continue;
        }
        let set_key = split_key(text).and_then(|(key, value)| set(&mut keys, key, value));
        set_key.map_err(|problem| problem.at(format!("{place}:{}", index + 1)))?;
    }
    Ok(keys)
}

/// The text of a comment line, or `None` where the head comment has ended.
fn comment_text<'a>(line: &'a str, index: usize, source: &str) -> Option<&'a str> {
    let trimmed = line.trim();
    let opened = ["/*", "*", "//", "#", ";"].iter().find(|mark| trimmed.starts_with(**mark));
    match opened {
        // `#include` and its like are code, not comments.
        Some(&"#") if trimmed.len() > 1 && !trimmed[1..].starts_with([' ', '#']) => None,
        Some(mark) => {
            Some(trimmed[mark.len()..].trim_start_matches(['*', '/', '#', ' ']).trim_end_matches("*/").trim())
        }
        None if trimmed.is_empty() => Some(""),
        // A block comment without stars at the line starts: still open if no end came yet.
        None if in_open_block(source, index) => Some(trimmed.trim_end_matches("*/").trim()),
        None => None,
    }
}

fn in_open_block(source: &str, index: usize) -> bool {
    let before: Vec<&str> = source.lines().take(index).collect();
    let before = before.join("\n");
    before.rfind("/*").is_some_and(|open| !before[open..].contains("*/"))
}

/// A line that looks like a key but is not one is a mistake: taken as prose, its claim would be lost.
fn split_key(text: &str) -> Result<(&str, &str)> {
    let key = text.split_once(':').filter(|(key, _)| !key.contains(char::is_whitespace));
    key.map(|(key, value)| (key, value.trim())).ok_or_else(|| {
        Problem::new("a line of the head comment begins with 'assay-' and is no 'KEY: VALUE'")
            .remedy(format!("write one of the keys with its colon, or let the line begin otherwise: {KNOWN}"))
    })
}

fn words(value: &str) -> Vec<String> {
    value.split_whitespace().map(str::to_owned).collect()
}

fn set(keys: &mut HeadKeys, key: &str, value: &str) -> Result<()> {
    if value.is_empty() {
        return Err(Problem::new(format!("'{key}' has no value")).remedy("give it one, or take the line out"));
    }
    match key {
        "assay-requires" => keys.requires.extend(words(value)),
        "assay-cflags" => keys.cflags.extend(words(value)),
        "assay-needs" => keys.needs.extend(words(value)),
        "assay-peer" => once(key, &mut keys.peer, value)?,
        "assay-about" => once(key, &mut keys.about, value)?,
        "assay-reads" if value == "aligned-words" => keys.reads_aligned_words = true,
        "assay-reads" => {
            return Err(Problem::new(format!("'assay-reads: {value}' is not known"))
                .remedy("the one value is 'aligned-words'"))
        }
        "assay-expect" => {
            let text = value.strip_prefix("fail").filter(|rest| rest.is_empty() || rest.starts_with(' '));
            let text = text.ok_or_else(|| {
                Problem::new(format!("'assay-expect: {value}' is not known"))
                    .remedy("write 'assay-expect: fail' or 'assay-expect: fail TEXT-OF-THE-MESSAGE'")
            })?;
            once(key, &mut keys.expect_fail, text.trim())?;
        }
        _ => {
            return Err(Problem::new(format!("unknown key '{key}' in the head comment"))
                .remedy(format!("known keys: {KNOWN}")))
        }
    }
    Ok(())
}

/// Refuses two values for a key that has one, since either could be the intended one.
fn once(key: &str, place: &mut Option<String>, value: &str) -> Result<()> {
    if place.is_some() {
        return Err(Problem::new(format!("'{key}' is there twice")).remedy("take one of them out"));
    }
    *place = Some(value.to_owned());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_from_any_comment_style_up_to_the_first_code() {
        for source in [
            "// assay-requires: power9\n// assay-cflags: -O3 -funroll-loops\nint x; // assay-bogus: 1\n",
            "/* text\n * assay-requires: power9\n * assay-cflags: -O3 -funroll-loops\n */\n#include <x.h>\n",
            "/*\nassay-requires: power9\nassay-cflags: -O3 -funroll-loops\n*/\nint x;\n",
            "# assay-requires: power9\n## assay-cflags: -O3 -funroll-loops\n\t.text\n",
        ] {
            let keys = parse(source, "x.S").unwrap();
            assert_eq!(keys.requires, ["power9"], "{source}");
            assert_eq!(keys.cflags, ["-O3", "-funroll-loops"], "{source}");
        }
    }

    #[test]
    fn expectations_carry_their_text() {
        let keys = parse("// assay-expect: fail reads past the end\n", "x.c").unwrap();
        assert_eq!(keys.expect_fail.as_deref(), Some("reads past the end"));
        assert_eq!(parse("// assay-expect: fail\n", "x.c").unwrap().expect_fail.as_deref(), Some(""));
    }

    #[test]
    fn wrong_keys_name_the_line_and_what_is_known() {
        let message = parse("//\n// assay-require: power9\n", "a/b.c").unwrap_err().to_string();
        assert!(message.starts_with("a/b.c:2: unknown key 'assay-require'"), "{message}");
        assert!(message.contains("assay-requires"), "{message}");
        assert!(parse("// assay-expect: failure\n", "x").is_err());
        assert!(parse("// assay-reads: anything\n", "x").is_err());
        assert!(parse("// assay-cflags:\n", "x").is_err());
        for head in ["assay-requires : power9", "assay-requires power9", "Assay-Requires: power9", "assay-"] {
            assert!(parse(&format!("// {head}\n"), "x").is_err(), "{head}");
        }
        for key in ["assay-expect: fail", "assay-about: x", "assay-peer: x"] {
            let message = parse(&format!("// {key}\n// {key} again\n"), "x.c").unwrap_err().to_string();
            assert!(message.starts_with("x.c:2: ") && message.contains("twice"), "{message}");
        }
    }
}
