// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The reach of a region: the number of pages whose address translations its calls need.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::event::Event;
use crate::reader::Reader;

/// Numbers of pages of one size that the calls of a region touch, without those that only interrupts inside them touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// For each outermost call, in order: pages of code, and pages of data, including the stack.
    pub calls: Vec<[usize; 2]>,
    /// Pages of code and of data that any call touches.
    pub all: [usize; 2],
}

#[derive(Default)]
struct Walk {
    page_bits: u32,
    depth: usize,
    interrupted: bool,
    call: [BTreeSet<u64>; 2],
    all: [BTreeSet<u64>; 2],
    reach: Reach,
}

impl Walk {
    fn touch(&mut self, kind: usize, first: u64, bytes: u64) {
        let last = first.saturating_add(bytes.max(1) - 1);
        for page in first >> self.page_bits..=last >> self.page_bits {
            self.call[kind].insert(page);
        }
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth > 0 {
            return;
        }
        let mut call = std::mem::take(&mut self.call);
        self.reach.calls.push([call[0].len(), call[1].len()]);
        for (all, call) in self.all.iter_mut().zip(&mut call) {
            all.append(call);
        }
    }
}

/// The reach of the rest of a trace, in pages of `page_bytes`, a power of two. Walks through every event.
pub fn reach(reader: &mut Reader, page_bytes: u64) -> Result<Reach, Error> {
    let mut walk = Walk { page_bits: page_bytes.trailing_zeros(), ..Walk::default() };
    loop {
        // If this is not the end, `blocks` now holds the block of the next event.
        if reader.at_end()? {
            walk.reach.all = [walk.all[0].len(), walk.all[1].len()];
            return Ok(walk.reach);
        }
        let mut executed = None;
        match reader.next()? {
            None => {}
            Some(Event::EnterRegion { .. }) => {
                walk.interrupted &= walk.depth > 0;
                walk.depth += 1;
            }
            Some(Event::LeaveRegion { .. }) => walk.leave(),
            Some(Event::Interrupt) => walk.interrupted = true,
            Some(Event::InterruptOver) => walk.interrupted = false,
            Some(Event::Block { id, accesses }) if !walk.interrupted => {
                executed = Some(id);
                for access in accesses.iter().filter(|access| access.known) {
                    walk.touch(1, access.address, u64::from(access.bytes));
                }
            }
            Some(Event::Block { .. }) => {}
        }
        if let Some(block) = executed.and_then(|id| reader.blocks().get(id as usize)) {
            walk.touch(0, block.address, block.bytes.len() as u64);
        }
    }
}
