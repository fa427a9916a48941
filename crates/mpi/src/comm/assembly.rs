//! Ranks that agree on something.
//!
//! In an exchange every rank gives a value and all get what is made of the values of all. The ranks of a host meet on a
//! board; if there are other hosts, the last rank to arrive tells them its host's values and learns theirs
//! ([`allgather_among_hosts`]), and each host makes the same of them. So that they can make communicators, hosts bring ids along as
//! well ([`Maker`]).
//!
//! Costs: a meeting; with H hosts, log2 H packets sent and received one after the other by each host, which carry
//! about H times what one host has to say.

use super::maker::{Founding, Maker};
use super::{Comm, CommShared};
use crate::collective::{IntraHost, Round, allgather_among_hosts};
use crate::error::{Error, ErrorClass, Result};
use crate::job::Job;
use crate::members::Span;
use crate::network::{Line, Rounds};
use crate::portable::{self, Portable};
use simurgh_core::sync::Arc;
use std::any::type_name;

/// Ranks that agree on something, as one of them sees them.
pub(crate) struct Assembly<'a> {
    pub(super) job: &'a Job,
    pub(super) intra_host: &'a IntraHost,
    /// Where the rank sits at the board.
    pub(super) place: usize,
    /// The hosts, if there are several.
    pub(super) hosts: Option<Hosts<'a>>,
}

/// The hosts of ranks that agree on something.
pub(super) struct Hosts<'a> {
    pub(super) span: &'a Span,
    pub(super) way: Way<'a>,
}

/// How hosts that agree on something reach each other.
pub(super) enum Way<'a> {
    /// Through the communicator that all are in.
    Communicator(&'a CommShared),
    /// By what they have come together for.
    Purpose { context: u32, round: i32 },
}

/// What a host tells the others.
struct Block<V> {
    /// Ids for communicators that begin on this host.
    ids: Result<Vec<u32>>,
    /// What its ranks give, by place.
    values: Vec<V>,
}

impl Comm {
    /// The ranks of the communicator, of both groups.
    pub(crate) fn assembly(&self) -> Assembly<'_> {
        let hosts = self.span().map(|span| Hosts {
            span,
            way: Way::Communicator(&self.shared),
        });
        Assembly {
            job: self.process.job(),
            intra_host: self.intra_host(),
            place: self.place(),
            hosts,
        }
    }

    /// Every rank gives a value; everyone gets what `combine` makes of all of them, in the order of their seats, for
    /// its host. It makes the same on all hosts.
    ///
    /// # Errors
    ///
    /// When ranks are in different calls.
    pub(crate) fn exchange<V, T>(
        &self,
        value: V,
        founding: Founding,
        combine: impl FnOnce(Vec<V>, &mut Maker<'_>) -> T,
    ) -> Result<Arc<T>>
    where
        V: Portable + Send + 'static,
        T: Send + Sync + 'static,
    {
        self.assembly().exchange(value, founding, combine)
    }
}

impl Assembly<'_> {
    /// [`Comm::exchange`].
    pub(crate) fn exchange<V, T>(
        &self,
        value: V,
        founding: Founding,
        combine: impl FnOnce(Vec<V>, &mut Maker<'_>) -> T,
    ) -> Result<Arc<T>>
    where
        V: Portable + Send + 'static,
        T: Send + Sync + 'static,
    {
        self.intra_host
            .try_exchange(self.place, value, |values| match &self.hosts {
                None => Ok(combine(values?, &mut Maker::alone(self.job))),
                Some(hosts) => {
                    let (values, mut maker) = hosts.gather(self.job, values, founding)?;
                    Ok(combine(values, &mut maker))
                }
            })
    }
}

impl<'a> Hosts<'a> {
    /// The values of all seats, and what makes communicators, for this host's values if its ranks are in one call.
    fn gather<V: Portable>(
        &self,
        job: &'a Job,
        values: Result<Vec<V>>,
        founding: Founding,
    ) -> Result<(Vec<V>, Maker<'a>)> {
        let here = self.span.local().len();
        let mut maker = Maker::among(job, self.span, founding.most(here));
        let block = values.map(|values| {
            portable::pack(&Block {
                ids: maker.own_ids(),
                values,
            })
        });
        let packed = allgather_among_hosts(self.line(job), self.span, type_name::<V>(), block)?;
        let mut values = Vec::with_capacity(packed.len());
        for (position, bytes) in packed.iter().enumerate() {
            let block = Block::<V>::open(bytes, self.span, position)?;
            maker.propose(position, block.ids);
            values.push(block.values.into_iter());
        }
        let seats: usize = values.iter().map(ExactSizeIterator::len).sum();
        let by_seat = (0..seats).filter_map(|seat| values[self.span.position_of(seat)].next());
        Ok((by_seat.collect(), maker))
    }

    fn line<'j>(&self, job: &'j Job) -> Line<'j> {
        match self.way {
            Way::Communicator(shared) => {
                let round = Round::Blocking(shared.next_round());
                job.line(round.of(shared.context()))
            }
            Way::Purpose { context, round } => job.line(Rounds {
                context,
                first: round,
                count: 1,
                turn: 0,
            }),
        }
    }
}

impl<V: Portable> Block<V> {
    /// What the host at a position has told.
    fn open(bytes: &[u8], span: &Span, position: usize) -> Result<Self> {
        let host = span.host(position);
        let block: Option<Self> = portable::unpack(bytes);
        block
            .filter(|block| block.values.len() == span.seats(position).len())
            .ok_or_else(|| garbled(host))
    }
}

impl<V: Portable> Portable for Block<V> {
    fn write(&self, out: &mut Vec<u8>) {
        self.ids.write(out);
        self.values.write(out);
    }

    fn read(input: &mut &[u8]) -> Option<Self> {
        Some(Self {
            ids: Portable::read(input)?,
            values: Portable::read(input)?,
        })
    }
}

#[cold]
fn garbled(host: u32) -> Error {
    Error::new(
        ErrorClass::Intern,
        format!(
            "what host {host} says about its ranks makes no sense; all hosts have to run the same version"
        ),
    )
}
