// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Judges the values of a case: each way against doing nothing, against its bound, and against what is expected.

use super::cases::{Case, Goal, Values};
use lab::{Problem, Result};
use serde::Serialize;
use stats::{compare, median, median_interval, Comparison, Interval, NoInterval, Sampling};

/// The seed of the bootstrap: the same values give the same interval everywhere.
const SEED: u64 = 2014;
/// The least speed that feedback and logging may leave.
const NO_LOSS: f64 = 0.97;
/// The share of the bound that is expected if the bound is at least `WORTH_IT`.
const SHARE: f64 = 0.8;
/// The share of the best plan's speed that is expected of feedback, the time to find that plan included.
const CHOICE: f64 = 0.9;
/// Ends the verdict on a share of the bound that is missed because `overlap` misses it, too.
const PREVENTS: &str = ", which prevents it";
/// A bound below this leaves little to gain.
const WORTH_IT: f64 = 1.2;

/// One way in one case. Kind `cache_log`.
#[derive(Serialize)]
pub struct BenchRecord {
    kind: &'static str,
    /// `slices`, `nothing-to-gain`, `coroutines`.
    pub part: String,
    /// The case, for people.
    pub case: String,
    /// How the task was switched.
    pub way: String,
    /// Nanoseconds a step (slices) or an activation (coroutines): the median of the processes.
    pub median_ns: f64,
    /// Its 95 % interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_ns: Option<[f64; 2]>,
    /// What it is compared with.
    pub against: String,
    /// Speed in times that of `against`, with its 95 % interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<[f64; 3]>,
    /// Speed in times that of the bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share_of_bound: Option<[f64; 3]>,
    /// What was expected and whether it holds; empty if nothing was expected.
    pub verdict: String,
    assay_version: &'static str,
}

impl BenchRecord {
    /// Whether a goal that is in reach was missed, by the whole interval.
    pub fn missed(&self) -> bool {
        let prevented = self.verdict.contains("out of reach") && self.verdict.ends_with(PREVENTS);
        self.verdict.contains("MISSED") && !prevented
    }
}

/// Judges every way of a case.
pub fn judge(case: &Case, values: &Values) -> Result<Vec<BenchRecord>> {
    let mut records = Vec::new();
    for way in values.keys() {
        let (name, suffix) = way
            .split_once(", ")
            .map_or((way.as_str(), String::new()), |(name, suffix)| (name, format!(", {suffix}")));
        let against = match name {
            "warm_note" => "warm".to_owned(),
            "unnoted" | "logging" => continue,
            _ if values.contains_key(&format!("unnoted{suffix}")) => format!("unnoted{suffix}"),
            _ => "nothing".to_owned(),
        };
        let speed = speed(values, &against, way)?;
        let bound = bound(values, &suffix)?;
        let share = speed_over(&values[&bound], &values[way]);
        let bound_speed = self::speed(values, &against, &bound)?;
        records.push(BenchRecord {
            kind: "cache_log",
            part: case.part.to_owned(),
            case: case.title.clone(),
            way: way.clone(),
            median_ns: median(&values[way]).unwrap_or(f64::NAN),
            interval_ns: median_interval(&values[way]).ok().map(|interval| [interval.low, interval.high]),
            speed: Some(triple(&speed)),
            share_of_bound: share.as_ref().ok().filter(|_| tries(name)).map(triple),
            verdict: match (name, case.goal) {
                ("feedback", Goal::Choice) => choice(values, &values[way]),
                ("adaptive", _) if !suffix.is_empty() => {
                    let ceiling = ceiling(values, &suffix, way, &against);
                    let ceiling = ceiling.filter(|of| of.ratio < bound_speed.ratio).unwrap_or(bound_speed);
                    verdict(case, name, &suffix, &speed, &share, &ceiling)
                        + &prevented(values, &suffix, &values[way], &share)
                }
                ("nothing", _) if case.part == "coroutines" => logging_by_pairs(values, &suffix),
                ("translate", _) => share_of_fetching(values, &suffix, &values[way]),
                _ => verdict(case, name, &suffix, &speed, &share, &bound_speed),
            },
            assay_version: env!("CARGO_PKG_VERSION"),
            against,
        });
    }
    Ok(records)
}

