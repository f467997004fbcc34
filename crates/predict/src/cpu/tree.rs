// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The keys of the schema as a tree of names, in which a key is found in as many steps as it has names. (Every command that
//! names a cpu reads some thousand keys.)

use super::schema::{NumberKey, WordKey, NUMBERS, WORDS};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// What a key that a file may have, or the beginning of one, is and leads to.
#[derive(Default)]
pub(crate) struct Node {
    names: BTreeMap<&'static str, Node>,
    /// Where any name may stand, `*` in the schema.
    any: Option<Box<Node>>,
    pub(crate) number: Option<&'static NumberKey>,
    pub(crate) word: Option<&'static WordKey>,
}

impl Node {
    fn below(&mut self, pattern: &'static str) -> &mut Node {
        pattern.split('.').fold(self, |node, name| match name {
            "*" => node.any.get_or_insert_default(),
            name => node.names.entry(name).or_default(),
        })
    }

    fn next(&self, name: &str) -> Option<&Node> {
        self.names.get(name).or(self.any.as_deref())
    }

    /// The names that may follow, sorted; `*` for any.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        let any = self.any.iter().map(|_| "*");
        any.chain(self.names.keys().copied()).collect()
    }
}

/// The top, where every key begins.
pub(crate) fn root() -> &'static Node {
    static ROOT: OnceLock<Node> = OnceLock::new();
    ROOT.get_or_init(|| {
        let mut root = Node::default();
        for number in NUMBERS {
            root.below(number.key).number = Some(number);
        }
        for word in WORDS {
            root.below(word.key).word = Some(word);
        }
        root
    })
}

/// What stands at `key`; nothing if no key of the schema begins so.
pub(crate) fn at(key: &str) -> Option<&'static Node> {
    key.split('.').try_fold(root(), |node, name| node.next(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(node: &Node, above: &str) {
        assert!(node.any.is_none() || node.names.is_empty(), "below '{above}' a name is ambiguous");
        for (name, below) in &node.names {
            check(below, &format!("{above}.{name}"));
        }
        if let Some(any) = &node.any {
            check(any, &format!("{above}.*"));
        }
    }

    #[test]
    fn no_name_can_be_taken_as_two_keys() {
        check(root(), "");
    }

    #[test]
    fn every_key_of_the_schema_is_found_as_itself() {
        for number in NUMBERS {
            let found = at(&number.key.replace('*', "some")).and_then(|node| node.number);
            assert_eq!(found.map(|found| found.key), Some(number.key));
        }
        for word in WORDS {
            let found = at(&word.key.replace('*', "some")).and_then(|node| node.word);
            assert_eq!(found.map(|found| found.key), Some(word.key));
        }
        assert!(at("fetch").is_some_and(|node| node.number.is_none() && !node.names().is_empty()));
        assert!(at("fetch.nothing").is_none() && at("").is_none());
    }
}
