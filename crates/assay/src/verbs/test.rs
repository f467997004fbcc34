// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `test`: everything that has to hold in a checkout, counted: Rust tests, every variant on every architecture, the
//! broken variants that have to be caught, the commands that the documents show.

use crate::context::{Context, Outcome};
use crate::progress::Progress;
use crate::select::Selection;
use crate::verbs::bless;
use crate::verbs::check::{check_selection, Tally};
use crate::verbs::test_changed::{self, Plan};
use crate::verbs::test_programs;
use lab::cache::read_text;
use lab::plain_name::PlainName;
use lab::process::{Command, Limits};
use lab::toolchain::require_program;
use lab::{Problem, Result};
use report::record::Record;
use serde::Serialize;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::{mpsc, Mutex};
use std::time::{Duration, Instant};

/// The Rust tests build every crate's tests; on two processors that other work keeps busy that has taken 50 minutes.
const CARGO_TIMEOUT: Duration = Duration::from_secs(2 * 3600);
/// The longest command that a document shows.
const DOCUMENT_COMMAND_TIMEOUT: Duration = Duration::from_secs(300);

/// Options of `test`.
#[derive(clap::Args)]
pub struct Args {
    /// The long form: every check in full instead of its short form
    #[arg(long)]
    full: bool,
    /// Only what the files can break that differ from the upstream branch, committed or not; says what it leaves out
    #[arg(long, conflicts_with_all = ["full", "only"])]
    changed: bool,
    /// Only these parts (repeatable; default: all)
    #[arg(long = "only", value_name = "PART", value_parser = ["gates", "rust", "variants", "must-fail", "compat", "docs", "setup", "conformance", "switch", "vdso", "cache-log", "kernel", "libraries"])]
    only: Vec<String>,
}

/// How one part came out, or `all` of them. Kind `test`.
#[derive(Serialize)]
struct PartRecord {
    kind: &'static str,
    part: &'static str,
    passed_count: usize,
    failed_count: usize,
    skipped_count: usize,
    assay_version: &'static str,
}

impl PartRecord {
    fn new(part: &'static str, tally: Tally) -> PartRecord {
        let Tally { right: passed_count, wrong: failed_count, skipped: skipped_count } = tally;
        let assay_version = env!("CARGO_PKG_VERSION");
        PartRecord { kind: "test", part, passed_count, failed_count, skipped_count, assay_version }
    }
}

/// The output of a part: printed at once, or kept until its turn if the part runs in parallel with others.
pub struct Words {
    kept: Option<String>,
}

impl Words {
    const AT_ONCE: Words = Words { kept: None };

    fn kept() -> Words {
        Words { kept: Some(String::new()) }
    }

    /// Shows on a terminal that a script is at work, since it prints nothing until its end; a log gets only the result.
    fn progress(&self, what: &str) -> Option<Progress> {
        let is_seen = self.kept.is_none() && std::io::stderr().is_terminal();
        is_seen.then(|| Progress::of(what, 0))
    }

    fn say(&mut self, text: &str) {
        match &mut self.kept {
            Some(kept) => {
                kept.push_str(text);
                kept.push('\n');
            }
            None => eprintln!("{text}"),
        }
    }
}

type Run = fn(&Context, &Args, &mut Words) -> Result<Tally>;

/// A part of the test.
struct Part {
    name: &'static str,
    what: &'static str,
    /// Whether it leaves a processor idle for much of its time, so that it runs in parallel with others.
    beside: bool,
    run: Run,
}

const fn part(name: &'static str, what: &'static str, run: Run) -> Part {
    Part { name, what, beside: false, run }
}

const fn beside(name: &'static str, what: &'static str, run: Run) -> Part {
    Part { name, what, beside: true, run }
}

