// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Finding libraries, hot paths and variants: the path is the registration.

use crate::cache::{read_text, Workspace};
use crate::head_keys::{self, HeadKeys};
use crate::hotpath::{file_name, HotPath};
use crate::problem::{Problem, Result};
use crate::target::{known_anywhere, variant_folder_names, Requirement, Target};
use arch::Arch;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One implementation of a hot path, for one architecture.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The hot path.
    pub hotpath: Arc<HotPath>,
    /// The file's name without its ending.
    pub name: String,
    /// The architecture it is built for here.
    pub arch: Arch,
    /// Its source, or an object file for out-of-tree ones.
    pub source: PathBuf,
    /// What its head comment says.
    pub keys: HeadKeys,
    /// Its claims, in the order of the target's table; never empty.
    pub requirements: Vec<&'static Requirement>,
    /// The variants that it needs linked in.
    pub needs: Vec<Need>,
    /// Whether it is the reference itself.
    pub reference: bool,
    /// Whether it came from outside a library folder and is built through `runner/compat`.
    pub foreign: bool,
    /// Flags of the command line, with which a file of the user's is compiled behind its own.
    pub given_flags: Vec<String>,
    /// What is wrong with the file itself, such as an unknown key in its head comment: its verdict, whatever is asked.
    pub defect: Option<Problem>,
}

/// A variant that a dispatcher has linked in as `<symbol>_<name>`.
#[derive(Clone, Debug)]
pub struct Need {
    /// The variant's name.
    pub name: String,
    /// Its source.
    pub source: PathBuf,
    /// Its claims.
    pub claims: Vec<&'static Requirement>,
    /// Its own compiler flags.
    pub cflags: Vec<String>,
}

impl Variant {
    /// `HOTPATH/VARIANT`, as users name it.
    pub fn title(&self) -> String {
        // A file's name may have a line's end in it, which a list must not have.
        format!("{}/{}", self.hotpath.name, self.name.replace(char::is_control, "?"))
    }

    /// Fails if the file itself is not in order.
    pub fn in_order(&self) -> Result<()> {
        self.defect.clone().map_or(Ok(()), Err)
    }

    /// The claim that decides the CPU: the last of the target's table.
    pub fn claim(&self) -> &'static Requirement {
        self.requirements.last().expect("a variant has at least its target's baseline")
    }

    /// `power8` or `avx2+adx`: what `list` shows.
    pub fn claims(&self) -> String {
        self.requirements.iter().map(|requirement| requirement.name).collect::<Vec<_>>().join("+")
    }
}

/// All hot paths of the libraries in `dirs` (the checkout's `libs`, or the user's `-d` folders).
pub fn hotpaths(workspace: &Workspace, dirs: &[PathBuf]) -> Result<Vec<Arc<HotPath>>> {
    let mut found = Vec::new();
    for dir in search_dirs(workspace, dirs) {
        let mut here = 0;
        for library in subfolders(&dir)? {
            for folder in subfolders(&library)? {
                for hotpath in load_or_inherit(workspace, &library, &folder)? {
                    here += 1;
                    if !found.iter().any(|other: &Arc<HotPath>| other.is(&hotpath)) {
                        found.push(Arc::new(hotpath));
                    }
                }
            }
        }
        if here == 0 {
            return Err(Problem::new("holds no hot path")
                .at(dir.display())
                .remedy("a folder of libraries has the shape LIBRARY/HOTPATH/ARCH/VARIANT.c"));
        }
    }
    Ok(found)
}

/// Where hot paths are looked for: the user's folders instead of ours, if there are any, each once.
pub fn search_dirs(workspace: &Workspace, dirs: &[PathBuf]) -> Vec<PathBuf> {
    if dirs.is_empty() {
        return vec![workspace.root.join("libs")];
    }
    let mut seen = BTreeSet::new();
    // What cannot be found is told where it is read.
    let is_new = |dir: &&PathBuf| seen.insert(dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf()));
    dirs.iter().filter(is_new).cloned().collect()
}

/// A folder with `hotpath.toml` is a hot path, or one for each width; one with only variants of a hot path of ours inherits its
/// contract.
fn load_or_inherit(workspace: &Workspace, library: &Path, folder: &Path) -> Result<Vec<HotPath>> {
    let library_name = file_name(library);
    if folder.join("hotpath.toml").is_file() {
        return HotPath::load(&library_name, folder);
    }
    let ours = workspace.root.join("libs").join(&library_name);
    if !ours.is_dir() || !variant_folder_names().iter().any(|name| folder.join(name).is_dir()) {
        return Ok(Vec::new());
    }
    let mut inherited = Vec::new();
    for own in subfolders(&ours)? {
        // One for several widths is called like them, but for the width.
        if own.join("hotpath.toml").is_file() && file_name(folder).starts_with(&file_name(&own)) {
            inherited.extend(HotPath::load(&library_name, &own)?);
        }
    }
    let name = file_name(folder);
    inherited.retain(|hotpath| {
        hotpath.name == name || (hotpath.bits.is_some() && file_name(&hotpath.folder) == name)
    });
    Ok(inherited)
}

