// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The sweep over slice length and reuse as a drawing: one field per point, with the predicted gain as its colour and as a
//! number.

use super::sweep::{REUSE_PERCENT, SLICES_US};
use super::EngineRecord;
use std::fmt::Write;

const FIELD: [usize; 2] = [92, 44];
const LEFT: usize = 110;
const TOP: usize = 64;

/// An SVG document.
pub fn draw(records: &[EngineRecord]) -> String {
    let points: Vec<&EngineRecord> =
        records.iter().filter(|record| record.part == "slice_and_reuse").collect();
    let (width, height) = (LEFT + FIELD[0] * SLICES_US.len() + 20, TOP + FIELD[1] * REUSE_PERCENT.len() + 56);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"14\">\n<text x=\"10\" y=\"24\" font-size=\"16\">Predicted gain in percent of restoring the second \
         level</text>\n<text x=\"10\" y=\"46\">reuse</text>\n"
    );
    let mut add = |text: String| {
        let _ = writeln!(svg, "{text}");
    };
    for (row, reuse) in REUSE_PERCENT.iter().rev().enumerate() {
        let y = TOP + row * FIELD[1];
        add(format!("<text x=\"10\" y=\"{}\">{reuse} %</text>", y + 28));
        for (column, us) in SLICES_US.iter().enumerate() {
            let index = column * REUSE_PERCENT.len() + (REUSE_PERCENT.len() - 1 - row);
            let Some(gain) = points.get(index).map(|point| point.predicted_percent) else { continue };
            let x = LEFT + column * FIELD[0];
            add(format!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>",
                FIELD[0] - 2,
                FIELD[1] - 2,
                colour(gain)
            ));
            add(format!(
                "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{gain:+.1}</text>",
                x + FIELD[0] / 2,
                y + 28
            ));
            if row == 0 {
                let below = TOP + FIELD[1] * REUSE_PERCENT.len() + 20;
                add(format!(
                    "<text x=\"{}\" y=\"{below}\" text-anchor=\"middle\">{us} us</text>",
                    x + FIELD[0] / 2
                ));
            }
        }
    }
    add(format!(
        "<text x=\"{LEFT}\" y=\"{}\">slice; two streaming vcores between, POWER8 as modelled</text>\n</svg>",
        height - 10
    ));
    svg
}

/// Green for gains, red for losses, stronger with their size; white below 1 % either way.
fn colour(gain: f64) -> String {
    let strength = (gain.abs() / 60.0).sqrt().min(1.0);
    let pale = (255.0 - 150.0 * strength) as u8;
    match gain {
        gain if gain >= 1.0 => format!("#{pale:02x}e0{pale:02x}"),
        gain if gain <= -1.0 => format!("#f0{pale:02x}{pale:02x}"),
        _ => "#ffffff".to_owned(),
    }
}
