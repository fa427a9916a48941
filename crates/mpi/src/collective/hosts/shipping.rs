//! The algorithm that serves every operation: each host sends each other what that one's ranks need, part by part.
//!
//! What goes from rank to rank is the same as on one host (`flow.rs`), only that data for ranks of another host is
//! collected in a parcel for it, each part once ([`Key`]). What has come is delivered to the ranks that take it, or is
//! laid on the table as the offers of remote ranks if it is to be combined; then the ordinary work begins. So results
//! are the same bit by bit as those of a single host.
//!
//! Cost: one message to each host that takes something, and one for each long part, all under way at once; a reduction
//! moves what all ranks bring to each host, which others avoid.

use std::collections::{HashMap, HashSet};

use simurgh_core::sync::SpinLock;

use super::super::alltoall::swap_pair;
use super::super::deliver::{deliver, no_buffer};
use super::super::flow::Route;
use super::super::offers::Offers;
use super::super::reduce::Counts;
use super::super::share::Share;
use super::super::task::Task;
use super::everybody::Everybody;
use super::parcel::{self, Content, Entry, Key};
use super::talk::{Sending, Talk, check_amount, malformed};
use super::way::{Pending, Way};
use crate::error::{Error, ErrorClass, Result};
use crate::limits::{PART_COST, WORK_PIECE};
use crate::members::Seating;
use crate::members::Span;
use crate::memory::{Elements, Source, Writer, bytes_of, transfer};

/// One collective as it is shipped.
pub(super) struct Shipping<'a, 'b, W> {
    pub(super) talk: &'b Talk<'a, W>,
    pub(super) task: &'b Task,
    pub(super) seating: Seating,
    pub(super) span: &'b Span,
    /// Which of each host's ranks give what is shipped.
    pub(super) share: Share,
}

/// A part that has come, or is about to.
struct Part<P> {
    /// On its way still.
    pending: Option<P>,
    source: Source,
    /// The rank in whose buffer it is.
    taken_by: Option<Route>,
}

impl<W: Way> Shipping<'_, '_, W> {
    /// Moves all that goes to and from the ranks of this host, whose offers are there.
    pub(super) fn carry_over(&self, offers: Offers<'_>) -> Result<()> {
        let sent = self.send_all(offers);
        let routes = self.routes_here();
        let moved = self.move_here(offers, &routes[self.talk.own()]);
        let mut came = Ok(());
        for host in self.talk.others().filter(|host| !routes[*host].is_empty()) {
            let unloaded = self.unload(offers, &routes[host], host);
            came = came.and(unloaded);
        }
        moved.and(came).and(self.talk.finish(sent))
    }

    /// Lays what ranks of other hosts bring to a reduction, like those of this one, on the table.
    pub(super) fn collect(&self, everybody: &mut Everybody<'_>, like: Option<&Source>) -> Result<()> {
        let offers = everybody.offers();
        let sent = self.send_all(offers);
        let routes = self.routes_here();
        let mut came = Ok(());
        for host in self.talk.others() {
            if self.tells_room() || !routes[host].is_empty() {
                let imported = self.import(everybody, host, like);
                came = came.and(imported);
            }
        }
        came.and(self.talk.finish(sent))
    }

    /// Begins to send to all hosts that take something.
    fn send_all(&self, offers: Offers<'_>) -> Vec<Sending<W::Pending>> {
        let rooms = self.rooms_here(offers);
        let mut sent = Vec::new();
        for host in self.talk.others() {
            let Some(mut parts) = self.parts_for(offers, host) else {
                continue;
            };
            parts.extend(rooms.iter().map(|(key, room)| (*key, bytes_of(room))));
            // Parts that are exchanged in place have to be out of the way before others come.
            let may_follow = !matches!(self.task, Task::AlltoallInPlace);
            let (store, length, following) = parcel::pack(parts, may_follow);
            sent.push(self.talk.start_parcel(host, &store.source(0, length)));
            sent.extend(following.iter().map(|source| self.talk.start_bare(host, source)));
        }
        sent
    }

    /// What ranks of this host give to those of another; none if nothing goes there whatever anybody brings.
    fn parts_for(&self, offers: Offers<'_>, host: usize) -> Option<Vec<(Key, Source)>> {
        let (mut parts, mut seen, mut any) = (Vec::new(), HashSet::new(), self.tells_room());
        for &to in self.span.seats(host) {
            let routes = self.task.routes_to(self.seating, to as usize);
            for route in routes.filter(|route| offers.is_here(route.from) && self.counts(*route)) {
                any = true;
                let key = Key::on(self.task, route);
                if key.part == Key::WHOLE && !seen.insert(key) {
                    continue;
                }
                parts.extend(self.task.sent(offers, route).map(|source| (key, source)));
            }
        }
        any.then_some(parts)
    }

    /// Whether hosts tell each other how much room their ranks have for a result: nobody else knows.
    fn tells_room(&self) -> bool {
        let counts = match self.task {
            Task::ReduceScatter { counts, .. } => Some(counts),
            _ => None,
        };
        matches!(counts, Some(Counts::Room))
    }

    /// The elements for which ranks of this host have room, if that is told.
    fn rooms_here(&self, offers: Offers<'_>) -> Vec<(Key, [u8; 8])> {
        let told = self.span.local().iter().filter(|_| self.tells_room());
        let room = |seat: usize| {
            (
                Key::new(seat, Key::ROOM),
                (offers.room(seat) as u64).to_le_bytes(),
            )
        };
        told.map(|&seat| room(seat as usize)).collect()
    }

