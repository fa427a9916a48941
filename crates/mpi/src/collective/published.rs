//! Broadcasts in which the root leads: it shows its data, and each rank takes it when it comes.
//!
//! Nobody waits for all. The root of a short broadcast goes on at once, that of a long one when all have taken its
//! data; the others wait for the root alone.

use simurgh_core::{BroadcastRing, Round};
use simurgh_settings::rules::Operation;

use super::call::Call;
use super::deliver::truncated;
use crate::check::Checks;
use crate::comm::Comm;
use crate::deadlock::{Place, Stall};
use crate::error::Result;
use crate::instrument::{self, Reason};
use crate::limits::SHOWN_COPY;
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

impl Comm {
    /// Broadcasts the root's `buffer` at once, if the root leads and all live here: without the value that a collective
    /// otherwise is, which would be most of the cost of a short one.
    #[inline]
    pub fn bcast_at_once(&self, buffer: &Target, root: i32) -> Option<Result<()>> {
        let root = usize::try_from(root).ok().filter(|root| *root < self.size())?;
        if self.spans_hosts() || !is_published(self, buffer.bytes()) {
            return None;
        }
        instrument::collective(self.process(), Call::BCAST.name());
        let source = (root == self.index()).then(|| buffer.as_source());
        let call = Call::BCAST.at(root);
        Some(broadcast(self, call, (source.as_ref(), Some(buffer)), root))
    }
}

/// Whether the root leads in a broadcast of so many bytes. All ranks say the same, because they bring as much. When
/// everything is to be checked it does not: only who meets can compare.
#[inline]
pub(super) fn is_published(comm: &Comm, bytes: usize) -> bool {
    let (job, ranks) = (comm.process().job(), comm.size());
    let bytes = bytes.saturating_mul(ranks - 1);
    !comm.is_inter() && job.checks() < Checks::All && job.one_leads(Operation::Bcast, ranks, bytes)
}

/// Takes part in a broadcast, as the root with what it sends.
pub(super) fn broadcast(
    comm: &Comm,
    call: Call,
    (source, target): (Option<&Source>, Option<&Target>),
    root: usize,
) -> Result<()> {
    let round = comm.publication().next_round(comm.seat());
    if let Some(source) = source
        && publish(round, call, source)
    {
        return Ok(());
    }
    let data = round.receive(blocked);
    data.check(call, comm.index())?;
    match target {
        Some(target) => data.copy_to(target, root, comm),
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

    fn copy_to(&self, target: &Target, root: usize, comm: &Comm) -> Result<()> {
        let (offered, moved) = match &self.data {
            Data::Lent(source) => {
                let writer = Writer::new(source.bytes().saturating_mul(comm.size()));
                (source.bytes(), writer.transfer(source, target))
            }
            Data::Copied(bytes, copy) => {
                let bytes = usize::from(*bytes);
                (bytes, unpack(&copy[..bytes], target))
            }
        };
        if moved.truncated {
            let room = (comm.index(), target.bytes());
            return Err(truncated(comm.group_sizes(), (root, offered), room));
        }
        Ok(())
    }
}
