// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A case: one input class of a hot path, written `size=1472,offset=0`.

use crate::problem::{Problem, Result};
use std::collections::BTreeMap;
use std::fmt;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

/// Named integers that select one input class; what each means is said in the hot path's `test.c`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Case {
    values: BTreeMap<String, u64>,
}

impl Case {
    /// A case from names and values.
    pub fn from_values(values: BTreeMap<String, u64>) -> Case {
        Case { values }
    }

    /// The names and values, sorted by name.
    pub fn values(&self) -> &BTreeMap<String, u64> {
        &self.values
    }

    /// The bytes that one call works on: the case's `size`, if it has one.
    pub fn size_bytes(&self) -> Option<u64> {
        self.values.get("size").copied()
    }

    /// Whether every value that `other` names is the same here.
    pub fn matches(&self, other: &Case) -> bool {
        other.values.iter().all(|(key, value)| self.values.get(key) == Some(value))
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.values.iter().map(|(key, value)| format!("{key}={value}")).collect();
        f.write_str(&parts.join(","))
    }
}

impl FromStr for Case {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Case> {
        let wrong = |what: String| {
            Problem::new(what)
                .at(format!("case '{text}'"))
                .remedy("write it like size=1472 or size=40,offset=1")
        };
        let mut values = BTreeMap::new();
        for part in text.split(',') {
            let (key, value) =
                part.split_once('=').ok_or_else(|| wrong(format!("'{part}' is not KEY=NUMBER")))?;
            if !is_case_key(key) {
                return Err(wrong(format!("'{key}' is no name of a case's key")));
            }
            let number = value.parse().map_err(|error: ParseIntError| {
                wrong(match error.kind() {
                    IntErrorKind::PosOverflow => format!("'{value}' is too large: at most {}", u64::MAX),
                    _ => format!("'{value}' is not a whole number >= 0"),
                })
            })?;
            if values.insert(key.to_owned(), number).is_some() {
                return Err(wrong(format!("'{key}' is given twice")));
            }
        }
        Ok(Case { values })
    }
}

/// Whether a text can name a value of a case.
pub fn is_case_key(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_round_trip_and_match_by_part() {
        let case: Case = "size=1472,offset=3".parse().unwrap();
        assert_eq!(case.to_string(), "offset=3,size=1472");
        assert_eq!(case.size_bytes(), Some(1472));
        assert!(case.matches(&"size=1472".parse().unwrap()));
        assert!(!case.matches(&"size=40".parse().unwrap()));
    }

    #[test]
    fn bad_cases_say_what_is_wrong() {
        for (text, part) in [
            ("", "KEY=NUMBER"),
            ("size", "KEY=NUMBER"),
            ("size=", "whole number"),
            ("size=-1", "whole number"),
            ("size=1,size=2", "twice"),
            ("Size=1", "no name"),
            ("size=99999999999999999999", "too large: at most 18446744073709551615"),
        ] {
            let message = text.parse::<Case>().unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
