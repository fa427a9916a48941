//! The part of a window that its ranks on a host share.

use super::Flavor;
use super::access_log::AccessLog;
use super::across::Neighbours;
use super::error::{fault, not_attached};
use super::lock::{Lock, OwnLock};
use super::plain::Reach;
use super::shared_signals::SharedSignals;
use super::signals::Signals;
use super::sleepers::Sleepers;
use super::transfer::{Exposures, RemoteRegions};
use super::untold::Untold;
use super::waiters::{AwaitedLocks, RemoteWaiters};
use crate::check::Checks;
use crate::comm::{CommBuilder, CommShared};
use crate::datatype::Datatype;
use crate::error::{Error, ErrorClass, Result};
use crate::job::Job;
use crate::layout::Layout;
use crate::members::Members;
use crate::memory::{self, Block, ControlSize, NodeControl, NodeMemory, Region, Stripes, Target};
use crossbeam_utils::CachePadded;
use simurgh_core::sync::{Arc, AtomicBool, AtomicUsize, Ordering, SpinLock};
use simurgh_core::{LockWord, SharedBarrier};
use simurgh_net::HostId;
use std::collections::HashMap;
use std::sync::OnceLock;

/// A window, as the ranks of a host share it.
pub(super) struct WindowShared {
    /// The window's own communicator, whose context id numbers the window.
    pub(super) comm: Arc<CommShared>,
    flavor: Flavor,
    /// Whether all ranks have said that they will take no locks.
    no_locks: bool,
    /// The parts of all ranks.
    parts: Box<[Part]>,
    /// What operations need of them first, once it is known.
    reach: OnceLock<Arc<[Reach]>>,
    /// The ranks of this host, by local index.
    locals: Box<[CachePadded<LocalRank>]>,
    stripes: OnceLock<Stripes>,
    /// The locks of the node's ranks and their barrier, if all its processes have mapped them.
    control: OnceLock<NodeControl>,
    pub(super) remote_waiters: RemoteWaiters,
    pub(super) remote_regions: RemoteRegions,
    pub(super) neighbours: Neighbours,
    /// This process.
    own_host: HostId,
    /// Whether the processes of each node share the locks of its ranks. Set before the first access.
    nodes_share: AtomicBool,
    lock_groups: OnceLock<LockGroups>,
    /// Whether all ranks live on this node.
    are_near: bool,
    /// Whether each rank has a process of its own, and all live on this node.
    is_process_per_rank: bool,
    /// The memory, if the library has allocated it.
    memory: OnceLock<Memory>,
    /// Errors of ranks of other hosts, of which they have not been told.
    pub(super) untold: Untold,
    /// The accesses to the memory of this host's ranks, if they are checked.
    access_logs: Option<Box<[SpinLock<AccessLog>]>>,
    /// Ranks of this host that have not freed the window.
    pub(super) users: AtomicUsize,
}

/// Memory that the library has allocated; it is kept for its drop.
pub(super) enum Memory {
    #[expect(dead_code, reason = "held for its drop")]
    Own(Arc<Block>),
    #[expect(dead_code, reason = "held for its drop")]
    Node(Arc<NodeMemory>),
}

/// What a rank has in a window.
pub(super) struct Part {
    bytes: usize,
    unit: usize,
    host: HostId,
    /// Its local index; none on other hosts.
    local: Option<u32>,
    /// Its index among the ranks of this node; none on other nodes.
    node_index: Option<u32>,
    /// The memory, where this host can access it.
    region: OnceLock<Region>,
}

/// The state of a rank of this host.
#[derive(Default)]
pub(super) struct LocalRank {
    lock: OwnLock,
    /// The locks for which it waits.
    pub(super) awaited: AwaitedLocks,
    pub(super) signals: Signals,
    pub(super) sleepers: Sleepers,
    pub(super) exposures: Exposures,
    /// The memory that is attached to a dynamic window.
    attached: SpinLock<Vec<Region>>,
}

/// The groups of ranks whose locks are in one place.
#[derive(Default)]
pub(super) struct LockGroups {
    /// The first rank of each group, ascending.
    pub(super) leaders: Vec<u32>,
    /// For each rank the process that takes the locks of its group in the names of those that do not reach them: that
    /// of the group's first rank.
    pub(super) agents: Vec<HostId>,
}

