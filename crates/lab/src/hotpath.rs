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
    /// The folder's name, as users say it; with the width behind it if the folder is for several.
    pub name: String,
    /// The library's folder name.
    pub library: String,
    /// Where `hotpath.toml`, `reference.c` and `test.c` stand.
    pub folder: PathBuf,
    /// Its width, if the folder is for several: all its files are compiled with `BITS` defined as that.
    pub bits: Option<u32>,
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
    /// Files that are not a variant of their own name at every width: `ARCH/STEM` to the width's name for it.
    names: BTreeMap<String, BTreeMap<String, String>>,
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
    prototype: Option<String>,
    meaning: Option<String>,
    archs: Option<Vec<String>>,
    #[serde(default, rename = "case")]
    cases: Vec<BTreeMap<String, u64>>,
    #[serde(default, rename = "adapter")]
    adapters: Vec<Adapter>,
    #[serde(default, rename = "width")]
    widths: Vec<Width>,
    #[serde(default)]
    variants: BTreeMap<String, BTreeMap<String, String>>,
}

/// One width of a hot path that is there for several, with what differs there.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Width {
    bits: u32,
    prototype: Option<String>,
    meaning: Option<String>,
    #[serde(default, rename = "case")]
    cases: Vec<BTreeMap<String, u64>>,
}

impl HotPath {
    /// Reads `<folder>/hotpath.toml`: one hot path, or one for each of its widths.
    pub fn load(library: &str, folder: &Path) -> Result<Vec<HotPath>> {
        let path = folder.join("hotpath.toml");
        let text = read_text(&path)?;
        let file: File = toml::from_str(&text).map_err(|error| {
            Problem::new(format!("is not a valid hot path: {error}"))
                .at(path.display())
                .remedy("docs/add-a-hotpath.md lists the keys")
        })?;
        let wrong = |what: String| {
            let taken = COMPILERS_CALLS.iter().find(|name| what.starts_with(&format!("symbol '{name}'")));
            let remedy = match taken {
                Some(name) => format!(
                    "call it my_{name}, and judge code that defines {name} with --cflags=-D{name}=my_{name}"
                ),
                None => "docs/add-a-hotpath.md lists the keys".to_owned(),
            };
            Problem::new(what).at(path.display()).remedy(remedy)
        };
        file.check_variants(folder).map_err(wrong)?;
        let widths = if file.widths.is_empty() { vec![None] } else { file.widths.iter().map(Some).collect() };
        let hotpaths = widths.into_iter().map(|width| file.hotpath(library, folder, width).map_err(wrong));
        let hotpaths = hotpaths.collect::<Result<Vec<_>>>()?;
        file.check_lists(folder)
            .map_err(|(what, remedy)| Problem::new(what).at(path.display()).remedy(remedy))?;
        for name in ["reference.c", "test.c"] {
            if !folder.join(name).is_file() {
                return Err(Problem::new(format!("the hot path has no {name}"))
                    .at(folder.display())
                    .remedy("docs/add-a-hotpath.md tells what it has to do"));
            }
        }
        Ok(hotpaths)
    }

    /// The name of a file of this folder as a variant of this hot path; `None` if it is not one.
    pub fn variant_name(&self, source: &Path) -> Option<String> {
        let stem = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let place = format!("{}/{stem}", file_name(source.parent().unwrap_or(source)));
        match (self.bits, self.names.get(&place)) {
            (Some(bits), Some(names)) if source.starts_with(&self.folder) => {
                names.get(&bits.to_string()).cloned()
            }
            _ => Some(stem),
        }
    }

    /// Whether the two are the same hot path.
    pub fn is(&self, other: &HotPath) -> bool {
        self.folder == other.folder && self.name == other.name
    }

    /// The compiler's flag that tells the files of a folder for several widths which one is meant.
    pub fn bits_flag(&self) -> Option<String> {
        self.bits.map(|bits| format!("-DBITS={bits}"))
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
        let mut selected: Vec<Case> = Vec::new();
        for case in wanted {
            let declared: Vec<&Case> = self.cases.iter().filter(|declared| declared.matches(case)).collect();
            for case in if declared.is_empty() { vec![case] } else { declared } {
                // One that is named twice is meant once.
                if !selected.contains(case) {
                    selected.push(case.clone());
                }
            }
        }
        selected
    }
}

impl File {
    /// Refuses names of variants that no file or width has, which would go unnoticed otherwise.
    fn check_variants(&self, folder: &Path) -> std::result::Result<(), String> {
        for (place, names) in &self.variants {
            if !["c", "S"].iter().any(|ending| folder.join(format!("{place}.{ending}")).is_file()) {
                return Err(format!("there is no file {place}.S or {place}.c that [variants] could name"));
            }
            if let Some(bits) =
                names.keys().find(|bits| !self.widths.iter().any(|w| w.bits.to_string() == **bits))
            {
                return Err(format!("{place} is named at the width {bits}, which is none of [[width]]"));
            }
            if let Some(name) = names.values().find(|name| !is_variant_name(name)) {
                return Err(format!(
                    "{place} is named '{name}', and a variant's name is of letters, digits and _-+."
                ));
            }
        }
        Ok(())
    }

