// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Parses a booted kernel's console as its output arrives, into records of our init and lines of the kernel.
//!
//! Both share one console, because that is what every machine has. A record of init is a line
//!
//! ```text
//! @MARK KIND SEQUENCE SUM TEXT
//! ```
//!
//! MARK is a word that is new in each run, so that no program's output is taken for a record by accident. KIND is one
//! letter: `b` the program begins, `o` and `e` a line of its standard output or error, `O` and `E` a piece without an
//! end of line, `m` a module was loaded (TEXT: 0 or an error, and its path), `f` the first line of a requested file
//! (TEXT: its path, and the line), `x` it ended (TEXT: `exit N`, `signal N` or `error N`). SEQUENCE counts the records;
//! SUM is a checksum, since a kernel's message may be printed into the middle of a record. The last record, `x`, comes
//! twice, with one number, in case that happens to it.

/// The most that is kept of each of a program's streams; the rest is dropped.
const KEPT_BYTES_MAX: usize = 4 << 20;
/// Longer lines are split.
const LINE_BYTES_MAX: usize = 64 << 10;
/// At most this many of the kernel's complaints are kept.
const COMPLAINTS_MAX: usize = 20;

/// How the program ended, as init says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// With this status.
    Status(i32),
    /// By this signal.
    Signal(i32),
    /// It could not be started: the kernel's error number.
    NotStarted(i32),
}

/// The state of a console after its output so far.
#[derive(Debug, Default)]
pub struct Console {
    mark: String,
    line: Vec<u8>,
    /// The program's standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
    /// Whether init has started the program.
    pub begun: bool,
    /// How it ended, if it has.
    pub exit: Option<Exit>,
    /// The reason of the kernel's panic, if it panicked.
    pub panic: Option<String>,
    /// Oopses, warnings and stalls, as the kernel's lines have them.
    pub complaints: Vec<String>,
    /// Modules that could not be loaded: the kernel's error number and the path.
    pub modules_refused: Vec<(i32, String)>,
    /// Files that were asked for: the path and the first line.
    pub files: Vec<(String, String)>,
    /// The last line that was no record.
    pub last: String,
    /// The number of bytes received.
    pub bytes: u64,
    /// The number of records that a kernel's message damaged or that are missing.
    pub damaged: u64,
    next: u32,
}

/// How kernel messages that report trouble start, after the timestamp.
const COMPLAINTS: [&str; 10] = [
    "Oops:",
    "BUG:",
    "WARNING:",
    "Unable to handle kernel",
    "kernel BUG at",
    "Internal error:",
    "watchdog: BUG:",
    "rcu: INFO:",
    "INFO: task ",
    "general protection fault",
];

const PANIC: &str = "Kernel panic - not syncing: ";

impl Console {
    /// A console on which init's records bear this mark.
    pub fn new(mark: &str) -> Console {
        Console { mark: format!("@{mark} "), ..Console::default() }
    }

    /// Takes a chunk of output.
    pub fn push(&mut self, chunk: &[u8]) {
        self.bytes += chunk.len() as u64;
        for byte in chunk {
            if *byte == b'\n' || self.line.len() == LINE_BYTES_MAX {
                let line = std::mem::take(&mut self.line);
                self.line_ended(line.strip_suffix(b"\r").unwrap_or(&line));
            }
            if *byte != b'\n' {
                self.line.push(*byte);
            }
        }
    }

