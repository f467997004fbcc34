// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The streams of a program that runs, each read by a thread, so that no program waits for another's reader.

use std::io::Read;
use std::sync::{mpsc, Arc, Mutex};
use std::time::Duration;

/// The most that is kept of one stream; a program that prints more is cut, and that is said.
pub(super) const OUTPUT_BYTES_MAX: usize = 4 << 20;

/// How long we wait for the rest of a program's output after its end: it is in the pipe already, unless a process that
/// left the group holds the pipe open.
const REST_OF_OUTPUT: Duration = Duration::from_secs(2);

/// A stream that a thread reads: what it has so far, and a message when the stream has ended.
pub(super) struct Reading {
    kept: Arc<Mutex<Vec<u8>>>,
    ended: mpsc::Receiver<()>,
}

/// Reads a stream to its end in a thread of its own, which shows a watcher each piece.
pub(super) fn keep_reading(
    mut stream: impl Read + Send + 'static,
    mut watch: Option<Box<dyn FnMut(&[u8]) + Send>>,
) -> Reading {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let (sender, ended) = mpsc::channel();
    let shared = kept.clone();
    std::thread::spawn(move || {
        let mut chunk = [0; 65536];
        let mut cut = false;
        // A read error ends the text as an end of file does; the exit status tells the rest.
        while let Ok(count @ 1..) = stream.read(&mut chunk) {
            if let Some(watch) = &mut watch {
                watch(&chunk[..count]);
            }
            let mut kept = shared.lock().expect("nothing panics while it is held");
            // What is too much is read and dropped, so that the program does not block on the pipe.
            let room = OUTPUT_BYTES_MAX.saturating_sub(kept.len());
            kept.extend_from_slice(&chunk[..count.min(room)]);
            if count > room && !cut {
                cut = true;
                kept.extend_from_slice(b"\n[output cut here: more than 4 MiB]\n");
            }
        }
        // Fails if the receiver has given up on the output.
        let _ = sender.send(());
    });
    Reading { kept, ended }
}

/// What the stream had, as text.
pub(super) fn collected(reading: Option<Reading>) -> String {
    let Some(reading) = reading else { return String::new() };
    // If the time is up, the output until now is used.
    let _ = reading.ended.recv_timeout(REST_OF_OUTPUT);
    let bytes = reading.kept.lock().expect("nothing panics while it is held");
    String::from_utf8_lossy(&bytes).into_owned()
}
