// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Resolves the arguments of a command line to variants: the selection that most verbs share.

use crate::context::Context;
use crate::judge::cpu_has;
use arch::Arch;
use clap::Args;
use lab::case::Case;
use lab::discover::{self, Variant};
use lab::hotpath::HotPath;
use lab::process::operand;
use lab::target::Target;
use lab::toolchain::{Compiler, CompilerKind};
use lab::{foreign, Problem, Result};
use predict::Cpu;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The reference's name among the variants.
pub const REFERENCE: &str = "reference";

/// What to work on.
#[derive(Args, Clone, Debug, Default)]
pub struct Selection {
    /// A library, a hot path or HOTPATH/VARIANT; after a hot path, source files of your own: judged alone by check, beside ours
    /// by the others
    #[arg(value_name = "HOTPATH [FILE.S|FILE.c]...")]
    pub words: Vec<String>,
    /// Architecture, by GNU name (repeatable or separated by commas; default: all)
    #[arg(short, long = "arch", value_name = "ARCH", value_delimiter = ',')]
    pub archs: Vec<Arch>,
    /// Variant, by file name without ending (repeatable or separated by commas; default: all)
    #[arg(short, long = "variant", value_name = "NAME", value_delimiter = ',')]
    pub variants: Vec<String>,
    /// Look for hot paths and variants here instead of in libs/; those that measure and predict put ours beside (repeatable)
    #[arg(short, long = "dir", value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// Compiler: clang or gcc
    #[arg(long, value_name = "NAME", default_value = "clang")]
    pub compiler: String,
    /// Folder of headers for files of your own (repeatable)
    #[arg(short = 'I', value_name = "DIR")]
    pub includes: Vec<PathBuf>,
    /// Further compiler flags for files of your own, separated by blanks (repeatable)
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Vec<String>,
    /// Whether the reference competes without being named
    #[arg(skip)]
    pub with_reference: bool,
}

/// The case options of the verbs that run single cases.
#[derive(Args, Clone, Debug, Default)]
pub struct Cases {
    /// Take variants, too, that the quick check found wrong, or that it was not made of
    #[arg(long)]
    pub unchecked: bool,
    /// Case, like size=1472 or size=40,offset=1 (repeatable; default: those of hotpath.toml)
    #[arg(long = "case", value_name = "CASE")]
    pub cases: Vec<Case>,
}

/// Whether an argument names a trace: it ends in `.trace`, or is an existing file or a path, and no source.
pub fn names_a_trace(word: &str) -> bool {
    let is_path = Path::new(word).is_file() || word.contains('/') && !is_pair(word);
    word.ends_with(".trace") || is_path && !discover::is_source(Path::new(word))
}

/// Refuses the options that choose among variants and build them if the arguments are recorded traces, to which they do
/// not apply.
pub fn only_traces(selection: &Selection, cases: &Cases) -> Result<()> {
    let words = &selection.words;
    if let Some(other) = words.iter().find(|word| !names_a_trace(word)) {
        return Err(Problem::new(format!("'{other}' is no trace, and {} is one", words[0]))
            .remedy("name either traces, or a hot path with its variants"));
    }
    let given = [
        ("-a", !selection.archs.is_empty()),
        ("--case", !cases.cases.is_empty()),
        ("--unchecked", cases.unchecked),
        ("-v", !selection.variants.is_empty()),
        ("-d", !selection.dirs.is_empty()),
        ("-I", !selection.includes.is_empty()),
        ("--cflags", !selection.cflags.is_empty()),
        ("--compiler", selection.compiler != "clang"),
    ];
    let given: Vec<&str> = given.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
    if given.is_empty() {
        return Ok(());
    }
    Err(Problem::new("a trace is what it is: it has no cases and no variants to choose from or to build")
        .at(&words[0])
        .remedy(format!("leave out {}", given.join(", "))))
}

