//! Allgather between hosts.
//!
//! Each host packs the data of its ranks into a block. The hosts exchange blocks, and every rank's data is copied from
//! there. All ranks know how much each sends, so no lengths have to be sent. A slice is about some ranks of each host.

use simurgh_settings::rules::Algorithm;

use super::super::all_buffers::AllBuffers;
use super::super::deliver::{deliver, truncated};
use super::super::share::Share;
use super::blocks::Blocks;
use super::channel::Channel;
use super::slices::in_slices;
use super::transport::Transport;
use super::{bruck, ring};
use crate::error::Result;
use crate::limits::WORK_PIECE;
use crate::members::HostMap;
use crate::memory::{Target, Writer, as_bytes, transfer};
use crate::selection::InterHostChoice;
use simurgh_core::sync::SpinLock;

/// The lengths of all ranks' data, as the first rank of this host receives it.
struct Layout {
    /// Bytes of each seat; `None` for seats of other slices.
    lengths: Vec<Option<usize>>,
    /// Offset of each seat's data in the block of its host.
    starts: Vec<usize>,
}

impl Layout {
    /// The lengths for a share of each host's ranks.
    fn of(all_buffers: AllBuffers<'_>, host_map: &HostMap, share: Share) -> Self {
        let first = host_map.local_seats().first().map_or(0, |&seat| seat as usize);
        let expected = |seat| {
            all_buffers
                .at(first)
                .target_part(seat)
                .map_or(0, |part| part.bytes())
        };
        let (mut lengths, mut starts) = (vec![None; all_buffers.len()], vec![0; all_buffers.len()]);
        for seats in (0..host_map.hosts()).map(|host| host_map.seats(host)) {
            share.seats(seats.len()).fold(0, |start, index| {
                let seat = seats[index] as usize;
                let bytes = expected(seat);
                (lengths[seat], starts[seat]) = (Some(bytes), start);
                start + bytes
            });
        }
        Self { lengths, starts }
    }

    /// Bytes of those ranks of a host that belong to the slice.
    fn bytes_of(&self, seats: &[u32]) -> usize {
        seats.iter().filter_map(|&seat| self.lengths[seat as usize]).sum()
    }

    /// The data of a seat in the block of its host, if it belongs to the slice.
    fn part(&self, seat: usize, blocks: &Blocks, host_map: &HostMap) -> Option<Target> {
        let bytes = self.lengths[seat]?;
        Some(blocks.within(host_map.position_of(seat), self.starts[seat], bytes))
    }
}

/// Copies the data of all ranks to all ranks.
pub(super) fn allgather<W: Transport>(
    channel: &Channel<'_, W>,
    all_buffers: AllBuffers<'_>,
    host_map: &HostMap,
    choice: InterHostChoice,
) -> Result<()> {
    let slices = choice.slices.min(host_map.most_seats());
    in_slices(channel, slices, |channel, share| {
        let layout = Layout::of(all_buffers, host_map, share);
        let length = |host| layout.bytes_of(host_map.seats(host));
        let blocks = Blocks::new((0..host_map.hosts()).map(length));
        fill(all_buffers, host_map, &layout, &blocks)?;
        match choice.algorithm {
            Algorithm::Ring => ring::allgather(channel, &blocks),
            _ => bruck::allgather(channel, &blocks),
        }?;
        copy_out(all_buffers, host_map, &layout, &blocks)
    })
}

/// Packs the data of this host's ranks into the block of this host.
fn fill(all_buffers: AllBuffers<'_>, host_map: &HostMap, layout: &Layout, blocks: &Blocks) -> Result<()> {
    host_map.local_seats().iter().try_for_each(|&seat| {
        let seat = seat as usize;
        let Some(index) = layout.part(seat, blocks, host_map) else {
            return Ok(());
        };
        let room = index.bytes();
        match all_buffers.at(seat).source() {
            Some(source) if source.bytes() == room => {
                transfer(&source, &index);
                Ok(())
            }
            source => {
                let bytes = source.map_or(0, |source| source.bytes());
                Err(truncated(all_buffers.group_sizes(), (seat, bytes), (seat, room)))
            }
        }
    })
}

/// Copies all blocks to the ranks of this host, with the help of idle virtual processors.
fn copy_out(all_buffers: AllBuffers<'_>, host_map: &HostMap, layout: &Layout, blocks: &Blocks) -> Result<()> {
    let (seats, fault) = (host_map.local_seats(), SpinLock::new(None));
    let work = blocks.of(0..host_map.hosts()).bytes().saturating_mul(seats.len());
    let pieces = (work / WORK_PIECE).clamp(1, seats.len());
    simurgh_core::parallel_for(pieces, &|piece| {
        for &seat in seats.iter().skip(piece).step_by(pieces) {
            if let Err(error) = take(all_buffers, host_map, seat as usize, layout, blocks) {
                fault.lock().get_or_insert(error);
            }
        }
    });
    fault.lock().take().map_or(Ok(()), Err)
}

/// Copies all blocks to a rank.
fn take(
    all_buffers: AllBuffers<'_>,
    host_map: &HostMap,
    seat: usize,
    layout: &Layout,
    blocks: &Blocks,
) -> Result<()> {
    let buffers = all_buffers.at(seat);
    let all = blocks.of(0..host_map.hosts());
    let together = buffers
        .recv
        .as_ref()
        .and_then(|recv| recv.together(all_buffers.len()));
    if let Some(target) = together.as_ref().and_then(as_bytes)
        && host_map.is_ordered()
        && target.bytes() == all.bytes()
    {
        transfer(&all.as_source(), &target);
        return Ok(());
    }
    let writer = Writer::new(0).alone();
    let mut wanted = (0..all_buffers.len()).filter(|from| *from != seat || !buffers.in_place);
    wanted.try_for_each(|from| {
        let Some(data) = layout.part(from, blocks, host_map) else {
            return Ok(());
        };
        let (source, target) = (data.as_source(), buffers.target_part(from));
        deliver(
            &writer,
            all_buffers.group_sizes(),
            Some(source),
            from,
            target,
            seat,
        )
    })
}
