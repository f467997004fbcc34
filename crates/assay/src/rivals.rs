// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Which variants are compared: the user's with the best of ours, or all with the one that `--against` names, and what lacks
//! that one.

use crate::context::Context;
use crate::judge::cpu_has;
use crate::select::{Selection, REFERENCE};
use lab::discover::Variant;
use lab::{Problem, Result};
use predict::Cpu;
use std::collections::BTreeSet;

/// The variants of the selection, including the one to compare with even if `-v` does not name it.
pub fn with_baseline(
    context: &Context,
    selection: &mut Selection,
    against: Option<&str>,
) -> Result<Vec<Variant>> {
    if let Some(name) = against.filter(|_| !selection.variants.is_empty()) {
        if !selection.variants.iter().any(|variant| variant == name) {
            selection.variants.push(name.to_owned());
        }
    }
    selection.with_reference = against == Some(REFERENCE);
    let mut variants = selection.competitors(context)?;
    if let Some(name) = against.filter(|name| variants.iter().all(|variant| variant.name != *name)) {
        let known: BTreeSet<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
        let known: Vec<&str> = known.into_iter().collect();
        return Err(Problem::new(format!("--against {name}: no variant of this selection is called that"))
            .remedy(format!("known: {}", known.join(" "))));
    }
    // The user's variants come last in every group.
    variants.sort_by_key(|variant| selection.is_own(variant));
    Ok(variants)
}

/// A variant beside which there is nothing would be compared with itself.
pub fn refuse_if_alone(selection: &Selection, variants: &[Variant]) -> Result<()> {
    let places: BTreeSet<String> = variants.iter().map(place).collect();
    if variants.len() > places.len() {
        return Ok(());
    }
    let (first, hotpath) = (&variants[0], &variants[0].hotpath.name);
    if selection.has_files() {
        return Err(Problem::new(format!(
            "there is nothing beside it that {hotpath} could be compared with"
        ))
        .at(first.source.display())
        .remedy("name a second file, or compare with the reference: --against reference"));
    }
    Err(Problem::new(format!("there is nothing beside {} to compare it with", first.title()))
        .remedy("name another variant, too, or --against reference; --null N measures one against itself"))
}

/// Tells which variants the user's are compared with: ours, except the reference. `None` if none is the user's.
pub fn is_rival<'a>(
    selection: &'a Selection,
    variants: &[Variant],
) -> Option<impl Fn(&Variant) -> bool + 'a> {
    let has_own = variants.iter().any(|variant| selection.is_own(variant));
    has_own.then_some(move |variant: &Variant| !selection.is_own(variant) && !variant.reference)
}

/// Whether a variant is written for no architecture in particular.
pub fn is_plain_c(variant: &Variant) -> bool {
    variant.source.parent().is_some_and(|folder| folder.ends_with("generic"))
}

/// What cannot be compared with the variant that `--against` names, since it lacks it there. The others still are.
#[derive(Default)]
pub struct Lacking<'a> {
    against: Option<&'a str>,
    /// Hot paths with their architecture that were told before the work began.
    told: BTreeSet<String>,
    lacking: Vec<String>,
    compared: usize,
}

impl<'a> Lacking<'a> {
    /// Nothing is lacking yet.
    pub fn of(against: Option<&'a str>) -> Lacking<'a> {
        Lacking { against, ..Lacking::default() }
    }

    /// The variants of those hot paths and architectures that have the one to compare with. `cannot` tells why it is of no use
    /// there, as far as that is known before the work begins. Refuses if none is left.
    pub fn comparable(
        &mut self,
        mut variants: Vec<Variant>,
        cannot: impl Fn(&Variant) -> Option<String>,
    ) -> Result<Vec<Variant>> {
        let Some(name) = self.against else { return Ok(variants) };
        let places: BTreeSet<String> = variants.iter().map(place).collect();
        for at in &places {
            let named = variants.iter().filter(|variant| variant.name == name && place(variant) == *at);
            let reasons: Vec<Option<String>> = named.map(&cannot).collect();
            if reasons.iter().all(Option::is_some) {
                let why = reasons.into_iter().flatten().next();
                let why = why.unwrap_or_else(|| format!("there is no variant '{name}'"));
                self.lacking.push(format!("{at} ({why})"));
                self.told.insert(at.clone());
            }
        }
        if self.told.len() == places.len() {
            return Err(self.refusal(name));
        }
        self.lacking.iter().for_each(|text| tell(name, text));
        variants.retain(|variant| !self.told.contains(&place(variant)));
        Ok(variants)
    }

    /// Notes a group of one hot path and architecture that is left out; `detail` tells which, for example the cpu and the case.
    pub fn skip(&mut self, of: &Variant, detail: &str, why: &str) {
        if self.told.contains(&place(of)) {
            return;
        }
        let text = format!("{}, {detail} ({why})", place(of));
        tell(self.against.unwrap_or_default(), &text);
        self.lacking.push(text);
    }

    /// Notes a group that was compared.
    pub fn compared(&mut self) {
        self.compared += 1;
    }

    /// Whether there is a comparison to show.
    pub fn any_compared(&self) -> bool {
        self.compared > 0
    }

    /// Refuses if no group had the variant.
    pub fn outcome(&self) -> Result<()> {
        match self.against {
            Some(name) if self.compared == 0 && !self.lacking.is_empty() => Err(self.refusal(name)),
            _ => Ok(()),
        }
    }

    fn refusal(&self, name: &str) -> Problem {
        let mut places = self.lacking.iter().take(3).cloned().collect::<Vec<_>>().join("; ");
        if self.lacking.len() > 3 {
            places += &format!("; and {} more", self.lacking.len() - 3);
        }
        Problem::new(format!("--against {name}: nothing can be compared with it: {places}")).remedy(
            "name a variant that is there, ./assay list tells what each needs, or another cpu with -c",
        )
    }
}

fn tell(name: &str, text: &str) {
    eprintln!("not compared with {name}: {text}");
}

fn place(variant: &Variant) -> String {
    format!("{} on {}", variant.hotpath.name, variant.arch)
}

/// Why a variant has no prediction on one of these cpus; `None` if one of them has all that it needs.
pub fn cannot_on(cpus: &[&Cpu], variant: &Variant) -> Option<String> {
    if cpus.iter().any(|cpu| cpu_has(cpu, variant)) {
        return None;
    }
    let names: Vec<&str> = cpus.iter().map(|cpu| cpu.name.as_str()).collect();
    let claims = variant.claims();
    Some(match names[..] {
        [one] => format!("{one} has no {claims}"),
        [_, ..] if names.len() <= 3 => format!("none of {} has {claims}", names.join(", ")),
        _ => format!("no chosen cpu has {claims}"),
    })
}
