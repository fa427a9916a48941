//! The algorithm `parcels`, which serves every operation: each host sends to each other host the data that the ranks
//! there need, part by part.
//!
//! The communication pattern is the same as on one host (`pattern.rs`), but data for ranks of another host is collected
//! in one parcel, each part once ([`Key`]). A host delivers the data that it receives to the ranks that take it. Data
//! that is to be combined becomes the buffers of remote ranks, and the ordinary work follows. So results are the same
//! bit by bit as those on a single host.
//!
//! Cost: one message to each host that takes something, and one for each long part, all under way at once. A reduction
//! moves the operands of all ranks to each host, which other algorithms avoid.

use std::collections::{HashMap, HashSet};

use simurgh_core::sync::SpinLock;

use super::super::all_buffers::AllBuffers;
use super::super::alltoall::swap_pair;
use super::super::deliver::{deliver, no_buffer};
use super::super::pattern::Edge;
use super::super::reduce::Counts;
use super::super::share::Share;
use super::super::task::Task;
use super::channel::{Channel, Sending, check_amount, malformed};
use super::known_buffers::KnownBuffers;
use super::parcel::{self, Content, Entry, Key};
use super::transport::{Pending, Transport};
use crate::error::{Error, ErrorClass, Result};
use crate::limits::{PART_COST, WORK_PIECE};
use crate::members::GroupSizes;
use crate::members::HostMap;
use crate::memory::{ElementBuffer, Source, Writer, bytes_of, transfer};

/// One collective that is done by parcels.
pub(super) struct ParcelExchange<'a, 'b, W> {
    pub(super) channel: &'b Channel<'a, W>,
    pub(super) task: &'b Task,
    pub(super) group_sizes: GroupSizes,
    pub(super) host_map: &'b HostMap,
    /// The share of each host's ranks whose data is sent.
    pub(super) share: Share,
}

/// A part that has been received or is being received.
struct Part<P> {
    /// The receive, as long as it is pending.
    pending: Option<P>,
    source: Source,
    /// The edge into whose target it is received directly.
    taken_by: Option<Edge>,
}

impl<W: Transport> ParcelExchange<'_, '_, W> {
    /// Moves all data to and from the ranks of this host.
    pub(super) fn run(&self, all_buffers: AllBuffers<'_>) -> Result<()> {
        let sent = self.send_all(all_buffers);
        let edges = self.edges_here();
        let moved = self.move_here(all_buffers, &edges[self.channel.own()]);
        let mut came = Ok(());
        for host in self.channel.others().filter(|host| !edges[*host].is_empty()) {
            let unloaded = self.receive_from(all_buffers, &edges[host], host);
            came = came.and(unloaded);
        }
        moved.and(came).and(self.channel.finish(sent))
    }

    /// Collects the operands of other hosts' ranks in a reduction, which are like those of this host's ranks, in
    /// `known_buffers`.
    pub(super) fn collect(&self, known_buffers: &mut KnownBuffers<'_>, like: Option<&Source>) -> Result<()> {
        let all_buffers = known_buffers.all_buffers();
        let sent = self.send_all(all_buffers);
        let edges = self.edges_here();
        let mut came = Ok(());
        for host in self.channel.others() {
            if self.tells_room() || !edges[host].is_empty() {
                let imported = self.import(known_buffers, host, like);
                came = came.and(imported);
            }
        }
        came.and(self.channel.finish(sent))
    }

    /// Begins to send to all hosts that take something.
    fn send_all(&self, all_buffers: AllBuffers<'_>) -> Vec<Sending<W::Pending>> {
        let rooms = self.rooms_here(all_buffers);
        let mut sent = Vec::new();
        for host in self.channel.others() {
            let Some(mut parts) = self.parts_for(all_buffers, host) else {
                continue;
            };
            parts.extend(rooms.iter().map(|(key, room)| (*key, bytes_of(room))));
            // Parts that are exchanged in place have to be packed before others are received there.
            let may_follow = !matches!(self.task, Task::AlltoallInPlace);
            let (store, length, following) = parcel::pack(parts, may_follow);
            sent.push(self.channel.start_send_unsized(host, &store.source(0, length)));
            sent.extend(
                following
                    .iter()
                    .map(|source| self.channel.start_send_raw(host, source)),
            );
        }
        sent
    }

