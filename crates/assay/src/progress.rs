// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Progress messages on standard error, from two seconds of silence on: on a terminal one line that is overwritten,
//! else a line every ten seconds. Work that takes less time prints nothing. While no [`Progress`] is alive, `watch`
//! prints that the verb is at work: in whole lines, since it does not know what the verb writes next.

use lab::pool;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{mpsc, Arc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const FIRST_WORD: Duration = Duration::from_secs(2);
/// A user at a terminal wants to see that the program is alive; a log should stay short.
const NEXT_AT_TERMINAL: Duration = Duration::from_millis(2500);
const NEXT_LINE: Duration = Duration::from_secs(10);

/// How many [`Progress`] values are alive.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);
/// When a message was last printed, in milliseconds since the start.
static LAST_WORD: AtomicU64 = AtomicU64::new(0);

/// `lab::pool::in_order` that reports its progress.
pub fn in_order<T: Sync, R: Send>(
    what: &str,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    done: impl FnMut(usize, R),
) {
    let progress = Progress::of(what, items.len());
    let counted = |item: &T| {
        let result = work(item);
        progress.step();
        result
    };
    pool::in_order(items, counted, done);
}

/// Notes that a message was printed.
pub fn heard() {
    LAST_WORD.store(since_start(), Ordering::Relaxed);
}

/// How long no message was printed.
fn silence() -> Duration {
    Duration::from_millis(since_start().saturating_sub(LAST_WORD.load(Ordering::Relaxed)))
}

fn since_start() -> u64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    u64::try_from(START.get_or_init(Instant::now).elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Starts a thread that prints a message when a verb has been silent for too long and no [`Progress`] is alive. It runs
/// until the program ends.
pub fn watch(verb: &str) {
    since_start();
    let verb = verb.to_owned();
    // If no thread can be started, there are no messages; that is no error.
    let _ = std::thread::Builder::new().spawn(move || {
        let next = if std::io::stderr().is_terminal() { NEXT_AT_TERMINAL } else { NEXT_LINE };
        let mut wait = FIRST_WORD;
        loop {
            std::thread::sleep(Duration::from_millis(250));
            if UNDER_WAY.load(Ordering::Relaxed) > 0 {
                wait = FIRST_WORD;
            } else if silence() >= wait {
                // A failed write to standard error does no harm.
                let _ = writeln!(std::io::stderr(), "{verb}: at work for {} s", since_start() / 1000);
                heard();
                wait = next;
            }
        }
    });
}

/// A piece of work that may take long; it is over when this is dropped.
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
        UNDER_WAY.fetch_add(1, Ordering::Relaxed);
        let thread = std::thread::spawn(move || tell(&what, total, &counted, &ended));
        Progress { done, over: Some(over), thread: Some(thread) }
    }

    /// Counts one more item as done.
    pub fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// How many are done.
    #[cfg(test)]
    pub fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// Counts at least so many items as done.
    pub fn reach(&self, count: usize) {
        self.done.fetch_max(count, Ordering::Relaxed);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        UNDER_WAY.fetch_sub(1, Ordering::Relaxed);
        drop(self.over.take());
        if let Some(thread) = self.thread.take() {
            // The thread has no result.
            let _ = thread.join();
        }
    }
}

fn tell(what: &str, total: usize, done: &AtomicUsize, ended: &mpsc::Receiver<()>) {
    let began = Instant::now();
    let terminal = std::io::stderr().is_terminal();
    // The silence so far counts, so that a series of steps of less than two seconds each is not silent throughout.
    let mut wait = FIRST_WORD.saturating_sub(silence()).max(Duration::from_millis(100));
    let mut told = false;
    while let Err(mpsc::RecvTimeoutError::Timeout) = ended.recv_timeout(wait) {
        let seconds = began.elapsed().as_secs();
        let counted =
            if total > 0 { format!(" {} of {total},", done.load(Ordering::Relaxed)) } else { String::new() };
        let text = format!("{what}:{counted} {seconds} s");
        // A failed write to standard error does no harm.
        let _ = match terminal {
            true => write!(std::io::stderr(), "\r{text}\x1b[K"),
            false => writeln!(std::io::stderr(), "{text}"),
        };
        heard();
        told = true;
        wait = if terminal { Duration::from_secs(1) } else { NEXT_LINE };
    }
    if told && terminal {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}
