// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Prints the facts of a raw code file: `cargo run -p decode --example facts -- ARCH FILE [ADDRESS]`.

use std::error::Error;
use std::path::Path;

#[path = "../tests/all/support/line.rs"]
mod line;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [arch, file, rest @ ..] = arguments.as_slice() else {
        return Err("usage: facts ARCH FILE [ADDRESS in hexadecimal]".into());
    };
    let code = std::fs::read(Path::new(file))?;
    let mut address = match rest {
        [text] => u64::from_str_radix(text.trim_start_matches("0x"), 16)?,
        _ => 0,
    };
    let arch = arch.parse()?;
    let mut decoder = decode::Decoder::new(arch)?;
    let mut left = code.as_slice();
    while !left.is_empty() {
        let instruction = decoder
            .decode(left, address)
            .unwrap_or_else(|_| decode::Instruction::unknown(arch, left, address));
        println!("{}", line::facts(&decoder, &instruction));
        left = &left[usize::from(instruction.length)..];
        address += u64::from(instruction.length);
    }
    Ok(())
}
