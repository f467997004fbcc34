// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What `git am` applies of a file of mails, or of a bare patch: the diffs that stand at the beginning of the line.
//!
//! patch(1) looks for diffs anywhere. It also applies one that the message of a mail quotes, indented, and it tries all mails of
//! a file as one patch, in which the second does not see what the first one does.

use std::borrow::Cow;

/// Where a line stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Message,
    Diff,
    /// In a hunk that still has so many lines of the old file and of the new one.
    Hunk(usize, usize),
    Signature,
}

impl Place {
    /// Where a line stands if the one before it stands here. Lengths tell where a hunk ends: what it removes may look like the
    /// beginning of a file or of a signature.
    fn of_next(self, line: &[u8]) -> Place {
        if let Place::Hunk(old, new) = self {
            match line.first() {
                Some(b'-') if old > 0 => return Place::Hunk(old - 1, new),
                Some(b'+') if new > 0 => return Place::Hunk(old, new - 1),
                // Some mailers remove blanks at the end of a line, which patch(1) knows.
                Some(b' ' | b'\t' | b'\r' | b'\n') if old > 0 && new > 0 => {
                    return Place::Hunk(old - 1, new - 1)
                }
                Some(b'\\') => return self,
                _ => {}
            }
        }
        let text = &*text_of(line);
        match self {
            _ if starts_mail(text) => Place::Message,
            Place::Message if !starts_diff(text) => Place::Message,
            Place::Signature => Place::Signature,
            _ if text == "-- " => Place::Signature,
            _ => lengths(text).map_or(Place::Diff, |(old, new)| Place::Hunk(old, new)),
        }
    }
}

/// How a mail, or a part of one, is encoded whose lines are not those that were sent, from its header: as what, and in which line.
/// git decodes such a mail before it applies it.
pub(crate) fn encoded(content: &[u8]) -> Option<(String, usize)> {
    let (mut place, mut in_header) = (Place::Message, true);
    for (number, line) in content.split_inclusive(|byte| *byte == b'\n').enumerate() {
        place = place.of_next(line);
        let text = String::from_utf8_lossy(line).trim_end().to_ascii_lowercase();
        // A part of a mail of several begins with a line of two dashes and the boundary, and has a header, too.
        in_header = place == Place::Message
            && (starts_mail(text_of(line).as_ref())
                || text.starts_with("--") && text.len() > 3
                || in_header && !text.is_empty());
        let value = text.strip_prefix("content-transfer-encoding:").map(str::trim);
        if let Some(value @ ("quoted-printable" | "base64")) = value.filter(|_| in_header) {
            return Some((value.to_owned(), number + 1));
        }
    }
    None
}

/// The diffs of each mail that has any. Each is as long as the file, with its other lines emptied, so that the numbers of lines
/// in patch(1)'s messages are the file's.
pub(crate) fn diffs(content: &[u8]) -> Vec<Vec<u8>> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut place = Place::Message;
    for (number, line) in content.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let before = place;
        place = before.of_next(line);
        if before == Place::Message && place != Place::Message {
            found.push(vec![b'\n'; number]);
        }
        let read = match place {
            Place::Hunk(..) => true,
            Place::Diff => !line[0].is_ascii_whitespace(),
            Place::Message | Place::Signature => false,
        };
        if let Some(diff) = found.last_mut() {
            diff.extend_from_slice(if read { line } else { b"\n" });
        }
    }
    found
}

/// A line without its end.
fn text_of(line: &[u8]) -> Cow<'_, str> {
    let end = line.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(0, |last| last + 1);
    String::from_utf8_lossy(&line[..end])
}

/// Whether a line separates mails, as `From 0a1b2c Mon Sep 17 00:00:00 2001` does.
fn starts_mail(line: &str) -> bool {
    let mut words = line.rsplit(' ');
    let (year, time) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    line.starts_with("From ")
        && is_number(year)
        && time.split(':').count() == 3
        && time.split(':').all(is_number)
}