const PARTS: [Part; 13] = [
    part("gates", "formats, lints, licences, spelling: what needs no run", gates),
    part("variants", "every variant, under the oldest CPU that it claims", all_variants),
    part("must-fail", "broken variants that the checker has to catch", must_fail),
    part("compat", "unmodified kernel files, judged as out-of-tree variants", compat),
    part("conformance", "the public eBPF suite on every machine, interpreted and compiled", conformance),
    part(
        "switch",
        "the context switch: regcheck, must-fail switches, misuse, signals, backtraces, soak",
        context_switch,
    ),
    part("vdso", "the vDSO images and readers, briefly, and planted defects that they have to find", vdso),
    beside("setup", "what the set-up scripts do in good and bad surroundings", setup_scripts),
    // The longest one, as soon as the gates have let cargo's folder go.
    beside("rust", "the tests of the Rust crates", rust_tests),
    beside(
        "kernel",
        "Debian's kernel booted, programs that end well and badly in it, a function of it recorded; kernels and patches that go wrong",
        kernel,
    ),
    beside(
        "libraries",
        "libs/ built, tested, installed and linked with as its users do, by gcc and clang",
        libraries,
    ),
    beside(
        "cache-log",
        "the cache log: threads, its effect, pages, the example; the engine's model against pycachesim",
        cache_log,
    ),
    beside("docs", "the commands that the documents show, and the figures", documents),
];

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let plan = if args.changed { Some(test_changed::plan(&context.workspace.root)?) } else { None };
    let mut total = Tally::default();
    if let Some(plan) = &plan {
        eprint!("{}", plan.describe());
        let mut words = Words::AT_ONCE;
        let (name, what) = ("changed", "what the changed files are part of");
        total = add(total, run_part(name, what, &mut words, |words| changed(context, plan, words)));
    }
    let named = |name: &str| args.only.iter().any(|only| only == name);
    let wanted = |part: &&Part| {
        plan.as_ref().map_or(args.only.is_empty() || named(part.name), |plan| plan.parts.contains(part.name))
    };
    let (beside, ahead): (Vec<&Part>, Vec<&Part>) = PARTS.iter().filter(wanted).partition(|part| part.beside);
    let tell = |part: &Part, tally: Tally| {
        if context.json {
            println!("{}", PartRecord::new(part.name, tally).to_line());
        }
        tally
    };
    // What a part that runs beside others says is shown when it has ended, unless it is the only one.
    let at_once = ahead.is_empty() && beside.len() == 1;
    let mut unfinished: Vec<&str> = beside.iter().map(|part| part.name).collect();
    let queue = Mutex::new(beside.into_iter());
    std::thread::scope(|scope| {
        let (sender, done) = mpsc::channel();
        let queue = &queue;
        let start_worker = || {
            let sender = sender.clone();
            scope.spawn(move || {
                // The lock is released before the part runs.
                let next = || queue.lock().expect("nothing panics while it is held").next();
                while let Some(part) = next() {
                    let mut words = if at_once { Words::AT_ONCE } else { Words::kept() };
                    let tally =
                        run_part(part.name, part.what, &mut words, |words| (part.run)(context, args, words));
                    // The receiver is gone only if the other thread has panicked.
                    let _ = sender.send((part, tally, words));
                }
            });
        };
        let later = |(part, tally, words): (&Part, Tally, Words), unfinished: &mut Vec<&str>| {
            unfinished.retain(|name| *name != part.name);
            eprint!("{}", words.kept.unwrap_or_default());
            tell(part, tally)
        };
        // Two parts run beside each other and beside those that are ahead, so that of two processors none is idle; but the
        // second only when the first of those, the gates, has ended.
        start_worker();
        if ahead.is_empty() {
            start_worker();
        }
        for (index, part) in ahead.into_iter().enumerate() {
            let mut words = Words::AT_ONCE;
            let tally = run_part(part.name, part.what, &mut words, |words| (part.run)(context, args, words));
            total = add(total, tell(part, tally));
            if index == 0 {
                start_worker();
            }
            while let Ok(result) = done.try_recv() {
                total = add(total, later(result, &mut unfinished));
            }
        }
        drop(sender);
        let is_silent = !at_once && !unfinished.is_empty();
        if is_silent {
            eprintln!("== still at work: {}", unfinished.join(", "));
        }
        loop {
            let is_seen = is_silent && std::io::stderr().is_terminal();
            let progress = is_seen.then(|| Progress::of(&unfinished.join(", "), 0));
            let Ok(result) = done.recv() else { break };
            drop(progress);
            total = add(total, later(result, &mut unfinished));
        }
    });
    if context.json {
        println!("{}", PartRecord::new("all", total).to_line());
    } else {
        println!("{} passed, {} failed, {} skipped", total.right, total.wrong, total.skipped);
    }
    Ok(if total.wrong == 0 && total.right > 0 { Outcome::Fine } else { Outcome::Failed })
}

