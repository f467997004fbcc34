// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Decoders started by several threads at once. A test program of its own, because LLVM's targets are registered once a
//! process, and only that first time has to be guarded.

use arch::Arch;
use decode::Decoder;
use std::sync::Barrier;

#[test]
fn threads_can_start_decoders_at_once() {
    const THREADS_PER_ARCH: usize = 4;
    let start = Barrier::new(Arch::ALL.len() * THREADS_PER_ARCH);
    std::thread::scope(|scope| {
        for arch in Arch::ALL.into_iter().cycle().take(Arch::ALL.len() * THREADS_PER_ARCH) {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                if let Err(error) = Decoder::new(arch) {
                    panic!("{arch}: {error}");
                }
            });
        }
    });
}
