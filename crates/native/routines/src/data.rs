// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Code whose branches and addresses its data decide: sorting, searching, tables, parsing, printing, matching, an interpreter.

use crate::input::{bytes, characters, numbers, sum, text, Random, WINDOW};
use crate::interpreter;
use crate::routine::routines;
use fnv::FnvBuildHasher;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, OnceLock};

/// Numbers in a window.
const COUNT: usize = WINDOW / 4;

fn sum_of(values: impl IntoIterator<Item = u32>) -> u64 {
    values.into_iter().fold(0, |sum: u64, value| sum.rotate_left(5) ^ u64::from(value))
}

fn sorted() -> &'static [u32] {
    static SORTED: OnceLock<Vec<u32>> = OnceLock::new();
    SORTED.get_or_init(|| {
        let mut random = Random(77);
        let mut values: Vec<u32> = (0..4096).map(|_| random.number() as u32).collect();
        values.sort_unstable();
        values
    })
}

/// Text that each call takes another line of.
struct Lines(OnceLock<Vec<String>>);

impl Lines {
    const fn new() -> Lines {
        Lines(OnceLock::new())
    }

    fn of(&self, call: usize, make: fn(usize) -> String) -> &str {
        &self.0.get_or_init(|| (0..17).map(make).collect())[call % 17]
    }
}

static REALS: Lines = Lines::new();
static INTEGERS: Lines = Lines::new();
static TABLE: Lines = Lines::new();
static DOCUMENT: Lines = Lines::new();
static OBJECT: Lines = Lines::new();

fn reals(call: usize) -> String {
    let real = |number: u32| f64::from(number) * 10f64.powi((number % 40) as i32 - 20);
    numbers(call, 120).fold(String::new(), |text, number| text + &real(number).to_string() + " ")
}

fn integers(call: usize) -> String {
    numbers(call, 400).fold(String::new(), |text, number| text + &(number >> (number % 30)).to_string() + " ")
}

fn table(call: usize) -> String {
    let words: Vec<&str> = characters(call, WINDOW).split_whitespace().collect();
    let quoted = |(number, word): (usize, &&str)| match number % 7 {
        3 => format!("\"{word}, \"\"{number}\"\"\""),
        _ => (*word).to_owned(),
    };
    let cells: Vec<String> = words.iter().enumerate().map(quoted).collect();
    cells.chunks(5).fold(String::new(), |text, row| text + &row.join(",") + "\n")
}

fn document(call: usize) -> String {
    let words = characters(call, 900).split_whitespace().enumerate();
    let element = |text: String, (number, word): (usize, &str)| match number % 4 {
        0 => text + &format!("<line number=\"{number}\" name='{word}'/>\n"),
        1 => text + &format!("<!-- {word} --> &amp; "),
        _ => text + &format!("<word>{word}</word>"),
    };
    words.fold("<text>".to_owned(), element) + "</text>"
}

fn object(call: usize) -> String {
    let mut text = "[".to_owned();
    for (number, value) in numbers(call, 30).enumerate() {
        let comma = if number == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{comma}{{\"name\": \"row {number}\\n\", \"values\": [{value}, {}, null, true], \"share\": {:.3}}}",
            value >> 9,
            f64::from(value) / 3e9
        );
    }
    text + "]"
}

fn expression() -> &'static regex_lite::Regex {
    static EXPRESSION: OnceLock<regex_lite::Regex> = OnceLock::new();
    EXPRESSION.get_or_init(|| {
        let expression = regex_lite::Regex::new(r"(?m)([a-z]+e)\s+(?:[0-9.]+|wait|load)s?\b");
        expression.unwrap_or_else(|error| unreachable!("it is well formed: {error}"))
    })
}

