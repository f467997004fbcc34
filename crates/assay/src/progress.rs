// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What a run is at, told on standard error after two seconds and then now and then: on a terminal one line that is written over,
//! else a line every ten seconds. What takes less says nothing.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{mpsc, Arc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const FIRST_WORD: Duration = Duration::from_secs(2);
const NEXT_LINE: Duration = Duration::from_secs(10);

/// One thing that takes its time; it is over when this is dropped.
pub struct Progress {
    done: Arc<AtomicUsize>,
    over: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// `what` as in `predicting`; `total` items, or 0 if they are not counted.
    pub fn of(what: &str, total: usize) -> Progress {
        let done = Arc::new(AtomicUsize::new(0));
        let (over, ended) = mpsc::channel::<()>();
        let (counted, what) = (done.clone(), what.to_owned());
        let thread = std::thread::spawn(move || tell(&what, total, &counted, &ended));
        Progress { done, over: Some(over), thread: Some(thread) }
    }

    /// One more is done.
    pub fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.over.take());
        if let Some(thread) = self.thread.take() {
            // It only waits and prints.
            let _ = thread.join();
        }
    }
}

fn tell(what: &str, total: usize, done: &AtomicUsize, ended: &mpsc::Receiver<()>) {
    let began = Instant::now();
    let terminal = std::io::stderr().is_terminal();
    let mut wait = FIRST_WORD;
    let mut told = false;
    while let Err(mpsc::RecvTimeoutError::Timeout) = ended.recv_timeout(wait) {
        let seconds = began.elapsed().as_secs();
        let counted =
            if total > 0 { format!(" {} of {total},", done.load(Ordering::Relaxed)) } else { String::new() };
        let text = format!("{what}:{counted} {seconds} s");
        // Nobody minds if standard error takes no more.
        let _ = match terminal {
            true => write!(std::io::stderr(), "\r{text}\x1b[K"),
            false => writeln!(std::io::stderr(), "{text}"),
        };
        told = true;
        wait = if terminal { Duration::from_secs(1) } else { NEXT_LINE };
    }
    if told && terminal {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}
