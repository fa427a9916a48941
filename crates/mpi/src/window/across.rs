//! The short way of puts and gets of memory of other processes of the node, which the kernel copies at once unless the
//! other process answers sooner (`short_request`): elements of one predefined datatype without gaps, as many at the
//! target as at the origin, in memory that has been the place of a transfer before (`transfer`). It does nothing where
//! it cannot tell that all is right: then the general way tells what is wrong, or does it.
//!
//! Costs: a few loads beside the system call.

use super::Window;
use super::shared::WindowShared;
use super::transfer::LEAST;
use crate::instrument;
use crate::memory::Dense;
use simurgh_net::HostId;
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
    /// Where the memory of a rank is, and its process, if it goes the short way.
    #[inline]
    fn neighbour(&self, seat: u32) -> Option<(HostId, Region)> {
        let part = self.find_part(seat)?;
        let region = self.neighbours.get(part.node_index()?)?;
        Some((part.host(), *region))
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
        self.put_in_request(origin, rank, displacement)
            || self.across(rank, displacement, origin.bytes(), |host, place| {
                self.network().put_now(host, place, origin)
            })
    }

    /// [`Window::get_plain`] of memory of another process.
    #[cold]
    #[inline(never)]
    pub(super) fn get_across(&self, origin: Dense<*mut u8>, rank: i32, displacement: isize) -> bool {
        self.get_in_request(origin, rank, displacement)
            || self.across(rank, displacement, origin.bytes(), |host, place| {
                self.network().get_now(host, place, origin)
            })
    }

    /// Has so many bytes at a displacement copied. False if that has not been done.
    #[inline(always)]
    fn across(
        &self,
        rank: i32,
        displacement: isize,
        bytes: usize,
        copy: impl FnOnce(HostId, (Region, u64)) -> bool,
    ) -> bool {
        // A negative rank is a number that is too large.
        let seat = rank.cast_unsigned();
        let Some((host, region)) = self.shared.neighbour(seat) else {
            return false;
        };
        let unit = self.shared.part(seat as usize).unit();
        let Some(start) = start_within((displacement, unit), bytes, region.length) else {
            return false;
        };
        let is_worth = bytes >= LEAST || bytes > 0 && self.pace.is_slow();
        if !is_worth || instrument::on() || !self.open.allows(seat) {
            return false;
        }
        let is_done = copy(host, (region, start));
        if is_done && bytes < LEAST {
            self.pace.note();
        }
        is_done
    }
}

/// Where so many bytes at a displacement, in units of so many bytes, begin in memory of this length; none if they are
/// not all inside.
#[inline(always)]
pub(super) fn start_within((displacement, unit): (isize, usize), bytes: usize, length: u64) -> Option<u64> {
    let start = displacement.checked_mul(unit.cast_signed())?;
    // A negative one is a number that is too large.
    let start = start.cast_unsigned() as u64;
    (start <= length && bytes as u64 <= length - start).then_some(start)
}