/// Runs one part and reports it with its time. A part that cannot be run at all has failed.
fn run_part(
    name: &str,
    what: &str,
    words: &mut Words,
    part: impl FnOnce(&mut Words) -> Result<Tally>,
) -> Tally {
    words.say(&format!("== {name}: {what}"));
    let started = Instant::now();
    let tally = part(words).unwrap_or_else(|problem| {
        words.say(&format!("assay: {problem}"));
        Tally { wrong: 1, ..Tally::default() }
    });
    let Tally { right, wrong, skipped } = tally;
    let seconds = started.elapsed().as_secs_f64();
    words.say(&format!("== {name}: {right} passed, {wrong} failed, {skipped} skipped in {seconds:.0} s"));
    tally
}

/// The gates of the changed files, their variants and hot paths, and the crates' tests.
fn changed(context: &Context, plan: &Plan, words: &mut Words) -> Result<Tally> {
    let script = Command::new(context.workspace.root.join("tests/gates/run")).arg("--changed");
    let mut tally = script_counts(script, "tests/gates/run", words)?;
    for (hotpath, variants) in &plan.hotpaths {
        let selection = Selection {
            words: vec![hotpath.clone()],
            variants: variants.iter().cloned().collect(),
            compiler: "clang".to_owned(),
            ..Selection::default()
        };
        tally = add(tally, check_selection(context, &selection, true)?);
    }
    for arguments in &plan.rust {
        tally = add(tally, cargo_tests(context, arguments, words)?);
    }
    Ok(tally)
}

fn gates(context: &Context, _: &Args, words: &mut Words) -> Result<Tally> {
    script_counts(Command::new(context.workspace.root.join("tests/gates/run")), "tests/gates/run", words)
}

fn all_variants(context: &Context, args: &Args, _: &mut Words) -> Result<Tally> {
    check_selection(context, &Selection { compiler: "clang".to_owned(), ..Selection::default() }, !args.full)
}

fn must_fail(context: &Context, _: &Args, _: &mut Words) -> Result<Tally> {
    let selection = Selection {
        dirs: vec![context.workspace.root.join("tests/must_fail")],
        compiler: "clang".to_owned(),
        ..Selection::default()
    };
    if let Some(variant) =
        selection.variants(context)?.iter().find(|variant| variant.keys.expect_fail.is_none())
    {
        return Err(Problem::new("does not say that it has to fail")
            .at(variant.source.display())
            .remedy("add a line 'assay-expect: fail TEXT' to its head comment"));
    }
    check_selection(context, &selection, true)
}

