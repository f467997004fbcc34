// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Stored fits: the numbers of a cpu with each family of figures left out, so that `validate` can predict a family by numbers
//! that were not fitted to it, without searching again.
//!
//! `fit --write` writes `validation/fits/CPU.toml`. Its digest covers all that a fit starts from: the cpu's documented numbers
//! and ranges, and the figures with what each may serve for. If one of them has changed since, the file is stale and says nothing.

use crate::cpu::{Cpu, Entry};
use crate::fit::{documented, Values};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The fits of one cpu.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// Digest of what the fits started from.
    pub digest: String,
    /// By the family left out, the numbers of the drawn cores that agree with all other figures (`draws`).
    pub draws: BTreeMap<String, Vec<usize>>,
    /// By the family left out, the numbers that then differ from the documented ones.
    pub without: BTreeMap<String, Values>,
}

/// The fits of a cpu cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeftOutError {
    /// There are none.
    #[error("{} is missing; ./assay fit {cpu} --write makes it", path.display())]
    Missing {
        /// The cpu.
        cpu: String,
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be parsed.
    #[error("{}: {reason}; ./assay fit {cpu} --write makes it anew", path.display())]
    Wrong {
        /// The cpu.
        cpu: String,
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The cpu or the figures have changed.
    #[error("{} is stale: the cpu's documented numbers or the figures have changed since; ./assay fit {cpu} --write makes it anew", path.display())]
    Stale {
        /// The cpu.
        cpu: String,
        /// The file.
        path: PathBuf,
    },
}

/// A row, its family and what was published.
pub type FigureRow = (String, String, f64);

/// What a fit of `cpu` starts from, as a digest: `judging` are the figures that it is fitted to, `evidence` those that only say
/// which drawn cores are believable.
pub fn digest(cpu: &Cpu, judging: &[FigureRow], evidence: &[FigureRow]) -> String {
    let mut text = String::new();
    // A number that the core refuses moves no figure.
    let matters = |key: &str| !key.starts_with("validation.") && key != "isa";
    for (key, entry) in documented(cpu).entries().filter(|(key, _)| matters(key)) {
        match entry {
            Entry::Number(number) => {
                let with = number.moves_with.as_deref().unwrap_or_default();
                writeln!(text, "{key} {} {:?}{with}", number.value, number.range)
            }
            Entry::Words { words, .. } => writeln!(text, "{key} {words:?}"),
        }
        .expect("a string takes everything");
    }
    let line = |(row, family, value): &FigureRow, of_use: &str| format!("{row} {family} {value}{of_use}");
    let mut rows: Vec<String> = judging.iter().map(|figure| line(figure, "")).collect();
    rows.extend(evidence.iter().map(|figure| line(figure, " evidence")));
    rows.sort();
    text += &rows.join("\n");
    // FNV-1a: it has to notice a change, not an attack.
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}

/// The file of a cpu's fits in the folder of the figures.
pub fn path(figures: &Path, cpu: &str) -> PathBuf {
    figures.join("fits").join(format!("{cpu}.toml"))
}

impl LeftOut {
    /// Reads the fits of a cpu, which must have started from `digest`.
    pub fn load(figures: &Path, cpu: &str, digest: &str) -> Result<LeftOut, LeftOutError> {
        let (cpu, path) = (cpu.to_owned(), path(figures, cpu));
        let Ok(text) = std::fs::read_to_string(&path) else {
            return Err(LeftOutError::Missing { cpu, path });
        };
        match toml::from_str::<LeftOut>(&text) {
            Err(error) => Err(LeftOutError::Wrong { cpu, path, reason: error.message().to_owned() }),
            Ok(fits) if fits.digest != digest => Err(LeftOutError::Stale { cpu, path }),
            Ok(fits) => Ok(fits),
        }
    }

    /// The text of the file.
    pub fn text(&self, cpu: &str) -> String {
        format!(
            "# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause\n\
             # Written by `./assay fit {cpu} --write`: the numbers of {cpu} with each family of figures left out of the fit, where\n\
             # they differ from the documented ones. Not to be edited by hand.\n{}",
            toml::to_string(self).expect("texts and numbers have a TOML form")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn power7() -> Cpu {
        Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), "power7").unwrap()
    }

    #[test]
    fn a_file_reads_back_and_a_change_of_what_it_started_from_makes_it_stale() {
        let cpu = power7();
        let figures = vec![("row".to_owned(), "family".to_owned(), 2.0)];
        let start = digest(&cpu, &figures, &[]);
        let values = Values::from([
            ("memory.drain".to_owned(), 9.5),
            ("class.multiply.latency.value".to_owned(), 4.0),
        ]);
        let fits = LeftOut {
            digest: start.clone(),
            draws: BTreeMap::from([("gmp \"x\"".to_owned(), vec![3, 3, 500])]),
            without: BTreeMap::from([("gmp \"x\"".to_owned(), values)]),
        };
        let folder = std::env::temp_dir().join(format!("assay-fits-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("fits")).unwrap();
        std::fs::write(path(&folder, "power7"), fits.text("power7")).unwrap();
        assert_eq!(LeftOut::load(&folder, "power7", &start), Ok(fits));
        let others =
            [digest(&cpu, &[("row".to_owned(), "family".to_owned(), 2.1)], &[]), digest(&cpu, &[], &figures)];
        for other in others {
            assert!(matches!(LeftOut::load(&folder, "power7", &other), Err(LeftOutError::Stale { .. })));
        }
        assert!(matches!(LeftOut::load(&folder, "power6", &start), Err(LeftOutError::Missing { .. })));
        std::fs::write(path(&folder, "power7"), "digest = 3").unwrap();
        assert!(matches!(LeftOut::load(&folder, "power7", &start), Err(LeftOutError::Wrong { .. })));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_digest_covers_documented_numbers_and_not_what_a_fit_makes_of_them() {
        let (cpu, guess) = (power7(), power7().guesses().remove(0));
        let changed = cpu.with("dispatch.width", 3.0).unwrap();
        assert_ne!(digest(&cpu, &[], &[]), digest(&changed, &[], &[]));
        let moved = cpu.with(&guess.key, guess.high).unwrap();
        // A fitted number keeps its prior; one that is no longer where it was documented does not.
        assert_eq!(digest(&cpu, &[], &[]) == digest(&moved, &[], &[]), guess.value == guess.high);
    }
}
