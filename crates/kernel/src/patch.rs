// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A patch in unified form, bare, in a mail or in several: which files it touches, and its application to a tree.
//!
//! patch(1) does the work, first as a dry run, so that a patch that does not apply leaves the tree unchanged. Its lines may
//! stand elsewhere by now, as for git am, but all of the context has to be there: what is judged is what is sent.

use crate::mail;
use crate::source::Source;
use lab::build::{digest, digest_of_bytes};
use lab::cache::read_short;
use lab::process::{Command, Output};
use lab::toolchain::require_program;
use lab::{Problem, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The text of a patch while it is applied, at the top of the tree.
const TEXT: &str = "assay.patch";
/// How patch(1) names a file before it speaks of its hunks.
const LISTED: [&str; 2] = ["checking file", "patching file"];

/// One file of patches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Its path.
    pub path: PathBuf,
    /// The files that it changes, creates or removes, relative to the tree's top.
    pub touched: BTreeSet<PathBuf>,
    /// What is applied of it, one after the other: bytes, which need not be UTF-8, of when it was read, since the file may
    /// change before a build gets to it.
    diffs: Vec<Vec<u8>>,
}

impl Patch {
    /// Reads a patch.
    pub fn read(path: &Path) -> Result<Patch> {
        let content = read_short(path)?;
        if let Some((encoding, line)) = mail::encoded(&content) {
            return Err(Problem::new(format!("the mail is sent as {encoding}, so its lines are not the patch's"))
                .at(format!("{}:{line}", path.display()))
                .remedy("decode it, as `git mailinfo MESSAGE PATCH < MAIL` does, or as your mail reader saves attachments"));
        }
        let diffs = mail::diffs(&content);
        let touched = touched(&String::from_utf8_lossy(&diffs.concat()))
            .map_err(|problem| problem.at(path.display()))?;
        Ok(Patch { path: path.to_path_buf(), touched, diffs })
    }

    /// Reads the patches of a folder, in the order of their names; a cover letter is no patch. Two versions of a series in
    /// one folder are refused: one is left from before it was made anew.
    pub fn series(folder: &Path) -> Result<Vec<Patch>> {
        let entries = fs::read_dir(folder).map_err(|error| Problem::io("read the series", folder, &error))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        paths.retain(|path| {
            let name = name(path);
            name.ends_with(".patch") && numbered(&name).is_none_or(|(_, rest)| !rest.starts_with("0000-"))
        });
        paths.sort();
        let names: Vec<String> = paths.iter().map(name).collect();
        let mut versions = names.iter().filter_map(|name| Some((name, numbered(name)?.0)));
        if let Some((first, version)) = versions.next() {
            if let Some((other, _)) = versions.find(|(_, another)| *another != version) {
                return Err(Problem::new(format!("holds two versions of a series: {first} and {other}"))
                    .at(folder.display())
                    .remedy("leave one of them there, or name the patches one by one: --patch FILE"));
            }
        }
        if paths.is_empty() {
            return Err(Problem::new("holds no patch")
                .at(folder.display())
                .remedy("name a folder of *.patch"));
        }
        paths.iter().map(|path| Patch::read(path)).collect()
    }

    /// Applies it to a tree whose files are hard links into another tree: the files that it touches are replaced by
    /// copies first. Returns a note on each of its diffs whose lines stand elsewhere by now.
    fn apply(&self, tree: &Path, version: &str) -> Result<Vec<String>> {
        self.diffs.iter().filter_map(|diff| self.apply_diff(diff, tree, version).transpose()).collect()
    }

