// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `assay`: the command. Each verb has a file in `verbs/`; this file parses the command line and turns the outcome into
//! an exit status: 0 fine, 1 something failed, 2 usage or environment.

/// The standard macro panics where standard error cannot be written (a full disk). A message is lost there and nothing else: the
/// run goes on to the status that it has.
macro_rules! eprint {
    ($($words:tt)*) => {
        // Without a place for messages, there is none for what is wrong with it.
        drop(std::io::Write::write_fmt(&mut std::io::stderr(), format_args!($($words)*)))
    };
}
macro_rules! eprintln {
    ($($words:tt)*) => {
        eprint!("{}\n", format_args!($($words)*))
    };
}

mod context;
mod corpus;
mod counting;
mod coverage;
mod cpus;
mod fitting;
mod gate;
mod hot_loop;
mod interrupt;
mod judge;
mod least;
mod limits;
mod measuring;
mod naming;
mod numbers;
mod program;
mod progress;
mod rivals;
mod select;
mod standard_output;
mod study_file;
mod verbs;
mod version;
mod winners;
mod work;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: limits::Allocator = limits::Allocator;

/// A laboratory for architecture-specific hot paths: is it right, what does it gain, on which CPU?
#[derive(Parser)]
#[command(name = "assay", max_term_width = 100)]
#[command(
    after_help = "Exit status: 0 fine, 1 something that was judged failed, 2 wrong usage or environment. A slower \
    variant is a result and no failure, except to kernel compare and vdso bench --judge.\n\
    A prediction is never shown as a measurement; docs/method.md says how each number is made."
)]
struct Cli {
    /// Print JSON lines on stdout instead of tables
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Libraries, hot paths and variants, and what each variant runs on
    List(verbs::list::Args),
    /// Is it right? Check variants against the reference, under the oldest CPU that they claim
    Check(verbs::check::Args),
    /// Is it right for all inputs? Straight-line byte swaps, proved by an SMT solver from the assembled bytes
    Prove(verbs::prove::Args),
    /// Instructions, loads, stores and branches that one call executes, exactly
    Count(verbs::count::Args),
    /// Cycles on CPUs that you do not have, from a recorded trace and a description of the CPU
    Predict(verbs::predict::Args),
    /// Time on this machine, variants interleaved over several processes, with intervals
    Measure(verbs::measure::Args),
    /// Which variant is better, measured here and predicted elsewhere, with a verdict for each pair
    Compare(verbs::compare::Args),
    /// Re-run a published table and show published and own figures side by side
    Study(verbs::study::Args),
    /// The table that a patch needs: terminal, mail, markdown or html
    Report(verbs::report::Args),
    /// A variant's machine code with its source lines, as one compiler makes it or two
    Code(verbs::code::Args),
    /// Record any foreign Linux program, or one of its functions, as a trace
    Trace(verbs::trace::Args),
    /// Programs of other architectures to record: unpack Debian's, build your own
    Foreign(verbs::foreign::Args),
    /// Where a recorded program's instructions and predicted cycles go: functions, lines, instructions
    Hot(verbs::hot::Args),
    /// What bounds a variant on a CPU, by experiment; what the answer rests on; a timeline
    Explain(verbs::explain::Args),
    /// Move the uncertain numbers of a cpu to where published figures are met best, and judge the fit by what it has not seen
    Fit(verbs::fit::Args),
    /// A CPU's description, with the source of each number
    Cpu(verbs::cpu::Args),
    /// Every published figure that we hold, against the model, llvm-mca and the trivial bound
    Validate(verbs::validate::Args),
    /// eBPF programs: run, disassemble, verify, statistics, machine code, conformance
    #[command(subcommand)]
    Ebpf(verbs::ebpf::Action),
    /// Does a context switch keep what the ABI says a call keeps? Ours, the C library's, Boost's, or yours
    Regcheck(verbs::regcheck::Args),
    /// Context switches per second on this machine, with every combination of facilities touched
    Pingpong(verbs::pingpong::Args),
    /// vDSO images: build, list, hold against the system calls and hostile pages, time beside the kernel's
    Vdso(verbs::vdso::Args),
    /// Cache log and restore: what it gains on this machine; which pages of a file are cached
    CacheLog(verbs::cache_log::Args),
    /// Linux as the place to judge in: build it with patches, boot it under QEMU, run a workload
    #[command(subcommand)]
    Kernel(verbs::kernel::Action),
    /// What is set up on this machine, what is missing, and how to get it
    Doctor(verbs::doctor::Args),
    /// The main job in a few minutes: the published LoongArch table, the best variants, this machine
    Demo(verbs::demo::Args),
    /// Completions of all verbs and options for a shell
    Completions(verbs::completions::Args),
    /// Manual pages of all verbs
    Man(verbs::completions::ManArgs),
    /// The figures that README and docs show, written anew by the commands that print them
    Bless(verbs::bless::Args),
    /// All tests of the checkout, ending with a count
    Test(verbs::test::Args),
}

