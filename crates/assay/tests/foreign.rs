// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Programs of other architectures: what is refused before anything is fetched, and how the code of a variant is shown.
//! Packages are made here, and a stand-in for apt-get delivers them; the real one needs a network: `./assay foreign
//! unpack -a loongarch64 hello`.

mod common;

use common::{finish, Lab, GOOD};
use std::process::Command;

#[test]
fn what_cannot_be_fetched_or_built_is_refused_with_the_reason() {
    let lab = Lab::shared();
    lab.write("prog.c", "int main(void) { return 0; }\n");
    let refused = |line: &str, part: &str| {
        lab.line(line).ends(2, &[part]);
    };
    refused("foreign unpack -a powerpc64le --bad", "--bad");
    refused("foreign unpack -a powerpc64le -- -o", "no name of a Debian package");
    refused("foreign unpack -a powerpc64 gzip", "Debian has no packages for powerpc64");
    let unknown =
        lab.line("foreign build -a powerpc64 prog.c").refused(&["Debian has no packages for powerpc64"]);
    assert!(!unknown.stderr.contains("fetching"), "{unknown:?}");
    refused("foreign build -a powerpc64le missing.c", "missing.c: there is no such file");
    refused("foreign build -a powerpc64le prog.c -o prog.c", "would be overwritten");
    refused("trace -a powerpc64le -- no-such-program", "./assay foreign unpack -a powerpc64le PACKAGE");
}

/// Builds a Debian package from the folder of its name.
fn package(lab: &Lab, name: &str, depends: &str) {
    lab.write(
        &format!("{name}/DEBIAN/control"),
        format!(
            "Package: {name}\nVersion: 1.0-1\nArchitecture: ppc64el\nMaintainer: A Tester <tester@example.org>\n{depends}\
             Description: made for a test\n"
        ),
    );
    let mut build = Command::new("dpkg-deb");
    build.current_dir(&lab.folder).args(["--root-owner-group", "-b", name, "archive"]);
    finish(&mut build).ends(0, &[]);
}

