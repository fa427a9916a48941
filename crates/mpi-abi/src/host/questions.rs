//! What ranks ask the launcher.
//!
//! Whoever asks sleeps until the thread that listens to the launcher wakes it. Costs: a message of the control channel
//! each way.

use super::control::Control;
use simurgh_core::Completion;
use simurgh_core::sync::{AtomicU64, Ordering, SpinLock};
use simurgh_mpi::{Answer, Error, ErrorClass, Launcher, Question, Result};
use simurgh_net::control::{self, Bytes, FromHost, Refusal, Secret};
use simurgh_net::job::Text;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hasher};
use std::os::unix::ffi::OsStringExt;
use std::sync::Arc;

/// The number of the next question.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The questions that have not been answered.
static OPEN: SpinLock<BTreeMap<u64, Arc<Open>>> = SpinLock::new(BTreeMap::new());

/// Somebody waits for an answer.
#[derive(Default)]
struct Open {
    answered: Completion,
    answer: SpinLock<Option<control::Answer>>,
}

/// Asks over the control channel.
pub(super) struct Asking;

impl Launcher for Asking {
    fn ask(&self, question: Question) -> Result<Answer> {
        let question = written(question)?;
        read(simurgh_core::while_expecting(|| exchange(question))?)
    }

    fn universe(&self) -> u64 {
        Control::get().map_or(0, |control| name_of(control.secret()))
    }

    fn connected(&self, world: u32, so: bool) {
        if let Some(control) = Control::get() {
            control.say(&FromHost::Connected { world, so }, &[]);
        }
    }
}

/// Sends a question, and waits for its answer.
fn exchange(question: control::Question) -> Result<control::Answer> {
    let control = Control::get().ok_or_else(no_launcher)?;
    // Relaxed: it only has to be another number each time.
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let open = Arc::<Open>::default();
    OPEN.lock().insert(number, Arc::clone(&open));
    if let Err(error) = control.try_say(&FromHost::Ask { number, question }) {
        OPEN.lock().remove(&number);
        let reason = format!("mpiexec cannot be asked: {error}");
        return Err(Error::new(ErrorClass::Spawn, reason));
    }
    open.answered.wait();
    let answer = open.answer.lock().take();
    answer.ok_or_else(no_launcher)
}

/// A number by which those know each other who know this secret.
pub(super) fn name_of(secret: &Secret) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(secret.as_bytes());
    hasher.finish()
}

/// Passes an answer on to who has asked.
pub(super) fn answer(number: u64, answer: control::Answer) {
    let open = OPEN.lock().remove(&number);
    if let Some(open) = open {
        *open.answer.lock() = Some(answer);
        open.answered.complete();
    }
}

#[cold]
fn no_launcher() -> Error {
    Error::new(
        ErrorClass::Spawn,
        "there is no mpiexec to ask: start the program by mpiexec",
    )
}

/// A question as the control protocol has it.
fn written(question: Question) -> Result<control::Question> {
    Ok(match question {
        Question::Spawn { commands, parent } => control::Question::Spawn {
            commands: commands.into_iter().map(command).collect::<Result<_>>()?,
            parent: Bytes(parent),
        },
        Question::OpenPort { process } => control::Question::OpenPort { process },
        Question::ClosePort { port } => control::Question::ClosePort { port },
        Question::Accept { port, process } => control::Question::Accept { port, process },
        Question::Connect { port, process } => control::Question::Connect { port, process },
        Question::Publish { service, port, .. } => control::Question::Publish { service, port },
        Question::Unpublish { service, port } => control::Question::Unpublish { service, port },
        Question::Lookup { service } => control::Question::Lookup { service },
    })
}

fn command(command: simurgh_mpi::Command) -> Result<control::Command> {
    let info = command.info.iter();
    Ok(control::Command {
        program: text(command.program)?,
        arguments: command.arguments.into_iter().map(text).collect::<Result<_>>()?,
        processes: command.processes,
        info: info
            .map(|(key, value)| Ok((text(key.to_vec())?, text(value.to_vec())?)))
            .collect::<Result<_>>()?,
    })
}

fn text(bytes: Vec<u8>) -> Result<Text> {
    Text::new(OsString::from_vec(bytes))
        .ok_or_else(|| Error::new(ErrorClass::Spawn, "a word of the command contains a NUL byte"))
}

/// An answer of the control protocol.
fn read(answer: control::Answer) -> Result<Answer> {
    Ok(match answer {
        control::Answer::Spawned { first, processes } => Answer::Spawned { first, processes },
        control::Answer::Port(port) => Answer::Port(port),
        control::Answer::Partner { process, meeting } => Answer::Partner { process, meeting },
        control::Answer::Done => Answer::Done,
        control::Answer::Refused { refusal, reason } => {
            let class = match refusal {
                Refusal::Spawn => ErrorClass::Spawn,
                Refusal::Port => ErrorClass::Port,
                Refusal::Name => ErrorClass::Name,
                Refusal::Service => ErrorClass::Service,
            };
            return Err(Error::new(class, reason));
        }
    })
}
