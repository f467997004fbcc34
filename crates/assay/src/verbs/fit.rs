// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `fit`: fits those numbers of a cpu of which only a range is known to published figures, and says which of them the
//! figures determine and how well the fit predicts figures of families that it has not seen.

mod write;

use crate::context::{Context, Outcome};
use crate::cpus;
use crate::fitting::{self, Corpus, Use};
use lab::{Problem, Result};
use predict::doubt::ModelError;
use predict::draws;
use predict::fit::{Fit, Fitted, Values};
use predict::left_out::LeftOut;
use predict::{Cpu, PredictError};
use report::record::Record;
use report::{Derived, Predicted, Published, Report, Table};
use serde::Serialize;
use std::collections::BTreeMap;

/// A fit is adopted if its error on families that it has not seen is less than this fraction of the error of the documented
/// numbers.
const ADOPTED_AT: f64 = 0.9;

/// Options of `fit`.
#[derive(clap::Args)]
pub struct Args {
    /// CPU, by the name of its description (default: every one that figures are published of)
    #[arg(value_name = "CPU", value_delimiter = ',')]
    cpus: Vec<String>,
    /// Write the fits and the error out of sample into the cpu's file and beside the figures; without it nothing is changed
    #[arg(long, conflicts_with = "check")]
    write: bool,
    /// Only tell whether the fits written are those of today's documented numbers and figures
    #[arg(long)]
    check: bool,
}

/// A cpu's numbers after a fit.
#[derive(Serialize)]
struct NumberRecord<'a> {
    kind: &'static str,
    cpu: &'a str,
    key: &'a str,
    documented: f64,
    range: [f64; 2],
    fitted: f64,
    believable: [f64; 2],
    figures_count: usize,
    is_determined: bool,
}

/// One figure, predicted three times: by the documented numbers, by those fitted to all figures, by those fitted to the figures
/// of other families.
#[derive(Serialize)]
struct RowRecord {
    kind: &'static str,
    cpu: String,
    row: String,
    family: String,
    published: f64,
    documented: f64,
    in_sample: f64,
    out_of_sample: f64,
    spread: f64,
}

/// All that is found out about one cpu.
struct Found {
    cpu: Cpu,
    numbers: Vec<Fitted>,
    rows: Vec<RowRecord>,
    fits: LeftOut,
    /// The fitted numbers, if they predict families that they were not fitted to better than the documented numbers do; else
    /// `None`.
    adopted: Option<Values>,
    /// The drawn cores that agree with all figures, by number.
    draws: Vec<usize>,
    error: ModelError,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    for name in names(context, &args.cpus)? {
        let cpu = cpus::cpus(context, std::slice::from_ref(&name))?.remove(0);
        if args.check {
            fitting::written(context, &cpu)?;
            continue;
        }
        let found = find(context, cpu)?;
        if args.write {
            write::write(context, &found)?;
        }
        if context.json {
            print_records(&found);
        } else {
            context.show(&report(&found));
        }
    }
    Ok(Outcome::Fine)
}

/// The named cpus, or all that have published figures.
fn names(context: &Context, named: &[String]) -> Result<Vec<String>> {
    let known = fitting::cpus_with_figures(context)?;
    if let Some(name) = named.iter().find(|name| !known.contains(name)) {
        return Err(Problem::new(format!("there is no published figure of '{name}' to fit it to"))
            .remedy(format!("choose among {}", known.join(", "))));
    }
    Ok(if named.is_empty() { known } else { named.to_vec() })
}

fn find(context: &Context, cpu: Cpu) -> Result<Found> {
    let failed = |error: PredictError| Problem::new(error.to_string());
    let corpus = Corpus::of(context, &cpu, Use::Judge)?;
    let evidence = Corpus::of(context, &cpu, Use::Evidence)?;
    let name = cpu.name.clone();
    let progress = |done: usize, of: usize| {
        context.progress(&format!("{name}: which number moves which figure, {done} of {of}"));
    };
    let mut fit = Fit::new(&cpu, &corpus, &progress).map_err(failed)?;
    context.progress(&format!("{name}: fitting to all figures"));
    let numbers = fit.all().map_err(failed)?;
    let all: Values =
        numbers.iter().filter(|n| n.value != n.prior).map(|n| (n.key.clone(), n.value)).collect();
    let mut without = BTreeMap::new();
    for family in fit.families() {
        context.progress(&format!("{name}: fitting without {family}"));
        without.insert(family.clone(), fit.search(Some(&family)).map_err(failed)?);
    }
    let count = corpus.data.len() + evidence.data.len();
    let progress = |done: usize| {
        context.progress(&format!("{name}: what drawn cores make of the figures, {done} of {count}"));
    };
    let mut tried = corpus.tried(&cpu, &progress).map_err(failed)?;
    let further = |done: usize| progress(corpus.data.len() + done);
    tried.extend(evidence.tried(&cpu, &further).map_err(failed)?);
    let agreeing = |left_out: Option<&str>| {
        let seen: Vec<_> = tried.iter().filter(|figure| Some(figure.family) != left_out).collect();
        draws::agreeing(&seen)
    };
    let of_family = |family: String| (family.clone(), agreeing(Some(&family)));
    let draws_without: BTreeMap<_, _> = fit.families().into_iter().map(of_family).collect();
    let mut rows = predicted(&corpus, &fit, &all, &without).map_err(failed)?;
    let is_better = is_better(&rows, None);
    keep_documented(&mut rows, &mut without);
    let mut judged = Vec::new();
    for (index, datum) in corpus.data.iter().enumerate() {
        let core = fit.core(&without[&datum.family]);
        let answer = corpus.answer(index, &core, &draws_without[&datum.family]).map_err(failed)?;
        rows[index].spread = answer.draws.spread();
        judged.push(answer.judged(datum));
    }
    let error = ModelError::from_rows(&judged).expect("there are rows");
    let fits = LeftOut { digest: fitting::digest(context, &cpu)?, draws: draws_without, without };
    let draws = agreeing(None);
    drop(tried);
    Ok(Found { cpu, numbers, rows, fits, adopted: is_better.then_some(all), draws, error })
}

