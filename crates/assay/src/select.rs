// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! From the words of a command line to variants: the selection that most verbs share.

use crate::context::Context;
use arch::Arch;
use clap::Args;
use lab::case::Case;
use lab::discover::{self, Variant};
use lab::hotpath::HotPath;
use lab::target::Target;
use lab::toolchain::{Compiler, CompilerKind};
use lab::{foreign, Problem, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The reference's name among the variants.
pub const REFERENCE: &str = "reference";

/// What to work on.
#[derive(Args, Clone, Debug, Default)]
pub struct Selection {
    /// A library or a hot path; after a hot path, source files of your own: judged alone by check, beside ours by the others
    #[arg(value_name = "HOTPATH [FILE.S|FILE.c]...")]
    pub words: Vec<String>,
    /// Architecture, by GNU name (repeatable; default: all)
    #[arg(short, long = "arch", value_name = "ARCH")]
    pub archs: Vec<Arch>,
    /// Variant, by file name without ending (repeatable; default: all)
    #[arg(short, long = "variant", value_name = "NAME")]
    pub variants: Vec<String>,
    /// Look for hot paths and variants here instead of in libs/; those that measure and predict put ours beside (repeatable)
    #[arg(short, long = "dir", value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// Compiler: clang or gcc
    #[arg(long, value_name = "NAME", default_value = "clang")]
    pub compiler: String,
    /// Whether the reference competes though nobody named it
    #[arg(skip)]
    pub with_reference: bool,
}

/// The case options of the verbs that run single cases.
#[derive(Args, Clone, Debug, Default)]
pub struct Cases {
    /// Case, like size=1472 or size=40,offset=1 (repeatable; default: those of hotpath.toml)
    #[arg(long = "case", value_name = "CASE")]
    pub cases: Vec<Case>,
}

impl Selection {
    /// The architectures asked for, or all.
    pub fn archs(&self) -> Vec<Arch> {
        if self.archs.is_empty() {
            Arch::ALL.to_vec()
        } else {
            self.archs.clone()
        }
    }

    /// The compiler asked for.
    pub fn compiler(&self) -> Result<CompilerKind> {
        self.compiler.parse()
    }

    /// The hot paths named, or all.
    pub fn hotpaths(&self, context: &Context) -> Result<Vec<Arc<HotPath>>> {
        let all = discover::hotpaths(&context.workspace, &self.dirs)?;
        match self.words.first() {
            None => Ok(all),
            Some(word) => Ok(discover::named(&all, word)?.into_iter().cloned().collect()),
        }
    }

    /// The variants of the selection; never empty.
    pub fn variants(&self, context: &Context) -> Result<Vec<Variant>> {
        self.refuse_missing_compilers()?;
        let hotpaths = self.hotpaths(context)?;
        let files = self.words.get(1..).unwrap_or_default();
        if !files.is_empty() {
            return self.foreign_variants(&hotpaths, files);
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
            return Err(Problem::new(format!("no variant is called '{name}' in this selection"))
                .remedy(format!("known: {}", known.join(" "))));
        }
        if selected.is_empty() {
            return Err(
                Problem::new("the selection holds no variant").remedy("./assay list shows what there is")
            );
        }
        Ok(selected)
    }

    /// The variants of the selection and, if it is of the user's files or folders, those of ours beside them, so that they are
    /// judged together. `-v` then chooses among ours, and in folders among both. The reference is the answer and no competitor,
    /// unless it was asked for by name or stands alone.
    pub fn competitors(&self, context: &Context) -> Result<Vec<Variant>> {
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
        let mut all = Vec::new();
        for hotpath in self.ours(context, &own)? {
            for arch in self.archs() {
                all.extend(discover::variants(&context.workspace, &[], &hotpath, arch)?);
            }
        }
        if !self.variants.is_empty() {
            let in_folders = !self.dirs.is_empty();
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
        all.extend(own);
        tell_apart(&mut all);
        Ok(all)
    }

    /// The hot paths of our libraries whose contract the user's variants have.
    fn ours(&self, context: &Context, own: &[Variant]) -> Result<Vec<Arc<HotPath>>> {
        let mut ours = discover::hotpaths(&context.workspace, &[])?;
        ours.retain(|hotpath| own.iter().any(|one| one.hotpath.folder == hotpath.folder));
        Ok(ours)
    }

    /// Whether a variant is the user's and not ours.
    pub fn is_own(&self, variant: &Variant) -> bool {
        variant.foreign || self.dirs.iter().any(|dir| variant.source.starts_with(dir))
    }

    /// An architecture that was asked for by name is no skip where its compiler cannot be had.
    fn refuse_missing_compilers(&self) -> Result<()> {
        let kind = self.compiler()?;
        let missing = self.archs.iter().find_map(|arch| Compiler::missing_for(kind, Target::of(*arch)));
        missing.map_or(Ok(()), |what| {
            Err(Problem::new(what).remedy("leave out --compiler, or choose --compiler clang"))
        })
    }

    fn foreign_variants(&self, hotpaths: &[Arc<HotPath>], files: &[String]) -> Result<Vec<Variant>> {
        let [hotpath] = hotpaths else {
            return Err(Problem::new(format!(
                "'{}' is a library; a file is judged as one hot path",
                self.words[0]
            ))
            .remedy(format!("name one of: {}", names(hotpaths))));
        };
        if self.archs.is_empty() {
            return Err(Problem::new("a file of your own needs its architecture")
                .remedy(format!("give it with -a, as in: -a powerpc64 {}", files[0])));
        }
        let mut selected = Vec::new();
        for file in files {
            for arch in &self.archs {
                selected.push(foreign::variant(hotpath, *arch, Path::new(file))?);
            }
        }
        tell_apart(&mut selected);
        Ok(selected)
    }
}

/// Files of one name in several folders are called by their paths.
fn tell_apart(variants: &mut [Variant]) {
    let sources: BTreeSet<(String, PathBuf)> =
        variants.iter().map(|variant| (variant.name.clone(), variant.source.clone())).collect();
    for variant in variants {
        if sources.iter().filter(|(name, _)| *name == variant.name).count() > 1 {
            variant.name = variant.source.with_extension("").display().to_string();
        }
    }
}

fn names(hotpaths: &[Arc<HotPath>]) -> String {
    hotpaths.iter().map(|hotpath| hotpath.name.as_str()).collect::<Vec<_>>().join(" ")
}
