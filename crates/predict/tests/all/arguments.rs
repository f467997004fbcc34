// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What a trace of one function does not hold: its caller, who sets the arguments of each call anew.

use arch::Arch;
use predict::trace_source::TraceSource;
use predict::{predict, Cpu, Options};
use std::path::Path;
use trace::{Block, Item, Leave, Writer};

/// Cycles of a call of four multiplications, each of the one before, that begin and end in that register.
fn cycles_of_call(cpu: &str, register: u32) -> f64 {
    let mulld = 31 << 26 | register << 21 | register << 16 | register << 11 | 233 << 1;
    let words = [mulld, mulld, mulld, mulld, 0x4e80_0020]; // mulld R,R,R four times; blr
    let bytes = words.iter().flat_map(|word| u32::to_le_bytes(*word)).collect();
    let name = format!("arguments.{cpu}.{register}.{}.trace", std::process::id());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut writer = Writer::create(&path, Arch::Powerpc64le, &[("region", "f:0x1000")]).unwrap();
    let id = writer.define_block(&Block { address: 0x1000, bytes, sizes: vec![4; words.len()] });
    let call = vec![Item::Enter(0), Item::Block { id, accesses: vec![] }, Item::Leave(Leave::Return)];
    writer.put(&Item::Repeat { iterations: 400, body: call, strides: vec![] }).unwrap();
    writer.finish("exit").unwrap();
    let cpu = Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), cpu).unwrap();
    let mut source = TraceSource::open(&path).unwrap();
    let prediction = predict(&mut source, &[&cpu], &Options::default()).unwrap().remove(0);
    std::fs::remove_file(&path).unwrap();
    prediction.cycles_per_call.unwrap()
}

/// On POWER a result is where the next call's first argument is: it was taken for that, and calls waited for each other. What
/// a function has to preserve is not its caller's to set.
#[test]
fn calls_do_not_wait_for_what_the_last_one_left_in_registers_of_arguments() {
    for cpu in ["power7", "power8", "power9", "power10"] {
        let (of_argument, preserved) = (cycles_of_call(cpu, 3), cycles_of_call(cpu, 30));
        assert!(preserved >= 16.0 && of_argument < 0.7 * preserved, "{cpu}: {of_argument}, {preserved}");
    }
}
