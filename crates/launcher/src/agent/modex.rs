//! What the server of PMIx on this node has to do with those on others.
//!
//! The library asks on a thread of its own; the agent takes that up when it comes round, and passes it on to `mpiexec`,
//! which knows all nodes.

use super::link::Link;
use super::message::{Modex, Parcel, Up};
use super::parcel::{Parcels, parts};
use crate::pmix::PmixService;
use rustix::event::EventfdFlags;
use rustix::io::Errno;
use simurgh_pmix_sys::{Elsewhere, Reply};
use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// What the library's thread leaves for the agent to do.
enum Wish {
    Meet {
        ranks: Vec<u32>,
        shown: Vec<u8>,
        reply: Reply,
    },
    Fetch {
        rank: u32,
        reply: Reply,
    },
    /// What a rank of this node has shown, for another node.
    Answer {
        to: u32,
        rank: u32,
        shown: Option<Vec<u8>>,
    },
}

/// The library's end.
#[derive(Clone)]
pub(crate) struct Wishes {
    sender: Sender<Wish>,
    bell: Arc<OwnedFd>,
}

impl Wishes {
    fn leave(&self, wish: Wish) {
        // Without an agent the processes are about to be killed.
        let _ = self.sender.send(wish);
        while rustix::io::write(&*self.bell, &1u64.to_ne_bytes()) == Err(Errno::INTR) {}
    }
}

impl Elsewhere for Wishes {
    fn meet(&self, ranks: Vec<u32>, shown: Vec<u8>, reply: Reply) {
        self.leave(Wish::Meet { ranks, shown, reply });
    }

    fn fetch(&self, rank: u32, reply: Reply) {
        self.leave(Wish::Fetch { rank, reply });
    }
}

/// The agent's end.
pub(super) struct Exchange {
    /// The agent's node.
    node: u32,
    wishes: Wishes,
    left: Receiver<Wish>,
    coming: Parcels,
    /// Who waits for those of other nodes to come.
    meetings: BTreeMap<Vec<u32>, Reply>,
    /// Who waits for what a rank of another node has shown.
    fetches: Vec<(u32, Reply)>,
}

impl Exchange {
    pub(super) fn new(node: u32) -> rustix::io::Result<Self> {
        let bell = rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let (sender, left) = channel();
        let bell = Arc::new(bell);
        Ok(Self {
            node,
            wishes: Wishes { sender, bell },
            left,
            coming: Parcels::default(),
            meetings: BTreeMap::new(),
            fetches: Vec::new(),
        })
    }

    /// Where the library leaves what it wants.
    pub(super) fn wishes(&self) -> Wishes {
        self.wishes.clone()
    }

    /// Readable when it has left something.
    pub(super) fn bell(&self) -> BorrowedFd<'_> {
        self.wishes.bell.as_fd()
    }

    /// Passes on what it has left. `service` knows where ranks are.
    pub(super) fn pass_on(&mut self, service: Option<&PmixService>, link: &mut Link) {
        // What is left from now on rings again.
        let _ = rustix::io::read(&*self.wishes.bell, &mut [0; 8]);
        for wish in self.left.try_iter() {
            let (about, bytes) = match wish {
                Wish::Meet { ranks, shown, reply } => {
                    self.meetings.insert(ranks.clone(), reply);
                    (Modex::Shown { by: self.node, ranks }, shown)
                }
                Wish::Fetch { rank, reply } => {
                    let Some(to) = service.and_then(|service| service.node_of(rank)) else {
                        reply.give(None);
                        continue;
                    };
                    self.fetches.push((rank, reply));
                    (
                        Modex::Question {
                            by: self.node,
                            to,
                            rank,
                        },
                        Vec::new(),
                    )
                }
                Wish::Answer { to, rank, shown } => {
                    let known = shown.is_some();
                    (Modex::Answer { to, rank, known }, shown.unwrap_or_default())
                }
            };
            for (parcel, bytes) in parts(&about, &bytes) {
                link.send(&Up::Modex(parcel), bytes);
            }
        }
    }

    /// Hears what is for this node, or for all.
    pub(super) fn hear(&mut self, service: Option<&PmixService>, parcel: &Parcel, bytes: &[u8]) {
        let Some(bytes) = self.coming.take(parcel, bytes) else {
            return;
        };
        match &parcel.about {
            Modex::Met { ranks } => {
                // Nobody waits where none of them is.
                if let Some(reply) = self.meetings.remove(ranks) {
                    reply.give(Some(bytes));
                }
            }
            Modex::Question { by, rank, .. } => self.look_for(service, *by, *rank),
            Modex::Answer { rank, known, .. } => {
                for (_, reply) in self.fetches.extract_if(.., |(of, _)| of == rank) {
                    reply.give(known.then(|| bytes.clone()));
                }
            }
            // For `mpiexec` alone.
            Modex::Shown { .. } => {}
        }
    }

    /// Finds out for another node what a rank of this one has shown.
    fn look_for(&self, service: Option<&PmixService>, to: u32, rank: u32) {
        let wishes = self.wishes();
        let answer = move |shown| wishes.leave(Wish::Answer { to, rank, shown });
        let asked = service.is_some_and(|service| service.shown_by(rank, Box::new(answer.clone())));
        if !asked {
            answer(None);
        }
    }
}
