// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Reads the case files of libs/ebpf/tests (their README says what the lines mean).

use std::path::Path;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// r0 on little-endian and on big-endian machines.
    Result(u64, u64),
    /// Part of the verifier's message.
    Refused(String),
    /// Part of a run-time check's message.
    Stopped(String),
}

#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub text: String,
    pub memory: String,
    pub options: Vec<String>,
    pub expectation: Expectation,
}

#[derive(Default)]
struct Draft {
    name: String,
    template: bool,
    text: Vec<String>,
    memory: String,
    options: String,
    expectation: Option<Expectation>,
}

fn number(word: &str) -> u64 {
    let parsed = match word.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => word.parse(),
    };
    parsed.unwrap_or_else(|_| panic!("`{word}` is not a number"))
}

/// `RESULT` or `RESULT big RESULT`.
fn result(words: &str) -> Expectation {
    match words.split_whitespace().collect::<Vec<_>>()[..] {
        [both] => Expectation::Result(number(both), number(both)),
        [little, "big", big] => Expectation::Result(number(little), number(big)),
        _ => panic!("`{words}` is not a result"),
    }
}

impl Draft {
    fn case(&self, name: String, values: &[String], row_result: Option<Expectation>) -> Case {
        let fill = |text: &str| {
            let mut text = text.to_owned();
            for (index, value) in values.iter().enumerate() {
                text = text.replace(&format!("${}", index + 1), value);
            }
            assert!(!text.contains('$'), "case {name}: a row has too few values");
            text
        };
        let own = self.expectation.clone().map(|expectation| match expectation {
            Expectation::Refused(text) => Expectation::Refused(fill(&text)),
            Expectation::Stopped(text) => Expectation::Stopped(fill(&text)),
            result => result,
        });
        let expectation = row_result.or(own).unwrap_or_else(|| panic!("case {name} expects nothing"));
        let options = fill(&self.options).split_whitespace().map(str::to_owned).collect();
        let text = self.text.iter().map(|line| fill(line)).collect::<Vec<_>>().join("\n");
        Case { name, text, memory: self.memory.clone(), options, expectation }
    }

    fn finish(&mut self, cases: &mut Vec<Case>) {
        if !self.name.is_empty() && !self.template {
            cases.push(self.case(self.name.clone(), &[], None));
        }
        *self = Draft::default();
    }

    /// `row VALUE... [-> RESULT]`; an underscore in a value stands for a blank.
    fn row(&self, words: &str) -> Case {
        let (values, expectation) = match words.split_once("->") {
            Some((values, expectation)) => (values, Some(result(expectation))),
            None => (words, None),
        };
        let values: Vec<String> = values.split_whitespace().map(|value| value.replace('_', " ")).collect();
        // Some names in the assembly syntax have underscores of their own.
        let values: Vec<String> = values.into_iter().map(restore_names).collect();
        self.case(format!("{} {}", self.name, values.join(", ")), &values, expectation)
    }
}

fn restore_names(value: String) -> String {
    let names = [
        "map by fd",
        "map val by fd",
        "var addr",
        "code addr",
        "map by idx",
        "map val by idx",
        "xchg 64",
        "atomic fetch add",
    ];
    names.iter().fold(value, |value, name| value.replace(name, &name.replace(' ', "_")))
}

pub fn read(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut cases = Vec::new();
    let mut draft = Draft::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "case" | "template" => {
                draft.finish(&mut cases);
                draft.name = rest.to_owned();
                draft.template = word == "template";
            }
            "row" => cases.push(draft.row(rest)),
            "memory" => draft.memory = rest.to_owned(),
            "options" => draft.options = rest.to_owned(),
            "result" => draft.expectation = Some(result(rest)),
            "refused" => draft.expectation = Some(Expectation::Refused(rest.to_owned())),
            "stopped" => draft.expectation = Some(Expectation::Stopped(rest.to_owned())),
            _ => draft.text.push(line.to_owned()),
        }
    }
    draft.finish(&mut cases);
    cases
}

/// All case files, in order of name.
pub fn read_all(folder: &Path) -> Vec<Case> {
    let mut files: Vec<_> = folder
        .read_dir()
        .expect("the folder of cases")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bpf"))
        .collect();
    files.sort();
    files.iter().flat_map(|file| read(file)).collect()
}