/// `overlap` waits for nothing, so a speed that it does not reach is as much out of reach as one beyond the bound. An
/// `overlap` slower than the judged way is no ceiling: the pages of its few coroutines, used again and again, are evicted
/// from the TLB by those looked ahead at.
fn ceiling(values: &Values, suffix: &str, way: &str, against: &str) -> Option<Comparison> {
    let overlap = values.get(&format!("overlap{suffix}"))?;
    let of_overlap = speed_over(overlap, &values[way]).ok()?;
    if of_overlap.interval.low > 1.0 {
        return None;
    }
    speed_over(&values[against], overlap).ok()
}

/// Feedback against the plan that turned out best for the case, and against doing nothing.
fn choice(values: &Values, own: &[f64]) -> String {
    let best = ["nothing", "restore", "follow", "recent", "few"]
        .into_iter()
        .filter_map(|name| Some((name, values.get(name)?)))
        .min_by(|(_, a), (_, b)| median(a).unwrap_or(f64::MAX).total_cmp(&median(b).unwrap_or(f64::MAX)));
    best.zip(values.get("nothing")).map_or(String::new(), |((name, of_best), nothing)| {
        let share = speed_over(of_best, own).map_or_else(not_judged, |share| {
            format!("{} ({:.2})", word(share.interval, CHOICE), share.ratio)
        });
        let no_loss = speed_over(nothing, own)
            .map_or_else(not_judged, |speed| word(speed.interval, NO_LOSS).to_owned());
        format!("{:.0} % of the best plan, {name}: {share}; at least {NO_LOSS}x: {no_loss}", CHOICE * 100.0)
    })
}

/// The cost of logging, from pairs of stretches within a process: drift between processes does not affect a pair.
fn logging_by_pairs(values: &Values, suffix: &str) -> String {
    values.get(&format!("logging{suffix}")).map_or(String::new(), |pairs| {
        let found = median_interval(pairs).map_or_else(not_judged, |interval| {
            format!("{} (by pairs {:.3} to {:.3})", word(interval, NO_LOSS), interval.low, interval.high)
        });
        format!("logging costs at most 3 %: {found}")
    })
}

/// The share of the time to fetch a coroutine's lines that is address translation.
fn share_of_fetching(values: &Values, suffix: &str, own: &[f64]) -> String {
    let share = values.get(&format!("fetch{suffix}")).and_then(|fetch| speed_over(own, fetch).ok());
    share.map_or(String::new(), |share| format!("{:.2} of what fetching takes", share.ratio))
}

/// If the share of the bound is not reached: how near the way is to `overlap`, the same look-ahead without waiting.
fn prevented(values: &Values, suffix: &str, own: &[f64], share: &Compared) -> String {
    if share.as_ref().map_or(true, |share| share.interval.low >= SHARE) {
        return String::new();
    }
    let of = values.get(&format!("overlap{suffix}")).and_then(|overlap| speed_over(overlap, own).ok());
    of.filter(|of| of.interval.low <= 1.0).map_or(String::new(), |of| {
        let [value, low, high] = triple(&of);
        let prevents = if low >= SHARE { PREVENTS } else { "" };
        format!("; {value:.2} [{low:.2}, {high:.2}] of overlap, where nothing is waited for{prevents}")
    })
}

/// The ways that try to be as fast as the bound.
fn tries(name: &str) -> bool {
    ["restore", "follow", "recent", "few", "feedback", "adaptive"].contains(&name)
        || name.starts_with("ahead")
        || name.starts_with("paced")
        || name.starts_with("lull")
}

/// The way that is the bound: `warm`, with nothing evicted; for coroutines the slower of `warm`, with all of it in the first
/// level, and `fetch`, what the memory can bring.
fn bound(values: &Values, suffix: &str) -> Result<String> {
    let candidates = ["warm", "fetch"].map(|name| format!("{name}{suffix}"));
    let slowest = candidates.into_iter().filter(|name| values.contains_key(name)).max_by(|a, b| {
        let of = |name: &String| median(&values[name]).unwrap_or(0.0);
        of(a).total_cmp(&of(b))
    });
    slowest.ok_or_else(|| Problem::new("the bench printed no bound"))
}

fn speed(values: &Values, against: &str, way: &str) -> Result<Comparison> {
    let of = |name: &str| {
        values.get(name).ok_or_else(|| Problem::new(format!("the bench printed nothing of '{name}'")))
    };
    let (base, own) = (of(against)?, of(way)?);
    if against == way {
        let one = Interval { low: 1.0, high: 1.0 };
        return Ok(Comparison { ratio: 1.0, interval: one, verdict: stats::Verdict::NoDifferenceShown });
    }
    compare(base, own, Sampling::Rounds, SEED)
        .map_err(|reason| Problem::new(format!("no interval for {way} against {against}: {reason}")))
}