impl Selection {
    /// The architectures asked for, each once, or all.
    pub fn archs(&self) -> Vec<Arch> {
        let mut archs = if self.archs.is_empty() { Arch::ALL.to_vec() } else { self.archs.clone() };
        let mut seen = Vec::new();
        archs.retain(|arch| {
            !seen.contains(arch) && {
                seen.push(*arch);
                true
            }
        });
        archs
    }

    /// Splits `HOTPATH/VARIANT`: the hot path becomes the first argument, the variant is taken as if `-v` had named it.
    /// A file of that name takes precedence.
    pub fn resolved(&self, context: &Context) -> Result<Selection> {
        let mut resolved = self.clone();
        let pair = |word: &String| is_pair(word).then(|| word.split_once('/')).flatten().map(owned);
        let pairs: Vec<_> = self.words.iter().map(pair).collect();
        let Some((first, _)) = pairs.first().cloned().flatten() else { return Ok(resolved) };
        let all = discover::hotpaths(&context.workspace, &self.dirs)?;
        // Called for its error, which lists the known hot paths.
        discover::named(&all, &first)?;
        resolved.words = vec![first.clone()];
        for (word, pair) in self.words.iter().zip(pairs) {
            match pair {
                Some((hotpath, variants)) if hotpath == first => {
                    resolved.variants.extend(variants.split(',').map(str::to_owned))
                }
                _ => resolved.words.push(word.clone()),
            }
        }
        Ok(resolved)
    }

    /// Whether the user named this variant, so that it is reported even if it is skipped.
    pub fn names(&self, variant: &Variant) -> bool {
        self.variants.contains(&variant.name) || self.is_own(variant)
    }

    /// If the user chose cpus, drops the variants that none of them can run, except those that the user named, which
    /// are reported as skipped later. Refuses a selection of which no variant can be run; tells which cpus run none.
    pub fn for_cpus(&self, variants: Vec<Variant>, cpus: &[Cpu], chosen: bool) -> Result<Vec<Variant>> {
        let runs = |variant: &Variant| cpus.iter().any(|cpu| cpu_has(cpu, variant));
        if !chosen {
            return Ok(variants);
        }
        let (kept, left): (Vec<_>, Vec<_>) =
            variants.into_iter().partition(|one| runs(one) || self.names(one));
        if kept.iter().any(runs) {
            tell_idle(cpus, &kept);
            return Ok(kept);
        }
        let names: BTreeSet<&str> = cpus.iter().map(|cpu| cpu.name.as_str()).collect();
        let first = kept.first().or(left.first()).expect("a selection is never empty");
        let archs: BTreeSet<&str> =
            cpus.iter().flat_map(|cpu| cpu.words("arch")).map(String::as_str).collect();
        let archs = archs.into_iter().collect::<Vec<_>>().join(" ");
        Err(Problem::new(runs_nothing(&names, first))
            .remedy(format!("choose another -c, or an architecture that it runs ({archs})")))
    }

    /// The compiler asked for.
    pub fn compiler(&self) -> Result<CompilerKind> {
        self.compiler.parse()
    }

    /// The hot paths named, or all.
    pub fn hotpaths(&self, context: &Context) -> Result<Vec<Arc<HotPath>>> {
        let this = self.resolved(context)?;
        this.named_hotpaths(context)
    }

    fn named_hotpaths(&self, context: &Context) -> Result<Vec<Arc<HotPath>>> {
        let all = discover::hotpaths(&context.workspace, &self.dirs)?;
        match self.words.first() {
            None => Ok(all),
            Some(word) => Ok(discover::named(&all, word)?.into_iter().cloned().collect()),
        }
    }

    /// The variants of the selection; never empty.
    pub fn variants(&self, context: &Context) -> Result<Vec<Variant>> {
        self.resolved(context)?.listed_variants(context)
    }

