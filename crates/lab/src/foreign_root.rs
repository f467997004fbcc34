// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Where a foreign program finds its loader and libraries: a folder that stands for `/`, as an unpacked Debian package or a
//! cross compiler's package leaves it.

use crate::cache::Workspace;
use crate::elf::ElfFile;
use arch::Arch;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A folder that stands for `/`.
#[derive(Clone, Debug)]
pub struct Root {
    /// The folder; `/` itself for programs of this machine.
    pub folder: PathBuf,
    triple: &'static str,
}

/// The GNU triple in names of Debian's folders.
pub fn triple(arch: Arch) -> &'static str {
    match arch {
        Arch::Powerpc => "powerpc-linux-gnu",
        Arch::Powerpc64 => "powerpc64-linux-gnu",
        Arch::Powerpc64le => "powerpc64le-linux-gnu",
        Arch::Loongarch64 => "loongarch64-linux-gnu",
        Arch::Aarch64 => "aarch64-linux-gnu",
        Arch::Riscv64 => "riscv64-linux-gnu",
        Arch::X86_64 => "x86_64-linux-gnu",
    }
}

impl Root {
    /// The root of an architecture: what the user named; else what `./assay foreign` has unpacked; else what Debian's cross
    /// packages have installed; else the machine itself.
    pub fn find(workspace: &Workspace, arch: Arch, named: Option<&Path>) -> Root {
        let ours = unpacked(workspace, arch);
        let cross = Path::new("/usr").join(triple(arch));
        let is_native = crate::host::native_arch() == Some(arch);
        let folder = match named {
            Some(folder) => folder.to_path_buf(),
            None if is_native => PathBuf::from("/"),
            None if ours.is_dir() => ours,
            None if cross.is_dir() => cross,
            None => PathBuf::from("/"),
        };
        Root { folder, triple: triple(arch) }
    }

    /// QEMU's options for it.
    pub fn options(&self) -> Vec<String> {
        if self.folder == Path::new("/") {
            return Vec::new();
        }
        vec!["-L".to_owned(), self.folder.display().to_string()]
    }

    /// A path of the program's world as one of ours; QEMU tries the root and then the machine's own.
    pub fn inside(&self, path: &str) -> Option<PathBuf> {
        let below = self.folder.join(path.trim_start_matches('/'));
        [below, PathBuf::from(path)].into_iter().find(|candidate| candidate.is_file())
    }

    /// The file of a library by its soname, where a loader looks for it.
    pub fn library(&self, name: &str, program: &Path, wanted_by: &ElfFile) -> Option<PathBuf> {
        let origin = program.parent().unwrap_or(Path::new("")).display().to_string();
        let named =
            wanted_by.wants.folders.iter().map(|folder| PathBuf::from(folder.replace("$ORIGIN", &origin)));
        let usual = ["lib", "usr/lib", "lib64", "usr/lib64"].into_iter().flat_map(|folder| {
            let folder = self.folder.join(folder);
            [folder.join(self.triple), folder]
        });
        named.chain(usual).map(|folder| folder.join(name)).find(|candidate| candidate.is_file())
    }

    /// The libraries that a program needs, itself or through others, and that are nowhere here.
    pub fn missing_libraries(&self, program: &Path, elf: &ElfFile) -> Vec<String> {
        let mut missing = Vec::new();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut next = vec![(program.to_path_buf(), elf.clone())];
        while let Some((place, elf)) = next.pop() {
            for name in &elf.wants.libraries {
                if !seen.insert(name.clone()) {
                    continue;
                }
                match self.library(name, &place, &elf) {
                    None => missing.push(name.clone()),
                    Some(file) => next.extend(ElfFile::load(&file).ok().map(|elf| (file, elf))),
                }
            }
        }
        missing
    }
}

/// Where `./assay foreign` unpacks packages of an architecture.
pub fn unpacked(workspace: &Workspace, arch: Arch) -> PathBuf {
    workspace.cache.join("roots").join(arch.name())
}
