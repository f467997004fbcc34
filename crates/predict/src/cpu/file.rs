// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! One cpu file: TOML text to a flat map from key to number or words, checked against the schema.
//!
//! The map is flat (`cache.l1.size`) because everything that is done with it later is done key by key: a child
//! file overrides its parent, `assay cpu --diff` compares, the sensitivity analysis moves one number.

use super::error::CpuError;
use super::number::{Kind, Number, Place};
use super::schema::NumberKey;
use super::tree::{self, Node};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};
use toml::Spanned;

/// What a key of a cpu file holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A number with its provenance.
    Number(Number),
    /// A word or words.
    Words {
        /// The words; one for a key that is no list.
        words: Vec<String>,
        /// Where they stand.
        place: Place,
    },
}

impl Entry {
    /// Where it stands.
    pub fn place(&self) -> &Place {
        match self {
            Entry::Number(number) => &number.place,
            Entry::Words { place, .. } => place,
        }
    }
}

/// A parsed file, before inheritance.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// Its keys.
    pub entries: BTreeMap<String, Entry>,
    /// The cpu it inherits from.
    pub inherits: Option<(String, Place)>,
    /// Keys (or folders of keys) of the parent that this cpu does not inherit.
    pub removes: Vec<(String, Place)>,
    /// The comment at its head: the essay.
    pub essay: String,
    /// The file itself.
    pub path: Arc<PathBuf>,
}

struct Parser {
    /// Where each line ends.
    ends: Vec<usize>,
    file: Arc<PathBuf>,
    sources: BTreeMap<String, String>,
    entries: BTreeMap<String, Entry>,
}

/// Deeper nesting than any key has; stops a hostile file from exhausting the stack.
const DEPTH_MAX: usize = 8;

/// Written below [sources], these would be short names of sources, and the key would be absent without a word. (`llvm` is both.)
const KEYS_AT_THE_TOP: [&str; 9] =
    ["title", "kind", "arch", "inherits", "remove", "implements", "lacks", "isa", "machine"];

/// Parses the text of one file. `path` is for messages only.
pub fn parse(text: &str, path: PathBuf) -> Result<File, CpuError> {
    let ends =
        text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(offset, _)| offset).collect();
    let mut parser =
        Parser { ends, file: Arc::new(path), sources: BTreeMap::new(), entries: BTreeMap::new() };
    let table = DeTable::parse(text).map_err(|error| CpuError::Syntax {
        place: parser.place(error.span().map_or(0, |span| span.start)),
        reason: error.message().to_owned(),
    })?;
    let table = table.into_inner();
    let (mut inherits, mut removes) = (None, Vec::new());
    if let Some(sources) = table.get("sources") {
        parser.read_sources(sources)?;
    }
    for (key, value) in table.iter() {
        let name = key.get_ref().as_ref();
        match name {
            "sources" => {}
            "inherits" => {
                let place = parser.place(value.span().start);
                inherits = Some((parser.text_of(name, value)?, place));
            }
            "remove" => {
                for item in parser.list_of(name, value)? {
                    removes.push((item, parser.place(value.span().start)));
                }
            }
            _ => parser.walk(name.to_owned(), value, 0)?,
        }
    }
    Ok(File { entries: parser.entries, inherits, removes, essay: essay(text), path: parser.file })
}

