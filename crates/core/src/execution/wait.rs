//! How an execution context finds itself, waits, yields and moves.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;

use super::completion::Completion;
use super::control_block::Ec;
use super::interrupt::attend_while_waiting;
use super::mailbox::OwnMailbox;
use super::poll_leader::PollLeader;
use super::purpose::Purpose;
use super::reference::EcRef;
use super::suspend::{Errand, Suspend};
use super::worker::{PollOutcome, Worker};
use super::{current_ec, external_wakers};
use crate::network::CHECKS_PER_POLL;
use crate::sync::{Arc, SpinLock, relax};

/// The calling execution context; attaches the calling OS thread if it is none yet.
#[inline]
#[must_use]
pub fn current() -> EcRef {
    try_current().unwrap_or_else(attach)
}

/// The calling execution context, or none on an OS thread that was never attached.
#[inline]
#[must_use]
pub fn try_current() -> Option<EcRef> {
    // SAFETY:
    // - the word is null or the address of a control block, and these live for the rest of the program.
    unsafe { current_ec::get().as_ref() }.map(EcRef::new)
}

#[cold]
fn attach() -> EcRef {
    /// Gives the control block back when the thread ends.
    struct Attachment(&'static Ec);
    impl Drop for Attachment {
        fn drop(&mut self) {
            current_ec::set(ptr::null());
            external_wakers::detach();
            self.0.recycle();
        }
    }
    std::thread_local! {
        static ATTACHMENT: std::cell::OnceCell<Attachment> = const { std::cell::OnceCell::new() };
    }
    let ec = Ec::obtain(Purpose::Compute);
    current_ec::set(ec);
    external_wakers::attach();
    // A thread that is already running its destructors keeps the control block: it leaks, harmlessly.
    let _ = ATTACHMENT.try_with(|cell| cell.set(Attachment(ec)).is_ok());
    EcRef::new(ec)
}

/// Notes a few cache lines that the calling execution context uses again and again. They are prefetched before it is
/// resumed after a wait.
pub fn keep_warm(lines: &[*const u8]) {
    current().control().footprint.note(lines);
}

/// Blocks the calling execution context until [`EcRef::unpark`]; may also return for no reason.
#[inline]
pub fn park() {
    park_with(PollLeader::park);
}

/// As [`park`], by a caller that has looked for long already for what it waits for.
#[inline]
pub(super) fn park_asleep() {
    park_with(PollLeader::park_asleep);
}

#[inline(always)]
fn park_with(park_by: impl FnOnce(&PollLeader, EcRef)) {
    let me = current();
    if me.control().token().take() {
        // It has been given already.
    } else if !me.is_attached() {
        me.control().suspend(Suspend::Park);
        me.control().token().clear();
    } else if let Some(leader) = PollLeader::get() {
        park_by(leader, me);
    } else {
        me.sleep_in_kernel();
    }
    if me.has_attention() {
        attend_while_waiting(me);
    }
}

/// Suspends the calling execution context until `event` has happened, or for a moment if somebody else waits for it.
/// Returns false, at once, for an execution context that waits by its token.
#[inline]
pub(crate) fn sleep_on(event: &Completion) -> bool {
    sleep_by(Suspend::Await(event))
}

/// As [`sleep_on`], for [`Completion::wait_biased`].
#[inline]
pub(crate) fn sleep_on_biased(event: &Completion) -> bool {
    sleep_by(Suspend::AwaitBiased(event))
}

#[inline(always)]
fn sleep_by(how: Suspend) -> bool {
    let me = current();
    let suspends = !me.waits_by_token();
    if suspends {
        me.control().suspend(how);
        me.control().end_expedition();
    }
    suspends
}

/// Lets other execution contexts of this worker run.
///
/// Before that, the caller looks into its mailbox and that of the worker, does a piece of an idle task if there is one,
/// and polls the network: a caller that polls in a loop leaves no processor idle that would do that work. An attached
/// thread lets other threads run now and then.
#[inline]
pub fn yield_now() {
    let me = current();
    OwnMailbox::get().look();
    // SAFETY:
    // - workers live for the rest of the program.
    if let Some(worker) = unsafe { me.control().worker().as_ref() } {
        worker.look_into_mailbox();
        if worker.sees_shared_work() {
            worker.run_idle_task();
        }
        worker.poll_network();
    } else if PollLeader::get().is_some_and(PollLeader::poll_once) {
        return me.control().yield_throttle.reset();
    }
    let_others_run(me);
}

/// Delivers what others have left for the caller, and polls the network where nobody does so while the caller runs: in
/// a process of one rank. Calls that complete at once do this if others may be waiting for an answer, or if they tell
/// what has come.
#[inline]
pub fn make_progress() {
    OwnMailbox::get().look();
    if let Some(leader) = PollLeader::get() {
        leader.poll_once();
    }
}

/// Lets other execution contexts of this worker run, if one is ready. For an attached thread, and for a worker that
/// does an idle task, other threads run now and then.
#[inline]
pub(crate) fn let_others_run(me: EcRef) {
    let me = me.control();
    if me.stacks.is_none() {
        return me.yield_throttle.yield_thread();
    }
    // SAFETY:
    // - workers live for the rest of the program, and the calling EC runs on this one.
    let worker = unsafe { me.worker().as_ref() };
    if worker.is_none_or(Worker::wants_to_switch) {
        me.suspend(Suspend::Yield);
    }
}

/// Continues the calling execution context on the worker with index `vp`, modulo their number.
///
/// Without effect for an attached thread.
pub fn migrate(vp: usize) {
    let me = current();
    // SAFETY:
    // - workers live for the rest of the program.
    let Some(worker) = (unsafe { me.control().worker().as_ref() }) else {
        return;
    };
    let workers = worker.team_mates();
    let target = workers[vp % workers.len()];
    if !ptr::eq(target, worker) {
        me.control().suspend(Suspend::Move(target));
    }
}

/// Runs `f` while the calling execution context is suspended, on the stack of its worker: nothing is on the context's
/// stack meanwhile, no thread has its thread pointer, and nobody can resume it. So `f` may even unmap the stack, if it
/// maps it again as it was.
///
/// `None`, without running `f`, for an attached thread: it is its own stack's only user.
pub fn while_suspended<R: Send + 'static>(f: impl FnOnce() -> R + Send + 'static) -> Option<R> {
    let me = current();
    if me.is_attached() {
        return None;
    }
    let result = Arc::new(SpinLock::new(None));
    let place = Arc::clone(&result);
    let errand: Errand = Box::new(move || *place.lock() = Some(catch_unwind(AssertUnwindSafe(f))));
    me.control()
        .suspend(Suspend::Run(Box::into_raw(Box::new(errand))));
    let outcome = result.lock().take();
    outcome.map(|outcome| outcome.unwrap_or_else(|panic| resume_unwind(panic)))
}

