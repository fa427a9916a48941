//! Ports, at which ranks of separately started programs meet, and the names under which ports are published.
//!
//! Ranks that accept and ranks that connect at a port are paired in the order in which they come. From then on they
//! talk to each other and not to the launcher. A rank that connects may wait for a limited time. A port lasts until it
//! is closed, or until the host is released whose rank has opened it.

mod questions;

use serde::{Deserialize, Serialize};
use simurgh_net::HostId;
use simurgh_net::control::Refusal;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Longest name of a service.
const LONGEST: usize = 1024;

/// The ports of all that one launcher has started, or of all in a universe.
pub(crate) struct Ports {
    /// The owner, in words for the user.
    owners: Owners,
    /// The part of port names that tells them from those of other launchers.
    mark: String,
    opened: u64,
    meetings: u64,
    ports: BTreeMap<String, Port>,
    /// The port of each name, and the host that has published it.
    names: BTreeMap<String, (String, HostId)>,
}

/// A rank that has asked a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asker {
    /// Its host.
    pub(crate) host: HostId,
    /// The number of its question.
    pub(crate) number: u64,
}

/// The owner of ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owners {
    Job,
    Universe,
}

impl fmt::Display for Owners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Job => "job",
            Self::Universe => "universe",
        })
    }
}

/// A rank that waits at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Visitor {
    /// The question that is to be answered.
    pub(crate) asker: Asker,
    /// The process that its partner is told.
    pub(crate) process: u32,
    /// How long it waits; none if for ever.
    pub(crate) limit: Option<Limit>,
}

/// A limit on the time that a rank waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    patience: Duration,
    until: Instant,
}

impl Limit {
    /// A limit from now on; none if it is too far away to count.
    pub(crate) fn of(patience: Duration) -> Option<Self> {
        let until = Instant::now().checked_add(patience)?;
        Some(Self { patience, until })
    }
}

/// The purpose of a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Accept,
    Connect,
}

/// A port. Visitors of at most one purpose wait.
#[derive(Default)]
struct Port {
    /// The host that has opened it.
    owner: HostId,
    accepting: VecDeque<Visitor>,
    connecting: VecDeque<Visitor>,
}

/// The reason of a refusal, with its message.
pub(crate) type Refused = (Refusal, String);

impl Ports {
    /// The ports of one launcher.
    pub(crate) fn of_job() -> Self {
        Self::new(Owners::Job)
    }

    /// The ports of a universe.
    pub(crate) fn of_universe() -> Self {
        Self::new(Owners::Universe)
    }