/// What all ranks say about themselves when a window is made.
pub(super) struct Description {
    pub(super) flavor: Flavor,
    pub(super) no_locks: bool,
    pub(super) bytes: Vec<usize>,
    pub(super) units: Vec<usize>,
}

impl WindowShared {
    /// Makes the part of a window that the ranks of this host share.
    pub(super) fn make(
        job: &Job,
        members: &Members,
        description: Description,
        builder: &mut CommBuilder<'_>,
    ) -> Result<Arc<Self>> {
        let comm = builder.make(members.clone())?;
        let comm =
            comm.ok_or_else(|| fault(ErrorClass::Intern, "a window has a rank on each of its hosts"))?;
        let layout = job.layout();
        let host_map = comm.host_map();
        let own_node = layout.node_of(layout.own());
        let mut of_node = 0..;
        let Description {
            flavor,
            no_locks,
            bytes,
            units,
        } = description;
        let sizes = bytes.into_iter().zip(units);
        let part = |((seat, process), (bytes, unit)): ((usize, u32), (usize, usize))| {
            let local_index = host_map.map_or(seat, |host_map| host_map.local_index_of(seat));
            let host = layout.host_of(process);
            let is_near = layout.node_of(host) == own_node;
            Part {
                bytes,
                unit,
                host,
                node_index: is_near.then(|| of_node.next()).flatten(),
                local: layout.is_here(process).then_some(local_index as u32),
                region: OnceLock::new(),
            }
        };
        let parts: Box<[Part]> = members.processes().enumerate().zip(sizes).map(part).collect();
        let are_near = parts.iter().all(|part| part.node_index.is_some());
        let has_hosts = host_map.is_some_and(|host_map| host_map.hosts() == parts.len());
        let here = parts.iter().filter(|part| part.local.is_some()).count();
        Ok(Arc::new(Self {
            flavor,
            no_locks,
            parts,
            reach: OnceLock::new(),
            locals: (0..here).map(|_| CachePadded::default()).collect(),
            stripes: OnceLock::new(),
            control: OnceLock::new(),
            remote_waiters: RemoteWaiters::default(),
            remote_regions: RemoteRegions::default(),
            neighbours: Neighbours::default(),
            own_host: layout.own(),
            nodes_share: AtomicBool::new(false),
            lock_groups: OnceLock::new(),
            are_near,
            is_process_per_rank: are_near && has_hosts,
            memory: OnceLock::new(),
            untold: Untold::default(),
            access_logs: (job.checks() == Checks::All)
                .then(|| (0..here).map(|_| SpinLock::default()).collect()),
            users: AtomicUsize::new(here),
            comm,
        }))
    }

    /// The accesses to the memory of this host's ranks by local index, if they are checked.
    #[inline]
    pub(super) fn access_logs(&self) -> Option<&[SpinLock<AccessLog>]> {
        self.access_logs.as_deref()
    }

    /// The accesses to the memory of a rank of this host, if they are checked.
    pub(super) fn access_log(&self, seat: usize) -> Option<&SpinLock<AccessLog>> {
        let local = self.parts.get(seat)?.local?;
        Some(&self.access_logs()?[local as usize])
    }

    /// The number of the window.
    pub(super) fn id(&self) -> u32 {
        self.comm.context()
    }

    pub(super) fn flavor(&self) -> Flavor {
        self.flavor
    }

    /// Whether all ranks have said that they will take no locks.
    #[inline]
    pub(super) fn no_locks(&self) -> bool {
        self.no_locks
    }

    /// The parts of all ranks.
    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// What operations need of the parts first; `counted` says whether all operations are counted. Called when all
    /// parts are ready.
    pub(super) fn reach(&self, counted: bool) -> Arc<[Reach]> {
        let is_short = self.access_logs.is_none() && !counted && self.flavor != Flavor::Dynamic;
        let reach = |part| Reach::of(part, is_short, self.own_host);
        let all = || self.parts.iter().map(reach).collect();
        Arc::clone(self.reach.get_or_init(all))
    }

    /// What a rank has in the window.
    #[inline]
    pub(super) fn part(&self, seat: usize) -> &Part {
        &self.parts[seat]
    }

    /// A rank of this host; none for one of another.
    #[inline]
    pub(super) fn local(&self, seat: usize) -> Option<&LocalRank> {
        let local = self.parts.get(seat)?.local?;
        Some(&self.locals[local as usize])
    }

