// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Resolves the arguments of `-c` to cpus: the name of one of our descriptions, a description file of the user's, or
//! `llvm:NAME` for a core that only LLVM describes.

use crate::context::Context;
use crate::judge::told;
use arch::Arch;
use decode::Scheduling;
use lab::target::{known_anywhere, Target};
use lab::{Problem, Result};
use predict::cpu::CpuError;
use predict::fallback::PREFIX;
use predict::Cpu;
use std::path::{Path, PathBuf};

/// Loads the cpus that the user named; without names, all that we describe.
pub fn cpus(context: &Context, names: &[String]) -> Result<Vec<Cpu>> {
    cpus_for(context, names, &[])
}

/// [`cpus`] for a user who also named architectures: cores of LLVM are looked up for these only.
pub fn cpus_for(context: &Context, names: &[String], archs: &[Arch]) -> Result<Vec<Cpu>> {
    let folder = folder(context);
    let archs = if archs.is_empty() { Arch::ALL.to_vec() } else { archs.to_vec() };
    let names = if names.is_empty() { Cpu::list(&folder) } else { names.to_vec() };
    let mut cpus: Vec<Cpu> = Vec::new();
    // The word that named each of them.
    let mut words: Vec<String> = Vec::new();
    for name in names {
        let found = match name.strip_prefix(PREFIX) {
            Some(llvm) => llvm_cpus(llvm, &archs)?,
            None if name.trim().is_empty() => {
                return Err(Problem::new("an empty name of a cpu")
                    .at("-c")
                    .remedy("leave out what is empty, or a comma too many; ./assay cpu lists the cpus"));
            }
            None if name.contains(',') => {
                return Err(Problem::new(format!("one cpu at a time: '{name}' names several"))
                    .remedy("name one of them; ./assay predict and compare take several"));
            }
            None if names_a_file(&name) => vec![of_file(&folder, Path::new(&name))?],
            None => vec![described(&folder, &name)?],
        };
        for cpu in found {
            // A cpu that is named twice is loaded once. LLVM's cores for several architectures share one word and name.
            let namesake = cpus.iter().zip(&words).find(|(one, word)| one.name == cpu.name && **word != name);
            let is_known = match namesake {
                Some((_, other)) if !is_same_file(&folder, other, &name) => {
                    return Err(namesakes(&cpu, other, &name))
                }
                Some(_) => true,
                None => cpus.contains(&cpu),
            };
            if !is_known {
                cpus.push(cpu);
                words.push(name.clone());
            }
        }
    }
    Ok(cpus)
}

/// Two cpus of one name, which would be one in all tables: a cpu is called as its file.
fn namesakes(cpu: &Cpu, other: &str, word: &str) -> Problem {
    Problem::new(format!(
        "is another '{}' than that of -c {other}: figures could not be told apart",
        cpu.name
    ))
    .at(word)
    .remedy("a cpu is called as its file: give your copy another file name")
}

/// Whether two arguments name one file, written as two paths or as one of our names.
fn is_same_file(folder: &Path, a: &str, b: &str) -> bool {
    let path = |word: &str| {
        let path = if names_a_file(word) { PathBuf::from(word) } else { Cpu::path(folder, word)? };
        path.canonicalize().ok()
    };
    path(a).is_some_and(|first| path(b) == Some(first))
}

/// The architectures that at least one of these cpus runs.
pub fn archs_of(cpus: &[Cpu]) -> Vec<Arch> {
    Arch::ALL.into_iter().filter(|arch| cpus.iter().any(|cpu| cpu.runs(*arch))).collect()
}

/// The cpus that a recorded program is predicted for. Without names, those that run it. A named cpu that does not run it
/// stays, and is an error later; of a core of LLVM's, which is there once for each architecture, what runs it is enough.
pub fn for_trace(cpus: &[Cpu], are_named: bool, runs: impl Fn(&Cpu) -> bool) -> Vec<&Cpu> {
    let is_able = |name: &str| cpus.iter().any(|cpu| cpu.name == name && runs(cpu));
    cpus.iter().filter(|cpu| runs(cpu) || are_named && !is_able(&cpu.name)).collect()
}

/// Tells of a cpu that lacks what a recorded program executes, where others remain: one that the user named is a failure.
pub fn leave_out(context: &Context, is_named: bool, problem: &Problem) {
    if is_named {
        context.tell_failure(&problem.to_string());
    } else {
        context.progress(&format!("left out: {}", problem.what));
    }
}

/// The folder of our descriptions.
pub fn folder(context: &Context) -> PathBuf {
    context.workspace.root.join("cpus")
}

/// The words that name files of cpus.
pub fn files_of(names: &[String]) -> impl Iterator<Item = &Path> {
    names.iter().filter(|name| names_a_file(name)).map(Path::new)
}

fn names_a_file(name: &str) -> bool {
    name.contains('/') || name.ends_with(".toml")
}

fn of_file(folder: &Path, file: &Path) -> Result<Cpu> {
    let loaded = Cpu::load_file(folder, file).and_then(with_names);
    loaded.map_err(|error| told(&error, "see that the path is right; docs/add-a-cpu.md"))
}

