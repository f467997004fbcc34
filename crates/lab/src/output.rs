// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Where a verb's `-o` goes. Every verb that writes a file of the user's does it here.
//!
//! A regular file, or a name that is free, gets its content whole or not at all: a temporary file beside it is written and
//! renamed. Of a symbolic link, the target is replaced. Devices, FIFOs and sockets cannot be replaced without destroying
//! them, so they are opened and written. `-` is standard output, and so are `/dev/stdout` and the like.

use crate::problem::{Problem, Result};
use std::ffi::CString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::mem::ManuallyDrop;
use std::os::fd::{FromRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A chain of more links than this is taken for a loop, as the kernel does.
const LINKS_MAX: u32 = 40;

/// A place to write to, found before the work begins so that a mistake in the name does not cost the work.
#[derive(Debug)]
pub struct Output {
    /// As the user wrote it.
    named: PathBuf,
    place: Place,
    is_program: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// A descriptor of ours.
    Descriptor(RawFd),
    /// There is something that is no regular file.
    Through(PathBuf),
    /// A regular file, or nothing yet; no symbolic link.
    File(PathBuf),
}

impl Output {
    /// Finds out what the name is. Errors: a folder, a name in a folder that does not exist or cannot be written, a loop of links.
    pub fn new(named: &Path) -> Result<Output> {
        let place = find(named).and_then(writable).map_err(|error| failed(named, &error))?;
        Ok(Output { named: named.to_owned(), place, is_program: false })
    }

    /// Refuses to replace a file that the work reads, by whatever name or link it was given. What is no file, or not there, is not
    /// looked at: devices can be both.
    pub fn spare<P: AsRef<Path>>(&self, inputs: impl IntoIterator<Item = P>) -> Result<()> {
        let Place::File(path) = &self.place else { return Ok(()) };
        let Ok(there) = fs::metadata(path) else { return Ok(()) };
        let is_it = |input: P| {
            fs::metadata(input).is_ok_and(|input| (input.dev(), input.ino()) == (there.dev(), there.ino()))
        };
        if inputs.into_iter().any(is_it) {
            return Err(Problem::new("is read by this command, and would be overwritten by what it writes")
                .at(self.named.display())
                .remedy("name another file to write"));
        }
        Ok(())
    }

    /// Lets whoever may read the file execute it, too.
    pub fn program(mut self) -> Output {
        self.is_program = true;
        self
    }

    /// Whether there is a regular file of the user's name afterwards.
    pub fn is_file(&self) -> bool {
        matches!(self.place, Place::File(_))
    }

    /// Whether this is our standard output.
    pub fn is_stdout(&self) -> bool {
        self.place == Place::Descriptor(libc::STDOUT_FILENO)
    }

    /// The file that there will be, where it is one that can be read afterwards.
    pub fn name(&self) -> String {
        if self.is_stdout() {
            "standard output".to_owned()
        } else {
            self.named.display().to_string()
        }
    }

    /// Writes all of it.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        self.copy(&mut &bytes[..])
    }

    /// Writes all that `from` has.
    pub fn copy(&self, from: &mut dyn Read) -> Result<()> {
        let written = match &self.place {
            Place::Descriptor(number) => {
                // SAFETY: whoever named the descriptor has opened it, and it stays open.
                let mut file = ManuallyDrop::new(unsafe { File::from_raw_fd(*number) });
                io::stdout().flush().and_then(|()| io::copy(from, &mut *file).map(drop))
            }
            Place::Through(path) => OpenOptions::new()
                .write(true)
                .open(path)
                .and_then(|mut file| io::copy(from, &mut file).map(drop)),
            Place::File(path) => replace(path, from, self.is_program),
        };
        written.map_err(|error| failed(&self.named, &error))
    }
}

fn failed(named: &Path, error: &io::Error) -> Problem {
    let problem = Problem::io("write the file", named, error);
    match error.kind() {
        ErrorKind::IsADirectory => problem.remedy("name a file in it"),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            problem.remedy("name a place that can be written")
        }
        ErrorKind::StorageFull => problem.remedy("free some space there, or name another place"),
        ErrorKind::NotFound => problem.remedy("make the folder first; see that the path is right"),
        _ => problem,
    }
}

