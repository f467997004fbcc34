// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Results for programs: one JSON object a line, the same on every verb. The only JSON writer of the tool.
//!
//! Names end in their unit (`median_ns`, `coverage_percent`); a name without one is a count, a ratio or a text. What is not
//! known is absent, never `null` and never 0.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// What can be written as a line of JSON: any serializable struct, so that a library's own verb can bring its own kind.
pub trait Record: Serialize {
    /// The record as one line, without the line end. A number that is not finite has no JSON form: it is left out, and its
    /// field is listed in `not_finite`, so that it can be taken neither for a result nor for nothing.
    fn to_line(&self) -> String {
        let mut value = serde_json::to_value(self).expect("records have text keys and no failing fields");
        let mut not_finite = Vec::new();
        if let Value::Object(fields) = &mut value {
            remove_nulls(fields, "", &mut not_finite);
            if !not_finite.is_empty() {
                fields.insert("not_finite".to_owned(), not_finite.into());
            }
        }
        value.to_string()
    }

    /// Writes the line and its end.
    ///
    /// # Errors
    /// Those of the writer.
    fn write_line(&self, writer: &mut dyn Write) -> io::Result<()> {
        writeln!(writer, "{}", self.to_line())
    }
}

impl<T: Serialize> Record for T {}

/// serde_json turns infinities and NaN into null, and our absent options are skipped, so a null is a lost number.
fn remove_nulls(fields: &mut Map<String, Value>, path: &str, removed: &mut Vec<String>) {
    let names: Vec<String> = fields.keys().cloned().collect();
    for name in names {
        let full_name = format!("{path}{name}");
        let lost = match &mut fields[&name] {
            Value::Null => true,
            Value::Array(values) => values.iter().any(Value::is_null),
            Value::Object(inner) => {
                remove_nulls(inner, &format!("{full_name}."), removed);
                false
            }
            _ => false,
        };
        if lost {
            fields.remove(&name);
            removed.push(full_name);
        }
    }
}

/// What every record of a variant has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Common {
    /// What the record is: `check`, `count`, `prediction`, `measurement`, `compare`, `study`.
    pub kind: String,
    /// The hot path, such as `csum_partial`.
    pub hotpath: String,
    /// The variant, such as `uint128`.
    pub variant: String,
    /// GNU name of the architecture, such as `powerpc64le`.
    pub arch: String,
    /// The case; empty where the record is about all of them.
    #[serde(default)]
    pub case: BTreeMap<String, u64>,
    /// Name and version of the compiler; empty, and not in JSON, if nothing was compiled.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub compiler: String,
    /// The version of Assay that wrote the record.
    pub assay_version: String,
}

impl Common {
    /// A record's head, with no case and no compiler yet.
    pub fn new(kind: &str, hotpath: &str, variant: &str, arch: &str) -> Common {
        Common {
            kind: kind.to_owned(),
            hotpath: hotpath.to_owned(),
            variant: variant.to_owned(),
            arch: arch.to_owned(),
            case: BTreeMap::new(),
            compiler: String::new(),
            assay_version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// Is the variant right?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// Kind `check`.
    #[serde(flatten)]
    pub common: Common,
    /// What it ran on: QEMU with its version and `-cpu`, or the machine itself; empty if it never ran.
    pub engine: String,
    /// The verdict; absent where the variant could not be run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ok: Option<bool>,
    /// How many cases were compared with the reference; absent where the check did not come to its end.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cases_count: Option<u64>,
    /// What went wrong, or why it was not run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure: Option<String>,
    /// The command that runs the check up to the call that went wrong.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub again: Option<String>,
    /// The line that stops in a debugger right before that call.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub debugger: Option<String>,
}

/// What one call executes, exactly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountRecord {
    /// Kind `count`.
    #[serde(flatten)]
    pub common: Common,
    /// What it ran on.
    pub engine: String,
    /// Instructions in a call.
    pub instructions: u64,
    /// Memory accesses that read.
    pub loads: u64,
    /// Memory accesses that write.
    pub stores: u64,
    /// Branch instructions, taken or not.
    pub branches: u64,
}

/// Cycles on a cpu that is described, not present.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PredictionRecord {
    /// Kind `prediction`.
    #[serde(flatten)]
    pub common: Common,
    /// The cpu description, such as `la464`.
    pub cpu: String,
    /// Core cycles of a call.
    pub cycles: f64,
    /// The 90 % interval of a call's cycles on a real core of that kind: error of the model on published figures, ranges of
    /// numbers not known, placement of the code.
    pub interval_cycles: [f64; 2],
    /// The clock with which cycles become time.
    pub clock_mhz: f64,
    /// Time of a call at that clock.
    pub time_ns: f64,
    /// Bytes worked on in a cycle, where the case has a size.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bytes_per_cycle: Option<f64>,
    /// Fewest and most cycles with the code at each place in a fetch block; absent where the cpu has one place.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub alignment_cycles: Option<[f64; 2]>,
    /// How the cycles move on cores drawn from the ranges of the cpu's numbers, as logarithms, for intervals of ratios; not
    /// written.
    #[serde(skip)]
    pub draws: Vec<f64>,
    /// Bytes by which the code stands further on than in the trace, and the cycles there, for each place in a fetch block; not written.
    #[serde(skip)]
    pub placed_cycles: Vec<(u64, f64)>,
    /// Where most stall cycles go.
    pub chief_stall: String,
    /// The resource whose removal saves most, by experiment; only of the fastest variant of a cpu and case.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bound_by: Option<String>,
    /// Cycles without it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cycles_without: Option<f64>,
    /// Share of the executed instructions whose timing the cpu file describes.
    pub coverage_percent: f64,
    /// How far the cycles move when each guessed number in turn takes the ends of its range; where `bound_by` is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub guessed_spread_percent: Option<f64>,
}