fn subfolders(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir).map_err(|error| Problem::io("read the folder", dir, &error))?;
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    Ok(folders)
}

/// The variants of a hot path for an architecture, the reference first, then by name.
pub fn variants(
    workspace: &Workspace,
    dirs: &[PathBuf],
    hotpath: &Arc<HotPath>,
    arch: Arch,
) -> Result<Vec<Variant>> {
    let mut found = Vec::new();
    if !hotpath.is_on(arch) {
        return Ok(found);
    }
    if dirs.is_empty() || dirs.iter().any(|dir| hotpath.folder.starts_with(dir)) {
        let source = hotpath.folder.join("reference.c");
        found.extend(variant_from(hotpath, arch, &source, "reference", true)?);
    }
    let target = Target::of(arch);
    let mut sources = Vec::new();
    let mut folder_names = vec![hotpath.name.clone(), file_name(&hotpath.folder)];
    folder_names.dedup();
    for dir in search_dirs(workspace, dirs) {
        for folder in folder_names.iter().map(|name| dir.join(&hotpath.library).join(name)) {
            for name in target.variant_folders.iter().chain(&["generic"]) {
                let files = source_files(&folder.join(name))?;
                let named = |source: PathBuf| Some((hotpath.variant_name(&source)?, source));
                sources.extend(files.into_iter().filter_map(named));
            }
            refuse_unknown_folders(&folder)?;
        }
    }
    sources.sort_by_key(|(name, path)| (name.clone(), file_name(path)));
    for (name, source) in &sources {
        if let Some(other) = found.iter().find(|variant: &&Variant| variant.name == *name) {
            return Err(Problem::new(format!(
                "two variants of {} are called '{name}' on {arch}",
                hotpath.name
            ))
            .at(format!("{} and {}", other.source.display(), source.display()))
            .remedy("rename one of them"));
        }
        found.extend(variant_or_defect(hotpath, arch, source, name));
    }
    for variant in &mut found {
        match resolve_needs(variant, &sources) {
            Ok(needs) => variant.needs = needs,
            Err(problem) => variant.defect = Some(problem.of_variant()),
        }
    }
    Ok(found)
}

/// Reads one variant as [`variant_from`] does. A variant that cannot be read is listed with its defect, so that the others
/// still get their verdict.
pub fn variant_or_defect(hotpath: &Arc<HotPath>, arch: Arch, source: &Path, name: &str) -> Option<Variant> {
    variant_from(hotpath, arch, source, name, false).unwrap_or_else(|problem| {
        let mut variant = assemble(hotpath, arch, source, name, HeadKeys::default());
        // A link to nowhere, a folder or a file that may not be read holds no code that could be wrong.
        let is_read = source.is_file() && fs::File::open(source).is_ok();
        variant.defect = Some(if is_read { problem.of_variant() } else { problem });
        Some(variant)
    })
}

fn source_files(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).map_err(|error| Problem::io("read the folder", folder, &error))?;
    let is_source = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "c" || ending == "S");
    Ok(entries.flatten().map(|entry| entry.path()).filter(is_source).collect())
}

/// A folder inside a hot path that is not an architecture's has to be one whose use is known.
fn refuse_unknown_folders(folder: &Path) -> Result<()> {
    let known = variant_folder_names();
    for inside in if folder.is_dir() { subfolders(folder)? } else { Vec::new() } {
        let name = file_name(&inside);
        if !known.contains(&name.as_str()) && name != "adapters" && name != "include" {
            return Err(Problem::new(format!("the folder '{name}' is no architecture"))
                .at(inside.display())
                .remedy(format!("folders of variants: {}", known.join(" "))));
        }
    }
    Ok(())
}

/// Reads one variant; `None` if it claims what only other architectures have (a generic one that needs 64 bits).
pub fn variant_from(
    hotpath: &Arc<HotPath>,
    arch: Arch,
    source: &Path,
    name: &str,
    reference: bool,
) -> Result<Option<Variant>> {
    let place = source.display().to_string();
    let is_object = source.extension().is_some_and(|ending| ending == "o");
    let keys = if is_object { HeadKeys::default() } else { head_keys::parse(&read_text(source)?, &place)? };
    let Some(requirements) = resolve_claims(&keys.requires, arch, source, reference)? else {
        return Ok(None);
    };
    let variant = assemble(hotpath, arch, source, name, keys);
    Ok(Some(Variant { requirements, reference, ..variant }))
}

/// A variant that claims its target's baseline.
fn assemble(hotpath: &Arc<HotPath>, arch: Arch, source: &Path, name: &str, keys: HeadKeys) -> Variant {
    Variant {
        hotpath: hotpath.clone(),
        name: name.to_owned(),
        arch,
        source: source.to_path_buf(),
        keys,
        requirements: vec![baseline(arch)],
        needs: Vec::new(),
        reference: false,
        foreign: false,
        given_flags: Vec::new(),
        defect: None,
    }
}

