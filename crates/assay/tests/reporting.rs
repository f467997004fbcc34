// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Reports for a patch: how they were made, before and after in percent, tables that fit, and raw samples.

mod common;

use common::{native, Lab};
use std::path::Path;
use std::process::Command;

#[test]
fn a_report_for_a_mail_tells_how_it_was_made_and_what_changed() {
    let lab = Lab::shared();
    let line = "report csum_partial -a powerpc64le -v uint64,uint128 --case size=40 -c power9 --format mail --against uint64";
    let told = lab.line(line).ends(0, &["Made on 20", "by Assay 0.", "./assay report csum_partial"]).stdout;
    for part in [
        "Compiler: clang 19",
        "powerpc64le (uint64): ",
        "-Ilibs/checksum",
        "-mcpu=",
        "Before and after",
        "uint128",
    ] {
        assert!(told.contains(part), "'{part}' is missing in {told}");
    }
    let row = told.lines().find(|line| line.contains("uint128") && line.contains("..")).expect("a change");
    assert!(row.contains("power9") || told.contains("power9"), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 72), "{told}");
    // The variant to compare with has to exist.
    lab.line(&line.replace("--against uint64", "--against nosuch")).ends(2, &["nosuch"]);
}

#[test]
fn a_report_for_programs_has_all_its_records_with_the_samples() {
    let lab = Lab::shared();
    let line = format!(
        "report csum_partial -a {} -v uint64,uint128 --case size=40 --processes 3 --json -o records",
        native()
    );
    lab.line(&line).ends(0, &["wrote records"]);
    let text = std::fs::read_to_string(lab.folder.join("records")).unwrap();
    let records: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| records.iter().filter(|one| one["kind"] == kind).collect::<Vec<_>>();
    assert_eq!((of("check").len(), of("count").len(), of("measurement").len()), (2, 2, 2), "{text}");
    assert!(!of("compare").is_empty(), "{text}");
    for one in of("measurement") {
        assert_eq!(one["process_ns"].as_array().map(Vec::len), Some(3), "{one}");
    }
    lab.line(&format!("{line} --format mail")).refused(&["--json", "--format mail"]);
}

#[test]
fn a_report_tells_why_it_has_no_verdict() {
    let lab = Lab::shared();
    let line = format!(
        "report csum_partial -a {} -v uint64,uint128 --case size=40 --processes 3 -f markdown",
        native()
    );
    let told = lab.line(&line).ends(0, &["Before and after, on this machine"]).stdout;
    assert!(told.contains("| none: a 95 % interval needs 10 processes or more, not 3"), "{told}");
}

#[test]
fn a_row_of_several_hot_paths_says_which_it_is_of() {
    let lab = Lab::shared();
    let of = "checksum -v each_carry,fold_once --case chain=1 --processes 3";
    let archs = if native() == "powerpc" { "powerpc".to_owned() } else { format!("powerpc,{}", native()) };
    let told = lab.line(&format!("report {of} -a {archs} -c mpc885")).ends(0, &[]).stdout;
    let (tables, how) = told.split_once("\nHow\n").expect("it tells how it was made");
    let rows = |text: &str| -> Vec<String> {
        let named = |line: &&str| line.trim_start().rsplit('/').next().unwrap().contains("each_carry ");
        text.lines().filter(named).map(str::to_owned).collect()
    };
    let nameless = |rows: &[String]| rows.iter().any(|row| !row.contains("csum"));
    assert!(rows(tables).len() >= 8 && !nameless(&rows(tables)), "{told}");
    for heading in
        ["Before and after\n", "Before and after, on this machine\n", "Per call, in steady state\n"]
    {
        let table = tables.split(heading).nth(1).unwrap_or_else(|| panic!("no {heading} in {told}"));
        assert!(table.split("Method").next().unwrap().contains("csum_replace2/"), "{heading}{table}");
    }
    assert!(how.contains("powerpc (csum_replace2/each_carry, csum_replace2/fold_once): "), "{told}");
    let told = lab.line(&format!("measure {of}")).ends(0, &[]).stdout;
    assert!(!rows(&told).is_empty() && !nameless(&rows(&told)), "{told}");
}

#[test]
fn what_qemu_cannot_count_is_reported_as_it_was_checked_and_measured() {
    let lab = Lab::shared();
    let line = "report csum_partial/avx512 -a x86_64 --case size=40 --processes 3 -f mail";
    let listed = lab.line("list csum_partial/avx512 -a x86_64").ends(0, &["avx512"]).stdout;
    if !listed.contains("this machine only") {
        eprintln!("skipped: this machine has no AVX-512, or its QEMU has it");
        return;
    }
    let ran = lab.line(line).ends(0, &["skipped 1: csum_partial/avx512 on x86_64"]);
    for part in ["right", "Compiler: clang 19", "Measured"] {
        assert!(ran.stdout.contains(part), "'{part}' is missing in {ran:#?}");
    }
    assert!(!ran.stdout.contains("Per call, in steady state"), "an empty table: {ran:#?}");
}

#[test]
fn no_name_breaks_inside_a_word_on_a_narrow_terminal() {
    let lab = Lab::shared();
    let line = "predict csum_partial -a powerpc64le -v uint64,uint128 -c power9 --case size=40,offset=1";
    for columns in ["60", "45"] {
        let mut command = lab.command();
        command.env("COLUMNS", columns).args(line.split_whitespace());
        let told = common::finish(&mut command).stdout;
        let width: usize = columns.parse().unwrap();
        assert!(told.lines().all(|line| line.chars().count() <= width), "{told}");
        let whole = |name: &str| told.split_whitespace().any(|word| word.trim_end_matches(',') == name);
        assert!(whole("uint128") && whole("power9") && whole("powerpc64le"), "{columns}: {told}");
    }
}