    /// Takes the last line if it has no end of line.
    pub fn finish(&mut self) {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.line_ended(&line);
        }
    }

    fn line_ended(&mut self, line: &[u8]) {
        let mark_bytes = self.mark.len();
        match line.windows(mark_bytes).position(|window| window == self.mark.as_bytes()) {
            // A kernel's message whose end of line is still to come may precede the record.
            Some(at) => {
                if at > 0 {
                    self.kernel_line(&line[..at]);
                }
                self.record(&line[at + mark_bytes..]);
            }
            None => self.kernel_line(line),
        }
    }

    fn record(&mut self, record: &[u8]) {
        if self.exit.is_some() {
            // The repetition, of which nothing is needed.
            return;
        }
        let Some((kind, sequence, text)) = checked(record) else {
            self.damaged += 1;
            self.next += 1;
            return;
        };
        if kind == b'x' && sequence + 1 == self.next {
            // It repeats the damaged one before it.
            self.damaged = self.damaged.saturating_sub(1);
        }
        self.damaged += u64::from(sequence.saturating_sub(self.next));
        self.next = sequence + 1;
        match kind {
            b'b' => self.begun = true,
            b'o' | b'O' | b'e' | b'E' => {
                let stream = if kind | 0x20 == b'o' { &mut self.stdout } else { &mut self.stderr };
                stream
                    .extend_from_slice(&text[..text.len().min(KEPT_BYTES_MAX.saturating_sub(stream.len()))]);
                if kind & 0x20 != 0 && stream.len() < KEPT_BYTES_MAX {
                    stream.push(b'\n');
                }
            }
            b'm' => self.module(&String::from_utf8_lossy(text)),
            b'f' => {
                let text = String::from_utf8_lossy(text);
                let (path, line) = text.split_once(' ').unwrap_or((&text, ""));
                self.files.push((path.to_owned(), line.to_owned()));
            }
            b'x' => self.exit = exit(&String::from_utf8_lossy(text)),
            _ => self.damaged += 1,
        }
    }

    fn module(&mut self, text: &str) {
        if let Some((Ok(error), path)) = text.split_once(' ').map(|(error, path)| (error.parse(), path)) {
            if error != 0 {
                self.modules_refused.push((error, path.to_owned()));
            }
        }
    }

    fn kernel_line(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end();
        if text.is_empty() {
            return;
        }
        self.last = text.chars().take(200).collect();
        let message = without_time(text);
        if let Some(reason) = message.strip_prefix(PANIC) {
            self.panic.get_or_insert_with(|| reason.to_owned());
        } else if COMPLAINTS.iter().any(|known| message.starts_with(known))
            && self.complaints.len() < COMPLAINTS_MAX
        {
            self.complaints.push(message.to_owned());
        }
    }
}

/// Splits `KIND SEQUENCE SUM TEXT`; `None` if the sum is wrong.
fn checked(record: &[u8]) -> Option<(u8, u32, &[u8])> {
    let (head, text) = (record.get(..16)?, record.get(16..)?);
    let head = std::str::from_utf8(head).ok()?;
    let mut words = head.split(' ');
    let kind = words.next().filter(|word| word.len() == 1)?.as_bytes()[0];
    let sequence =
        words.next().filter(|word| word.len() == 8).and_then(|word| u32::from_str_radix(word, 16).ok())?;
    let sum =
        words.next().filter(|word| word.len() == 4).and_then(|word| u32::from_str_radix(word, 16).ok())?;
    (sum_of(kind, sequence, text) == sum).then_some((kind, sequence, text))
}

/// The same checksum as in kernel/init/init.c: two running sums, so that swapped bytes are detected.
fn sum_of(kind: u8, sequence: u32, text: &[u8]) -> u32 {
    let (mut first, mut second) = (u32::from(kind) + sequence % 251, 0);
    for byte in text {
        first = (first + u32::from(*byte)) % 255;
        second = (second + first) % 255;
    }
    second << 8 | first % 255
}

fn exit(text: &str) -> Option<Exit> {
    let (how, number) = text.split_once(' ')?;
    let number = number.parse().ok()?;
    match how {
        "exit" => Some(Exit::Status(number)),
        "signal" => Some(Exit::Signal(number)),
        "error" => Some(Exit::NotStarted(number)),
        _ => None,
    }
}

