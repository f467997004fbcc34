// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A mail report put into a commit message, sent as a patch and applied again, is still the same text.

mod sample;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("assay-report-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs git with no configuration but what is given here.
fn git(folder: &Path, arguments: &[&str], input: Option<&Path>) -> String {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{role}_NAME"), "A Tester")
            .env(format!("GIT_{role}_EMAIL"), "tester@example.org");
        command.env(format!("GIT_{role}_DATE"), "1700000000 +0000");
    }
    command.stdin(input.map_or(Stdio::null(), |path| std::fs::File::open(path).unwrap().into()));
    let output = command.output().expect("this test needs git");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "git {arguments:?}: {stdout}{stderr}");
    stdout.into_owned()
}

#[test]
fn a_mail_report_comes_through_git_am_as_it_was() {
    let folder = Folder::new("am");
    let (from, to) = (folder.0.join("from"), folder.0.join("to"));
    let text = report::mail(&sample::report());
    for repository in [&from, &to] {
        std::fs::create_dir_all(repository).unwrap();
        git(repository, &["init", "-q", "-b", "main"], None);
        std::fs::write(repository.join("file"), "one\n").unwrap();
        git(repository, &["add", "file"], None);
        git(repository, &["commit", "-q", "-m", "base"], None);
    }
    std::fs::write(from.join("file"), "two\n").unwrap();
    let message = folder.0.join("message");
    std::fs::write(
        &message,
        format!("csum: make it faster\n\n{text}\nSigned-off-by: A Tester <tester@example.org>\n"),
    )
    .unwrap();
    // The strictest clean-up is an editor's: it drops lines that begin with '#'.
    git(&from, &["commit", "-q", "-a", "--cleanup=strip", "-F", message.to_str().unwrap()], None);
    git(&from, &["format-patch", "-q", "-1", "-o", folder.0.to_str().unwrap()], None);
    let patch = folder.0.join("0001-csum-make-it-faster.patch");

    let (body, rest) = (folder.0.join("body"), folder.0.join("rest"));
    let info = git(&from, &["mailinfo", body.to_str().unwrap(), rest.to_str().unwrap()], Some(&patch));
    assert!(info.contains("Subject: csum: make it faster"), "{info}");
    let body = std::fs::read_to_string(body).unwrap();
    assert_eq!(body.strip_suffix("\nSigned-off-by: A Tester <tester@example.org>\n"), Some(text.as_str()));

    git(&to, &["am", "-q", "--scissors", patch.to_str().unwrap()], None);
    let message = git(&to, &["log", "-1", "--format=%B"], None);
    let applied = message
        .strip_prefix("csum: make it faster\n\n")
        .and_then(|message| message.split_once("\nSigned-off-by"));
    assert_eq!(applied.map(|(text, _)| text), Some(text.as_str()));
    assert_eq!(std::fs::read_to_string(to.join("file")).unwrap(), "two\n");
}
