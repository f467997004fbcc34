// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Variants that stand in no library: a file named on the command line, such as a kernel's own assembly.

use crate::build::foreign_name;
use crate::discover::{is_source, variant_or_defect, Variant};
use crate::hotpath::HotPath;
use crate::problem::{Problem, Result};
use arch::Arch;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

/// Makes a variant of a C, assembly or object file, built through `runner/compat` and judged like our own.
pub fn variant(hotpath: &Arc<HotPath>, arch: Arch, path: &Path) -> Result<Variant> {
    if path.extension().is_some_and(|ending| ending == "trace") {
        return Err(Problem::new("is a recorded trace, which is judged by itself")
            .at(path.display())
            .remedy(
                "leave out the hot path before it; ./assay predict, explain, hot and compare take traces",
            ));
    }
    if !is_source(path) {
        return Err(Problem::new("is no C, assembly or object file")
            .at(path.display())
            .remedy("name a file that ends in .c, .S, .s or .o"));
    }
    let readable = readable(path);
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
    if let Err(problem) = readable {
        variant.defect = Some(problem);
    }
    variant.foreign = true;
    // Kernel code may read what it does not use of an aligned word (arm64's csum.c says so of itself).
    variant.keys.reads_aligned_words = true;
    Ok(variant)
}

/// Fails if there is no file that can be read; that is the user's mistake and no verdict on a variant.
fn readable(path: &Path) -> Result<()> {
    let wrong = |what: String, remedy: &str| Err(Problem::new(what).at(path.display()).remedy(remedy));
    let name_files = "after the hot path, name C, assembly or object files";
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            wrong("there is no such file".to_owned(), name_files)
        }
        Err(error) => wrong(format!("cannot be found: {error}"), name_files),
        Ok(metadata) if metadata.is_dir() => wrong("is a folder and no file".to_owned(), name_files),
        Ok(metadata) if !metadata.is_file() => {
            wrong("is a pipe or a device and no file".to_owned(), name_files)
        }
        Ok(_) => fs::File::open(path)
            .map(drop)
            .or_else(|error| wrong(format!("cannot be read: {error}"), "make it readable for this user")),
    }
}