/// Whether the fits predict families that they were not fitted to better than the documented numbers do, all figures of one family
/// left out.
fn is_better(rows: &[RowRecord], left_out: Option<&str>) -> bool {
    let seen = || rows.iter().filter(|row| Some(row.family.as_str()) != left_out);
    mean(seen(), |row| row.out_of_sample) < ADOPTED_AT * mean(seen(), |row| row.documented)
}

/// Goes back to the documented numbers where the fit is not adopted. A family that a fit is judged by says nothing to that, or its
/// error would be that of the better one of two predictions, chosen with the figure in sight: the others decide for it.
fn keep_documented(rows: &mut [RowRecord], without: &mut BTreeMap<String, Values>) {
    let kept: Vec<String> =
        without.keys().filter(|family| !is_better(rows, Some(family.as_str()))).cloned().collect();
    if !is_better(rows, None) {
        rows.iter_mut().for_each(|row| row.in_sample = row.documented);
    }
    for family in kept {
        without.insert(family.clone(), Values::new());
        let of_family = rows.iter_mut().filter(|row| row.family == family);
        of_family.for_each(|row| row.out_of_sample = row.documented);
    }
}

/// Every figure by the documented numbers, by those fitted to all figures and by those fitted without its family.
fn predicted(
    corpus: &Corpus,
    fit: &Fit,
    all: &Values,
    without: &BTreeMap<String, Values>,
) -> std::result::Result<Vec<RowRecord>, PredictError> {
    let mut rows = Vec::new();
    for (index, datum) in corpus.data.iter().enumerate() {
        let typical = |values: &Values| corpus.typical(index, &fit.core(values));
        rows.push(RowRecord {
            kind: "fit_row",
            cpu: fit.core(&Values::new()).name,
            row: datum.title.clone(),
            family: datum.family.clone(),
            published: datum.published,
            documented: typical(&Values::new())?,
            in_sample: typical(all)?,
            out_of_sample: typical(&without[&datum.family])?,
            spread: 0.0,
        });
    }
    Ok(rows)
}

/// Mean absolute error over families, in percent.
fn mean<'a>(rows: impl IntoIterator<Item = &'a RowRecord>, predicted: impl Fn(&RowRecord) -> f64) -> f64 {
    let mut families: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for row in rows {
        families.entry(row.family.as_str()).or_default().push((predicted(row) / row.published - 1.0).abs());
    }
    let means = families.values().map(|errors| errors.iter().sum::<f64>() / errors.len() as f64);
    100.0 * means.sum::<f64>() / families.len().max(1) as f64
}

fn print_records(found: &Found) {
    for number in &found.numbers {
        let record = NumberRecord {
            kind: "fit_number",
            cpu: &found.cpu.name,
            key: &number.key,
            documented: number.prior,
            range: number.range.into(),
            fitted: number.value,
            believable: number.believable.into(),
            figures_count: number.figures,
            is_determined: number.is_determined(),
        };
        println!("{}", record.to_line());
    }
    found.rows.iter().for_each(|row| println!("{}", row.to_line()));
}

fn report(found: &Found) -> Report {
    let mut report = Report::new(&format!("{}: numbers of which only a range is known", found.cpu.title()));
    let section = report.section("").table(numbers_table(found)).table(rows_table(found));
    for sentence in sentences(found) {
        section.paragraph(&sentence);
    }
    report
}