    fn listed_variants(&self, context: &Context) -> Result<Vec<Variant>> {
        self.refuse_missing_compilers()?;
        if self.words.len() < 2 && !(self.includes.is_empty() && self.cflags.is_empty()) {
            return Err(Problem::new("-I and --cflags are for files of your own, and none is named").remedy(
                "name the file behind the hot path; a variant in a folder says its flags by 'assay-cflags:'",
            ));
        }
        let hotpaths = self.hotpaths(context)?;
        let files = self.words.get(1..).unwrap_or_default();
        if !files.is_empty() {
            if let Some(name) = self.variants.first() {
                return Err(Problem::new(format!(
                    "'{name}' is named beside a file, and one or the other is taken here"
                ))
                .remedy("name the file alone, or the variant alone"));
            }
            return self.foreign_variants(context, &hotpaths, files);
        }
        let mut selected = Vec::new();
        let mut known = Vec::new();
        for hotpath in &hotpaths {
            for arch in self.archs() {
                for variant in discover::variants(&context.workspace, &self.dirs, hotpath, arch)? {
                    known.push(variant.name.clone());
                    if self.variants.is_empty() || self.variants.contains(&variant.name) {
                        selected.push(variant);
                    }
                }
            }
        }
        known.sort();
        known.dedup();
        if let Some(name) = self.variants.iter().find(|name| !known.contains(name)) {
            let elsewhere = self.archs_with(context, &hotpaths, name)?;
            let remedy = match elsewhere.is_empty() {
                true => format!("known: {}", known.join(" ")),
                false => format!("it is there for {}; known here: {}", elsewhere.join(" "), known.join(" ")),
            };
            return Err(
                Problem::new(format!("no variant is called '{name}' in this selection")).remedy(remedy)
            );
        }
        if selected.is_empty() {
            return Err(
                Problem::new("the selection holds no variant").remedy("./assay list shows what there is")
            );
        }
        Ok(selected)
    }

