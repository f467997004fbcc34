// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The output of regcheck as findings, records and a table.

use super::library::Library;
use arch::Arch;
use lab::{Problem, Result};
use report::{Report, Table, Text, Tone};
use serde::Serialize;
use std::collections::BTreeMap;

/// Classes of registers, as the programs name them, in the order of the table.
const CLASSES: [&str; 5] = ["gpr", "cr", "fpr", "vector", "control"];

/// One class of registers over one switch.
#[derive(Clone, Debug, Default)]
struct Class {
    registers: usize,
    lost: Vec<String>,
}

/// The result for one switch.
#[derive(Clone, Debug)]
enum Verdict {
    Checked(BTreeMap<String, Class>),
    Skipped(String),
    Crashed(String),
}

/// One policy of one library on one machine.
#[derive(Clone, Debug)]
pub struct Finding {
    library: String,
    policy: String,
    version: Option<String>,
    arch: Arch,
    engine: String,
    verdict: Verdict,
}

/// A finding as records: one per class of registers, or a single one if the switch was skipped or crashed.
#[derive(Serialize)]
pub struct CheckRecord {
    kind: &'static str,
    library: String,
    policy: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    arch: &'static str,
    engine: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ok: Option<bool>,
    registers_count: usize,
    lost: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    assay_version: &'static str,
}

impl Finding {
    /// A library for which there is no program to run.
    pub fn skip(library: &str, arch: Arch, reason: &str) -> Finding {
        Finding::without_engine(library, arch, "", Verdict::Skipped(reason.to_owned()))
    }

    /// A program that ended without a verdict.
    pub fn crash(library: &str, arch: Arch, engine: &str, how: &str) -> Finding {
        Finding::without_engine(library, arch, engine, Verdict::Crashed(how.to_owned()))
    }

    fn without_engine(library: &str, arch: Arch, engine: &str, verdict: Verdict) -> Finding {
        let (library, engine) = (library.to_owned(), engine.to_owned());
        Finding { library, policy: String::new(), version: None, arch, engine, verdict }
    }

    /// Whether it is of our own switch.
    pub fn is_ours(&self) -> bool {
        self.library == Library::ContextSwitch.name()
    }

    /// Whether no register was lost.
    pub fn keeps_all(&self) -> bool {
        matches!(&self.verdict, Verdict::Checked(classes) if classes.values().all(|class| class.lost.is_empty()))
    }

    /// Whether a register was lost, or the program crashed.
    pub fn loses(&self) -> bool {
        !self.keeps_all() && self.skipped().is_none()
    }

    /// Why it was not run, if it was not.
    pub fn skipped(&self) -> Option<&str> {
        match &self.verdict {
            Verdict::Skipped(reason) => Some(reason),
            _ => None,
        }
    }

    /// Whether regcheck has to catch it because it is known to lose registers: Boost's on powerpc64le.
    pub fn must_be_caught(&self) -> bool {
        self.library == Library::BoostContext.name() && self.arch == Arch::Powerpc64le
    }

    /// Whether every register of a class was lost.
    pub fn loses_all(&self, class: &str) -> bool {
        let Verdict::Checked(classes) = &self.verdict else { return false };
        classes.get(class).is_some_and(|class| class.registers > 0 && class.lost.len() == class.registers)
    }

    /// The machine, short: QEMU's `-cpu`, or `native`.
    fn cpu(&self) -> &str {
        self.engine.rsplit_once("-cpu ").map_or(self.engine.as_str(), |(_, cpu)| cpu)
    }

    /// One line: the switch, and what it loses.
    pub fn summary(&self) -> String {
        let notes = notes(self);
        match (self.skipped(), notes.is_empty()) {
            (Some(_), _) => format!("{} on {}", self.library, self.arch),
            (None, true) => {
                format!("{} {} on {}, {}: keeps all", self.library, self.policy, self.arch, self.engine)
            }
            (None, false) => notes.join("; "),
        }
    }