    /// The ranks of this host.
    pub(super) fn local_seats(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.parts.len()).filter(|seat| self.parts[*seat].local.is_some())
    }

    /// What a rank has in the window; none if there is no such rank.
    pub(super) fn find_part(&self, seat: u32) -> Option<&Part> {
        self.parts.get(seat as usize)
    }

    /// This process.
    pub(super) fn own_host(&self) -> HostId {
        self.own_host
    }

    /// The lock of a rank, if this process reaches it.
    #[inline]
    pub(super) fn lock_of(&self, seat: usize) -> Option<Lock<'_>> {
        let part = self.parts.get(seat)?;
        if let Some(control) = self.control.get() {
            return Some(Lock::Shared(control.lock(part.node_index? as usize)));
        }
        Some(Lock::Own(&self.locals[part.local? as usize].lock))
    }

    /// The word of that lock, to take or release it while nobody waits.
    #[inline]
    pub(super) fn lock_word_of(&self, seat: usize) -> Option<&LockWord> {
        let part = self.parts.get(seat)?;
        match self.control.get() {
            Some(control) => Some(control.lock_word(part.node_index? as usize)),
            None => Some(self.locals[part.local? as usize].lock.word()),
        }
    }

    /// What all ranks share, if each has a process of its own.
    #[inline]
    pub(super) fn process_control(&self) -> Option<&NodeControl> {
        self.control.get().filter(|_| self.is_process_per_rank)
    }

    /// The barrier of all ranks, if they share memory for it and each has a process of its own.
    #[inline]
    pub(super) fn barrier(&self) -> Option<SharedBarrier<'_>> {
        self.process_control().map(NodeControl::barrier)
    }

    /// The signals to a rank, if all ranks share memory for them.
    #[inline]
    pub(super) fn signals_to(&self, seat: u32) -> Option<SharedSignals<'_>> {
        let control = self.control.get().filter(|_| self.are_near)?;
        SharedSignals::new(control.counters(seat as usize))
    }

    /// The groups of ranks whose locks are in one place.
    pub(super) fn lock_groups(&self, layout: &Layout) -> &LockGroups {
        self.lock_groups.get_or_init(|| {
            // Relaxed: the ranks have met since it was set.
            let by_node = self.nodes_share.load(Ordering::Relaxed);
            let mut agents = HashMap::new();
            let mut groups = LockGroups::default();
            for (seat, part) in self.parts.iter().enumerate() {
                let place = match by_node {
                    true => layout.node_of(part.host),
                    false => part.host,
                };
                let agent = *agents.entry(place).or_insert_with(|| {
                    groups.leaders.push(seat as u32);
                    part.host
                });
                groups.agents.push(agent);
            }
            groups
        })
    }

    /// The process that takes locks of this node's ranks in the names of those that do not reach them.
    pub(super) fn own_agent(&self) -> HostId {
        let mut near = self.parts.iter().filter(|part| part.node_index.is_some());
        match near.next() {
            Some(first) if self.is_shared() => first.host,
            _ => self.own_host,
        }
    }

    /// All locks that this process reaches, with their ranks.
    pub(super) fn locks_within_reach(&self) -> impl Iterator<Item = (u32, Lock<'_>)> {
        (0..self.parts.len()).filter_map(|seat| Some((seat as u32, self.lock_of(seat)?)))
    }

    /// The locks for elements on which the machine has no atomic instructions.
    #[inline]
    pub(super) fn stripes(&self) -> &Stripes {
        self.stripes.get_or_init(Stripes::own)
    }

    /// How many locks the processes of this node may share.
    pub(super) fn control_size(&self) -> ControlSize {
        ControlSize {
            locks: self.parts.iter().filter(|part| part.node_index.is_some()).count(),
            origins: self.parts.len(),
        }
    }

    /// The processes of each node share the locks of its ranks, also those of this node if there are several. Called
    /// before the first access.
    pub(super) fn share(&self, control: Option<NodeControl>) {
        // Relaxed: the ranks meet before the first access.
        self.nodes_share.store(true, Ordering::Relaxed);
        if let Some(control) = control {
            let own = self.local_seats().filter_map(|seat| self.parts[seat].node_index);
            let own: Vec<usize> = own.map(|index| index as usize).collect();
            drop(self.stripes.set(control.stripes(&own)));
            drop(self.control.set(control));
        }
    }

    /// Whether the processes of the node share locks, so that each can access memory that they share, too.
    pub(super) fn is_shared(&self) -> bool {
        self.control.get().is_some()
    }

    /// Keeps memory that the library has allocated for as long as the window.
    pub(super) fn keep(&self, memory: Memory) {
        drop(self.memory.set(memory));
    }

    /// Elements of a rank at a displacement in bytes, if this host can access its memory. None if it cannot.
    #[inline(always)]
    pub(super) fn target(
        &self,
        seat: usize,
        displacement: i64,
        count: usize,
        datatype: &Datatype,
    ) -> Option<Result<Target>> {
        let part = &self.parts[seat];
        if let Some(region) = part.region.get() {
            let target = region.target(displacement, count, datatype);
            return Some(target.ok_or_else(|| part.beyond(seat, displacement, count, datatype)));
        }
        let local = part.local?;
        Some(self.locals[local as usize].attached_target(seat, displacement, count, datatype))
    }
}

