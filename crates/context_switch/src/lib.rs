// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Coroutines over `libs/vector_state/switch`, the context switch that loses no register.
//!
//! A [`Coroutine`] is a closure on a stack of its own, which can suspend itself, hand out a value and wait for the next one.
//! Each switch preserves all callee-saved registers, control words included (the full policy).
//!
//! ```
//! use context_switch::{Coroutine, State};
//!
//! let mut sums = Coroutine::new(64 << 10, |suspender, first: u32| {
//!     let mut sum = first;
//!     while sum < 10 {
//!         sum += suspender.suspend(sum);
//!     }
//!     "enough"
//! })?;
//! assert_eq!(sums.resume(1), State::Suspended(1));
//! assert_eq!(sums.resume(5), State::Suspended(6));
//! assert_eq!(sums.resume(9), State::Finished("enough"));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! A panic in the closure propagates to the caller of [`Coroutine::resume`]. Dropping a coroutine that has not finished
//! unwinds its stack, so that the values there are dropped; in a program with `panic = "abort"` that ends the process, and so
//! does a destructor there that suspends (see [`Suspender::suspend`]). A coroutine stays on the thread that made it.

mod ffi;
mod stack;

use ffi::Context;
use stack::Stack;
use std::any::Any;
use std::ffi::c_void;
use std::io;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

/// What [`Coroutine::resume`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State<Out, Return> {
    /// It waits for the next [`Coroutine::resume`].
    Suspended(Out),
    /// It has returned.
    Finished(Return),
}

/// The payload that unwinds a coroutine which is dropped before its end.
struct Cancelled;

type Body<In, Out, Return> = Box<dyn FnOnce(&mut Suspender<In, Out>, In) -> Return>;

/// The data that both sides read and write; only one of them runs at a time.
#[repr(C)]
struct Shared<In, Out, Return> {
    exchange: Exchange<In, Out>,
    body: Option<Body<In, Out, Return>>,
    returned: Option<Result<Return, Box<dyn Any + Send>>>,
}

/// The part that the closure's side accesses, too. The coroutine's own context comes first: `entry` gets a pointer to it.
#[repr(C)]
struct Exchange<In, Out> {
    own: Context,
    caller: Context,
    input: Option<In>,
    output: Option<Out>,
    cancelled: bool,
}

/// Passed to the closure, which suspends itself with it.
pub struct Suspender<In, Out> {
    exchange: *mut Exchange<In, Out>,
}

impl<In, Out> Suspender<In, Out> {
    /// Hands `value` to whoever resumed the coroutine, and waits for the next value from there.
    ///
    /// If the coroutine is dropped instead, this unwinds. A closure that catches that (`catch_unwind`) may suspend again, to be
    /// unwound from there.
    ///
    /// # Aborts
    /// The process, if a destructor calls this while it runs because the stack is unwound, and the coroutine is dropped: there
    /// is no value to return, and a destructor must not unwind while another unwinding goes on. After a panic of the closure it
    /// is the drop that aborts; a destructor that is resumed with a value goes on.
    pub fn suspend(&mut self, value: Out) -> In {
        // SAFETY: the coroutine runs, so its Shared lives and nothing else accesses it; resume switched away from `caller`.
        unsafe {
            (*self.exchange).output = Some(value);
            switch(&raw mut (*self.exchange).own, &raw mut (*self.exchange).caller);
            if (*self.exchange).cancelled {
                // Unlike panic!, this does not run the panic hook: it is no error.
                resume_unwind(Box::new(Cancelled));
            }
            (*self.exchange).input.take().expect("resume brings a value")
        }
    }
}

/// # Safety
/// `from` is the running context, `to` a suspended or new one.
unsafe fn switch(from: *mut Context, to: *mut Context) {
    // SAFETY: as the caller promises.
    unsafe {
        ffi::context_switch(from, to, std::ptr::null_mut());
    }
}

/// A closure on a stack of its own. `In` is the type of the values passed to [`resume`](Coroutine::resume), `Out` of those
/// that the closure hands out.
pub struct Coroutine<In, Out, Return> {
    /// A raw pointer instead of a Box: while the closure runs, both sides use it.
    shared: *mut Shared<In, Out, Return>,
    /// Unmapped after `drop` has dropped the values on it.
    _stack: Stack,
}

