// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The output of libs/vdso's test program as findings, records and tables.

use super::wrong;
use arch::Arch;
use lab::{Problem, Result};
use report::{Integer, Report, Table, Text, Tone};
use serde::Serialize;

/// One exported symbol. Kind `vdso_export`.
#[derive(Clone, Debug, Serialize)]
pub struct Export {
    kind: &'static str,
    arch: &'static str,
    /// `ours` or `kernel`.
    image: String,
    soname: String,
    symbol: String,
    version: String,
    size_bytes: u64,
    weak: bool,
    assay_version: &'static str,
}

/// One call and clock of one image under one check. Kind `check`.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    kind: &'static str,
    library: &'static str,
    /// `verify`, `abi`, `torture`, `hostile`, `reader`.
    check: String,
    /// `ours`, `kernel` or `system call`.
    image: String,
    call: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    clock: String,
    arch: &'static str,
    engine: String,
    pub ok: bool,
    cases_count: u64,
    /// How far a time was outside of what the system calls around it allow; only of `verify`.
    #[serde(skip_serializing_if = "Option::is_none")]
    worst_ns: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<String>,
    assay_version: &'static str,
}

/// One run of the program.
pub struct Run {
    pub exports: Vec<Export>,
    pub findings: Vec<Finding>,
    /// Slices of the bench: call, clock, who, picoseconds a call.
    pub slices: Vec<(String, String, String, f64)>,
    failures: Vec<String>,
    skips: Vec<String>,
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
}

impl Run {
    /// A run that ended without printing its counts.
    pub fn broken(arch: Arch, engine: &str, check: &str, how: &str) -> Run {
        let mut finding = Finding::new(check, "ours", "all", "", arch, engine);
        finding.details = Some(how.to_owned());
        Run {
            exports: Vec::new(),
            findings: vec![finding],
            slices: Vec::new(),
            failures: vec![how.to_owned()],
            skips: Vec::new(),
            passed: 0,
            failed: 1,
            skipped: 0,
        }
    }

    /// Its findings.
    pub fn records(&self) -> impl Iterator<Item = Finding> + '_ {
        self.findings.iter().cloned()
    }

    /// Prints failures and skips on stderr.
    pub fn tell_failures(&self) {
        let arch = self.findings.first().map_or("", |finding| finding.arch);
        for failure in &self.failures {
            eprintln!("WRONG  {arch}: {failure}");
        }
        for skip in &self.skips {
            eprintln!("skip   {arch}: {skip}");
        }
    }
}

