// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `completions` and `man`: generated from the definition that the command line is parsed by, so they cannot differ from it.

use crate::context::{Context, Outcome};
use clap_complete::Shell;
use lab::output::Output;
use lab::{Problem, Result};
use std::path::PathBuf;

/// Options of `completions`.
#[derive(clap::Args)]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// Options of `man`.
#[derive(clap::Args)]
pub struct ManArgs {
    /// Folder for the pages, one for each verb; it is made if it is not there (default: the first page, on standard output:
    /// ./assay man | man -l -)
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Prints the completions of a shell: `source <(./assay completions bash)`.
pub fn run(context: &Context, mut command: clap::Command, args: &Args) -> Result<Outcome> {
    refuse_json(context, "completions")?;
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "assay", &mut text);
    print!("{}", String::from_utf8_lossy(&text));
    Ok(Outcome::Fine)
}

/// Writes the manual pages.
pub fn man(context: &Context, command: clap::Command, args: &ManArgs) -> Result<Outcome> {
    refuse_json(context, "man")?;
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.folder else {
        let mut page = Vec::new();
        // Writing to a Vec cannot fail.
        let _ = clap_mangen::Man::new(command).render(&mut page);
        print!("{}", String::from_utf8_lossy(&page));
        return Ok(Outcome::Fine);
    };
    std::fs::create_dir_all(folder).map_err(|error| Problem::io("make the folder", folder, &error))?;
    let mut pages = 0;
    let mut next = vec![command];
    while let Some(command) = next.pop() {
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        next.extend(command.get_subcommands().cloned());
        let mut page = Vec::new();
        let path = folder.join(format!("{name}.1"));
        let rendered = clap_mangen::Man::new(command).render(&mut page);
        rendered.map_err(|error| Problem::io("write the page", &path, &error))?;
        Output::new(&path)?.write(&page)?;
        pages += 1;
    }
    context.progress(&format!("wrote {pages} pages; man -l {}", folder.join("assay.1").display()));
    Ok(Outcome::Fine)
}

/// What these verbs print is read by a shell or by man: a program that asks for records must not be given that instead.
fn refuse_json(context: &Context, verb: &str) -> Result<()> {
    if context.json {
        return Err(
            Problem::new(format!("`{verb}` has no records to print as JSON")).remedy("leave out --json")
        );
    }
    Ok(())
}
