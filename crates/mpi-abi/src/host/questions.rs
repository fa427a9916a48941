//! What ranks ask the launcher.
//!
//! Whoever asks sleeps until the thread that listens to the launcher wakes it. Costs: a message of the control channel
//! each way.

use super::control::Control;
use simurgh_core::Completion;
use simurgh_core::sync::{AtomicU64, Ordering, SpinLock};
use simurgh_mpi::Launcher;
use simurgh_net::control::{Answer, FromHost, Question, Secret};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

/// The number of the next question.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The questions that have not been answered.
static OPEN: SpinLock<BTreeMap<u64, Arc<Open>>> = SpinLock::new(BTreeMap::new());

/// Somebody waits for an answer.
#[derive(Default)]
struct Open {
    answered: Completion,
    answer: SpinLock<Option<Answer>>,
}

/// Asks over the control channel.
pub(super) struct Asking;

impl Launcher for Asking {
    fn ask(&self, question: Question) -> Answer {
        simurgh_core::while_expecting(|| exchange(question))
    }

    fn universe(&self) -> u64 {
        Control::get().map_or(0, |control| name_of(control.secret()))
    }

    fn connected(&self, world: u32, so: bool) {
        if let Some(control) = Control::get() {
            control.say(&FromHost::Connected { world, so });
        }
    }
}

/// Sends a question, and waits for its answer.
fn exchange(question: Question) -> Answer {
    let refusal = question.refusal();
    let Some(control) = Control::get() else {
        return Answer::refused(
            refusal,
            "there is no mpiexec to ask: start the program by mpiexec",
        );
    };
    // Relaxed: it only has to be another number each time.
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let open = Arc::<Open>::default();
    OPEN.lock().insert(number, Arc::clone(&open));
    if let Err(error) = control.try_say(&FromHost::Ask { number, question }) {
        OPEN.lock().remove(&number);
        return Answer::refused(refusal, format!("mpiexec cannot be asked: {error}"));
    }
    open.answered.wait();
    let answer = open.answer.lock().take();
    answer.expect("it is there before it is told")
}

/// A number by which those know each other who know this secret.
pub(super) fn name_of(secret: &Secret) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(secret.as_bytes());
    hasher.finish()
}

/// Passes an answer on to who has asked.
pub(super) fn answer(number: u64, answer: Answer) {
    let open = OPEN.lock().remove(&number);
    if let Some(open) = open {
        *open.answer.lock() = Some(answer);
        open.answered.complete();
    }
}