    /// The routes to the ranks of this host, by the host that they come from.
    fn routes_here(&self) -> Vec<Vec<Route>> {
        let mut routes = vec![Vec::new(); self.span.hosts()];
        for &to in self.span.local() {
            let all = self.task.routes_to(self.seating, to as usize);
            for route in all.filter(|route| self.counts(*route)) {
                routes[self.span.position_of(route.from)].push(route);
            }
        }
        routes
    }

    /// Whether what goes there is in the share.
    fn counts(&self, route: Route) -> bool {
        self.share.is_all() || self.share.is_of(self.span.place_of(route.from))
    }

    /// Moves what goes from ranks of this host to others of it, with the help of idle virtual processors.
    fn move_here(&self, offers: Offers<'_>, routes: &[Route]) -> Result<()> {
        if self.task.op().is_some() {
            return Ok(());
        }
        let bytes = |route: &Route| self.task.sent(offers, *route).map_or(0, |source| source.bytes());
        let work = routes.iter().map(|route| bytes(route) + PART_COST).sum::<usize>();
        let pieces = (work / WORK_PIECE).clamp(1, self.span.local().len());
        let fault = SpinLock::new(None);
        simurgh_core::parallel_for(pieces, &|piece| {
            let writer = Writer::new(work.saturating_mul(2)).alone();
            for route in routes.iter().skip(piece).step_by(pieces) {
                if let Err(error) = self.move_along(offers, *route, &writer) {
                    fault.lock().get_or_insert(error);
                }
            }
        });
        fault.lock().take().map_or(Ok(()), Err)
    }

    fn move_along(&self, offers: Offers<'_>, route: Route, writer: &Writer) -> Result<()> {
        let Route { from, to, .. } = route;
        if let Task::AlltoallInPlace = self.task {
            let part = |of: usize, with: usize| offers.at(of).target_part(with);
            return match (part(to, from), part(from, to)) {
                // Each pair once.
                (Some(mine), Some(theirs)) if from < to => {
                    swap_pair(self.seating, (&mine, to), (&theirs, from))
                }
                _ => Ok(()),
            };
        }
        match (self.task.sent(offers, route), self.task.taken(offers, route)) {
            (Some(source), Some(target)) => {
                deliver(writer, self.seating, Some(source), from, Some(target), to)
            }
            // In place, or a root that gets nothing from itself.
            _ => Ok(()),
        }
    }

    /// Receives what comes from a host on these routes.
    fn unload(&self, offers: Offers<'_>, routes: &[Route], host: usize) -> Result<()> {
        let parcel = self.talk.recv_parcel(host)?;
        let mut parts = HashMap::new();
        for Entry { key, content } in parcel::unpack(parcel.bytes())? {
            let taker = routes.iter().find(|route| Key::on(self.task, **route) == key);
            let route = *taker.ok_or_else(malformed)?;
            let part = match content {
                Content::Here(range) => Part::here(&parcel.bytes()[range]),
                Content::Follows(_) => self.follow(offers, route)?,
            };
            parts.insert(key, part);
        }
        let mut came = Ok(());
        for part in parts.values_mut() {
            let arrived = part.wait();
            came = came.and(arrived);
        }
        came?;
        let writer = Writer::new(0);
        routes.iter().try_for_each(|route| {
            let part = parts.get(&Key::on(self.task, *route));
            match part {
                Some(part) if part.taken_by == Some(*route) => Ok(()),
                _ => {
                    let (source, target) = (
                        part.map(|part| part.source.clone()),
                        self.task.taken(offers, *route),
                    );
                    deliver(&writer, self.seating, source, route.from, target, route.to)
                }
            }
        })
    }

    /// Begins to receive a part straight into the buffer of the first rank that takes it.
    fn follow(&self, offers: Offers<'_>, route: Route) -> Result<Part<W::Pending>> {
        let Some(target) = self.task.taken(offers, route) else {
            let (from, to) = (self.seating.name(route.from), self.seating.name(route.to));
            return Err(no_buffer(&from, &to));
        };
        let from = self.span.position_of(route.from);
        Ok(Part {
            pending: Some(self.talk.start_recv_bare(from, &target)),
            source: target.as_source(),
            taken_by: Some(route),
        })
    }

    /// Receives what ranks of a host bring to a reduction.
    fn import(&self, everybody: &mut Everybody<'_>, host: usize, like: Option<&Source>) -> Result<()> {
        let parcel = self.talk.recv_parcel(host)?;
        let (mut pending, mut outcome) = (Vec::new(), Ok(()));
        for Entry { key, content } in parcel::unpack(parcel.bytes())? {
            let from = key.from as usize;
            if !self.span.seats(host).contains(&key.from) {
                return Err(malformed());
            }
            match (key.part, content) {
                (Key::ROOM, Content::Here(range)) => {
                    let room = parcel.bytes()[range].first_chunk().ok_or_else(malformed)?;
                    everybody
                        .remote(from)
                        .has_room(u64::from_le_bytes(*room) as usize);
                }
                (Key::WHOLE, content) => {
                    let like = like.ok_or_else(malformed)?;
                    let elements = Elements::new(like.datatype(), like.count());
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
                            pending.push(self.talk.start_recv_bare(host, &elements.target()))
                        }
                    }
                    everybody.remote(from).bring(elements);
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
        let name = self.seating.name(seat);
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
    /// One that lies in a parcel.
    fn here(data: &[u8]) -> Self {
        Self {
            pending: None,
            source: bytes_of(data),
            taken_by: None,
        }
    }

    fn wait(&mut self) -> Result<()> {
        let came = self.pending.take().map_or(Ok(self.source.bytes()), P::wait)?;
        // Others take it from there.
        match came == self.source.bytes() {
            true => Ok(()),
            false => check_amount(came, self.source.bytes()),
        }
    }
}
