//! A transport between hosts that are threads of one process, for tests of algorithms.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use super::super::call::Call;
use super::channel::Channel;
use super::transport::{Pending, Transport};
use crate::error::{Error, Result};
use crate::memory::{Source, Target, pack, unpack};

/// The longest time that a test waits for a message.
const PATIENCE: Duration = simurgh_testing::LIMIT;

type Queue = (Mutex<VecDeque<Message>>, Condvar);

/// Data, or the error of a host that has failed, which it puts behind everything that it has sent.
type Message = Result<Vec<u8>>;

/// The queues between hosts, by sender, receiver and conversation.
type Queues = Arc<Vec<Vec<Vec<Queue>>>>;

/// Number of conversations at the same time.
pub(super) const CONVERSATIONS: usize = 4;

/// One of several hosts.
#[derive(Clone)]
pub(super) struct Mock {
    own: usize,
    conversation: usize,
    queues: Queues,
    /// The messages and bytes that all hosts have sent.
    sent: Arc<Mutex<(usize, usize)>>,
}

pub(super) enum Moving {
    Gone(usize),
    Coming(Mock, usize, Target),
}

impl Mock {
    fn take(&self, from: usize) -> Message {
        let (queue, bell) = &self.queues[from][self.own][self.conversation];
        let queue = queue.lock().unwrap();
        let (mut queue, waited) = bell
            .wait_timeout_while(queue, PATIENCE, |queue| queue.is_empty())
            .unwrap();
        assert!(!waited.timed_out(), "host {} waits for host {from}", self.own);
        match queue.front().unwrap() {
            Err(fault) => Err(fault.clone()),
            Ok(_) => queue.pop_front().unwrap(),
        }
    }
}

impl Transport for Mock {
    type Pending = Moving;

    fn hosts(&self) -> usize {
        self.queues.len()
    }

    fn own(&self) -> usize {
        self.own
    }

    fn abort(&self, fault: &Error) {
        for (queue, bell) in self.queues[self.own].iter().flatten() {
            queue.lock().unwrap().push_back(Err(fault.clone()));
            bell.notify_all();
        }
    }

    fn slice(&self, index: usize) -> Self {
        Self {
            conversation: index,
            ..self.clone()
        }
    }

    fn start_send(&self, to: usize, source: &Source) -> Moving {
        let mut data = vec![0; source.bytes()];
        pack(source, &mut data);
        let (queue, bell) = &self.queues[self.own][to][self.conversation];
        let sent = data.len();
        let mut all = self.sent.lock().unwrap();
        *all = (all.0 + 1, all.1 + sent);
        drop(all);
        queue.lock().unwrap().push_back(Ok(data));
        bell.notify_one();
        Moving::Gone(sent)
    }

    fn start_recv(&self, from: usize, target: &Target) -> Moving {
        Moving::Coming(self.clone(), from, target.clone())
    }

    fn recv_bytes(&self, from: usize) -> Result<Vec<u8>> {
        self.take(from)
    }
}

impl Pending for Moving {
    fn wait(self) -> Result<usize> {
        match self {
            Moving::Gone(bytes) => Ok(bytes),
            Moving::Coming(mock, from, target) => {
                let data = mock.take(from)?;
                unpack(&data, &target);
                Ok(data.len())
            }
        }
    }
}

/// Runs `f` on so many hosts at the same time and returns the result of each. No message is left over, unless a host
/// fails.
pub(super) fn on_hosts<T: Send>(hosts: usize, f: impl Fn(&Channel<'_, Mock>) -> T + Sync) -> Vec<T> {
    run(hosts, f).0
}

/// The messages and bytes that all hosts send when they run `f`.
pub(super) fn sent(hosts: usize, f: impl Fn(&Channel<'_, Mock>) + Sync) -> (usize, usize) {
    run(hosts, f).1
}

fn run<T: Send>(hosts: usize, f: impl Fn(&Channel<'_, Mock>) -> T + Sync) -> (Vec<T>, (usize, usize)) {
    let sent = Arc::default();
    let conversations = || (0..CONVERSATIONS).map(|_| Queue::default()).collect();
    let from_one = || (0..hosts).map(|_| conversations()).collect();
    let queues: Queues = Arc::new((0..hosts).map(|_| from_one()).collect());
    let results = thread::scope(|scope| {
        let start = |own| {
            let (mock, f) = (
                Mock {
                    own,
                    conversation: 0,
                    queues: Arc::clone(&queues),
                    sent: Arc::clone(&sent),
                },
                &f,
            );
            scope.spawn(move || f(&Channel::new(&mock, Call::ALLREDUCE, hosts)))
        };
        let running: Vec<_> = (0..hosts).map(start).collect();
        running.into_iter().map(|host| host.join().unwrap()).collect()
    });
    let left: Vec<Message> = queues
        .iter()
        .flatten()
        .flatten()
        .flat_map(|(queue, _)| queue.lock().unwrap().drain(..).collect::<Vec<_>>())
        .collect();
    let one_failed = left.iter().any(Result::is_err);
    assert!(left.is_empty() || one_failed, "a message is left");
    let sent = *sent.lock().unwrap();
    (results, sent)
}
