// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Where a function is entered. On 64-bit POWER that may be two places (ELFv2 ABI 3.4.1): callers in the same module
//! come to the local entry point with the TOC pointer in r2, all others to the global one, from which r2 is set first.

use arch::Arch;
use decode::Decoder;
use object::{ObjectSymbol, SymbolFlags};

use crate::machine::State;
use crate::{isa, Error};

/// The TOC pointer.
pub(crate) const TOC: &str = "r2";
/// What callers from other modules bring the address of the global entry point in.
const ENTRY_ADDRESS: &str = "r12";

/// What `st_other` says of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Bytes from the global to the local entry point.
    pub local_offset: usize,
    /// Whether r2 is the TOC pointer there, and has to come back.
    pub keeps_toc: bool,
}

impl Entry {
    /// One entry point, as all other architectures have.
    pub const ONLY: Entry = Entry { local_offset: 0, keeps_toc: true };

    pub fn of<'a>(arch: Arch, symbol: &impl ObjectSymbol<'a>) -> Entry {
        match symbol.flags() {
            SymbolFlags::Elf { st_other, .. } if matches!(arch, Arch::Powerpc64 | Arch::Powerpc64le) => {
                match st_other >> 5 {
                    1 => Entry { local_offset: 0, keeps_toc: false },
                    code @ 2..=6 => Entry { local_offset: 1 << code, keeps_toc: true },
                    _ => Entry::ONLY,
                }
            }
            _ => Entry::ONLY,
        }
    }

    /// Whether the code before the local entry point sets r2 from r12 and does nothing else, so that what is proved from there on
    /// holds for all callers. The inner error says why not.
    pub fn check_prologue(
        &self,
        arch: Arch,
        bytes: &[u8],
        address: u64,
    ) -> Result<Result<(), String>, Error> {
        let mut decoder = Decoder::new(arch).map_err(|e| Error::Decode(e.to_string()))?;
        let mut state = State::new(arch);
        let mut offset = 0;
        while offset < self.local_offset {
            let step = decoder.decode(&bytes[offset.min(bytes.len())..], address + offset as u64);
            let step = step.map_err(|error| error.to_string()).and_then(|instruction| {
                isa::step(&instruction, &mut state).map(|()| usize::from(instruction.length))
            });
            match step {
                Ok(length) => offset += length,
                Err(reason) => return Ok(Err(format!("before the local entry point: {reason}"))),
            }
        }
        let sets_toc_alone = state.written().all(|(name, _)| name == TOC)
            && state.stored().next().is_none()
            && state.loaded().all(|(base, _)| base == ENTRY_ADDRESS);
        Ok(if sets_toc_alone {
            Ok(())
        } else {
            Err("before the local entry point: these are not only instructions that set r2 from r12"
                .to_owned())
        })
    }
}
