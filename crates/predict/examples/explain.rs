// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Explains a trace: `cargo run --release -p predict --example explain -- CPUS_DIR TRACE CPU [TIMELINE.html]`.

use predict::explain::{explain, predict_placed, sensitivity};
use predict::trace_source::TraceSource;
use predict::{predict, Cpu, Options, Source, SourceError};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dir, path, cpu, page @ ..] = arguments.as_slice() else {
        return Err("usage: explain CPUS_DIR TRACE CPU [TIMELINE.html]".into());
    };
    let cpu = Cpu::load(dir.as_ref(), cpu)?;
    let mut open =
        || -> Result<Box<dyn Source>, SourceError> { Ok(Box::new(TraceSource::open(path.as_ref())?)) };
    let explanation = explain(&mut open, &cpu, &Options::default())?;
    println!("{}", explanation.summary());
    for bound in &explanation.bounds {
        println!("  without {:<45} {:.2}", bound.resource, bound.cycles_without);
    }
    let sensitivity = sensitivity(&mut open, &cpu, &Options::default())?;
    println!("guesses move it by {:.1} %:", sensitivity.spread_percent());
    for change in sensitivity.moves.iter().take(8) {
        println!("  {} {:?}: {:.2} to {:.2}", change.key, change.range, change.cycles.0, change.cycles.1);
    }
    let (_, alignments) = predict_placed(&mut open, &[&cpu], &Options::default())?.remove(0);
    for (bytes, cycles) in alignments.places {
        println!("  code +{bytes}: {cycles:.2}");
    }
    let options = Options { events: Some((200, 48)), ..Options::default() };
    let timeline = predict(&mut *open()?, &[&cpu], &options)?.remove(0).timeline;
    if let Some(timeline) = timeline {
        print!("{}", timeline.text(100));
        if let [page] = page {
            std::fs::write(page, timeline.html(None))?;
        }
    }
    Ok(())
}
