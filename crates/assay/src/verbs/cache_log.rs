// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `cache-log`: the library in libs/cache_log on this machine: what restoring gains, costs and loses, and its tool for
//! pages of files. libs/cache_log/README.md is the manual.

mod bench;
mod cases;
mod judge;
mod program;
mod table;

use crate::context::{Context, Outcome};
use lab::Result;

/// Options of `cache-log`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Restoring in time slices and ahead of coroutines, measured here against doing nothing and never evicting
    Bench(bench::Args),
    /// Which pages of a file are in the page cache: record them, restore them (cache-log-pages; needs no setup once built)
    Pages(PagesArgs),
}

/// What is handed to the tool, --help included.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
struct PagesArgs {
    /// As in `cache-log-pages --help`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    arguments: Vec<String>,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    match &args.action {
        Action::Bench(args) => bench::run(context, args),
        Action::Pages(args) => program::pages(context, &args.arguments),
    }
}
