//! Exchanges among ranks, by which they make communicators and agree on other things.
//!
//! In an exchange every rank gives a value, and all ranks get the same function of all values. The ranks of a host
//! meet. If there are other hosts, the last rank to arrive exchanges the values with them ([`allgather_among_hosts`]),
//! and each host computes the same. So that they can make communicators, hosts bring context ids along
//! ([`CommBuilder`]).
//!
//! Costs: a meeting; with H hosts, log2 H packets sent and received one after the other by each host, which carry about
//! H times the values of one host.

use super::builder::{CommBuilder, IdDemand};
use super::{Comm, CommShared};
use crate::collective::{Call, IntraHost, Round, allgather_among_hosts};
use crate::error::{Error, ErrorClass, Result};
use crate::job::Job;
use crate::members::HostMap;
use crate::network::{HostChannel, Rounds};
use crate::portable::{self, Portable};
use simurgh_core::sync::Arc;
use std::any::type_name;

/// The ranks that take part in an exchange, as one of them sees them.
pub(crate) struct Participants<'a> {
    pub(super) job: &'a Job,
    pub(super) intra_host: &'a IntraHost,
    /// The rank's local index.
    pub(super) local_index: usize,
    /// The hosts, if there are several.
    pub(super) hosts: Option<Hosts<'a>>,
}

/// The hosts of the ranks that take part in an exchange.
pub(super) struct Hosts<'a> {
    pub(super) host_map: &'a HostMap,
    pub(super) label: Label<'a>,
}

/// The label of the messages between the hosts.
pub(super) enum Label<'a> {
    /// The communicator to which all ranks belong.
    Communicator(&'a CommShared),
    /// The purpose for which they have come together.
    Purpose { context: u32, round: i32 },
}

/// The contribution of a host to an exchange.
struct HostValues<V> {
    /// Context ids for communicators that its ranks found.
    ids: Result<Vec<u32>>,
    /// The values of its ranks, by local index.
    values: Vec<V>,
}

impl Comm {
    /// The ranks of the communicator, of both groups, as participants of an exchange.
    pub(crate) fn participants(&self) -> Participants<'_> {
        let hosts = self.host_map().map(|host_map| Hosts {
            host_map,
            label: Label::Communicator(&self.shared),
        });
        Participants {
            job: self.process.job(),
            intra_host: self.intra_host(),
            local_index: self.local_index(),
            hosts,
        }
    }

    /// Every rank gives a value, and every rank gets what `combine` makes of all values in the order of seats.
    /// `combine` is called once on each host and has to make the same on all hosts.
    ///
    /// # Errors
    ///
    /// When ranks are in different calls.
    pub(crate) fn exchange<V, T>(
        &self,
        value: V,
        demand: IdDemand,
        combine: impl FnOnce(Vec<V>, &mut CommBuilder<'_>) -> T,
    ) -> Result<Arc<T>>
    where
        V: Portable + Send + 'static,
        T: Send + Sync + 'static,
    {
        self.participants().exchange(value, demand, combine)
    }

    /// [`Comm::exchange`] in a call of the program, which errors name. All ranks in it give values of one type.
    ///
    /// # Errors
    ///
    /// When ranks are in different calls.
    pub(crate) fn exchange_in<V, T>(
        &self,
        call: Call,
        value: V,
        demand: IdDemand,
        combine: impl FnOnce(Vec<V>, &mut CommBuilder<'_>) -> T,
    ) -> Result<Arc<T>>
    where
        V: Portable + Send + 'static,
        T: Send + Sync + 'static,
    {
        self.participants().exchange_in(call, value, demand, combine)
    }
}

impl Participants<'_> {
    /// [`Comm::exchange`].
    pub(crate) fn exchange<V, T>(
        &self,
        value: V,
        demand: IdDemand,
        combine: impl FnOnce(Vec<V>, &mut CommBuilder<'_>) -> T,
    ) -> Result<Arc<T>>
    where
        V: Portable + Send + 'static,
        T: Send + Sync + 'static,
    {
        self.exchange_in(Call::new(type_name::<V>()), value, demand, combine)
    }

    fn exchange_in<V, T>(
        &self,
        call: Call,
        value: V,
        demand: IdDemand,
        combine: impl FnOnce(Vec<V>, &mut CommBuilder<'_>) -> T,
    ) -> Result<Arc<T>>
    where
        V: Portable + Send + 'static,
        T: Send + Sync + 'static,
    {
        self.intra_host
            .try_exchange(self.local_index, (call, value), |values| match &self.hosts {
                None => Ok(combine(values?, &mut CommBuilder::alone(self.job))),
                Some(hosts) => {
                    let (values, mut builder) = hosts.gather(self.job, (call, values), demand)?;
                    Ok(combine(values, &mut builder))
                }
            })
    }
}

impl<'a> Hosts<'a> {
    /// Exchanges the values of this host's ranks, or the error if they are in different calls, with the other hosts.
    /// Returns the values of all seats, and the builder with the hosts' ids.
    fn gather<V: Portable>(
        &self,
        job: &'a Job,
        (call, values): (Call, Result<Vec<V>>),
        demand: IdDemand,
    ) -> Result<(Vec<V>, CommBuilder<'a>)> {
        let here = self.host_map.local_seats().len();
        let mut builder = CommBuilder::among(job, self.host_map, demand.most(here));
        let block = values.map(|values| {
            portable::pack(&HostValues {
                ids: builder.own_ids(),
                values,
            })
        });
        let packed = allgather_among_hosts(self.host_channel(job), self.host_map, call.name(), block)?;
        let mut values = Vec::with_capacity(packed.len());
        for (position, bytes) in packed.iter().enumerate() {
            let block = HostValues::<V>::open(bytes, self.host_map, position)?;
            builder.propose(position, block.ids);
            values.push(block.values.into_iter());
        }
        let seats: usize = values.iter().map(ExactSizeIterator::len).sum();
        let by_seat = (0..seats).filter_map(|seat| values[self.host_map.position_of(seat)].next());
        Ok((by_seat.collect(), builder))
    }

    fn host_channel<'j>(&self, job: &'j Job) -> HostChannel<'j> {
        match self.label {
            Label::Communicator(shared) => {
                let round = Round::Blocking(shared.next_round());
                job.host_channel(round.of(shared.context()))
            }
            Label::Purpose { context, round } => job.host_channel(Rounds {
                context,
                first: round,
                count: 1,
                turn: 0,
            }),
        }
    }
}

impl<V: Portable> HostValues<V> {
    /// Reads what the host at a position has sent.
    fn open(bytes: &[u8], host_map: &HostMap, position: usize) -> Result<Self> {
        let host = host_map.host(position);
        let block: Option<Self> = portable::unpack(bytes);
        block
            .filter(|block| block.values.len() == host_map.seats(position).len())
            .ok_or_else(|| malformed(host))
    }
}

impl<V: Portable> Portable for HostValues<V> {
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
fn malformed(host: u32) -> Error {
    Error::new(
        ErrorClass::Intern,
        format!(
            "what host {host} says about its ranks makes no sense; all hosts have to run the same version"
        ),
    )
}
