// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Cpu files: loading, inheritance, listing, comparing.
//!
//! A cpu is a flat map of keys; see `schema` for which there are and `number` for what each number carries.
//! `description` turns the map into the typed form that the simulator runs on.

mod effect;
mod error;
mod file;
mod names;
mod number;
pub mod schema;
mod shape;
mod taken;
mod tree;
mod whole;

pub use error::CpuError;
pub use file::Entry;
pub use number::{Kind, Number, Place};

use arch::Arch;
use schema::{CoreKind, Need};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A cpu: its keys after inheritance.
#[derive(Clone, Debug, PartialEq)]
pub struct Cpu {
    /// The name it is asked for by: the file's name without its ending.
    pub name: String,
    /// Its essay, and those of the cpus it inherits from, nearest first, as (name, text).
    pub essays: Vec<(String, String)>,
    entries: BTreeMap<String, Entry>,
    /// By key, the keys of the numbers that `moves_with` ties to it. Drawing cores sets thousands of numbers.
    tied: BTreeMap<String, Vec<String>>,
    /// For `class.*.instructions`: how many steps of inheritance away the list stands.
    distance: BTreeMap<String, usize>,
}

/// One difference between two cpus.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The key.
    pub key: String,
    /// What the first has, if it has it.
    pub a: Option<Entry>,
    /// What the second has, if it has it.
    pub b: Option<Entry>,
}

/// A number of which only a range is known: guesses, fitted numbers, and documented ones whose sources disagree.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: f64,
    /// What it was believed to be before it was fitted; else its value.
    pub prior: f64,
    /// Lowest believable value.
    pub low: f64,
    /// Highest believable value.
    pub high: f64,
}

/// Paths of the cpu files in `dir` and the folders directly in it, by name; several of one name are sorted.
fn files(dir: &Path) -> BTreeMap<String, Vec<PathBuf>> {
    let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    let inner = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    folders.extend(inner.filter(|path| path.is_dir()));
    for folder in folders {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.extension().is_some_and(|ending| ending == "toml") {
                if let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) {
                    found.entry(name.to_owned()).or_default().push(path.clone());
                }
            }
        }
    }
    found.values_mut().for_each(|paths| paths.sort());
    found
}

/// The file of a name. Of two, whichever was taken would hide the other.
fn path_in<'a>(
    files: &'a BTreeMap<String, Vec<PathBuf>>,
    dir: &Path,
    wanted: &str,
) -> Result<&'a Path, CpuError> {
    match files.get(wanted).map(Vec::as_slice) {
        Some([path]) => Ok(path),
        Some([first, second, ..]) => Err(CpuError::Twice {
            name: wanted.to_owned(),
            first: first.to_owned(),
            second: second.to_owned(),
        }),
        _ => Err(CpuError::Unknown {
            name: wanted.to_owned(),
            dir: dir.to_owned(),
            known: files.keys().cloned().collect(),
        }),
    }
}

fn read(path: &Path) -> Result<(String, PathBuf), CpuError> {
    let failed = |reason: String| CpuError::Read { path: path.to_owned(), reason };
    // A device may have no end, and opening a pipe waits for somebody who writes.
    if !std::fs::metadata(path).map_err(|error| failed(error.to_string()))?.is_file() {
        return Err(failed("it is not a file".into()));
    }
    let bytes = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8 text".into()))?;
    Ok((text, path.to_owned()))
}

impl Cpu {
    /// The names of all cpus in `dir`, sorted.
    pub fn list(dir: &Path) -> Vec<String> {
        files(dir).into_keys().collect()
    }

    /// The file of the cpu `name` in `dir`, if there is one and no second.
    pub fn path(dir: &Path, name: &str) -> Option<PathBuf> {
        path_in(&files(dir), dir, name).ok().map(Path::to_owned)
    }

    /// Loads the cpu `name` from `dir`, with everything it inherits, and checks it.
    pub fn load(dir: &Path, name: &str) -> Result<Cpu, CpuError> {
        let files = files(dir);
        Cpu::load_with(name, |wanted| read(path_in(&files, dir, wanted)?))
    }

    /// Loads a cpu from a file that stands anywhere; what it inherits is in `dir`, or is a core of LLVM's as `llvm:NAME`.
    pub fn load_file(dir: &Path, file: &Path) -> Result<Cpu, CpuError> {
        let files = files(dir);
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let first = std::cell::Cell::new(true);
        Cpu::load_with(&name, |wanted| {
            if first.replace(false) {
                return read(file);
            }
            match wanted.strip_prefix(crate::fallback::PREFIX) {
                Some(llvm) => crate::fallback::inherited(&read(file)?.0, llvm),
                None => read(path_in(&files, dir, wanted)?),
            }
        })
    }