fn baseline(arch: Arch) -> &'static Requirement {
    let target = Target::of(arch);
    target.requirement(target.baseline).expect("a test holds that the baseline exists")
}

/// The claims as the target's rows. A variant in `generic` is not for an architecture that has nothing of the name; a
/// reference, which is one file for all of them, makes such a claim for the others.
fn resolve_claims(
    names: &[String],
    arch: Arch,
    source: &Path,
    reference: bool,
) -> Result<Option<Vec<&'static Requirement>>> {
    let target = Target::of(arch);
    let generic = source.parent().is_some_and(|folder| file_name(folder) == "generic");
    let mut claimed = Vec::new();
    for name in names {
        match (name.as_str(), target.requirement(name)) {
            ("64-bit", _) if arch.word_bits() == 64 => {}
            ("64-bit", _) => return Ok(None),
            (_, Some(requirement)) => claimed.push(requirement),
            _ if reference && known_anywhere(name) => {}
            _ if generic && known_anywhere(name) => return Ok(None),
            _ => {
                return Err(Problem::new(format!("{arch} has nothing called '{name}' to require"))
                    .at(source.display())
                    .remedy(format!("known here: {} 64-bit", target.requirement_names())))
            }
        }
    }
    if claimed.is_empty() {
        claimed.push(baseline(arch));
    }
    let rank =
        |requirement: &&Requirement| target.requirements.iter().position(|r| r.name == requirement.name);
    claimed.sort_by_key(rank);
    claimed.dedup_by_key(|requirement| requirement.name);
    Ok(Some(claimed))
}

fn needed_remedy(name: &str, sources: &[(String, PathBuf)]) -> String {
    if sources.iter().any(|(one, _)| one == name) {
        return "name one that this architecture can run, or none, in assay-needs".to_owned();
    }
    let known: Vec<&str> = sources.iter().map(|(one, _)| one.as_str()).collect();
    format!("assay-needs names one of the variants beside it: {}", known.join(" "))
}

fn resolve_needs(variant: &Variant, sources: &[(String, PathBuf)]) -> Result<Vec<Need>> {
    let mut needs = Vec::new();
    for name in &variant.keys.needs {
        let missing = || {
            Problem::new(format!(
                "needs the variant '{name}', which {} has not on {}",
                variant.hotpath.name, variant.arch
            ))
            .at(variant.source.display())
            .remedy(needed_remedy(name, sources))
        };
        let source = sources.iter().find(|(one, _)| one == name);
        let source = source.map(|(_, path)| path).ok_or_else(missing)?;
        let needed =
            variant_from(&variant.hotpath, variant.arch, source, name, false)?.ok_or_else(missing)?;
        needs.push(Need {
            name: name.clone(),
            source: source.clone(),
            claims: needed.requirements,
            cflags: needed.keys.cflags,
        });
    }
    Ok(needs)
}

/// Whether a file's name is that of a variant's source or object.
pub fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ["c", "S", "s", "o"].iter().any(|known| ending == *known))
}

/// The hot paths that a user's word names: one by its own name, all widths of one by the folder's, or all of a library by the
/// library's.
pub fn named<'a>(hotpaths: &'a [Arc<HotPath>], word: &str) -> Result<Vec<&'a Arc<HotPath>>> {
    let is_named = |hotpath: &HotPath| {
        hotpath.name == word || hotpath.library == word || file_name(&hotpath.folder) == word
    };
    let matching: Vec<_> = hotpaths.iter().filter(|hotpath| is_named(hotpath)).collect();
    if matching.is_empty() && word.ends_with(".trace") {
        return Err(Problem::new("is a recorded trace, and variants of a hot path are wanted here")
            .at(word)
            .remedy("./assay count, predict, explain, hot and compare take traces"));
    }
    if matching.is_empty() && Path::new(word).is_file() {
        return Err(Problem::new("is a file, and the hot path that it is judged as stands before it")
            .at(word)
            .remedy("name that first, as in: csum_partial FILE; ./assay list shows the hot paths"));
    }
    let split = word.split_once('/').filter(|_| matching.is_empty() && is_source(Path::new(word)));
    if let Some((hotpath, file)) = split.filter(|(first, _)| hotpaths.iter().any(|one| one.name == *first)) {
        return Err(Problem::new("a file of your own stands behind its hot path, with a blank between")
            .at(word)
            .remedy(format!("write: {hotpath} {file}")));
    }
    if matching.is_empty() && (word.starts_with(['.', '/']) || is_source(Path::new(word))) {
        return Err(Problem::new("there is no such file").at(word).remedy(
            "see that the path is right, and name the hot path before it, as in: csum_partial FILE; ./assay list shows the hot paths",
        ));
    }
    if matching.is_empty() {
        let mut known: Vec<&str> =
            hotpaths.iter().flat_map(|h| [h.library.as_str(), h.name.as_str()]).collect();
        known.sort_unstable();
        known.dedup();
        return Err(Problem::new(format!("no library and no hot path is called '{word}'"))
            .remedy(format!("known: {}", known.join(" "))));
    }
    Ok(matching)
}
