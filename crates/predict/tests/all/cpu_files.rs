// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Cpu files: the ones we ship are sound, wrong ones are refused with file, line, key and what is allowed, and no
//! bytes make the loader panic.

use predict::cpu::{Entry, Kind};
use predict::{Cpu, CpuError};
use std::path::{Path, PathBuf};

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus")
}

fn text_of(name: &str) -> String {
    for arch in ["power", "powerpc", "loongarch64", "x86_64"] {
        if let Ok(text) = std::fs::read_to_string(shipped().join(arch).join(format!("{name}.toml"))) {
            return text;
        }
    }
    panic!("{name} is not shipped");
}

/// Loads mpc885's text after an edit.
fn load_edited(edit: impl Fn(&str) -> String) -> Result<Cpu, CpuError> {
    let text = edit(&text_of("mpc885"));
    Cpu::load_with("edited", |_| Ok((text.clone(), PathBuf::from("edited.toml"))))
}

fn message(edit: impl Fn(&str) -> String) -> String {
    load_edited(edit).expect_err("the edit is refused").to_string()
}

#[test]
fn every_shipped_cpu_loads_and_opens_with_an_essay() {
    let names = Cpu::list(&shipped());
    for wanted in [
        "power7",
        "power8",
        "power9",
        "power10",
        "la464",
        "la664",
        "mpc885",
        "e300c2",
        "golden_cove",
        "redwood_cove",
        "zen3",
        "zen4",
        "zen5",
    ] {
        assert!(names.iter().any(|name| name == wanted), "{wanted} is missing from {names:?}");
    }
    for name in names {
        let cpu = Cpu::load(&shipped(), &name).unwrap_or_else(|error| panic!("{error}"));
        let (_, essay) = &cpu.essays[0];
        assert!(essay.split_whitespace().count() > 100, "the essay of {name} teaches nothing");
    }
}

