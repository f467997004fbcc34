// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Kernels of a tree that the user edits. The tree here is no Linux: its Makefile copies one file where Linux compiles, under the
//! same targets, so that what was built can be read. As kbuild does, it compiles the vDSO anew when its command changes.

#![cfg(target_arch = "x86_64")]

use kernel::suite::Test;
use kernel::{Built, Machine, Patch, Request};
use lab::cache::Workspace;
use lab::toolchain::CompilerKind;
use std::cell::RefCell;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

const MAKEFILE: &str = "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 3\n\
allnoconfig:\n\ttouch $(O)/.config\n\
$(O)/vmlinux: lib/a.c\n\tcp lib/a.c $@\n\techo '  CC      lib/a.o'\n\ttouch $(O)/System.map $(O)/modules.order\n\
\t@grep warning: lib/a.c >&2 || true\n\
command = cc $(CURDIR)/lib/vdso.c\n\
vdso:\n\t@grep -qsx '$(command)' $(O)/.vdso.o.cmd || \
{ echo '$(command)' >$(O)/.vdso.o.cmd && echo '  CC      vdso.o'; }\n\
vmlinux: $(O)/vmlinux vdso\n\
modules:\n\
bzImage: $(O)/vmlinux\n\tmkdir -p $(O)/arch/x86/boot && cp $(O)/vmlinux $(O)/arch/x86/boot/bzImage\n";
const SELFTESTS: &str = "tools/testing/selftests/vDSO";
const SELFTEST: &str = "vdso_test_gettimeofday";

struct Tree {
    workspace: Workspace,
    top: PathBuf,
}

impl Tree {
    fn new(name: &str) -> Tree {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf();
        let folder = std::env::temp_dir().join(format!("assay-named-tree-{name}-{}", std::process::id()));
        let (cache, top) = (folder.join("cache"), folder.join("linux"));
        for below in ["lib", SELFTESTS] {
            fs::create_dir_all(top.join(below)).unwrap();
        }
        fs::create_dir_all(&cache).unwrap();
        let tree = Tree { workspace: Workspace { root, cache }, top };
        tree.write("Makefile", MAKEFILE);
        tree.write("Kconfig", "");
        tree.write("lib/a.c", "one\n");
        tree.write(&format!("{SELFTESTS}/parse_vdso.c"), "");
        tree.write(
            &format!("{SELFTESTS}/{SELFTEST}.c"),
            "#include <stdio.h>\nint main(void)\n{\n\tputs(\"one\");\n}\n",
        );
        tree
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.top.join(name), text).unwrap();
    }

    /// Another file under the old name, older than what was compiled: as `cp -p` and `rsync -t` leave it.
    fn replace_by_older(&self, name: &str, text: &str) {
        let (path, new) = (self.top.join(name), self.top.join("new"));
        fs::write(&new, text).unwrap();
        let time = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        File::options().write(true).open(&new).unwrap().set_modified(time).unwrap();
        fs::rename(new, path).unwrap();
    }

    fn patch(&self, name: &str, text: &[u8]) -> Patch {
        let path = self.workspace.cache.join(name);
        fs::write(&path, text).unwrap();
        let patch = Patch::read(&path).unwrap();
        // What is built is what was read.
        fs::write(path, "changed since\n").unwrap();
        patch
    }

    fn build(&self, patches: &[Patch]) -> Built {
        self.try_to_build(patches).unwrap()
    }

    fn try_to_build(&self, patches: &[Patch]) -> lab::Result<Built> {
        self.build_and_say(patches, &|_| ())
    }

    fn build_and_say(&self, patches: &[Patch], say: &dyn Fn(&str)) -> lab::Result<Built> {
        let request = Request {
            machine: Machine::named(arch::Arch::X86_64, None).unwrap(),
            compiler: Some(CompilerKind::Gcc),
            patches: patches.to_vec(),
            source: Some(self.top.clone()),
        };
        kernel::build(&self.workspace, &request, say)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.top.parent().unwrap());
    }
}

fn content(built: &Built) -> String {
    fs::read_to_string(&built.vmlinux).unwrap()
}

#[test]
fn an_edited_tree_is_built_anew() {
    let tree = Tree::new("edited");
    let one = tree.build(&[]);
    assert_eq!((content(&one).as_str(), one.cached, one.compiled_count), ("one\n", false, 2));
    assert!(tree.build(&[]).cached);

    tree.write("lib/a.c", "other\n");
    let other = tree.build(&[]);
    assert_eq!((content(&other).as_str(), other.cached), ("other\n", false));
    assert_ne!(other.source, one.source);

    tree.replace_by_older("lib/a.c", "older\n");
    assert_eq!(content(&tree.build(&[])), "older\n");

    // A tree in the cache that has no listing is built anew.
    for entry in fs::read_dir(tree.workspace.cache.join("kernel/trees")).unwrap() {
        fs::remove_file(entry.unwrap().path().join("build/assay-files")).unwrap();
    }
    tree.replace_by_older("lib/a.c", "oldest\n");
    assert_eq!(content(&tree.build(&[])), "oldest\n");

    // What is no source changes nothing, and nothing of ours is written there.
    for folder in [".git", "build"] {
        fs::create_dir(tree.top.join(folder)).unwrap();
        tree.write(&format!("{folder}/file"), "");
    }
    assert!(tree.build(&[]).cached);
    assert_eq!(fs::read_dir(tree.top.join("build")).unwrap().count(), 1);
}