/// The machine that a measurement was made on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineRecord {
    /// The processor's own name.
    pub processor: String,
    /// Family, model and stepping where the processor tells them.
    pub identification: String,
    /// How many processors there are.
    pub processors_count: usize,
    /// Kernel release.
    pub kernel: String,
    /// Whether a hypervisor stands between us and the processor.
    pub virtualised: bool,
}

/// Time on a real machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasurementRecord {
    /// Kind `measurement`.
    #[serde(flatten)]
    pub common: Common,
    /// Where.
    pub machine: MachineRecord,
    /// Median over processes of the time of a call.
    pub median_ns: f64,
    /// Its 95 % interval; absent where there is none, and then `no_interval` says why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interval_ns: Option<[f64; 2]>,
    /// Why there is no interval.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub no_interval: Option<String>,
    /// Median over processes of the core cycles of a call, where the runner can tell them from the counter's ticks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub median_cycles: Option<f64>,
    /// Bytes worked on in a core cycle, where both are known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bytes_per_cycle: Option<f64>,
    /// Processes, the unit that varies.
    pub processes_count: usize,
    /// Of each process, in the order in which they ran, the median of its samples of a call.
    #[serde(default)]
    pub process_ns: Vec<f64>,
    /// The same in core cycles, where these are known.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub process_cycles: Vec<f64>,
    /// By how many bytes the code stood further on in each process than where the linker puts it without room in front.
    #[serde(default)]
    pub process_place_bytes: Vec<u64>,
}

/// Variant a against variant b.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareRecord {
    /// Kind `compare`; the variant is a.
    #[serde(flatten)]
    pub common: Common,
    /// The first variant.
    pub a: String,
    /// The second.
    pub b: String,
    /// What is compared, with its unit: `measured time_ns`, `predicted cycles`, `instructions`.
    pub quantity: String,
    /// a over b.
    pub ratio: f64,
    /// The 95 % interval of the ratio of measurements, or the 90 % interval of that of predictions.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interval: Option<[f64; 2]>,
    /// `faster`, `slower`, `no difference shown`; absent where there is none, and then `no_verdict` says why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub verdict: Option<String>,
    /// Why there is no verdict.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub no_verdict: Option<String>,
    /// The cpu of a prediction.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cpu: Option<String>,
    /// Cycles of a and b: predicted, or measured where this machine's clock is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cycles: Option<[f64; 2]>,
    /// Measured nanoseconds of a and b, the medians.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time_ns: Option<[f64; 2]>,
    /// Of a prediction: shares of the executed instructions of a and b whose timing the cpu file describes. Without all of both
    /// there is no verdict.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coverage_percent: Option<[f64; 2]>,
    /// What a predicted verdict rests on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rests_on: Option<RestsOnRecord>,
}

