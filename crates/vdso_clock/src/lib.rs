// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Time from a clock page: the readers of libs/vdso for Rust programs.
//!
//! A page has one writer: libs/vdso's updater, a VMM, or [`Discipline`] in this process. [`Clock::now`] is one call of the
//! C reader, which costs what `./assay vdso bench` shows for `clock_gettime`; it takes no lock and allocates nothing. If a
//! page cannot give the time, the error says so, and the caller has to ask the system.
//!
//! ```
//! use vdso_clock::{Clock, ClockId, Discipline, Page};
//!
//! let page = Page::anonymous()?;
//! let mut discipline = Discipline::start(&page)?;
//! let clock = Clock::of_page(&page)?;
//! let first = clock.now(ClockId::MonotonicCoarse)?;
//! discipline.update(std::time::Duration::from_millis(10));
//! assert!(clock.now(ClockId::MonotonicCoarse)? >= first);
//! # Ok::<(), vdso_clock::Error>(())
//! ```

use std::ffi::c_void;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Bytes of a clock page.
pub const PAGE_BYTES: usize = 4096;

/// What went wrong, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened.
    #[error("{path} cannot be opened: {error}; start the page's writer first")]
    Open {
        /// Its path.
        path: String,
        /// The operating system's error.
        error: std::io::Error,
    },
    /// The page cannot be mapped, or there is no memory.
    #[error("the clock page cannot be mapped: {0}")]
    Map(std::io::Error),
    /// There are fewer bytes than a clock page has.
    #[error("the clock page is shorter than 4096 bytes: map all of it")]
    Short,
    /// The page was never written, has the other byte order, or is not a clock page.
    #[error("this is no clock page of this byte order: start its writer first")]
    NotAPage,
    /// Written by another version of libs/vdso.
    #[error("the clock page is of another version: build reader and writer from the same sources")]
    OtherVersion,
    /// The page cannot tell this clock now.
    #[error("the clock page cannot tell this clock: ask the system")]
    NoAnswer,
    /// The page is in a file that another process writes.
    #[error("the clock page is mapped to be read only: write one of Page::anonymous")]
    ReadOnly,
    /// Another [`Discipline`] writes the page.
    #[error("the clock page has a writer already: end the other discipline first")]
    HasWriter,
    /// The kernel refuses its clocks, by a filter of system calls for instance.
    #[error("the kernel's clocks cannot be read: let this process call clock_gettime")]
    NoClocks,
    /// The wall clock's error is not known.
    #[error("the clock page's writer does not know how wrong the wall clock is: synchronise it")]
    NoBound,
}

/// A clock, by Linux's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum ClockId {
    /// The wall clock; it may be set back.
    Realtime = 0,
    /// Never goes back; stops while the machine is suspended.
    Monotonic = 1,
    /// As `Monotonic`, but at a rate that NTP does not adjust.
    MonotonicRaw = 4,
    /// The wall clock at the last update.
    RealtimeCoarse = 5,
    /// The monotonic clock at the last update.
    MonotonicCoarse = 6,
    /// As `Monotonic`, but continues while the machine is suspended.
    Boottime = 7,
    /// The wall clock without leap seconds.
    Tai = 11,
}

/// Seconds and nanoseconds since the clock's epoch; in a time namespace the seconds may be negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct Time {
    /// Whole seconds.
    pub seconds: i64,
    /// 0 to 999999999.
    pub nanoseconds: u32,
}

/// The wall clock with its error, if what the page's writer says of itself is true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Bounds {
    /// The true time is not before this.
    pub earliest: Time,
    /// What the clock shows.
    pub now: Time,
    /// The true time is not after this.
    pub latest: Time,
    /// Changes when the machine was restored from a snapshot or migrated.
    pub generation: u64,
}

/// `struct vdso_clock`.
#[derive(Debug)]
#[repr(C)]
struct RawClock {
    page: *const c_void,
    hypervisor: *const c_void,
    generation: u64,
}