#[test]
fn a_patch_is_what_it_was_when_it_was_read() {
    let tree = Tree::new("patched");
    // A file of the user's that is called as ours is while a patch is applied.
    tree.write("assay.patch", "mine\n");
    // A name in Latin-1, which is no UTF-8.
    let text = b"From: J\xfcrgen\n--- a/lib/a.c\n+++ b/lib/a.c\n@@ -1 +1 @@\n-one\n+patched\n";
    let patched = tree.build(&[tree.patch("a.patch", text)]);
    assert_eq!(content(&patched), "patched\n");
    // What is not patched is not compiled, although the command of one object has the path of its tree.
    assert_eq!(patched.compiled_count, 1);
    assert_eq!(fs::read_to_string(tree.top.join("lib/a.c")).unwrap(), "one\n");
    assert_eq!(fs::read_to_string(tree.top.join("assay.patch")).unwrap(), "mine\n");
    let other = String::from_utf8_lossy(text).replace("+patched", "+other");
    assert_eq!(content(&tree.build(&[tree.patch("a.patch", other.as_bytes())])), "other\n");
}

#[test]
fn a_kernel_from_the_cache_still_has_its_warnings() {
    let tree = Tree::new("warns");
    let text = b"--- a/lib/a.c\n+++ b/lib/a.c\n@@ -1 +1 @@\n-one\n+a.c:1: warning: odd\n";
    let patches = [tree.patch("a.patch", text)];
    for cached in [false, true] {
        let built = tree.build(&patches);
        assert_eq!((built.cached, built.warnings), (cached, vec!["a.c:1: warning: odd".to_owned()]));
    }
    // Results of before the warnings were kept tell nothing of them.
    fs::remove_file(tree.build(&patches).folder.join("warnings")).unwrap();
    let again = tree.build(&patches);
    assert_eq!((again.cached, again.warnings.len()), (false, 1));
}

#[test]
fn nothing_is_compiled_for_patches_that_do_not_apply() {
    let tree = Tree::new("stale");
    let [first, second, stale] = [("one", "two"), ("two", "three"), ("one", "four")].map(|(old, new)| {
        let text = format!("--- a/lib/a.c\n+++ b/lib/a.c\n@@ -1 +1 @@\n-{old}\n+{new}\n");
        tree.patch(&format!("{new}.patch"), text.as_bytes())
    });
    let renamed =
        "diff --git a/lib/a.c b/lib/b.c\nsimilarity index 100%\nrename from lib/a.c\nrename to lib/b.c\n\
         diff --git a/lib/b.c b/lib/a.c\nsimilarity index 100%\nrename from lib/b.c\nrename to lib/a.c\n";
    let renamed =
        renamed.split_inclusive("rename to lib/b.c\n").map(|text| tree.patch("r.patch", text.as_bytes()));
    let refused = tree.try_to_build(&[first.clone(), stale]).unwrap_err().to_string();
    assert!(refused.contains("does not apply to 6.12.3"), "{refused}");
    assert!(!tree.workspace.cache.join("kernel/trees").exists());
    let patches: Vec<Patch> = [first, second].into_iter().chain(renamed).collect();
    assert_eq!(content(&tree.build(&patches)), "three\n");
}

#[test]
fn a_patch_may_be_for_other_lines_but_not_for_other_context() {
    let tree = Tree::new("context");
    tree.write("lib/a.c", "1\n2\n3\n4\nfive\n6\n7\n8\n");
    let patch = |name: &str, first: u32, before: &str| {
        let text = format!(
            "--- a/lib/a.c\n+++ b/lib/a.c\n@@ -{first},7 +{first},7 @@\n {before}\n 3\n 4\n-five\n+5\n 6\n 7\n 8\n"
        );
        tree.patch(name, text.as_bytes())
    };
    let refused = tree.try_to_build(&[patch("fuzzy.patch", 9, "two")]).unwrap_err().to_string();
    let why =
        "only with fuzz, which git am refuses: lib/a.c: Hunk #1 succeeded at 2 with fuzz 1 (offset -7 lines)";
    assert!(refused.contains(why) && refused.contains("fuzzy.patch"), "{refused}");
    let notes = RefCell::new(Vec::new());
    let say = |text: &str| notes.borrow_mut().push(text.to_owned());
    let moved = [patch("moved.patch", 9, "2")];
    // The note comes with the kernel from the cache, too.
    for cached in [false, true] {
        notes.borrow_mut().clear();
        let built = tree.build_and_say(&moved, &say).unwrap();
        assert_eq!((content(&built).as_str(), built.cached), ("1\n2\n3\n4\n5\n6\n7\n8\n", cached));
        let note = "applies to 6.12.3 at other lines than it names (hunks: 1): lib/a.c: Hunk #1 succeeded at 2 (offset -7 lines)";
        assert!(notes.borrow()[0].ends_with(note), "{notes:?}");
    }
    assert!(!tree.build_and_say(&[patch("exact.patch", 2, "2")], &say).unwrap().cached);
    assert!(notes.borrow().iter().all(|note| !note.contains("exact.patch")), "{notes:?}");
}

