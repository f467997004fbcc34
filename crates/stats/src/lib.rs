// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Statistics of measured times: medians, intervals, verdicts. Pure functions: numbers in, numbers or a reason out.
//!
//! # What is observed
//! One process gives one number: the median over its samples (`lab` takes it). Within a process samples repeat almost
//! exactly; between processes they do not, because pages, addresses and neighbours differ. Ten thousand samples of one
//! process are therefore one observation of what a user will see, not ten thousand, and every function here takes one
//! value per *process*. Variants take turns: each *round* runs one process of every variant, each before each other in half of
//! the rounds, so what drifts (clock, temperature, load) hits all variants of a round.
//!
//! # What is estimated
//! The median over all the processes that could have been run, and the ratio of two such medians. Not the mean: one
//! process that was disturbed must not move the answer. Not the minimum: it says what can happen, not what does.
//!
//! # How sure that is
//! * [`median_interval`]: the 95 % interval of one median, from order statistics: the number of values below the true
//!   median is binomial whatever the distribution. Interpolated between neighbouring order statistics after Hettmansperger
//!   and Sheather (Statistics & Probability Letters 4, 1986), since few exact levels exist for few values.
//! * [`compare`]: the 95 % interval of the ratio of two medians, by the percentile bootstrap that draws whole rounds (or,
//!   for runs that were made apart, the processes of each side on their own).
//! * [`share_interval`]: the 95 % interval of a probability from how often something happened, exact for the binomial.
//!
//! Both were chosen by simulation, which `tests/coverage.rs` repeats in short and `cargo run --release -p stats --example
//! coverage` at length: for normal, skewed, heavy-tailed, bimodal and unequal distributions the interval holds the
//! true ratio in 93 to 97 of 100 experiments from [`PROCESSES_MIN`] processes on (94.0 to 96.5 in 20,000 of each kind).
//! Intervals of Student's t on logarithms and of Wilcoxon's signed ranks are as good while both variants scatter alike,
//! and fail (down to 37 and 67 %) where one has a slow mode that the other lacks: they follow the mean or the middle of
//! the differences, not the medians. Drift that is common to a round, and clocks that are coarse, make the interval too
//! wide, never too narrow.
//!
//! # What is refused
//! Too few processes, a time that is not a positive number, variants with unequal numbers of rounds, an interval without any
//! width (a clock too coarse to see the scatter): each is a [`NoInterval`] with its reason, and without an interval there is
//! no verdict. An interval that holds 1 is "no difference shown", which is not "equal". Of a hundred comparisons of equal
//! variants two to five show a difference by chance, since interval and permutation test have to agree: keep that in mind when
//! reading a table of many verdicts. It holds for two variants that were chosen before they were measured.

mod compare;
mod interval;
mod quantile;
mod random;
mod share;
mod student;

pub use compare::{compare, compare_with, Comparison, Sampling, Verdict, RESAMPLES};
pub use interval::{median_interval, Interval, NoInterval, PROCESSES_MIN};
pub use quantile::{median, quantile};
pub use random::SplitMix64;
pub use share::share_interval;
pub use student::{student_quantile, student_share};
