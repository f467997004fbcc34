// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A trace file that is read several times, as it was when it was opened.

use std::fs::File;
use std::io::{BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Error;
use crate::frames::Frames;
use crate::reader::Reader;

/// An open trace file. If another one takes its name meanwhile, all readers still read this one: what is put together from several
/// readings is of one recording.
#[derive(Clone, Debug)]
pub struct Held {
    path: PathBuf,
    file: Arc<File>,
}

impl Held {
    /// Opens a file; what is none is refused before that, since opening a pipe waits for somebody who writes.
    pub fn open(path: impl AsRef<Path>) -> Result<Held, Error> {
        let path = path.as_ref();
        let failed = |source| Error::Io { path: path.to_owned(), source };
        let is = std::fs::metadata(path).map_err(failed)?.file_type();
        if !is.is_file() {
            return Err(Error::not_a_file(path, is));
        }
        let file = Arc::new(File::open(path).map_err(failed)?);
        Ok(Held { path: path.to_owned(), file })
    }

    /// Its name when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A reader of its own, which stands at the start.
    pub fn reader(&self) -> Result<Reader, Error> {
        let input = BufReader::with_capacity(1 << 16, At { file: self.file.clone(), offset: 0 });
        let (frames, version, arch) = Frames::new(&self.path, Box::new(input))?;
        Reader::start(frames, version, arch)
    }
}

/// Reads without moving the file's own position, which all readers share.
struct At {
    file: Arc<File>,
    offset: u64,
}

impl Read for At {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let got = self.file.read_at(out, self.offset)?;
        self.offset += got as u64;
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Block, Item, Writer};
    use arch::Arch;

    fn write(path: &Path, arch: Arch, times: u64) {
        let mut writer = Writer::create(path, arch, &[]).unwrap();
        let id = writer.define_block(&Block { address: 0x1000, bytes: vec![0; 4], sizes: vec![4] });
        (0..times).for_each(|_| writer.put(&Item::Block { id, accesses: Vec::new() }).unwrap());
        writer.finish("exit").unwrap();
    }

    #[test]
    fn a_file_that_is_replaced_is_read_on_as_it_was() {
        let path = std::env::temp_dir().join(format!("held-{}.trace", std::process::id()));
        write(&path, Arch::Powerpc64le, 3);
        let held = Held::open(&path).unwrap();
        let mut first = held.reader().unwrap();
        assert_eq!(first.executions().unwrap(), [3]);
        let other = path.with_extension("other");
        write(&other, Arch::Loongarch64, 5);
        std::fs::rename(&other, &path).unwrap();
        let mut second = held.reader().unwrap();
        assert_eq!((second.header().arch, second.executions().unwrap()), (Arch::Powerpc64le, vec![3]));
        let new = Reader::open(&path).unwrap();
        assert_eq!((new.header().arch, held.path()), (Arch::Loongarch64, &*path));
        std::fs::remove_file(&path).unwrap();
    }
}