    fn apply_diff(&self, diff: &[u8], tree: &Path, version: &str) -> Result<Option<String>> {
        let text = tree.join(TEXT);
        // What is there is a link to a file of the user's, which must not be written to.
        let _ = fs::remove_file(&text);
        fs::write(&text, diff).map_err(|error| Problem::io("write the patch", &text, &error))?;
        let patch = |arguments: &[&str]| -> Result<Output> {
            Command::new(require_program("patch", "patch")?)
                .args(["-p1", "--batch", "--forward", "--no-backup-if-mismatch", "-r", "-"])
                .args(arguments)
                .args(["-i", TEXT])
                .folder(tree)
                .run()
        };
        let tried = patch(&["--fuzz=0", "--dry-run"])?;
        if !tried.success() {
            let loosely = patch(&["--fuzz=2", "--dry-run"])?;
            let why = match loosely.success() {
                true => {
                    let hunks = hunks(&loosely, " with fuzz ").join("; ");
                    format!("applies to {version} only with fuzz, which git am refuses: {hunks}")
                }
                false => format!("does not apply to {version}: {}", complaints(&tried)),
            };
            return Err(Problem::new(why)
                .at(self.path.display())
                .remedy("rebase it on this version, or name its own tree: --source FOLDER"));
        }
        for path in &self.touched {
            own(&tree.join(path))?;
        }
        let applied = patch(&["--fuzz=0"])?;
        if !applied.success() {
            // The dry run does not see the changes of earlier parts of the same diff.
            return Err(Problem::new(format!("applies in part only: {}", complaints(&applied)))
                .at(self.path.display())
                .remedy("see that it changes no place twice, or make it anew with git format-patch"));
        }
        fs::remove_file(&text).map_err(|error| Problem::io("remove the patch", &text, &error))?;
        let moved = hunks(&applied, " succeeded at ");
        Ok(moved.first().map(|first| {
            format!(
                "{}: applies to {version} at other lines than it names (hunks: {}): {first}",
                self.path.display(),
                moved.len()
            )
        }))
    }
}

