//! What ranks ask the launcher.
//!
//! Whoever asks sleeps until the thread that listens to the launcher wakes it. Until then somebody outside is expected
//! to act; but not at a port, where only another rank can end the wait. Costs: a message of the control channel each
//! way.

use super::control::Control;
use simurgh_core::Completion;
use simurgh_core::sync::{AtomicBool, AtomicU64, Ordering, SpinLock};
use simurgh_mpi::Launcher;
use simurgh_net::auth::Secret;
use simurgh_net::control::{Answer, FromHost, Question};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

/// The number of the next question.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Answers that ranks have taken: counted when they go on, so that until then there is one more that has been sent.
static TAKEN: AtomicU64 = AtomicU64::new(0);

/// Whether a rank has ever waited at a port.
static WAITED_AT_PORT: AtomicBool = AtomicBool::new(false);

/// The questions that have not been answered.
static OPEN: SpinLock<BTreeMap<u64, Arc<Open>>> = SpinLock::new(BTreeMap::new());

/// Somebody waits for an answer.
#[derive(Default)]
struct Open {
    answered: Completion,
    answer: SpinLock<Option<Answer>>,
    visit: Option<PortWait>,
}

/// Somebody waits at a port.
#[derive(Clone)]
pub(super) struct PortWait {
    /// The process that waits.
    pub(super) process: u32,
    /// What it waits for.
    pub(super) purpose: String,
}

impl PortWait {
    /// What a question waits for at a port, if it does.
    fn of(question: &Question) -> Option<Self> {
        let (process, purpose) = match question {
            Question::Accept { port, process } => (
                *process,
                format!("MPI_Comm_accept at port {port}: nobody connects"),
            ),
            Question::Connect { port, process, .. } => (
                *process,
                format!("MPI_Comm_connect to port {port}: nobody accepts"),
            ),
            _ => return None,
        };
        Some(Self { process, purpose })
    }
}

/// Asks over the control channel.
pub(super) struct ControlLauncher;

impl Launcher for ControlLauncher {
    fn ask(&self, question: Question) -> Answer {
        match PortWait::of(&question) {
            None => simurgh_core::while_expecting(|| exchange(question, None)),
            visit => exchange(question, visit),
        }
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
fn exchange(question: Question, visit: Option<PortWait>) -> Answer {
    let refusal = question.refusal();
    let Some(control) = Control::get() else {
        return Answer::refused(
            refusal,
            "there is no mpiexec to ask: start the program by mpiexec",
        );
    };
    // Relaxed: it only has to be another number each time.
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    if visit.is_some() {
        WAITED_AT_PORT.store(true, Ordering::SeqCst);
    }
    let open = Arc::new(Open {
        visit,
        ..Open::default()
    });
    OPEN.lock().insert(number, Arc::clone(&open));
    if let Err(error) = control.try_say(&FromHost::Ask { number, question }) {
        OPEN.lock().remove(&number);
        return Answer::refused(refusal, format!("mpiexec cannot be asked: {error}"));
    }
    open.answered.wait();
    TAKEN.fetch_add(1, Ordering::SeqCst);
    let answer = open.answer.lock().take();
    answer.expect("it is there before it is told")
}

/// A number by which those know each other who know this secret.
pub(super) fn name_of(secret: &Secret) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(secret.as_bytes());
    hasher.finish()
}

/// Answers that ranks have taken so far.
pub(super) fn taken() -> u64 {
    TAKEN.load(Ordering::SeqCst)
}

/// Whether ranks have waited at ports: then only the launcher knows whether all wait for ever.
pub(super) fn have_waited_at_ports() -> bool {
    WAITED_AT_PORT.load(Ordering::SeqCst)
}

/// Who waits at ports, and for what.
pub(super) fn port_waits() -> Vec<PortWait> {
    let open = OPEN.lock();
    open.values().filter_map(|open| open.visit.clone()).collect()
}

/// Passes an answer on to who has asked.
pub(super) fn answer(number: u64, answer: Answer) {
    let open = OPEN.lock().remove(&number);
    if let Some(open) = open {
        *open.answer.lock() = Some(answer);
        open.answered.complete();
    }
}