/// Every list of every file: classes, what a core lacks, what it fuses.
#[test]
fn every_instruction_that_a_shipped_cpu_names_exists() {
    for name in Cpu::list(&shipped()) {
        Cpu::load(&shipped(), &name).unwrap().check_names().unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn an_instruction_that_does_not_exist_is_refused_wherever_it_is_named() {
    let fused = |first: &str, second: &str| {
        format!("[fusion.wrong]\nfirst = [{first:?}]\nsecond = [{second:?}]\n[clock]")
    };
    for (cpu, old, new, key) in [
        ("mpc885", "instructions = [", "instructions = [\"nosuch\", ", "instructions' names 'nosuch'"),
        ("mpc885", "instructions = [", "instructions = [\"nosuch*\", ", "instructions' names 'nosuch*'"),
        ("mpc885", "instructions = [", "instructions = [\"li\", ", "instructions' names 'li'"),
        ("power9", "llvm = \"pwr9\"", "llvm = \"pwr99\"", "'llvm' names 'pwr99'"),
        ("mpc885", "lacks = [", "lacks = [\"fad\", ", "'lacks' names 'fad'"),
        ("zen3", "[clock]", &fused("cmp", "jnz"), "'fusion.wrong.second' names 'jnz'"),
        ("zen3", "[clock]", &fused("cm*", "je"), "'fusion.wrong.first' names 'cm*'"),
    ] {
        let text = |name: &str| match name == cpu {
            true => {
                assert!(text_of(name).contains(old), "{name} has {old}");
                text_of(name).replacen(old, new, 1)
            }
            false => text_of(name),
        };
        let read = |name: &str| Ok((text(name), PathBuf::from(format!("{name}.toml"))));
        let loaded = Cpu::load_with(cpu, read).unwrap_or_else(|error| panic!("{error}"));
        let error = loaded.check_names().expect_err(key).to_string();
        assert!(error.contains(key) && (cpu == "power9" || error.contains("no instruction of")), "{error}");
    }
}

#[test]
fn every_number_has_a_source_and_every_guess_a_range() {
    for name in Cpu::list(&shipped()) {
        let cpu = Cpu::load(&shipped(), &name).unwrap();
        for (key, entry) in cpu.entries() {
            if let Entry::Number(number) = entry {
                assert!(!number.source.is_empty(), "{name} {key}");
                assert_eq!(number.kind == Kind::Fitted, number.fitted_to.is_some(), "{name} {key}");
                assert!(number.kind != Kind::Guess || number.range.is_some(), "{name} {key}");
            }
        }
    }
}

/// Shortest and longest time by a note of the form "7 to 20", and "says 2" of another source if nobody measured. LLVM's
/// times on POWER10 are one cycle longer, two for floating point, to all but the next operation of their own kind.
fn times_in(note: &str, measured: bool) -> Vec<f64> {
    let words: Vec<&str> = note.split([' ', ':', ';', ',']).collect();
    let time = |word: &str| word.parse::<f64>().ok();
    let spreads = words.windows(3).filter(|three| three[1] == "to");
    let spread = spreads.filter_map(|three| Some([time(three[0])?, time(three[2])?])).flatten();
    let said = words.windows(2).filter(|two| two[0] == "says" && !measured);
    let more = match note {
        _ if note.contains("7, 5 to its own kind") => 2.0,
        _ if note.contains("the one that it gives to all") => 1.0,
        _ => 0.0,
    };
    spread.chain(said.filter_map(|two| time(two[1])).map(|time| time - more)).collect()
}

/// How many start at once where a number is of every pipe, and the note of "one in N cycles" is not.
fn pipes(cpu: &Cpu, class: &str) -> f64 {
    let units = cpu.words(&format!("{class}.parts"))[0].split('|');
    units.map(|unit| cpu.value(&format!("unit.{unit}.pipes")).unwrap()).sum()
}

#[test]
fn a_time_whose_note_states_a_spread_has_it_as_its_range() {
    let folders = ["loongarch64", "power", "powerpc", "x86_64"].map(|name| shipped().join(name));
    let mut checked = 0;
    for name in folders.iter().flat_map(|folder| Cpu::list(folder)) {
        let cpu = Cpu::load(&shipped(), &name).unwrap();
        for (key, entry) in cpu.entries().filter(|(key, _)| key.starts_with("class.")) {
            let Entry::Number(number) = entry else { continue };
            let Some(note) = number.note.as_ref().filter(|_| number.unit == "cycles") else { continue };
            let each = match key.strip_suffix(".busy") {
                Some(class) if note.contains("one in") => pipes(&cpu, class),
                _ => 1.0,
            };
            for time in times_in(note, number.kind == Kind::Measured) {
                let (low, high) = number.range.unwrap_or((number.value, number.value));
                let time = time * each;
                assert!(
                    low <= time && time <= high,
                    "{name} {key}: {time}, noted as \"{note}\", is out of range"
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 80, "{checked} times");
}

/// Published figures in the studies beside the loops of `validation`.
fn rows_of_studies() -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies");
    let studies = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let studies = studies.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let rows = |text: String| text.lines().filter(|line| *line == "[[row]]").count();
    studies.map(|path| rows(std::fs::read_to_string(path).unwrap())).sum()
}

#[test]
fn there_are_fewer_fitted_numbers_than_published_figures() {
    let mut fitted = std::collections::BTreeSet::new();
    for name in Cpu::list(&shipped()) {
        let cpu = Cpu::load(&shipped(), &name).unwrap();
        for (key, entry) in cpu.entries() {
            if let Entry::Number(number) = entry {
                if number.kind == Kind::Fitted {
                    fitted.insert((number.place.file.clone(), key.to_owned()));
                }
            }
        }
    }
    let loops = predict::figures::figures(&Path::new(env!("CARGO_MANIFEST_DIR")).join("validation")).unwrap();
    let figures = loops.len() + rows_of_studies();
    assert!(fitted.len() * 3 < figures, "{} fitted, {figures} figures", fitted.len());
}

#[test]
fn an_unknown_cpu_is_refused_with_the_known_ones() {
    let error = Cpu::load(&shipped(), "power6").unwrap_err().to_string();
    assert!(error.contains("power6") && error.contains("power7"), "{error}");
}

#[test]
fn an_unknown_key_names_file_line_and_what_is_allowed() {
    let error = message(|text| text.replace("[fetch]\n", "[fetch]\nblok = 3\n"));
    assert!(error.starts_with("edited.toml:"), "{error}");
    assert!(error.contains("'fetch.blok'") && error.contains("block"), "{error}");
}

#[test]
fn a_missing_key_says_how_to_write_it() {
    let error =
        message(|text| text.lines().filter(|line| !line.starts_with("width")).collect::<Vec<_>>().join("\n"));
    assert!(error.contains("width") && error.contains("value ="), "{error}");
}

#[test]
fn a_negative_number_is_refused_with_its_bounds() {
    let error = message(|text| {
        text.replacen("value = 133", "value = -133", 1).replacen("value = 132", "value = -132", 1)
    });
    assert!(
        error.contains("clock.frequency") && error.contains("-132") && error.contains("1 to 10000 MHz"),
        "{error}"
    );
}

#[test]
fn what_would_be_changed_or_match_nothing_is_refused() {
    let latency = "latency.value = { value = 1,";
    assert!(text_of("mpc885").contains(latency));
    let error = message(|text| text.replacen(latency, "latency.value = { value = 1.5,", 1));
    assert!(error.contains("is 1.5") && error.contains("whole cycles"), "{error}");
    let line = |bytes: &str| {
        let edited = |line: &str| {
            if line.starts_with("line = { value = 16") {
                line.replacen("16", bytes, 1)
            } else {
                line.to_owned()
            }
        };
        message(|text| text.lines().map(edited).collect::<Vec<_>>().join("\n"))
    };
    assert!(line("24").contains("a power of two"), "{}", line("24"));
    for (pattern, part) in
        [("add@foo", "unknown form 'foo'"), ("ad*d", "matches nothing"), ("add*@load", "matches nothing")]
    {
        let error =
            message(|text| text.replacen("instructions = [", &format!("instructions = [\"{pattern}\", "), 1));
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_wrong_unit_a_bare_number_and_a_guess_without_range_are_refused() {
    assert!(message(|text| text.replacen("unit = \"MHz\"", "unit = \"GHz\"", 1)).contains("'GHz'"));
    assert!(message(|text| text.replacen("[fetch]", "[fetch]\nbtb = 5", 1)).contains("provenance"));
    let bare = "[fetch]\nbtb = { value = 5, unit = \"entries\", source = \"assay\", kind = \"guess\" }";
    assert!(message(|text| text.replacen("[fetch]", bare, 1)).contains("range"));
    let unsourced =
        "[fetch]\nbtb = { value = 5, unit = \"entries\", source = \"hearsay\", kind = \"manual\" }";
    assert!(message(|text| text.replacen("[fetch]", unsourced, 1)).contains("hearsay"));
    let without_sources = Cpu::load_with("a", |_| Ok((unsourced.to_owned(), PathBuf::from("a.toml"))));
    let error = without_sources.unwrap_err().to_string();
    assert!(error.contains("such as hearsay = \"title"), "{error}");
}

#[test]
fn a_part_on_no_unit_and_a_mnemonic_claimed_twice_are_refused() {
    let error = message(|text| text.replacen("parts = [\"IU\"]", "parts = [\"XU\"]", 1));
    assert!(error.contains("'XU'") && error.contains("LSU"), "{error}");
    let twice = "[class.again]\ninstructions = [\"add\"]\n[class.zzz]\ninstructions = [\"add\"]\n";
    let error = message(|text| format!("{text}\n{twice}"));
    assert!(error.contains("'add'"), "{error}");
}

#[test]
fn numbers_that_move_together_are_one_guess() {
    let cpu = Cpu::load(&shipped(), "power7").unwrap();
    let (leader, tied) = ("class.alu.latency.value", "class.count.latency.value");
    assert!(cpu.keys_of(leader).iter().any(|key| key == tied), "{:?}", cpu.keys_of(leader));
    let guesses: Vec<String> = cpu.guesses().into_iter().map(|guess| guess.key).collect();
    assert!(guesses.iter().any(|key| key == leader) && guesses.iter().all(|key| key != tied));
    let values = |cpu: &Cpu| [leader, tied, "class.rotate.latency.value"].map(|key| cpu.value(key).unwrap());
    assert_eq!(values(&cpu), [1.0, 2.0, 1.0]);
    let slower = cpu.with(leader, 2.0).unwrap();
    assert_eq!(values(&slower), [2.0, 3.0, 2.0]);
    assert_eq!(values(&slower.with(leader, 1.0).unwrap()), values(&cpu));
}

/// A divider that is not pipelined is kept as long as a division takes, whichever of the documented times that is.
#[test]
fn a_division_keeps_its_divider_as_long_as_it_takes_on_every_drawn_core() {
    for (name, class) in [("power7", "divide_extended"), ("power8", "divide_long"), ("mpc885", "divide")] {
        let cpu = Cpu::load(&shipped(), name).unwrap();
        let [latency, busy] = ["latency.value", "busy"].map(|time| format!("class.{class}.{time}"));
        let more = cpu.value(&busy).unwrap() - cpu.value(&latency).unwrap();
        for core in predict::draws::drawn(&cpu, 32, &(0..32).collect::<Vec<_>>()) {
            assert_eq!(core.value(&busy).unwrap() - core.value(&latency).unwrap(), more, "{name}");
        }
    }
}

#[test]
fn a_number_that_moves_with_none_is_refused() {
    let tied = |with: &str| {
        message(|text| {
            let plain = "fold_distance = { value = 2, unit = \"instructions\", source = \"manual\", kind = \"guess\", range = [1, 2]";
            assert!(text.contains(plain));
            text.replacen(plain, &format!("{plain}, moves_with = \"{with}\""), 1)
        })
    };
    for with in ["nosuch.key", "fetch.width", "clock.frequency", "branch.fold_distance"] {
        let error = tied(with);
        assert!(
            error.contains(with) && error.contains("moves_with") && error.contains("no guess"),
            "{error}"
        );
    }
    let fixed = "width = { value = 1, moves_with = \"memory.drain\",";
    let error = message(|text| text.replacen("width = { value = 1,", fixed, 1));
    assert!(error.contains("'range'"), "{error}");
}

#[test]
fn inheritance_in_a_circle_is_refused_with_the_circle() {
    let read = |name: &str| {
        let parent = if name == "a" { "b" } else { "a" };
        Ok((format!("inherits = \"{parent}\"\n"), PathBuf::from(format!("{name}.toml"))))
    };
    let error = Cpu::load_with("a", read).unwrap_err().to_string();
    assert!(error.contains("a -> b -> a"), "{error}");
}

#[test]
fn a_child_overrides_removes_and_adds() {
    let child = "inherits = \"mpc885\"\nremove = [\"class.nop\"]\n[sources]\nus = \"us\"\n\
                 [clock]\nfrequency = { value = 66, unit = \"MHz\", source = \"us\", kind = \"manual\" }\n";
    let read = |name: &str| {
        let text = if name == "child" { child.to_owned() } else { text_of(name) };
        Ok((text, PathBuf::from(format!("{name}.toml"))))
    };
    let cpu = Cpu::load_with("child", read).unwrap();
    let parent = Cpu::load(&shipped(), "mpc885").unwrap();
    assert_eq!(cpu.clock_mhz(), 66.0);
    assert!(cpu.entries().all(|(key, _)| !key.starts_with("class.nop")));
    let keys: Vec<_> = parent.diff(&cpu).into_iter().map(|difference| difference.key).collect();
    assert!(
        keys.contains(&"clock.frequency".to_owned()) && !keys.contains(&"fetch.width".to_owned()),
        "{keys:?}"
    );
}

#[test]
fn a_class_that_a_child_writes_replaces_the_parent_s() {
    let load = |class: &str| {
        let child = format!("inherits = \"mpc885\"\n[sources]\nus = \"us\"\n[class.multiply]\n{class}");
        Cpu::load_with("child", |name| {
            let text = if name == "child" { child.clone() } else { text_of(name) };
            Ok((text, PathBuf::from(format!("{name}.toml"))))
        })
    };
    let latency = "latency.value = { value = 9, unit = \"cycles\", source = \"us\", kind = \"manual\" }\n";
    let error = load(latency).expect_err("the pipes would be lost").to_string();
    assert!(error.contains("'parts'") && error.contains("--effective"), "{error}");
    let parent = Cpu::load(&shipped(), "mpc885").unwrap();
    let parts = format!("parts = [{:?}]\n", parent.word("class.multiply.parts").expect("a pipe"));
    let cpu = load(&format!("{parts}{latency}")).unwrap_or_else(|error| panic!("{error}"));
    let mut keys: Vec<&str> =
        cpu.entries().map(|(key, _)| key).filter(|key| key.starts_with("class.multiply.")).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["class.multiply.instructions", "class.multiply.latency.value", "class.multiply.parts"]);
}

#[test]
fn our_cpus_inherit_one_level_deep_and_remove_little() {
    for name in Cpu::list(&shipped()) {
        let text = text_of(&name);
        let parent = |text: &str| {
            text.lines().find_map(|line| Some(line.strip_prefix("inherits = ")?.trim_matches('"').to_owned()))
        };
        if let Some(parent) = parent(&text) {
            assert!(
                !text_of(&parent).contains("\ninherits = "),
                "{name} inherits from {parent}, which inherits"
            );
        }
        let removes = text.split_once("\nremove = [").map_or("", |(_, list)| list.split(']').next().unwrap());
        assert!(removes.split(',').count() <= 6 && !removes.contains("class."), "{name}: {removes}");
    }
}

/// xorshift64: enough to choose bytes, the same on every run.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % below.max(1)
    }
}

#[test]
fn damaged_files_are_refused_or_loaded_but_never_panic() {
    let whole = text_of("mpc885");
    let mut random = Random(0x5eed);
    let mut refused = 0;
    for _ in 0..400 {
        let mut bytes = whole.clone().into_bytes();
        for _ in 0..1 + random.next(4) {
            let at = random.next(bytes.len());
            match random.next(4) {
                0 => bytes[at] = random.next(256) as u8,
                1 => drop(bytes.drain(at..(at + random.next(40)).min(bytes.len()))),
                2 => bytes.truncate(at.max(1)),
                _ => {
                    let from = random.next(bytes.len());
                    let piece = bytes[from..(from + random.next(60)).min(bytes.len())].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        refused +=
            usize::from(Cpu::load_with("fuzzed", |_| Ok((text.clone(), "fuzzed.toml".into()))).is_err());
    }
    assert!(refused > 200, "only {refused} of 400 damaged files were refused");
}

#[test]
fn a_number_that_nothing_asks_for_is_refused() {
    let without = |line: &'static str| message(move |text| text.replacen(line, "", 1));
    let serial =
        message(|text| text.replace("serialise = [\"before\", \"after\"]", "serialise = [\"before\"]"));
    assert!(serial.contains(".serial' has no effect; allowed: where serialise has \"after\""), "{serial}");
    let queue = message(|text| {
        format!("{text}\n[queue.idle]\nentries = {{ value = 2, unit = \"entries\", source = \"manual\", kind = \"manual\" }}\n")
    });
    assert!(queue.contains("'queue.idle.entries' has no effect"), "{queue}");
    let cross = without("cross = { value = 4, unit = \"bytes\", source = \"manual\", kind = \"manual\" }\n");
    assert!(
        cross.contains("'memory.cross_cost' has no effect alone; allowed: together with memory.cross"),
        "{cross}"
    );
    let folded = without("folded = { value = 0, unit = \"instructions\", source = \"leroy\", kind = \"guess\", range = [0, 1], note = \"see the essay\" }\n");
    assert!(folded.contains("'branch.fold_distance' has no effect in this core"), "{folded}");
    for (cpu, table, key, unit, why) in [
        ("e300c2", "memory", "order_lasts", "cycles", "in a core that is not in-order"),
        ("e300c2", "queue.integer", "held", "cycles", "in a core of kind 'out_of_order'"),
        ("power7", "queue.unified", "held", "cycles", "in a core of kind 'out_of_order'"),
        ("zen5", "memory", "order_remembers", "executions", "without memory.order_remembers"),
    ] {
        let idle = message_of(cpu, |text| {
            let number =
                format!("{key} = {{ value = 7, unit = \"{unit}\", source = \"assay\", kind = \"guess\", range = [7, 7] }}");
            text.replacen(&format!("[{table}]\n"), &format!("[{table}]\n{number}\n"), 1)
        });
        assert!(idle.contains("has no effect in this core; allowed: ") && idle.contains(why), "{idle}");
    }
    for (key, unit) in [("distance", "lines"), ("near", "lines"), ("latency", "cycles")] {
        let prefetch = message(|text| {
            format!("{text}\n[prefetch]\n{key} = {{ value = 2, unit = \"{unit}\", source = \"manual\", kind = \"manual\" }}\n")
        });
        let alone = format!("'prefetch.{key}' has no effect alone; allowed: together with prefetch.streams");
        assert!(prefetch.contains(&alone), "{prefetch}");
    }
}

#[test]
fn a_bypass_between_domains_that_nothing_has_is_refused() {
    let replaced = |from: &'static str, to: &'static str| {
        message_of("power8", move |text| {
            assert!(text.contains(from), "power8 has {from}");
            text.replacen(from, to, 1)
        })
    };
    let from = replaced("[bypass.fx_long]", "[bypass.fx_lomg]");
    assert!(
        from.ends_with(
            "'bypass.fx_lomg.branch' has no effect; allowed: from the domain of a class's results"
        ),
        "{from}"
    );
    let to = replaced("[bypass.fx]\ncondition", "[bypass.fx]\nconditiom");
    assert!(to.contains("'bypass.fx.conditiom' has no effect; allowed: to address, to store_data"), "{to}");
    let halves = message_of("power7", |text| {
        text.lines().filter(|line| !line.starts_with("halves = ")).collect::<Vec<_>>().join("\n")
    });
    assert!(halves.contains("'bypass.fx.other_half' has no effect"), "{halves}");
}

#[test]
fn decoded_lines_that_no_core_has_and_domains_that_nobody_asks_for_are_refused() {
    let with = |cpu: &'static str, from: &'static str, to: &'static str| {
        message_of(cpu, move |text| {
            assert!(text.contains(from), "{cpu} has {from}");
            text.replacen(from, to, 1)
        })
    };
    let sets = with("redwood_cove", "entries = { value = 512", "entries = { value = 500");
    assert!(sets.contains("'decoded.entries'") && sets.contains("a multiple of 8"), "{sets}");
    let bytes = with("redwood_cove", "bytes = { value = 32", "bytes = { value = 24");
    assert!(bytes.contains("'decoded.bytes'") && bytes.contains("a power of two"), "{bytes}");
    let unit = with("redwood_cove", "order_unit = { value = 4", "order_unit = { value = 3");
    assert!(unit.contains("'memory.order_unit'") && unit.contains("a power of two"), "{unit}");
    let block =
        "[fetch]\nblock = { value = 32, unit = \"bytes\", source = \"guest\", kind = \"measured\" }\n";
    let block = with("redwood_cove", "[fetch]\n", block);
    assert!(block.contains("'fetch.block'") && block.contains("64 bytes and more"), "{block}");
    let later = with("power8", "[bypass.fx]\n", "[domain.fx]\nlater = \"other\"\n\n[bypass.fx]\n");
    assert!(later.contains("'domain.fx.later' has no effect; allowed: in a core of kind"), "{later}");
}

#[test]
fn entries_that_do_not_fill_a_cycle_are_refused() {
    let text = |name: &str| match name {
        "zen5" => text_of(name).replacen("entry = { value = 6", "entry = { value = 32", 1),
        _ => text_of(name),
    };
    let loaded = Cpu::load_with("zen5", |name| Ok((text(name), PathBuf::from(format!("{name}.toml")))));
    let error = loaded.expect_err("32 is no divisor of 12").to_string();
    assert!(error.contains("'fetch.entry'") && error.contains("a divisor of fetch.width"), "{error}");
}

#[test]
fn what_would_be_passed_over_in_silence_is_refused() {
    let slots =
        "slots = { value = 2, unit = \"slots\", source = \"assay\", kind = \"guess\", range = [1, 2] }";
    let idle = message_of("power9", |whole| format!("{whole}\n[class.again]\n{slots}\n"));
    assert!(
        idle.contains("'class.again.slots' has no effect; allowed: in a class with instructions"),
        "{idle}"
    );
    let topmost =
        message_of("power9", |text| text.replacen("[sources]\n", "[sources]\nlacks = \"fadd\"\n", 1));
    assert!(
        topmost.contains("'sources.lacks' is a source here, and a key at the top; allowed: 'lacks' above"),
        "{topmost}"
    );
    let arch = message_of("power9", |text| {
        let line = text.lines().find(|line| line.starts_with("arch = ")).unwrap();
        text.replacen(line, "arch = []", 1)
    });
    assert!(arch.contains("'arch' names no architecture; allowed: powerpc"), "{arch}");
    let nothing = Cpu::load_with("mine", |_| Ok((String::new(), PathBuf::from("a/mine.toml")))).unwrap_err();
    assert!(nothing.to_string().starts_with("a/mine.toml:1: missing key 'title'"), "{nothing}");
    let torn =
        Cpu::load_with("mine", |_| Ok(("title =".to_owned(), PathBuf::from("a/mine.toml")))).unwrap_err();
    assert!(torn.to_string().ends_with("; mend that line, or what stands before it"), "{torn}");
}

#[test]
fn half_of_a_fusion_is_refused() {
    for (half, other) in [("first", "second"), ("second", "first")] {
        let error = message_of("zen3", |text| {
            text.replacen("[clock]", &format!("[fusion.half]\n{half} = [\"cmp\"]\n[clock]"), 1)
        });
        let expected =
            format!("'fusion.half.{half}' has no effect alone; allowed: together with fusion.*.{other}");
        assert!(error.ends_with(&expected), "{error}");
    }
}

#[test]
fn a_number_that_would_be_simulated_as_another_is_refused() {
    let replaced = |cpu: &str, line: &str, from: &str, to: &str| {
        message_of(cpu, |text| {
            let lines = text.lines().map(|each| match each.starts_with(line) {
                true => each.replacen(&format!("value = {from},"), &format!("value = {to},"), 1),
                false => each.to_owned(),
            });
            lines.collect::<Vec<_>>().join("\n")
        })
    };
    for (cpu, line, from, to, key) in [
        ("zen3", "block = ", "64", "48", "fetch.block"),
        ("power8", "cross = ", "128", "100", "memory.cross"),
        ("zen3", "unit = { value", "4", "3", "memory.read_modify.unit"),
    ] {
        let error = replaced(cpu, line, from, to);
        assert!(error.ends_with(&format!("'{key}' is {to}; allowed: a power of two")), "{error}");
    }
    let l2 = replaced("power8", "size = ", "512", "32");
    assert!(l2.contains("'cache.l2.size' is 32; allowed: 64 KiB and more, as cache.l1.size"), "{l2}");
    let ways = replaced("power8", "ways = ", "8", "7");
    assert!(ways.contains(".size' is ") && ways.contains("whole sets: a multiple of"), "{ways}");
}

#[test]
fn two_files_of_one_name_are_refused_whichever_folder_comes_first() {
    let folder = std::env::temp_dir().join(format!("assay-namesakes-{}", std::process::id()));
    for (place, name) in [("a", "twice"), ("b", "twice"), ("b", "once")] {
        std::fs::create_dir_all(folder.join(place)).unwrap();
        std::fs::write(folder.join(place).join(name).with_extension("toml"), text_of("mpc885")).unwrap();
    }
    let heir = "inherits = \"twice\"\n";
    std::fs::write(folder.join("heir.toml"), heir).unwrap();
    for name in ["twice", "heir"] {
        let error = Cpu::load(&folder, name).expect_err("which of them is meant?").to_string();
        let told =
            ["two files describe the cpu 'twice'", "a/twice.toml and ", "b/twice.toml; ", "another name"];
        assert!(told.iter().all(|part| error.contains(part)), "{error}");
    }
    assert_eq!(Cpu::list(&folder), ["heir", "once", "twice"]);
    assert!(Cpu::load(&folder, "once").is_ok() && Cpu::path(&folder, "twice").is_none());
    std::fs::remove_dir_all(folder).unwrap();
}

/// An heir of a core of ours with this text.
pub(crate) fn heir(parent: &str, text: &str) -> Result<Cpu, CpuError> {
    let heir = format!("inherits = {parent:?}\n[sources]\nus = \"us\"\n{text}");
    Cpu::load_with("heir", |name| {
        let text = if name == "heir" { heir.clone() } else { text_of(name) };
        Ok((text, PathBuf::from(format!("{name}.toml"))))
    })
}

#[test]
fn an_heir_runs_no_architecture_that_its_parent_does_not() {
    let of = |parent: &str, archs: &str| {
        Cpu::load_with("heir", |name| {
            let heir = format!("title = \"Mine\"\narch = [{archs}]\ninherits = {parent:?}\n");
            Ok((if name == "heir" { heir } else { text_of(name) }, PathBuf::from(format!("{name}.toml"))))
        })
    };
    for (parent, archs, word) in
        [("power9", "\"x86_64\"", "x86_64"), ("redwood_cove", "\"x86_64\", \"riscv64\"", "riscv64")]
    {
        let error = of(parent, archs).expect_err("none of its classes is of that code").to_string();
        let begins = format!(
            "heir.toml:2: 'arch' names '{word}', but '{parent}', from which it inherits, does not run {word} code; allowed: "
        );
        assert!(error.starts_with(&begins), "{error}");
        assert!(error.ends_with(&format!(", or a parent of {word}, or none")), "{error}");
    }
    assert!(of("power9", "\"powerpc64le\"").unwrap().runs(arch::Arch::Powerpc64le));
}

#[test]
fn an_heir_s_class_that_takes_an_instruction_with_pipes_names_its_own() {
    for (parent, list, word, from) in [
        ("power9", "\"mulld\"", "mulld", "multiply"),
        ("power9", "\"mul*\"", "mul*", "multiply"),
        ("power9", "\"ori@move\"", "ori@move", "alu"),
        ("zen3", "\"nop\", \"imul\"", "imul", "multiply"),
    ] {
        let class = format!("[class.mine]\ninstructions = [{list}]\n");
        let error = heir(parent, &class).expect_err("it would be free").to_string();
        let expected = format!(
            "'class.mine.instructions' takes '{word}' from class.{from}, which has pipes, to a class that names none; \
             allowed: with class.mine.parts: the pipes that it takes, or [] for none"
        );
        assert!(error.ends_with(&expected), "{error}");
        heir(parent, &format!("{class}parts = []\n")).unwrap_or_else(|error| panic!("{error}"));
    }
    // What had no pipes, and what no class had.
    for list in ["\"sc\"", "\"nosuch\""] {
        heir("power9", &format!("[class.mine]\ninstructions = [{list}]\n"))
            .unwrap_or_else(|error| panic!("{error}"));
    }
}

/// What names something that there is not, or that nothing names.
#[test]
fn idle_domains_and_machines_are_refused() {
    let class = |domain: &str| format!("[class.mine]\ninstructions = [\"nosuch\"]\ndomain = {domain:?}\n");
    let error = heir("power9", &class("loads")).expect_err("no bypass names it").to_string();
    assert!(
        error.contains("'class.mine.domain' names 'loads', which has no effect; allowed: a domain that"),
        "{error}"
    );
    for (key, section) in [("rename.counted_twice", "rename"), ("memory.rename_counted", "memory")] {
        let word = key.split_once('.').unwrap().1;
        let error =
            heir("redwood_cove", &format!("[{section}]\n{word} = \"nowhere\"\n")).expect_err("misspelt");
        let error = error.to_string();
        assert!(error.contains(&format!("'{key}' names 'nowhere', which has no effect")), "{error}");
    }
    for domain in ["load", "fx", "other"] {
        heir("power9", &class(domain)).unwrap_or_else(|error| panic!("{error}"));
    }
    for machine in [
        "foo",
        "AuthenticAMD 25",
        "AuthenticAMD 25 0x11",
        "AuthenticAMD 25 017",
        "AMD 25 17",
        "AuthenticAMD  25 17",
        "AuthenticAMD 25 17 ",
        "GenuineIntel 6 167 AMX",
    ] {
        let named = format!("machine = [{machine:?}, ");
        let error = message_of("zen3", |text| text.replacen("machine = [\"AuthenticAMD 25 1\", ", &named, 1));
        let expected =
            format!("'machine' names '{machine}', which is no machine; allowed: maker, family and model, as");
        assert!(error.contains(&expected), "{error}");
    }
    let error = message_of("power9", |text| {
        text.replacen("[sources]\n", "machine = [\"GenuineIntel 6 143\"]\n[sources]\n", 1)
    });
    assert!(error.ends_with("'machine' has no effect; allowed: in a core that runs x86_64"), "{error}");
}

#[test]
fn operations_that_nothing_binds_have_no_limit() {
    let unbound = |one_result: &str| {
        message_of("zen4", |text| {
            let bound = text.replacen("binds = { value = 2,", "binds = { value = 0,", 1);
            bound.replacen("one_result = { value = 1,", &format!("one_result = {{ value = {one_result},"), 1)
        })
    };
    for (one_result, key) in [("1", "dispatch.one_result"), ("0", "binding.entries")] {
        let expected = format!("'{key}' has no effect in this core; allowed: where dispatch.binds is 1 or 2");
        assert!(unbound(one_result).ends_with(&expected), "{}", unbound(one_result));
    }
}

#[test]
fn what_is_bound_by_slots_names_a_queue_and_has_no_turns() {
    let unnamed = message_of("golden_cove", |text| {
        text.replacen("together = \"integer\"", "together = \"branches\"", 1)
    });
    let expected = "'dispatch.together' names no queue: 'branches'; allowed: data, integer, loads, stores";
    assert!(unnamed.ends_with(expected), "{unnamed}");
    let in_turn =
        message_of("golden_cove", |text| text.replacen("binds = { value = 1,", "binds = { value = 2,", 1));
    let expected = "'binding.apart' has no effect in this core; allowed: where dispatch.binds is 1";
    assert!(in_turn.ends_with(expected), "{in_turn}");
}

/// What a core is refused with whose text has been edited.
fn message_of(edited: &str, edit: impl Fn(String) -> String) -> String {
    let text = |name: &str| if name == edited { edit(text_of(name)) } else { text_of(name) };
    let loaded = Cpu::load_with(edited, |name| Ok((text(name), PathBuf::from(format!("{name}.toml")))));
    loaded.expect_err("the edit is refused").to_string()
}

#[test]
fn schedulers_are_two_pairs_of_pipes_or_none() {
    let named = |sets: &'static str| {
        message_of("zen3", move |text| text.replacen("pipes = [\"F0|F2\", \"F1|F3\"]\n", sets, 1))
    };
    for sets in ["[\"F0|F2\"]", "[\"F0|F2\", \"F1\"]", "[\"F0|F2\", \"F2|F3\"]", "[\"F0|F1|F2\", \"F3\"]"] {
        let pipes = named(format!("pipes = {sets}\n").leak());
        assert!(pipes.contains("'schedulers.pipes' are not two pairs of pipes"), "{pipes}");
    }
    let unknown = named("pipes = [\"F0|F2\", \"F1|F9\"]\n");
    assert!(unknown.contains("names no unit: 'F9'"), "{unknown}");
    let alone = named("");
    assert!(alone.contains("'schedulers.entries' has no effect alone"), "{alone}");
}

#[test]
fn what_a_cycle_accepts_is_named_with_pipes_and_a_number() {
    let with = |cpu: &str, text: &'static str| message_of(cpu, move |file| format!("{file}\n{text}\n"));
    let number = "{ value = 2, unit = \"instructions\", source = \"llvm\", kind = \"manual\" }";
    let both = format!("[accept.again]\npipes = \"A0|A9\"\noperations = {number}").leak();
    assert!(with("zen4", both).contains("names no unit: 'A9'"), "{}", with("zen4", both));
    let pipes = with("zen4", "[accept.again]\npipes = \"A0\"");
    assert!(pipes.contains("'accept.again.pipes' has no effect alone"), "{pipes}");
    let alone = with("zen4", format!("[accept.again]\noperations = {number}").leak());
    assert!(alone.contains("'accept.again.operations' has no effect alone"), "{alone}");
    let other = with("power9", format!("[accept.again]\npipes = \"LS0\"\noperations = {number}").leak());
    assert!(other.contains("'accept.again.pipes' has no effect in this core"), "{other}");
    let entries =
        "[binding]\nentries = { value = 24, unit = \"entries\", source = \"llvm\", kind = \"manual\" }";
    let grouped = with("power8", entries);
    assert!(grouped.contains("'binding.entries' has no effect"), "{grouped}");
    let more: String =
        (0..3).map(|one| format!("[accept.z{one}]\npipes = \"A0\"\noperations = {number}\n")).collect();
    let many = with("zen4", more.leak());
    assert!(many.contains("is one limit too many") && many.contains("at most 8"), "{many}");
    let address =
        message_of("zen4", |file| file.replacen("address = \"A0|A1|A2\"", "address = \"A0|LS\"", 1));
    assert!(address.contains("'binding.address' has a pipe that nothing is bound to"), "{address}");
}

#[test]
fn a_dispatch_rule_that_the_core_does_not_have_is_refused() {
    let ruled = |cpu: &str, rule: &str| {
        let class = format!("[class.again]\ngroup = [\"{rule}\"]\n");
        message_of(cpu, |text| format!("{text}\n{class}"))
    };
    for (cpu, rule, allowed) in [
        ("power9", "alone", "in a grouped core"),
        ("power9", "end", "in a grouped core"),
        ("power7", "restricted", "in a sliced core whose tuples have a third place"),
        ("power10", "restricted", "in a sliced core whose tuples have a third place"),
        ("power7", "both", "in a sliced core"),
        ("la464", "even", "in a grouped or sliced core"),
    ] {
        let expected =
            format!("'class.again.group' has '{rule}', which has no effect in this core; allowed: {allowed}");
        assert!(ruled(cpu, rule).ends_with(&expected), "{}", ruled(cpu, rule));
    }
    let merges = message_of("power9", |text| text.replace("\"doublewords\"", "\"drain\""));
    assert!(merges.contains("'memory.forward_merge' has no effect in this core"), "{merges}");
    let general = message_of("power9", |text| {
        text.lines().filter(|line| !line.starts_with("forward_completed")).collect::<Vec<_>>().join("\n")
    });
    assert!(general.contains("'memory.general_completed' has no effect in this core"), "{general}");
    let back = message_of("power9", |text| text.replace("\nwrite = \"through\"", ""));
    assert!(back.contains("'memory.store_misses' has no effect in this core"), "{back}");
}