    /// The architectures that have a variant of that name.
    fn archs_with(
        &self,
        context: &Context,
        hotpaths: &[Arc<HotPath>],
        name: &str,
    ) -> Result<Vec<&'static str>> {
        let mut archs = Vec::new();
        for arch in Arch::ALL {
            for hotpath in hotpaths {
                let all = discover::variants(&context.workspace, &self.dirs, hotpath, arch)?;
                if !archs.contains(&arch.name()) && all.iter().any(|variant| variant.name == name) {
                    archs.push(arch.name());
                }
            }
        }
        Ok(archs)
    }

    /// The variants of the selection and, if these are the user's files or folders, our variants of the same hot paths,
    /// so that they are judged together. `-v` then chooses among ours, and with folders among both. The reference
    /// defines the right result and does not compete, unless it is named or is the only variant.
    pub fn competitors(&self, context: &Context) -> Result<Vec<Variant>> {
        self.resolved(context)?.all_competitors(context)
    }

    fn all_competitors(&self, context: &Context) -> Result<Vec<Variant>> {
        let mut all = self.beside_ours(context)?;
        let is_named = self.with_reference || self.variants.iter().any(|name| name == REFERENCE);
        if !is_named && all.iter().any(|one| !one.reference) {
            all.retain(|one| !one.reference);
        }
        Ok(all)
    }

    fn beside_ours(&self, context: &Context) -> Result<Vec<Variant>> {
        if self.words.len() < 2 && self.dirs.is_empty() {
            return self.variants(context);
        }
        let everything = Selection { variants: Vec::new(), ..self.clone() };
        let mut own = everything.variants(context)?;
        let mut all = self.variants_in(context, &[], self.ours(context, &own)?)?;
        if self.has_files() && !self.dirs.is_empty() {
            // What is named as a file is not beside itself, and what is ours is there already.
            let place = |one: &Variant| (one.arch, one.source.canonicalize().ok());
            let known: BTreeSet<_> = all.iter().chain(&own).map(place).collect();
            let mut theirs = self.variants_in(context, &self.dirs, self.hotpaths(context)?)?;
            theirs.retain(|one| !known.contains(&place(one)));
            tell_apart(&mut theirs, &all);
            all.extend(theirs);
        }
        if !self.variants.is_empty() {
            let in_folders = !self.dirs.is_empty() && !self.has_files();
            let choice: BTreeSet<&str> =
                all.iter().chain(own.iter().filter(|_| in_folders)).map(|one| one.name.as_str()).collect();
            if let Some(name) = self.variants.iter().find(|name| !choice.contains(name.as_str())) {
                let known: Vec<&str> = choice.into_iter().collect();
                return Err(Problem::new(format!("no variant is called '{name}' beside what you gave"))
                    .remedy(format!("known: {}", known.join(" "))));
            }
            all.retain(|one| self.variants.contains(&one.name));
            own.retain(|one| !in_folders || self.variants.contains(&one.name));
        }
        tell_apart(&mut own, &all);
        // The user's come first, so that their errors are reported first.
        own.extend(all);
        Ok(own)
    }

    fn variants_in(
        &self,
        context: &Context,
        dirs: &[PathBuf],
        hotpaths: Vec<Arc<HotPath>>,
    ) -> Result<Vec<Variant>> {
        let mut all = Vec::new();
        for hotpath in hotpaths {
            for arch in self.archs() {
                all.extend(discover::variants(&context.workspace, dirs, &hotpath, arch)?);
            }
        }
        Ok(all)
    }

    /// Whether files of the user's are judged; what stands in folders is then beside them.
    pub fn has_files(&self) -> bool {
        self.words.iter().skip(1).any(|word| !is_pair(word))
    }

    /// The hot paths of our libraries that the user's variants implement.
    fn ours(&self, context: &Context, own: &[Variant]) -> Result<Vec<Arc<HotPath>>> {
        let mut ours = discover::hotpaths(&context.workspace, &[])?;
        ours.retain(|hotpath| own.iter().any(|one| one.hotpath.is(hotpath)));
        Ok(ours)
    }

    /// Whether a variant is the user's and not ours.
    pub fn is_own(&self, variant: &Variant) -> bool {
        variant.foreign || !self.has_files() && self.dirs.iter().any(|dir| variant.source.starts_with(dir))
    }

    /// Refuses an architecture named by `-a` that the compiler is missing for; other architectures are skipped.
    fn refuse_missing_compilers(&self) -> Result<()> {
        let kind = self.compiler()?;
        let missing = self.archs.iter().find_map(|arch| Compiler::missing_for(kind, Target::of(*arch)));
        missing.map_or(Ok(()), |what| {
            Err(Problem::new(what).remedy("leave out --compiler, or choose --compiler clang"))
        })
    }

    /// The compiler arguments for `-I` and `--cflags`.
    fn own_flags(&self) -> Result<Vec<String>> {
        let mut flags = Vec::new();
        for folder in &self.includes {
            let real = folder
                .canonicalize()
                .map_err(|error| Problem::io("find the folder of headers", folder, &error))?;
            flags.push(format!("-I{}", real.display()));
        }
        flags.extend(self.cflags.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned));
        Ok(flags)
    }

    /// The command-line arguments that select only this variant.
    pub fn words_of(&self, variant: &Variant) -> Vec<String> {
        let mut words = vec![variant.hotpath.name.clone()];
        if variant.foreign {
            words.push(operand(&variant.source).display().to_string());
        }
        for dir in &self.dirs {
            words.extend(["-d".to_owned(), operand(dir).display().to_string()]);
        }
        words.extend(["-a".to_owned(), variant.arch.name().to_owned()]);
        if !variant.foreign {
            words.extend(["-v".to_owned(), variant.name.clone()]);
        }
        if self.compiler != Selection::default_compiler() {
            words.extend(["--compiler".to_owned(), self.compiler.clone()]);
        }
        for folder in &self.includes {
            words.extend(["-I".to_owned(), operand(folder).display().to_string()]);
        }
        words.extend(self.cflags.iter().map(|flags| format!("--cflags={flags}")));
        words
    }

    fn default_compiler() -> &'static str {
        "clang"
    }

    fn foreign_variants(
        &self,
        context: &Context,
        hotpaths: &[Arc<HotPath>],
        files: &[String],
    ) -> Result<Vec<Variant>> {
        let [hotpath] = hotpaths else {
            return Err(Problem::new(format!(
                "'{}' is a library; a file is judged as one hot path",
                self.words[0]
            ))
            .remedy(format!("name one of: {}", names(hotpaths))));
        };
        // A C file may be meant for all architectures, the default of `-a`; other files are not.
        if let (true, Some(file)) = (self.archs.is_empty(), files.iter().find(|file| !file.ends_with(".c"))) {
            return Err(Problem::new("a file of your own that is no C needs its architecture")
                .at(file.clone())
                .remedy(format!("give it with -a, as in: -a powerpc64 {file}")));
        }
        let own_flags = self.own_flags()?;
        let mut selected = Vec::new();
        // A file that is named twice is taken once.
        let mut seen = BTreeSet::new();
        for file in files.iter().filter(|file| seen.insert(*file)) {
            for arch in self.archs() {
                let mut variant = foreign::variant(hotpath, arch, Path::new(file))?;
                variant.given_flags.clone_from(&own_flags);
                selected.push(variant);
            }
        }
        // A file called like one of ours is not to be taken for it, even where that is not beside it.
        let ours = self.variants_in(context, &[], vec![hotpath.clone()])?;
        tell_apart(&mut selected, &ours);
        Ok(selected)
    }
}