/// So many checks follow each other at once: what is awaited may be a cache line away. Then there are pauses between
/// them, as long as ten checks on some processors.
const QUICK_CHECKS: u32 = 64;

/// Checks `done` again and again for a bounded time, as long as nobody else could use the worker. True if it became
/// true.
#[inline]
pub fn spin_while_idle(done: impl Fn() -> bool) -> bool {
    let Some(me) = try_current() else { return false };
    // SAFETY:
    // - workers live for the rest of the program, and the calling EC runs on this one.
    let Some(worker) = (unsafe { me.control().worker().as_ref() }) else {
        return PollLeader::get().is_some_and(|leader| leader.poll_until(done));
    };
    let limit = worker.spin_limit();
    let mut checks = limit;
    while checks > 0 {
        if done() {
            return true;
        }
        if worker.has_ready() {
            return false;
        }
        checks = checks.saturating_sub(match worker.poll_network() {
            PollOutcome::Found => 1,
            PollOutcome::Empty => CHECKS_PER_POLL,
            PollOutcome::Skipped => {
                if limit - checks >= QUICK_CHECKS {
                    relax();
                }
                1
            }
        });
    }
    false
}

/// Whether [`spin_while_idle`] would check for a while now: nobody else could use the worker.
#[must_use]
pub fn may_spin() -> bool {
    let Some(me) = try_current() else { return false };
    // SAFETY:
    // - workers live for the rest of the program, and the calling EC runs on this one.
    match unsafe { me.control().worker().as_ref() } {
        Some(worker) => worker.spin_limit() > 0 && !worker.has_ready(),
        None => PollLeader::get().is_some_and(PollLeader::polls_long),
    }
}

/// Whether the caller, with this control block, runs on one of several workers that share the work.
#[inline]
pub(super) fn has_team(me: &Ec) -> bool {
    // SAFETY:
    // - workers live for the rest of the program, and the calling EC runs on this one.
    let worker = unsafe { me.worker().as_ref() };
    worker.is_some_and(|worker| worker.peers().len() > 1)
}

/// Whether the caller, with this control block, is the only execution context that lives on its worker, and may check
/// for events there again and again.
pub(super) fn is_alone(me: &Ec) -> bool {
    // SAFETY:
    // - workers live for the rest of the program, and the calling EC runs on this one.
    let worker = unsafe { me.worker().as_ref() };
    worker.is_some_and(|worker| worker.spin_limit() > 0 && worker.ec_count().size() <= 1)
}

/// Whether other execution contexts could use the caller's worker.
#[inline]
pub(crate) fn others_are_ready() -> bool {
    // SAFETY:
    // - workers live for the rest of the program, and the calling EC runs on this one.
    let worker = unsafe { current().control().worker().as_ref() };
    worker.is_some_and(Worker::has_ready)
}

/// The worker that runs the caller, until it suspends; none if the caller is no execution context of a worker.
pub fn current_worker() -> Option<&'static Worker> {
    // SAFETY:
    // - workers live for the rest of the program, and the calling EC, if it is a coroutine, runs on this one.
    try_current().and_then(|ec| unsafe { ec.control().worker().as_ref() })
}

/// Slots a wait list needs: the largest number of workers a runtime of this process has had.
#[inline]
pub(crate) fn slot_count() -> usize {
    super::worker::largest_count()
}
