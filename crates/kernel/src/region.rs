// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Resolves the name of a region to code: a function of the kernel's image or of a module, or a BPF program that the
//! kernel's JIT compiled.
//!
//! The addresses become known at different times. The image's are in its symbol table. A module's sections are placed
//! when it is loaded, by an allocator that does the same in each boot of one kernel with one command line: a boot that
//! only loads the modules reports the addresses, and the recorded boot reports them again, so that a difference is
//! noticed. A BPF program is placed at a random offset, so the workload reports its address to the tracer in the
//! recorded boot, by calling [`TELLER`].

use lab::module::{Module, Place};
use lab::symbols::Symbols;
use lab::{Problem, Result};
use std::collections::BTreeMap;

/// The workload's function whose entry the tracer watches: kernel/workloads/code_at.h.
pub const TELLER: &str = "assay_code_at";
/// The prefix of a BPF program's name.
pub const PROGRAM: &str = "bpf:";
/// The optional prefix of the name of a function of the image.
const IMAGE: &str = "vmlinux:";

/// The code that a name refers to.
pub enum Region<'a> {
    /// A function of the image.
    Image(&'a str),
    /// A function of a module, whose name may occur in several places.
    Module(&'a Module, Vec<&'a Place>),
    /// A BPF program.
    Program(&'a str),
}

/// The addresses of modules' sections, by the file of /sys that has them.
pub type Sections = BTreeMap<String, u64>;

fn section_file(module: &Module, place: &Place) -> String {
    format!("/sys/module/{}/sections/{}", module.name, place.section)
}

impl<'a> Region<'a> {
    /// Resolves `name`, which may begin with a module's name or `vmlinux` and a colon.
    pub fn of(symbols: &Symbols, modules: &'a [Module], name: &'a str) -> Result<Region<'a>> {
        if let Some(program) = name.strip_prefix(PROGRAM) {
            return Ok(Region::Program(program));
        }
        if let Some(function) = name.strip_prefix(IMAGE) {
            return symbols.function(function).map(|_| Region::Image(function));
        }
        if let Some((owner, function)) = name.split_once(':') {
            let Some(module) = modules.iter().find(|module| module.name == owner) else {
                return Err(Problem::new(format!("no module '{owner}' is loaded, of which '{name}' speaks"))
                    .remedy(format!("add --module {owner}")));
            };
            let places: Vec<&Place> = module.places(function).collect();
            return match places.is_empty() {
                true => Err(absent(module, function)),
                false => Ok(Region::Module(module, places)),
            };
        }
        Region::anywhere(symbols, modules, name)
    }

    fn anywhere(symbols: &Symbols, modules: &'a [Module], name: &'a str) -> Result<Region<'a>> {
        let mut found: Vec<Region> = Vec::new();
        let mut owners = Vec::new();
        if !symbols.places(name).is_empty() {
            found.push(Region::Image(name));
            owners.push("vmlinux");
        }
        for module in modules {
            let places: Vec<&Place> = module.places(name).collect();
            if !places.is_empty() {
                found.push(Region::Module(module, places));
                owners.push(&module.name);
            }
        }
        match (found.len(), modules) {
            (1, _) => Ok(found.remove(0)),
            (0, []) => Err(symbols.function(name).expect_err("it has no place")),
            (0, [module]) if !module.copies(name).is_empty() => Err(absent(module, name)),
            (0, modules) => {
                let names: Vec<&str> = modules.iter().map(|module| module.name.as_str()).collect();
                let problem = symbols.function(name).expect_err("it has no place");
                Err(Problem {
                    what: format!("{}, and neither has {}", problem.what, names.join(" or ")),
                    ..problem
                })
            }
            _ => Err(Problem::new(format!("there is a function '{name}' in {}", owners.join(" and in ")))
                .remedy(format!("say which: --roi {}:{name}", owners[owners.len() - 1]))),
        }
    }

    /// The files of /sys that have its addresses.
    pub fn files(&self) -> Vec<String> {
        match self {
            Region::Module(module, places) => {
                places.iter().map(|place| section_file(module, place)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Its length in bytes; `None` if only the booted kernel knows it.
    pub fn bytes(&self, symbols: &Symbols) -> Option<u64> {
        match self {
            Region::Image(name) => Some(symbols.places(name).iter().map(|place| symbols.length(place)).sum()),
            Region::Module(_, places) => Some(places.iter().map(|place| place.size_bytes).sum()),
            Region::Program(_) => None,
        }
    }

    /// The tracer's arguments for it, under this name.
    pub fn arguments(&self, name: &str, symbols: &Symbols, sections: &Sections) -> Result<Vec<String>> {
        let word = |address: u64, local: u64| format!("roi={name}:{address:#x}:{local:#x}");
        Ok(match self {
            Region::Image(function) => {
                let places = symbols.function(function)?;
                places.iter().map(|place| word(place.address, place.local_entry)).collect()
            }
            Region::Module(module, places) => {
                let start = |place: &Place| sections[&section_file(module, place)];
                let places = places.iter();
                places
                    .map(|place| word(start(place) + place.offset, start(place) + place.local_entry))
                    .collect()
            }
            Region::Program(program) => vec![format!("told={name}:{:#x}", hash(program))],
        })
    }
}

fn absent(module: &Module, function: &str) -> Problem {
    let problem = Problem::new(format!("has no function '{function}'")).at(module.path().display());
    match &module.copies(function)[..] {
        [] => problem.remedy(
            "it is inlined away or a macro: name the function that calls it (nm lists those there are)",
        ),
        some => problem.remedy(format!("the compiler has made copies of it: name one of {}", some.join(" "))),
    }
}

/// FNV-1a of 32 bits, as kernel/workloads/code_at.c has it.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The sections' addresses that a boot has reported.
pub fn sections(told: &[(String, String)]) -> Result<Sections> {
    let address = |(file, line): &(String, String)| {
        let digits = line.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
        match digits {
            Some(address) if address != 0 => Ok((file.clone(), address)),
            _ => Err(Problem::new(format!("the booted kernel does not say where a section is: '{line}'"))
                .at(file)
                .remedy("it has to have KALLSYMS and SYSFS, and the module to be loaded")),
        }
    };
    told.iter().map(address).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_hash_that_the_workload_tells() {
        // The offset basis, and a vector of the algorithm's authors.
        assert_eq!((hash(""), hash("foobar")), (0x811c_9dc5, 0xbf9c_f968));
    }

    #[test]
    fn what_is_no_address_is_a_problem_that_names_the_file() {
        let told = |line: &str| sections(&[("/sys/module/m/sections/.text".to_owned(), line.to_owned())]);
        assert_eq!(
            told("0xc008000000010000").unwrap()["/sys/module/m/sections/.text"],
            0xc008_0000_0001_0000
        );
        for hidden in ["", "0x0000000000000000", "(null)"] {
            assert!(told(hidden).unwrap_err().to_string().contains("sections/.text"), "{hidden}");
        }
    }
}