    /// The data from ranks of this host to ranks of another one. `None` if nothing can go there whatever the buffers
    /// are.
    fn parts_for(&self, all_buffers: AllBuffers<'_>, host: usize) -> Option<Vec<(Key, Source)>> {
        let (mut parts, mut seen, mut any) = (Vec::new(), HashSet::new(), self.tells_room());
        for &to in self.host_map.seats(host) {
            let edges = self.task.edges_to(self.group_sizes, to as usize);
            for edge in edges.filter(|edge| all_buffers.is_here(edge.from) && self.counts(*edge)) {
                any = true;
                let key = Key::on(self.task, edge);
                if key.part == Key::WHOLE && !seen.insert(key) {
                    continue;
                }
                parts.extend(self.task.source_of(all_buffers, edge).map(|source| (key, source)));
            }
        }
        any.then_some(parts)
    }

    /// Whether hosts tell each other how much room their ranks have for a result, because nobody else knows.
    fn tells_room(&self) -> bool {
        let counts = match self.task {
            Task::ReduceScatter { counts, .. } => Some(counts),
            _ => None,
        };
        matches!(counts, Some(Counts::Room))
    }

    /// The number of elements for which each rank of this host has room, if hosts tell each other.
    fn rooms_here(&self, all_buffers: AllBuffers<'_>) -> Vec<(Key, [u8; 8])> {
        let told = self.host_map.local_seats().iter().filter(|_| self.tells_room());
        let room = |seat: usize| {
            (
                Key::new(seat, Key::ROOM),
                (all_buffers.room(seat) as u64).to_le_bytes(),
            )
        };
        told.map(|&seat| room(seat as usize)).collect()
    }

    /// The edges that end at ranks of this host, by the position of the sender's host.
    fn edges_here(&self) -> Vec<Vec<Edge>> {
        let mut edges = vec![Vec::new(); self.host_map.hosts()];
        for &to in self.host_map.local_seats() {
            let all = self.task.edges_to(self.group_sizes, to as usize);
            for edge in all.filter(|edge| self.counts(*edge)) {
                edges[self.host_map.position_of(edge.from)].push(edge);
            }
        }
        edges
    }

    /// Whether the data of an edge belongs to the share.
    fn counts(&self, edge: Edge) -> bool {
        self.share.is_all() || self.share.is_of(self.host_map.local_index_of(edge.from))
    }

    /// Moves data between ranks of this host, with the help of idle virtual processors.
    fn move_here(&self, all_buffers: AllBuffers<'_>, edges: &[Edge]) -> Result<()> {
        if self.task.op().is_some() {
            return Ok(());
        }
        let bytes = |edge: &Edge| {
            self.task
                .source_of(all_buffers, *edge)
                .map_or(0, |source| source.bytes())
        };
        let work = edges.iter().map(|edge| bytes(edge) + PART_COST).sum::<usize>();
        let pieces = (work / WORK_PIECE).clamp(1, self.host_map.local_seats().len());
        let fault = SpinLock::new(None);
        simurgh_core::parallel_for(pieces, &|piece| {
            let writer = Writer::new(work.saturating_mul(2)).alone();
            for edge in edges.iter().skip(piece).step_by(pieces) {
                if let Err(error) = self.move_along(all_buffers, *edge, &writer) {
                    fault.lock().get_or_insert(error);
                }
            }
        });
        fault.lock().take().map_or(Ok(()), Err)
    }

    fn move_along(&self, all_buffers: AllBuffers<'_>, edge: Edge, writer: &Writer) -> Result<()> {
        let Edge { from, to, .. } = edge;
        if let Task::AlltoallInPlace = self.task {
            let part = |of: usize, with: usize| all_buffers.at(of).target_part(with);
            return match (part(to, from), part(from, to)) {
                // Each pair once.
                (Some(mine), Some(theirs)) if from < to => {
                    swap_pair(self.group_sizes, (&mine, to), (&theirs, from))
                }
                _ => Ok(()),
            };
        }
        match (
            self.task.source_of(all_buffers, edge),
            self.task.target_of(all_buffers, edge),
        ) {
            (Some(source), Some(target)) => {
                deliver(writer, self.group_sizes, Some(source), from, Some(target), to)
            }
            // In place, or a root that gets nothing from itself.
            _ => Ok(()),
        }
    }