    fn new(owners: Owners) -> Self {
        let mut random = [0; 4];
        // Without random numbers the process's number has to do.
        let _ = rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty());
        Self {
            owners,
            mark: format!("{}-{:08x}", std::process::id(), u32::from_le_bytes(random)),
            opened: 0,
            meetings: 0,
            ports: BTreeMap::new(),
            names: BTreeMap::new(),
        }
    }

    /// Opens a port for a host; returns its name.
    pub(crate) fn open(&mut self, owner: HostId) -> String {
        self.opened += 1;
        let name = format!("simurgh:{}:{}", self.mark, self.opened);
        let port = Port {
            owner,
            ..Port::default()
        };
        self.ports.insert(name.clone(), port);
        name
    }

    /// Closes a port; returns the visitors that have waited in vain.
    pub(crate) fn close(&mut self, name: &str) -> Result<Vec<Visitor>, Refused> {
        let port = self.ports.remove(name).ok_or_else(|| self.no_port(name))?;
        Ok(port.accepting.into_iter().chain(port.connecting).collect())
    }

    /// Has a visitor wait at a port. If another is waiting there already, it is returned instead: the two have met.
    pub(crate) fn visit(
        &mut self,
        name: &str,
        purpose: Purpose,
        visitor: Visitor,
    ) -> Result<Option<Visitor>, Refused> {
        let refused = self.no_port(name);
        let port = self.ports.get_mut(name).ok_or(refused)?;
        let (own, others) = match purpose {
            Purpose::Accept => (&mut port.accepting, &mut port.connecting),
            Purpose::Connect => (&mut port.connecting, &mut port.accepting),
        };
        let met = others.pop_front();
        if met.is_none() {
            own.push_back(visitor);
        }
        Ok(met)
    }

    /// When the next visitor gives up.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let waiting = self.ports.values().flat_map(|port| &port.connecting);
        waiting.filter_map(|visitor| Some(visitor.limit?.until)).min()
    }

    /// Removes the visitors whose time is over, and returns them with the reason.
    pub(crate) fn expire(&mut self, now: Instant) -> Vec<(Visitor, Refused)> {
        let mut refused = Vec::new();
        for (name, port) in &mut self.ports {
            port.connecting.retain(|visitor| {
                let over = visitor.limit.filter(|limit| limit.until <= now);
                refused.extend(over.map(|limit| (*visitor, nobody_accepts(name, limit.patience))));
                over.is_none()
            });
        }
        refused
    }

    /// A number for a meeting that no other has.
    pub(crate) fn meeting(&mut self) -> u64 {
        self.meetings += 1;
        self.meetings
    }

    /// Publishes a name for a port, on behalf of a host.
    pub(crate) fn publish(&mut self, service: &str, port: &str, owner: HostId) -> Result<(), Refused> {
        if service.is_empty() || service.len() > LONGEST {
            let reason = format!("a service's name has 1 to {LONGEST} bytes");
            return Err((Refusal::Service, reason));
        }
        if let Some((known, _)) = self.names.get(service) {
            let reason = format!("service {service:?} has been published already, for port {known:?}");
            return Err((Refusal::Service, reason));
        }
        self.names.insert(service.to_owned(), (port.to_owned(), owner));
        Ok(())
    }

    /// Unpublishes a name.
    pub(crate) fn unpublish(&mut self, service: &str, port: &str) -> Result<(), Refused> {
        match self.names.get(service) {
            Some((known, _)) if known == port => {
                self.names.remove(service);
                Ok(())
            }
            Some((known, _)) => Err((
                Refusal::Service,
                format!("service {service:?} has been published for port {known:?}, not for {port:?}"),
            )),
            None => Err((
                Refusal::Service,
                format!(
                    "service {service:?} has not been published in this {}",
                    self.owners
                ),
            )),
        }
    }

    /// The port of a name.
    pub(crate) fn look_up(&self, service: &str) -> Result<&str, Refused> {
        let found = self.names.get(service);
        found.map(|(port, _)| port.as_str()).ok_or_else(|| {
            (
                Refusal::Name,
                format!(
                    "service {service:?} has not been published in this {}, by MPI_Publish_name",
                    self.owners
                ),
            )
        })
    }

    /// Forgets all that belongs to hosts that are released.
    pub(crate) fn forget(&mut self, hosts: &Range<HostId>) {
        self.ports.retain(|_, port| !hosts.contains(&port.owner));
        self.names.retain(|_, (_, owner)| !hosts.contains(owner));
        for port in self.ports.values_mut() {
            port.accepting
                .retain(|visitor| !hosts.contains(&visitor.asker.host));
            port.connecting
                .retain(|visitor| !hosts.contains(&visitor.asker.host));
        }
    }

    fn no_port(&self, name: &str) -> Refused {
        let why = match name
            .strip_prefix("simurgh:")
            .and_then(|rest| rest.split(':').next())
        {
            Some(mark) if mark == self.mark => "it has been closed",
            Some(_) if self.owners == Owners::Job => {
                "it is another mpiexec's: jobs can meet whose mpiexecs have the same option --universe FILE"
            }
            Some(_) => "it does not belong to this universe",
            None => "MPI_Open_port gives the names of ports",
        };
        (Refusal::Port, format!("{name:?} is no open port: {why}"))
    }
}

