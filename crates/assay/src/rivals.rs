// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Who is compared with whom: what the user brought with the best of ours, or everything with what was named.

use crate::context::Context;
use crate::select::{Selection, REFERENCE};
use lab::discover::Variant;
use lab::{Problem, Result};
use std::collections::BTreeSet;

/// The selection, and the variant to compare with even if `-v` did not name it.
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
    // The user's come last, in every group.
    variants.sort_by_key(|variant| selection.is_own(variant));
    Ok(variants)
}

/// The variants of a group to compare the user's own with: the best of ours, the reference left out. `None` if there are
/// none of the user's.
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
