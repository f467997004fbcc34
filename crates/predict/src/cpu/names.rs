// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Whether what a cpu file names by LLVM's words exists: instructions, and the cpu whose model serves for those in no class. A
//! misspelt mnemonic, or an alias, would leave the instruction that was meant in another class without a word.

use super::{Cpu, CpuError, Entry, Place};
use arch::Arch;
use decode::{Decoder, Scheduling};
use std::collections::BTreeSet;

impl Cpu {
    /// Fails on the first name in the cpu's own file that LLVM does not have. What it inherits is taken as it is, and so are
    /// all names where LLVM was built without one of the architectures.
    ///
    /// It is no part of loading: it takes LLVM, which most runs of the command do without.
    pub fn check_names(&self) -> Result<(), CpuError> {
        let archs: Vec<Arch> = Arch::ALL.into_iter().filter(|arch| self.runs(*arch)).collect();
        let known = archs.iter().map(|arch| Ok(Decoder::new(*arch)?.mnemonics()));
        let Ok(known) = known.collect::<Result<Vec<_>, decode::Error>>() else { return Ok(()) };
        self.check_mnemonics(&known.into_iter().flatten().collect())?;
        self.check_model(&archs)
    }

    fn check_mnemonics(&self, known: &BTreeSet<String>) -> Result<(), CpuError> {
        for (key, words, place) in self.own_words().filter(|(key, ..)| names_instructions(key)) {
            // Fusion knows no patterns but the one for all.
            let fuses_nothing =
                |word: &str| key.starts_with("fusion.") && word != "*" && !known.contains(word);
            let is_wrong = |word: &&String| fuses_nothing(word) || !is_known(word, known);
            if let Some(word) = words.iter().find(is_wrong) {
                return Err(CpuError::Invalid {
                    place: place.clone(),
                    key: key.to_owned(),
                    problem: format!(
                        "names '{word}', and no instruction of {} is called so",
                        self.words("arch").join(" or ")
                    ),
                    allowed:
                        "the mnemonics that the manual's list of instructions has, no aliases: addi, not li"
                            .into(),
                });
            }
        }
        Ok(())
    }

    fn check_model(&self, archs: &[Arch]) -> Result<(), CpuError> {
        let Some((key, words, place)) = self.own_words().find(|(key, ..)| *key == "llvm") else {
            return Ok(());
        };
        let known: BTreeSet<&str> = archs
            .iter()
            .flat_map(|arch| Scheduling::named(*arch).unwrap_or_default())
            .map(|(name, _)| name)
            .collect();
        match words.iter().find(|word| !known.contains(word.as_str())) {
            None => Ok(()),
            Some(word) => Err(CpuError::Invalid {
                place: place.clone(),
                key: key.to_owned(),
                problem: format!("names '{word}', which is none of LLVM's cpus"),
                allowed: known.into_iter().collect::<Vec<_>>().join(" "),
            }),
        }
    }

    /// The words that stand in the cpu's own file.
    fn own_words(&self) -> impl Iterator<Item = (&str, &[String], &Place)> {
        self.entries().filter(|(key, _)| self.distance(key) == 0).filter_map(|(key, entry)| match entry {
            Entry::Words { words, place } => Some((key, &words[..], place)),
            Entry::Number(_) => None,
        })
    }
}

fn names_instructions(key: &str) -> bool {
    let (folder, last) = key.split_once('.').map_or((key, ""), |(folder, rest)| (folder, rest));
    let last = last.rsplit('.').next().unwrap_or_default();
    matches!((folder, last), ("class", "instructions") | ("lacks", "") | ("fusion", "first" | "second"))
}

/// Whether a pattern, `MNEMONIC`, `PREFIX*` or `MNEMONIC@FORM`, matches a known mnemonic.
fn is_known(pattern: &str, known: &BTreeSet<String>) -> bool {
    let name = pattern.split_once('@').map_or(pattern, |(name, _)| name);
    match name.strip_suffix('*') {
        None => known.contains(name),
        Some(prefix) => {
            known.range(prefix.to_owned()..).next().is_some_and(|first| first.starts_with(prefix))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_instructions_is_looked_at() {
        for key in ["class.load.instructions", "lacks", "fusion.compare.first", "fusion.compare.second"] {
            assert!(names_instructions(key), "{key}");
        }
        for key in ["class.load.parts", "arch", "fusion.compare.pipe", "implements"] {
            assert!(!names_instructions(key), "{key}");
        }
    }

    #[test]
    fn a_pattern_is_known_by_a_mnemonic_that_it_matches() {
        let known = BTreeSet::from(["add", "addi", "ori", "rep movsb"].map(str::to_owned));
        for pattern in ["add", "add*", "ori@nop", "o*", "*", "rep movsb", "rep *"] {
            assert!(is_known(pattern, &known), "{pattern}");
        }
        for pattern in ["ad", "addic*", "z*", "li", "or@move"] {
            assert!(!is_known(pattern, &known), "{pattern}");
        }
    }
}