/// Judges the files that `tests/compat/files.txt` lists, one by one, as a user would name them.
fn compat(context: &Context, _: &Args, _: &mut Words) -> Result<Tally> {
    let folder = context.workspace.root.join("tests/compat");
    let list = folder.join("files.txt");
    let mut tally = Tally::default();
    for (index, line) in read_text(&list)?.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() || line.starts_with('#') {
            continue;
        }
        let malformed =
            || Problem::new("is not ARCH HOTPATH FILE").at(format!("{}:{}", list.display(), index + 1));
        let [arch, hotpath, file] = words[..] else { return Err(malformed()) };
        let path = match file.strip_prefix("linux:") {
            Some(file) => context.workspace.cache.join("linux-source").join(file),
            None => folder.join(file),
        };
        if !path.is_file() {
            return Err(Problem::new("the kernel's file is not there")
                .at(path.display())
                .remedy("./setup --linux-source takes it out of Debian's package"));
        }
        let selection = Selection {
            words: vec![hotpath.to_owned(), path.display().to_string()],
            archs: vec![arch.parse().map_err(|_| malformed())?],
            compiler: "clang".to_owned(),
            ..Selection::default()
        };
        tally = add(tally, check_selection(context, &selection, true)?);
    }
    Ok(tally)
}

/// A missing suite is counted as skipped.
fn conformance(context: &Context, _: &Args, _: &mut Words) -> Result<Tally> {
    crate::verbs::ebpf::conformance::check(context, None, &[])
}

/// Regcheck on every machine, and the library's own tests.
fn context_switch(context: &Context, _: &Args, words: &mut Words) -> Result<Tally> {
    let checked = crate::verbs::regcheck::check(context)?;
    let script = "libs/vector_state/switch/tests/run";
    Ok(add(checked, library_counts(context, script, &[], "context_switch/tests", words)?))
}

/// The images on every architecture, and the library's own tests.
fn vdso(context: &Context, _: &Args, words: &mut Words) -> Result<Tally> {
    let checked = crate::verbs::vdso::check(context)?;
    Ok(add(checked, library_counts(context, "libs/vdso/tests/run", &[], "vdso", words)?))
}

/// The tests of libs/cache_log that checks of single variants do not cover, and the cache model of the prefetch engine
/// against pycachesim.
fn cache_log(context: &Context, _: &Args, words: &mut Words) -> Result<Tally> {
    let tested = library_counts(context, "libs/cache_log/tests/run", &[], "cache_log/tests", words)?;
    let model = context.workspace.root.join("crates/prefetch_engine/tests/pycachesim/run");
    let compared = script_counts(
        Command::new(model).env("ASSAY_CACHE", &context.workspace.cache),
        "crates/prefetch_engine/tests/pycachesim/run",
        words,
    )?;
    Ok(add(tested, compared))
}

/// Boots Debian's kernel; nothing larger than a stand-in for a kernel's tree is built.
fn kernel(context: &Context, _: &Args, words: &mut Words) -> Result<Tally> {
    let assay =
        std::env::current_exe().map_err(|error| Problem::new(format!("cannot find myself: {error}")))?;
    let mut all = Tally::default();
    for name in ["kernel/tests/assembler", "kernel/tests/run", "kernel/tests/bad"] {
        let script = Command::new(context.workspace.root.join(name)).arg(&assay);
        all = add(all, script_counts(script.env("ASSAY_CACHE", &context.workspace.cache), name, words)?);
    }
    Ok(all)
}

/// The libraries through meson and pkg-config, on this machine and on one other; in the long form on all.
fn libraries(context: &Context, args: &Args, words: &mut Words) -> Result<Tally> {
    let long: &[&str] = if args.full { &["--long"] } else { &[] };
    library_counts(context, "libs/tests/run", long, "libraries", words)
}

/// The set-up scripts are tested by a script.
fn setup_scripts(context: &Context, _: &Args, words: &mut Words) -> Result<Tally> {
    script_counts(Command::new(context.workspace.root.join("tests/setup/run")), "tests/setup/run", words)
}

/// Runs a library's own tests, which build into this folder of the cache.
fn library_counts(
    context: &Context,
    script: &str,
    options: &[&str],
    below: &str,
    words: &mut Words,
) -> Result<Tally> {
    context.workspace.folder(below)?;
    let cache = PlainName::without_blanks(&context.workspace.cache)?;
    let run = Command::new(context.workspace.root.join(script)).args(options);
    script_counts(run.arg(cache.path().join(below)).env("ASSAY_CACHE", cache.path()), script, words)
}

