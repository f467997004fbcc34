// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! An instruction that an heir's class takes from an inherited class with pipes. Where the heir's class says nothing of pipes, the
//! instruction would lose them, and cost almost nothing, without a word.

use super::{Cpu, CpuError, Entry};

impl Cpu {
    /// Fails on the first such instruction.
    pub(super) fn check_taken(&self) -> Result<(), CpuError> {
        for class in self.names("class") {
            let key = format!("class.{class}.instructions");
            let (Some(Entry::Words { words, place }), None) =
                (self.entry(&key), self.entry(&format!("class.{class}.parts")))
            else {
                continue;
            };
            let taken =
                words.iter().find_map(|word| Some((word, self.with_pipes(word, self.distance(&key))?)));
            if let Some((word, other)) = taken {
                return Err(CpuError::Invalid {
                    place: place.clone(),
                    key,
                    problem: format!(
                        "takes '{word}' from class.{other}, which has pipes, to a class that names none"
                    ),
                    allowed: format!("with class.{class}.parts: the pipes that it takes, or [] for none"),
                });
            }
        }
        Ok(())
    }

    /// The class that a pattern is taken from by one whose list is at `distance`, if that class has pipes.
    fn with_pipes(&self, pattern: &str, distance: usize) -> Option<String> {
        let lists = |class: &String| format!("class.{class}.instructions");
        let inherited: Vec<String> =
            self.names("class").into_iter().filter(|class| self.distance(&lists(class)) > distance).collect();
        let listing = |word: &str| {
            inherited.iter().find(|class| self.words(&lists(class)).iter().any(|one| one == word))
        };
        let name = pattern.split_once('@').map_or(pattern, |(name, _)| name);
        let overlapping = || {
            let overlaps = |one: &String| match (one.strip_suffix('*'), name.strip_suffix('*')) {
                (Some(one), Some(prefix)) => one.starts_with(prefix) || prefix.starts_with(one),
                (Some(one), None) => name.starts_with(one),
                (None, Some(prefix)) => one.starts_with(prefix),
                (None, None) => false,
            };
            let found =
                |class: &&String| self.words(&lists(class)).iter().any(overlaps) && self.has_pipes(class);
            inherited.iter().find(found)
        };
        let from = listing(pattern).or_else(|| listing(name)).or_else(overlapping)?;
        self.has_pipes(from).then(|| from.clone())
    }

    fn has_pipes(&self, class: &str) -> bool {
        !self.words(&format!("class.{class}.parts")).is_empty()
    }
}