/// Whether a line ends the message of a mail and begins a diff, as git has it.
fn starts_diff(line: &str) -> bool {
    let names_a_file = |rest: &str| rest.starts_with(|first: char| !first.is_whitespace());
    line.starts_with("diff -")
        || line.starts_with("Index: ")
        || line.strip_prefix("--- ").is_some_and(names_a_file)
}

/// How many lines of the old file and of the new one a hunk has, from its head: `@@ -1,2 +1,3 @@`.
fn lengths(line: &str) -> Option<(usize, usize)> {
    let mut ranges = line.strip_prefix("@@ -")?.split(' ');
    let length = |range: &str| range.split_once(',').map_or(Some(1), |(_, length)| length.parse().ok());
    Some((length(ranges.next()?)?, length(ranges.next()?.strip_prefix('+')?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read of each mail, without the lines that are emptied.
    fn read(text: &str) -> Vec<String> {
        let diffs = diffs(text.as_bytes()).into_iter().map(|diff| String::from_utf8(diff).unwrap());
        diffs.map(|diff| diff.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("|")).collect()
    }

    #[test]
    fn a_diff_begins_at_the_beginning_of_the_line() {
        let text = "Subject: a\n\n    --- a/q\n    +++ b/q\n    @@ -1 +1 @@\n    -a\n    +b\n---\n q | 2\n\n\
                    diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n  --- a/q\n@@ -9 +9 @@\n-c\n+d\n";
        assert_eq!(
            read(text),
            ["diff --git a/a b/a|--- a/a|+++ b/a|@@ -1,2 +1,2 @@|-a|+b| c|@@ -9 +9 @@|-c|+d"]
        );
        for start in ["diff -u a b", "Index: a", "--- a\t2024"] {
            assert_eq!(read(&format!("a mail\n---\n{start}\n")), [start]);
        }
        assert!(read("a mail\n --- a\n---\n--- \n").is_empty());
    }

    #[test]
    fn what_stands_behind_the_signature_is_not_read_and_a_hunk_may_look_like_one() {
        let hunk = "--- a/a|+++ b/a|@@ -1,3 +1,2 @@|-- |--- a/q| c|\\ No newline at end of file|+b";
        let text = format!("{}\n-- \n2.39\n--- a/q\n+++ b/q\n@@ -1 +1 @@\n-a\n+b\n", hunk.replace('|', "\n"));
        assert_eq!(read(&text), [hunk]);
    }

    #[test]
    fn a_mail_whose_lines_are_encoded_is_told_by_its_header_alone() {
        let told = |text: &str| encoded(text.as_bytes());
        let header = "Content-Transfer-Encoding: Quoted-Printable\r\n";
        let body = "Subject: a\n\ntext\n---\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n";
        let from = "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\n";
        assert_eq!(told(&format!("{header}{body}")), Some(("quoted-printable".into(), 1)));
        assert_eq!(told(&format!("{body}{from}{header}")), Some(("quoted-printable".into(), 11)));
        assert_eq!(
            told(&format!("a: b\n\n--==1\ncontent-transfer-encoding: base64\n\nabc\n")),
            Some(("base64".into(), 4))
        );
        for plain in [body.to_owned(), format!("Subject: a\n\n{header}{body}"), format!("{body} {header}")] {
            assert_eq!(told(&plain), None, "{plain}");
        }
        assert_eq!(told("Content-Transfer-Encoding: 8bit\n\n--- a\n"), None);
    }

    #[test]
    fn each_mail_has_its_own_and_lines_keep_their_numbers() {
        let from = "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\n";
        let diff = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39\n\n";
        let text = format!("{from}a cover letter\n{from}Subject: one\n{diff}{from}From here on\n{diff}");
        let read = "--- a/a|+++ b/a|@@ -1 +1 @@|-a|+b";
        assert_eq!(self::read(&text), [read, read]);
        let second = String::from_utf8(diffs(text.as_bytes()).remove(1)).unwrap();
        let at = |text: &str| {
            text.lines().enumerate().filter(|(_, line)| line.starts_with("---")).last().unwrap().0
        };
        assert_eq!(at(&second), at(&text));
    }
}