/// The comment block at the head of the file, without its marks and its licence line.
fn essay(text: &str) -> String {
    let lines = text
        .lines()
        .take_while(|line| line.starts_with('#'))
        .filter(|line| !line.contains("SPDX-License-Identifier"))
        .map(|line| line.trim_start_matches('#').strip_prefix(' ').unwrap_or(line.trim_start_matches('#')));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

impl Parser {
    fn place(&self, offset: usize) -> Place {
        Place { file: self.file.clone(), line: 1 + self.ends.partition_point(|&end| end < offset) }
    }

    fn invalid(
        &self,
        value: &Spanned<DeValue<'_>>,
        key: &str,
        problem: impl Into<String>,
        allowed: impl Into<String>,
    ) -> CpuError {
        CpuError::Invalid {
            place: self.place(value.span().start),
            key: key.to_owned(),
            problem: problem.into(),
            allowed: allowed.into(),
        }
    }

    fn text_of(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<String, CpuError> {
        match value.get_ref().as_str() {
            Some(text) if !text.trim().is_empty() => Ok(text.to_owned()),
            _ => Err(self.invalid(value, key, "is no text", "a non-empty string")),
        }
    }

    fn list_of(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<Vec<String>, CpuError> {
        match value.get_ref().as_array() {
            Some(items) => items.iter().map(|item| self.text_of(key, item)).collect(),
            None => Err(self.invalid(value, key, "is no list", "a list of strings")),
        }
    }

    fn read_sources(&mut self, value: &Spanned<DeValue<'_>>) -> Result<(), CpuError> {
        let Some(table) = value.get_ref().as_table() else {
            return Err(self.invalid(
                value,
                "sources",
                "is no table",
                "a table of short name = full citation",
            ));
        };
        for (key, value) in table.iter() {
            let name = key.get_ref().to_string();
            if KEYS_AT_THE_TOP.contains(&name.as_str()) {
                return Err(self.invalid(
                    value,
                    &format!("sources.{name}"),
                    "is a source here, and a key at the top",
                    format!("'{name}' above the first line in brackets; a source by another name"),
                ));
            }
            let text = self.text_of(&format!("sources.{name}"), value)?;
            self.sources.insert(name, text);
        }
        Ok(())
    }

    fn walk(&mut self, key: String, value: &Spanned<DeValue<'_>>, depth: usize) -> Result<(), CpuError> {
        let node = tree::at(&key);
        if let Some(number_key) = node.and_then(|node| node.number) {
            let number = self.number(number_key, &key, value)?;
            self.entries.insert(key, Entry::Number(number));
            return Ok(());
        }
        if let Some(word_key) = node.and_then(|node| node.word) {
            let words =
                if word_key.list { self.list_of(&key, value)? } else { vec![self.text_of(&key, value)?] };
            for word in &words {
                if !word_key.allowed.is_empty() && !word_key.allowed.contains(&word.as_str()) {
                    return Err(self.invalid(
                        value,
                        &key,
                        format!("is '{word}'"),
                        word_key.allowed.join(", "),
                    ));
                }
            }
            let place = self.place(value.span().start);
            self.entries.insert(key, Entry::Words { words, place });
            return Ok(());
        }
        match value.get_ref().as_table() {
            Some(table) if depth < DEPTH_MAX && node.is_some() => {
                for (name, inner) in table.iter() {
                    self.walk(format!("{key}.{}", name.get_ref()), inner, depth + 1)?;
                }
                Ok(())
            }
            _ => Err(CpuError::UnknownKey { place: self.place(value.span().start), hint: hint(&key), key }),
        }
    }

    fn number(
        &self,
        schema: &NumberKey,
        key: &str,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Number, CpuError> {
        let form = || number_form(schema);
        let Some(table) = value.get_ref().as_table() else {
            return Err(self.invalid(value, key, "is not a number with its provenance", form()));
        };
        for (name, inner) in table.iter() {
            let name = name.get_ref().as_ref();
            if !["value", "unit", "source", "kind", "range", "moves_with", "fitted_to", "prior", "note"]
                .contains(&name)
            {
                return Err(CpuError::UnknownKey {
                    place: self.place(inner.span().start),
                    key: format!("{key}.{name}"),
                    hint: format!("allowed: {}", form()),
                });
            }
        }
        let field = |name: &str| {
            table.get(name).ok_or_else(|| self.invalid(value, key, format!("lacks '{name}'"), form()))
        };
        let amount = self.amount(schema, key, field("value")?)?;
        let unit = self.text_of(&format!("{key}.unit"), field("unit")?)?;
        if unit != schema.unit {
            return Err(self.invalid(
                field("unit")?,
                &format!("{key}.unit"),
                format!("is '{unit}'"),
                schema.unit,
            ));
        }
        let source = self.text_of(&format!("{key}.source"), field("source")?)?;
        let source = self.sources.get(&source).cloned().ok_or_else(|| {
            let mut known = self.sources.keys().cloned().collect::<Vec<_>>().join(", ");
            if known.is_empty() {
                known =
                    format!("names of this file's [sources], such as {source} = \"title, version, page\"");
            }
            self.invalid(value, &format!("{key}.source"), format!("'{source}' is not in [sources]"), known)
        })?;
        let kind_word = self.text_of(&format!("{key}.kind"), field("kind")?)?;
        let kind = Kind::from_name(&kind_word).ok_or_else(|| {
            let known = Kind::ALL.map(Kind::name).join(", ");
            self.invalid(value, &format!("{key}.kind"), format!("is '{kind_word}'"), known)
        })?;
        let range = match table.get("range") {
            Some(range) => Some(self.range(schema, key, range, amount)?),
            None if kind == Kind::Guess => {
                return Err(self.invalid(
                    value,
                    key,
                    "is a guess without 'range'",
                    "range = [lowest, highest]",
                ));
            }
            None => None,
        };
        let optional = |name: &str| {
            table.get(name).map(|inner| self.text_of(&format!("{key}.{name}"), inner)).transpose()
        };
        let moves_with = optional("moves_with")?;
        if moves_with.is_some() && range.is_none() {
            return Err(self.invalid(value, key, "has 'moves_with' but no 'range' to move in", form()));
        }
        let fitted_to = optional("fitted_to")?;
        if (kind == Kind::Fitted) != fitted_to.is_some() {
            return Err(self.invalid(
                value,
                key,
                "must say 'fitted_to' if and only if its kind is fitted",
                form(),
            ));
        }
        let prior = table
            .get("prior")
            .map(|inner| self.amount(schema, &format!("{key}.prior"), inner))
            .transpose()?;
        if prior.is_some() && (kind != Kind::Fitted || range.is_none()) {
            return Err(self.invalid(value, key, "has a 'prior' but is not fitted within a 'range'", form()));
        }
        let note = optional("note")?;
        Ok(Number {
            value: amount,
            unit,
            source,
            kind,
            range,
            moves_with,
            fitted_to,
            prior,
            note,
            place: self.place(value.span().start),
        })
    }

    fn amount(&self, schema: &NumberKey, key: &str, value: &Spanned<DeValue<'_>>) -> Result<f64, CpuError> {
        let amount = match value.get_ref() {
            DeValue::Integer(integer) => {
                i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(|n| n as f64)
            }
            DeValue::Float(float) => float.as_str().parse::<f64>().ok(),
            _ => None,
        };
        // All else is simulated in whole cycles, entries and bytes.
        let whole = !matches!(schema.unit, "MHz" | "percent");
        let of = if whole { "whole " } else { "" };
        let allowed = || format!("{} to {} {of}{}", schema.min, schema.max, schema.unit);
        match amount {
            Some(amount) if whole && amount.fract() != 0.0 => {
                Err(self.invalid(value, key, format!("is {amount}"), allowed()))
            }
            Some(amount) if amount >= schema.min && amount <= schema.max => Ok(amount),
            Some(amount) => Err(self.invalid(value, key, format!("is {amount}"), allowed())),
            None => Err(self.invalid(value, key, "is no number", allowed())),
        }
    }

    fn range(
        &self,
        schema: &NumberKey,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        amount: f64,
    ) -> Result<(f64, f64), CpuError> {
        let ends = value.get_ref().as_array().map(|items| {
            items
                .iter()
                .map(|item| self.amount(schema, &format!("{key}.range"), item))
                .collect::<Result<Vec<_>, _>>()
        });
        match ends.transpose()?.as_deref() {
            Some(&[low, high]) if low <= amount && amount <= high => Ok((low, high)),
            _ => Err(self.invalid(
                value,
                &format!("{key}.range"),
                "does not enclose the value",
                "[lowest, highest]",
            )),
        }
    }
}

/// How to write a number of this key.
pub fn number_form(schema: &NumberKey) -> String {
    let kinds = Kind::ALL.map(Kind::name).join("|");
    format!(
        "{{ value = {}..{}, unit = \"{}\", source = \"NAME IN [sources]\", kind = \"{kinds}\" }}, with range = [a, b] for a guess, moves_with = \"KEY\" if it is one guess with another number, fitted_to = \"FIGURE\" and a prior for a fitted one",
        schema.min, schema.max, schema.unit
    )
}

/// The key that was probably meant by an unknown one.
fn hint(key: &str) -> String {
    let parent = key.rsplit_once('.').map_or("", |(parent, _)| parent);
    let node = if parent.is_empty() { Some(tree::root()) } else { tree::at(parent) };
    let mut known = node.map(Node::names).unwrap_or_default();
    if known.is_empty() {
        return format!("'{parent}' holds no further keys");
    }
    if parent.is_empty() {
        known.extend(["inherits", "remove", "sources"]);
        known.sort();
    }
    let place = if parent.is_empty() { "at the top".to_owned() } else { format!("under '{parent}'") };
    format!("allowed {place}: {}", known.join(", "))
}
