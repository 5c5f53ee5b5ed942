//! Handles Ctrl-C during work without the GIL, even if the work blocks.

use std::cell::{Cell, OnceCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// How often to check for Ctrl-C.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Reports to running work whether it was cancelled.
#[derive(Clone, Default)]
pub(crate) struct Cancelled(Arc<AtomicBool>);

impl Cancelled {
    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs work on a separate thread, without the GIL, while this thread checks for Ctrl-C. Cancelled work that does not
/// end, because it waits for a pipe, is abandoned. It changes nothing when the wait is over.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Cancelled) -> T + Send + 'static,
) -> PyResult<T> {
    let cancelled = Cancelled::default();
    let own = cancelled.clone();
    let (sender, result) = sync_channel(1);
    let result = Mutex::new(result);
    let worker = thread::spawn(move || {
        let done = OWN.with(|flag| work(flag.get_or_init(|| own)));
        // Fails if the caller no longer waits.
        let _ = sender.send(done);
    });
    loop {
        // `detach` requires types that can be shared, such as a receiver in a lock.
        let wait = || result.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(CHECK_INTERVAL);
        match py.detach(wait) {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("a worker that ends sends its result"),
            },
        }
        if let Err(raised) = py.check_signals() {
            cancelled.0.store(true, Ordering::Relaxed);
            drop(py.detach(wait));
            return Err(raised);
        }
    }
}

thread_local! {
    /// Whether the work of this thread was cancelled.
    static OWN: OnceCell<Cancelled> = const { OnceCell::new() };

    /// When this thread last checked for Ctrl-C.
    static LOOKED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Checks for Ctrl-C if that is due, for work that occupies this thread. A thread of [`interruptible`] never takes the
/// GIL, because the interpreter may end before it. There, reports whether the work was cancelled.
///
/// # Errors
/// The exception of the handler; for cancelled work, an error that is never seen.
pub(crate) fn check() -> PyResult<()> {
    if let Some(is_cancelled) = OWN.with(|own| own.get().map(Cancelled::get)) {
        // It is created without the GIL.
        return if is_cancelled { Err(PyKeyboardInterrupt::new_err(())) } else { Ok(()) };
    }
    let now = Instant::now();
    if LOOKED.get().is_some_and(|looked| now.duration_since(looked) < CHECK_INTERVAL) {
        return Ok(());
    }
    // The first call of a thread may come right at the start of short work, which needs no check.
    match LOOKED.replace(Some(now)) {
        None => Ok(()),
        Some(_) => Python::attach(|py| py.check_signals()),
    }
}