    /// Loads a cpu whose files come from `read`: the text and path of the file of a given cpu name.
    pub fn load_with(
        name: &str,
        read: impl Fn(&str) -> Result<(String, PathBuf), CpuError>,
    ) -> Result<Cpu, CpuError> {
        let mut chain = vec![name.to_owned()];
        let mut parsed = Vec::new();
        let mut named_at: Option<Place> = None;
        loop {
            let wanted = chain.last().expect("the chain starts with a name");
            let (text, path) = read(wanted).map_err(|error| match (error, &named_at) {
                (CpuError::Unknown { name, known, .. }, Some(place)) => CpuError::Invalid {
                    place: place.clone(),
                    key: "inherits".into(),
                    problem: format!("names '{name}', which is no cpu"),
                    allowed: known.join(" "),
                },
                (error, _) => error,
            })?;
            let file = file::parse(&text, path)?;
            let parent = file.inherits.clone();
            parsed.push(file);
            let Some((parent, place)) = parent else { break };
            let circle = chain.contains(&parent);
            chain.push(parent);
            if circle {
                return Err(CpuError::Cycle { place, chain });
            }
            named_at = Some(place);
        }
        Cpu::merge(name, chain, parsed)
    }

    fn merge(name: &str, chain: Vec<String>, files: Vec<file::File>) -> Result<Cpu, CpuError> {
        let mut cpu = Cpu {
            name: name.to_owned(),
            essays: Vec::new(),
            entries: BTreeMap::new(),
            tied: BTreeMap::new(),
            distance: BTreeMap::new(),
        };
        let own = files.first().map(|file| file.path.clone()).unwrap_or_default();
        for (distance, file) in files.into_iter().enumerate().rev() {
            let inherited = cpu.words("arch").to_vec();
            for (key, place) in &file.removes {
                let below = format!("{key}.");
                let before = cpu.entries.len();
                cpu.entries.retain(|existing, _| existing != key && !existing.starts_with(&below));
                if cpu.entries.len() == before {
                    return Err(CpuError::Invalid {
                        place: place.clone(),
                        key: "remove".into(),
                        problem: format!("names '{key}', which is not inherited"),
                        allowed: "keys that the parent has".into(),
                    });
                }
            }
            cpu.replace_classes(&file)?;
            // What the parent's figures say does not hold for its heir.
            cpu.entries.retain(|key, _| !key.starts_with("validation."));
            for (key, entry) in file.entries {
                cpu.distance.insert(key.clone(), distance);
                cpu.entries.insert(key, entry);
            }
            if let Some(parent) = chain.get(distance + 1) {
                cpu.check_inherited_archs(parent, &inherited)?;
            }
            cpu.essays.insert(0, (chain[distance].clone(), file.essay));
        }
        for (key, entry) in &cpu.entries {
            if let Entry::Number(Number { moves_with: Some(with), .. }) = entry {
                cpu.tied.entry(with.clone()).or_default().push(key.clone());
            }
        }
        let place = Place { file: own, line: 1 };
        cpu.check_needed(&place)?;
        cpu.check_archs(&place)?;
        cpu.check_ties()?;
        cpu.check_effects()?;
        crate::description::Description::new(&cpu)?;
        cpu.check_shapes()?;
        cpu.check_taken()?;
        Ok(cpu)
    }

    /// A class in a file replaces all of the inherited class except its instructions, because numbers of two cores mixed in one
    /// class describe neither. A file that gives only a latency would silently lose the pipes, so that is refused.
    fn replace_classes(&mut self, file: &file::File) -> Result<(), CpuError> {
        let class_of = |key: &str| {
            let (class, rest) = key.strip_prefix("class.")?.split_once('.')?;
            (rest != "instructions").then(|| class.to_owned())
        };
        for (key, entry) in &file.entries {
            let Some(class) = class_of(key) else { continue };
            let parts = format!("class.{class}.parts");
            if self.entries.contains_key(&parts) && !file.entries.contains_key(&parts) {
                return Err(CpuError::Invalid {
                    place: entry.place().clone(),
                    key: key.clone(),
                    problem: "is of a class without 'parts', which the inherited one has".into(),
                    allowed:
                        "all of a class but its instructions: what a file writes replaces what it inherits \
                              (./assay cpu PARENT --effective prints that)"
                            .into(),
                });
            }
        }
        let written: BTreeSet<String> = file.entries.keys().filter_map(|key| class_of(key)).collect();
        self.entries.retain(|key, _| !class_of(key).is_some_and(|class| written.contains(&class)));
        Ok(())
    }

