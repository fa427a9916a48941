//! Broadcasts in which the root leads: it shows its data, and each rank takes it when it comes.
//!
//! Nobody waits for all. The root of a short broadcast goes on at once, that of a long one when all have taken its
//! data; the others wait for the root alone.

use simurgh_core::{BroadcastRing, Round};
use simurgh_settings::rules::Operation;

use super::call::Call;
use super::deliver::truncated;
use crate::check::Checks;
use crate::deadlock::{Place, Stall};
use crate::error::Result;
use crate::instrument::{self, Reason};
use crate::job::Job;
use crate::limits::SHOWN_COPY;
use crate::members::GroupSizes;
use crate::memory::{Source, Target, Writer, pack, unpack};

/// Where the roots of a communicator show their data.
pub(crate) type Publication = BroadcastRing<RootData>;

impl Place for Publication {
    fn stalls(&self) -> Vec<Stall> {
        let (started, missing) = self.waiting();
        if started.is_empty() {
            return Vec::new();
        }
        vec![Stall {
            call: Call::BCAST.to_string(),
            blocking: true,
            started,
            missing,
        }]
    }
}

/// What a root shows. What is short lies on one cache line with what it is, and so does where a buffer is.
#[derive(Default)]
#[repr(C)]
pub(crate) struct RootData {
    /// What the root has called: [`Call::topic`].
    fingerprint: u64,
    data: Data,
    call: Call,
}

#[expect(
    clippy::large_enum_variant,
    reason = "a copy must lie where the others look first"
)]
enum Data {
    /// So many bytes: a copy of the root's data.
    Copied(u16, [u8; SHOWN_COPY]),
    /// The root's buffer: it waits for all to take from there.
    Lent(Source),
}

impl Default for Data {
    fn default() -> Self {
        Self::Copied(0, [0; SHOWN_COPY])
    }
}

/// Whether the root leads in a broadcast of so many bytes to so many ranks of one group. All ranks say the same, because
/// they bring as much. When everything is to be checked it does not: only who meets can compare.
#[inline]
pub(crate) fn is_published(job: &Job, ranks: usize, bytes: usize) -> bool {
    let bytes = bytes.saturating_mul(ranks - 1);
    job.checks() < Checks::All && job.one_leads(Operation::Bcast, ranks, bytes)
}

/// Takes part in a broadcast among the ranks of one group, as the root with what it sends. The caller is the rank `own`.
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

/// Shows the root's data, until all have taken it if it is long. Whether it was shown, and not another root's.
fn publish(round: Round<'_, RootData>, call: Call, source: &Source) -> bool {
    if source.bytes() <= SHOWN_COPY {
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

    /// Whether the root has called what this rank has called.
    fn check(&self, call: Call, rank: usize) -> Result<()> {
        if self.fingerprint == call.fingerprint() {
            return Ok(());
        }
        // Who shows is the root that it names.
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
