//! Many threads, one order: jobs are worked on at once, and their results taken in the order of the jobs.
//!
//! ```text
//! jobs --(feeder)--> queue --> workers ----+ one slot a job
//!          |                               v
//!          +------> slots, in order --> take
//! ```
//!
//! The line of slots is bounded, so at most so many results wait, however far ahead some worker is.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use crossbeam_channel::bounded;

/// How many jobs a thread may be ahead of what is taken.
const AHEAD: usize = 4;

/// Does `work` for each job, on so many threads (on this one if it is one), each with a scratch space of its own,
/// and gives the results to `take` in the order of the jobs. Stops at the first error of `take`, and returns it.
pub(crate) fn in_order<Job: Send, Scratch, Done: Send, Error>(
    threads: usize,
    jobs: impl Iterator<Item = Job> + Send,
    scratch: impl Fn() -> Scratch + Sync,
    work: impl Fn(&mut Scratch, Job) -> Done + Sync,
    mut take: impl FnMut(Done) -> Result<(), Error>,
) -> Result<(), Error> {
    if threads <= 1 {
        let mut scratch = scratch();
        return jobs.map(|job| work(&mut scratch, job)).try_for_each(take);
    }
    let (line, slots) = sync_channel::<Receiver<Done>>(threads * AHEAD);
    let (queue, queued) = bounded(threads * AHEAD);
    thread::scope(|scope| {
        scope.spawn(move || {
            for job in jobs {
                let (slot, done) = sync_channel(1);
                // A closed line: nobody takes any more.
                if line.send(done).is_err() || queue.send((job, slot)).is_err() {
                    return;
                }
            }
        });
        for _ in 0..threads {
            let queued = queued.clone();
            let (scratch, work) = (&scratch, &work);
            scope.spawn(move || {
                let mut scratch = scratch();
                for (job, slot) in queued {
                    // If nobody takes any more, the queue ends soon.
                    let _ = slot.send(work(&mut scratch, job));
                }
            });
        }
        drop(queued);
        // A slot is left empty only by a worker's panic, which the scope passes on.
        slots.into_iter().filter_map(|slot| slot.recv().ok()).try_for_each(&mut take)
    })
}
