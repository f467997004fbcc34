// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Errors planted in the fast engine, at least one a mechanism: the oracle has to find each.

use super::program::Program;
use super::{leaps, Bench, Machine, Verdict};
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
    (Fault::OlderInTheWay, GROUPED),
    (Fault::AlsoForgotten, &["llvm:znver4"]),
    (Fault::SpanLonger, WIDE),
    (Fault::SlotsForgotten, &["golden_cove"]),
    (Fault::TogetherForgotten, &["golden_cove"]),
    (Fault::OneOperationQueued, &["golden_cove"]),
    (Fault::WaitingSeenAtOnce, &["golden_cove"]),
    (Fault::BindingForgotten, &["zen4"]),
    (Fault::UsedAgain, &["zen4"]),
    (Fault::BindingLonger, &["zen4"]),
    (Fault::AddressUnbound, &["zen4"]),
    (Fault::AcceptsMore, &["zen4"]),
    (Fault::WaitingFreedEarly, &["zen4"]),
    (Fault::WaitsLonger, &["golden_cove"]),
    (Fault::WrittenTwice, &["golden_cove"]),
    (Fault::PipeTurnForgotten, GROUPED),
    (Fault::HalfTurnForgotten, GROUPED),
    (Fault::HalvesNear, GROUPED),
    (Fault::PortFree, SLICED),
    (Fault::LoadPortFree, SLICED),
    (Fault::PortWithoutPipe, &["power9"]),
    (Fault::DebtForgotten, SLICED),
    (Fault::ResultLost, SLICED),
    (Fault::WrongGranule, ANY),
    (Fault::HiddenForgotten, &["power8", "golden_cove", "la664"]),
    (Fault::DrainsAtOnce, POWER),
    (Fault::StoreQueueLonger, IN_ORDER),
    (Fault::ForwardedEarly, SLICED),
    (Fault::AddedAtOnce, &["passing:redwood_cove"]),
    (Fault::TriedOnce, &["passing:redwood_cove"]),
    (Fault::SoonForgotten, &["passing:redwood_cove"]),
    (Fault::BeginsAnywhere, &["passing:redwood_cove", "redwood_cove"]),
    (Fault::StoredEarly, &["redwood_cove"]),
    (Fault::RenamedWhole, &["zen4"]),
    (Fault::AliasHides, &["power8"]),
    (Fault::RenamedUnlearned, &["zen5"]),
    (Fault::MissesForgiven, &["zen5"]),
    (Fault::NamesUnseen, &["passing:zen5"]),
    (Fault::ReachesFurther, &["zen5"]),
    (Fault::AddressAwaited, &["zen3", "zen5"]),
    (Fault::EntryFreedAtIssue, &["zen5"]),
    (Fault::CompletesMore, POWER),
    (Fault::WindowLonger, POWER),
    (Fault::RingLonger, IN_ORDER),
    (Fault::PoolsApart, &["power8"]),
    (Fault::QueueFreedEarly, POWER),
    (Fault::BlockLonger, WIDE),
    (Fault::BufferLonger, WIDE),
    (Fault::OverruledFree, &["golden_cove"]),
    (Fault::ReplaysLonger, &["redwood_cove"]),
    (Fault::ReplaysOn, &["redwood_cove"]),
    (Fault::ReplaysMoreLines, &["redwood_cove"]),
    (Fault::ReplaysAtOnce, &["redwood_cove"]),
    (Fault::ExitFree, &["redwood_cove"]),
    (Fault::LinesAlike, &["redwood_cove"]),
    (Fault::CopiesJoined, &["redwood_cove"]),
    (Fault::CallsJoined, &["redwood_cove"]),
    (Fault::ReplaysNew, &["redwood_cove"]),
    (Fault::RestAtOnce, &["zen5"]),
    (Fault::SecondAlone, &["zen5"]),
    (Fault::EntryShared, &["zen5"]),
    (Fault::LongShares, &["zen5"]),
    (Fault::BranchStarts, &["zen4"]),
    (Fault::BlockAlone, &["zen4"]),
    (Fault::ConstantsFree, &["zen3"]),
    (Fault::LinesApart, &["zen5"]),
    (Fault::RunForgotten, &["zen4"]),
    (Fault::LaneForgotten, &["zen5"]),
    (Fault::SlotForgotten, &["zen4"]),
    (Fault::PipesForgotten, &["zen5"]),
    (Fault::SchedulerTurnForgotten, &["zen4"]),
    (Fault::ModifiedFree, &["zen3"]),
    (Fault::SpillForgotten, &["golden_cove", "zen3"]),
    (Fault::GroupWider, GROUPED),
    (Fault::OtherSlice, SLICED),
    (Fault::BypassForgotten, ANY),
    (Fault::ManyForgotten, POWER),
    (Fault::CopyForgotten, &["renaming:redwood_cove"]),
    (Fault::DecodedFaster, &["redwood_cove"]),
    (Fault::NeverLater, &["redwood_cove"]),
    (Fault::CountedOnce, &["renaming:redwood_cove"]),
    (Fault::CrossingForgotten, ANY),
    (Fault::FlushedAgain, &["power8", "power9"]),
    (Fault::StoreForgotten, &["zen4"]),
    (Fault::WaitsAsRun, &["redwood_cove"]),
    (Fault::WaitsNoLonger, &["zen5"]),
    (Fault::WordForgotten, &["redwood_cove"]),
    (Fault::MetForgotten, &["redwood_cove"]),
    (Fault::LateFree, &["redwood_cove"]),
    (Fault::BanksFree, &["redwood_cove"]),
    (Fault::WriteBackFree, &["small:redwood_cove"]),
    (Fault::UseForgotten, ANY),
    (Fault::MissQueueFree, &["mpc885", "power7"]),
    (Fault::FillFree, &["zen4"]),
    (Fault::PrefetchShort, POWER),
    (Fault::NearForgotten, &["small:redwood_cove"]),
    (Fault::PrefetchAtOnce, &["small:redwood_cove"]),
    (Fault::PrefetchLost, POWER),
    (Fault::ClaimsUnbounded, POWER),
    (Fault::ClaimFree, POWER),
    (Fault::ClaimedApart, POWER),
    (Fault::InOrderCompletesMore, IN_ORDER),
    (Fault::CompletesTogether, &["e300c2"]),
    (Fault::FoldedCompletes, &["e300c2"]),
    (Fault::ConditionForgotten, &["mpc885"]),
    (Fault::FoldForgotten, &["e300c2"]),
    (Fault::RegistersUnseen, IN_ORDER),
    (Fault::TargetGuessed, IN_ORDER),
    (Fault::StepForgotten, ANY),
];