/// What tells a list of patches from another.
pub(crate) fn digest_of(patches: &[Patch]) -> String {
    let diffs = patches.iter().flat_map(|patch| &patch.diffs);
    let digests: Vec<String> = diffs.map(|diff| digest_of_bytes(&[diff])).collect();
    digest(&digests.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Applies patches to copies of the files that they touch alone, in a new folder. Returns a note on each diff whose lines
/// stand elsewhere by now.
pub(crate) fn try_out(source: &Source, patches: &[Patch], folder: &Path) -> Result<Vec<String>> {
    fs::create_dir_all(folder).map_err(|error| Problem::io("make the folder", folder, &error))?;
    for path in patches.iter().flat_map(|patch| &patch.touched) {
        let (from, to) = (source.folder.join(path), folder.join(path));
        if from.is_file() {
            let failed = |error: std::io::Error| Problem::io("copy the file to be patched", &from, &error);
            fs::create_dir_all(to.parent().unwrap_or(folder)).map_err(failed)?;
            fs::copy(&from, &to).map_err(failed)?;
        }
    }
    let notes: Vec<Vec<String>> =
        patches.iter().map(|patch| patch.apply(folder, &source.version)).collect::<Result<_>>()?;
    Ok(notes.concat())
}

/// Makes a tree of hard links to the source, with the patched files as copies.
pub(crate) fn patched_tree(source: &Source, patches: &[Patch], tree: &Path) -> Result<()> {
    source.link_to(tree)?;
    patches.iter().try_for_each(|patch| patch.apply(tree, &source.version).map(drop))
}

/// What patch(1) says of hunks in words such as these, each with its file.
fn hunks(output: &Output, words: &str) -> Vec<String> {
    let mut file = "";
    let mut found = Vec::new();
    for line in output.stdout.lines() {
        match LISTED.iter().find_map(|listed| line.strip_prefix(listed)) {
            Some(name) => file = name.trim(),
            None if line.contains(words) => found.push(format!("{file}: {}", line.trim_end_matches('.'))),
            None => {}
        }
    }
    found
}

/// The messages of patch(1) in one line, without its list of files. It reports failed hunks on one stream and malformed
/// patches on the other.
fn complaints(output: &Output) -> String {
    let lines = output.stdout.lines().chain(output.stderr.lines()).map(str::trim);
    let listed = |line: &str| LISTED.iter().any(|word| line.starts_with(word));
    lines.filter(|line| !line.is_empty() && !listed(line)).collect::<Vec<_>>().join("; ")
}

/// Replaces a file that may be a hard link by a copy.
pub(crate) fn own(path: &Path) -> Result<()> {
    if !path.is_file() {
        return Ok(());
    }
    let failed = |error: std::io::Error| Problem::io("copy the file to be patched", path, &error);
    let content = fs::read(path).map_err(failed)?;
    let permissions = fs::metadata(path).map_err(failed)?.permissions();
    fs::remove_file(path).map_err(failed)?;
    fs::write(path, content).map_err(failed)?;
    fs::set_permissions(path, permissions).map_err(failed)
}

/// The version of a series in a name that git format-patch gives, and the name without it: `v2-0001-a.patch` is of
/// version 2, `0001-a.patch` of the first.
fn numbered(name: &str) -> Option<(&str, &str)> {
    let (version, rest) = name.strip_prefix('v').and_then(|name| name.split_once('-')).unwrap_or(("1", name));
    let (number, _) = rest.split_once('-')?;
    (number.len() >= 4 && number.bytes().all(|byte| byte.is_ascii_digit())).then_some((version, rest))
}

/// The files that the headers name: `--- a/FILE` and `+++ b/FILE`, and git's own, which is all that a renamed file, an
/// empty one and another mode have.
fn touched(text: &str) -> Result<BTreeSet<PathBuf>> {
    let lines: Vec<&str> = text.lines().collect();
    let of_git = lines.iter().filter_map(|line| line.strip_prefix("diff --git ")?.split_once(' '));
    let of_diff = lines.windows(2).filter_map(|pair| {
        let (old, new) = (pair[0].strip_prefix("--- ")?, pair[1].strip_prefix("+++ ")?);
        Some((name_of(old), name_of(new)))
    });
    let names = of_git.chain(of_diff).flat_map(|(old, new)| [old, new]);
    // The other side of a new or removed file.
    let names = names.filter(|name| *name != "/dev/null");
    let found: BTreeSet<PathBuf> = names.map(below_the_top).collect::<Result<_>>()?;
    match found.is_empty() {
        true => Err(Problem::new("is no patch: it has no '--- a/FILE' with '+++ b/FILE' beneath")
            .remedy("make it with git format-patch or diff -u")),
        false => Ok(found),
    }
}

/// The name in what follows `--- ` or `+++ `: a timestamp may stand behind it, after a tab.
fn name_of(rest: &str) -> &str {
    rest.split('\t').next().unwrap_or_default().trim_end()
}

/// A name without its first folder, refused where it would leave the tree.
fn below_the_top(name: &str) -> Result<PathBuf> {
    let path = Path::new(name);
    let below: PathBuf = path.components().skip(1).collect();
    let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    match inside && below.components().count() > 0 {
        true => Ok(below),
        false => Err(Problem::new(format!("names the file '{name}', which is in no kernel tree"))
            .remedy("make it with git format-patch, whose names begin with a/ and b/")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_and_none_leaves_the_tree() {
        let text =
            "From: x\n---\n a | 2\n\n--- a/lib/checksum.c\t2024\n+++ b/lib/checksum.c\n@@ -1 +1 @@\n-a\n+b\n\
                    --- /dev/null\n+++ b/new/file.c\n@@ -0,0 +1 @@\n+b\n";
        let found: Vec<String> =
            touched(text).unwrap().iter().map(|path| path.display().to_string()).collect();
        assert_eq!(found, ["lib/checksum.c", "new/file.c"]);
        let renamed =
            "diff --git a/lib/a.c b/lib/b.c\nsimilarity index 100%\nrename from lib/a.c\nrename to lib/b.c\n";
        assert_eq!(touched(renamed).unwrap(), ["lib/a.c", "lib/b.c"].map(PathBuf::from).into());
        for name in ["a/../../etc/passwd", "/etc/passwd", "a"] {
            assert!(touched(&format!("--- {name}\n+++ {name}\n")).is_err(), "{name}");
        }
        assert!(touched("just a mail\n").unwrap_err().to_string().contains("no patch"));
    }

    #[test]
    fn a_series_made_anew_has_its_cover_letter_and_is_not_mixed_with_an_older_one() {
        let folder = std::env::temp_dir().join(format!("assay-series-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let add = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
        add("v2-0000-cover-letter.patch", "just a mail\n");
        for name in ["v2-0001-a.patch", "v2-0002-b.patch", "on-top.patch"] {
            add(name, "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n");
        }
        let series = || Patch::series(&folder);
        let names: Vec<String> =
            series().unwrap().iter().map(|patch| patch.path.display().to_string()).collect();
        assert_eq!(names.len(), 3);
        assert!(names[1].ends_with("v2-0001-a.patch") && names[2].ends_with("v2-0002-b.patch"), "{names:?}");
        add("0002-b.patch", "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n");
        let refused = series().unwrap_err().to_string();
        fs::remove_dir_all(&folder).unwrap();
        assert!(refused.contains("two versions of a series: 0002-b.patch and v2-0001-a.patch"), "{refused}");
    }
}
