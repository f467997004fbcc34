// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! By how much published figures of the same code differ, and so how well a difference of two figures is known: a smaller
//! published difference shows nothing, whatever is predicted.

use crate::study_file::Study;
use crate::verbs::study_rerun::Rerun;
use stats::student_quantile;
use std::collections::BTreeMap;

/// The scatter of one cpu's published figures.
pub struct Scatter {
    /// Half the width of the 95 % interval of a difference of two rows, in cycles.
    pub half_width_cycles: f64,
    /// Groups of rows in which the same instructions ran.
    pub groups_count: usize,
    /// Rows in them.
    pub rows_count: usize,
}

/// The scatter of each cpu that has two or more figures of the same code.
pub fn by_cpu(study: &Study, reruns: &[Rerun]) -> BTreeMap<String, Scatter> {
    let mut groups: BTreeMap<String, BTreeMap<_, Vec<f64>>> = BTreeMap::new();
    for rerun in reruns {
        let row = &rerun.row;
        let cpu = row.cpu.as_ref().unwrap_or(&study.cpu);
        let cycles = row.published * row.clock_mhz.unwrap_or(study.clock_mhz) / 1000.0;
        // Rows of one variant differ in their case only, so equal numbers of instructions mean the same instructions.
        let code = (&row.hotpath, &row.variant, rerun.instructions);
        groups.entry(cpu.clone()).or_default().entry(code).or_default().push(cycles);
    }
    let scatters = groups.into_iter().map(|(cpu, codes)| {
        let alike: Vec<Vec<f64>> = codes.into_values().filter(|cycles| cycles.len() > 1).collect();
        (cpu, of_groups(&alike))
    });
    scatters.filter_map(|(cpu, scatter)| Some((cpu, scatter?))).collect()
}

/// Standard deviation within the groups, pooled, and Student's quantile for a difference of two.
fn of_groups(groups: &[Vec<f64>]) -> Option<Scatter> {
    let mean = |group: &[f64]| group.iter().sum::<f64>() / group.len() as f64;
    let squares = |group: &Vec<f64>| group.iter().map(|cycles| (cycles - mean(group)).powi(2)).sum::<f64>();
    let rows_count: usize = groups.iter().map(Vec::len).sum();
    let freedom = (rows_count - groups.len()) as f64;
    let quantile = student_quantile(0.975, freedom)?;
    let deviation = (groups.iter().map(squares).sum::<f64>() / freedom).sqrt();
    Some(Scatter {
        half_width_cycles: quantile * deviation * 2f64.sqrt(),
        groups_count: groups.len(),
        rows_count,
    })
}

#[cfg(test)]
mod tests {
    use super::of_groups;

    #[test]
    fn groups_are_pooled_and_a_difference_holds_to_students_quantile() {
        // Deviations 1 and 1 about each mean: 4 over 2 degrees of freedom, Student's 4.303.
        let scatter = of_groups(&[vec![10.0, 12.0], vec![50.0, 52.0]]).expect("two groups");
        assert_eq!((scatter.groups_count, scatter.rows_count), (2, 4));
        assert!((scatter.half_width_cycles - 4.303 * 2.0).abs() < 0.01, "{}", scatter.half_width_cycles);
    }

    #[test]
    fn without_two_figures_of_one_code_nothing_is_known() {
        assert!(of_groups(&[]).is_none());
    }
}
