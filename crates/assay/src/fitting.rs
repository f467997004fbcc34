// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The published figures of one cpu (loops, routines and studies), prepared for prediction with any values of its
//! parameters: `fit` searches over them and `validate` predicts them out of sample.

use crate::context::Context;
use crate::corpus::{Tools, FIGURES};
use crate::judge::{self, Judge};
use crate::program;
use crate::progress::in_order;
use crate::study_file::{self, Quantity, Row, Study};
use arch::Arch;
use lab::cache::read_text;
use lab::{discover, Problem, Result};
use predict::doubt::{self, Judged, ModelError};
use predict::draws::{self, Draws, Tried};
use predict::explain::cycles_of;
use predict::figures::{figures, Figure, Subject};
use predict::fit::{documented, with_values, Figures, Values};
use predict::left_out::{self, FigureRow, LeftOut};
use predict::validate::Prepared;
use predict::{predict_jobs, Cpu, Options, PredictError};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// One figure of a cpu.
pub struct Datum {
    /// The publication and the row in it.
    pub title: String,
    /// Figures of one family are left out of a fit together.
    pub family: String,
    /// As published.
    pub published: f64,
    what: What,
}

/// How a figure is predicted.
enum What {
    Prepared(Box<Prepared>),
    /// A trace; the figure is its cycles per call, or in total, times `scale`.
    Trace {
        path: PathBuf,
        options: Options,
        scale: f64,
    },
}

/// Figures of a cpu. Left out are differences, which have no ratio; imprecise figures; and those derived from other rows.
pub struct Corpus {
    /// The figures.
    pub data: Vec<Datum>,
}

/// What figures may serve for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// A cpu can be fitted to them and judged by them.
    Judge,
    /// A number of the cpu was set from them by hand, so that no fit is independent of them; but they say which values of the
    /// other numbers are believable.
    Evidence,
}

/// The figures and rows of studies of one use, before their code is built.
struct Chosen {
    figures: Vec<Figure>,
    rows: Vec<(Study, Row)>,
}

impl Chosen {
    fn of(context: &Context, cpu: &str, of_use: Use) -> Result<Chosen> {
        let is_of_use = |used_for_fit: bool| used_for_fit == (of_use == Use::Evidence);
        let dir = context.workspace.root.join(FIGURES);
        let mut figures = figures(&dir).map_err(|error| Problem::new(error.to_string()))?;
        figures.retain(|figure| {
            let precise = !figure.difference && figure.range.is_none();
            figure.cpu == cpu && precise && is_of_use(figure.used_for_fit) && figure.derived_from.is_empty()
        });
        let mut rows = Vec::new();
        for name in study_file::names(&context.workspace)? {
            let study = study_file::load(&context.workspace, &name)?;
            for row in &study.rows {
                let timed = match row.quantity {
                    Quantity::NsPerCall => row.hotpath.is_some(),
                    Quantity::CyclesPerIteration => row.program.is_some(),
                    _ => false,
                };
                if timed && is_of_use(row.used_for_fit) && row.cpu.as_deref().unwrap_or(&study.cpu) == cpu {
                    rows.push((study.clone(), row.clone()));
                }
            }
        }
        Ok(Chosen { figures, rows })
    }

    /// The same, each title with all that the figure is made of.
    fn rows_with_code(&self) -> Result<Vec<FigureRow>> {
        let mut codes = self.figures.iter().map(made_of).collect::<Result<Vec<String>>>()?;
        codes.extend(self.rows.iter().map(|(study, row)| made_of_row(study, row)));
        let with = |((title, family, published), code)| (format!("{title} {code}"), family, published);
        Ok(self.rows().into_iter().zip(codes).map(with).collect())
    }

    /// Title, family and published value of each.
    fn rows(&self) -> Vec<FigureRow> {
        let of_figure = |figure: &Figure| (title(figure), figure.family.clone(), figure.published);
        let of_row = |(study, row): &(Study, Row)| (row_title(study, row), row.family.clone(), row.published);
        self.figures.iter().map(of_figure).chain(self.rows.iter().map(of_row)).collect()
    }
}

/// All that a figure is predicted from but the cpu, the engine and what set-up brings: a stored fit holds for no other.
fn made_of(figure: &Figure) -> Result<String> {
    let folder = figure.file.parent().unwrap_or(Path::new(""));
    let files: Vec<PathBuf> = match figure.subject() {
        Subject::Loop(one, over) => {
            [Some(one), over].into_iter().flatten().map(|one| one.code.clone()).collect()
        }
        Subject::Program(program) => {
            program.routine.iter().map(PathBuf::from).chain([program.driver.clone()]).collect()
        }
    };
    let beside =
        files.iter().map(|file| folder.join(file)).filter(|file| file.starts_with(folder) && file.is_file());
    let texts = beside.map(|file| read_text(&file)).collect::<Result<Vec<String>>>()?;
    Ok(format!("{:?} {} {:?} {}", figure.subject(), figure.per, figure.offsets, texts.concat()))
}