/// Does what apt-get does with a private configuration: copies the archive's packages into its cache. It also logs its
/// arguments. While there is a file `stale`, the list names what the mirror no longer has.
const APT_GET: &str = "case \"$*\" in
*update*) rm -f \"$ARCHIVE/stale\"; exit 0 ;;
*nosuch*) echo 'E: Unable to locate package nosuch'; exit 100 ;;
esac
[ ! -e \"$ARCHIVE/stale\" ] || { echo 'E: Failed to fetch http://mirror/greeter_0.9.deb  404  Not Found'; exit 100; }
cache=$(sed -n 's/^Dir::Cache \"\\(.*\\)\";/\\1/p' \"$APT_CONFIG\")
cp \"$ARCHIVE\"/*.deb \"$cache/archives/\"
echo \"$@\" >>\"$ARCHIVE/asked\"
grep '^APT::Architecture ' \"$APT_CONFIG\" >>\"$ARCHIVE/asked\"";

/// Runs the command with the stand-in for apt-get.
fn with_apt(lab: &Lab, line: &str) -> common::Ran {
    lab.write_program("bin/apt-get", APT_GET);
    let path = format!("{}:{}", lab.folder.join("bin").display(), std::env::var("PATH").unwrap());
    let mut command = lab.command();
    command.env("PATH", &path).env("ARCHIVE", lab.folder.join("archive"));
    finish(command.env("ASSAY_DEBIAN_MIRROR", "file:/nowhere").args(line.split_whitespace()))
}

/// Makes a package that has one link, and one with a file behind it. They are unpacked in this order.
fn package_link_and_file(lab: &Lab, target: &str) {
    for folder in ["archive", "a-link/usr/lib", "b-file/usr/lib/way"] {
        std::fs::create_dir_all(lab.folder.join(folder)).unwrap();
    }
    std::os::unix::fs::symlink(target, lab.folder.join("a-link/usr/lib/way")).unwrap();
    lab.write("b-file/usr/lib/way/planted", "");
    package(lab, "a-link", "");
    package(lab, "b-file", "");
}

#[test]
fn nothing_is_unpacked_outside_of_the_root() {
    let unpack = "foreign unpack -a ppc64el b-file";
    let lab = Lab::empty();
    let outside = lab.folder.join("outside");
    std::fs::create_dir(&outside).unwrap();
    // An absolute link means the place in the root.
    package_link_and_file(&lab, outside.to_str().unwrap());
    with_apt(&lab, unpack).ends(0, &["unpacked into"]);
    assert!(lab.cache.join("roots/powerpc64le/usr/lib/way/planted").is_file());
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);

    let lab = Lab::empty();
    let outside = lab.folder.join("outside");
    std::fs::create_dir(&outside).unwrap();
    package_link_and_file(&lab, &format!("{}{}", "../".repeat(40), &outside.to_str().unwrap()[1..]));
    with_apt(&lab, unpack).ends(2, &["would be unpacked into", "outside of", "a link leads there"]);
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn a_package_is_unpacked_with_what_it_depends_on_and_its_programs_are_found_and_recorded() {
    let lab = Lab::empty();
    lab.write("greet.s", ".globl _start\n_start: li 0, 1\n li 3, 7\n sc\n");
    for folder in ["archive", "greeter/usr/bin", "libgreet/usr/bin"] {
        std::fs::create_dir_all(lab.folder.join(folder)).unwrap();
    }
    let mut clang = Command::new("clang-19");
    clang.args(["--target=powerpc64le-linux-gnu", "-nostdlib", "-static", "-fuse-ld=lld", "greet.s", "-o"]);
    finish(clang.current_dir(&lab.folder).arg("greeter/usr/bin/greet")).ends(0, &[]);
    // An absolute link, as packages have them: it leads out of the folder that stands for /.
    std::fs::create_dir_all(lab.folder.join("greeter/etc/alternatives")).unwrap();
    let link =
        |to: &str, name: &str| std::os::unix::fs::symlink(to, lab.folder.join("greeter").join(name)).unwrap();
    link("/usr/bin/greet", "usr/bin/salute");
    // Such links behind each other, of which either may be made relative first.
    link("/etc/alternatives/hail", "usr/bin/hail");
    link("/usr/bin/greet", "etc/alternatives/hail");
    link("/usr/bin/salute", "etc/alternatives/hello");
    lab.write("greeter/usr/share/doc/greeter/copyright", "left out");
    lab.write_program("libgreet/usr/bin/of-a-dependency", "exit 0");
    package(&lab, "libgreet", "");
    package(&lab, "greeter", "Depends: libgreet\n");
    let assay = |line: &str| with_apt(&lab, line);
    let root = lab.cache.join("roots/powerpc64le");
    // Unpacking once more gives the same, also when the mirror has newer versions than the list of the first time.
    let mut lists = 0;
    for stale in [false, false, true] {
        if stale {
            lab.write("archive/stale", "");
        }
        let ran = assay("foreign unpack -a ppc64el greeter")
            .ends(0, &["unpacked into ", "record one: ./assay trace -a powerpc64le -- greet ARGS"]);
        assert_eq!(ran.stdout, format!("{}\n", root.join("usr/bin/greet").display()), "its programs alone");
        lists += ran.stderr.matches("reads the list").count();
    }
    let programs = assay("foreign unpack -a ppc64el greeter --json").ends(0, &[]).records("foreign");
    assert_eq!(programs[0]["program"], root.join("usr/bin/greet").display().to_string());
    assert_eq!((programs.len(), programs[0]["arch"].as_str()), (1, Some("powerpc64le")));
    assert_eq!(lists, 2, "at first, and when it was stale");
    let asked = std::fs::read_to_string(lab.folder.join("archive/asked")).unwrap();
    assert!(asked.contains("--download-only") && asked.contains(" install greeter\n"), "{asked}");
    assert!(asked.contains("APT::Architecture \"ppc64el\";"), "{asked}");
    assert!(root.join("usr/bin/of-a-dependency").is_file() && !root.join("usr/share/doc/greeter").exists());
    assert_eq!(
        std::fs::read_to_string(root.join("packages")).unwrap(),
        "greeter 1.0-1\nlibgreet 1.0-1\n",
        "each once"
    );
    for way in ["usr/bin/hail", "etc/alternatives/hello"] {
        let there = root.join(way).canonicalize().unwrap_or_else(|error| panic!("{way}: {error}"));
        assert_eq!(there, root.canonicalize().unwrap().join("usr/bin/greet"), "{way}");
    }
    for name in ["greet", "salute", "hail"] {
        assay(&format!("trace -a ppc64el -o {name}.trace -- {name}"))
            .ends(0, &["status 7", &format!("{name}.trace: 3 instructions")]);
    }
    assay("foreign unpack -a ppc64el nosuch")
        .ends(2, &["E: Unable to locate package nosuch", "packages.debian.org", "were not unpacked"]);
    assert!(root.join("usr/bin/greet").is_file());
}

#[test]
fn a_file_without_main_is_told_to_be_no_program() {
    // A cache with a file in place of the C library, so that nothing is fetched; the program brings its own start.
    let lab = Lab::empty();
    lab.write("cache/roots/powerpc64le/usr/lib/libc.a", "");
    lab.write("start.s", ".globl _start\n_start: bl main\n nop\n");
    lab.write("function.c", "int function(int a) { return a + 1; }\n");
    lab.write("main.c", "int function(int a);\nint main(void) { return function(2); }\n");
    let build = "foreign build -a powerpc64le function.c start.s";
    lab.line(&format!("{build} -- -nostdlib"))
        .refused(&["function.c start.s has no main", "docs/add-a-hotpath.md"]);
    lab.line(&format!("{build} main.c -o whole -- -nostdlib"))
        .ends(0, &["record it: ./assay trace -- ./whole"]);
    let built =
        lab.line(&format!("{build} main.c -o whole --json -- -nostdlib")).ends(0, &[]).records("foreign");
    assert_eq!((built.len(), built[0]["program"].as_str()), (1, Some("whole")));
    // Other missing symbols are reported in the linker's words.
    lab.line("foreign build -a powerpc64le main.c start.s -- -nostdlib")
        .ends(1, &["undefined symbol: function"]);
}

#[test]
fn a_program_is_written_where_other_files_are() {
    use std::os::unix::fs::{symlink, FileTypeExt, PermissionsExt};
    // As above: nothing is fetched.
    let lab = Lab::empty();
    lab.write("cache/roots/powerpc64le/usr/lib/libc.a", "");
    lab.write("start.s", ".globl _start\n_start: li 0, 1\n sc\n");
    let build = |to: &str| {
        let words = ["foreign", "build", "-a", "powerpc64le", "start.s", "-o", to, "--", "-nostdlib"];
        lab.assay(words)
    };
    build("my own").ends(0, &["record it: ./assay trace -- './my own' ARGS"]);
    let program = std::fs::read(lab.folder.join("my own")).unwrap();
    assert!(program.starts_with(b"\x7fELF"));
    std::fs::create_dir(lab.folder.join("elsewhere")).unwrap();
    lab.write("elsewhere/target", "no program yet");
    symlink("elsewhere/target", lab.folder.join("link")).unwrap();
    build("link").ends(0, &["./link"]);
    let target = lab.folder.join("elsewhere/target");
    assert!(lab.folder.join("link").is_symlink() && std::fs::read(&target).unwrap() == program);
    assert_ne!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o100, 0, "it can be executed");
    for name in ["-", "/dev/stdout"] {
        let mut command = lab.command();
        command.args(["foreign", "build", "-a", "powerpc64le", "start.s", "-o", name, "--", "-nostdlib"]);
        assert_eq!(command.output().unwrap().stdout, program, "{name}");
    }
    assert!(!lab.folder.join("-").exists());
    build("elsewhere").refused(&["elsewhere", "name a file in it"]);
    build("no/program").refused(&["no/program", "make the folder first"]);
    build("/dev/full").refused(&["/dev/full", "No space left"]);
    assert!(std::fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    lab.line("foreign build -a powerpc64le start.s -o - --json -- -nostdlib")
        .refused(&["standard output takes either"]);
    // A command that can be repeated: the folder that was built in is gone.
    let failed =
        lab.line("foreign build -a powerpc64le start.s -o out -- -nostdlib -Wl,--nosuch").ends(1, &[]);
    assert!(failed.stderr.trim_end().ends_with("-o out"), "{}", failed.stderr);
    lab.assert_tidy();
}

#[test]
fn a_variants_code_is_shown_under_its_source_lines_with_compiler_and_flags() {
    let lab = Lab::shared();
    lab.write("mine.c", GOOD);
    let told = lab
        .line("code csum_partial mine.c -a powerpc64le")
        .ends(0, &["clang 19", "-O2", "-mcpu=power7"])
        .stdout;
    let line = GOOD.lines().position(|line| line.contains("total >> 32")).unwrap() + 1;
    assert!(told.contains(&format!("{line}      while (total >> 32)")), "{told}");
    assert!(told.contains("  blr"), "{told}");
    let line = "code csum_partial/uint64 -a powerpc64le --json";
    let records = lab.line(line).ends(0, &[]).records("code");
    let instructions = records[0]["instructions"].as_array().unwrap();
    let bytes = records[0]["bytes"].as_u64().unwrap();
    // The symbol's length includes the traceback table, twelve bytes of zeros.
    assert!(instructions.len() > 20 && bytes == 4 * instructions.len() as u64 + 12, "{}", records[0]);
    assert!(instructions
        .iter()
        .any(|one| one["file"].as_str().is_some_and(|file| file.ends_with("uint64.c"))));
    // No padding behind the last instruction.
    let told = lab.line("code csum_fold/adc -a x86_64").ends(0, &[]).stdout;
    assert!(!told.contains("int3"), "{told}");
    lab.line("code csum_partial/lasx --compiler gcc")
        .refused(&["not shown, loongarch64 by gcc", "no code to show"]);
    lab.line("code csum_partial/uint64 -a powerpc64le --compiler clang,gcc,tcc")
        .refused(&["more than two compilers"]);
    lab.line("code csum_partial/uint64 -a powerpc64le --compiler tcc").refused(&["'tcc'"]);
}

#[test]
fn completions_and_manual_pages_know_every_verb() {
    let lab = Lab::shared();
    for shell in ["bash", "zsh", "fish"] {
        lab.line(&format!("completions {shell}")).ends(0, &["foreign", "unchecked"]);
    }
    lab.line("man").ends(0, &[".TH", "check"]);
    lab.line("--json man").ends(2, &["`man` has no records to print as JSON", "leave out --json"]);
    lab.line("--json completions bash").ends(2, &["`completions` has no records to print as JSON"]);
    lab.line("man pages").ends(0, &["wrote"]);
    let page = std::fs::read_to_string(lab.folder.join("pages/assay-check.1")).unwrap();
    assert!(page.contains(".TH") && page.contains("quick"), "{page}");
    lab.line("man pages/assay-check.1")
        .refused(&["assay-check.1: cannot make the folder", "name another path"]);
}