    /// Refuses lists that say a thing twice, or nothing, or name what is not there; with what to do.
    fn check_lists(&self, folder: &Path) -> std::result::Result<(), (String, &'static str)> {
        if self.archs.as_ref().is_some_and(Vec::is_empty) {
            return Err(("archs names no architecture".to_owned(), "leave it out if all have it"));
        }
        if let Some(name) = self.archs.as_deref().and_then(repeated) {
            return Err((format!("archs has {name} twice"), "leave one of them out"));
        }
        let symbols: Vec<&str> = self.adapters.iter().map(|adapter| adapter.symbol.as_str()).collect();
        if let Some(symbol) = repeated(&symbols) {
            return Err((format!("two [[adapter]] are for {symbol}"), "leave one of them out"));
        }
        let missing = self.adapters.iter().find(|adapter| !folder.join(&adapter.source).is_file());
        if let Some(source) = missing.map(|adapter| adapter.source.display()) {
            return Err((format!("there is no file {source} that an [[adapter]] names"), "write the file"));
        }
        let bits: Vec<u32> = self.widths.iter().map(|width| width.bits).collect();
        if bits.contains(&0) {
            return Err(("a [[width]] has bits = 0".to_owned(), "say how many bits it has"));
        }
        if let Some(bits) = repeated(&bits) {
            return Err((format!("the width {bits} is there twice"), "leave one of them out"));
        }
        let own = self.widths.iter().map(|width| &width.cases);
        if let Some(case) = own.chain([&self.cases]).find_map(|cases| repeated(cases)) {
            let case = Case::from_values(case.clone());
            return Err((format!("the [[case]] {case} is there twice"), "leave one of them out"));
        }
        let has_cases = |width: &Width| !width.cases.is_empty();
        if self.cases.is_empty() && (self.widths.is_empty() || !self.widths.iter().all(has_cases)) {
            return Err((
                "declares no [[case]]: there is nothing to count, predict or measure".to_owned(),
                "declare one, as in docs/add-a-hotpath.md; --case takes others, too",
            ));
        }
        Ok(())
    }

    fn hotpath(
        &self,
        library: &str,
        folder: &Path,
        width: Option<&Width>,
    ) -> std::result::Result<HotPath, String> {
        let bits = width.map(|width| width.bits);
        let of_width =
            |text: &str| bits.map_or(text.to_owned(), |bits| text.replace("{bits}", &bits.to_string()));
        let width = width.cloned().unwrap_or_default();
        let text = |key: &str, own: Option<String>, shared: &Option<String>| {
            let text = own
                .or_else(|| shared.clone())
                .ok_or(format!("is not a valid hot path: missing field `{key}`"));
            text.map(|text| of_width(&text))
        };
        let symbol = of_width(&self.symbol);
        for symbol in std::iter::once(&symbol).chain(self.adapters.iter().map(|adapter| &adapter.symbol)) {
            if !is_identifier(symbol) {
                return Err(format!("symbol '{symbol}' is no C identifier"));
            }
            if COMPILERS_CALLS.contains(&symbol.as_str()) {
                return Err(format!(
                    "symbol '{symbol}' is the runner's own, for compilers call it in any code"
                ));
            }
        }
        let cases = if width.cases.is_empty() { &self.cases } else { &width.cases };
        for case in cases {
            if case.is_empty() {
                return Err("a case is empty".to_owned());
            }
            if let Some(key) = case.keys().find(|key| !is_case_key(key)) {
                return Err(format!("'{key}' is no name of a case's key: lower-case letters and _"));
            }
        }
        let archs = self
            .archs
            .iter()
            .flatten()
            .map(|name| name.parse::<Arch>())
            .collect::<std::result::Result<_, _>>();
        Ok(HotPath {
            name: format!("{}{}", file_name(folder), bits.map_or(String::new(), |bits| bits.to_string())),
            library: library.to_owned(),
            folder: folder.to_path_buf(),
            bits,
            symbol,
            prototype: text("prototype", width.prototype, &self.prototype)?,
            meaning: text("meaning", width.meaning, &self.meaning)?,
            archs: archs.map_err(|error: UnknownArch| error.to_string())?,
            cases: cases.iter().cloned().map(Case::from_values).collect(),
            adapters: self.adapters.clone(),
            names: self.variants.clone(),
        })
    }
}

/// What compilers call without being told to, so that every program has it once (runner/memory_calls.c).
const COMPILERS_CALLS: [&str; 4] = ["memcpy", "memmove", "memset", "memcmp"];

/// The first of a list that stands in it before.
fn repeated<T: PartialEq>(list: &[T]) -> Option<&T> {
    list.iter().enumerate().find(|(index, one)| list[..*index].contains(one)).map(|(_, one)| one)
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether users can name a variant so: as HOTPATH/NAME, and in the list of names behind -v.
fn is_variant_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || "_-+.".contains(c))
}

/// The last part of a path, as text.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
