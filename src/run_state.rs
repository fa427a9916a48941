//! The state of a run: it ends when all ranks have ended, or with the first failure.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::{Arc, OnceLock};

use simurgh_core::Completion;
use simurgh_core::sync::{AtomicBool, AtomicUsize, Ordering, SpinLock};
use simurgh_mpi::{Job, Remark};

use crate::activity::{Activity, Call, Inside, Wait};
use crate::error::RunError;
use crate::panic_place;

/// The state that the ranks of a run and its caller share.
#[derive(Default)]
pub(crate) struct RunState {
    /// The number of ranks that have not ended.
    left: AtomicUsize,
    activities: OnceLock<Box<[Arc<Activity>]>>,
    /// Whether the ranks belong to a launcher's job, which a failure ends.
    is_of_job: bool,
    failed: AtomicBool,
    failure: SpinLock<Option<RunError>>,
    /// What ranks have failed with that wait for others before they leave, by their places.
    leaving: SpinLock<BTreeMap<usize, RunError>>,
    /// Complete when all ranks have ended, or one has failed.
    over: Completion,
}

/// The payload with which a rank leaves a run that has failed elsewhere.
struct Abandoned;

/// The payload with which a rank aborts the run.
pub(crate) struct Abort(pub(crate) i32);

/// The payload with which a rank ends the run because of an error.
pub(crate) struct Failed(pub(crate) String);

/// A rank has failed, and waits for others before it leaves.
pub(crate) struct Leaving<'a> {
    run_state: &'a RunState,
    place: usize,
    _remark: Arc<Remark>,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.run_state.leaving.lock().remove(&self.place);
    }
}

impl RunState {
    /// The state of the ranks that this process has in a launcher's job.
    pub(crate) fn of_job() -> Self {
        Self {
            is_of_job: true,
            ..Self::default()
        }
    }

    /// Begins the run of `ranks` ranks.
    pub(crate) fn begin(&self, ranks: usize) {
        // A run begins once.
        let activities = (0..ranks).map(|_| Arc::new(Activity::new()));
        let _ = self.activities.set(activities.collect());
        self.left.store(ranks, Ordering::Relaxed);
    }

    /// The activity of a rank.
    pub(crate) fn activity(&self, rank: usize) -> &Arc<Activity> {
        &self.activities.get().expect("the run has begun")[rank]
    }

    /// Notes that a rank enters a call that may block. Unwinds it if the run has failed.
    #[inline]
    pub(crate) fn enter(&self, rank: usize, call: Call, peer: i32, tag: i32) -> Inside<'_> {
        self.check();
        self.activity(rank).enter(call, peer, tag)
    }

    /// Called when a rank has ended, in whatever way.
    pub(crate) fn leave(&self, rank: usize) {
        self.activity(rank).end();
        // AcqRel: the thread that finds no rank left sees what the ranks have written.
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.over.complete();
        }
    }

    /// Whether all ranks have ended.
    pub(crate) fn is_empty(&self) -> bool {
        // Acquire pairs with the AcqRel in `leave`.
        self.left.load(Ordering::Acquire) == 0
    }

    /// Ends the run with a failure; the first one counts. In a launcher's job that ends the process.
    pub(crate) fn fail(&self, failure: RunError) {
        if self.is_of_job {
            simurgh_host::end_native_job(failure.status(), &failure.to_string());
        }
        self.failure.lock().get_or_insert(failure);
        // Release pairs with the Acquire in `wait`; elsewhere the flag is only a hint.
        self.failed.store(true, Ordering::Release);
        self.over.complete();
    }

    /// Notes that a rank has failed, and waits for others before it leaves. If they never come, the failure is told
    /// rather than the deadlock to which it has led.
    pub(crate) fn note_leaving(&self, job: &Job, place: usize, failure: RunError) -> Leaving<'_> {
        let remark = job.remark(format!("{failure}; before it leaves it waits for others"));
        self.leaving.lock().insert(place, failure);
        Leaving {
            run_state: self,
            place,
            _remark: remark,
        }
    }

    /// The failure of a rank that has unwound with this payload; none if it has only left a run that had failed.
    pub(crate) fn failure_of(rank: usize, payload: &(dyn Any + Send)) -> Option<RunError> {
        if payload.is::<Abandoned>() {
            return None;
        }
        if let Some(Abort(code)) = payload.downcast_ref() {
            return Some(RunError::Aborted { rank, code: *code });
        }
        if let Some(Failed(message)) = payload.downcast_ref() {
            let message = message.clone();
            return Some(RunError::Failed { rank, message });
        }
        let text = payload.downcast_ref::<&str>().copied();
        let message = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let message = message.unwrap_or("its payload is not a text").to_owned();
        let place = panic_place::last();
        Some(RunError::Panicked { rank, place, message })
    }

    /// Called by the scheduler when nothing can ever wake a rank again.
    pub(crate) fn report_deadlock(&self) {
        // The last rank may have ended while the caller of the run is still waking up.
        if self.is_empty() || self.failed.load(Ordering::Relaxed) {
            return;
        }
        let leaving = self.leaving.lock().pop_first();
        if let Some((_, failure)) = leaving {
            return self.fail(failure);
        }
        let activities = self.activities.get().into_iter().flatten().enumerate();
        let waits: Vec<Wait> = activities
            .filter_map(|(rank, activity)| activity.wait(rank))
            .collect();
        self.fail(RunError::Deadlock { waits });
    }

    /// Blocks until the run is over.
    pub(crate) fn wait(&self) -> Result<(), RunError> {
        self.over.wait();
        self.failure.lock().take().map_or(Ok(()), Err)
    }

    /// Unwinds the calling rank if the run has failed.
    #[inline]
    pub(crate) fn check(&self) {
        // Relaxed: a rank that does not see it now sees it in its next call.
        if self.failed.load(Ordering::Relaxed) {
            abandon();
        }
    }
}

/// Unwinds without a message, unless the rank is unwinding already.
#[cold]
fn abandon() {
    if !std::thread::panicking() {
        resume_unwind(Box::new(Abandoned));
    }
}
