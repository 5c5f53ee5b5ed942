//! Many threads, one order: jobs are worked on at once, and their results taken in the order of the jobs.
//!
//! Every thread fetches its next job itself, and the calling thread works too, whenever no result waits to be taken:
//! so threads hand nothing over, and wake each other only where one has to wait. (A thread that feeds a queue and
//! one that only takes cost as much as reading the file, at two cores.) A job is fetched only while it is less than
//! so many ahead of the first result not taken, however slow that one is: few results wait.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;

/// How many jobs a thread may be ahead of what is taken.
const AHEAD: usize = 4;

/// Does `work` for each job, on so many threads, this one among them, each with a scratch space of its own, and gives
/// the results to `take` in the order of the jobs. Stops at the first error of `take`, and returns it.
pub fn in_order<Job: Send, Scratch, Done: Send, Error>(
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
    let line = Line { state: Mutex::new(State::default()), moved: Condvar::new(), room: threads * AHEAD };
    let jobs = Mutex::new(jobs.enumerate());
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| {
                let _leaving = Leaving { line: &line, stops: false };
                let mut scratch = scratch();
                loop {
                    let mut jobs = lock(&jobs);
                    if !line.wait_for_room() {
                        return;
                    }
                    let Some((index, job)) = jobs.next() else { return line.end() };
                    line.fetched();
                    drop(jobs);
                    line.put(index, work(&mut scratch, job));
                }
            });
        }
        let _leaving = Leaving { line: &line, stops: true };
        loop {
            while let Some(done) = line.first() {
                take(done)?;
            }
            let mut fetched = None;
            // Another thread that fetches may wait for its input: there may be something to take meanwhile.
            match jobs.try_lock() {
                Ok(mut jobs) if line.has_room() => {
                    fetched = jobs.next();
                    if fetched.is_some() { line.fetched() } else { line.end() }
                }
                Ok(_) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Poisoned(_)) => return Ok(()), // the scope passes the panic on
            }
            match fetched {
                Some((index, job)) => line.put(index, work(&mut own, job)),
                None if !line.wait_for_first() => return Ok(()),
                None => {}
            }
        }
    })
}

/// The results that wait for their turn.
struct Line<Done> {
    state: Mutex<State<Done>>,
    /// Something changed that a thread may wait for.
    moved: Condvar,
    /// How many jobs are fetched ahead at most.
    room: usize,
}

struct State<Done> {
    /// The results from the first not taken on; `None` is being worked on.
    results: VecDeque<Option<Done>>,
    /// The number of results taken.
    taken: usize,
    /// No more jobs.
    ended: bool,
    /// Nobody takes any more, or a thread panicked.
    stopped: bool,
}

impl<Done> Default for State<Done> {
    fn default() -> Self {
        State { results: VecDeque::new(), taken: 0, ended: false, stopped: false }
    }
}

impl<Done> State<Done> {
    fn first_is_done(&self) -> bool {
        matches!(self.results.front(), Some(Some(_)))
    }
}

impl<Done> Line<Done> {
    /// The next job has been fetched.
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

    /// Takes the first result, if it is there.
    fn first(&self) -> Option<Done> {
        let mut state = lock(&self.state);
        let done = if state.first_is_done() { state.results.pop_front()? } else { None };
        if done.is_some() {
            state.taken += 1;
            if state.results.len() + 1 == self.room {
                self.moved.notify_all();
            }
        }
        done
    }

    fn end(&self) {
        lock(&self.state).ended = true;
        self.moved.notify_all();
    }

    fn has_room(&self) -> bool {
        lock(&self.state).results.len() < self.room
    }

    /// Whether a job may be fetched, or all is over.
    fn wait_for_room(&self) -> bool {
        let full = |state: &mut State<Done>| !state.stopped && state.results.len() >= self.room;
        let state = self.moved.wait_while(lock(&self.state), full).unwrap_or_else(PoisonError::into_inner);
        !state.stopped
    }

    /// Whether there is a first result, or all is over.
    fn wait_for_first(&self) -> bool {
        let missing = |state: &mut State<Done>| {
            let over = state.stopped || state.ended && state.results.is_empty();
            !over && !state.first_is_done()
        };
        let state = self.moved.wait_while(lock(&self.state), missing).unwrap_or_else(PoisonError::into_inner);
        state.first_is_done()
    }
}

/// Stops the others when its thread leaves by a panic; and when it is the one that takes.
struct Leaving<'l, Done> {
    line: &'l Line<Done>,
    stops: bool,
}

impl<Done> Drop for Leaving<'_, Done> {
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
