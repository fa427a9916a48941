//! What the ranks of a communicator share.

use super::duplicate::Duplicates;
use super::maker::Charter;
use crate::collective::{IntraHost, Outstanding, Publication};
use crate::context::{Context, Question};
use crate::error::Result;
use crate::group::Group;
use crate::job::Job;
use crate::layout::Layout;
use crate::members::{Sides, Span};
use crate::topology::Origins;
use crate::worlds::Bond;
use simurgh_core::sync::{Arc, AtomicU64, Ordering};
use simurgh_sched::DomainKind;
use std::fmt;
use std::sync::OnceLock;

/// The part of a communicator that its ranks on a host share.
pub struct CommShared {
    pub(super) context: Context,
    pub(crate) sides: Sides,
    /// While the communicator is there, its worlds are connected.
    _bond: Bond,
    /// None if all ranks are on this host.
    span: Option<Arc<Span>>,
    /// Conversations of the hosts about blocking calls so far.
    rounds: AtomicU64,
    /// Made at the first collective call: most duplicates are for messages alone.
    pub(super) intra_host: OnceLock<Arc<IntraHost>>,
    /// Made at the first nonblocking collective call.
    pub(super) outstanding: OnceLock<Arc<Outstanding>>,
    /// Made at the first broadcast in which the root leads.
    pub(super) publication: OnceLock<Arc<Publication>>,
    /// Made when the first rank duplicates the communicator.
    pub(super) duplicates: OnceLock<Box<Duplicates>>,
    /// The largest kind of hardware of which its processes use several instances, once somebody has asked.
    pub(super) dividing_kind: OnceLock<Option<DomainKind>>,
    /// Made at the first collective of neighbours.
    origins: OnceLock<Box<Result<Arc<Origins>>>>,
}

impl CommShared {
    /// A new communicator of these processes, all of which live on this host.
    pub(crate) fn local(job: &Job, sides: Sides) -> Result<Arc<Self>> {
        let id = job.contexts().take()?;
        let giver = job.layout().own();
        Ok(Self::chartered(job, Charter { id, giver, sides }))
    }

    /// The communicator of a charter; some of its processes live on this host.
    pub(crate) fn chartered(job: &Job, Charter { id, giver, sides }: Charter) -> Arc<Self> {
        let span = Span::of(&sides, job.layout()).map(Arc::new);
        let context = Context::new(job.contexts(), id, span.is_some().then_some(giver));
        Self::with_context(context, bond(job, span.as_deref()), span, sides)
    }

    /// A communicator of the same processes, the duplicate of this number.
    pub(super) fn duplicate(&self, job: &Job, number: u64) -> Result<Arc<Self>> {
        let Some(span) = &self.span else {
            return Self::local(job, self.sides.clone());
        };
        let question = Question {
            context: self.context.id(),
            number,
            holders: span.hosts() as u32,
        };
        let giver = span.host(span.position_of(0));
        let id = job.contexts().number(giver, question)?;
        let context = Context::new(job.contexts(), id, Some(giver));
        Ok(Self::with_context(
            context,
            bond(job, Some(span)),
            Some(Arc::clone(span)),
            self.sides.clone(),
        ))
    }

    fn with_context(context: Context, bond: Bond, span: Option<Arc<Span>>, sides: Sides) -> Arc<Self> {
        Arc::new(Self {
            context,
            _bond: bond,
            span,
            sides,
            rounds: AtomicU64::new(0),
            intra_host: OnceLock::new(),
            outstanding: OnceLock::new(),
            publication: OnceLock::new(),
            duplicates: OnceLock::new(),
            dividing_kind: OnceLock::new(),
            origins: OnceLock::new(),
        })
    }

    /// The communicator of all processes.
    pub(crate) fn world(layout: &Layout) -> Arc<Self> {
        let processes = layout.processes();
        let sides = Sides::one(Group::run(processes.start, processes.len() as u32));
        let span = Span::of(&sides, layout).map(Arc::new);
        Self::with_context(Context::world(), Bond::default(), span, sides)
    }

    /// The hosts of the ranks; none if all are on this host.
    #[inline]
    pub(crate) fn span(&self) -> Option<&Arc<Span>> {
        self.span.as_ref()
    }

    /// The number of the hosts' next conversation about a blocking call: for whoever speaks for this host, once a call.
    pub(crate) fn next_round(&self) -> u64 {
        // Relaxed: blocking calls on a communicator follow each other.
        self.rounds.fetch_add(1, Ordering::Relaxed)
    }

    /// The label of the messages.
    pub(crate) fn context(&self) -> u32 {
        self.context.id()
    }

    /// Where what neighbours get comes from; `find` says it the first time, from the topology that all ranks share.
    pub(crate) fn origins(&self, find: impl FnOnce() -> Result<Arc<Origins>>) -> Result<Arc<Origins>> {
        self.origins.get_or_init(|| Box::new(find())).as_ref().clone()
    }
}

/// What keeps the worlds of a communicator connected.
fn bond(job: &Job, span: Option<&Span>) -> Bond {
    Bond::of(job.worlds(), job.layout(), span.map_or(&[][..], Span::all))
}

impl fmt::Debug for CommShared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommShared")
            .field("context", &self.context)
            .field("sides", &self.sides)
            .finish_non_exhaustive()
    }
}