#[test]
fn figures_of_documents_do_not_depend_on_who_rewrites_them() {
    let lab = Lab::shared();
    let command = "./assay count csum_partial -a powerpc64le -v uint64,uint128 --case size=40,offset=1";
    let empty = format!("<!-- figures exact: {command} -->\n<!-- end of figures -->\n");
    let document = lab.folder.join("document.md");
    let blessed = |set: &[(&str, &str)]| {
        std::fs::write(&document, &empty).unwrap();
        let mut command = lab.command();
        command.envs(set.iter().copied()).args(["bless", "docs"]).arg(&document);
        common::finish(&mut command).ends(0, &["1 changed"]);
        std::fs::read_to_string(&document).unwrap()
    };
    let usual = blessed(&[]);
    assert!(usual.contains("uint128") && usual.lines().any(|line| line.len() > 70), "{usual}");
    for set in [
        [("COLUMNS", "50"), ("NO_COLOR", "1")],
        [("COLUMNS", "300"), ("CLICOLOR_FORCE", "1")],
        [("LC_ALL", "tr_TR.UTF-8"), ("TERM", "dumb")],
    ] {
        assert_eq!(blessed(&set), usual, "with {set:?}");
    }
}

#[test]
fn the_samples_of_a_measurement_are_in_its_record() {
    let lab = Lab::shared();
    let line = format!("measure csum_partial -a {} -v uint64 --case size=40 --processes 4 --json", native());
    let records = lab.line(&line).ends(0, &[]).records("measurement");
    let samples = records[0]["process_ns"].as_array().expect("they are there");
    assert!(samples.len() == 4 && samples.iter().all(|ns| ns.as_f64().unwrap() > 0.0), "{}", records[0]);
}

#[test]
fn a_variant_against_itself_counts_what_is_false() {
    let lab = Lab::shared();
    let line =
        format!("compare csum_partial/uint64 -a {} --case size=40 --null 3 --processes 10 --json", native());
    let ran = lab.line(&line);
    let records = ran.records("compare_null");
    let number = |key: &str| records[0][key].as_u64().unwrap();
    assert!(number("comparisons") == 3 && number("false_verdicts") + number("without_interval") <= 3);
    let interval = &records[0]["false_interval_percent"];
    let has_failed = interval[0].as_f64().is_none_or(|low| low > 5.0);
    assert_eq!(ran.status, Some(i32::from(has_failed)), "{ran:?}");
    let judged = 3 - number("without_interval");
    assert_eq!(
        interval[1].as_f64().is_some_and(|high| high > 5.0),
        judged > 0,
        "three are no proof: {ran:?}"
    );
    lab.line("compare csum_partial --null 3 --against uint64").ends(2, &["--null", "--against"]);
}

/// Runs git in a repository with no configuration but the one given here.
fn git(repository: &Path, words: &[&str]) -> String {
    let mut git = Command::new("git");
    git.current_dir(repository)
        .args(words)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{role}_NAME"), "A Tester")
            .env(format!("GIT_{role}_EMAIL"), "tester@example.org");
    }
    common::finish(&mut git).ends(0, &[]).stdout
}

#[test]
fn a_report_on_files_with_hostile_names_is_the_same_text_after_git_am() {
    let lab = Lab::shared();
    // Text that has a meaning for git or mail programs at the beginning of a line.
    let names = [
        "---.c",
        "diff --git a.c",
        "From me Mon Sep 17.c",
        "Index: x.c",
        "#.c",
        "[PATCH] x.c",
        "-- .c",
        "Signed-off-by: x.c",
        ">From x.c",
    ];
    let mut words = vec!["report".to_owned(), "csum_partial".to_owned()];
    for name in names {
        lab.write(name, common::GOOD);
        words.push(format!("./{name}"));
    }
    words.extend(
        "-a powerpc64le -v uint64 --case size=40 -c power8 --format mail -o report"
            .split(' ')
            .map(str::to_owned),
    );
    lab.assay(&words).ends(0, &["wrote report"]);
    let report = std::fs::read_to_string(lab.folder.join("report")).unwrap();
    let shown = |name: &&str| report.contains(name.trim_end_matches(".c"));
    assert!(names.iter().all(shown), "{report}");
    let (from, to) = (lab.folder.join("from"), lab.folder.join("to"));
    for repository in [&from, &to] {
        std::fs::create_dir_all(repository).unwrap();
        git(repository, &["init", "-q", "-b", "main"]);
        std::fs::write(repository.join("file"), "one\n").unwrap();
        git(repository, &["add", "file"]);
        git(repository, &["commit", "-q", "-m", "base"]);
    }
    std::fs::write(from.join("file"), "two\n").unwrap();
    let trailer = "Signed-off-by: A Tester <tester@example.org>\n";
    lab.write("message", format!("csum: make it faster\n\n{report}\n{trailer}"));
    git(&from, &["commit", "-q", "-a", "--cleanup=strip", "-F", "../message"]);
    git(&from, &["format-patch", "-q", "-1", "-o", ".."]);
    for scissors in ["--scissors", "--no-scissors"] {
        git(&to, &["am", "-q", scissors, "../0001-csum-make-it-faster.patch"]);
        let message = git(&to, &["log", "-1", "--format=%B"]);
        assert_eq!(message.trim_end(), format!("csum: make it faster\n\n{report}\n{trailer}").trim_end());
        assert_eq!(std::fs::read_to_string(to.join("file")).unwrap(), "two\n");
        git(&to, &["reset", "-q", "--hard", "HEAD~1"]);
    }
}
