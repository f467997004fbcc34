// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Variants that stand in no library: a file named on the command line, such as a kernel's own assembly.

use crate::build::foreign_name;
use crate::discover::{variant_or_defect, Variant};
use crate::hotpath::HotPath;
use crate::problem::{Problem, Result};
use arch::Arch;
use std::path::Path;
use std::sync::Arc;

/// Makes a variant of a C, assembly or object file, built through `runner/compat` and judged like our own.
pub fn variant(hotpath: &Arc<HotPath>, arch: Arch, path: &Path) -> Result<Variant> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    if !matches!(ending.as_str(), "c" | "S" | "s" | "o") {
        return Err(Problem::new("is no C, assembly or object file")
            .at(path.display())
            .remedy("name a file that ends in .c, .S, .s or .o"));
    }
    let found = variant_or_defect(hotpath, arch, path, &foreign_name(path));
    let mut variant = found.ok_or_else(|| {
        Problem::new(format!("claims what {arch} has not")).at(path.display()).remedy("choose another -a")
    })?;
    if !variant.keys.needs.is_empty() {
        let problem = Problem::new("'assay-needs' works only inside a library folder")
            .at(path.display())
            .remedy("put the file into a folder of the library's shape and give it with -d");
        variant.defect = Some(problem.of_variant());
    }
    variant.foreign = true;
    // Kernel code may read what it does not use of an aligned word (arm64's csum.c says so of itself).
    variant.keys.reads_aligned_words = true;
    Ok(variant)
}
