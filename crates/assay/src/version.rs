// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What `--version` says: the release and the commit of the checkout, from which a figure can be reproduced.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The commit that `git archive` writes into a source tarball, which has no history; in a checkout it is still the
/// placeholder.
const ARCHIVED: &str = include_str!("../../../.commit");

/// `0.1.0 (commit c44281a)`, followed by `, changed` if tracked files of the checkout have uncommitted changes.
pub fn text() -> String {
    let commit = checkout().and_then(|root| of_checkout(&root)).or_else(|| of_archive(ARCHIVED));
    let commit = commit
        .map_or("commit unknown: no checkout, no tarball of git's".to_owned(), |c| format!("commit {c}"));
    format!("{} ({commit})", env!("CARGO_PKG_VERSION"))
}

fn checkout() -> Option<PathBuf> {
    let named = std::env::var_os("ASSAY_ROOT").map(PathBuf::from);
    let root = named.or_else(|| lab::cache::Workspace::find().ok().map(|workspace| workspace.root))?;
    // A tarball unpacked inside another repository is not a checkout of that repository.
    root.join(".git").exists().then_some(root)
}

fn of_checkout(root: &Path) -> Option<String> {
    let git = |args: &[&str]| {
        // Git refuses another user's checkout, which root may be running.
        let mut command = Command::new("git");
        command.args(["-c", "safe.directory=*", "-C"]).arg(root).args(args);
        command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env("GIT_OPTIONAL_LOCKS", "0");
        let output = command.output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).filter(|commit| !commit.is_empty())?;
    let changes = git(&["status", "--porcelain", "--untracked-files=no"]).unwrap_or_default();
    Some(if changes.is_empty() { commit } else { format!("{commit}, changed") })
}

fn of_archive(text: &str) -> Option<String> {
    let commit = text.trim();
    (!commit.is_empty() && commit.chars().all(|c| c.is_ascii_hexdigit()))
        .then(|| commit[..12.min(commit.len())].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tarball_tells_its_commit_and_a_placeholder_none() {
        assert_eq!(of_archive("c44281a0123456789\n").as_deref(), Some("c44281a01234"));
        assert_eq!(of_archive("$Format:%H$\n"), None);
        assert_eq!(of_archive(""), None);
    }
}
