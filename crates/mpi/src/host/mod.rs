//! A host of a job: which processes live where, the endpoints of those that live here, and what messages between hosts
//! need to know of it.

use crate::context::{ContextPool, IdRange};
use crate::endpoint::{Endpoint, Endpoints, VpRings};
use crate::layout::Layout;
use crate::request::{Callers, StatusCell};
use crossbeam_utils::CachePadded;
use simurgh_core::sync::Arc;
use simurgh_settings::{Id, Values};
use std::sync::OnceLock;

/// Told of a host that is lost, and why.
type LossHook = Box<dyn Fn(u32, &str) + Send + Sync>;

/// The processes of a job, as one of its hosts sees them, with the endpoints of its own.
pub(crate) struct Host {
    layout: Layout,
    endpoints: Box<[CachePadded<Endpoint>]>,
    settings: Values,
    contexts: Arc<ContextPool>,
    loss_hook: OnceLock<LossHook>,
    rings: Arc<VpRings>,
}

impl Host {
    /// The host that sees the job laid out so.
    pub(crate) fn new(layout: Layout, settings: Values) -> Self {
        let contexts = ContextPool::new(layout.own(), IdRange::of(&layout));
        let scan_limit = settings.amount(Id::ScanLimit);
        let backlog_limit = settings.amount(Id::BacklogLimit);
        let rings = Arc::<VpRings>::default();
        let endpoint = |_| CachePadded::new(Endpoint::new(scan_limit, backlog_limit, &rings));
        Self {
            endpoints: layout.here().map(endpoint).collect(),
            contexts: Arc::new(contexts),
            layout,
            settings,
            loss_hook: OnceLock::new(),
            rings,
        }
    }

    /// Which processes live on which host.
    #[inline]
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The settings with which the job has started.
    pub(crate) fn settings(&self) -> &Values {
        &self.settings
    }

    /// The endpoint of a process of this host.
    #[inline]
    pub(crate) fn endpoint(&self, process: u32) -> &Endpoint {
        &self.endpoints[self.layout.place(process)]
    }

    /// The endpoints of all processes of this host, in the order of their numbers.
    pub(crate) fn endpoints(&self) -> impl Iterator<Item = &Endpoint> {
        self.endpoints.iter().map(|endpoint| &**endpoint)
    }

    /// The rings through which short messages come.
    #[inline]
    pub(crate) fn rings(&self) -> &VpRings {
        &self.rings
    }

    /// The context ids of the host.
    pub(crate) fn contexts(&self) -> &Arc<ContextPool> {
        &self.contexts
    }

    /// Sets what is called when a host is lost; the first setting counts. Returns whether it was the first.
    pub(crate) fn set_loss_hook(&self, hook: impl Fn(u32, &str) + Send + Sync + 'static) -> bool {
        self.loss_hook.set(Box::new(hook)).is_ok()
    }

    /// Handles the loss of a host: by the hook, or without one by ending the operating system's process.
    pub(crate) fn lost(&self, host: u32, reason: &str) {
        match self.loss_hook.get() {
            Some(hook) => hook(host, reason),
            None => {
                eprintln!(
                    "host {host}: {reason}; the job ends, for its ranks may wait for those of that host"
                );
                std::process::exit(1)
            }
        }
    }
}

impl Endpoints for Host {
    #[inline]
    fn endpoint_of(&self, process: u32) -> &Endpoint {
        self.endpoint(process)
    }
}

impl Callers for Host {
    #[inline(always)]
    fn status_cell(&self, process: u32, slot: u32) -> &StatusCell {
        self.endpoint(process).slots().status_cell(slot)
    }
}
