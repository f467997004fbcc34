// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Times loops, predicts them, and summarises the model's errors.

use crate::case::{assembly, programs, Case, Category, ObjectError, Program};
use crate::quiet::run_cycles;
use crate::run::{steps, Failure, Runs};
use crate::source::Recorded;
use crate::visit::{control, visit, Control};
use arch::Arch;
use decode::{Instruction, Scheduling};
use predict::doubt::{interval, ModelError};
use predict::draws::draws;
use predict::{predict, Cpu, Options, Prediction, Source};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Time between two reports of progress.
const PROGRESS: Duration = Duration::from_secs(5);
/// Steps recorded of a loop whose turns differ. If addresses change, exactly the recorded turns are timed. If only the path
/// changes, enough turns are recorded for the model's branch predictor to learn as much as the machine's has when the loop
/// is timed: patterns that repeat after 64 turns take some thousand.
const STEPS_WALKING: u64 = 15_000;
const STEPS_BRANCHING: u64 = 30_000;
const TURNS_WALKING_MAX: u64 = 1024;
const TURNS_BRANCHING_MAX: u64 = 6_000;
const TURNS_MIN: u64 = 12;
/// Turns of a probe that are looked at for whether they differ: some do only once in hundreds.
const TURNS_PROBE: u64 = 300;
const TURNS_MAX: f64 = 250_000.0;
/// Visits to every loop, interleaved with those to the others.
const VISITS: usize = 3;
/// Further visits to loops whose visits disagree, and the relative difference allowed between the two fastest.
const VISITS_MORE: usize = 5;
const DISAGREEMENT: f64 = 0.025;

/// One loop, measured and predicted; cycles are core cycles per turn.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The loop.
    pub case: Case,
    /// The key by which a later run finds its measurement.
    pub key: String,
    /// The fastest of its visits.
    pub measured_cycles: f64,
    /// The model's prediction.
    pub predicted_cycles: f64,
    /// Its 90 % interval, if that was asked for.
    pub interval_cycles: Option<[f64; 2]>,
    /// llvm-mca's prediction for the instructions of a turn, or why there is none.
    pub mca_cycles: Result<f64, String>,
    /// A turn, disassembled.
    pub text: Vec<String>,
    /// What the simulator counted, cold start included.
    pub prediction: Prediction,
}

impl Outcome {
    /// Error of the prediction in percent of the measured cycles; above zero if predicted too slow.
    pub fn error_percent(&self) -> f64 {
        100.0 * (self.predicted_cycles / self.measured_cycles - 1.0)
    }

    /// Whether the measured cycles are in the interval, if there is one.
    pub fn is_inside(&self) -> Option<bool> {
        self.interval_cycles.map(|[low, high]| (low..=high).contains(&self.measured_cycles))
    }

    /// How far either end of the interval is from the geometric mean of both, as a factor less one, in percent.
    pub fn half_width_percent(&self) -> Option<f64> {
        self.interval_cycles.map(|[low, high]| 100.0 * ((high / low).sqrt() - 1.0))
    }

    /// The error of llvm-mca's prediction, in the same way.
    pub fn mca_error_percent(&self) -> Option<f64> {
        self.mca_cycles.as_ref().ok().map(|cycles| 100.0 * (cycles / self.measured_cycles - 1.0))
    }
}

/// The results of a set of loops.
#[derive(Debug, Default)]
pub struct Results {
    /// The loops that were measured.
    pub outcomes: Vec<Outcome>,
    /// The loops that were not, with the reason.
    pub failures: Vec<(Case, String)>,
    /// Samples taken.
    pub samples_count: u64,
    /// Those of them that were dropped because the clock changed.
    pub disturbed_count: u64,
    /// Cycles of the control loop, relative to those that the core's width allows: best and median of its runs.
    /// None if nothing had to be measured.
    pub control: Option<[f64; 2]>,
}

