// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Errors planted in the fast engine, at least one a mechanism: the oracle has to find each.

use super::program::Program;
use super::{leaps, Bench, Verdict};
use crate::core::planted::{plant, Fault};
use std::collections::BTreeMap;

const POWER: &[&str] = &["power7", "power8", "power9", "power10"];
const GROUPED: &[&str] = &["power7", "power8"];
const SLICED: &[&str] = &["power9", "power10"];
const WIDE: &[&str] = &["la464", "golden_cove"];
const IN_ORDER: &[&str] = &["e300c2", "mpc885"];
const ANY: &[&str] = &["power9", "la664", "golden_cove"];

/// Each with cpus on which it shows.
const FAULTS: &[(Fault, &[&str])] = &[
    (Fault::SimpleLate, ANY),
    (Fault::SimpleLoadLate, ANY),
    (Fault::BranchLate, ANY),
    (Fault::PairStoreLate, ANY),
    (Fault::PairLoadLate, &["golden_cove"]),
    (Fault::GeneralLate, POWER),
    (Fault::PipeFreedEarly, ANY),
    (Fault::SpanLonger, WIDE),
    (Fault::FirstOfEquals, &["golden_cove"]),
    (Fault::WaitsLonger, &["golden_cove"]),
    (Fault::WrittenTwice, &["golden_cove"]),
    (Fault::PipeTurnForgotten, GROUPED),
    (Fault::HalfTurnForgotten, GROUPED),
    (Fault::HalvesNear, GROUPED),
    (Fault::PortFree, SLICED),
    (Fault::LoadPortFree, SLICED),
    (Fault::DebtForgotten, SLICED),
    (Fault::WrongGranule, ANY),
    (Fault::HiddenForgotten, &["power8", "golden_cove", "la664"]),
    (Fault::DrainsAtOnce, POWER),
    (Fault::StoreQueueLonger, IN_ORDER),
    (Fault::CompletesMore, POWER),
    (Fault::WindowLonger, POWER),
    (Fault::RingLonger, IN_ORDER),
    (Fault::QueueFreedEarly, POWER),
    (Fault::BlockLonger, WIDE),
    (Fault::BufferLonger, WIDE),
    (Fault::OverruledFree, &["golden_cove"]),
    (Fault::RestAtOnce, &["zen5"]),
    (Fault::SecondAlone, &["zen5"]),
    (Fault::EntryShared, &["zen5"]),
    (Fault::LinesApart, &["zen5"]),
    (Fault::SpillForgotten, &["golden_cove", "zen3"]),
    (Fault::GroupWider, GROUPED),
    (Fault::OtherSlice, SLICED),
    (Fault::BypassForgotten, ANY),
    (Fault::ManyForgotten, POWER),
    (Fault::CrossingForgotten, ANY),
    (Fault::FlushedAgain, &["power8", "power9"]),
    (Fault::UseForgotten, ANY),
    (Fault::MissQueueFree, &["mpc885", "power7"]),
    (Fault::PrefetchShort, POWER),
    (Fault::InOrderCompletesMore, IN_ORDER),
    (Fault::ConditionForgotten, &["mpc885"]),
    (Fault::FoldForgotten, &["e300c2"]),
    (Fault::StepForgotten, ANY),
];

/// Programs tried for each.
const PROGRAMS: u64 = 400;

#[test]
fn every_planted_fault_is_found() {
    let mut benches: BTreeMap<&str, Bench> = BTreeMap::new();
    let mut unseen = Vec::new();
    for &(fault, cpus) in FAULTS {
        let mut found = None;
        for seed in 0..PROGRAMS {
            for &cpu in cpus {
                let bench = benches.entry(cpu).or_insert_with(|| Bench::new(cpu));
                let program = Program::new(&bench.pool, seed, 300);
                plant(Some(fault));
                let verdict = bench.compare(&program);
                plant(None);
                if matches!(verdict, Verdict::Differs(_)) {
                    found = found.or(Some((cpu, seed)));
                }
            }
            if found.is_some() {
                break;
            }
        }
        println!("{fault:?}: {found:?}");
        if found.is_none() {
            unseen.push(fault);
        }
    }
    assert_eq!(unseen, [], "not found in {PROGRAMS} programs");
}

#[test]
fn a_window_forgotten_in_a_leap_is_found() {
    let bench = Bench::new("golden_cove");
    let worst = |fault| {
        plant(fault);
        let worst = (0..6).filter_map(|seed| leaps(&bench, seed)).max_by(f64::total_cmp);
        plant(None);
        worst.expect("a loop that settles")
    };
    assert!(worst(Some(Fault::WindowForgotten)) > super::LEAP, "{}", worst(Some(Fault::WindowForgotten)));
    assert!(worst(None) <= super::LEAP, "{}", worst(None));
}