/// Follows the links one by one, since those to descriptors lead to no name.
fn find(named: &Path) -> io::Result<Place> {
    if named.as_os_str() == "-" {
        return Ok(Place::Descriptor(libc::STDOUT_FILENO));
    }
    let descriptors = PathBuf::from(format!("/proc/{}/fd", std::process::id()));
    let mut path = named.to_owned();
    for _ in 0..LINKS_MAX {
        let name = path.file_name().filter(|_| !path.as_os_str().as_encoded_bytes().ends_with(b"/"));
        let name = name.ok_or(ErrorKind::IsADirectory)?;
        let above = path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = fs::canonicalize(above)?;
        let number = name.to_str().and_then(|name| name.parse().ok());
        if let Some(number) = number.filter(|_| folder == descriptors) {
            return Ok(Place::Descriptor(number));
        }
        let here = folder.join(name);
        let kind = match fs::symlink_metadata(&here) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Place::File(here)),
            other => other?.file_type(),
        };
        if kind.is_dir() {
            return Err(ErrorKind::IsADirectory.into());
        }
        if !kind.is_symlink() {
            return Ok(if kind.is_file() { Place::File(here) } else { Place::Through(here) });
        }
        path = folder.join(fs::read_link(&here)?);
    }
    Err(io::Error::from_raw_os_error(libc::ELOOP))
}

/// A place of a file, if its folder can be written: the file is made beside it.
fn writable(place: Place) -> io::Result<Place> {
    if let Place::File(path) = &place {
        let folder = CString::new(path.parent().unwrap_or(Path::new("/")).as_os_str().as_bytes())?;
        // SAFETY: the path ends with a zero.
        if unsafe { libc::access(folder.as_ptr(), libc::W_OK | libc::X_OK) } != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(place)
}

/// Writes beside the file and renames; an existing file keeps its permissions.
fn replace(path: &Path, from: &mut dyn Read, is_program: bool) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}.partial", std::process::id()));
    // If it exists, it was left by a killed process with our number: no other process uses this name.
    let _ = fs::remove_file(&beside);
    let mut write = || {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
        io::copy(from, &mut file)?;
        if let Ok(old) = fs::metadata(path) {
            file.set_permissions(old.permissions())?;
        }
        if is_program {
            let mode = file.metadata()?.permissions().mode();
            file.set_permissions(Permissions::from_mode(mode | (mode & 0o444) >> 2))?;
        }
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    let written = write();
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("assay-output-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_link_is_followed_to_its_end_and_stays() {
        let folder = folder("link");
        symlink("b", folder.join("a")).unwrap();
        symlink(folder.join("c"), folder.join("b")).unwrap();
        for content in ["made", "replaced"] {
            Output::new(&folder.join("a")).unwrap().write(content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(folder.join("c")).unwrap(), content);
            assert!(folder.join("a").is_symlink() && folder.join("b").is_symlink());
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "nothing is left beside it");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_keeps_its_permissions_and_its_content_where_writing_fails() {
        struct Breaks;
        impl Read for Breaks {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(ErrorKind::StorageFull.into())
            }
        }
        let folder = folder("kept");
        let path = folder.join("file");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let output = Output::new(&path).unwrap();
        let problem = output.copy(&mut b"new".chain(Breaks)).unwrap_err();
        assert!(problem.to_string().contains("name another place"), "{problem}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        output.write(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside it");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_read_is_not_replaced_by_whatever_name() {
        let folder = folder("spared");
        let [file, link, hard, other] = ["file", "link", "hard", "other"].map(|name| folder.join(name));
        fs::write(&file, "input").unwrap();
        fs::write(&other, "other").unwrap();
        symlink(&file, &link).unwrap();
        fs::hard_link(&file, &hard).unwrap();
        for (output, input) in [(&file, &file), (&link, &file), (&file, &link), (&hard, &file)] {
            let refused = Output::new(output).unwrap().spare([&other, input]).unwrap_err().to_string();
            assert!(refused.contains("would be overwritten") && refused.contains("remedy: "), "{refused}");
        }
        Output::new(&other).unwrap().spare([&file]).unwrap();
        Output::new(&folder.join("new")).unwrap().spare([folder.join("new")]).unwrap();
        Output::new(Path::new("/dev/null")).unwrap().spare(["/dev/null"]).unwrap();
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn names_of_descriptors_are_descriptors() {
        for name in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
            assert!(Output::new(Path::new(name)).unwrap().is_stdout(), "{name}");
        }
        assert_eq!(find(Path::new("/dev/stderr")).unwrap(), Place::Descriptor(2));
        assert_eq!(find(Path::new("/dev/full")).unwrap(), Place::Through(PathBuf::from("/dev/full")));
    }

    #[test]
    fn what_cannot_be_written_is_refused_before_the_work() {
        let folder = folder("refused");
        symlink("loop", folder.join("loop")).unwrap();
        for (name, part) in [
            ("", "name a file in it"),
            ("new/", "name a file in it"),
            ("no/file", "make the folder"),
            ("loop", "links"),
        ] {
            let path = PathBuf::from(format!("{}/{name}", folder.display()));
            let problem = Output::new(&path).unwrap_err().to_string();
            assert!(problem.contains(part), "{name}: {problem}");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