    /// Receives the data of the edges that come from a host.
    fn receive_from(&self, all_buffers: AllBuffers<'_>, edges: &[Edge], host: usize) -> Result<()> {
        let parcel = self.channel.recv_unsized(host)?;
        let mut parts = HashMap::new();
        for Entry { key, content } in parcel::unpack(parcel.bytes())? {
            let taker = edges.iter().find(|edge| Key::on(self.task, **edge) == key);
            let edge = *taker.ok_or_else(malformed)?;
            let part = match content {
                Content::Here(range) => Part::here(&parcel.bytes()[range]),
                Content::Follows(_) => self.follow(all_buffers, edge)?,
            };
            parts.insert(key, part);
        }
        let mut came = Ok(());
        for part in parts.values_mut() {
            let arrival = part.wait();
            came = came.and(arrival);
        }
        came?;
        let writer = Writer::new(0);
        edges.iter().try_for_each(|edge| {
            let part = parts.get(&Key::on(self.task, *edge));
            match part {
                Some(part) if part.taken_by == Some(*edge) => Ok(()),
                _ => {
                    let (source, target) = (
                        part.map(|part| part.source.clone()),
                        self.task.target_of(all_buffers, *edge),
                    );
                    deliver(&writer, self.group_sizes, source, edge.from, target, edge.to)
                }
            }
        })
    }

    /// Begins to receive a part straight into the buffer of the first rank that takes it.
    fn follow(&self, all_buffers: AllBuffers<'_>, edge: Edge) -> Result<Part<W::Pending>> {
        let Some(target) = self.task.target_of(all_buffers, edge) else {
            let (from, to) = (self.group_sizes.name(edge.from), self.group_sizes.name(edge.to));
            return Err(no_buffer(&from, &to));
        };
        let from = self.host_map.position_of(edge.from);
        Ok(Part {
            pending: Some(self.channel.start_recv_raw(from, &target)),
            source: target.as_source(),
            taken_by: Some(edge),
        })
    }

    /// Receives the operands of another host's ranks in a reduction.
    fn import(&self, known_buffers: &mut KnownBuffers<'_>, host: usize, like: Option<&Source>) -> Result<()> {
        let parcel = self.channel.recv_unsized(host)?;
        let (mut pending, mut outcome) = (Vec::new(), Ok(()));
        for Entry { key, content } in parcel::unpack(parcel.bytes())? {
            let from = key.from as usize;
            if !self.host_map.seats(host).contains(&key.from) {
                return Err(malformed());
            }
            match (key.part, content) {
                (Key::ROOM, Content::Here(range)) => {
                    let room = parcel.bytes()[range].first_chunk().ok_or_else(malformed)?;
                    known_buffers
                        .remote(from)
                        .has_room(u64::from_le_bytes(*room) as usize);
                }
                (Key::WHOLE, content) => {
                    let like = like.ok_or_else(malformed)?;
                    let elements = ElementBuffer::new(like.datatype(), like.count());
                    let bytes = match &content {
                        Content::Here(range) => range.len(),
                        Content::Follows(bytes) => *bytes,
                    };
                    if bytes != like.bytes() {
                        outcome = outcome.and(Err(self.disagreement(from, bytes, like.bytes())));
                    }
                    match content {
                        Content::Here(range) => {
                            transfer(&bytes_of(&parcel.bytes()[range]), &elements.target());
                        }
                        Content::Follows(_) => {
                            pending.push(self.channel.start_recv_raw(host, &elements.target()))
                        }
                    }
                    known_buffers.remote(from).bring(elements);
                }
                _ => return Err(malformed()),
            }
        }
        for pending in pending {
            let came = pending.wait().map(drop);
            outcome = outcome.and(came);
        }
        outcome
    }

    #[cold]
    fn disagreement(&self, seat: usize, bytes: usize, own: usize) -> Error {
        let name = self.group_sizes.name(seat);
        Error::new(
            ErrorClass::Truncate,
            format!(
                "{name} brings {bytes} bytes to a reduction of {own} bytes: all ranks must give the same count and \
                 datatype"
            ),
        )
    }
}

impl<P: Pending> Part<P> {
    /// A part whose data lies in a parcel.
    fn here(data: &[u8]) -> Self {
        Self {
            pending: None,
            source: bytes_of(data),
            taken_by: None,
        }
    }

    fn wait(&mut self) -> Result<()> {
        let came = self.pending.take().map_or(Ok(self.source.bytes()), P::wait)?;
        // Other ranks copy it from there.
        match came == self.source.bytes() {
            true => Ok(()),
            false => check_amount(came, self.source.bytes()),
        }
    }
}
