// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The outermost layer of the file: the fixed start, then zstd frames, each after its uncompressed and compressed length.

use std::io::Read;
use std::path::{Path, PathBuf};

use arch::Arch;

use crate::error::{Error, Problem};
use crate::format::{limit, Bytes, MAGIC, VERSION};

/// Reads frame by frame; one frame is in memory at a time.
pub(crate) struct Frames {
    path: PathBuf,
    input: Box<dyn Read + Send>,
    position: u64,
    frame_start: u64,
    compressed: Vec<u8>,
    decompressor: zstd::bulk::Decompressor<'static>,
}

impl Frames {
    /// Also gives the format's version and the architecture.
    pub fn new(path: &Path, input: Box<dyn Read + Send>) -> Result<(Frames, u64, Arch), Error> {
        let decompressor =
            zstd::bulk::Decompressor::new().map_err(|source| Error::Io { path: path.to_owned(), source })?;
        let mut frames = Frames {
            path: path.to_owned(),
            input,
            position: 0,
            frame_start: 0,
            compressed: Vec::new(),
            decompressor,
        };
        let (version, arch) = frames.start()?;
        Ok((frames, version, arch))
    }

    fn start(&mut self) -> Result<(u64, Arch), Error> {
        let mut magic = [0; MAGIC.len()];
        let got = self.fill(&mut magic)?;
        if magic[..got] != MAGIC[..got] || got == 0 {
            return Err(Error::NotATrace { path: self.path.clone() });
        }
        if got < magic.len() {
            return Err(self.truncated());
        }
        let version = self.varint()?.ok_or_else(|| self.truncated())?;
        if version > VERSION {
            return Err(Error::Newer { path: self.path.clone(), version, newest: VERSION });
        }
        if !version.is_power_of_two() {
            return Err(self.corrupt(format!("version {version}").into()));
        }
        let code = self.varint()?.ok_or_else(|| self.truncated())?;
        match u8::try_from(code).ok().and_then(Arch::from_code) {
            Some(arch) => Ok((version, arch)),
            None => Err(self.corrupt(format!("unknown architecture number {code}").into())),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn truncated(&self) -> Error {
        Error::Truncated { path: self.path.clone(), at: self.position }
    }

    pub fn corrupt(&self, problem: Problem) -> Error {
        Error::Corrupt { path: self.path.clone(), at: self.frame_start, problem: problem.0 }
    }

    fn fill(&mut self, out: &mut [u8]) -> Result<usize, Error> {
        let mut got = 0;
        while got < out.len() {
            match self.input.read(&mut out[got..]) {
                Ok(0) => break,
                Ok(n) => got += n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(source) => return Err(Error::Io { path: self.path.clone(), source }),
            }
        }
        self.position += got as u64;
        Ok(got)
    }

    /// None at the end of the file.
    fn varint(&mut self) -> Result<Option<u64>, Error> {
        let mut value = 0u64;
        for shift in (0..70).step_by(7) {
            let mut byte = [0];
            if self.fill(&mut byte)? == 0 {
                return if shift == 0 { Ok(None) } else { Err(self.truncated()) };
            }
            if shift == 63 && byte[0] > 1 {
                break;
            }
            value |= u64::from(byte[0] & 0x7f) << shift;
            if byte[0] < 0x80 {
                return Ok(Some(value));
            }
        }
        Err(self.corrupt("a length of more than 64 bits".into()))
    }

    /// Whether the file ends after the frame that was read last.
    pub fn at_end(&mut self) -> Result<bool, Error> {
        Ok(self.fill(&mut [0])? == 0)
    }

    /// Reads the next frame into `out`. A file that ends here is truncated: the reader asks for frames until the end marker.
    pub fn next(&mut self, out: &mut Bytes) -> Result<(), Error> {
        self.frame_start = self.position;
        let raw = self.varint()?.ok_or_else(|| self.truncated())?;
        let size = self.varint()?.ok_or_else(|| self.truncated())?;
        if raw == 0 || raw > limit::FRAME_BYTES || size > limit::FRAME_BYTES + (limit::FRAME_BYTES >> 7) {
            return Err(self.corrupt(format!("a frame of {size} bytes for {raw}").into()));
        }
        let mut compressed = std::mem::take(&mut self.compressed);
        compressed.resize(size as usize, 0);
        let got = self.fill(&mut compressed)?;
        self.compressed = compressed;
        if got < size as usize {
            return Err(self.truncated());
        }
        self.decompress(raw as usize, out).map_err(|problem| self.corrupt(problem))
    }

    fn decompress(&mut self, raw: usize, out: &mut Bytes) -> Result<(), Problem> {
        // RFC 8878: four bytes of magic, then the frame header descriptor, whose bit 2 is the checksum flag.
        if self.compressed.get(4).is_none_or(|descriptor| descriptor & 4 == 0) {
            return Err("a frame without a checksum".into());
        }
        out.at = 0;
        out.buffer.clear();
        out.buffer.reserve(raw);
        let got = self.decompressor.decompress_to_buffer(&self.compressed, &mut out.buffer);
        match got {
            Ok(got) if got == raw => Ok(()),
            Ok(got) => Err(format!("{got} bytes where {raw} were announced").into()),
            Err(e) => Err(e.to_string().into()),
        }
    }
}