/// How a predicted verdict depends on what is not known of the cpu and of the placement of the code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RestsOnRecord {
    /// Whether it is the same at both ends of every guessed number's range.
    pub survives_guesses: bool,
    /// The guesses that change it.
    pub turned_by: Vec<GuessRecord>,
    /// The guess that comes nearest to changing it, where none does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub nearest: Option<GuessRecord>,
    /// Whether it is the same at every place of either's code in a fetch block.
    pub survives_alignments: bool,
    /// Fewest and most cycles of a over these places.
    pub a_alignment_cycles: [f64; 2],
    /// The same of b.
    pub b_alignment_cycles: [f64; 2],
}

/// One guessed number, and what is left of a verdict at one end of its range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuessRecord {
    /// The number's key in the cpu file.
    pub key: String,
    /// The guess.
    pub guess: f64,
    /// Its range.
    pub range: [f64; 2],
    /// The value from which on, going from the guess to the end, the verdict changes; absent where it does not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub turns_at: Option<f64>,
    /// The end of the range.
    pub end: f64,
    /// Cycles of a there.
    pub a_cycles: f64,
    /// Cycles of b there.
    pub b_cycles: f64,
}

/// One row of a published table, next to ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyRecord {
    /// Kind `study`.
    #[serde(flatten)]
    pub common: Common,
    /// The study's file name without its ending.
    pub study: String,
    /// The row, as the study names it.
    pub row: String,
    /// What the figure is, such as `time per call`.
    pub quantity: String,
    /// Its unit.
    pub unit: String,
    /// The published figure.
    pub published: f64,
    /// Scatter of the publication, where it gives one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub published_scatter_percent: Option<f64>,
    /// Ours, if it was predicted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub predicted: Option<f64>,
    /// Ours, if it was counted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub counted: Option<f64>,
    /// The 90 % interval of the prediction, in its unit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interval: Option<[f64; 2]>,
    /// Of a prediction: the share of the executed instructions whose timing the cpu file describes; of two codes the lower one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coverage_percent: Option<f64>,
    /// Lowest and highest prediction over the places of the code in a fetch block.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub over_alignments: Option<[f64; 2]>,
    /// (ours - published) / published; a difference has none, since a percentage of a small one says nothing.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error_percent: Option<f64>,
    /// Whether a number of the cpu file was fitted to this figure: such a row proves nothing.
    pub used_for_fit: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare() -> CompareRecord {
        CompareRecord {
            common: Common::new("compare", "csum_partial", "uint128", "loongarch64"),
            a: "uint128".to_owned(),
            b: "asm".to_owned(),
            quantity: "measured time_ns".to_owned(),
            ratio: 0.8,
            interval: Some([0.79, 0.81]),
            verdict: Some("faster".to_owned()),
            no_verdict: None,
            cpu: None,
            cycles: None,
            time_ns: None,
            coverage_percent: None,
            rests_on: None,
        }
    }

    #[test]
    fn a_record_is_one_line_and_reads_back() {
        let mut record = compare();
        record.a = "two\nlines \u{2028} \"quoted\" \u{1b}[31m".to_owned();
        let line = record.to_line();
        assert!(!line.contains('\n') && !line.contains('\u{1b}'), "{line}");
        assert_eq!(serde_json::from_str::<CompareRecord>(&line).unwrap(), record);
        assert!(
            line.contains(r#""kind":"compare""#) && !line.contains("null") && !line.contains("no_verdict")
        );
    }

    #[test]
    fn numbers_without_a_json_form_are_named_not_nulled() {
        let record = CompareRecord { ratio: f64::NAN, interval: Some([0.5, f64::INFINITY]), ..compare() };
        let value: Value = serde_json::from_str(&record.to_line()).unwrap();
        assert_eq!(value.get("ratio"), None);
        assert_eq!(value.get("interval"), None);
        assert_eq!(value["not_finite"], serde_json::json!(["interval", "ratio"]));
    }

    #[test]
    fn any_serializable_struct_is_a_record() {
        #[derive(Serialize)]
        struct Own {
            kind: &'static str,
            inner: BTreeMap<&'static str, f64>,
        }
        let own = Own { kind: "pingpong", inner: BTreeMap::from([("switch_ns", f64::NAN), ("ok_ns", 1.5)]) };
        assert_eq!(
            own.to_line(),
            r#"{"inner":{"ok_ns":1.5},"kind":"pingpong","not_finite":["inner.switch_ns"]}"#
        );
    }
}