/// Runs a test that is a script: its last line is a count.
fn script_counts(script: Command, name: &str, words: &mut Words) -> Result<Tally> {
    let progress = words.progress(name);
    let output = script.timeout(CARGO_TIMEOUT).limits(Limits::INHERITED).run()?;
    drop(progress);
    let tally = output.stdout.lines().next_back().and_then(plain_counts);
    let Some(mut tally) = tally else {
        return Err(Problem::new(format!("printed no count: {}", output.tail(5))).at(name));
    };
    output.stdout.lines().filter(|line| line.starts_with(SKIPPED)).for_each(|line| words.say(line));
    if !output.success() {
        words.say(&format!("{}\n{}", output.stdout, output.tail(60)));
        tally.wrong = tally.wrong.max(1);
    }
    Ok(tally)
}

/// Beginning of the line, the reason following, that a test prints if it cannot do its work on this machine. The test then
/// counts as skipped, not as passed.
const SKIPPED: &str = "skipped: ";

/// Reads `21 passed, 0 failed, 2 skipped`.
fn plain_counts(line: &str) -> Option<Tally> {
    let mut words = line.split([' ', ',']).filter(|word| !word.is_empty());
    let mut count = |name: &str| -> Option<usize> {
        let number = words.next()?.parse().ok()?;
        (words.next()? == name).then_some(number)
    };
    Some(Tally { right: count("passed")?, wrong: count("failed")?, skipped: count("skipped")? })
}

/// The tests of this crate, which take half of the time, beside those of all others; then the loops that are measured on this
/// machine, which at least no other of these disturbs.
fn rust_tests(context: &Context, _: &Args, words: &mut Words) -> Result<Tally> {
    let progress = words.progress("cargo test");
    let cargo = cargo(context, &["--workspace".to_owned()])?;
    let programs = test_programs::build(cargo.clone(), CARGO_TIMEOUT)?;
    let (ours, others): (Vec<_>, Vec<_>) = programs.iter().partition(|program| program.is_of("assay"));
    let (measuring, others): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|program| program.is_of("native"));
    let run = |some: &[&test_programs::Program]| {
        test_programs::run(some, |command| surroundings(context, command), CARGO_TIMEOUT)
    };
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| run(&ours));
        let second = run(&others);
        (first.join().expect("it does not panic"), second)
    });
    let mut all = vec![first?, second?, run(&measuring)?];
    let shown = cargo
        .args(["--doc", "--", "--show-output"])
        .timeout(CARGO_TIMEOUT)
        .limits(Limits::INHERITED)
        .run()?;
    let failed = !shown.success();
    all.push(test_programs::Ran {
        stderr: if failed { shown.tail(30) } else { String::new() },
        stdout: shown.stdout,
        failed,
    });
    drop(progress);
    let told = |part: fn(&test_programs::Ran) -> &str| all.iter().map(part).collect::<String>();
    let failed = all.iter().any(|ran| ran.failed);
    Ok(rust_tally(&told(|ran| &ran.stdout), &told(|ran| &ran.stderr), failed, words))
}

/// `cargo test`, as all tests are built and run.
fn cargo(context: &Context, options: &[String]) -> Result<Command> {
    let cargo = Command::new(require_program("cargo", "cargo-web")?)
        .args(["test", "--release", "--locked", "--no-fail-fast", "--color=never"])
        .args(options)
        .folder(&context.workspace.root);
    Ok(surroundings(context, cargo))
}

/// Where the tests find the checkout and what is cached.
fn surroundings(context: &Context, command: Command) -> Command {
    command.env("ASSAY_ROOT", &context.workspace.root).env("ASSAY_CACHE", &context.workspace.cache)
}

