//! Steps of a test run, several at a time. Test programs mostly wait for processes that they have started, so one for
//! each core leaves cores idle.
//!
//! There are three lanes for each core, and at least six. Two of three take steps from the front of the queue, where
//! the test programs are. The others take steps from its end, where those are that compile and compute. So waiting
//! programs run beside computing ones.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::progress::Progress;
use crate::failure::Result;

/// A step of the test run, with its name.
pub(super) struct Step<'a> {
    name: String,
    act: Box<dyn FnOnce() -> Result<String> + Send + 'a>,
}

impl<'a> Step<'a> {
    pub(super) fn new(name: &str, act: impl FnOnce() -> Result<String> + Send + 'a) -> Self {
        Self {
            name: name.to_owned(),
            act: Box::new(act),
        }
    }
}

/// Takes the next step out of a queue.
type Take<'a> = fn(&mut VecDeque<Step<'a>>) -> Option<Step<'a>>;

/// The number of cores, and at least two.
fn cores() -> usize {
    thread::available_parallelism().map_or(2, |cores| cores.get().max(2))
}

/// Does all steps, and reports the result of each to `progress`.
pub(super) fn run<'a>(steps: Vec<Step<'a>>, progress: &Progress) {
    let queue = Mutex::new(VecDeque::from(steps));
    let of_a_core: [Take<'a>; 3] = [VecDeque::pop_front, VecDeque::pop_back, VecDeque::pop_front];
    thread::scope(|scope| {
        for take in of_a_core.into_iter().cycle().take(of_a_core.len() * cores()) {
            let queue = &queue;
            scope.spawn(move || {
                let next = || take(&mut queue.lock().unwrap_or_else(PoisonError::into_inner));
                while let Some(step) = next() {
                    progress.step(&step.name, step.act);
                }
            });
        }
    });
}
