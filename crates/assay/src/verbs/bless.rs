// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `bless`: rewrites the figures in the documents, which are the output of commands.
//!
//! A document holds the output of a command between two lines, a marker and its end:
//!
//! ```text
//! <!-- figures exact: ./assay count csum_fold -a x86_64 -->
//! ...
//! <!-- end of figures -->
//! ```
//!
//! `exact` says that the output is the same on every machine and moves only when a change is meant to move it, so that
//! `test` can tell whether it is out of date. Figures without it, such as measurements, are not checked, only rewritten.

use crate::context::{Context, Outcome};
use lab::cache::read_text;
use lab::output::Output;
use lab::process::Command;
use lab::{Problem, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest command between markers: a whole validation.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(1800);
const MARKER: &str = "<!-- figures";
const MARKER_END: &str = " -->";
const END: &str = "<!-- end of figures -->";

/// Options of `bless`.
#[derive(clap::Args)]
pub struct Args {
    /// What is written anew
    #[arg(value_parser = ["docs"])]
    what: String,
    /// Only these documents (default: README.md and docs/*.md)
    files: Vec<PathBuf>,
    /// Only what is the same on every machine
    #[arg(long)]
    exact: bool,
}

/// One pair of markers.
#[derive(Debug, PartialEq, Eq)]
pub struct Figures {
    /// The marker's line, from 1.
    pub line: usize,
    /// Whether the output is the same everywhere.
    pub exact: bool,
    /// What prints them: `./assay` and arguments.
    pub command: String,
    /// The lines between the markers, from 0, without the markers.
    between: std::ops::Range<usize>,
}

/// Finds the pairs of a document. A malformed marker, or one without its end, is an error.
pub fn figures(text: &str, name: &str) -> Result<Vec<Figures>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let mut fenced = false;
    let mut index = 0;
    while let Some(line) = lines.get(index) {
        fenced ^= line.starts_with("```");
        let at = || format!("{name}:{}", index + 1);
        if let Some(rest) = line.strip_prefix(MARKER).filter(|_| !fenced) {
            let malformed = || {
                Problem::new("is no marker of figures")
                    .at(at())
                    .remedy("write  <!-- figures [exact]: ./assay ARGUMENTS -->")
            };
            let rest = rest.strip_suffix(MARKER_END).ok_or_else(malformed)?;
            let (kind, command) = rest.split_once(": ").ok_or_else(malformed)?;
            let exact = match kind {
                " exact" => true,
                "" => false,
                _ => return Err(malformed()),
            };
            if !command.starts_with("./assay ") {
                return Err(malformed());
            }
            let length = lines[index + 1..].iter().position(|line| *line == END).ok_or_else(|| {
                Problem::new("figures without their end")
                    .at(at())
                    .remedy(format!("close them by a line  {END}"))
            })?;
            let between = index + 1..index + 1 + length;
            index = between.end;
            found.push(Figures { line: between.start, exact, command: command.to_owned(), between });
        }
        index += 1;
    }
    Ok(found)
}

/// What stands between the markers.
pub fn shown<'a>(text: &'a str, figures: &Figures) -> Vec<&'a str> {
    text.lines().skip(figures.between.start).take(figures.between.len()).collect()
}

/// What should stand there: the command's output as a block of text.
pub fn printed(context: &Context, figures: &Figures) -> Result<Vec<String>> {
    let program = std::env::current_exe()
        .map_err(|error| Problem::io("find this program", Path::new("/proc/self/exe"), &error))?;
    let arguments = figures.command.split_whitespace().skip(1);
    let output = Command::new(program)
        .args(arguments)
        .folder(&context.workspace.root)
        // The width of somebody's terminal, colours and languages are none of a document's business.
        .bare_environment()
        .env("ASSAY_ROOT", &context.workspace.root)
        .env("ASSAY_CACHE", &context.workspace.cache)
        .timeout(COMMAND_TIMEOUT)
        .run()?;
    if !output.success() {
        return Err(Problem::new(format!("failed: {}", output.tail(5))).at(&figures.command));
    }
    let mut lines = vec!["```text".to_owned()];
    lines.extend(output.stdout.trim_end().lines().map(|line| line.trim_end().to_owned()));
    lines.push("```".to_owned());
    Ok(lines)
}

