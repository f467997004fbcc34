// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! An interpreter as many programs have one: registers, a byte of code for each instruction and its operands behind it, and one
//! indirect branch that all instructions share.

/// Instructions. Their operands are registers; the last of `Above` and that of `Next` are places in the code.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Op {
    /// Reads the next byte of the input, or ends.
    Read,
    Add,
    Multiply,
    Xor,
    /// Shifts right by three.
    Shift,
    /// Goes on elsewhere if one register is above another.
    Above,
    /// Goes on elsewhere.
    Next,
}

impl Op {
    const ALL: [Op; 7] = [Op::Read, Op::Add, Op::Multiply, Op::Xor, Op::Shift, Op::Above, Op::Next];

    fn of(byte: u8) -> Op {
        Op::ALL[usize::from(byte) % Op::ALL.len()]
    }
}

/// Goes through the input and decides at each byte what becomes of it: a hash of no worth.
#[rustfmt::skip]
const PROGRAM: [u8; 24] = [
    Op::Read as u8, 1, // 0
    Op::Above as u8, 1, 2, 14, // 2
    Op::Multiply as u8, 0, 3, // 6
    Op::Add as u8, 0, 1, // 9
    Op::Next as u8, 0, // 12
    Op::Xor as u8, 0, 1, // 14
    Op::Above as u8, 1, 4, 0, // 17
    Op::Shift as u8, 0, // 21
    Op::Next as u8, // 23; its operand is the first byte: 0
];

/// Runs the program on these bytes.
pub fn run(input: &[u8]) -> u64 {
    let mut registers: [u64; 8] = [1, 0, 170, 31, 60, 0, 0, 0];
    let (mut at, mut input) = (0, input.iter());
    let operand = |at: usize, number: usize| PROGRAM[(at + number) % PROGRAM.len()];
    loop {
        let register = |number| usize::from(operand(at, number) & 7);
        let (to, from) = (register(1), register(2));
        match Op::of(PROGRAM[at]) {
            Op::Read => {
                let Some(byte) = input.next() else { return registers[0] };
                registers[to] = u64::from(*byte);
                at += 2;
            }
            Op::Add => {
                registers[to] = registers[to].wrapping_add(registers[from]);
                at += 3;
            }
            Op::Multiply => {
                registers[to] = registers[to].wrapping_mul(registers[from]);
                at += 3;
            }
            Op::Xor => {
                registers[to] ^= registers[from];
                at += 3;
            }
            Op::Shift => {
                registers[to] >>= 3;
                at += 2;
            }
            Op::Above if registers[to] > registers[from] => at = usize::from(operand(at, 3)),
            Op::Above => at += 4,
            Op::Next => at = usize::from(operand(at, 1)),
        }
    }
}