/// The cpu, if what it names by others' words exists: instructions, LLVM's model, claims of variants.
fn with_names(cpu: Cpu) -> Result<Cpu, CpuError> {
    cpu.check_names()?;
    let unknown = cpu.words("implements").iter().find(|claim| !known_anywhere(claim));
    match (unknown, cpu.entry("implements")) {
        (Some(claim), Some(entry)) => {
            let runs = |arch: &&Arch| cpu.runs(**arch);
            let claims = Arch::ALL.iter().filter(runs).map(|arch| Target::of(*arch).requirement_names());
            Err(CpuError::Invalid {
                place: entry.place().clone(),
                key: "implements".into(),
                problem: format!("names '{claim}', which no variant can claim"),
                allowed: claims.collect::<Vec<_>>().join(", "),
            })
        }
        _ => Ok(cpu),
    }
}

/// Loads one of our descriptions. The error for an unknown name suggests LLVM's model, if that has the name, or a
/// similar name of ours.
fn described(folder: &Path, name: &str) -> Result<Cpu> {
    Cpu::load(folder, name).and_then(with_names).map_err(|error| {
        let CpuError::Unknown { known, .. } = &error else { return of_ours(folder, &error) };
        if Arch::ALL.iter().any(|arch| llvm_names(*arch).contains(&name)) {
            return Problem::new(format!("no file describes the cpu '{name}'"))
                .remedy(format!("-c llvm:{name} takes LLVM's model of it; described: {}", known.join(" ")));
        }
        let near = nearest(&name.to_lowercase(), known.iter().map(String::as_str));
        let file = Path::new(".").join(format!("{name}.toml"));
        let guess = match near {
            _ if file.is_file() => format!("-c {} takes the file; ", file.display()),
            Some(near) => format!("did you mean {near}? "),
            None => String::new(),
        };
        Problem::new(format!("unknown cpu '{name}'")).remedy(format!("{guess}known: {}", known.join(" ")))
    })
}

/// An error in one of our descriptions. An unknown key means that the file was edited, or that it is newer than this
/// command.
fn of_ours(folder: &Path, error: &CpuError) -> Problem {
    let problem = told(error, "");
    if !matches!(error, CpuError::UnknownKey { .. }) {
        return problem;
    }
    let remedy = format!(
        "{}; where nobody changed the file, this command is older than {}: cargo build --release -p assay",
        problem.remedy,
        folder.display()
    );
    problem.remedy(remedy)
}

/// A core that only LLVM has a scheduling model of, once for each architecture that it runs.
fn llvm_cpus(name: &str, archs: &[Arch]) -> Result<Vec<Cpu>> {
    let mut found: Vec<Cpu> = Vec::new();
    for &arch in archs.iter().filter(|arch| llvm_names(**arch).contains(&name)) {
        let cpu = predict::fallback::llvm_cpu(arch, name);
        found.push(cpu.map_err(|error| Problem::new(format!("LLVM's model cannot be used: {error}")))?);
    }
    if !found.is_empty() {
        return Ok(found);
    }
    // An LLVM that was built without one of the architectures has the others.
    let refused = archs.iter().map(|arch| Scheduling::cpus(*arch)).collect::<Vec<_>>();
    if let (true, Some(Err(error))) = (refused.iter().all(|one| one.is_err()), refused.first()) {
        // It says what helps.
        return Err(Problem::new(error.to_string()));
    }
    let of = archs.iter().map(|arch| arch.name()).collect::<Vec<_>>().join(", ");
    let known: Vec<&str> = archs.iter().flat_map(|arch| llvm_names(*arch)).collect();
    let elsewhere = Arch::ALL.into_iter().filter(|arch| llvm_names(*arch).contains(&name));
    let elsewhere = elsewhere.map(|arch| arch.name()).collect::<Vec<_>>().join(", ");
    let remedy = match nearest(name, known.iter().copied()) {
        _ if !elsewhere.is_empty() => format!("LLVM has it for {elsewhere}"),
        Some(near) => format!("did you mean llvm:{near}?"),
        None if known.is_empty() => format!("this LLVM has none for {of}: name a cpu of ours, or a file"),
        None if archs.len() == 1 => format!("LLVM has for {of}: {}", known.join(" ")),
        None => format!(
            "./assay predict -a ARCH -c llvm:{name} lists the cores that LLVM has for an architecture"
        ),
    };
    Err(Problem::new(format!("LLVM has no scheduling model of '{name}' for {of}")).remedy(remedy))
}

/// The cores of an architecture that LLVM has a scheduling model of.
fn llvm_names(arch: Arch) -> Vec<&'static str> {
    Scheduling::cpus(arch).unwrap_or_default()
}

/// The known word with the smallest edit distance to an unknown one, if the distance is that of a typing error.
fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.map(|one| (edits(word, one), one)).min()?;
    (near.0 <= 1 + word.len() / 5).then_some(near.1)
}

/// The letters to insert, remove or replace (Levenshtein distance).
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_a_slip_away_or_none() {
        assert_eq!((edits("", "ab"), edits("power8", "power9"), edits("abc", "acb")), (2, 1, 2));
        let known = ["power8", "power9", "la464"];
        assert_eq!(nearest("pwer9", known.into_iter()), Some("power9"));
        assert_eq!(nearest("z80", known.into_iter()), None);
    }
}