fn automaton() -> &'static aho_corasick::AhoCorasick {
    static AUTOMATON: OnceLock<aho_corasick::AhoCorasick> = OnceLock::new();
    AUTOMATON.get_or_init(|| {
        let words =
            ["cycle", "register", "store", "turn", "retire", "65536", "λ", "wait", "issue", "latency"];
        let automaton =
            aho_corasick::AhoCorasick::builder().kind(Some(aho_corasick::AhoCorasickKind::DFA)).build(words);
        automaton.unwrap_or_else(|error| unreachable!("it is small: {error}"))
    })
}

/// A reader whose automaton is made, which takes longer than a call may. (A clone of a reader does not work.)
fn csv_reader() -> &'static Mutex<csv_core::Reader> {
    static READER: OnceLock<Mutex<csv_core::Reader>> = OnceLock::new();
    READER.get_or_init(|| Mutex::new(csv_core::Reader::new()))
}

/// The lengths of all cells.
fn csv(reader: &mut csv_core::Reader, mut input: &[u8]) -> u64 {
    let (mut cell, mut sum) = ([0; 256], 0u64);
    reader.reset();
    for _ in 0..=2 * input.len() {
        let (result, read, written) = reader.read_field(input, &mut cell);
        input = &input[read..];
        sum = sum.rotate_left(3) ^ written as u64;
        if let csv_core::ReadFieldResult::End = result {
            break;
        }
    }
    sum
}

/// A node of a heap of pairs: a hand-written one, as textbooks have it.
fn sift(heap: &mut [u32], mut at: usize) {
    loop {
        let mut largest = at;
        for child in [2 * at + 1, 2 * at + 2] {
            if child < heap.len() && heap[child] > heap[largest] {
                largest = child;
            }
        }
        if largest == at {
            return;
        }
        heap.swap(at, largest);
        at = largest;
    }
}

