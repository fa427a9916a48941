//! The short way of puts and gets of memory of other processes: elements of one predefined datatype without gaps, as
//! many at the target as at the origin, in memory that has been the place of a transfer before (`transfer`). For
//! processes of the node, the kernel copies them at once unless the other process answers sooner (`short_request`). For
//! others, a network does. It does nothing where it cannot tell that all is right: then the general way tells what is
//! wrong, or does it.
//!
//! Costs: a few loads beside the system call, or a request beside what the network takes.

use super::Window;
use super::long_data::Way;
use super::plain::OtherPlace;
use super::shared::WindowShared;
use super::transfer::{LEAST, Outcome};
use crate::memory::Dense;
use crate::network::{Data, OneSidedTransfer};
use simurgh_net::transport::Region;
use std::sync::OnceLock;

/// The memory of the ranks of this node in other processes, by their index on the node, once it has been the place of a
/// transfer that was over at once; empty where operations do not go the short way.
#[derive(Default)]
pub(super) struct Neighbours(OnceLock<Box<[OnceLock<Region>]>>);

impl Neighbours {
    /// Makes room for so many ranks.
    fn of(&self, ranks: usize) -> &[OnceLock<Region>] {
        self.0
            .get_or_init(|| (0..ranks).map(|_| OnceLock::new()).collect())
    }

    #[inline]
    fn get(&self, index: u32) -> Option<&Region> {
        self.0.get()?.get(index as usize)?.get()
    }
}

impl WindowShared {
    /// Where the memory of a rank is, if it has been the place of a transfer that was over at once.
    #[inline]
    fn neighbour(&self, seat: u32) -> Option<Region> {
        self.neighbours
            .get(self.part(seat as usize).node_index()?)
            .copied()
    }
}

impl Window {
    /// Has puts and gets of the memory of a rank go the short way from now on, if they may.
    pub(super) fn shorten(&self, seat: u32, region: Region) {
        let part = self.shared.part(seat as usize);
        let may_be = !self.meter.is_always_on() && self.network().transfers_now(part.host());
        if let Some(index) = part.node_index().filter(|_| may_be) {
            let near = self
                .shared
                .parts()
                .iter()
                .filter(|part| part.node_index().is_some());
            let all = self.shared.neighbours.of(near.count());
            all[index as usize].get_or_init(|| region);
        }
    }

    /// [`Window::put_plain`] to memory of another process.
    #[cold]
    #[inline(never)]
    pub(super) fn put_across(&self, origin: Dense<*const u8>, rank: i32, displacement: isize) -> bool {
        let Some(place) = self.other_place(rank, displacement, origin.bytes()) else {
            return false;
        };
        let is_done = place.is_near
            && (self.put_in_request(origin, place)
                || self.at_once(place, (origin.bytes(), true), |region| {
                    self.network().put_now(place.host, (region, place.start), origin)
                }));
        is_done || self.begin_at(place, origin.bytes(), || Data::Put(origin.source()))
    }

    /// [`Window::get_plain`] of memory of another process.
    #[cold]
    #[inline(never)]
    pub(super) fn get_across(&self, origin: Dense<*mut u8>, rank: i32, displacement: isize) -> bool {
        let Some(place) = self.other_place(rank, displacement, origin.bytes()) else {
            return false;
        };
        let is_done = place.is_near
            && (self.get_in_request(origin, place)
                || self.at_once(place, (origin.bytes(), false), |region| {
                    self.network().get_now(place.host, (region, place.start), origin)
                }));
        is_done || self.begin_at(place, origin.bytes(), || Data::Get(origin.target()))
    }

    /// Has a network begin the transfer of a put or a get. False if that has not been done.
    fn begin_at(&self, place: OtherPlace, bytes: usize, data: impl FnOnce() -> Data) -> bool {
        let OtherPlace {
            seat, host, start, ..
        } = place;
        let is_long = bytes >= LEAST;
        let is_worth = is_long || self.pace.is_slow();
        if !is_worth || self.network().is_synchronous(host) {
            return false;
        }
        let Some(Some(region)) = self.shared.known_region(seat) else {
            return false;
        };
        let transfer = OneSidedTransfer::new(host, (region, start), (data(), bytes));
        let has_begun = self.begin_transfer(transfer, None) == Outcome::Begun;
        if has_begun && !is_long {
            self.pace.note();
        }
        has_begun
    }

    /// Has the kernel copy so many bytes of a put or a get. False if that has not been done.
    #[inline(always)]
    fn at_once(
        &self,
        place: OtherPlace,
        (bytes, is_put): (usize, bool),
        copy: impl FnOnce(Region) -> bool,
    ) -> bool {
        let is_worth = match bytes {
            LEAST.. => self.way_of(place.host, bytes, is_put) == Way::Kernel,
            _ => self.pace.is_slow(),
        };
        let Some(region) = self.shared.neighbour(place.seat).filter(|_| is_worth) else {
            return false;
        };
        let is_done = self.copy_now((bytes, is_put), || copy(region));
        if is_done && bytes < LEAST {
            self.pace.note();
        }
        is_done
    }
}
