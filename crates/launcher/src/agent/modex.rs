//! The exchange of data between the PMIx server of this node and those of other nodes.
//!
//! The PMIx library makes requests on a thread of its own. The agent takes them from a queue in its event loop, and
//! passes them up to `mpiexec`, which knows all nodes.

use crate::oob::Link;
use crate::pmi::PmixService;
use crate::tree::message::{Fragment, Modex, Up};
use crate::tree::{Reassembly, fragments};
use rustix::event::EventfdFlags;
use rustix::io::Errno;
use simurgh_pmix_sys::{RemoteNodes, Reply};
use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// A request of the library's thread.
enum PmixRequest {
    Meet {
        ranks: Vec<u32>,
        shown: Vec<u8>,
        reply: Reply,
    },
    Fetch {
        rank: u32,
        reply: Reply,
    },
    /// The data of a rank of this node, for another node.
    Answer {
        to: u32,
        rank: u32,
        shown: Option<Vec<u8>>,
    },
}

/// The library's end of the queue.
#[derive(Clone)]
pub(crate) struct PmixRequests {
    sender: Sender<PmixRequest>,
    wake_up: Arc<OwnedFd>,
}

impl PmixRequests {
    fn leave(&self, request: PmixRequest) {
        // If the agent is gone, the processes are about to be killed.
        let _ = self.sender.send(request);
        while rustix::io::write(&*self.wake_up, &1u64.to_ne_bytes()) == Err(Errno::INTR) {}
    }
}

impl RemoteNodes for PmixRequests {
    fn fence(&self, ranks: Vec<u32>, shown: Vec<u8>, reply: Reply) {
        self.leave(PmixRequest::Meet { ranks, shown, reply });
    }

    fn fetch(&self, rank: u32, reply: Reply) {
        self.leave(PmixRequest::Fetch { rank, reply });
    }
}

/// The agent's end of the queue.
pub(super) struct ModexRelay {
    /// The agent's node.
    node: u32,
    requests: PmixRequests,
    left: Receiver<PmixRequest>,
    coming: Reassembly,
    /// The fences that wait for other nodes, by their ranks.
    fences: BTreeMap<Vec<u32>, Reply>,
    /// The requests for data of a rank of another node.
    fetches: Vec<(u32, Reply)>,
}

impl ModexRelay {
    pub(super) fn new(node: u32) -> rustix::io::Result<Self> {
        let wake_up = rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let (sender, left) = channel();
        let wake_up = Arc::new(wake_up);
        Ok(Self {
            node,
            requests: PmixRequests { sender, wake_up },
            left,
            coming: Reassembly::default(),
            fences: BTreeMap::new(),
            fetches: Vec::new(),
        })
    }

    /// The library's end of the queue.
    pub(super) fn requests(&self) -> PmixRequests {
        self.requests.clone()
    }

    /// Readable when there are requests.
    pub(super) fn wake_up(&self) -> BorrowedFd<'_> {
        self.requests.wake_up.as_fd()
    }

    /// Passes up the requests. `service` knows the nodes of ranks.
    pub(super) fn forward(&mut self, service: Option<&PmixService>, link: &mut Link) {
        // A request that comes from now on makes it readable again.
        let _ = rustix::io::read(&*self.requests.wake_up, &mut [0; 8]);
        for request in self.left.try_iter() {
            let (about, bytes) = match request {
                PmixRequest::Meet { ranks, shown, reply } => {
                    self.fences.insert(ranks.clone(), reply);
                    (Modex::Shown { by: self.node, ranks }, shown)
                }
                PmixRequest::Fetch { rank, reply } => {
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
                PmixRequest::Answer { to, rank, shown } => {
                    let known = shown.is_some();
                    (Modex::Answer { to, rank, known }, shown.unwrap_or_default())
                }
            };
            for (fragment, bytes) in fragments(&about, &bytes) {
                link.send(&Up::Modex(fragment), bytes);
            }
        }
    }

    /// Handles a fragment that is for this node, or for all.
    pub(super) fn handle(&mut self, service: Option<&PmixService>, fragment: &Fragment, bytes: &[u8]) {
        let Some(bytes) = self.coming.take(fragment, bytes) else {
            return;
        };
        match &fragment.about {
            Modex::Met { ranks } => {
                // On a node without any of these ranks nobody waits.
                if let Some(reply) = self.fences.remove(ranks) {
                    reply.give(Some(bytes));
                }
            }
            Modex::Question { by, rank, .. } => self.look_up(service, *by, *rank),
            Modex::Answer { rank, known, .. } => {
                for (_, reply) in self.fetches.extract_if(.., |(of, _)| of == rank) {
                    reply.give(known.then(|| bytes.clone()));
                }
            }
            // Only `mpiexec` receives it.
            Modex::Shown { .. } => {}
        }
    }

    /// Looks up the data of a rank of this node, for another node.
    fn look_up(&self, service: Option<&PmixService>, to: u32, rank: u32) {
        let requests = self.requests();
        let answer = move |shown| requests.leave(PmixRequest::Answer { to, rank, shown });
        let asked = service.is_some_and(|service| service.published_by(rank, Box::new(answer.clone())));
        if !asked {
            answer(None);
        }
    }
}