/// Programs tried for each.
const PROGRAMS: u64 = 400;

/// A cpu, and what the oracle tells of programs on it: no fault is planted there, so that each is asked of it once.
struct Told {
    bench: Bench,
    programs: Vec<(Program, Box<dyn Machine>)>,
}

impl Told {
    fn new(cpu: &str) -> Told {
        Told { bench: Bench::new(cpu), programs: Vec::new() }
    }

    /// Whether the oracle differs from the fast engine with the fault in it, on the program of that seed. Seeds are asked in order.
    fn finds(&mut self, fault: Fault, seed: u64) -> bool {
        if self.programs.len() as u64 == seed {
            let program = Program::new(&self.bench.pool, seed, 300);
            let machine = self.bench.slowly(&program);
            self.programs.push((program, machine));
        }
        let (program, machine) = &self.programs[seed as usize];
        plant(Some(fault));
        let verdict = self.bench.compare_with(&**machine, program);
        plant(None);
        matches!(verdict, Verdict::Differs(_))
    }
}

#[test]
fn every_planted_fault_is_found() {
    let mut told: BTreeMap<&str, Told> = BTreeMap::new();
    let mut unseen = Vec::new();
    for &(fault, cpus) in FAULTS {
        let mut finds = |cpu, seed| {
            told.entry(cpu).or_insert_with(|| Told::new(cpu)).finds(fault, seed).then_some((cpu, seed))
        };
        let found = (0..PROGRAMS).find_map(|seed| cpus.iter().find_map(|cpu| finds(cpu, seed)));
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
