// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A cpu written out as one file that inherits nothing: what `assay cpu NAME --effective` prints, and `-c FILE.toml` takes.

use super::{Cpu, Entry, Number};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use toml::Value;

/// Stands above what was found by comparing the cpu with published figures.
const OF_THIS_CPU: &str = "# Found with all of the numbers below and above, and the intervals rest on it: \
                           a copy that changes one has to leave this folder out.\n";

/// A number's sources, each with the short name that it has in the written file.
fn sources(cpu: &Cpu) -> BTreeMap<&str, String> {
    let mut named = BTreeMap::new();
    for entry in cpu.entries.values() {
        if let Entry::Number(number) = entry {
            let next = format!("s{}", named.len() + 1);
            named.entry(number.source.as_str()).or_insert(next);
        }
    }
    named
}

/// A string, quoted.
fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

/// One part of a key, quoted where TOML demands it.
fn part(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

fn number(number: &Number, sources: &BTreeMap<&str, String>) -> String {
    let mut text = format!(
        "{{ value = {}, unit = {}, source = {}, kind = {}",
        number.value,
        quoted(&number.unit),
        quoted(&sources[number.source.as_str()]),
        quoted(number.kind.name()),
    );
    if let Some((low, high)) = number.range {
        text += &format!(", range = [{low}, {high}]");
    }
    if let Some(prior) = number.prior {
        text += &format!(", prior = {prior}");
    }
    let texts =
        [("moves_with", &number.moves_with), ("fitted_to", &number.fitted_to), ("note", &number.note)];
    for (name, words) in texts {
        if let Some(words) = words {
            text += &format!(", {name} = {}", quoted(words));
        }
    }
    text + " }"
}

impl Cpu {
    /// Instructions that a class of an heir took over from an inherited class: in a file that inherits nothing they are in one
    /// list. By key of the list, its words.
    fn own_instructions(&self) -> BTreeMap<&str, Vec<&str>> {
        let is_list = |key: &str| key.starts_with("class.") && key.ends_with(".instructions");
        let mut lists: Vec<(usize, &str)> = self
            .entries
            .keys()
            .filter(|key| is_list(key))
            .map(|key| (self.distance(key), key.as_str()))
            .collect();
        lists.sort_unstable();
        let mut taken = BTreeSet::new();
        let mut own = BTreeMap::new();
        for (_, key) in lists {
            let words = self.words(key).iter().map(String::as_str).filter(|word| !taken.contains(word));
            let words: Vec<&str> = words.collect();
            taken.extend(words.iter().copied());
            own.insert(key, words);
        }
        own
    }

    /// All of it as the text of one cpu file, which loads to the same cpu.
    pub fn whole(&self) -> String {
        let sources = sources(self);
        let instructions = self.own_instructions();
        let mut folders: BTreeMap<String, String> = BTreeMap::new();
        for (key, entry) in &self.entries {
            let value = match entry {
                Entry::Number(one) => number(one, &sources),
                Entry::Words { words, .. } => {
                    let words = instructions
                        .get(key.as_str())
                        .cloned()
                        .unwrap_or_else(|| words.iter().map(String::as_str).collect());
                    match super::schema::word_key(key).is_some_and(|word| word.list) {
                        true => format!(
                            "[{}]",
                            words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(", ")
                        ),
                        false => quoted(words.first().copied().unwrap_or_default()),
                    }
                }
            };
            let parts: Vec<String> = key.split('.').map(part).collect();
            let depth = parts.len().saturating_sub(1).min(2);
            let line = folders.entry(parts[..depth].join(".")).or_default();
            writeln!(line, "{} = {value}", parts[depth..].join(".")).expect("a String takes everything");
        }
        let mut text = String::from("# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause\n#\n");
        let names: Vec<&str> = self.essays.iter().map(|(name, _)| name.as_str()).collect();
        text += &format!("# {}, whole: out of {}.\n", self.title(), names.join(", "));
        if let Some(top) = folders.remove("") {
            text += &format!("\n{top}");
        }
        text += "\n[sources]\n";
        let mut by_name: Vec<(&String, &&str)> =
            sources.iter().map(|(source, name)| (name, source)).collect();
        by_name.sort_by_key(|(name, _)| (name.len(), name.as_str()));
        by_name.iter().for_each(|(name, source)| text += &format!("{name} = {}\n", quoted(source)));
        for (folder, lines) in &folders {
            let remark = if folder == "validation" { OF_THIS_CPU } else { "" };
            text += &format!("\n{remark}[{folder}]\n{lines}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::Description;
    use std::path::{Path, PathBuf};

    #[test]
    fn every_cpu_written_out_loads_to_the_same_core() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus");
        for name in Cpu::list(&dir) {
            let cpu = Cpu::load(&dir, &name).expect("a cpu of ours");
            let text = cpu.whole();
            let read = |_: &str| Ok((text.clone(), PathBuf::from("whole.toml")));
            let again = Cpu::load_with(&name, read).unwrap_or_else(|error| panic!("{name}: {error}"));
            let changed: Vec<String> = cpu.diff(&again).into_iter().map(|one| one.key).collect();
            assert!(changed.iter().all(|key| key.ends_with(".instructions")), "{name}: {changed:?}");
            assert_eq!(cpu.guesses(), again.guesses(), "{name}");
            let [before, after] = [&cpu, &again].map(|cpu| Description::new(cpu).expect("it was checked"));
            let class = |core: &Description, word: &str| {
                core.class_of(word).map(|at| core.classes[at as usize].name.clone())
            };
            for (key, _) in cpu.entries().filter(|(key, _)| key.ends_with(".instructions")) {
                for word in cpu.words(key).iter().map(|word| word.trim_end_matches('*')) {
                    assert_eq!(class(&before, word), class(&after, word), "{name}: {word}");
                }
            }
        }
    }
}