/// The text with the new figures of each pair in place of the old.
fn renewed(text: &str, all: &[(Figures, Vec<String>)]) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    for (figures, new) in all.iter().rev() {
        lines.splice(figures.between.clone(), new.iter().map(String::as_str));
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    debug_assert_eq!(args.what, "docs");
    let root = &context.workspace.root;
    let paths = if args.files.is_empty() { document_paths(root)? } else { args.files.clone() };
    let mut changed = 0;
    for path in paths {
        let text = read_text(&path)?;
        let name = context.workspace.display(&path).to_string();
        let mut all = Vec::new();
        for figures in figures(&text, &name)? {
            if args.exact && !figures.exact {
                continue;
            }
            eprintln!("{name}:{}  {}", figures.line, figures.command);
            let new = printed(context, &figures)?;
            if shown(&text, &figures) != new {
                println!("{name}:{}: new figures of {}", figures.line, figures.command);
                changed += 1;
            }
            all.push((figures, new));
        }
        let new = renewed(&text, &all);
        if new != text {
            Output::new(&path)?.write(new.as_bytes())?;
        }
    }
    let remedy = if changed == 0 { "" } else { "; git diff shows them" };
    println!("{changed} changed{remedy}");
    Ok(Outcome::Fine)
}

/// The documents whose commands and figures are checked.
pub fn document_paths(root: &Path) -> Result<Vec<PathBuf>> {
    let docs = root.join("docs");
    let entries = std::fs::read_dir(&docs).map_err(|error| Problem::io("read the folder", &docs, &error))?;
    let is_document = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "md");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_document).collect();
    paths.push(root.join("README.md"));
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\n<!-- figures exact: ./assay list -->\nold\n<!-- end of figures -->\nb\n\
        <!-- figures: ./assay measure x -->\n<!-- end of figures -->\n";

    #[test]
    fn figures_stand_between_their_markers() {
        let found = figures(TEXT, "doc").unwrap();
        let first = Figures { line: 2, exact: true, command: "./assay list".to_owned(), between: 2..3 };
        let second =
            Figures { line: 6, exact: false, command: "./assay measure x".to_owned(), between: 6..6 };
        assert_eq!(found, [first, second]);
        assert_eq!(shown(TEXT, &found[0]), ["old"]);
        let mut new =
            ["1\n2", "3"].map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).into_iter();
        let all: Vec<_> = found.into_iter().map(|figures| (figures, new.next().unwrap())).collect();
        let expected = "a\n<!-- figures exact: ./assay list -->\n1\n2\n<!-- end of figures -->\nb\n\
            <!-- figures: ./assay measure x -->\n3\n<!-- end of figures -->\n";
        assert_eq!(renewed(TEXT, &all), expected);
    }

    #[test]
    fn what_is_no_marker_is_refused_with_its_place() {
        for text in [
            "x\n<!-- figures exakt: ./assay list -->\n<!-- end of figures -->\n",
            "x\n<!-- figures exact: rm -rf / -->\n<!-- end of figures -->\n",
            "x\n<!-- figures exact ./assay list -->\n<!-- end of figures -->\n",
            "x\n<!-- figures: ./assay list\n<!-- end of figures -->\n",
            "x\n<!-- figures: ./assay list -->\ny\n",
        ] {
            let problem = figures(text, "doc").unwrap_err().to_string();
            assert!(problem.contains("doc:2"), "{problem}");
        }
        assert_eq!(figures("```text\n<!-- figures: shown -->\n```\n", "doc").unwrap(), []);
    }
}
