// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The golden_cove description against the machine this runs on: the same machine code is timed and predicted.
//! `cargo run --release -p predict --example native -- cpus`. It prints and judges nothing: a busy or other machine
//! says little about the description.
//!
//! Time is counted in core cycles: each sample stands between two runs of a chain of dependent multiplications,
//! three cycles each, and is divided by their speed; samples between two runs that differ are dropped. The 1 percent
//! quantile of the others is shown: what else runs on the core, such as its second thread, only makes a loop slower.

#[cfg(not(target_arch = "x86_64"))]
fn main() {
    println!("golden_cove can be compared on x86-64 only");
}

#[cfg(target_arch = "x86_64")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    x86::main()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use predict::loops::{LoopSource, Walk};
    use predict::{predict, Cpu, Options};
    use std::arch::{global_asm, x86_64::_rdtsc};

    /// Defines a function `name(buffer, turns)` whose loop starts at `name_loop` and ends at `name_end`.
    macro_rules! timed_loop {
        ($name:literal, $body:literal) => {
            global_asm!(
                concat!(
                    ".balign 64\n.globl ",
                    $name,
                    "\n",
                    $name,
                    ":\n xor eax, eax\n xor ecx, ecx\n mov rdx, rdi\n"
                ),
                concat!(".balign 64\n.globl ", $name, "_loop\n", $name, "_loop:\n", $body),
                concat!(
                    "\n dec rsi\n jnz ",
                    $name,
                    "_loop\n.globl ",
                    $name,
                    "_end\n",
                    $name,
                    "_end:\n ret\n"
                )
            );
        };
    }

    timed_loop!("t_multiply", "imul rax, rax\nimul rax, rax\nimul rax, rax\nimul rax, rax");
    timed_loop!(
        "t_swap",
        "mov rax, [rdx]\nbswap rax\nmov [rdx], rax\nadd rcx, 8\nand ecx, 4088\nlea rdx, [rdi+rcx]"
    );
    timed_loop!("t_swap_memory", "mov rax, [rdx]\nmov [rdi+8192], rax\nmovbe rax, [rdi+8192]\nmov [rdx], rax\nadd rcx, 8\nand ecx, 4088\nlea rdx, [rdi+rcx]");
    timed_loop!("t_checksum", "add rax, [rdi]\nadc rax, [rdi+8]\nadc rax, [rdi+16]\nadc rax, [rdi+24]\nadc rax, [rdi+32]\nadc rax, [rdi+40]\nadc rax, [rdi+48]\nadc rax, [rdi+56]\nadc rax, 0");
    timed_loop!(
        "t_forward",
        "mov [rdi], rax\nmov rax, [rdi]\nadd rax, rsi\nmov [rdi+64], rax\nmov rax, [rdi+64]"
    );
    timed_loop!("t_forward_part", "mov [rdi], rax\nmov eax, [rdi+4]\nadd rax, rsi");
    timed_loop!("t_forward_low", "mov [rdi], rax\nmov eax, [rdi]\nadd rax, rsi");
    timed_loop!("t_forward_word", "mov [rdi], ax\nmovzx eax, word ptr [rdi]\nadd rax, rsi");
    timed_loop!("t_forward_failed", "mov [rdi], eax\nmov [rdi+4], eax\nmov rax, [rdi]\nadd rax, rsi");
    timed_loop!("t_swap_many", ".rept 4\nbswap rax\nbswap rcx\nbswap r8\nbswap r9\n.endr");
    timed_loop!("t_movbe", "movbe eax, [rdi]\nmovbe rcx, [rdi+8]\nmovbe r8d, [rdi+16]\nmovbe r9, [rdi+24]");
    timed_loop!("t_cross", "mov rax, [rdi+rax+12348]\nmov rax, [rdi+rax+12348]");
    timed_loop!("t_vector_trip", "movq xmm0, rax\nmovq rax, xmm0\nmovd xmm0, eax\npmovmskb eax, xmm0");
    timed_loop!("t_insert", "pinsrq xmm0, rax, 0\nmovq rax, xmm0\nmovq xmm0, rax\npextrq rax, xmm0, 1");
    timed_loop!("t_extend", ".rept 4\nrol ax, 8\nmovzx eax, ax\n.endr");
    // Three operations before one taken branch and nine before the other.
    timed_loop!("t_split", "nop\nnop\njmp 2f\n.balign 64\n2:\n.rept 8\nnop\n.endr");
    timed_loop!("t_fused", ".rept 8\nnop\n.endr\ntest rsp, rsp\njz 3f\ntest rsp, rsp\njz 3f\n3:");
    timed_loop!("t_stores", "mov [rdi], rax\nmov [rdi+8], rax\nmov [rdi+16], rax\nmov [rdi+24], rax");
    timed_loop!("t_stores_apart", "mov [rdi], rax\nmov [rdi+64], rax\nmov [rdi+8], rax\nmov [rdi+72], rax");
    timed_loop!("t_cross_loads", "mov r8, [rdi+60]\nmov r9, [rdi+124]\nmov r10, [rdi+188]");
    timed_loop!("t_cross_stores", "mov [rdi+60], rax\nmov [rdi+252], rax");
    // Nops of fifteen bytes: 3000 bytes of code.
    timed_loop!(
        "t_long",
        ".rept 200\n.byte 102, 102, 102, 102, 102, 102, 46, 15, 31, 132, 0, 0, 0, 0, 0\n.endr"
    );

    type Function = unsafe extern "sysv64" fn(*mut u8, u64);

    extern "sysv64" {
        fn t_multiply(buffer: *mut u8, turns: u64);
    }

    macro_rules! case {
        ($name:ident, $start:ident, $end:ident, $walks:expr) => {{
            extern "sysv64" {
                fn $name(buffer: *mut u8, turns: u64);
                fn $start();
                fn $end();
            }
            (
                stringify!($name),
                $name as Function,
                $start as *const () as usize,
                $end as *const () as usize,
                $walks,
            )
        }};
    }

    fn ticks(function: Function, buffer: &mut [u8], turns: u64) -> u64 {
        // SAFETY: the loops touch the first 12356 bytes of the buffer, which has 16384, and clobber only registers
        // that the calling convention lets them.
        unsafe {
            let start = _rdtsc();
            function(buffer.as_mut_ptr(), turns);
            _rdtsc() - start
        }
    }

    fn cycles_per_turn(function: Function, buffer: &mut [u8]) -> f64 {
        let (turns, chain) = (1000, 250);
        let mut samples: Vec<f64> = (0..10_000)
            .filter_map(|_| {
                let before = ticks(t_multiply, buffer, chain);
                let measured = ticks(function, buffer, turns);
                let after = ticks(t_multiply, buffer, chain);
                let tick = 2.0 * (chain * 12) as f64 / (before + after) as f64;
                let steady = before.abs_diff(after) * 50 < before;
                steady.then_some(measured as f64 * tick / turns as f64)
            })
            .collect();
        samples.sort_by(f64::total_cmp);
        samples.get(samples.len() / 100).copied().unwrap_or(f64::NAN)
    }

    pub fn main() -> Result<(), Box<dyn std::error::Error>> {
        let dir = std::env::args().nth(1).unwrap_or_else(|| "cpus".into());
        let cpu = Cpu::load(dir.as_ref(), "golden_cove")?;
        let moving = Walk { start: 0x10000, step: 8, wrap: 4096 };
        let at = |start: u64| Walk { start, step: 0, wrap: 0 };
        let words: Vec<Walk> = (0..8).map(|n| at(0x10000 + 8 * n)).collect();
        let cases = [
            case!(t_multiply, t_multiply_loop, t_multiply_end, vec![]),
            case!(t_swap, t_swap_loop, t_swap_end, vec![moving, moving]),
            case!(
                t_swap_memory,
                t_swap_memory_loop,
                t_swap_memory_end,
                vec![moving, at(0x12000), at(0x12000), moving]
            ),
            case!(t_checksum, t_checksum_loop, t_checksum_end, words),
            case!(
                t_forward,
                t_forward_loop,
                t_forward_end,
                vec![at(0x10000), at(0x10000), at(0x10040), at(0x10040)]
            ),
            case!(t_forward_part, t_forward_part_loop, t_forward_part_end, vec![at(0x10000), at(0x10004)]),
            case!(t_forward_low, t_forward_low_loop, t_forward_low_end, vec![at(0x10000), at(0x10000)]),
            case!(t_forward_word, t_forward_word_loop, t_forward_word_end, vec![at(0x10000), at(0x10000)]),
            case!(
                t_forward_failed,
                t_forward_failed_loop,
                t_forward_failed_end,
                vec![at(0x10000), at(0x10004), at(0x10000)]
            ),
            case!(t_swap_many, t_swap_many_loop, t_swap_many_end, vec![]),
            case!(
                t_movbe,
                t_movbe_loop,
                t_movbe_end,
                vec![at(0x10000), at(0x10008), at(0x10010), at(0x10018)]
            ),
            case!(t_cross, t_cross_loop, t_cross_end, vec![at(0x1303c), at(0x1303c)]),
            case!(t_vector_trip, t_vector_trip_loop, t_vector_trip_end, vec![]),
            case!(t_insert, t_insert_loop, t_insert_end, vec![]),
            case!(t_extend, t_extend_loop, t_extend_end, vec![]),
            case!(t_split, t_split_loop, t_split_end, vec![]),
            case!(t_fused, t_fused_loop, t_fused_end, vec![]),
            case!(
                t_stores,
                t_stores_loop,
                t_stores_end,
                vec![at(0x10000), at(0x10008), at(0x10010), at(0x10018)]
            ),
            case!(
                t_stores_apart,
                t_stores_apart_loop,
                t_stores_apart_end,
                vec![at(0x10000), at(0x10040), at(0x10008), at(0x10048)]
            ),
            case!(
                t_cross_loads,
                t_cross_loads_loop,
                t_cross_loads_end,
                vec![at(0x1003c), at(0x1007c), at(0x100bc)]
            ),
            case!(t_cross_stores, t_cross_stores_loop, t_cross_stores_end, vec![at(0x1003c), at(0x100fc)]),
            case!(t_long, t_long_loop, t_long_end, vec![]),
        ];
        let mut buffer = vec![0u8; 16384 + 64];
        let aligned = buffer.as_ptr().align_offset(64);
        let buffer = &mut buffer[aligned..];
        println!("{:<18} {:>9} {:>9} {:>7}", "loop", "measured", "predicted", "error");
        for (name, function, start, end, walks) in cases {
            // SAFETY: both are labels in the same section of this program's code, `end` after `start`.
            let code = unsafe { std::slice::from_raw_parts(start as *const u8, end - start) };
            let mut source = LoopSource::new(arch::Arch::X86_64, code, 0x40_0000, &walks, 20_000)?;
            let prediction = predict(&mut source, &[&cpu], &Options::default())?.remove(0);
            let predicted = prediction.cycles_per_call.unwrap_or(0.0);
            let measured = cycles_per_turn(function, buffer);
            println!(
                "{name:<18} {measured:>9.2} {predicted:>9.2} {:>+6.0}%",
                100.0 * (predicted / measured - 1.0)
            );
        }
        Ok(())
    }
}
