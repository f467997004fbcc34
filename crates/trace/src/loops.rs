// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A loop record, expanded one event at a time; any number of iterations can be skipped in constant time.
//!
//! The parts of the outermost loop are one list in the order of the file, a loop followed by its body. The address of an
//! access in iteration i of the outer and j of the inner loop is its initial address plus i times its outer stride plus j
//! times its inner stride, so no state is carried from iteration to iteration.

use crate::event::{Access, Counts, Repetition};

/// One element of a loop body.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// An execution of a shape; its accesses start at `first`.
    Run { shape: u32, first: u32, count: u32 },
    /// A loop: its body is the parts up to `end`.
    Loop { iterations: u64, end: u32, strides: u32, first: u32, counts: Counts, markers: u64 },
}

/// The loop record that is being expanded.
#[derive(Default)]
pub(crate) struct Loops {
    pub parts: Vec<Part>,
    /// Initial addresses of all parts.
    pub initial: Vec<u64>,
    /// The accesses that are handed out; `step` fills in the addresses of the current iteration.
    pub accesses: Vec<Access>,
    /// For each loop, the strides of the accesses of its body, in order.
    pub strides: Vec<u64>,
    stack: Vec<Frame>,
    loops_begun: u64,
}

#[derive(Clone, Copy)]
struct Frame {
    part: u32,
    iteration: u64,
    next: u32,
    id: u64,
}

impl Loops {
    pub fn active(&self) -> bool {
        !self.stack.is_empty()
    }

    /// Starts to expand the loop that `parts` now holds.
    pub fn begin(&mut self) {
        self.stack.clear();
        self.enter(0);
    }

    pub fn clear(&mut self) {
        self.parts.clear();
        self.initial.clear();
        self.accesses.clear();
        self.strides.clear();
        self.stack.clear();
    }

    fn enter(&mut self, mut part: u32) {
        while let Part::Loop { .. } = self.parts[part as usize] {
            self.stack.push(Frame { part, iteration: 0, next: part + 1, id: self.loops_begun });
            self.loops_begun += 1;
            part += 1;
        }
    }

    /// The shape of the next run and the range of its accesses; advances to the run after it.
    #[inline]
    pub fn step(&mut self) -> (u32, std::ops::Range<usize>) {
        let next = self.stack[self.stack.len() - 1].next;
        let Part::Run { shape, first, count } = self.parts[next as usize] else {
            unreachable!("the reader always stands before a run");
        };
        let range = first as usize..(first + count) as usize;
        self.place(range.clone());
        self.advance(next + 1);
        (shape, range)
    }

    #[inline]
    fn place(&mut self, range: std::ops::Range<usize>) {
        if let [frame] = self.stack[..] {
            // By far the most frequent case: a single loop.
            let Part::Loop { strides, .. } = self.parts[frame.part as usize] else {
                unreachable!("frames are of loops");
            };
            let strides = &self.strides[strides as usize + range.start..];
            let initial = &self.initial[range.clone()];
            for ((access, &stride), &initial) in self.accesses[range].iter_mut().zip(strides).zip(initial) {
                access.address = initial.wrapping_add(stride.wrapping_mul(frame.iteration));
            }
            return;
        }
        for index in range {
            let mut address = self.initial[index];
            for frame in &self.stack {
                if let Part::Loop { strides, first, .. } = self.parts[frame.part as usize] {
                    let stride = self.strides[strides as usize + index - first as usize];
                    address = address.wrapping_add(stride.wrapping_mul(frame.iteration));
                }
            }
            self.accesses[index].address = address;
        }
    }

    /// Continues at part `next`, which may be past the end of the body.
    #[inline]
    fn advance(&mut self, mut next: u32) {
        while let Some(frame) = self.stack.last_mut() {
            let Part::Loop { iterations, end, .. } = self.parts[frame.part as usize] else {
                unreachable!("frames are of loops");
            };
            if next < end {
                frame.next = next;
                if let Part::Loop { .. } = self.parts[next as usize] {
                    self.enter(next);
                }
                return;
            }
            frame.iteration += 1;
            if frame.iteration < iterations {
                next = frame.part + 1;
            } else {
                self.stack.pop();
                next = end;
            }
        }
    }

    /// Whether the reader is at the start of an iteration.
    #[inline]
    pub fn at_iteration(&self) -> bool {
        self.stack.last().is_some_and(|frame| frame.next == frame.part + 1)
    }

    /// The repetitions that are at the start of an iteration, outermost first.
    pub fn repetitions(&self, out: &mut Vec<Repetition>) {
        out.clear();
        for (depth, frame) in self.stack.iter().enumerate().rev() {
            let Part::Loop { iterations, counts, markers, .. } = self.parts[frame.part as usize] else {
                unreachable!("frames are of loops");
            };
            if frame.next != frame.part + 1 {
                break;
            }
            out.push(Repetition {
                id: frame.id,
                depth,
                iteration: frame.iteration,
                remaining: iterations - frame.iteration,
                blocks_per_iteration: counts.blocks,
                instructions_per_iteration: counts.instructions,
                counts_per_iteration: counts,
                region_events_per_iteration: markers,
            });
            if frame.iteration > 0 {
                break; // the loops around it are in the middle of an iteration
            }
        }
        out.reverse();
    }

    /// Calls `run` with the shape of each run of the whole loop and how often it is executed.
    pub fn for_each_run(&self, mut run: impl FnMut(u32, u64)) {
        let mut around: Vec<(u32, u64)> = Vec::new(); // ends of the loops that a part is in, and their iterations
        for (index, part) in self.parts.iter().enumerate() {
            while around.last().is_some_and(|&(end, _)| end as usize <= index) {
                around.pop();
            }
            let times = around.last().map_or(1, |&(_, times)| times);
            match *part {
                Part::Run { shape, .. } => run(shape, times),
                Part::Loop { iterations, end, .. } => around.push((end, times.wrapping_mul(iterations))),
            }
        }
    }

    /// Skips iterations of the loop at `depth`, which must be at the start of an iteration. Returns the counts of one
    /// iteration.
    pub fn skip(&mut self, depth: usize, iterations: u64) -> Counts {
        self.stack.truncate(depth + 1);
        let frame = &mut self.stack[depth];
        let Part::Loop { counts, end, .. } = self.parts[frame.part as usize] else {
            unreachable!("frames are of loops");
        };
        // Reaching the end of the body starts the next iteration.
        let next = if iterations > 0 { end } else { frame.part + 1 };
        frame.iteration += iterations.saturating_sub(1);
        self.advance(next);
        counts
    }
}
