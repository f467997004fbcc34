// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The steps that a vcore runs: the accesses of a recorded program with the instructions between them.

use std::path::Path;
use trace::{Error, Event, Reader};

/// One access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Instructions since the last step, including this one's.
    pub instructions: u32,
    /// The line.
    pub line: u64,
    /// Whether it is written.
    pub store: bool,
}

/// The steps of a trace after the first `skip`; reading stops after the block that reaches `steps_max`. An access across two
/// lines gives two steps; one past the end of the address space ends there. Accesses whose address is not known, and cache
/// operations, count as instructions only.
///
/// # Errors
/// Those of the trace.
pub fn read_trace(
    path: &Path,
    line_bytes: u64,
    mut skip: usize,
    steps_max: usize,
) -> Result<Vec<Step>, Error> {
    let mut reader = Reader::open(path)?;
    let mut steps: Vec<Step> = Vec::new();
    let mut since = 0u64;
    while steps.len() < steps_max {
        // `blocks` has an event's block only after `next` has returned the event.
        let Some(event) = reader.next()? else { break };
        let Event::Block { id, accesses } = event else { continue };
        let mut done = 0u64;
        for access in accesses.iter().filter(|access| access.known && !access.cache_operation) {
            let at = u64::from(access.instruction) + 1;
            since += at.saturating_sub(done);
            done = done.max(at);
            let last = access.address.saturating_add(u64::from(access.bytes.max(1)) - 1) / line_bytes;
            for line in access.address / line_bytes..=last {
                let instructions = u32::try_from(since).unwrap_or(u32::MAX);
                since = 0;
                if skip > 0 {
                    skip -= 1;
                } else {
                    steps.push(Step { instructions, line, store: access.store });
                }
            }
        }
        let all = reader.blocks()[id as usize].instructions() as u64;
        since += all.saturating_sub(done);
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arch::Arch;
    use trace::{Access, Block, Item, Writer};

    #[test]
    fn an_access_past_the_end_of_the_address_space_ends_there() {
        let path = std::env::temp_dir().join(format!("steps-{}.trace", std::process::id()));
        let mut writer = Writer::create(&path, Arch::Powerpc64le, &[]).unwrap();
        let id = writer.define_block(&Block { address: 0x1000, bytes: vec![0; 4], sizes: vec![4] });
        for address in [0, 60, u64::MAX - 7, u64::MAX - 3] {
            let access = Access { address, bytes: 8, known: true, ..Access::default() };
            writer.put(&Item::Block { id, accesses: vec![access] }).unwrap();
        }
        writer.finish("exit").unwrap();
        let steps = read_trace(&path, 64, 0, usize::MAX).unwrap();
        std::fs::remove_file(&path).unwrap();
        let lines: Vec<u64> = steps.iter().map(|step| step.line).collect();
        let last = u64::MAX / 64;
        assert_eq!(lines, [0, 0, 1, last, last]);
    }
}