    /// Its records.
    pub fn records(&self) -> Vec<CheckRecord> {
        let record = |class: Option<&str>, ok, found: &Class, failure: Option<&String>| CheckRecord {
            kind: "check",
            library: self.library.clone(),
            policy: self.policy.clone(),
            version: self.version.clone(),
            arch: self.arch.name(),
            engine: self.engine.clone(),
            class: class.map(str::to_owned),
            ok,
            registers_count: found.registers,
            lost: found.lost.clone(),
            failure: failure.cloned(),
            assay_version: env!("CARGO_PKG_VERSION"),
        };
        match &self.verdict {
            Verdict::Checked(classes) => {
                let each = classes.iter();
                each.map(|(name, class)| record(Some(name), Some(class.lost.is_empty()), class, None))
                    .collect()
            }
            Verdict::Skipped(reason) => {
                vec![record(None, None, &Class::default(), Some(&format!("skipped: {reason}")))]
            }
            Verdict::Crashed(how) => vec![record(None, Some(false), &Class::default(), Some(how))],
        }
    }
}

/// Reads the lines that libs/vector_state/switch/regcheck/regcheck.c prints.
pub fn parse(text: &str, arch: Arch, engine: &str, version: Option<&str>) -> Result<Vec<Finding>> {
    let mut findings: Vec<Finding> = Vec::new();
    let Some(lines) = text.strip_suffix("end\n") else {
        return Err(Problem::new("regcheck ended before it had checked every switch")
            .remedy("an adapter must not end the program"));
    };
    for line in lines.lines() {
        let bad = || Problem::new(format!("regcheck printed a line that it should not: '{line}'"));
        let fields: Vec<&str> = line.split('\t').collect();
        let finding = |library: &str, policy: &str, verdict| Finding {
            library: library.to_owned(),
            policy: policy.to_owned(),
            version: version.map(str::to_owned),
            arch,
            engine: engine.to_owned(),
            verdict,
        };
        match fields[..] {
            ["skip", library, policy, reason] => {
                findings.push(finding(library, policy, Verdict::Skipped(reason.to_owned())));
            }
            ["missed", library, policy, arrivals, crossings] => {
                let who = format!("{library} {policy}");
                return Err(Problem::new(format!(
                    "{}: the switch did not reach the other side: {arrivals} of {crossings} crossings arrived there",
                    who.trim_end()
                ))
                .remedy("look where the adapter's there() and back() go, and what they return"));
            }
            ["check", library, policy, class, registers, lost_count, names] => {
                let registers = registers.parse().map_err(|_| bad())?;
                let lost: Vec<String> =
                    names.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
                if lost_count.parse() != Ok(lost.len()) {
                    return Err(bad());
                }
                let same =
                    findings.last().is_some_and(|last| last.library == library && last.policy == policy);
                if !same {
                    findings.push(finding(library, policy, Verdict::Checked(BTreeMap::new())));
                }
                if let Some(Verdict::Checked(classes)) = findings.last_mut().map(|last| &mut last.verdict) {
                    classes.insert(class.to_owned(), Class { registers, lost });
                }
            }
            _ => return Err(bad()),
        }
    }
    match findings.is_empty() {
        true => Err(Problem::new("regcheck checked no switch").remedy("the adapter lists none")),
        false => Ok(findings),
    }
}

