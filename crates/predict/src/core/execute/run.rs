// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! One instruction's way through the pipes: when it could begin, issue and finish, and what it waited for.

use crate::cause::Cause;
use crate::core::hint::mostly;
use crate::core::memory::Loaded;
use crate::core::Event;
use crate::op::Op;
use crate::plan::Plan;

/// Of the pipes that an instruction took, those that it occupies for more than a cycle, and the most cycles that it does.
#[cold]
pub(in crate::core) fn kept(plan: &Plan, op: &Op, pipes: u32) -> (u32, u16) {
    let long = plan.parts_of(op).iter().filter(|part| part.busy > 1);
    let (mask, cycles) = long.fold((0, 1), |(mask, cycles), part| (mask | part.mask, cycles.max(part.busy)));
    (mask & pipes, cycles)
}

/// How far an instruction has come.
pub(super) struct Run {
    /// When the instruction could begin and when its sources were there; what the last of them waited for.
    pub(super) start: u64,
    pub(super) ready: u64,
    pub(super) source_cause: u64,
    /// Last part issued, and the cycle that latencies count from.
    pub(super) issue: u64,
    pub(super) base: u64,
    pub(super) loaded: Loaded,
    /// When all results are there.
    pub(super) finish: u64,
}

impl Run {
    /// The number of the cause that it waited for longest; of equals the last.
    #[inline]
    pub(super) fn cause(&self) -> u64 {
        let for_sources = self.ready - self.start;
        if mostly(self.issue <= self.ready) {
            let at_once = self.loaded.extra >= for_sources;
            return if at_once { self.loaded.cause as u64 } else { self.source_cause };
        }
        let for_pipe = self.issue - self.ready;
        if self.loaded.extra >= for_sources.max(for_pipe) {
            self.loaded.cause as u64
        } else if for_pipe >= for_sources {
            Cause::Unit as u64
        } else {
            self.source_cause
        }
    }

    /// The same with the cycles for which it was held before dispatch. If a source came later, they delayed nothing.
    #[cold]
    pub(super) fn longest(&self, held: (u64, Cause)) -> Cause {
        let later = self.issue.saturating_sub(self.ready).max(self.loaded.extra);
        if self.ready == self.start && held.0 > later {
            held.1
        } else {
            Cause::numbered(self.cause())
        }
    }

    /// Its record, but for the cause; `complete` is `u64::MAX` if it is not known yet.
    #[cold]
    pub(super) fn event(
        &self,
        op: &Op,
        fetch: u64,
        dispatch: u64,
        complete: u64,
        opens_group: bool,
        (pipes, kept): (u32, (u32, u16)),
    ) -> Event {
        Event {
            op: op.index,
            fetch,
            dispatch,
            start: self.start,
            ready: self.ready,
            issue: self.issue,
            finish: self.finish,
            complete,
            opens_group,
            cause: Cause::Dependency,
            pipes,
            kept,
            loaded_from: 0,
            stored: 0,
        }
    }
}