/// Of two ways.
type Compared = Result<Comparison, NoInterval>;

fn speed_over(base: &[f64], own: &[f64]) -> Compared {
    compare(base, own, Sampling::Rounds, SEED)
}

/// In place of a word: a goal without an interval is neither held nor missed, and not forgotten.
fn not_judged(reason: NoInterval) -> String {
    format!("not judged, {reason}")
}

fn triple(comparison: &Comparison) -> [f64; 3] {
    [comparison.ratio, comparison.interval.low, comparison.interval.high]
}

fn word(interval: Interval, least: f64) -> &'static str {
    if interval.low >= least {
        "holds"
    } else if interval.high < least {
        "MISSED"
    } else {
        "not decided"
    }
}

fn verdict(
    case: &Case,
    name: &str,
    suffix: &str,
    speed: &Comparison,
    share: &Compared,
    bound: &Comparison,
) -> String {
    let of_bound = || {
        if bound.interval.low < WORTH_IT {
            return "little to gain".to_owned();
        }
        let found = share.map_or_else(not_judged, |share| word(share.interval, SHARE).to_owned());
        format!("{:.0} % of the bound: {found}", SHARE * 100.0)
    };
    match (name, case.goal) {
        ("note" | "warm_note", _) => format!("logging costs at most 3 %: {}", word(speed.interval, NO_LOSS)),
        ("feedback", Goal::NoLoss) => format!("at least {NO_LOSS}x: {}", word(speed.interval, NO_LOSS)),
        // No speed is promised unless switches are serialised, as mispredicted ones are; the share of the bound is shown.
        ("adaptive", _) if suffix.is_empty() => String::new(),
        ("feedback" | "adaptive", Goal::Times(times)) => match word(speed.interval, times) {
            "holds" => format!("{times}x: holds"),
            _ if bound.interval.high < times => {
                format!("{times}x is out of reach here, at most {:.2}x is in it; {}", bound.ratio, of_bound())
            }
            // Conditions differed between processes: speed and bound may lie on either side of the goal.
            "not decided" => format!("{times}x: not decided"),
            _ if bound.interval.low < times => format!(
                "{times}x may be out of reach here, at most {:.2}x [{:.2}, {:.2}]; {}",
                bound.ratio,
                bound.interval.low,
                bound.interval.high,
                of_bound()
            ),
            other => format!("{times}x: {other}"),
        },
        ("feedback", Goal::Bound) => of_bound(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::cases::Values;
    use super::*;

    fn interval(low: f64, high: f64) -> Interval {
        Interval { low, high }
    }

    #[test]
    fn a_goal_holds_or_is_missed_by_its_whole_interval() {
        assert_eq!(word(interval(3.1, 3.5), 3.0), "holds");
        assert_eq!(word(interval(2.1, 2.9), 3.0), "MISSED");
        assert_eq!(word(interval(2.9, 3.1), 3.0), "not decided");
    }

    #[test]
    fn what_lies_on_both_sides_of_a_goal_is_not_decided() {
        let of = |ratio, low, high| Comparison {
            ratio,
            interval: interval(low, high),
            verdict: stats::Verdict::NoDifferenceShown,
        };
        let case =
            super::super::cases::cases(1).into_iter().find(|case| case.goal == Goal::Times(10.0)).unwrap();
        let word = |speed: &Comparison, bound: &Comparison| {
            verdict(&case, "adaptive", ", serialised", speed, &Ok(of(0.34, 0.3, 0.44)), bound)
        };
        // As seen where memory was near to some processes and far from others.
        let bound = of(26.5, 8.2, 27.4);
        assert_eq!(word(&of(14.0, 6.7, 14.4), &bound), "10x: not decided");
        assert!(word(&of(7.0, 6.7, 7.4), &bound).starts_with("10x may be out of reach"));
        assert_eq!(word(&of(14.0, 13.7, 14.4), &bound), "10x: holds");
    }

    #[test]
    fn feedback_is_measured_by_the_best_plan() {
        let of = |name: &str, ns: f64| {
            (name.to_owned(), (0..12).map(|n| ns * (1.0 + 1e-4 * f64::from(n))).collect())
        };
        let values: Values =
            [of("nothing", 30.0), of("restore", 20.0), of("follow", 41.0), of("feedback", 21.0)].into();
        assert_eq!(
            choice(&values, &values["feedback"]),
            "90 % of the best plan, restore: holds (0.95); at least 0.97x: holds"
        );
        assert_eq!(
            choice(&values, &values["follow"]),
            "90 % of the best plan, restore: MISSED (0.49); at least 0.97x: MISSED"
        );
    }

    #[test]
    fn logging_is_judged_by_pairs() {
        let of = |around: f64| (0..12).map(|n| around * (1.0 + 1e-4 * f64::from(n))).collect();
        let values: Values =
            [("logging".to_owned(), of(0.98)), ("logging, serialised".to_owned(), of(0.96))].into();
        assert_eq!(
            logging_by_pairs(&values, ""),
            "logging costs at most 3 %: holds (by pairs 0.980 to 0.981)"
        );
        assert!(logging_by_pairs(&values, ", serialised").contains("MISSED"));
    }

    #[test]
    fn what_has_no_interval_is_named() {
        let of = |name: &str, ns: f64| (name.to_owned(), vec![ns; 12]);
        let values: Values =
            [of("nothing", 30.0), of("restore", 20.0), of("feedback", 21.0), of("logging", 0.98)].into();
        let chosen = choice(&values, &values["feedback"]);
        assert!(
            chosen.starts_with("90 % of the best plan, restore: not judged, the processes gave"),
            "{chosen}"
        );
        assert!(chosen.contains("; at least 0.97x: not judged, the processes gave"), "{chosen}");
        let logging = logging_by_pairs(&values, "");
        assert!(
            logging.starts_with("logging costs at most 3 %: not judged, the processes gave"),
            "{logging}"
        );
        let case = super::super::cases::cases(1).into_iter().find(|case| case.goal == Goal::Bound).unwrap();
        let share = speed_over(&values["restore"], &values["feedback"]);
        let ratio = |ratio| Comparison {
            ratio,
            interval: interval(ratio, ratio),
            verdict: stats::Verdict::NoDifferenceShown,
        };
        let told = verdict(&case, "feedback", "", &ratio(1.4), &share, &ratio(1.5));
        assert!(told.starts_with("80 % of the bound: not judged, the processes gave"), "{told}");
    }

    #[test]
    fn a_missed_share_is_said_with_what_prevents_it() {
        let of = |ns: f64| (0..12).map(|n| ns * (1.0 + 1e-4 * f64::from(n))).collect::<Vec<f64>>();
        let values: Values = [("overlap", 140.0), ("fetch", 105.0), ("adaptive", 150.0)]
            .map(|(name, ns)| (name.to_owned(), of(ns)))
            .into();
        let share = speed_over(&values["fetch"], &values["adaptive"]);
        assert!(prevented(&values, "", &values["adaptive"], &share).starts_with("; 0.93 ["));
        let share = speed_over(&values["overlap"], &values["adaptive"]);
        assert_eq!(prevented(&values, "", &values["adaptive"], &share), "");
    }

    #[test]
    fn what_is_slower_than_the_judged_is_no_ceiling() {
        let of = |ns: f64| (0..12).map(|n| ns * (1.0 + 1e-4 * f64::from(n))).collect::<Vec<f64>>();
        let values: Values = [("unnoted", 270.0), ("overlap", 90.0), ("adaptive", 70.0), ("slow", 100.0)]
            .map(|(name, ns)| (name.to_owned(), of(ns)))
            .into();
        assert!(ceiling(&values, "", "adaptive", "unnoted").is_none());
        assert!((ceiling(&values, "", "slow", "unnoted").unwrap().ratio - 3.0).abs() < 1e-6);
        let fetch: Values = [("fetch", 40.0), ("overlap", 90.0), ("adaptive", 70.0)]
            .map(|(name, ns)| (name.to_owned(), of(ns)))
            .into();
        let share = speed_over(&fetch["fetch"], &fetch["adaptive"]);
        assert_eq!(prevented(&fetch, "", &fetch["adaptive"], &share), "");
    }

    #[test]
    fn the_bound_is_the_slower_of_computing_and_fetching() {
        let values: Values =
            [("warm", 100.0), ("fetch", 150.0)].map(|(name, ns)| (name.to_owned(), vec![ns; 3])).into();
        assert_eq!(bound(&values, "").unwrap(), "fetch");
        assert!(bound(&values, ", serialised").is_err());
    }
}
