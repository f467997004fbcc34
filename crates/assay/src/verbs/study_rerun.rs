// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Runs the rows of a published table again: each is counted or predicted, according to its quantity.

use crate::context::Context;
use crate::cpus;
use crate::judge::Judge;
use crate::program;
use crate::progress::in_order;
use crate::study_file::{Quantity, Row, Study};
use lab::discover;
use lab::emulator::CannotRun;
use lab::toolchain::CompilerKind;
use lab::{Problem, Result};
use predict::Cpu;
use report::record::{Common, StudyRecord};

/// A row that was run again.
pub struct Rerun {
    /// The row.
    pub row: Row,
    /// Instructions per call, for hot paths.
    pub instructions: Option<u64>,
    /// Predicted cycles per call, for hot paths.
    pub cycles: Option<f64>,
    /// The row's quantity, counted or predicted.
    pub own: f64,
    /// The lowest and the highest over all places of the code in a fetch block, for predicted hot paths.
    pub over_alignments: Option<[f64; 2]>,
    /// The 90 % interval of what is predicted, in the row's unit.
    pub interval: Option<[f64; 2]>,
    /// How much of the code the cpu's file describes, for what is predicted.
    pub coverage_percent: Option<f64>,
    /// The compiler that made the code, for hot paths.
    pub compiler: Option<String>,
}

impl Rerun {
    /// Own figure against the published one, in percent of the published.
    pub fn error_percent(&self) -> f64 {
        (self.own / self.row.published - 1.0) * 100.0
    }

    /// Whether a count is what the program's text says it has to be.
    pub fn exact(&self) -> Option<bool> {
        self.row.expected_exactly.map(|expected| expected as f64 == self.own)
    }
}

/// Runs every row again, with the code of one compiler.
pub fn rerun(context: &Context, study: &Study, compiler: CompilerKind) -> Result<Vec<Rerun>> {
    let judge = Judge::new(context, compiler);
    let again = |row: &Row| -> Result<Rerun> {
        let cpu_name = row.cpu.as_ref().unwrap_or(&study.cpu);
        let mut cpus = cpus::cpus(context, std::slice::from_ref(cpu_name))?;
        let cpu = cpus.remove(0);
        match (&row.hotpath, &row.program) {
            (Some(hotpath), _) => rerun_hotpath(context, &judge, study, row, hotpath, &cpu),
            (None, Some(source)) => rerun_program(context, study, row, source, &cpu),
            (None, None) => unreachable!("the loader refuses a row with neither"),
        }
    };
    let mut reruns = Vec::new();
    in_order("running the rows again", &study.rows, again, |_, rerun| reruns.push(rerun));
    reruns.into_iter().collect()
}

fn rerun_hotpath(
    context: &Context,
    judge: &Judge,
    study: &Study,
    row: &Row,
    hotpath: &str,
    cpu: &Cpu,
) -> Result<Rerun> {
    let arch = study_arch(study)?;
    let all = discover::hotpaths(&context.workspace, &[])?;
    let found = discover::named(&all, hotpath)?;
    let variants = discover::variants(&context.workspace, &[], found[0], arch)?;
    let name = row.variant.as_deref().unwrap_or_default();
    let variant = variants.iter().find(|variant| variant.name == name).ok_or_else(|| {
        Problem::new(format!("{hotpath} has no variant '{name}' on {arch}")).at(&study.name)
    })?;
    let possible = |reason: CannotRun| Problem::new(reason.0).at(&study.name);
    let counts = judge.count(variant, &row.case())?.map_err(possible)?;
    let prediction =
        judge.predict(variant, &row.case(), std::slice::from_ref(cpu))?.map_err(possible)?.remove(0);
    // Times are by the clock of the published machine, not by that of the cpu's file.
    let own = match row.quantity {
        Quantity::NsPerCall => prediction.cycles * 1000.0 / row.clock_mhz.unwrap_or(study.clock_mhz),
        Quantity::Instructions => counts.instructions as f64,
        Quantity::Branches => counts.branches as f64,
        Quantity::CyclesPerIteration | Quantity::CyclesRatio => prediction.cycles,
    };
    let scale = own / prediction.cycles;
    let range = prediction.alignment_cycles.map(|ends| ends.map(|cycles| cycles * scale));
    let interval = prediction.interval_cycles.map(|cycles| cycles * scale);
    Ok(Rerun {
        row: row.clone(),
        instructions: Some(counts.instructions),
        cycles: Some(prediction.cycles),
        own,
        over_alignments: range.filter(|_| !row.quantity.is_counted()),
        interval: (!row.quantity.is_counted()).then_some(interval),
        coverage_percent: Some(prediction.coverage_percent),
        compiler: Some(prediction.common.compiler),
    })
}