/// Runs the tests that cargo's options choose; options behind `--` go to the tests.
fn cargo_tests(context: &Context, options: &[String], words: &mut Words) -> Result<Tally> {
    let progress = words.progress("cargo test");
    let output = cargo(context, options)?
        .args((!options.iter().any(|option| option == "--")).then_some("--"))
        .arg("--show-output")
        .timeout(CARGO_TIMEOUT)
        .limits(Limits::INHERITED)
        .run()?;
    drop(progress);
    Ok(rust_tally(&output.stdout, &output.tail(30), !output.success(), words))
}

/// Counts what tests have printed, and says what was skipped and what failed.
fn rust_tally(stdout: &str, stderr: &str, failed: bool, words: &mut Words) -> Tally {
    let skips = skips_of(stdout);
    for (test, reason) in &skips {
        words.say(&format!("skip   {test}: {reason}"));
    }
    let mut tally = cargo_tally(stdout, skips.len());
    if failed {
        words.say(&failures_of(stdout));
        words.say(stderr);
        tally.wrong = tally.wrong.max(1);
    }
    tally
}

fn add(a: Tally, b: Tally) -> Tally {
    Tally { right: a.right + b.right, wrong: a.wrong + b.wrong, skipped: a.skipped + b.skipped }
}

/// Counts what cargo printed, where `skips` of the tests that passed did no work. A program that was ended before its result line
/// has skips that nothing counted as passed.
fn cargo_tally(stdout: &str, skips: usize) -> Tally {
    let counted = stdout.lines().map(cargo_counts).fold(Tally::default(), add);
    Tally { right: counted.right.saturating_sub(skips), skipped: counted.skipped + skips, ..counted }
}

/// Reads `test result: ok. 16 passed; 0 failed; 0 ignored; ...`.
fn cargo_counts(line: &str) -> Tally {
    let count = |name: &str| {
        let words: Vec<&str> = line.split([' ', ';']).filter(|word| !word.is_empty()).collect();
        words.windows(2).find(|pair| pair[1] == name).and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
    };
    if !line.starts_with("test result:") {
        return Tally::default();
    }
    Tally { right: count("passed"), wrong: count("failed"), skipped: count("ignored") }
}

/// The tests that passed only because they skipped their work, each with its first reason. `--show-output` shows a section
/// `---- NAME stdout ----` for each test that printed something.
fn skips_of(stdout: &str) -> Vec<(String, String)> {
    let mut skips: Vec<(String, String)> = Vec::new();
    let mut test = None;
    let mut passed = false;
    for line in stdout.lines() {
        match line {
            "successes:" => passed = true,
            "failures:" => passed = false,
            _ => {}
        }
        if let Some(name) = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----")) {
            test = Some(name).filter(|_| passed);
        } else if let (Some(name), Some(reason)) = (test, line.strip_prefix(SKIPPED)) {
            skips.push((name.to_owned(), reason.to_owned()));
            // A test counts as one skip.
            test = None;
        }
    }
    skips
}

/// What cargo prints of failed tests, between `failures:` and the result line.
fn failures_of(stdout: &str) -> String {
    let mut kept = Vec::new();
    let mut inside = false;
    for line in stdout.lines() {
        inside = (inside || line == "failures:") && !line.starts_with("test result:");
        if inside {
            kept.push(line);
        }
    }
    kept.join("\n")
}