/// Verbs that are not watched for silence: `trace` leaves the terminal to the program that it records, and `test`
/// reports its own progress.
const UNWATCHED: [&str; 2] = ["trace", "test"];

/// `./assay` sets this to have the command line judged and nothing done, before it fetches what the verb needs.
const ARGUMENTS_ONLY: &str = "ASSAY_ARGUMENTS_ONLY";

/// The command line as clap knows it.
fn command() -> clap::Command {
    // Asking git for the commit takes a moment, so only --version does.
    let asked = std::env::args_os().skip(1).any(|word| word == "--version" || word == "-V");
    let command =
        Cli::command().version(if asked { version::text().leak() } else { env!("CARGO_PKG_VERSION") });
    taking_negative_numbers(command)
}

/// `--limit -1` gives an option a value that is refused with what it may be. clap would take `-1` for an option, and advise
/// to put `--` before it, which makes it a name of something.
fn taking_negative_numbers(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| {
        let takes_a_value = !arg.is_positional() && arg.get_action().takes_values();
        arg.allow_negative_numbers(takes_a_value)
    });
    command.mut_subcommands(taking_negative_numbers)
}

/// Adds the names that there are to what clap says of an unknown verb or action, where it finds none that is alike.
fn with_verbs(mut told: clap::Error) -> clap::Error {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    if told.kind() != ErrorKind::InvalidSubcommand || told.get(ContextKind::SuggestedSubcommand).is_some() {
        return told;
    }
    let mut command = &Cli::command();
    for word in std::env::args().skip(1) {
        command = command.find_subcommand(&word).unwrap_or(command);
    }
    let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    let tip = format!("there are {}", names.join(", "));
    told.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    told
}

fn main() -> ExitCode {
    restore_signals();
    limits::survive_too_long_files();
    if let Err(problem) = limits::raise_stack() {
        return complain(&problem);
    }
    interrupt::explain_panics();
    interrupt::watch();
    if let Err(problem) = standard_output::check() {
        return complain(&problem);
    }
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        Err(told) if told.kind() == clap::error::ErrorKind::InvalidUtf8 => return complain(&unreadable()),
        Err(told) => return tell(&with_verbs(told)),
    };
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => return tell(&error),
    };
    let context = match context::Context::new(cli.json) {
        Ok(context) => context,
        Err(problem) => return complain(&problem),
    };
    if std::env::var_os(ARGUMENTS_ONLY).is_some() {
        return match look(&context, &cli.verb) {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => complain(&problem),
        };
    }
    interrupt::tidies(&context.workspace);
    if let Some(name) = matches.subcommand_name().filter(|name| !UNWATCHED.contains(name)) {
        progress::watch(name);
    }
    let outcome = match cli.verb {
        Verb::List(args) => verbs::list::run(&context, &args),
        Verb::Check(args) => verbs::check::run(&context, &args),
        Verb::Prove(args) => verbs::prove::run(&context, &args),
        Verb::Count(args) => verbs::count::run(&context, &args),
        Verb::Predict(args) => verbs::predict::run(&context, &args),
        Verb::Measure(args) => verbs::measure::run(&context, &args),
        Verb::Compare(args) => verbs::compare::run(&context, &args),
        Verb::Study(args) => verbs::study::run(&context, &args),
        Verb::Report(args) => verbs::report::run(&context, &args),
        Verb::Code(args) => verbs::code::run(&context, &args),
        Verb::Foreign(args) => verbs::foreign::run(&context, &args),
        Verb::Completions(args) => verbs::completions::run(&context, command(), &args),
        Verb::Man(args) => verbs::completions::man(&context, command(), &args),
        Verb::Trace(args) => verbs::trace::run(&context, &args),
        Verb::Hot(args) => verbs::hot::run(&context, &args),
        Verb::Explain(args) => verbs::explain::run(&context, &args),
        Verb::Fit(args) => verbs::fit::run(&context, &args),
        Verb::Cpu(args) => verbs::cpu::run(&context, &args),
        Verb::Validate(args) => verbs::validate::run(&context, &args),
        Verb::Ebpf(action) => verbs::ebpf::run(&context, &action),
        Verb::Regcheck(args) => verbs::regcheck::run(&context, &args),
        Verb::Pingpong(args) => verbs::pingpong::run(&context, &args),
        Verb::Vdso(args) => verbs::vdso::run(&context, &args),
        Verb::CacheLog(args) => verbs::cache_log::run(&context, &args),
        Verb::Kernel(action) => verbs::kernel::run(&context, &action),
        Verb::Doctor(args) => verbs::doctor::run(&context, &args),
        Verb::Demo(args) => verbs::demo::run(&context, &args),
        Verb::Bless(args) => verbs::bless::run(&context, &args),
        Verb::Test(args) => verbs::test::run(&context, &args),
    };
    match outcome {
        Ok(context::Outcome::Fine) if !context.failed_in_passing() => ExitCode::SUCCESS,
        Ok(context::Outcome::Fine) => ExitCode::from(1),
        Ok(context::Outcome::Failed) => ExitCode::from(1),
        Err(problem) => complain(&problem),
    }
}