fn made_of_row(study: &Study, row: &Row) -> String {
    let clock = row.clock_mhz.unwrap_or(study.clock_mhz);
    format!(
        "{:?} {:?} {:?} {:?} {clock} {:?}",
        row.hotpath, row.variant, row.case, row.program, row.iterations
    )
}

fn title(figure: &Figure) -> String {
    format!("{} {}", figure.study, figure.row)
}

fn row_title(study: &Study, row: &Row) -> String {
    format!("{} {}", study.name, row.title())
}

/// The digest that written fits of `cpu` must carry.
pub fn digest(context: &Context, cpu: &Cpu) -> Result<String> {
    let rows = |of_use| Chosen::of(context, &cpu.name, of_use)?.rows_with_code();
    Ok(left_out::digest(cpu, &rows(Use::Judge)?, &rows(Use::Evidence)?))
}

/// The written fits of `cpu`, if they are there and not stale.
pub fn written(context: &Context, cpu: &Cpu) -> Result<LeftOut> {
    let dir = context.workspace.root.join(FIGURES);
    LeftOut::load(&dir, &cpu.name, &digest(context, cpu)?).map_err(|error| judge::of_trace(&dir, &error))
}

/// The cpus that have a figure to be fitted to.
pub fn cpus_with_figures(context: &Context) -> Result<Vec<String>> {
    let dir = context.workspace.root.join(FIGURES);
    let all = figures(&dir).map_err(|error| Problem::new(error.to_string()))?;
    let names: BTreeSet<String> = all.into_iter().map(|figure| figure.cpu).collect();
    let mut with = Vec::new();
    for name in names {
        if !Chosen::of(context, &name, Use::Judge)?.rows().is_empty() {
            with.push(name);
        }
    }
    Ok(with)
}

impl Corpus {
    /// Builds and records the code behind the figures of `cpu` that are of that use.
    pub fn of(context: &Context, cpu: &Cpu, of_use: Use) -> Result<Corpus> {
        let chosen = Chosen::of(context, &cpu.name, of_use)?;
        let dir = context.workspace.root.join(FIGURES);
        let tools = Tools::new(context);
        let mut data = Vec::new();
        let mut failure = None;
        in_order(
            "preparing figures",
            &chosen.figures,
            |figure| Prepared::new(&dir, figure, &tools),
            |index, prepared| match prepared {
                Ok(prepared) => data.push(Datum {
                    title: title(&chosen.figures[index]),
                    family: chosen.figures[index].family.clone(),
                    published: chosen.figures[index].published,
                    what: What::Prepared(Box::new(prepared)),
                }),
                Err(error) => failure = Some(Problem::new(error.to_string())),
            },
        );
        if let Some(problem) = failure {
            return Err(problem);
        }
        for (study, row) in &chosen.rows {
            data.push(of_study(context, cpu, study, row)?);
        }
        Ok(Corpus { data })
    }
}

/// The prediction of a figure.
pub struct Answer {
    /// With the code at each place that it may have, in ascending order.
    places: Vec<f64>,
    /// What the ranges of the cpu's parameters make of it.
    pub draws: Draws,
}

impl Answer {
    /// The median over the places of the code.
    pub fn predicted(&self) -> f64 {
        self.places[self.places.len() / 2]
    }

    /// Held against what was published.
    pub fn judged<'a>(&self, datum: &'a Datum) -> Judged<'a> {
        let drawn = if self.draws.0.is_empty() { &[0.0] } else { &self.draws.0[..] };
        let of_place = |place: &f64| {
            let error = (datum.published / place).ln();
            drawn.iter().map(move |log| error - log)
        };
        Judged { family: &datum.family, errors: self.places.iter().flat_map(of_place).collect() }
    }

    /// The 90 % interval.
    fn interval(&self, error: ModelError) -> [f64; 2] {
        doubt::interval(error, self.predicted(), &self.draws, &self.places)
    }
}