impl Finding {
    fn new(check: &str, image: &str, call: &str, clock: &str, arch: Arch, engine: &str) -> Finding {
        Finding {
            kind: "check",
            library: "vdso",
            check: check.to_owned(),
            image: image.to_owned(),
            call: call.to_owned(),
            clock: clock.to_owned(),
            arch: arch.name(),
            engine: engine.to_owned(),
            ok: false,
            cases_count: 0,
            worst_ns: None,
            details: None,
            assay_version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// Reads the lines that libs/vdso/tests/main.c prints.
pub fn parse(text: &str, arch: Arch, engine: &str) -> Result<Run> {
    let mut run = Run::broken(arch, engine, "", "");
    run.findings.clear();
    run.failures.clear();
    let bad = |line: &str| Problem::new(format!("vdso-test printed a line that it should not: '{line}'"));
    let mut counted = false;
    for line in text.lines() {
        if counted {
            return Err(bad(line));
        }
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |text: &str| text.parse::<u64>().map_err(|_| bad(line));
        let finding = |check: &str, image: &str, call: &str, clock: &str| {
            Finding::new(check, image, call, clock, arch, engine)
        };
        match fields[..] {
            ["export", image, soname, symbol, version, bytes, bind] => run.exports.push(Export {
                kind: "vdso_export",
                arch: arch.name(),
                image: image.to_owned(),
                soname: soname.to_owned(),
                symbol: symbol.to_owned(),
                version: version.to_owned(),
                size_bytes: number(bytes)?,
                weak: bind == "weak",
                assay_version: env!("CARGO_PKG_VERSION"),
            }),
            ["verify", image, call, clock, verdict, count, worst] => {
                let mut one = finding("verify", image, call, clock);
                one.ok = verdict == "ok";
                one.cases_count = number(count)?;
                one.worst_ns = Some(worst.parse().map_err(|_| bad(line))?);
                run.findings.push(one);
            }
            ["abi", image, call, clock, verdict, count, right] => {
                let mut one = finding("abi", image, call, clock);
                one.ok = verdict != "FAILED";
                one.cases_count = number(count)?;
                if verdict == "told" {
                    one.details =
                        Some(format!("{right} as the kernel answers; the emulator's own system call"));
                }
                run.findings.push(one);
            }
            ["torture", commits, reads, torn, backward, fallbacks, worst, milliseconds, mean, median, most] =>
            {
                let mut one = finding("torture", "ours", "all", "");
                one.ok = number(torn)? == 0 && number(backward)? == 0;
                one.cases_count = number(reads)?;
                one.details = Some(format!(
                    "{commits} commits in {milliseconds} ms, in one phase back to back, else mean interval {:.1} us, median {:.1}, \
                     99 % within {:.1}; {torn} torn, \
                     {backward} backward (worst {worst} ns), {fallbacks} answered by the system call",
                    number(mean)? as f64 / 1000.0,
                    number(median)? as f64 / 1000.0,
                    number(most)? as f64 / 1000.0,
                ));
                run.findings.push(one);
            }
            ["hostile", pages, slowest] => {
                let mut one = finding("hostile", "ours", "all", "");
                one.ok = true;
                one.cases_count = number(pages)?;
                one.details = Some(format!("all calls took {} us at most", number(slowest)? / 1000));
                run.findings.push(one);
            }
            ["reader", what, verdict, count] => {
                let mut one = finding("reader", "ours", what, "");
                one.ok = verdict == "ok";
                one.cases_count = number(count)?;
                run.findings.push(one);
            }
            ["bench", call, clock, who, picoseconds] => {
                let picoseconds = number(picoseconds)? as f64;
                run.slices.push((call.to_owned(), clock.to_owned(), who.to_owned(), picoseconds));
            }
            [one] if one.starts_with("FAILED ") || one.starts_with("torn: ") => {
                run.failures.push(one.trim_start_matches("FAILED ").to_owned());
            }
            [one] if one.starts_with("skipped: ") => run.skips.push(one["skipped: ".len()..].to_owned()),
            [one] => {
                let counts = counts(one).ok_or_else(|| bad(line))?;
                (run.passed, run.failed, run.skipped) = counts;
                counted = true;
            }
            _ => return Err(bad(line)),
        }
    }
    // The `hostile` line carries no verdict; it follows from the number of failures.
    for finding in run.findings.iter_mut().filter(|finding| finding.check == "hostile") {
        finding.ok = run.failed == 0;
    }
    match counted {
        true => Ok(run),
        false => Err(Problem::new("vdso-test ended without its counts").at(format!("the vDSO on {arch}"))),
    }
}

/// Reads `21 passed, 0 failed, 2 skipped`.
fn counts(line: &str) -> Option<(usize, usize, usize)> {
    let mut words = line.split([' ', ',']).filter(|word| !word.is_empty());
    let mut count = |name: &str| -> Option<usize> {
        let number = words.next()?.parse().ok()?;
        (words.next()? == name).then_some(number)
    };
    Some((count("passed")?, count("failed")?, count("skipped")?))
}

/// The table of one check.
pub fn report(check: &str, runs: &[Run]) -> Report {
    let mut table = Table::new(&format!("vDSO: {check}"), method(check));
    let arch = table.text_column("arch");
    let image = table.text_column("image");
    let call = table.text_column("call");
    let clock = table.text_column("clock");
    let cases = table.integer_column("cases", "");
    let verdict = table.text_column("");
    let details = table.text_column("details");
    for finding in runs.iter().flat_map(|run| &run.findings) {
        let row = table.row();
        table.set(row, arch, finding.arch).set(row, image, finding.image.as_str());
        table.set(row, call, finding.call.as_str()).set(row, clock, finding.clock.as_str());
        table.set(row, cases, Integer(finding.cases_count));
        let (text, tone) = if finding.ok { ("ok", Tone::Good) } else { ("WRONG", Tone::Bad) };
        table.set(row, verdict, Text { text: text.to_owned(), tone });
        let worst = finding.worst_ns.filter(|worst| *worst != 0).map(|worst| format!("off by {worst} ns"));
        if let Some(text) = finding.details.clone().or(worst) {
            table.set(row, details, text.as_str());
        }
    }
    let mut report = Report::new("vDSO");
    let section = report.section("");
    section.table(table);
    for finding in runs.iter().flat_map(|run| wrong(&run.findings)) {
        section.paragraph(&format!("{} {} on {} is wrong", finding.call, finding.clock, finding.arch));
    }
    report
}

fn method(check: &str) -> &'static str {
    match check {
        "verify" => {
            "system call, image, system call, by turns; `off by` is beyond what the two system calls enclose, and within what \
             the page says of itself"
        }
        "abi" => "each case in a process of its own; EFAULT or EINVAL, or from the image SIGSEGV, as vdsotest has it",
        "torture" => "three reading processes and a writer on this machine's processors",
        "hostile" => "pages that no writer wrote; any time that is normalised is right, in bounded time and without a signal",
        _ => "a counter that the test moves; results against exact integers",
    }
}

/// The table of exported symbols.
pub fn exports(exports: &[Export]) -> Report {
    let mut table = Table::new(
        "What the images export",
        "read by libs/vdso's own loader from the mapped image; readelf shows the same",
    );
    let arch = table.text_column("arch");
    let image = table.text_column("image");
    let soname = table.text_column("soname");
    let symbol = table.text_column("symbol");
    let version = table.text_column("version");
    let bytes = table.integer_column("size", "bytes");
    let bind = table.text_column("");
    for export in exports {
        let row = table.row();
        table.set(row, arch, export.arch).set(row, image, export.image.as_str());
        table.set(row, soname, export.soname.as_str()).set(row, symbol, export.symbol.as_str());
        table.set(row, version, export.version.as_str()).set(row, bytes, Integer(export.size_bytes));
        table.set(row, bind, if export.weak { "weak" } else { "" });
    }
    let mut report = Report::new("vDSO images");
    report.section("").table(table);
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_and_rubbish_is_refused() {
        let text = "verify\tours\tclock_gettime\tmonotonic\tok\t20\t-3\nskipped: why\nFAILED what\n3 passed, 1 failed, 1 skipped\n";
        let run = parse(text, Arch::X86_64, "native").unwrap();
        assert_eq!((run.passed, run.failed, run.skipped), (3, 1, 1));
        assert_eq!(run.findings[0].worst_ns, Some(-3));
        assert!(run.findings[0].ok);
        for text in [
            "",
            "hello\n",
            "verify\ta\n",
            "1 passed, 0 failed, 0 skipped\nmore\n",
            "export\ta\tb\tc\td\tx\tweak\n",
        ] {
            assert!(parse(text, Arch::X86_64, "native").is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_hostile_page_that_broke_something_is_no_success() {
        let run =
            parse("hostile\t5\t1000\nFAILED x\n4 passed, 1 failed, 0 skipped\n", Arch::Powerpc, "q").unwrap();
        assert!(!run.findings[0].ok);
    }
}
