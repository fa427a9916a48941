//! Questions of ranks to the launcher.
//!
//! A rank that asks sleeps until the listening thread wakes it with the answer. Meanwhile the rank counts as one that
//! expects something from outside, so that it is in no deadlock. Waits at a port are the exception: only another rank
//! can end them. A question costs one message of the control channel each way.

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

/// The number of answers that ranks have received. It grows when the rank goes on: until then the launcher has sent one
/// more, so the job is not quiet.
static TAKEN: AtomicU64 = AtomicU64::new(0);

/// Whether a rank has ever waited at a port.
static WAITED_AT_PORT: AtomicBool = AtomicBool::new(false);

/// The questions without an answer, by number.
static OPEN: SpinLock<BTreeMap<u64, Arc<Open>>> = SpinLock::new(BTreeMap::new());

/// A question without an answer.
#[derive(Default)]
struct Open {
    answered: Completion,
    answer: SpinLock<Option<Answer>>,
    visit: Option<PortWait>,
}

/// A wait at a port.
#[derive(Clone)]
pub(super) struct PortWait {
    /// The process that waits.
    pub(super) process: u32,
    /// The call, and who is missing.
    pub(super) purpose: String,
}

impl PortWait {
    /// The wait that a question stands for, if it waits at a port.
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

/// The launcher at the other end of the control channel.
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
    // Relaxed: the numbers only have to differ.
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

/// A number that identifies the processes that know this secret.
pub(super) fn name_of(secret: &Secret) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(secret.as_bytes());
    hasher.finish()
}

/// The number of answers that ranks have received.
pub(super) fn taken() -> u64 {
    TAKEN.load(Ordering::SeqCst)
}

/// Whether ranks have waited at ports. If so, only the launcher knows whether all ranks wait for ever.
pub(super) fn have_waited_at_ports() -> bool {
    WAITED_AT_PORT.load(Ordering::SeqCst)
}

/// The ranks that wait at ports, and for what.
pub(super) fn port_waits() -> Vec<PortWait> {
    let open = OPEN.lock();
    open.values().filter_map(|open| open.visit.clone()).collect()
}

/// Hands an answer to the rank that has asked.
pub(super) fn answer(number: u64, answer: Answer) {
    let open = OPEN.lock().remove(&number);
    if let Some(open) = open {
        *open.answer.lock() = Some(answer);
        open.answered.complete();
    }
}
