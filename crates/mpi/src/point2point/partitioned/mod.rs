//! Messages sent in parts: the calls of partitioned communication.
//!
//! Two sides on one host share a [`Channel`]. Sides on different hosts have none: there a round is one message
//! (`inter_host.rs`).

mod inter_host;

use crate::comm::Comm;
use crate::comm::check;
use crate::constants::{ANY_SOURCE, ANY_TAG, PROC_NULL};
use crate::error::Status;
use crate::error::{Error, ErrorClass, Result};
use crate::instrument::{self, Way};
use crate::matching::Envelope;
use crate::memory::{Source, Target};
use crate::partitioned::{Channel, Receiver, RemotePartitionedSend, Sender, Side};
use crate::process::Process;
use crate::request::{Operation, Request};
use inter_host::{RemoteReceiver, RemoteSender};
use simurgh_core::sync::Arc;
use simurgh_core::yield_now;
use std::any::Any;
use std::ops::Range;

/// One rank's side of a partitioned operation.
#[derive(Debug)]
pub(crate) struct Partitioned {
    link: Link,
    role: Role,
    partitions: usize,
    /// Who gets what a sender on the same host sends.
    receiver: Option<Receiving>,
}

/// The receiver of partitions, for profiles of communication.
#[derive(Debug)]
struct Receiving {
    sender: Arc<Process>,
    process: u32,
    /// Bytes of a partition.
    bytes: usize,
}

/// The link of a side to the other one.
#[derive(Debug)]
enum Link {
    /// None: the other side is the null process.
    Null,
    /// The channel that both share.
    Channel(Arc<Channel>),
    /// Messages to another host.
    RemoteSender(Arc<RemoteSender>),
    /// Messages from another host.
    RemoteReceiver(Box<RemoteReceiver>),
}

/// The role of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Sends,
    Receives,
}

impl Operation for Partitioned {
    fn start(&self, request: &Arc<Request>) -> Result<()> {
        match (&self.link, self.role) {
            (Link::Null, Role::Sends) => request.finish(&Status::EMPTY),
            (Link::Null, Role::Receives) => request.finish(&Status::PROC_NULL),
            (Link::Channel(channel), Role::Sends) => channel.start_sender(request),
            (Link::Channel(channel), Role::Receives) => channel.start_receiver(request),
            (Link::RemoteSender(side), _) => side.start(request),
            (Link::RemoteReceiver(side), _) => side.start(request),
        }
        Ok(())
    }
}

impl Partitioned {
    fn check_range(&self, range: &Range<usize>) -> Result<()> {
        if range.end <= self.partitions {
            return Ok(());
        }
        let (wrong, partitions) = (range.end - 1, self.partitions);
        Err(Error::new(
            ErrorClass::Arg,
            format!("partition {wrong} is not one of the request's {partitions}, which are counted from 0"),
        ))
    }
}

impl Comm {
    /// Sets up a send in `partitions` equal parts, which together are `source` (`MPI_Psend_init`).
    ///
    /// # Errors
    ///
    /// As [`Comm::send`].
    pub fn psend_init(
        self: &Arc<Self>,
        source: &Source,
        partitions: usize,
        dest: i32,
        tag: i32,
    ) -> Result<Arc<Request>> {
        check::to(dest, tag, self)?;
        let mut receiver = None;
        let link = if dest == PROC_NULL {
            Link::Null
        } else if self.is_here(dest) {
            receiver = Some(Receiving {
                sender: Arc::clone(self.process()),
                process: self.process_of(dest),
                bytes: source.bytes() / partitions.max(1),
            });
            let sender = Side::Sends(Sender::new(source.clone(), partitions));
            let endpoint = self.process().job().endpoint(self.process_of(dest));
            Link::Channel(endpoint.pairing().add(self.outgoing(tag), || self.held(), sender))
        } else {
            let side = Arc::new(RemoteSender::new(self, source, partitions, dest, tag)?);
            let noted: Arc<dyn RemotePartitionedSend> = Arc::clone(&side) as Arc<dyn RemotePartitionedSend>;
            self.process().endpoint().pairing().note_remote(&noted);
            Link::RemoteSender(side)
        };
        Ok(set_up(link, Role::Sends, partitions, receiver))
    }