/// A kernel's line without `[    1.234567]` or, with the caller, `[    1.234567][    T1]`.
pub(crate) fn without_time(line: &str) -> &str {
    let mut rest = line;
    while let Some((inner, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        if !inner.trim().chars().all(|c| c.is_ascii_alphanumeric() || c == '.') {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u8, sequence: u32, text: &str) -> String {
        let sum = sum_of(kind, sequence, text.as_bytes());
        format!("@k1d2 {} {sequence:08x} {sum:04x} {text}\r\n", kind as char)
    }

    fn console(text: &str) -> Console {
        let mut console = Console::new("k1d2");
        // In pieces, as a pipe gives them.
        text.as_bytes().chunks(7).for_each(|chunk| console.push(chunk));
        console.finish();
        console
    }

    #[test]
    fn records_and_the_kernels_lines_are_told_apart() {
        let text = [
            "[    0.000000] Linux version\r\n".to_owned(),
            record(b'b', 0, ""),
            record(b'o', 1, "one"),
            record(b'e', 2, "oh"),
            "[    0.5] half a line".to_owned(),
            record(b'O', 3, "tw"),
            record(b'o', 4, "o"),
            "@0000 x 00000005 0000 exit 9\r\n".to_owned(),
            record(b'x', 5, "exit 3"),
        ];
        let console = console(&text.concat());
        assert_eq!(
            (console.stdout.as_slice(), console.stderr.as_slice()),
            (&b"one\ntwo\n"[..], &b"oh\n"[..])
        );
        assert_eq!((console.exit, console.begun, console.damaged), (Some(Exit::Status(3)), true, 0));
    }

    #[test]
    fn what_a_message_broke_and_what_is_missing_is_counted() {
        let broken = record(b'o', 1, "abcdef").replace("cd", "c[    0.1] x: y\r\nd");
        let console = console(&[record(b'b', 0, ""), broken, record(b'o', 4, "z")].concat());
        // The damaged record, and the missing ones with numbers 2 and 3.
        assert_eq!((console.damaged, console.stdout.as_slice()), (3, &b"z\n"[..]));
    }

    #[test]
    fn an_end_of_which_one_record_is_damaged_loses_nothing() {
        let (begun, end) = (record(b'b', 0, ""), record(b'x', 1, "exit 0"));
        let broken = end.replace("exit", "[    9.1] reboot: Power down\r\nexit");
        for ends in [[&end, &end], [&end, &broken], [&broken, &end]] {
            let console = console(&[&begun, ends[0], ends[1]].map(String::as_str).concat());
            assert_eq!((console.exit, console.damaged), (Some(Exit::Status(0)), 0), "{ends:?}");
        }
        // A line of the program before it is lost all the same.
        let lost = console(
            &[&begun, &broken.replace(" x ", " o "), &record(b'x', 2, "exit 0")].map(String::as_str).concat(),
        );
        assert_eq!((lost.exit, lost.damaged), (Some(Exit::Status(0)), 1));
    }

    #[test]
    fn exchanged_bytes_show() {
        let swapped = record(b'x', 0, "exit 12").replace("12", "21");
        assert_eq!((console(&swapped).exit, console(&swapped).damaged), (None, 1));
    }

    #[test]
    fn a_panic_is_named_and_complaints_are_kept() {
        let console = console(
            "[    1.0][    T1] Oops: Kernel access of bad area, sig: 11 [#1]\n[    1.1] WARNING: CPU: 0 PID: 1\n\
             [    1.2] says BUG: not at the start\n[    1.3] Kernel panic - not syncing: Fatal exception\n[  2] Kernel panic - not syncing: again\n",
        );
        assert_eq!(console.panic.as_deref(), Some("Fatal exception"));
        assert_eq!(console.complaints.len(), 2, "{:?}", console.complaints);
    }

    #[test]
    fn a_line_without_end_takes_no_memory_without_end() {
        let mut console = Console::new("k1d2");
        for _ in 0..100 {
            console.push(&[b'x'; 10_000]);
        }
        assert!(console.line.len() <= LINE_BYTES_MAX && console.bytes == 1_000_000);
    }
}