fn rerun_program(
    context: &Context,
    study: &Study,
    row: &Row,
    source: &std::path::Path,
    cpu: &Cpu,
) -> Result<Rerun> {
    let arch = study_arch(study)?;
    let trace = program::record_main(context, arch, source)?;
    let over = row.over_program.as_ref().map(|over| program::record_main(context, arch, over)).transpose()?;
    let (own, coverage_percent) = match row.quantity {
        Quantity::Instructions => (program::counts(&trace)?.0 as f64, None),
        Quantity::Branches => (program::counts(&trace)?.1 as f64, None),
        Quantity::CyclesPerIteration => {
            let whole = program::whole(&trace, cpu)?;
            (whole.cycles / row.iterations.unwrap_or(1) as f64, Some(whole.coverage_percent))
        }
        Quantity::CyclesRatio => {
            let over = over.as_ref().ok_or_else(|| {
                Problem::new("a ratio needs over_program").at(format!("{}: {}", study.name, row.title()))
            })?;
            let (one, other) = (program::whole(&trace, cpu)?, program::whole(over, cpu)?);
            (one.cycles / other.cycles, Some(one.coverage_percent.min(other.coverage_percent)))
        }
        Quantity::NsPerCall => {
            return Err(Problem::new("a program has no calls to time").at(format!(
                "{}: {}",
                study.name,
                row.title()
            )))
        }
    };
    let interval = match row.quantity.is_counted() {
        true => None,
        false => Some(program::interval(&trace, over.as_deref(), cpu, own)?),
    };
    Ok(Rerun {
        row: row.clone(),
        instructions: None,
        cycles: None,
        own,
        over_alignments: None,
        interval,
        coverage_percent,
        compiler: None,
    })
}

fn study_arch(study: &Study) -> Result<arch::Arch> {
    study.arch.parse().map_err(|error: arch::UnknownArch| Problem::new(error.to_string()).at(&study.name))
}

/// The record of a row.
pub fn record(study: &Study, rerun: &Rerun) -> StudyRecord {
    let row = &rerun.row;
    let counted = row.quantity.is_counted();
    let mut common = Common::new(
        "study",
        row.hotpath.as_deref().unwrap_or_default(),
        row.variant.as_deref().unwrap_or_default(),
        &study.arch,
    );
    common.case = row.case.clone();
    common.compiler = rerun.compiler.clone().unwrap_or_default();
    StudyRecord {
        common,
        study: study.name.clone(),
        row: row.title(),
        quantity: row.quantity.name().to_owned(),
        unit: row.quantity.unit().to_owned(),
        published: row.published,
        published_scatter_percent: row.precision_percent,
        predicted: (!counted).then_some(rerun.own),
        counted: counted.then_some(rerun.own),
        over_alignments: rerun.over_alignments,
        interval: rerun.interval,
        coverage_percent: rerun.coverage_percent.filter(|_| !counted),
        error_percent: Some(rerun.error_percent()),
        used_for_fit: row.used_for_fit,
    }
}