impl Part {
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    #[inline]
    pub(super) fn unit(&self) -> usize {
        self.unit
    }

    #[inline]
    pub(super) fn host(&self) -> HostId {
        self.host
    }

    /// Its index among the ranks of this node; none on other nodes.
    pub(super) fn node_index(&self) -> Option<u32> {
        self.node_index
    }

    /// Refuses an access to memory that the part does not have.
    pub(super) fn check(
        &self,
        seat: usize,
        displacement: i64,
        count: usize,
        datatype: &Datatype,
    ) -> Result<()> {
        let span = memory::span(displacement, count, datatype);
        if memory::is_within(&span, self.bytes) {
            Ok(())
        } else {
            Err(self.beyond(seat, displacement, count, datatype))
        }
    }

    #[cold]
    fn beyond(&self, seat: usize, displacement: i64, count: usize, datatype: &Datatype) -> Error {
        super::error::beyond(seat, &memory::span(displacement, count, datatype), self.bytes)
    }

    #[inline]
    pub(super) fn region(&self) -> Option<&Region> {
        self.region.get()
    }

    /// Sets the memory, once.
    pub(super) fn set_region(&self, region: Region) {
        self.region.get_or_init(|| region);
    }
}

impl LocalRank {
    /// Attaches memory.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaAttach`] if it overlaps with memory that is attached.
    pub(super) fn attach(&self, region: Region) -> Result<()> {
        let mut attached = self.attached.lock();
        if attached.iter().any(|known| known.overlaps(&region)) {
            let message = format!(
                "{} bytes at {:p} overlap with memory that is attached to the window already",
                region.bytes(),
                region.address()
            );
            return Err(fault(ErrorClass::RmaAttach, message));
        }
        attached.push(region);
        Ok(())
    }

    /// Detaches the memory that begins at an address.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaAttach`] if none does.
    pub(super) fn detach(&self, address: *const u8) -> Result<()> {
        let mut attached = self.attached.lock();
        let place = attached
            .iter()
            .position(|region| region.address().cast_const() == address);
        let place = place.ok_or_else(|| {
            let message = format!("no memory that begins at {address:p} is attached to the window");
            fault(ErrorClass::RmaAttach, message)
        })?;
        attached.swap_remove(place);
        Ok(())
    }

    /// Elements at an address in memory that is attached.
    #[inline(never)]
    fn attached_target(
        &self,
        seat: usize,
        address: i64,
        count: usize,
        datatype: &Datatype,
    ) -> Result<Target> {
        let attached = self.attached.lock();
        let within = |region: &Region| {
            let displacement = address.checked_sub(region.address().addr() as i64)?;
            region.target(displacement, count, datatype)
        };
        // Memory that was attached in several parts may be accessed as one.
        let across = |first: &Region| {
            let mut region = *first;
            while let Some(longer) = attached
                .iter()
                .filter(|next| next.bytes() > 0)
                .find_map(|next| region.followed_by(next))
            {
                region = longer;
                if let Some(target) = within(&region) {
                    return Some(target);
                }
            }
            None
        };
        let found = attached.iter().find_map(within);
        found
            .or_else(|| attached.iter().find_map(across))
            .ok_or_else(|| not_attached(seat, &memory::span(address, count, datatype)))
    }
}
