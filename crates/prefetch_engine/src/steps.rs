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
/// lines gives two steps. Accesses whose address is not known, and cache operations, count as instructions only.
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
            let last = (access.address + u64::from(access.bytes.max(1)) - 1) / line_bytes;
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