impl Corpus {
    /// The predictions of a figure on `core`, one for each placement of its code, in ascending order.
    fn at_places(&self, figure: usize, core: &Cpu) -> std::result::Result<Vec<f64>, PredictError> {
        match &self.data[figure].what {
            What::Prepared(prepared) => prepared.at_places(core),
            What::Trace { .. } => self.predict(figure, std::slice::from_ref(core)),
        }
    }

    /// The prediction of a figure on `core`, the median over the placements of its code.
    pub fn typical(&self, figure: usize, core: &Cpu) -> std::result::Result<f64, PredictError> {
        let places = self.at_places(figure, core)?;
        Ok(places[places.len() / 2])
    }

    /// The prediction of a figure on `core` and on the drawn cores that `draws` numbers.
    pub fn answer(
        &self,
        figure: usize,
        core: &Cpu,
        draws: &[usize],
    ) -> std::result::Result<Answer, PredictError> {
        let mut cores = vec![core.clone()];
        cores.extend(draws::drawn(core, draws::CANDIDATES, draws));
        let at = self.predict(figure, &cores)?;
        Ok(Answer { places: self.at_places(figure, core)?, draws: Draws::of(at[0], &at[1..]) })
    }
}

impl Corpus {
    /// The errors of each figure on every drawn core of a cpu.
    pub fn tried(
        &self,
        cpu: &Cpu,
        progress: &dyn Fn(usize),
    ) -> std::result::Result<Vec<Tried<'_>>, PredictError> {
        let cores = draws::drawn(cpu, draws::CANDIDATES, &(0..draws::CANDIDATES).collect::<Vec<_>>());
        let mut all = Vec::new();
        for (index, datum) in self.data.iter().enumerate() {
            progress(index);
            let mut errors = Vec::new();
            for batch in cores.chunks(16) {
                let predicted = self.predict(index, batch)?;
                errors.extend(predicted.iter().map(|predicted| (datum.published / predicted).ln()));
            }
            all.push(Tried { family: &datum.family, errors });
        }
        Ok(all)
    }
}

/// A figure predicted with parameters that were fitted without its family, and the interval that follows.
pub struct Unseen {
    /// The publication and the row in it.
    pub title: String,
    /// The cpu it was measured on.
    pub cpu: String,
    /// Its routine or chain.
    pub family: String,
    /// A number of the cpu was taken by hand from another figure of the family, so that none of it is out of sample.
    pub is_in_sight: bool,
    /// As published.
    pub published: f64,
    /// As predicted.
    pub predicted: f64,
    /// The 90 % interval, with the model error estimated on the other families.
    pub interval: [f64; 2],
}

impl Unseen {
    /// Whether the published figure lies in the interval.
    pub fn is_inside(&self) -> bool {
        (self.interval[0]..=self.interval[1]).contains(&self.published)
    }

    /// (predicted - published) / published, in percent.
    pub fn error_percent(&self) -> f64 {
        100.0 * (self.predicted / self.published - 1.0)
    }

    /// Half the width of the interval, in percent of the prediction.
    pub fn half_width_percent(&self) -> f64 {
        50.0 * (self.interval[1] - self.interval[0]) / self.predicted
    }
}

/// Predicts every figure of a cpu out of sample.
pub fn unseen(context: &Context, cpu: &Cpu) -> Result<Vec<Unseen>> {
    let failed = |error: PredictError| Problem::new(error.to_string());
    let fits = written(context, cpu)?;
    let corpus = Corpus::of(context, cpu, Use::Judge)?;
    let base = documented(cpu);
    let mut answers = Vec::new();
    for (index, datum) in corpus.data.iter().enumerate() {
        let none = Values::new();
        let core = with_values(&base, fits.without.get(&datum.family).unwrap_or(&none));
        let draws = fits.draws.get(&datum.family).map_or(&[][..], Vec::as_slice);
        answers.push(corpus.answer(index, &core, draws).map_err(failed)?);
    }
    let judged: Vec<Judged> =
        corpus.data.iter().zip(&answers).map(|(datum, answer)| answer.judged(datum)).collect();
    let evidence = Chosen::of(context, &cpu.name, Use::Evidence)?.rows();
    let of = |(datum, answer): (&Datum, &Answer)| {
        let others: Vec<_> = judged.iter().filter(|one| one.family != datum.family).cloned().collect();
        let error = ModelError::from_rows(&others).unwrap_or(ModelError::UNVALIDATED);
        Unseen {
            title: datum.title.clone(),
            cpu: cpu.name.clone(),
            family: datum.family.clone(),
            is_in_sight: evidence.iter().any(|(_, family, _)| *family == datum.family),
            published: datum.published,
            predicted: answer.predicted(),
            interval: answer.interval(error),
        }
    };
    Ok(corpus.data.iter().zip(&answers).map(of).collect())
}