#[test]
fn a_mail_is_applied_as_git_am_does() {
    let tree = Tree::new("mail");
    let hunk = |old: &str, new: &str| format!("--- a/lib/a.c\n+++ b/lib/a.c\n@@ -1 +1 @@\n-{old}\n+{new}\n");
    let quoted = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
    let mail = |quote: &str, diff: &str| {
        format!(
            "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nSubject: a\n\nNot this:\n\n{quote}\n\
             ---\n lib/a.c | 2 +-\n\ndiff --git a/lib/a.c b/lib/a.c\n{diff}-- \n2.39\n\n"
        )
    };
    // Quoted: a diff that fits, and one of a file that is not there.
    let fits = mail(&quoted(&hunk("one", "quoted")), &hunk("one", "sent"));
    assert_eq!(content(&tree.build(&[tree.patch("fits.patch", fits.as_bytes())])), "sent\n");
    let absent = mail(&quoted(&hunk("x", "y").replace("a.c", "absent.c")), &hunk("one", "also sent"));
    assert_eq!(content(&tree.build(&[tree.patch("absent.patch", absent.as_bytes())])), "also sent\n");
    let two = mail("", &hunk("one", "two")) + &mail("", &hunk("two", "three"));
    assert_eq!(content(&tree.build(&[tree.patch("two.mbox", two.as_bytes())])), "three\n");
}

#[test]
fn a_tree_that_changes_while_it_is_built_is_refused() {
    let tree = Tree::new("changing");
    let new = tree.top.join("lib/new.c");
    let edited = format!("modules:\n\ttest -e {0} || touch {0}\n", new.display());
    tree.write("Makefile", &MAKEFILE.replace("modules:\n", &edited));
    let refused = tree.try_to_build(&[]).unwrap_err().to_string();
    assert!(refused.contains("was changed while it was built"), "{refused}");
    assert!(new.is_file() && !tree.build(&[]).cached);
}

/// patch(1) may replace a file or write to it; the one of this machine replaces it. Here a stand-in writes.
#[test]
fn a_patch_program_that_writes_to_files_does_not_write_to_the_users() {
    const STAND_IN: &str = "#!/bin/sh\ncase \"$*\" in *--dry-run*) exit ;; esac\necho written >lib/a.c\n";
    let tree = Tree::new("written");
    let program = tree.workspace.cache.join("patch");
    if std::env::var_os("ASSAY_TEST_STAND_IN").is_some() {
        let text = b"--- a/lib/a.c\n+++ b/lib/a.c\n@@ -1 +1 @@\n-one\n+two\n";
        assert_eq!(content(&tree.build(&[tree.patch("a.patch", text)])), "written\n");
        assert_eq!(fs::read_to_string(tree.top.join("lib/a.c")).unwrap(), "one\n");
        return;
    }
    // PATH is the whole process's, which has other tests.
    fs::write(&program, STAND_IN).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", tree.workspace.cache.display(), std::env::var("PATH").unwrap());
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_patch_program_that_writes_to_files_does_not_write_to_the_users"])
        .envs([("PATH", path.as_str()), ("ASSAY_TEST_STAND_IN", "yes")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn a_selftest_is_built_as_the_patches_have_it() {
    let tree = Tree::new("selftest");
    let test =
        Test::named(Machine::named(arch::Arch::X86_64, None).unwrap(), &[SELFTEST.to_owned()]).unwrap()[0];
    let said = |patches: &[Patch]| {
        let run = test.run(&tree.workspace, &tree.build(patches), patches).unwrap();
        let output = Command::new(run.program.unwrap()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(said(&[]), "one\n");
    let text = format!(
        "--- a/{SELFTESTS}/{SELFTEST}.c\n+++ b/{SELFTESTS}/{SELFTEST}.c\n@@ -3,3 +3,3 @@\n {{\n-\tputs(\"one\");\n+\tputs(\"patched\");\n }}\n"
    );
    let patch = tree.patch("test.patch", text.as_bytes());
    assert_eq!(said(&[patch]), "patched\n");
    assert_eq!(said(&[]), "one\n");
}