/// Why loops cannot be judged at all.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// They do not assemble.
    #[error("the loops do not assemble: {0}")]
    Assembler(String),
    /// The control loop cannot be stepped through or predicted, so nothing else can.
    #[error("the control loop cannot be run and predicted")]
    Control,
    /// The assembler's output is wrong.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// LLVM has no model to compare with.
    #[error(transparent)]
    Scheduling(#[from] decode::SchedulingError),
}

/// Assembles a text and gives the object file.
pub type Assemble<'a> = dyn Fn(&str) -> Result<Vec<u8>, String> + 'a;

/// A loop that can be measured.
struct Ready {
    case: Case,
    program: Program,
    prediction: Prediction,
    predicted_cycles: f64,
    interval_cycles: Option<[f64; 2]>,
    mca_cycles: Result<f64, String>,
    text: Vec<String>,
    /// Whether its turns access other addresses.
    walks: bool,
    /// Turns of a long run; a short one has a quarter.
    turns: u64,
    /// Cycles of a turn in each visit.
    visits: Vec<f64>,
    /// Visits that were discarded because the core was shared.
    shared: usize,
    key: String,
    /// Whether an earlier run measured it.
    known: bool,
}

/// Measures and predicts loops on this machine, which `cpu` describes. A loop whose `key` is in `measured` is not measured
/// again. With `intervals` each loop is predicted on drawn cores too, which takes far longer. `progress` is called now and
/// then with a message.
pub fn judge(
    cases: Vec<Case>,
    cpu: &Cpu,
    intervals: bool,
    assemble: &Assemble<'_>,
    measured: &BTreeMap<String, f64>,
    progress: &dyn Fn(&str),
) -> Result<Results, JudgeError> {
    let mut results = Results::default();
    let mut control = control_loop(cpu, assemble)?;
    let object = assemble(&assembly(&cases)).map_err(JudgeError::Assembler)?;
    let programs = programs(&object, cases.len())?;
    let mut scheduling = scheduling_of(cpu)?;
    let mut ready = Vec::new();
    let count = cases.len();
    let mut last = Instant::now();
    for (number, (case, program)) in cases.into_iter().zip(programs).enumerate() {
        if number == 0 || last.elapsed() >= PROGRESS {
            last = Instant::now();
            progress(&format!("stepping through and predicting: {number} of {count} loops"));
        }
        match prepare(&case, program, cpu, intervals, &mut scheduling) {
            Ok(mut loop_) => {
                loop_.visits.extend(measured.get(&loop_.key).iter().flat_map(|&&cycles| [cycles; 2]));
                loop_.known = !loop_.visits.is_empty();
                ready.push(loop_);
            }
            Err(reason) => results.failures.push((case, reason)),
        }
    }
    for round in 0..VISITS + VISITS_MORE {
        progress(&format!("measuring: round {} of at most {}", round + 1, VISITS + VISITS_MORE));
        let mut wanting: Vec<&mut Ready> =
            ready.iter_mut().filter(|loop_| loop_.wants_visit(round)).collect();
        if wanting.is_empty() {
            break;
        }
        let visit = |loop_: &&mut Ready| loop_.visit(&mut results);
        control.watch(&mut wanting, visit, |loop_, found| match found {
            Some(cycles) => loop_.visits.extend(cycles),
            None => loop_.shared += 1,
        });
    }
    results.control = control.share();
    for loop_ in ready {
        if !agree(&loop_.visits) {
            let shared = loop_.visits.len() < 2 && loop_.shared > 0;
            let reason = if shared { Failure::Shared } else { Failure::Disturbed };
            results.failures.push((loop_.case, reason.to_string()));
            continue;
        }
        results.outcomes.push(Outcome {
            measured_cycles: loop_.visits.iter().copied().fold(f64::INFINITY, f64::min),
            predicted_cycles: loop_.predicted_cycles,
            interval_cycles: loop_.interval_cycles,
            mca_cycles: loop_.mca_cycles,
            case: loop_.case,
            key: loop_.key,
            text: loop_.text,
            prediction: loop_.prediction,
        });
    }
    Ok(results)
}

