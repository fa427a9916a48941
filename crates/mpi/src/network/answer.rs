//! Answers by a word: replies of up to eight bytes to requests whose sender looks for them, where the transport tells
//! words to other hosts ([`Transport::answer`]).
//!
//! A reply is a packet otherwise: the host that sends it takes a place in a ring, and the one that gets it finds out
//! what it is about. An answer is two stores to a line at which its receiver looks.
//!
//! One request at a time for each pair of hosts is answered so. The answer to a request has come when a later request
//! of the same sender has been handled; if it has not, there is none, since the request was refused.

use super::Network;
use crate::endpoint::Handle;
use simurgh_core::{may_spin, spin_while_idle};
use simurgh_net::HostId;
use simurgh_net::transport::Transport;
use std::cell::Cell;

/// The most bytes of an answer.
pub(crate) const ANSWER: usize = size_of::<u64>();

/// An answer that is awaited.
pub(crate) struct Answer<'a> {
    network: &'a Network,
    way: &'a dyn Transport,
    host: HostId,
}

impl Network {
    /// Awaits an answer of a host to the next request to it that has [`Answer::handle`]. None if the host cannot answer
    /// so, another one is awaited, or somebody else could use the processor meanwhile.
    #[inline]
    pub(crate) fn expect_answer(&self, host: HostId) -> Option<Answer<'_>> {
        let way = self.way(host);
        let may = way.can_answer(host) && may_spin() && self.accounts.with(host).requests().begin_asking();
        // Not `then_some`, whose value would be dropped, which ends the asking of somebody else.
        may.then(|| Answer {
            network: self,
            way,
            host,
        })
    }
}

/// The word of an answer of `length` bytes, which `fill` writes; none if they are too many.
pub(super) fn word_of(length: usize, fill: &mut dyn FnMut(&mut [u8])) -> Option<u64> {
    let mut word = [0; ANSWER];
    fill(word.get_mut(..length)?);
    Some(u64::from_le_bytes(word))
}

impl Answer<'_> {
    /// The handle of the reply, for the request.
    pub(crate) fn handle(&self) -> Handle {
        Handle::ANSWER
    }

    /// The answer, if it has come.
    #[inline]
    pub(crate) fn get(&self) -> Option<[u8; ANSWER]> {
        let (answers, word) = self.way.answer_of(self.host);
        let account = self.network.accounts.with(self.host);
        let is_answered = account.requests().is_answered(answers);
        is_answered.then_some(word.to_le_bytes())
    }

    /// Waits for the answer, for as long as nobody else could use the processor.
    #[inline]
    pub(crate) fn wait(&self) -> Option<[u8; ANSWER]> {
        let answer = Cell::new(None);
        spin_while_idle(|| {
            answer.set(self.get());
            answer.get().is_some()
        });
        answer.get()
    }
}

impl Drop for Answer<'_> {
    #[inline]
    fn drop(&mut self) {
        let (answers, _) = self.way.answer_of(self.host);
        let account = self.network.accounts.with(self.host);
        account.requests().end_asking(answers);
    }
}
