// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Files and folders of the user's own, judged together with the tree's variants.

mod common;

use common::{Lab, GOOD};
use serde_json::Value;
use std::collections::BTreeSet;

const CASE: &str = "-a powerpc64le --case size=250";

fn names(records: &[Value], key: &str) -> BTreeSet<String> {
    records.iter().map(|record| record[key].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_file_of_one_s_own_finds_the_headers_of_its_library() {
    let lab = Lab::shared();
    lab.write("with_header.c", &format!("#include \"ones_complement.h\"\n{}", GOOD));
    lab.line("check csum_partial with_header.c -a powerpc64le --quick").ends(0, &["1 right"]);
}

#[test]
fn c_is_judged_on_every_architecture_where_none_is_named_and_a_cpu_names_some() {
    let lab = Lab::shared();
    lab.write("all.c", GOOD);
    let all = arch::Arch::ALL.len();
    lab.line("check csum_partial all.c --quick").ends(0, &[&format!("{all} right, 0 wrong")]);
    let line = "report csum_partial all.c -v reference -c power8 --case size=40 --json";
    let ran = lab.line(line).ends(0, &[]);
    let told = ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let archs = names(&told.collect::<Vec<Value>>(), "arch");
    assert!(
        archs.contains("powerpc64le") && archs.iter().all(|arch| arch.starts_with("powerpc")),
        "{archs:?}"
    );
}

#[test]
fn a_file_stands_beside_the_best_of_ours_with_the_ratio() {
    let lab = Lab::shared();
    lab.write("mine.c", GOOD);
    let line = format!("compare csum_partial mine.c {CASE} -c power8 --json");
    let records = lab.line(&line).ends(0, &[]).records("compare");
    let mine = records.iter().find(|record| record["a"] == "mine").expect("the file is compared");
    // `mine` adds byte by byte: the best of ours is far faster, and the ratio is to that.
    assert!(mine["ratio"].as_f64().unwrap() > 2.0, "{mine}");
    assert_ne!(mine["b"], "reference", "{mine}");
    assert!(mine["rests_on"].is_object(), "what the user brought has its verdict: {mine}");
    assert!(names(&records, "a").len() > 5, "the others of the tree are there, too: {records:?}");
    // The record also has the two sides of the ratio.
    assert_eq!(mine["cpu"], "power8", "{mine}");
    let of = |key: &str, record: &Value| [0, 1].map(|side| record[key][side].as_f64().expect("a number"));
    let [a, b] = of("cycles", mine);
    assert!((a / b / mine["ratio"].as_f64().unwrap() - 1.0).abs() < 1e-6, "{mine}");
    let line = format!(
        "compare csum_partial mine.c -v uint64 -a {} --case size=40 --processes 3 --json",
        common::native()
    );
    let measured = lab.line(&line).ends(0, &[]).records("compare").remove(0);
    assert!(of("time_ns", &measured).iter().all(|ns| *ns > 0.0), "{measured}");
}

#[test]
fn v_chooses_among_ours_and_an_unknown_name_is_an_error() {
    let lab = Lab::shared();
    lab.write("mine.c", GOOD);
    let line = format!("predict csum_partial mine.c -v adde -v reference {CASE} -c power8 --json");
    let records = lab.line(&line).ends(0, &[]).records("prediction");
    assert_eq!(names(&records, "variant"), ["adde", "mine", "reference"].map(str::to_owned).into());
    // A cpu selects the architectures, as for compare and explain.
    let line = "predict csum_partial mine.c -v reference -c power8 --case size=40 --json";
    let archs = names(&lab.line(line).ends(0, &[]).records("prediction"), "arch");
    assert_eq!(archs, ["powerpc", "powerpc64", "powerpc64le"].map(str::to_owned).into());
    let line = format!("count csum_partial mine.c -v nosuch {CASE}");
    lab.line(&line).ends(2, &["no variant is called 'nosuch' beside what you gave", "known: ", "adde"]);
    let line = format!("compare csum_partial mine.c -v adde --against reference {CASE} -c power8 --json");
    let records = lab.line(&line).ends(0, &[]).records("compare");
    assert_eq!(names(&records, "b"), ["reference"].map(str::to_owned).into(), "{records:?}");
}

#[test]
fn a_folder_of_variants_and_files_called_like_ours_are_told_apart() {
    let lab = Lab::shared();
    lab.write("tree/checksum/csum_partial/generic/mine.c", GOOD);
    let line = format!("count csum_partial -d tree {CASE} -v mine -v adde --json");
    let records = lab.line(&line).ends(0, &[]).records("count");
    assert_eq!(names(&records, "variant"), ["adde", "mine"].map(str::to_owned).into());
    // Architectures that the cpu does not run are not reported as skipped.
    let line = "predict csum_partial -d tree -c la464 -v mine --case size=40";
    let ran = lab.line(line).ends(0, &["loongarch64"]);
    assert!(!ran.stderr.contains("skipped"), "{ran:#?}");
    // Variants of one name for several architectures, which no table shows together, keep their names.
    lab.write("mine.c", GOOD);
    let line = "predict csum_partial mine.c -v adde -c power8 --case size=40 --json";
    let records = lab.line(line).ends(0, &[]).records("prediction");
    assert_eq!(names(&records, "variant"), ["adde", "mine"].map(str::to_owned).into(), "{records:?}");
    lab.write("apart.c", GOOD);
    let line = format!("count csum_partial apart.c -v apart {CASE} --json");
    let records = lab.line(&line).ends(0, &[]).records("count");
    assert_eq!(names(&records, "variant").len(), 2, "{records:?}");
    // check judges what it is given and nothing else.
    let line = "check csum_partial apart.c -a powerpc64le --json";
    assert_eq!(lab.line(line).ends(0, &[]).records("check").len(), 1);
}

#[test]
fn a_file_called_like_one_of_ours_has_a_name_of_its_own_and_ours_keeps_its() {
    let lab = Lab::shared();
    for name in ["adde.c", "mine/adde.c", "mine/reference.c", "twin.c"] {
        lab.write(name, GOOD);
    }
    let ours = common::root().join("libs/checksum/csum_partial/power/adde.S");
    lab.write("mine/adde.S", std::fs::read(&ours).unwrap());
    lab.write("twin.S", std::fs::read(&ours).unwrap());
    let named = |verb: &str, files: &str, kind: &str| {
        let line = format!("{verb} csum_partial {files} -a powerpc64le --json");
        names(&lab.line(&line).ends(0, &[]).records(kind), "variant")
    };
    let expected = |all: &[&str]| -> BTreeSet<String> { all.iter().map(|name| (*name).to_owned()).collect() };
    // Judged alone, it is not said that ours was.
    assert_eq!(named("check --quick", "adde.c", "check"), expected(&["adde.c"]));
    assert_eq!(named("check --quick", "mine/reference.c", "check"), expected(&["mine/reference"]));
    // Two of one name, in one folder or in two, and one of ours.
    let all = named("check --quick", "adde.c mine/adde.c mine/adde.S twin.c twin.S -v adde", "check");
    assert_eq!(all, expected(&["adde", "adde.c", "mine/adde.c", "mine/adde.S", "twin.c", "twin.S"]));
    // --against takes ours by its name.
    let line = format!("compare csum_partial adde.c -v adde {CASE} -c power8 --against adde --json");
    let records = lab.line(&line).ends(0, &[]).records("compare");
    assert_eq!((names(&records, "a"), names(&records, "b")), (expected(&["adde.c"]), expected(&["adde"])));
    // A folder's variant, too.
    lab.write("tree/checksum/csum_partial/generic/adde.c", GOOD);
    let line = format!("count csum_partial -d tree -v adde {CASE} --json");
    let all = names(&lab.line(&line).ends(0, &[]).records("count"), "variant");
    assert_eq!(all, expected(&["adde", "tree/checksum/csum_partial/generic/adde"]));
}

/// A folder with a hot path of the user's, without variants.
fn own_hotpath(lab: &Lab) {
    for file in ["hotpath.toml", "reference.c", "test.c"] {
        let example = common::root().join("docs/example/libs/text/count_newlines").join(file);
        lab.write(&format!("own/text/count_newlines/{file}"), std::fs::read(example).unwrap());
    }
    let counts = "#include <stddef.h>\nsize_t count_newlines(const void *text, size_t bytes)\n{\n\
                  const unsigned char *byte = text;\nsize_t count = 0;\n\
                  for (; bytes > 0; bytes--, byte++)\ncount += *byte == '\\n';\nreturn count;\n}\n";
    lab.write("mine.c", counts);
}

#[test]
fn a_file_stands_beside_the_variants_of_a_folder_that_defines_the_hot_path() {
    let lab = Lab::shared();
    own_hotpath(&lab);
    let line = "compare count_newlines mine.c -d own -a powerpc64le -c power8 --case size=64";
    lab.line(line).refused(&["there is nothing beside it", "--against reference"]);
    lab.write("own/text/count_newlines/generic/theirs.c", std::fs::read(lab.folder.join("mine.c")).unwrap());
    let records = lab.line(&format!("{line} --json")).ends(0, &[]).records("compare");
    let mine = records.iter().find(|record| record["a"] == "mine").expect("the file is compared");
    assert_eq!(mine["b"], "theirs", "{records:?}");
    let records = lab.line(&format!("{line} --against reference --json")).ends(0, &[]).records("compare");
    assert_eq!(names(&records, "b"), ["reference"].map(str::to_owned).into(), "{records:?}");
    let line = "count count_newlines mine.c -d own -v theirs -a powerpc64le --case size=64 --json";
    let records = lab.line(line).ends(0, &[]).records("count");
    assert_eq!(names(&records, "variant"), ["mine", "theirs"].map(str::to_owned).into());
}

#[test]
fn a_folder_that_is_named_twice_is_read_once() {
    let lab = Lab::shared();
    own_hotpath(&lab);
    lab.write("own/text/count_newlines/generic/theirs.c", std::fs::read(lab.folder.join("mine.c")).unwrap());
    let list =
        |dirs: &str| lab.line(&format!("list count_newlines -a powerpc64le {dirs} --json")).ends(0, &[]);
    assert_eq!(list("-d own -d ./own").stdout, list("-d own").stdout);
}

/// A variant that is wrong at a declared size alone would be fast for that reason.
#[test]
fn the_examples_quick_check_tries_every_declared_case() {
    let lab = Lab::shared();
    own_hotpath(&lab);
    let good = std::fs::read_to_string(lab.folder.join("mine.c")).unwrap();
    for size in [60, 4096] {
        let wrong = good.replace("size_t count = 0;", &format!("size_t count = bytes == {size};"));
        lab.write("wrong.c", wrong);
        let line = "check count_newlines wrong.c -d own -a x86_64 --quick";
        lab.line(line).ends(1, &[&format!("size={size}")]);
    }
    lab.line("check count_newlines mine.c -d own -a x86_64 --quick").ends(0, &[]);
}

#[test]
fn a_file_that_the_assembler_takes_in_is_read_each_time() {
    let lab = Lab::shared();
    lab.write("mine.S", ".globl swap32\n.type swap32, @function\nswap32:\n.include \"body.inc\"\n");
    for (body, status) in [("bswapl %eax", 0), ("notl %eax", 1), ("bswapl %eax", 0)] {
        lab.write("body.inc", format!("movl %edi, %eax\n{body}\nret\n"));
        lab.line("check swap32 mine.S -a x86_64 --quick").ends(status, &[]);
    }
}
