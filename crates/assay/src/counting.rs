// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Exact counts per call from a trace whose region of interest is the hot path itself.

use crate::judge::told;
use decode::{Decoder, Flow};
use lab::{Problem, Result};
use std::path::Path;
use trace::{Event, Reader};

/// What one call executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCounts {
    /// Instructions.
    pub instructions: u64,
    /// Accesses that read memory.
    pub loads: u64,
    /// Accesses that write memory.
    pub stores: u64,
    /// Instructions that may change the flow of control: branches, calls and returns, taken or not.
    pub branches: u64,
}

/// Counts each recorded call of a trace, in order.
pub fn calls(path: &Path) -> Result<Vec<CallCounts>> {
    let broken =
        |error: trace::Error| Problem::new(error.to_string()).remedy("remove the file; it is recorded again");
    let mut reader = Reader::open(path).map_err(broken)?;
    let mut decoder = Decoder::new(reader.header().arch).map_err(|error| told(&error, "run ./setup"))?;
    let mut branches_of_block: Vec<Option<u64>> = Vec::new();
    let mut calls = Vec::new();
    let mut current = CallCounts::default();
    loop {
        // The accesses borrow the reader, so they are counted before the block is looked up.
        let id = match reader.next().map_err(broken)? {
            None => return Ok(calls),
            Some(Event::EnterRegion { .. }) => {
                current = CallCounts::default();
                continue;
            }
            Some(Event::LeaveRegion { .. }) => {
                calls.push(current);
                continue;
            }
            Some(Event::Interrupt | Event::InterruptOver) => continue, // a program's trace has none
            Some(Event::Block { id, accesses }) => {
                let moves_data = accesses.iter().filter(|access| !access.cache_operation);
                for access in moves_data {
                    *if access.store { &mut current.stores } else { &mut current.loads } += 1;
                }
                id as usize
            }
        };
        if branches_of_block.len() <= id {
            branches_of_block.resize(id + 1, None);
        }
        let block = &reader.blocks()[id];
        current.instructions += block.instructions() as u64;
        current.branches += *branches_of_block[id].get_or_insert_with(|| branches(&mut decoder, block));
    }
}

/// Counts the instructions of a block that may change the flow of control, without bytes that do not decode.
pub fn branches(decoder: &mut Decoder, block: &trace::Block) -> u64 {
    let is_branch = |(address, bytes): (u64, &[u8])| {
        decoder
            .decode(bytes, address)
            .is_ok_and(|instruction| !matches!(instruction.flow, Flow::Next | Flow::System))
    };
    block.iter().map(is_branch).filter(|is_branch| *is_branch).count() as u64
}
