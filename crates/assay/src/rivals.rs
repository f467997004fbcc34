// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Which variants are compared: the user's with the best of ours, or all with the one that `--against` names.

use crate::context::Context;
use crate::select::{Selection, REFERENCE};
use lab::discover::Variant;
use lab::{Problem, Result};
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

/// A file of the user's beside which there is nothing would be compared with itself.
pub fn refuse_if_alone(selection: &Selection, variants: &[Variant]) -> Result<()> {
    let archs: BTreeSet<&str> = variants.iter().map(|variant| variant.arch.name()).collect();
    if !selection.has_files() || variants.len() > archs.len() {
        return Ok(());
    }
    let hotpath = &variants[0].hotpath.name;
    Err(Problem::new(format!("there is nothing beside it that {hotpath} could be compared with"))
        .at(variants[0].source.display())
        .remedy("name a second file, or compare with the reference: --against reference"))
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