    /// What moves with another number needs one that is moved, or it would stand still.
    fn check_ties(&self) -> Result<(), CpuError> {
        let moved: BTreeSet<String> = self.guesses().into_iter().map(|guess| guess.key).collect();
        for (key, entry) in &self.entries {
            let Entry::Number(Number { moves_with: Some(with), place, .. }) = entry else { continue };
            if !moved.contains(with) {
                return Err(CpuError::Invalid {
                    place: place.clone(),
                    key: format!("{key}.moves_with"),
                    problem: format!("names '{with}', which is no guess of this cpu"),
                    allowed:
                        "the key of a guess; an heir that settles that one has to settle this number, too"
                            .into(),
                });
            }
        }
        Ok(())
    }

    /// An heir runs what its parent runs, or less: the classes of a core name no instruction of another architecture, and what
    /// they do not name would be predicted from defaults, as if it were described.
    fn check_inherited_archs(&self, parent: &str, inherited: &[String]) -> Result<(), CpuError> {
        let llvms = parent.strip_prefix(crate::fallback::PREFIX);
        // A core of LLVM's is inherited for one of the architectures that LLVM has it for.
        let has = |arch: Arch| {
            inherited.iter().any(|word| word == arch.name())
                || llvms
                    .is_some_and(|name| decode::Scheduling::cpus(arch).is_ok_and(|cpus| cpus.contains(&name)))
        };
        let is_foreign =
            |word: &&String| Arch::ALL.iter().any(|arch| arch.name() == word.as_str() && !has(*arch));
        let Some(entry) = self.entry("arch") else { return Ok(()) };
        let Some(word) = self.words("arch").iter().find(is_foreign) else { return Ok(()) };
        let allowed: Vec<&str> = Arch::ALL.into_iter().filter(|arch| has(*arch)).map(Arch::name).collect();
        Err(CpuError::Invalid {
            place: entry.place().clone(),
            key: "arch".into(),
            problem: format!(
                "names '{word}', but '{parent}', from which it inherits, does not run {word} code"
            ),
            allowed: format!("{}, or a parent of {word}, or none", allowed.join(" ")),
        })
    }

    /// The architectures that it runs have to be known ones, or nothing would ever be predicted for it.
    fn check_archs(&self, place: &Place) -> Result<(), CpuError> {
        let is_unknown = |word: &&String| !Arch::ALL.iter().any(|arch| arch.name() == word.as_str());
        let words = self.words("arch");
        let problem = match words.iter().find(is_unknown) {
            Some(word) => format!("names '{word}', which is no architecture"),
            None if words.is_empty() => "names no architecture".into(),
            None => return Ok(()),
        };
        Err(CpuError::Invalid {
            place: self.entry("arch").map_or(place, Entry::place).clone(),
            key: "arch".into(),
            problem,
            allowed: Arch::ALL.map(Arch::name).join(" "),
        })
    }

    fn check_needed(&self, place: &Place) -> Result<(), CpuError> {
        let missing = |key: &str, meaning: &str, form: String| CpuError::Missing {
            place: place.clone(),
            key: key.to_owned(),
            meaning: meaning.to_owned(),
            form,
        };
        for word in schema::WORDS.iter().filter(|word| word.needed) {
            if !self.entries.contains_key(word.key) {
                return Err(missing(word.key, word.meaning, "a string or a list of strings".into()));
            }
        }
        let in_order = self.kind() == CoreKind::InOrder;
        for number in schema::NUMBERS {
            let needed = match number.need {
                Need::Always => true,
                Need::OutOfOrder => !in_order,
                Need::Optional => false,
            };
            if needed && !self.entries.contains_key(number.key) {
                return Err(missing(number.key, number.meaning, file::number_form(number)));
            }
        }
        Ok(())
    }

    /// The shape of its core.
    pub fn kind(&self) -> CoreKind {
        let word = self.word("kind").unwrap_or("");
        CoreKind::ALL.into_iter().find(|kind| kind.name() == word).unwrap_or(CoreKind::OutOfOrder)
    }

    /// The name people know it by.
    pub fn title(&self) -> &str {
        self.word("title").unwrap_or(&self.name)
    }

    /// Clock in MHz.
    pub fn clock_mhz(&self) -> f64 {
        self.value("clock.frequency").unwrap_or(1000.0)
    }

    /// Whether it runs programs of `arch`.
    pub fn runs(&self, arch: arch::Arch) -> bool {
        self.words("arch").iter().any(|name| name == arch.name())
    }

