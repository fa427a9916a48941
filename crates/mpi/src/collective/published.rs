//! Broadcasts by publication: the root publishes its data, and each rank copies it when it comes.
//!
//! No rank waits for all. The root of a short broadcast goes on at once, and that of a long one when all have copied
//! its data; the others wait for the root alone. Rules of the selection table call this algorithm `lead`.

use simurgh_core::{BroadcastRing, Round};
use simurgh_settings::rules::Operation;

use super::call::Call;
use super::deliver::truncated;
use crate::check::Checks;
use crate::deadlock::{MeetingPoint, StalledCollective};
use crate::error::Result;
use crate::instrument::{self, Reason};
use crate::job::Job;
use crate::limits::PUBLISHED_COPY;
use crate::members::GroupSizes;
use crate::memory::{Source, Target, Writer, pack, unpack};

/// Where the roots of a communicator publish their data.
pub(crate) type Publication = BroadcastRing<RootData>;

impl MeetingPoint for Publication {
    fn stalls(&self) -> Vec<StalledCollective> {
        let (started, missing) = self.waiting();
        if started.is_empty() {
            return Vec::new();
        }
        vec![StalledCollective {
            call: Call::BCAST.to_string(),
            blocking: true,
            started,
            missing,
        }]
    }
}

/// The data that a root publishes. Short data lies on one cache line with its description, and so does the address of a
/// longer buffer.
#[derive(Default)]
#[repr(C)]
pub(crate) struct RootData {
    /// The root's call: [`Call::fingerprint`].
    fingerprint: u64,
    data: Data,
    call: Call,
}

#[expect(
    clippy::large_enum_variant,
    reason = "a copy must lie where the others look first"
)]
enum Data {
    /// A copy of the root's data, and its length in bytes.
    Copied(u16, [u8; PUBLISHED_COPY]),
    /// The root's buffer. The root waits until all have copied from there.
    Lent(Source),
}

impl Default for Data {
    fn default() -> Self {
        Self::Copied(0, [0; PUBLISHED_COPY])
    }
}

/// Whether the root publishes its data in a broadcast of so many bytes. All ranks get the same answer, because they
/// bring the same number of bytes. It does not when everything is checked, because only ranks that meet can be
/// compared.
#[inline]
pub(crate) fn is_published(job: &Job, ranks: usize, bytes: usize) -> bool {
    let bytes = bytes.saturating_mul(ranks - 1);
    job.checks() < Checks::All && job.one_leads(Operation::Bcast, ranks, bytes)
}

/// Takes part in a broadcast among the ranks of one group; `source` is what the root sends, and `None` at other ranks.
/// The caller is the rank `own`.
pub(crate) fn broadcast(
    publication: &Publication,
    (own, group_sizes): (usize, GroupSizes),
    call: Call,
    (source, target): (Option<&Source>, Option<&Target>),
    root: usize,
) -> Result<()> {
    let round = publication.next_round(own);
    if let Some(source) = source
        && publish(round, call, source)
    {
        return Ok(());
    }
    let data = round.receive(blocked);
    data.check(call, own)?;
    match target {
        Some(target) => data.copy_to(target, root, (own, group_sizes)),
        None => Ok(()),
    }
}

/// Publishes the root's data; if it is long, until all have copied it. Returns false if another root has published
/// instead.
fn publish(round: Round<'_, RootData>, call: Call, source: &Source) -> bool {
    if source.bytes() <= PUBLISHED_COPY {
        return round.publish_and_leave(|data| data.publish_copy(call, source), blocked);
    }
    let data = round.publish(|data| data.publish_buffer(call, source), blocked);
    data.is_some_and(|data| {
        data.await_others(blocked);
        true
    })
}

fn blocked(wait: &dyn Fn()) {
    instrument::blocking(Reason::Collective, wait);
}

impl RootData {
    fn publish_copy(&mut self, call: Call, source: &Source) {
        (self.fingerprint, self.call) = (call.fingerprint(), call);
        if let Data::Lent(_) = self.data {
            self.data = Data::default();
        }
        if let Data::Copied(bytes, copy) = &mut self.data {
            *bytes = source.bytes() as u16;
            pack(source, &mut copy[..source.bytes()]);
        }
    }

    fn publish_buffer(&mut self, call: Call, source: &Source) {
        (self.fingerprint, self.call) = (call.fingerprint(), call);
        self.data = Data::Lent(source.clone());
    }

    /// Whether the root is in the same call as this rank.
    fn check(&self, call: Call, rank: usize) -> Result<()> {
        if self.fingerprint == call.fingerprint() {
            return Ok(());
        }
        // The rank that publishes is the root that it names.
        let root = self.call.root_rank();
        let root_name = root.map_or_else(|| "another".to_owned(), |root| format!("rank {root}"));
        Err(call.disagreement(&format!("rank {rank}"), self.call, &root_name))
    }

    fn copy_to(&self, target: &Target, root: usize, (own, group_sizes): (usize, GroupSizes)) -> Result<()> {
        let (offered, moved) = match &self.data {
            Data::Lent(source) => {
                let writer = Writer::new(source.bytes().saturating_mul(group_sizes.seats()));
                (source.bytes(), writer.transfer(source, target))
            }
            Data::Copied(bytes, copy) => {
                let bytes = usize::from(*bytes);
                (bytes, unpack(&copy[..bytes], target))
            }
        };
        if moved.truncated {
            let room = (own, target.bytes());
            return Err(truncated(group_sizes, (root, offered), room));
        }
        Ok(())
    }
}
