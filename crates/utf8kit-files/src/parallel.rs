//! Runs jobs on many threads and takes their results in the order of the jobs.
//!
//! Every thread fetches its own jobs, and the calling thread also works whenever no result is ready. So threads do not
//! pass jobs to each other, and wake each other only if one must wait. (On two cores, a thread that feeds a queue and
//! one that only takes results cost as much as reading the file.) Jobs are fetched only up to a limit ahead of the
//! first result not yet taken, so few results are in memory even if one job is slow.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;

/// Number of jobs per thread that may be fetched ahead of the first result not yet taken.
const MAX_JOBS_AHEAD: usize = 4;

/// Number of small files per batch: passing them between threads one at a time would cost more than reading them.
pub const SMALL_FILES: usize = 64;

/// Groups jobs into batches of at most `len`.
pub fn batches<Job>(mut jobs: impl Iterator<Item = Job>, len: usize) -> impl Iterator<Item = Vec<Job>> {
    std::iter::from_fn(move || {
        let batch: Vec<_> = jobs.by_ref().take(len).collect();
        (!batch.is_empty()).then_some(batch)
    })
}

/// How fast jobs arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pace {
    /// As fast as they are fetched.
    Full,
    /// Slowly: fetching a job may block on external input, and results must not wait for that.
    Live,
}

/// Runs `work` for each job on `threads` threads including this one, each with its own scratch space, and passes the
/// results to `take` in the order of the jobs. Stops at the first error of `take`, and returns it.
pub fn in_order<Job: Send, Scratch, Done: Send, Error>(
    pace: Pace,
    threads: usize,
    jobs: impl Iterator<Item = Job> + Send,
    scratch: impl Fn() -> Scratch + Sync,
    work: impl Fn(&mut Scratch, Job) -> Done + Sync,
    mut take: impl FnMut(Done) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut own = scratch();
    if threads <= 1 {
        return jobs.map(|job| work(&mut own, job)).try_for_each(take);
    }
    let line = Line { state: Mutex::new(State::default()), moved: Condvar::new(), capacity: threads * MAX_JOBS_AHEAD };
    let jobs = Mutex::new(jobs.enumerate());
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| {
                let _guard = StopGuard { line: &line, stops: false };
                let mut scratch = scratch();
                loop {
                    let mut jobs = lock(&jobs);
                    if !line.wait_for_capacity() {
                        return;
                    }
                    let Some((index, job)) = jobs.next() else { return line.end() };
                    line.fetched();
                    drop(jobs);
                    line.put(index, work(&mut scratch, job));
                }
            });
        }
        let _guard = StopGuard { line: &line, stops: true };
        loop {
            while let Some(done) = line.first() {
                take(done)?;
            }
            let mut fetched = None;
            // While another thread waits for input, there may be a result to take. Live jobs are fetched only by the
            // other threads, so that this thread is always free to take results.
            match jobs.try_lock() {
                Ok(mut jobs) if pace == Pace::Full && line.has_capacity() => {
                    fetched = jobs.next();
                    if fetched.is_some() { line.fetched() } else { line.end() }
                }
                Ok(_) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Poisoned(_)) => return Ok(()), // the scope propagates the panic
            }
            match fetched {
                Some((index, job)) => line.put(index, work(&mut own, job)),
                None if !line.wait_for_first() => return Ok(()),
                None => {}
            }
        }
    })
}

/// The results that have not been taken yet.
struct Line<Done> {
    state: Mutex<State<Done>>,
    /// Signals a change to waiting threads.
    moved: Condvar,
    /// Maximum number of jobs fetched ahead.
    capacity: usize,
}

struct State<Done> {
    /// The results from the first one not yet taken; `None` for a job in progress.
    results: VecDeque<Option<Done>>,
    /// Number of results taken.
    taken: usize,
    /// There are no more jobs.
    ended: bool,
    /// Results are no longer taken, or a thread panicked.
    stopped: bool,
}

impl<Done> Default for State<Done> {
    fn default() -> Self {
        State { results: VecDeque::new(), taken: 0, ended: false, stopped: false }
    }
}

impl<Done> State<Done> {
    fn is_first_finished(&self) -> bool {
        matches!(self.results.front(), Some(Some(_)))
    }
}

impl<Done> Line<Done> {
    /// Adds a job that was fetched.
    fn fetched(&self) {
        lock(&self.state).results.push_back(None);
    }

    fn put(&self, index: usize, done: Done) {
        let mut state = lock(&self.state);
        let place = index - state.taken;
        state.results[place] = Some(done);
        if place == 0 {
            self.moved.notify_all();
        }
    }

    /// Takes the first result, if it is ready.
    fn first(&self) -> Option<Done> {
        let mut state = lock(&self.state);
        let done = if state.is_first_finished() { state.results.pop_front()? } else { None };
        if done.is_some() {
            state.taken += 1;
            if state.results.len() + 1 == self.capacity {
                self.moved.notify_all();
            }
        }
        done
    }

    fn end(&self) {
        lock(&self.state).ended = true;
        self.moved.notify_all();
    }

    fn has_capacity(&self) -> bool {
        lock(&self.state).results.len() < self.capacity
    }

    /// Waits until a job may be fetched. Returns `false` if the work has stopped.
    fn wait_for_capacity(&self) -> bool {
        let full = |state: &mut State<Done>| !state.stopped && state.results.len() >= self.capacity;
        let state = self.moved.wait_while(lock(&self.state), full).unwrap_or_else(PoisonError::into_inner);
        !state.stopped
    }

    /// Waits until the first result is ready. Returns `false` if there are no more results.
    fn wait_for_first(&self) -> bool {
        let missing = |state: &mut State<Done>| {
            let over = state.stopped || state.ended && state.results.is_empty();
            !over && !state.is_first_finished()
        };
        let state = self.moved.wait_while(lock(&self.state), missing).unwrap_or_else(PoisonError::into_inner);
        state.is_first_finished()
    }
}

/// Stops the other threads when its thread panics, or when it is the thread that takes results.
struct StopGuard<'l, Done> {
    line: &'l Line<Done>,
    stops: bool,
}

impl<Done> Drop for StopGuard<'_, Done> {
    fn drop(&mut self) {
        if self.stops || thread::panicking() {
            lock(&self.line.state).stopped = true;
            self.line.moved.notify_all();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