routines! { "data"
    roi_sort_unstable(call) {
        let mut values: [u32; COUNT] = [0; COUNT];
        values.iter_mut().zip(numbers(call, COUNT)).for_each(|(place, value)| *place = value);
        values.sort_unstable();
        sum_of(values)
    }
    roi_sort_stable(call) {
        let mut values: Vec<(u32, u32)> =
            numbers(call, COUNT).zip(0..).map(|(value, place)| (value >> 8, place)).collect();
        values.sort();
        sum_of(values.into_iter().map(|pair| pair.1))
    }
    roi_sort_words(call) {
        let mut words: Vec<&str> = characters(call, WINDOW).split(' ').collect();
        words.sort_unstable();
        words.iter().fold(0, |sum, word| sum.rotate_left(5) ^ word.len() as u64)
    }
    roi_heap_sort(call) {
        let mut values: Vec<u32> = numbers(call, COUNT / 2).collect();
        (0..values.len() / 2).rev().for_each(|at| sift(&mut values, at));
        for last in (1..values.len()).rev() {
            values.swap(0, last);
            sift(&mut values[..last], 0);
        }
        sum_of(values)
    }
    roi_binary_search(call) {
        let place = |value| sorted().binary_search(&value).unwrap_or_else(|place| place) as u32;
        sum_of(numbers(call, COUNT).map(place))
    }
    roi_tree(call) {
        let mut tree = BTreeMap::new();
        for value in numbers(call, 160) {
            *tree.entry(value >> 22).or_insert(0) += value & 7;
        }
        let removed = numbers(call + 1, 160).filter_map(|value| tree.remove(&(value >> 22)));
        removed.count() as u64 ^ sum_of(tree.into_values())
    }
    roi_hash_map(call) {
        let mut map = hashbrown::HashMap::with_capacity_and_hasher(512, FnvBuildHasher::default());
        for value in numbers(call, COUNT) {
            *map.entry(value >> 22).or_insert(0u32) += value & 7;
        }
        sum_of(numbers(call + 1, COUNT).map(|value| map.get(&(value >> 22)).copied().unwrap_or(1)))
    }
    roi_word_count(call) {
        let mut counts = hashbrown::HashMap::with_capacity_and_hasher(128, FnvBuildHasher::default());
        for word in characters(call, WINDOW).split_whitespace() {
            *counts.entry(word).or_insert(0u32) += 1;
        }
        counts.len() as u64 ^ u64::from(counts.values().copied().max().unwrap_or(0))
    }
    roi_utf8_check(call) {
        let whole = |bytes| std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
        (0..12).fold(0, |sum, part| sum + whole(&text(call, WINDOW)[part..]) as u64)
    }
    roi_utf8_decode(call) { sum_of(characters(call, WINDOW).chars().flat_map(char::to_uppercase).map(u32::from)) }
    roi_parse_reals(call) {
        let words = REALS.of(call, reals).split_ascii_whitespace();
        words.fold(0, |sum: u64, word| sum.rotate_left(3) ^ word.parse().unwrap_or(0f64).to_bits())
    }
    roi_parse_integers(call) {
        let words = INTEGERS.of(call, integers).split_ascii_whitespace();
        sum_of(words.map(|word| word.parse().unwrap_or(0)))
    }
    roi_print_integers(call) {
        let mut printer = itoa::Buffer::new();
        let mut printed = |value| sum(printer.format(value).as_bytes());
        numbers(call, COUNT).fold(0, |sum: u64, value| sum.rotate_left(7) ^ printed(value >> (value % 30)))
    }
    roi_print_reals(call) {
        let mut printer = ryu::Buffer::new();
        let mut printed = |value| sum(printer.format(value).as_bytes());
        numbers(call, 200).fold(0, |sum: u64, value| sum.rotate_left(7) ^ printed(f64::from(value) / 3e5))
    }
    roi_format(call) {
        let mut text = String::with_capacity(8192);
        for (number, value) in numbers(call, 100).enumerate() {
            let _ = writeln!(text, "{number:>4}: {value:08x} {:.2}", f64::from(value) / 7e4);
        }
        sum(text.as_bytes())
    }
    roi_regex(call) {
        let found = expression().captures_iter(characters(call, 250));
        found.fold(0, |sum, found| sum.rotate_left(3) ^ found[0].len() as u64)
    }
    roi_many_words(call) {
        let found = automaton().find_iter(text(call, WINDOW));
        found.fold(0, |sum, found| sum.rotate_left(3) ^ (found.start() * found.pattern().as_usize()) as u64)
    }
    /// By SSE2, which every x86-64 machine has.
    roi_find_bytes(call) {
        let window = text(call, WINDOW);
        let lines = memchr::memchr_iter(b'\n', window).fold(0, |sum: u64, at| sum.rotate_left(3) ^ at as u64);
        memchr::memchr3_iter(b'e', b'.', b'q', window).fold(lines, |sum, at| sum.rotate_left(3) ^ at as u64)
    }
    roi_find_text(call) {
        let texts = [
            "the cycle", "of load", "queue waits", "λ", "retire", "one's two", "and of", "65536 is", "in a", "(see below)",
        ];
        texts.iter().map(|what| memchr::memmem::find_iter(text(call, WINDOW), what).count() as u64).sum()
    }
    roi_csv(call) {
        csv_reader().lock().map_or(0, |mut reader| csv(&mut reader, TABLE.of(call, table).as_bytes()))
    }
    roi_xml(call) {
        xmlparser::Tokenizer::from(DOCUMENT.of(call, document)).fold(0, |sum, token| {
            sum.rotate_left(3) ^ token.map_or(1, |token| token.span().range().len() as u64)
        })
    }
    roi_json(call) {
        let parsed = json::parse(OBJECT.of(call, object)).unwrap_or(json::Null);
        parsed.members().fold(0, |sum, row| sum.rotate_left(3) ^ row["values"][0].as_u64().unwrap_or(1))
    }
    roi_edit_distance(call) { strsim::levenshtein(characters(call, 45), characters(call + 1, 45)) as u64 }
    roi_similarity(call) { strsim::jaro(characters(call, 160), characters(call + 1, 160)).to_bits() }
    roi_interpreter(call) { interpreter::run(bytes(call, 700)) }
}