    /// Sets up a receive in `partitions` equal parts, which together are `target` (`MPI_Precv_init`).
    ///
    /// # Errors
    ///
    /// As [`Comm::recv`]; wildcards are wrong.
    pub fn precv_init(
        self: &Arc<Self>,
        target: &Target,
        partitions: usize,
        source: i32,
        tag: i32,
    ) -> Result<Arc<Request>> {
        if source == ANY_SOURCE || tag == ANY_TAG {
            let class = if source == ANY_SOURCE {
                ErrorClass::Rank
            } else {
                ErrorClass::Tag
            };
            let reason = "a partitioned receive takes no wildcard: name the sender and the tag";
            return Err(Error::new(class, reason));
        }
        check::from(source, tag, self)?;
        let link = if source == PROC_NULL {
            Link::Null
        } else if self.is_here(source) {
            let envelope = Envelope {
                context: self.context(),
                source,
                tag,
            };
            let receiver = Side::Receives(Receiver::new(target.clone(), partitions, envelope));
            Link::Channel(
                self.process()
                    .endpoint()
                    .pairing()
                    .add(envelope, || self.held(), receiver),
            )
        } else {
            Link::RemoteReceiver(Box::new(RemoteReceiver::new(self, target, source, tag)?))
        };
        Ok(set_up(link, Role::Receives, partitions, None))
    }

    /// A guard that keeps the label of the communicator from being used by another one.
    fn held(&self) -> Arc<dyn Any + Send + Sync> {
        Arc::clone(self.shared()) as Arc<dyn Any + Send + Sync>
    }

    /// Whether the process with a rank that has been checked lives on this host.
    fn is_here(&self, rank: i32) -> bool {
        let process = self.process_of(rank);
        self.process().job().layout().is_here(process)
    }
}

fn set_up(link: Link, role: Role, partitions: usize, receiver: Option<Receiving>) -> Arc<Request> {
    Request::set_up(Partitioned {
        link,
        role,
        partitions,
        receiver,
    })
}

impl Request {
    fn side(&self, role: Role, call: &str) -> Result<&Partitioned> {
        self.operation::<Partitioned>()
            .filter(|side| side.role == role)
            .ok_or_else(|| {
                let kind = if role == Role::Sends { "send" } else { "receive" };
                Error::new(
                    ErrorClass::Request,
                    format!("{call} needs the request of a partitioned {kind}; this is another"),
                )
            })
    }

    /// Says that partitions of a send have been filled (`MPI_Pready`, `MPI_Pready_range`): they go to the receiver.
    /// Several threads may call this at a time.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Request`] if this is no partitioned send or has not been started; [`ErrorClass::Arg`] if a
    /// partition does not exist or was ready before.
    pub fn ready(&self, partitions: Range<usize>) -> Result<()> {
        let side = self.side(Role::Sends, "MPI_Pready")?;
        side.check_range(&partitions)?;
        if !self.is_active() {
            return Err(Error::new(
                ErrorClass::Request,
                "the partitioned send has not been started; start it before its partitions are ready",
            ));
        }
        if let Some(receiver) = side.receiver.as_ref().filter(|_| instrument::on()) {
            let bytes = receiver.bytes * partitions.len();
            instrument::exchanged(&receiver.sender, Way::To, receiver.process, bytes);
        }
        let mut partitions = partitions.into_iter();
        match &side.link {
            Link::Channel(channel) => partitions.try_for_each(|partition| channel.ready(partition)),
            Link::RemoteSender(remote) => partitions.try_for_each(|partition| remote.ready(partition)),
            Link::Null | Link::RemoteReceiver(_) => Ok(()),
        }
    }

    /// Whether a partition of a receive has arrived (`MPI_Parrived`); true if the request is at rest. Yields if not.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Request`] if this is no partitioned receive, [`ErrorClass::Arg`] if the partition does not exist.
    pub fn has_arrived(&self, partition: usize) -> Result<bool> {
        let side = self.side(Role::Receives, "MPI_Parrived")?;
        side.check_range(&(partition..partition + 1))?;
        let channel = match &side.link {
            Link::Channel(channel) if self.is_active() => channel,
            Link::RemoteReceiver(_) if self.is_active() => return Ok(self.peek().is_some()),
            _ => return Ok(true),
        };
        if !channel.has_arrived(partition) {
            yield_now();
            if !channel.has_arrived(partition) {
                return Ok(false);
            }
        }
        // A program that has seen all partitions arrive will find the request complete.
        while channel.is_ending() && !self.is_done() {
            yield_now();
        }
        Ok(true)
    }
}
