// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Writes the packet programs as hot paths: `write_packets CHECKOUT FOLDER`, then `./assay count -d FOLDER`.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().collect();
    let [_, checkout, folder] = words.as_slice() else {
        eprintln!("usage: write_packets CHECKOUT FOLDER");
        return ExitCode::from(2);
    };
    match jit_compare::write_hotpaths(Path::new(checkout), Path::new(folder)) {
        Ok(names) => {
            println!("{}", names.join(" "));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