/// Records the code of a study's row.
fn of_study(context: &Context, cpu: &Cpu, study: &Study, row: &Row) -> Result<Datum> {
    let arch: Arch = study
        .arch
        .parse()
        .map_err(|error: arch::UnknownArch| Problem::new(error.to_string()).at(&study.name))?;
    let (path, options, scale) = match (row.quantity, &row.hotpath, &row.program) {
        (Quantity::NsPerCall, Some(hotpath), _) => {
            let path = hotpath_trace(context, cpu, arch, hotpath, study, row)?;
            (path, of_all_calls(), 1000.0 / row.clock_mhz.unwrap_or(study.clock_mhz))
        }
        (Quantity::CyclesPerIteration, None, Some(source)) => {
            let path = program::record_main(context, arch, source)?;
            (path, Options::default(), 1.0 / row.iterations.unwrap_or(1) as f64)
        }
        _ => return Err(Problem::new(format!("'{}' is not timed", row.title())).at(&study.name)),
    };
    Ok(Datum {
        title: row_title(study, row),
        family: row.family.clone(),
        published: row.published,
        what: What::Trace { path, options, scale },
    })
}

fn hotpath_trace(
    context: &Context,
    cpu: &Cpu,
    arch: Arch,
    hotpath: &str,
    study: &Study,
    row: &Row,
) -> Result<PathBuf> {
    let all = discover::hotpaths(&context.workspace, &[])?;
    let found = discover::named(&all, hotpath)?;
    let variants = discover::variants(&context.workspace, &[], found[0], arch)?;
    let name = row.variant.as_deref().unwrap_or_default();
    let variant = variants
        .iter()
        .find(|variant| variant.name == name)
        .ok_or_else(|| Problem::new(format!("{hotpath} has no variant '{name}' on {arch}")))?;
    let judge = Judge::new(context, study.compiler()?);
    judge.loop_trace(variant, &row.case(), cpu)?.map_err(|reason| Problem::new(reason.0).at(variant.title()))
}

impl Figures for Corpus {
    fn figures(&self) -> Vec<(String, f64)> {
        self.data.iter().map(|datum| (datum.family.clone(), datum.published)).collect()
    }

    /// With the code at its first placement: a search needs the differences between cores, and these vary little with
    /// the placement.
    fn predict(&self, figure: usize, cpus: &[Cpu]) -> std::result::Result<Vec<f64>, PredictError> {
        match &self.data[figure].what {
            What::Prepared(prepared) => prepared.at_first_place(cpus),
            What::Trace { path, options, scale } => {
                let jobs: Vec<_> = cpus.iter().map(|cpu| (cpu, options.clone())).collect();
                let mut open = judge::opener(path);
                let mut answers = Vec::new();
                for batch in jobs.chunks(16) {
                    answers
                        .extend(predict_jobs(&mut *open()?, batch)?.iter().map(|one| cycles_of(one) * scale));
                }
                Ok(answers)
            }
        }
    }
}

/// Fits simulate all calls: draws are chosen by differences smaller than those that stopping at settled calls may cause.
fn of_all_calls() -> Options {
    Options { until_settled: false, simulated_max: None, ..judge::options() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cpu file's numbers may be changed in passing; then `validate` refuses its stored fits until they are made anew.
    #[test]
    fn a_figure_of_other_units_or_other_code_is_another() {
        let context = Context::new(false).expect("the checkout");
        let all = figures(&context.workspace.root.join(FIGURES)).expect("figures");
        let figure = all.iter().find(|figure| figure.row == "eight adde in one chain").expect("it is there");
        let mut other = figure.clone();
        let before = made_of(figure).unwrap();
        assert!(before.contains("checksum_chain.s") && before.contains("adde"), "{before}");
        other.per *= 2.0;
        assert_ne!(made_of(&other).unwrap(), before);
        let mut other = figure.clone();
        other.offsets = Some(vec![4]);
        assert_ne!(made_of(&other).unwrap(), before);
    }

    #[test]
    fn no_stored_fit_is_stale() {
        let context = Context::new(false).expect("the checkout");
        let cpus = context.workspace.root.join("cpus");
        let names = cpus_with_figures(&context).expect("figures");
        assert!(names.len() >= 6, "{names:?}");
        for name in names {
            let cpu = Cpu::load(&cpus, &name).unwrap_or_else(|error| panic!("{error}"));
            written(&context, &cpu).unwrap_or_else(|problem| panic!("{problem}"));
        }
    }
}