impl<In, Out, Return> Coroutine<In, Out, Return> {
    /// A coroutine with a stack of at least `stack_bytes` and a guard page below it. The closure does not run yet.
    ///
    /// # Errors
    /// There is no memory for the stack, or it is smaller than the library's minimum (2 KiB).
    pub fn new(
        stack_bytes: usize,
        body: impl FnOnce(&mut Suspender<In, Out>, In) -> Return + 'static,
    ) -> io::Result<Coroutine<In, Out, Return>> {
        let stack = Stack::new(stack_bytes)?;
        let shared = Box::into_raw(Box::new(Shared {
            exchange: Exchange {
                own: Context::thread(),
                caller: Context::thread(),
                input: None,
                output: None,
                cancelled: false,
            },
            body: Some(Box::new(body) as Body<In, Out, Return>),
            returned: None,
        }));
        let coroutine = Coroutine { shared, _stack: stack };
        // SAFETY: the context is inside the Shared, the stack is ours and outlives it.
        let status = unsafe {
            ffi::context_create(
                &raw mut (*shared).exchange.own,
                coroutine._stack.low(),
                coroutine._stack.bytes(),
                entry::<In, Out, Return>,
            )
        };
        match status {
            ffi::OK => Ok(coroutine),
            _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "the stack is smaller than 2048 bytes")),
        }
    }

    /// Continues the closure until it suspends or returns.
    ///
    /// # Panics
    /// If the closure has finished; and with the closure's own panic.
    pub fn resume(&mut self, input: In) -> State<Out, Return> {
        assert!(!self.is_finished(), "a coroutine that has finished was resumed");
        // SAFETY: the closure is not running (we have &mut self), so all of Shared is ours.
        unsafe { (*self.shared).exchange.input = Some(input) };
        self.go_on();
        // SAFETY: as above; the closure has stopped again.
        let (output, returned) =
            unsafe { ((*self.shared).exchange.output.take(), (*self.shared).returned.take()) };
        match (output, returned) {
            (_, Some(Ok(value))) => State::Finished(value),
            (_, Some(Err(panic))) => resume_unwind(panic),
            (Some(value), None) => State::Suspended(value),
            (None, None) => unreachable!("a closure stops by suspend or by its end"),
        }
    }

    /// Whether the closure has returned or panicked.
    pub fn is_finished(&self) -> bool {
        // SAFETY: the closure is not running. The library sets the pointer to NULL when a context finishes.
        unsafe { (*self.shared).exchange.own.stack_pointer.is_null() }
    }

    fn go_on(&mut self) {
        // SAFETY: the coroutine's context is suspended or new; `caller` stands for the running context.
        unsafe {
            let (own, caller) =
                (&raw mut (*self.shared).exchange.own, &raw mut (*self.shared).exchange.caller);
            // Backtraces continue in the resumer.
            (*own).resumer = caller;
            switch(caller, own);
        }
    }
}

impl<In, Out, Return> Drop for Coroutine<In, Out, Return> {
    fn drop(&mut self) {
        // SAFETY: the closure is not running. If it has begun, it has values on its stack and is unwound; if it catches that
        // and suspends again, it is unwound from there once more.
        unsafe {
            let begun = (*self.shared).body.is_none();
            (*self.shared).exchange.cancelled = true;
            while begun && !self.is_finished() {
                self.go_on();
            }
            drop(Box::from_raw(self.shared));
        }
    }
}

extern "C" fn entry<In, Out, Return>(own: *mut Context, _message: *mut c_void) {
    let shared: *mut Shared<In, Out, Return> = own.cast();
    // SAFETY: `own` is the first field of Exchange, which is the first of Shared; we run, so it is ours until we switch.
    unsafe {
        run(shared);
        // Nothing that has to be dropped is on this stack any more.
        ffi::context_finish(own, &raw mut (*shared).exchange.caller, std::ptr::null_mut())
    }
}

/// # Safety
/// Called on the coroutine's stack.
unsafe fn run<In, Out, Return>(shared: *mut Shared<In, Out, Return>) {
    // SAFETY: as the caller promises.
    unsafe {
        let body = (*shared).body.take().expect("a context begins once");
        let input = (*shared).exchange.input.take().expect("resume brings a value");
        let mut suspender = Suspender { exchange: &raw mut (*shared).exchange };
        let result = catch_unwind(AssertUnwindSafe(|| body(&mut suspender, input)));
        (*shared).returned = Some(result);
    }
}

impl<Out> Iterator for Coroutine<(), Out, ()> {
    type Item = Out;

    /// A coroutine that takes and returns nothing is an iterator over what it hands out.
    fn next(&mut self) -> Option<Out> {
        if self.is_finished() {
            return None;
        }
        match self.resume(()) {
            State::Suspended(value) => Some(value),
            State::Finished(()) => None,
        }
    }
}