extern "C" {
    fn vdso_clock_attach(
        clock: *mut RawClock,
        page: *const c_void,
        bytes: usize,
        hypervisor: *const c_void,
    ) -> i32;
    fn vdso_clock_rust_now(clock: *const RawClock, id: i32, now: *mut Time) -> i32;
    fn vdso_clock_now_with_bounds(clock: *const RawClock, bounds: *mut Bounds) -> i32;
    fn vdso_clock_disrupted(clock: *mut RawClock) -> bool;
    fn vdso_clock_rust_discipline(page: *mut c_void) -> *mut c_void;
    fn vdso_discipline_stop(discipline: *mut c_void);
    fn vdso_discipline_set_reference(discipline: *mut c_void, error_ns: u64, drift_ppb: u32);
    fn vdso_discipline_update(discipline: *mut c_void, interval_ns: u64) -> bool;
}

/// Converts an `enum vdso_clock_result`.
fn checked(result: i32) -> Result<(), Error> {
    match result {
        0 => Ok(()),
        1 | 2 => Err(Error::Short),
        3 => Err(Error::NotAPage),
        4 => Err(Error::OtherVersion),
        6 => Err(Error::NoBound),
        _ => Err(Error::NoAnswer),
    }
}

/// A mapped page: one of this process, for a [`Discipline`] to write, or one that another process writes into a file.
#[derive(Debug)]
pub struct Page {
    address: *mut c_void,
    writable: bool,
    has_writer: AtomicBool,
}

// SAFETY: the mapping belongs to the process; readers of the page use its sequence counter, and the one writer keeps
// `has_writer` taken.
unsafe impl Send for Page {}
// SAFETY: as above.
unsafe impl Sync for Page {}

impl Page {
    /// Memory of this process, all zero, also seen by children that it forks.
    ///
    /// # Errors
    /// No memory.
    pub fn anonymous() -> Result<Page, Error> {
        Page::map(libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1)
    }

    /// The page that another process writes into a file, mapped read-only.
    ///
    /// # Errors
    /// The file is not there, or shorter than a page.
    ///
    /// # Safety
    /// As long as the page lives, nobody cuts the file: what was mapped beyond its new end is gone, and the next reader gets
    /// SIGBUS. What the file holds is not a matter of safety: whatever it is, readers give a time or an error.
    pub unsafe fn open(path: &Path) -> Result<Page, Error> {
        let fail = |error| Error::Open { path: path.display().to_string(), error };
        let file = File::open(path).map_err(fail)?;
        // Beyond the end of a file, a mapping reads zeros or faults.
        if file.metadata().map_err(fail)?.len() < PAGE_BYTES as u64 {
            return Err(Error::Short);
        }
        Page::map(libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd())
    }

    fn map(protection: i32, flags: i32, file: i32) -> Result<Page, Error> {
        // SAFETY: a new mapping at an address of the kernel's choice.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), PAGE_BYTES, protection, flags, file, 0) };
        if address == libc::MAP_FAILED {
            return Err(Error::Map(std::io::Error::last_os_error()));
        }
        let writable = protection & libc::PROT_WRITE != 0;
        Ok(Page { address, writable, has_writer: AtomicBool::new(false) })
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: mapped by `map`, and nobody borrows it any more.
        unsafe {
            libc::munmap(self.address, PAGE_BYTES);
        }
    }
}

/// A clock over a page.
#[derive(Debug)]
pub struct Clock<'a> {
    raw: RawClock,
    page: std::marker::PhantomData<&'a Page>,
}

// SAFETY: it only reads the page, under the sequence counter.
unsafe impl Send for Clock<'_> {}
// SAFETY: as above; methods that change the clock take `&mut self`.
unsafe impl Sync for Clock<'_> {}