/// What can be told of a verb's arguments beyond their form where its set-up is still missing: those of `kernel`, whose set-up takes
/// longest.
fn look(context: &context::Context, verb: &Verb) -> lab::Result<()> {
    match verb {
        Verb::Kernel(action) => action.look(context),
        _ => Ok(()),
    }
}

/// Prints what clap has to say instead of running a verb: the help and the version, which are results, or what is wrong with
/// the command line.
fn tell(told: &clap::Error) -> ExitCode {
    let printed = told.print().and_then(|()| std::io::stdout().flush());
    match printed {
        Err(reason) if !told.use_stderr() => complain(&interrupt::lost_results(&reason)),
        _ => ExitCode::from(u8::try_from(told.exit_code()).unwrap_or(2)),
    }
}

/// The words that are not UTF-8: only files that a verb writes, and options that say so, may be called like that.
fn unreadable() -> lab::Problem {
    let words = std::env::args_os().skip(1).filter(|word| word.to_str().is_none());
    let words: Vec<String> = words.map(|word| lab::process::quoted(&word)).collect();
    lab::Problem::new("a name that is not UTF-8 cannot be taken here")
        .at(words.join(" "))
        .remedy("rename the file, or make a link to it with another name")
}

fn complain(problem: &lab::Problem) -> ExitCode {
    eprintln!("assay: {problem}");
    ExitCode::from(2)
}

/// Lets `assay ... | head` end us quietly, as it does other Unix programs, instead of with a panic. And whoever starts us may have
/// had us ignore the ends of children: then none can be waited for, and `wait_timeout` calls what is no handler.
fn restore_signals() {
    for signal in [libc::SIGPIPE, libc::SIGCHLD] {
        // SAFETY: setting the default disposition before any thread is started.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, Command};

    /// All verbs and their actions, with their options.
    fn every_option(command: &Command, title: &str, look: &mut dyn FnMut(&str, &Arg)) {
        command.get_arguments().for_each(|option| look(title, option));
        for verb in command.get_subcommands() {
            every_option(verb, &format!("{title} {}", verb.get_name()), look);
        }
    }

    #[test]
    fn wherever_several_cpus_architectures_and_variants_may_be_named_commas_part_them() {
        let (mut looked, mut without) = (0, Vec::new());
        every_option(&Cli::command(), "assay", &mut |title, option| {
            let names = ["cpu", "arch", "variant"];
            let is_one = option.get_long().is_some_and(|long| names.contains(&long));
            if is_one && matches!(option.get_action(), clap::ArgAction::Append) {
                looked += 1;
                if option.get_value_delimiter() != Some(',') {
                    without.push(format!("{title} --{}", option.get_long().unwrap_or_default()));
                }
            }
        });
        assert!(looked > 20 && without.is_empty(), "of {looked}: {without:?}");
    }

    #[test]
    fn verbs_that_are_not_watched_are_verbs() {
        let command = Cli::command();
        let known = |name: &&str| command.find_subcommand(name).is_some();
        assert!(UNWATCHED.iter().all(known), "{UNWATCHED:?}");
    }
}
