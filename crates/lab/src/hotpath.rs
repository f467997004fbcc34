// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `hotpath.toml`: the contract of a hot path and the cases on which its variants are compared.

use crate::cache::read_text;
use crate::case::{is_case_key, Case};
use crate::problem::{Problem, Result};
use arch::{Arch, UnknownArch};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One function contract that has competing implementations.
#[derive(Clone, Debug)]
pub struct HotPath {
    /// The folder's name, as users say it.
    pub name: String,
    /// The library's folder name.
    pub library: String,
    /// Where `hotpath.toml`, `reference.c` and `test.c` stand.
    pub folder: PathBuf,
    /// The function that a variant defines.
    pub symbol: String,
    /// Its C prototype.
    pub prototype: String,
    /// What it does, in a sentence.
    pub meaning: String,
    /// The architectures that have what it is about; empty if all have.
    pub archs: Vec<Arch>,
    /// The cases that `count`, `predict` and `measure` run unless told otherwise.
    pub cases: Vec<Case>,
    /// Ways in for code from elsewhere that has another entry point.
    pub adapters: Vec<Adapter>,
}

/// C that defines the hot path's symbol in terms of an entry point that foreign code has.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adapter {
    /// The foreign entry point.
    pub symbol: String,
    /// The C file, relative to the hot path's folder.
    pub source: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    symbol: String,
    prototype: String,
    meaning: String,
    #[serde(default)]
    archs: Vec<String>,
    #[serde(default, rename = "case")]
    cases: Vec<BTreeMap<String, u64>>,
    #[serde(default, rename = "adapter")]
    adapters: Vec<Adapter>,
}

impl HotPath {
    /// Reads `<folder>/hotpath.toml`.
    pub fn load(library: &str, folder: &Path) -> Result<HotPath> {
        let path = folder.join("hotpath.toml");
        let text = read_text(&path)?;
        let file: File = toml::from_str(&text).map_err(|error| {
            Problem::new(format!("is not a valid hot path: {error}"))
                .at(path.display())
                .remedy("docs/add-a-hotpath.md lists the keys")
        })?;
        let wrong = |what: String| {
            Problem::new(what).at(path.display()).remedy("docs/add-a-hotpath.md lists the keys")
        };
        for symbol in std::iter::once(&file.symbol).chain(file.adapters.iter().map(|adapter| &adapter.symbol))
        {
            if !is_identifier(symbol) {
                return Err(wrong(format!("symbol '{symbol}' is no C identifier")));
            }
        }
        for case in &file.cases {
            if case.is_empty() {
                return Err(wrong("a case is empty".to_owned()));
            }
            if let Some(key) = case.keys().find(|key| !is_case_key(key)) {
                return Err(wrong(format!("'{key}' is no name of a case's key: lower-case letters and _")));
            }
        }
        for name in ["reference.c", "test.c"] {
            if !folder.join(name).is_file() {
                return Err(Problem::new(format!("the hot path has no {name}"))
                    .at(folder.display())
                    .remedy("docs/add-a-hotpath.md tells what it has to do"));
            }
        }
        let archs = file.archs.iter().map(|name| name.parse::<Arch>()).collect::<std::result::Result<_, _>>();
        let archs = archs.map_err(|error: UnknownArch| wrong(error.to_string()))?;
        Ok(HotPath {
            name: file_name(folder),
            library: library.to_owned(),
            folder: folder.to_path_buf(),
            symbol: file.symbol,
            prototype: file.prototype,
            meaning: file.meaning,
            archs,
            cases: file.cases.into_iter().map(Case::from_values).collect(),
            adapters: file.adapters,
        })
    }

    /// Whether an architecture has what it is about: a hot path of AltiVec's registers has variants on POWER only.
    pub fn is_on(&self, arch: Arch) -> bool {
        self.archs.is_empty() || self.archs.contains(&arch)
    }

    /// The declared cases that match `wanted` in every value it names; if none does, `wanted` itself.
    ///
    /// So `--case size=1500` runs a case that nobody has declared; the runner refuses what makes no sense.
    pub fn select_cases(&self, wanted: &[Case]) -> Vec<Case> {
        if wanted.is_empty() {
            return self.cases.clone();
        }
        let mut selected = Vec::new();
        for case in wanted {
            let before = selected.len();
            selected.extend(self.cases.iter().filter(|declared| declared.matches(case)).cloned());
            if selected.len() == before {
                selected.push(case.clone());
            }
        }
        selected
    }
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The last part of a path, as text.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