/// The control loop, as the core runs it that `cpu` describes.
pub fn control_loop(cpu: &Cpu, assemble: &Assemble<'_>) -> Result<Control, JudgeError> {
    let case = control();
    let object = assemble(&assembly(std::slice::from_ref(&case))).map_err(JudgeError::Assembler)?;
    let program = programs(&object, 1)?.remove(0);
    let ready = prepare(&case, program, cpu, false, &mut scheduling_of(cpu)?);
    let ready = ready.map_err(|_| JudgeError::Control)?;
    Ok(Control::new(ready.program, ready.turns, ready.predicted_cycles))
}

fn scheduling_of(cpu: &Cpu) -> Result<Scheduling, JudgeError> {
    Ok(Scheduling::new(Arch::X86_64, cpu.word("llvm").unwrap_or_default())?)
}

impl Ready {
    fn wants_visit(&self, round: usize) -> bool {
        self.visits.len() < VISITS.min(round + 1) && !self.known || !agree(&self.visits)
    }

    /// Visits the loop; returns the cycles of a turn.
    fn visit(&self, results: &mut Results) -> Option<f64> {
        let filled = self.case.category == Category::Block;
        let found = visit(
            &self.program,
            Runs { short: self.turns / 4, long: self.turns, filled, walks: self.walks },
        )?;
        results.samples_count += found.samples;
        results.disturbed_count += found.disturbed;
        found.cycles
    }
}

/// A loop's name and a hash of its code, so that the same loop has the same key in every run.
fn key_of(case: &Case, program: &Program) -> String {
    // FNV-1a.
    let hash = program.code.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{} {hash:016x}", case.name)
}

/// Records a loop and predicts it.
fn prepare(
    case: &Case,
    program: Program,
    cpu: &Cpu,
    intervals: bool,
    scheduling: &mut Scheduling,
) -> Result<Ready, String> {
    let filled = case.category == Category::Block;
    let record = |turns| {
        let steps = steps(&program, turns, filled).map_err(|failure| failure.to_string())?;
        Recorded::new(&program, &steps).map_err(|error| error.to_string())
    };
    let probe = case.category == Category::Probe;
    let mut recorded = record(if probe { TURNS_PROBE } else { TURNS_MIN })?;
    if !recorded.repeats() {
        let length = recorded.turn().len().max(1) as u64;
        let walks = recorded.walks();
        let steps = if walks { STEPS_WALKING } else { STEPS_BRANCHING };
        let turns_max = if walks { TURNS_WALKING_MAX } else { TURNS_BRANCHING_MAX };
        recorded = record((steps / length).clamp(TURNS_MIN, turns_max))?;
    }
    let options = Options { skip_loops: false, ..Options::default() };
    let prediction =
        predict(&mut recorded.clone(), &[cpu], &options).map_err(|error| error.to_string())?.remove(0);
    let predicted_cycles = prediction.cycles_per_call.unwrap_or(f64::NAN);
    let mut interval_cycles = None;
    if intervals {
        let draws = draws(&mut || Ok(Box::new(recorded.clone()) as Box<dyn Source>), cpu, &options)
            .map_err(|error| error.to_string())?;
        interval_cycles = Some(interval(ModelError::of(cpu), predicted_cycles, &draws, &[]));
    }
    let wanted = (run_cycles() / predicted_cycles).clamp(TURNS_MIN as f64, TURNS_MAX) as u64;
    let turn: Vec<Instruction> = recorded.turn().to_vec();
    Ok(Ready {
        case: case.clone(),
        key: key_of(case, &program),
        known: false,
        program,
        prediction,
        predicted_cycles,
        interval_cycles,
        mca_cycles: scheduling.mca_cycles(&turn, 100).map_err(|error| error.to_string()),
        text: turn.iter().map(|instruction| instruction.text.trim().replace('\t', " ")).collect(),
        // Another number of turns would access other addresses.
        walks: recorded.walks(),
        turns: if recorded.walks() { recorded.turns() } else { wanted.max(64) },
        visits: Vec::new(),
        shared: 0,
    })
}