/// Runs each `$ ./assay ...` line of each `console` block and the command of all exact figures. A command that does not work
/// and figures that are no longer what is printed count as failures.
fn documents(context: &Context, _: &Args, words: &mut Words) -> Result<Tally> {
    let mut tally = Tally::default();
    for path in bless::document_paths(&context.workspace.root)? {
        let text = read_text(&path)?;
        let name = context.workspace.display(&path).to_string();
        for (line, command) in shown_commands(&text) {
            let place = format!("{name}:{line}");
            // Without the suite this command exits with status 2.
            let suite = ebpf::conformance::default_suite(&context.workspace.root);
            if command == "./assay ebpf conformance" && !suite.is_file() {
                words.say(&format!("skip   {place}  {command}: {} is not there", suite.display()));
                tally.skipped += 1;
                continue;
            }
            match shown_command_fails(context, &command)? {
                Some(reason) => {
                    words.say(&format!("WRONG  {place}  {command}\n{reason}"));
                    tally.wrong += 1;
                }
                None => {
                    words.say(&format!("ok     {place}  {command}"));
                    tally.right += 1;
                }
            }
        }
        for figures in bless::figures(&text, &name)?.iter().filter(|figures| figures.exact) {
            let place = format!("{name}:{}", figures.line);
            if bless::printed(context, figures)? == bless::shown(&text, figures) {
                words.say(&format!("ok     {place}  figures of {}", figures.command));
                tally.right += 1;
            } else {
                let remedy = "other figures now; remedy: ./assay bless docs --exact, then look at git diff";
                words.say(&format!("WRONG  {place}  {}: {remedy}", figures.command));
                tally.wrong += 1;
            }
        }
    }
    Ok(tally)
}

/// Why a command that a document shows does not work; `None` if it works or is not run here: `test` and `demo` would do
/// everything again, and `bless` would change the documents.
fn shown_command_fails(context: &Context, command: &str) -> Result<Option<String>> {
    let Some(arguments) = command.strip_prefix("./assay ") else {
        return Ok(Some("is no ./assay command; only those are run".to_owned()));
    };
    if ["test", "demo", "bless"].iter().any(|verb| arguments.split_whitespace().next() == Some(verb)) {
        return Ok(None);
    }
    let program = std::env::current_exe()
        .map_err(|error| Problem::io("find this program", Path::new("/proc/self/exe"), &error))?;
    let output = Command::new(&program)
        .args(arguments.split_whitespace())
        .folder(&context.workspace.root)
        .env("ASSAY_ROOT", &context.workspace.root)
        .timeout(DOCUMENT_COMMAND_TIMEOUT)
        .run()?;
    Ok((!output.success()).then(|| output.tail(10)))
}

/// The commands in `console` blocks, with their line numbers.
fn shown_commands(text: &str) -> Vec<(usize, String)> {
    let mut commands = Vec::new();
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            commands.push((index + 1, command.trim().to_owned()));
        }
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_results_are_counted() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out";
        assert_eq!(cargo_counts(line), Tally { right: 12, wrong: 3, skipped: 1 });
        assert_eq!(cargo_counts("running 3 tests"), Tally::default());
        let counts = Tally { right: 21, wrong: 2, skipped: 1 };
        assert_eq!(plain_counts("21 passed, 2 failed, 1 skipped"), Some(counts));
        for line in ["nothing", "21 passed", "21 passed, 2 failed", "2 failed, 21 passed, 1 skipped"] {
            assert_eq!(plain_counts(line), None, "{line}");
        }
    }

    #[test]
    fn a_test_that_says_that_it_skipped_did_not_pass() {
        let stdout = "running 4 tests\ntest a ... ok\n\nsuccesses:\n\n---- a stdout ----\nskipped: no room\nskipped: no time\n\n\
            ---- b stdout ----\nI never skipped: really\n\n\nsuccesses:\n    a\n    b\n\nfailures:\n\n---- c stdout ----\n\
            skipped: but failed later\n\n\nfailures:\n    c\n\ntest result: FAILED. 3 passed; 1 failed; 0 ignored\n";
        assert_eq!(skips_of(stdout), [("a".to_owned(), "no room".to_owned())]);
        assert_eq!(cargo_tally(stdout, 1), Tally { right: 2, wrong: 1, skipped: 1 });
        let (cut, _) = stdout.split_once("test result").unwrap();
        assert_eq!(cargo_tally(cut, 1), Tally { right: 0, wrong: 0, skipped: 1 });
    }

    #[test]
    fn only_prompts_in_console_blocks_are_commands() {
        let text = "$ no\n```console\n$ ./assay list\noutput\n```\n```sh\n$ no\n```\n";
        assert_eq!(shown_commands(text), [(3, "./assay list".to_owned())]);
    }
}
