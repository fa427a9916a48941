//! Wire-up with the hosts of other launchers, as worlds come and go.

use super::{Task, Turn};
use crate::supervise::Supervisor;
use crate::universe::ToServer;
use simurgh_net::HostId;
use simurgh_net::control::Peer;
use simurgh_settings::Id;

impl Supervisor<'_> {
    /// Takes a request of the universe. The hosts handle it as soon as no wire-up is under way.
    pub(super) fn add_task(&mut self, task: Task) {
        if let Some(other_jobs) = &mut self.other_jobs {
            other_jobs.tasks.push_back(task);
        }
        self.continue_wire_up();
    }

    /// Handles the next request of the universe; false if there is none. It may come in the midst of a wire-up that has
    /// gathered hosts for it.
    pub(in crate::supervise) fn next_task(&mut self) -> bool {
        let task = self
            .other_jobs
            .as_mut()
            .and_then(|other_jobs| other_jobs.tasks.pop_front());
        match task {
            None => return false,
            Some(Task::Gather) => match self.reason_to_decline() {
                None => self.collect_for_others(),
                Some(reason) => self.decline(reason),
            },
            Some(Task::Connect(peers)) => {
                if let Some(other_jobs) = &mut self.other_jobs {
                    other_jobs
                        .peers
                        .extend(peers.iter().map(|peer| (peer.host, peer.clone())));
                }
                self.connect_to_others(peers);
            }
        }
        true
    }

    /// Why hosts of other launchers cannot reach those here, if they cannot.
    fn reason_to_decline(&self) -> Option<String> {
        let only_near = self.starter.spec().settings.show(Id::Transport) == "shm";
        only_near.then(|| {
            "the hosts of one of the jobs talk by shared memory alone (--transport shm), those of another mpiexec can \
             be reached over libfabric only"
                .to_owned()
        })
    }

    /// Hosts of other launchers that all hosts here know.
    pub(in crate::supervise) fn hosts_of_others(&self) -> impl Iterator<Item = Peer> + use<> {
        let other_jobs = self.other_jobs.as_ref();
        let peers: Vec<Peer> = other_jobs.map_or_else(Vec::new, |other_jobs| {
            other_jobs.peers.values().cloned().collect()
        });
        peers.into_iter()
    }

    /// Whether a world of another launcher is known.
    pub(in crate::supervise) fn knows_world(&self, world: u32) -> bool {
        let peers = self
            .other_jobs
            .iter()
            .flat_map(|other_jobs| other_jobs.peers.values());
        let mut places = peers.filter_map(|peer| peer.place);
        places.any(|place| place.world == world)
    }

    /// Whether hosts of a new world may be wired up. Where other jobs belong to the group, the turn is asked for.
    pub(in crate::supervise) fn is_its_turn(&mut self) -> bool {
        let Some(other_jobs) = &mut self.other_jobs else {
            return true;
        };
        if other_jobs.turn == Turn::Nobody && !other_jobs.peers.is_empty() && other_jobs.lost.is_none() {
            other_jobs.turn = Turn::Wanted;
            other_jobs.universe.send(&ToServer::Turn);
        }
        other_jobs.turn != Turn::Wanted
    }

    /// The turn has come.
    pub(super) fn has_its_turn(&mut self) {
        if let Some(other_jobs) = &mut self.other_jobs {
            other_jobs.turn = Turn::Ours;
        }
        self.continue_wire_up();
    }

    /// Gives up the turn, if it has come: there is no new world any more.
    pub(in crate::supervise) fn pass_turn(&mut self) {
        if self.takes_its_turn() {
            self.send_to_universe(&ToServer::New { peers: Vec::new() });
        }
    }

    /// Whether it is the turn of this launcher; the turn is used up by this.
    pub(in crate::supervise) fn takes_its_turn(&mut self) -> bool {
        let Some(other_jobs) = &mut self.other_jobs else {
            return false;
        };
        let is_ours = other_jobs.turn == Turn::Ours;
        if is_ours {
            other_jobs.turn = Turn::Nobody;
        }
        is_ours
    }

    /// Forgets hosts of other launchers that are gone.
    pub(super) fn forget_hosts_of_others(&mut self, first: HostId, hosts: u32) {
        let Some(other_jobs) = &mut self.other_jobs else {
            return;
        };
        let gone = first..first.saturating_add(hosts);
        let known: Vec<HostId> = other_jobs
            .peers
            .range(gone.clone())
            .map(|(host, _)| *host)
            .collect();
        known.iter().for_each(|host| drop(other_jobs.peers.remove(host)));
        for task in &mut other_jobs.tasks {
            if let Task::Connect(peers) = task {
                peers.retain(|peer| !gone.contains(&peer.host));
            }
        }
        other_jobs.unreachable.forget(&gone);
        // The hosts of a world are gone all at once, unless some of them could not be reached before.
        if known.len() == hosts as usize {
            self.announce_gone_hosts(first, hosts);
        } else {
            known
                .into_iter()
                .for_each(|host| self.announce_gone_hosts(host, 1));
        }
    }
}