fn nobody_accepts(port: &str, patience: Duration) -> Refused {
    let seconds = patience.as_secs_f64();
    let reason = format!(
        "nobody has accepted at port {port:?} within {seconds} s; the info key \"timeout\" or --connect-timeout gives \
         it more time"
    );
    (Refusal::Port, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visitor(host: HostId, number: u64) -> Visitor {
        Visitor {
            asker: Asker { host, number },
            process: host,
            limit: None,
        }
    }

    #[test]
    fn a_rank_that_connects_waits_as_long_as_it_wants() {
        let mut ports = Ports::of_job();
        let port = ports.open(0);
        let limited = |number, seconds| Visitor {
            limit: Limit::of(Duration::from_secs(seconds)),
            ..visitor(1, number)
        };
        let (long, short) = (limited(1, 50), limited(2, 20));
        for visitor in [long, visitor(1, 3), short] {
            ports.visit(&port, Purpose::Connect, visitor).unwrap();
        }
        let until = ports.next_deadline().unwrap();
        assert_eq!(Some(until), short.limit.map(|limit| limit.until));
        assert!(ports.expire(until - Duration::from_millis(1)).is_empty());
        let [(who, (refusal, reason))] = &ports.expire(until)[..] else {
            panic!("one gives up");
        };
        assert_eq!((*who, *refusal), (short, Refusal::Port));
        assert!(reason.contains("within 20 s"), "{reason}");
        let met = ports.visit(&port, Purpose::Accept, visitor(0, 4)).unwrap();
        assert_eq!((met, ports.next_deadline()), (Some(long), None));
        assert_eq!(Limit::of(Duration::MAX), None);
    }

    #[test]
    fn visitors_are_paired_in_their_order() {
        let mut ports = Ports::of_job();
        let (one, other) = (ports.open(0), ports.open(0));
        assert_ne!(one, other);
        let mut visit = |port: &str, purpose, host| ports.visit(port, purpose, visitor(host, 7)).unwrap();
        assert_eq!(visit(&one, Purpose::Accept, 0), None);
        assert_eq!(visit(&one, Purpose::Accept, 1), None);
        assert_eq!(visit(&other, Purpose::Connect, 2), None);
        assert_eq!(visit(&one, Purpose::Connect, 3), Some(visitor(0, 7)));
        assert_eq!(visit(&other, Purpose::Accept, 4), Some(visitor(2, 7)));
        assert_eq!(visit(&one, Purpose::Connect, 5), Some(visitor(1, 7)));
        assert_eq!(visit(&one, Purpose::Connect, 6), None);
        assert_eq!(ports.close(&one).unwrap(), [visitor(6, 7)]);
    }

    #[test]
    fn ports_that_are_not_there_are_refused_with_a_reason() {
        let mut ports = Ports::of_job();
        let port = ports.open(0);
        ports.close(&port).unwrap();
        let mut refused = |name: &str| {
            let refused = ports.visit(name, Purpose::Connect, visitor(0, 0)).unwrap_err();
            assert_eq!(refused.0, Refusal::Port);
            refused.1
        };
        assert!(refused(&port).contains("has been closed"));
        assert!(refused("simurgh:1-2:3").contains("another mpiexec"));
        assert!(refused("somewhere").contains("MPI_Open_port"));
        assert!(ports.close(&port).is_err());
        let refused = Ports::of_universe()
            .visit(&port, Purpose::Accept, visitor(0, 0))
            .unwrap_err();
        assert!(refused.1.contains("belong to this universe"));
    }

    #[test]
    fn names_are_published_once_and_unpublished_with_their_port() {
        let mut ports = Ports::of_job();
        ports.publish("s", "p", 1).unwrap();
        assert_eq!(ports.publish("s", "q", 1).unwrap_err().0, Refusal::Service);
        assert_eq!(ports.look_up("s").unwrap(), "p");
        assert_eq!(ports.unpublish("s", "q").unwrap_err().0, Refusal::Service);
        assert_eq!(ports.unpublish("t", "q").unwrap_err().0, Refusal::Service);
        ports.unpublish("s", "p").unwrap();
        assert_eq!(ports.look_up("s").unwrap_err().0, Refusal::Name);
        assert_eq!(ports.publish("", "p", 1).unwrap_err().0, Refusal::Service);
    }

    #[test]
    fn nothing_is_left_of_a_released_host() {
        let mut ports = Ports::of_job();
        let (own, others) = (ports.open(1), ports.open(2));
        ports.publish("s", &own, 1).unwrap();
        ports.visit(&others, Purpose::Accept, visitor(1, 0)).unwrap();
        ports.forget(&(1..2));
        assert!(ports.close(&own).is_err() && ports.look_up("s").is_err());
        assert!(ports.close(&others).unwrap().is_empty());
    }
}