/// Tells which of the cpus that the user chose have no figures, since they run none of the variants. A core of LLVM's is there
/// once for each architecture.
pub fn tell_idle(cpus: &[Cpu], variants: &[Variant]) {
    let runs = |cpu: &&Cpu| variants.iter().any(|variant| cpu_has(cpu, variant));
    let busy: BTreeSet<&str> = cpus.iter().filter(runs).map(|cpu| cpu.name.as_str()).collect();
    let idle: BTreeSet<&str> =
        cpus.iter().map(|cpu| cpu.name.as_str()).filter(|name| !busy.contains(name)).collect();
    if let (Some(first), false) = (variants.first(), idle.is_empty()) {
        eprintln!("skipped {}: {}", idle.len(), runs_nothing(&idle, first));
    }
}

fn runs_nothing(cpus: &BTreeSet<&str>, example: &Variant) -> String {
    format!(
        "nothing in this selection runs on {}: {} is {} code for {}",
        cpus.iter().copied().collect::<Vec<_>>().join(", "),
        example.title(),
        example.arch,
        example.claims()
    )
}

/// Whether a word has the form `HOTPATH/VARIANT` and is no file or folder.
pub fn is_pair(word: &str) -> bool {
    let form = word.split_once('/').is_some_and(|(hotpath, variant)| {
        let plain = |text: &str| !text.is_empty() && !text.starts_with('.') && !text.contains(['/', '.']);
        plain(hotpath) && plain(variant)
    });
    form && !Path::new(word).exists()
}

fn owned((a, b): (&str, &str)) -> (String, String) {
    (a.to_owned(), b.to_owned())
}

/// Calls variants that have another's name by their paths if one table can have both, with the ending where that is needed.
/// What is `beside` them keeps its name, and so do those of different architectures, which are never in one table.
fn tell_apart(variants: &mut [Variant], beside: &[Variant]) {
    let key = |one: &Variant| (one.hotpath.name.clone(), one.arch, one.name.clone());
    for ending in [false, true] {
        let all = variants.iter().chain(beside);
        let sources: BTreeSet<_> = all.map(|one| (key(one), one.source.clone())).collect();
        for variant in variants.iter_mut() {
            let own = key(variant);
            if sources.iter().filter(|(other, _)| *other == own).count() > 1 {
                let path = if ending { variant.source.clone() } else { variant.source.with_extension("") };
                variant.name = path.display().to_string();
            }
        }
    }
}

fn names(hotpaths: &[Arc<HotPath>]) -> String {
    hotpaths.iter().map(|hotpath| hotpath.name.as_str()).collect::<Vec<_>>().join(" ")
}
