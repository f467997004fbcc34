// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `study 2014-micro-partition-prefetch` from end to end, on one of its scenarios: programs are recorded, virtual cores
//! run in turn, figures come out.

mod common;

use common::{checkout_with, finish, root, Lab};
use serde_json::Value;
use std::fs;

fn records(lab: &Lab, scenario: &str) -> Vec<Value> {
    let ran = lab.line(&format!("study 2014-micro-partition-prefetch --scenario {scenario} --json"));
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    ran.records("study_engine")
}

fn number(record: &Value, name: &str) -> f64 {
    record[name].as_f64().unwrap_or_else(|| panic!("{name} in {record}"))
}

/// Three writers whose blocks fit into the second-level cache have nothing to restore, with the engine as meant and as
/// posted.
#[test]
fn memory_writers_gain_nothing() {
    let records = records(&Lab::shared(), "three");
    assert_eq!(records.len(), 5, "one scenario, and four rates: {records:?}");
    for record in &records {
        assert!(number(record, "predicted_percent").abs() < 0.5, "{record}");
    }
    assert_eq!(number(&records[0], "as_posted_percent"), 0.0, "{}", records[0]);
}

#[test]
fn a_scenario_that_is_none_is_told_with_those_there_are() {
    let ran = Lab::shared().line("study 2014-micro-partition-prefetch --scenario nonsense");
    assert_eq!(ran.status, Some(2), "{ran:#?}");
}

/// A slice of no time gave gains of NaN percent, and a judgement of them; instructions of no time gave no end.
#[test]
fn times_that_are_none_are_refused() {
    let lab = Lab::shared();
    let checkout = checkout_with(&lab, "power/power8.toml", str::to_owned);
    fs::remove_file(checkout.join("studies")).unwrap();
    for folder in ["engine", "differences"] {
        fs::create_dir_all(checkout.join("studies").join(folder)).unwrap();
    }
    let study = fs::read_to_string(root().join("studies/engine/2014-micro-partition-prefetch.toml")).unwrap();
    for (key, value, wrong) in [
        ("clock_mhz", "4000", "nan"),
        ("slice_us", "1000", "0"),
        ("exit_to_entry_us", "12", "-12"),
        ("cycles_per_instruction", "0.5", "0.0"),
    ] {
        let odd = study.replace(&format!("\n{key} = {value}\n"), &format!("\n{key} = {wrong}\n"));
        assert_ne!(odd, study);
        fs::write(checkout.join("studies/engine/odd.toml"), odd).unwrap();
        let mut command = lab.command();
        command.args(["study", "odd", "--scenario", "three"]).env("ASSAY_ROOT", &checkout);
        finish(&mut command).refused(&[key, "odd.toml"]);
    }
}