/// Whether the two fastest visits agree.
fn agree(visits: &[f64]) -> bool {
    let mut sorted = visits.to_vec();
    sorted.sort_by(f64::total_cmp);
    matches!(sorted[..], [first, second, ..] if second - first <= DISAGREEMENT * first)
}

/// A model's errors over some loops.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Errors {
    /// Number of loops.
    pub count: usize,
    /// Mean absolute error.
    pub mean_percent: f64,
    /// Median absolute error.
    pub median_percent: f64,
    /// Mean error, its sign kept: below zero if predicted too fast.
    pub bias_percent: f64,
    /// Share of the loops within 5, 10 and 20 percent.
    pub within_percent: [f64; 3],
}

impl Errors {
    /// Summarises errors in percent.
    pub fn of(errors: &[f64]) -> Errors {
        let sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
        let count = sizes.len().max(1) as f64;
        let share = |limit: f64| 100.0 * sizes.iter().filter(|error| **error <= limit).count() as f64 / count;
        Errors {
            count: errors.len(),
            mean_percent: sizes.iter().sum::<f64>() / count,
            median_percent: stats::median(&sizes).unwrap_or(f64::NAN),
            bias_percent: errors.iter().sum::<f64>() / count,
            within_percent: [share(5.0), share(10.0), share(20.0)],
        }
    }
}

impl Results {
    /// For each category, the errors of the model, and those of llvm-mca for the loops that it can predict.
    pub fn by_category(&self) -> BTreeMap<Category, (Errors, Errors)> {
        let mut groups: BTreeMap<Category, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
        for outcome in &self.outcomes {
            let group = groups.entry(outcome.case.category).or_default();
            group.0.push(outcome.error_percent());
            group.1.extend(outcome.mca_error_percent());
        }
        groups
            .into_iter()
            .map(|(category, (own, mca))| (category, (Errors::of(&own), Errors::of(&mca))))
            .collect()
    }

    /// The same for the loops that `takes` selects.
    pub fn errors(&self, takes: impl Fn(&Outcome) -> bool) -> (Errors, Errors) {
        let chosen: Vec<&Outcome> = self.outcomes.iter().filter(|outcome| takes(outcome)).collect();
        let own: Vec<f64> = chosen.iter().map(|outcome| outcome.error_percent()).collect();
        let mca: Vec<f64> = chosen.iter().filter_map(|outcome| outcome.mca_error_percent()).collect();
        (Errors::of(&own), Errors::of(&mca))
    }

    /// Loops that were not measured, by reason.
    pub fn failures_by_reason(&self) -> BTreeMap<String, u64> {
        let mut reasons = BTreeMap::new();
        for (_, reason) in &self.failures {
            *reasons.entry(reason.clone()).or_default() += 1;
        }
        reasons
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_summed_up_by_size_and_by_sign() {
        let errors = Errors::of(&[-4.0, 4.0, 8.0, -16.0, 40.0]);
        assert_eq!((errors.count, errors.median_percent), (5, 8.0));
        assert!((errors.mean_percent - 14.4).abs() < 1e-9 && (errors.bias_percent - 6.4).abs() < 1e-9);
        assert_eq!(errors.within_percent, [40.0, 60.0, 80.0]);
        assert_eq!(Errors::of(&[-4.0, 40.0, 8.0, 0.0]).median_percent, 6.0, "between the middle two");
    }

    #[test]
    fn visits_agree_if_the_two_fastest_do() {
        assert!(agree(&[10.0, 14.0, 10.1]));
        assert!(!agree(&[10.0, 14.0, 11.0]));
        assert!(!agree(&[10.0]));
    }
}