    /// The entry of `key`.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// All entries by key.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(key, entry)| (key.as_str(), entry))
    }

    fn number(&self, key: &str) -> Option<&Number> {
        match self.entries.get(key) {
            Some(Entry::Number(number)) => Some(number),
            _ => None,
        }
    }

    /// The value of a number.
    pub fn value(&self, key: &str) -> Option<f64> {
        self.number(key).map(|number| number.value)
    }

    /// The words of a key; none if it is absent.
    pub fn words(&self, key: &str) -> &[String] {
        match self.entries.get(key) {
            Some(Entry::Words { words, .. }) => words,
            _ => &[],
        }
    }

    /// The word of a key.
    pub fn word(&self, key: &str) -> Option<&str> {
        self.words(key).first().map(String::as_str)
    }

    /// The names that stand for `*` in `folder.*`, sorted.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let below = format!("{folder}.");
        let names: BTreeSet<_> = self
            .entries
            .keys()
            .filter_map(|key| key.strip_prefix(&below))
            .filter_map(|rest| rest.split('.').next())
            .map(str::to_owned)
            .collect();
        names.into_iter().collect()
    }

    /// How many steps of inheritance away the entry stands: 0 in the cpu's own file.
    pub fn distance(&self, key: &str) -> usize {
        self.distance.get(key).copied().unwrap_or(0)
    }

    /// The same cpu with one number changed, for analyses; the key must be there.
    pub fn with(&self, key: &str, value: f64) -> Option<Cpu> {
        let mut changed = self.clone();
        changed.set(key, value)?;
        Some(changed)
    }

    /// Changes one number, for analyses that change many; the key must be there. What has to be a power of two becomes the
    /// nearest one. The other key of the same number changes with it.
    pub fn set(&mut self, key: &str, value: f64) -> Option<()> {
        let before = self.value(key)?;
        let along = self.moved_with(key);
        self.set_alone(key, value)?;
        if let Some(other) = schema::twin(key).filter(|other| self.value(other) == Some(before)) {
            self.set_alone(other, value)?;
        }
        for (other, at, (low, high)) in along {
            self.set_alone(&other, (at + value - before).clamp(low, high))?;
        }
        Some(())
    }

    /// The keys of a guess: its own and those of the numbers that `moves_with` ties to it.
    pub fn keys_of(&self, key: &str) -> Vec<String> {
        let along = self.moved_with(key).into_iter().map(|(other, ..)| other);
        std::iter::once(key.to_owned()).chain(along).collect()
    }

    /// The numbers that `moves_with` ties to one, with where they stand and their ranges.
    fn moved_with(&self, key: &str) -> Vec<(String, f64, (f64, f64))> {
        let ranged = |other: &String| {
            let number = self.number(other)?;
            Some((other.clone(), number.value, number.range?))
        };
        self.tied.get(key).into_iter().flatten().filter_map(ranged).collect()
    }

    fn set_alone(&mut self, key: &str, value: f64) -> Option<()> {
        match self.entries.get_mut(key) {
            Some(Entry::Number(number)) if schema::POWERS_OF_TWO.contains(&key) => {
                number.value = value.log2().round().exp2();
            }
            Some(Entry::Number(number)) => number.value = value,
            _ => return None,
        }
        Some(())
    }

    /// All numbers that core cycles can depend on and of which only a range is known. A number with two keys is one guess, and so
    /// are numbers that move together.
    pub fn guesses(&self) -> Vec<Guess> {
        let ranged = |key: &str| self.number(key).is_some_and(|number| number.range.is_some());
        let told = |key: &str| {
            let twin = schema::twin(key).filter(|twin| *twin < key);
            twin.is_some_and(|twin| ranged(twin) && self.value(twin) == self.value(key))
        };
        let guess = |(key, entry): (&String, &Entry)| match entry {
            Entry::Number(Number { value, prior, range: Some((low, high)), moves_with: None, .. })
                if low < high && key != "clock.frequency" && !told(key) =>
            {
                let prior = prior.unwrap_or(*value);
                Some(Guess { key: key.clone(), value: *value, prior, low: *low, high: *high })
            }
            _ => None,
        };
        self.entries.iter().filter_map(guess).collect()
    }

    /// Where two cpus differ, by key.
    pub fn diff(&self, other: &Cpu) -> Vec<Difference> {
        let same = |a: Option<&Entry>, b: Option<&Entry>| match (a, b) {
            (Some(Entry::Number(a)), Some(Entry::Number(b))) => a.value == b.value,
            (Some(Entry::Words { words: a, .. }), Some(Entry::Words { words: b, .. })) => a == b,
            _ => false,
        };
        let keys: BTreeSet<_> = self.entries.keys().chain(other.entries.keys()).collect();
        keys.into_iter()
            .map(|key| (key, self.entries.get(key), other.entries.get(key)))
            .filter(|(_, a, b)| !same(*a, *b))
            .map(|(key, a, b)| Difference { key: key.clone(), a: a.cloned(), b: b.cloned() })
            .collect()
    }
}