fn numbers_table(found: &Found) -> Table {
    let mut table = Table::new(
        "What the figures say of each number that moves one",
        "documented: before any fit; fitted: least error and distance from the documented values (crates/predict/src/fit.rs); \
         believable: values that cost little more",
    );
    let key = table.text_column("number");
    let documented = table.text_column("documented");
    let range = table.text_column("range");
    let fitted = table.text_column("fitted");
    let believable = table.text_column("believable");
    let figures = table.text_column("figures");
    let verdict = table.text_column("by the figures");
    for number in found.numbers.iter().filter(|number| number.figures > 0) {
        let row = table.row();
        table.set(row, key, number.key.as_str()).set(row, documented, number.prior.to_string());
        table.set(row, range, format!("{}..{}", number.range.0, number.range.1));
        table.set(row, fitted, number.value.to_string());
        table.set(row, believable, format!("{}..{}", number.believable.0, number.believable.1));
        table.set(row, figures, number.figures.to_string());
        table.set(row, verdict, if number.is_determined() { "determined" } else { "not determined" });
    }
    table
}

fn rows_table(found: &Found) -> Table {
    let mut table = Table::new(
        "Each figure, predicted by three sets of numbers",
        "errors in percent of the published figure; out of sample: by numbers fitted without the row's family",
    );
    let title = table.text_column("row");
    let published = table.published_column("", "", 2);
    let unseen = table.predicted_column("out of sample", "", 2);
    let columns = ["out of sample", "in sample", "documented"].map(|name| table.derived_column(name, "%", 1));
    for one in &found.rows {
        let row = table.row();
        table.set(row, title, one.row.as_str()).set(row, published, Published(one.published));
        table.set(row, unseen, Predicted(one.out_of_sample));
        for (column, value) in columns.iter().zip([one.out_of_sample, one.in_sample, one.documented]) {
            table.set(row, *column, Derived::from(100.0 * (value / one.published - 1.0)));
        }
    }
    table
}

fn sentences(found: &Found) -> Vec<String> {
    let unmoved = found.numbers.iter().filter(|number| number.figures == 0).count();
    let of = |predicted: fn(&RowRecord) -> f64| mean(&found.rows, predicted);
    let verdict = match found.adopted {
        Some(_) => "The fit predicts families that it has not seen better than the documented numbers do.",
        None => {
            "Fitting predicts families not seen no better, by a tenth, than the documented numbers do: those are kept."
        }
    };
    vec![
        format!(
            "Mean absolute error over {} families: {:.1} % out of sample, {:.1} % in sample, {:.1} % by the documented numbers. \
             {verdict}",
            found.error.families,
            of(|row| row.out_of_sample),
            of(|row| row.in_sample),
            of(|row| row.documented)
        ),
        format!(
            "Error of the model, without what ranges and places explain, and with what is believed of it before: {:.1} %. \
             {unmoved} of {} numbers with a range move no figure, so no figure says anything of them.",
            100.0 * found.error.log,
            found.numbers.len()
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Documented numbers that are a tenth off everywhere, and fits without each family that are off by that many percent.
    fn of(errors: [(&str, f64); 3]) -> (Vec<RowRecord>, BTreeMap<String, Values>) {
        let row = |(family, percent): (&str, f64)| RowRecord {
            kind: "fit_row",
            cpu: "power7".to_owned(),
            row: family.to_owned(),
            family: family.to_owned(),
            published: 100.0,
            documented: 110.0,
            in_sample: 100.0,
            out_of_sample: 100.0 + percent,
            spread: 0.0,
        };
        let fitted =
            |(family, _): (&str, f64)| (family.to_owned(), Values::from([("drain".to_owned(), 9.0)]));
        (errors.map(row).into(), errors.map(fitted).into())
    }

    #[test]
    fn a_family_does_not_decide_by_its_own_error_whether_its_fit_is_adopted() {
        for own in [0.0, 5.0, 20.0, 500.0] {
            // The others are no better by their fits; then they are, by far.
            for (others, adopted) in [(10.0, false), (1.0, true)] {
                let (mut rows, mut without) = of([("one", own), ("two", others), ("three", others)]);
                keep_documented(&mut rows, &mut without);
                assert_eq!(
                    rows[0].out_of_sample,
                    if adopted { 100.0 + own } else { 110.0 },
                    "{own} {others}"
                );
                assert_eq!(!without["one"].is_empty(), adopted, "{own} {others}");
            }
        }
    }

    #[test]
    fn all_figures_decide_about_the_fit_to_all() {
        for (errors, adopted) in
            [([8.5, 8.5, 8.5], true), ([9.5, 9.5, 9.5], false), ([0.0, 0.0, 50.0], false)]
        {
            let (mut rows, mut without) = of([("one", errors[0]), ("two", errors[1]), ("three", errors[2])]);
            assert_eq!(is_better(&rows, None), adopted);
            keep_documented(&mut rows, &mut without);
            assert!(rows.iter().all(|row| row.in_sample == if adopted { 100.0 } else { 110.0 }));
        }
    }

    #[test]
    fn the_only_family_is_predicted_by_documented_numbers() {
        let (mut rows, mut without) = of([("one", 0.0); 3]);
        keep_documented(&mut rows, &mut without);
        assert!(rows.iter().all(|row| row.out_of_sample == 110.0) && without["one"].is_empty());
    }
}
