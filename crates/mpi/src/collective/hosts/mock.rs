//! Hosts in one process, which talk through queues: for tests of algorithms.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use super::super::call::Call;
use super::talk::Talk;
use super::way::{Pending, Way};
use crate::error::Result;
use crate::memory::{Source, Target, pack, unpack};

/// No test waits longer for a message.
const PATIENCE: Duration = Duration::from_secs(20);

type Queue = (Mutex<VecDeque<Vec<u8>>>, Condvar);

/// What lies between each two hosts, by sender and receiver.
type Queues = Arc<Vec<Vec<Queue>>>;

/// One of several hosts.
#[derive(Clone)]
pub(super) struct Mock {
    own: usize,
    queues: Queues,
}

pub(super) enum Message {
    Gone(usize),
    Coming(Mock, usize, Target),
}

impl Mock {
    fn take(&self, from: usize) -> Vec<u8> {
        let (queue, bell) = &self.queues[from][self.own];
        let queue = queue.lock().unwrap();
        let (mut queue, waited) = bell
            .wait_timeout_while(queue, PATIENCE, |queue| queue.is_empty())
            .unwrap();
        assert!(!waited.timed_out(), "host {} waits for host {from}", self.own);
        queue.pop_front().unwrap()
    }
}

impl Way for Mock {
    type Pending = Message;

    fn hosts(&self) -> usize {
        self.queues.len()
    }

    fn own(&self) -> usize {
        self.own
    }

    fn start_send(&self, to: usize, source: &Source) -> Message {
        let mut data = vec![0; source.bytes()];
        pack(source, &mut data);
        let (queue, bell) = &self.queues[self.own][to];
        let sent = data.len();
        queue.lock().unwrap().push_back(data);
        bell.notify_one();
        Message::Gone(sent)
    }

    fn start_recv(&self, from: usize, target: &Target) -> Message {
        Message::Coming(self.clone(), from, target.clone())
    }

    fn recv_bytes(&self, from: usize) -> Result<Vec<u8>> {
        Ok(self.take(from))
    }
}

impl Pending for Message {
    fn wait(self) -> Result<usize> {
        match self {
            Message::Gone(bytes) => Ok(bytes),
            Message::Coming(mock, from, target) => {
                let data = mock.take(from);
                unpack(&data, &target);
                Ok(data.len())
            }
        }
    }
}

/// Runs `f` on so many hosts at a time and returns what each of them does. No message is left.
pub(super) fn on_hosts<T: Send>(hosts: usize, f: impl Fn(&Talk<'_, Mock>) -> T + Sync) -> Vec<T> {
    let queues: Queues = Arc::new(
        (0..hosts)
            .map(|_| (0..hosts).map(|_| Queue::default()).collect())
            .collect(),
    );
    let results = thread::scope(|scope| {
        let start = |own| {
            let (mock, f) = (
                Mock {
                    own,
                    queues: Arc::clone(&queues),
                },
                &f,
            );
            scope.spawn(move || f(&Talk::new(&mock, Call::ALLREDUCE, hosts)))
        };
        let running: Vec<_> = (0..hosts).map(start).collect();
        running.into_iter().map(|host| host.join().unwrap()).collect()
    });
    for (queue, _) in queues.iter().flatten() {
        assert!(queue.lock().unwrap().is_empty(), "a message is left");
    }
    results
}