impl<'a> Clock<'a> {
    /// A clock over this page, which is checked once.
    ///
    /// # Errors
    /// The page is not a clock page of this version.
    pub fn of_page(page: &'a Page) -> Result<Clock<'a>, Error> {
        let mut raw = RawClock { page: std::ptr::null(), hypervisor: std::ptr::null(), generation: 0 };
        // SAFETY: the page is mapped for as long as the clock borrows it.
        checked(unsafe { vdso_clock_attach(&mut raw, page.address, PAGE_BYTES, std::ptr::null()) })?;
        Ok(Clock { raw, page: std::marker::PhantomData })
    }

    /// The time.
    ///
    /// # Errors
    /// [`Error::NoAnswer`]: the page has no counter, or its writer was stopped in the middle of an update.
    #[inline]
    pub fn now(&self, id: ClockId) -> Result<Time, Error> {
        let mut now = Time::default();
        // SAFETY: attached, and the page is borrowed.
        match unsafe { vdso_clock_rust_now(&self.raw, id as i32, &mut now) } {
            0 => Ok(now),
            other => checked(other).map(|()| now),
        }
    }

    /// The wall clock and how wrong it may be.
    ///
    /// # Errors
    /// [`Error::NoBound`] while the error of the wall clock is not known, which on the page of a [`Discipline`] is until
    /// [`Discipline::set_reference`]; [`Error::NoAnswer`] as for [`Clock::now`].
    pub fn now_with_bounds(&self) -> Result<Bounds, Error> {
        let mut bounds = Bounds::default();
        // SAFETY: attached, and the page is borrowed.
        checked(unsafe { vdso_clock_now_with_bounds(&self.raw, &mut bounds) }).map(|()| bounds)
    }

    /// Whether the machine was restored from a snapshot or migrated since the last call.
    pub fn disrupted(&mut self) -> bool {
        // SAFETY: attached, and the page is borrowed.
        unsafe { vdso_clock_disrupted(&mut self.raw) }
    }
}

/// Writes a page and keeps it in step with the clocks of the kernel that this process runs on. When it is dropped the page ends:
/// its readers get [`Error::NoAnswer`], and the coarse clocks stand still.
#[derive(Debug)]
pub struct Discipline<'a> {
    raw: *mut c_void,
    page: &'a Page,
}

// SAFETY: it belongs to one thread at a time.
unsafe impl Send for Discipline<'_> {}

impl<'a> Discipline<'a> {
    /// Measures the counter against the kernel's clocks, which takes some 20 ms, and starts the page.
    ///
    /// # Errors
    /// The page is mapped read-only ([`Error::ReadOnly`]) or has another discipline ([`Error::HasWriter`]), there is no memory,
    /// or the kernel's clocks cannot be read ([`Error::NoClocks`]).
    pub fn start(page: &'a Page) -> Result<Discipline<'a>, Error> {
        if !page.writable {
            return Err(Error::ReadOnly);
        }
        if page.has_writer.swap(true, Ordering::Acquire) {
            return Err(Error::HasWriter);
        }
        // SAFETY: the page is mapped and writable as long as it is borrowed, and this is its only writer.
        let raw = unsafe { vdso_clock_rust_discipline(page.address) };
        if raw.is_null() {
            let error = std::io::Error::last_os_error();
            page.has_writer.store(false, Ordering::Release);
            let refused = error.raw_os_error() == Some(libc::ENOSYS);
            return Err(if refused { Error::NoClocks } else { Error::Map(error) });
        }
        Ok(Discipline { raw, page })
    }

    /// How far the kernel's wall clock may be from true time, and by how many parts per billion that grows; `None`: not known,
    /// as after the start. From the next update on the page's bounds contain it; without it there are none. Linux tells it
    /// by `adjtimex`. With no error and no drift the bounds enclose the kernel's time, not true time.
    pub fn set_reference(&mut self, error: Option<Duration>, drift_ppb: u32) {
        let ns = error.map_or(u64::MAX, |error| u64::try_from(error.as_nanos()).unwrap_or(u64::MAX));
        // SAFETY: made by start, and not yet freed.
        unsafe {
            vdso_discipline_set_reference(self.raw, ns, drift_ppb);
        }
    }

    /// Updates the page; to be called every few milliseconds to a second. `interval` is the time to the next call, roughly.
    /// If the kernel's clocks can no longer be read, the page stays as it is.
    pub fn update(&mut self, interval: Duration) {
        let ns = u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX).clamp(1_000_000, 1_000_000_000);
        // SAFETY: made by start, and not yet freed.
        unsafe {
            vdso_discipline_update(self.raw, ns);
        }
    }
}

impl Drop for Discipline<'_> {
    fn drop(&mut self) {
        // SAFETY: made by start, allocated by malloc, and not shared; the page is still mapped.
        unsafe {
            vdso_discipline_stop(self.raw);
            libc::free(self.raw);
        }
        self.page.has_writer.store(false, Ordering::Release);
    }
}