/// The table of libraries, architectures and classes, and below it what was lost, by name.
pub fn report(findings: &[Finding]) -> Report {
    let mut table = Table::new(
        "Registers that a call preserves, and how many of them each switch keeps",
        "both sides of the switch fill every register with random values and their complement, cross it both ways and \
         compare; a vector register counts as two halves; control: rounding modes, exception enables and \
         the like; - where the ABI preserves none of a class",
    );
    let library = table.text_column("library");
    let policy = table.text_column("policy");
    let arch = table.text_column("arch");
    let cpu = table.text_column("cpu");
    let classes = CLASSES.map(|name| table.text_column(name));
    let verdict = table.text_column("");
    for finding in findings {
        let row = table.row();
        let name = match &finding.version {
            Some(version) => format!("{} {version}", finding.library),
            None => finding.library.clone(),
        };
        table.set(row, library, name).set(row, policy, finding.policy.as_str());
        table.set(row, arch, finding.arch.name()).set(row, cpu, finding.cpu());
        if let Verdict::Checked(found) = &finding.verdict {
            for (name, column) in CLASSES.iter().zip(classes) {
                if let Some(class) = found.get(*name) {
                    let kept = class.registers - class.lost.len();
                    let tone = if class.lost.is_empty() { Tone::Plain } else { Tone::Bad };
                    table.set(row, column, Text { text: format!("{kept}/{}", class.registers), tone });
                }
            }
        }
        let (text, tone) = match &finding.verdict {
            Verdict::Skipped(_) => ("skipped", Tone::Plain),
            Verdict::Crashed(_) => ("CRASHED", Tone::Bad),
            Verdict::Checked(_) if finding.keeps_all() => ("ok", Tone::Good),
            Verdict::Checked(_) => ("LOSES", Tone::Bad),
        };
        table.set(row, verdict, Text { text: text.to_owned(), tone });
    }
    let mut report = Report::new("What context switches keep");
    let section = report.section("");
    section.table(table);
    for finding in findings {
        for text in notes(finding) {
            section.paragraph(&text);
        }
    }
    report
}

fn notes(finding: &Finding) -> Vec<String> {
    let policy = if finding.policy.is_empty() { String::new() } else { format!(" ({})", finding.policy) };
    let who = format!("{}{policy} on {}", finding.library, finding.arch);
    match &finding.verdict {
        Verdict::Skipped(reason) => vec![format!("skipped: {who}: {reason}")],
        Verdict::Crashed(how) => vec![format!("{who}: {how}")],
        Verdict::Checked(classes) => classes
            .iter()
            .filter(|(_, class)| !class.lost.is_empty())
            .map(|(name, class)| format!("{who} loses {name}: {}", class.lost.join(" ")))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "check\tours\tfull\tgpr\t18\t0\t\ncheck\tours\tfull\tfpr\t18\t2\tf14,f31\n\
        skip\tours\tother\tno stack\nend\n";

    #[test]
    fn lines_of_one_switch_become_one_finding() {
        let findings = parse(GOOD, Arch::Powerpc64le, "native", Some("1.74")).unwrap();
        assert_eq!(findings.len(), 2);
        assert!(findings[0].loses() && !findings[0].keeps_all());
        assert_eq!(findings[1].skipped(), Some("no stack"));
        let records = findings[0].records();
        assert_eq!(records.len(), 2);
        assert_eq!(records[0].lost, ["f14", "f31"]);
        assert!(notes(&findings[0])[0].ends_with("loses fpr: f14 f31"));
    }

    #[test]
    fn what_regcheck_never_prints_is_refused() {
        for text in ["", "check\ta\tb\tgpr\t1\t1\t\n", "check\ta\tb\tgpr\tx\t0\t\n", "hello\n", "skip\ta\n"] {
            let text = format!("{text}end\n");
            assert!(parse(&text, Arch::X86_64, "", None).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_switch_that_goes_nowhere_and_a_program_that_stops_early_are_no_findings() {
        let refused = |text: &str| parse(text, Arch::X86_64, "", None).unwrap_err().to_string();
        let missed = refused("check\ta\tb\tgpr\t1\t0\t\nmissed\ta\tc\t3\t128\nend\n");
        assert!(missed.contains("a c: the switch did not reach the other side: 3 of 128"), "{missed}");
        for text in ["", "check\ta\tb\tgpr\t1\t0\t\n"] {
            assert!(refused(text).contains("before it had checked every switch"), "{text:?}");
        }
    }
}
