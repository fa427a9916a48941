//! What a rank has made and not given back, in words: for those who ask for it, when its use of MPI ends.

use simurgh_mpi::SessionId;

use super::{Rank, RequestEntry, Slab, Tables};
use crate::types::MPI_Datatype;

/// Most names on a line.
const SHOWN: usize = 4;

impl Rank<'_> {
    /// Number of requests on communicators of a session that have neither been waited for nor freed.
    pub(crate) fn active_requests(self, session: SessionId) -> usize {
        let belongs = |entry: &RequestEntry| {
            let comm = self.comm(entry.comm).ok();
            comm.and_then(|comm| comm.session())
                .is_some_and(|owner| owner.id() == session)
        };
        let requests = &self.tables.requests;
        // SAFETY:
        // - the session's threads are done: a program must not free an object while it is used in a call.
        let entries = requests
            .handles()
            .into_iter()
            .filter_map(|handle| unsafe { requests.get(handle) });
        entries
            .filter(|entry| entry.request.is_active() && belongs(entry))
            .count()
    }

    /// A line for each kind of object of which some are left.
    pub(crate) fn leaks(self) -> Vec<String> {
        let tables = self.tables;
        let requests = all(&tables.requests, |entry| match entry.request.is_active() {
            true => "active".to_owned(),
            false => "inactive".to_owned(),
        });
        let memory = tables
            .allocations
            .sizes()
            .into_iter()
            .map(|bytes| format!("{bytes} bytes"));
        let messages = self
            .process
            .unreceived()
            .into_iter()
            .map(|message| format!("from {}", message.origin()));
        let kinds = [
            (
                "communicators",
                "free them with MPI_Comm_free",
                all(&tables.comms, |comm| comm.name()),
            ),
            (
                "groups",
                "free them with MPI_Group_free",
                all(&tables.groups, |group| format!("size {}", group.size())),
            ),
            ("datatypes", "free them with MPI_Type_free", derived(tables)),
            (
                "operations",
                "free them with MPI_Op_free",
                all(&tables.ops, |_| String::new()),
            ),
            ("requests", "wait for them or free them", requests),
            (
                "matched messages",
                "receive them with MPI_Mrecv",
                all(&tables.messages, |_| String::new()),
            ),
            ("messages", "receive them", messages.collect()),
            (
                "error handlers",
                "free them with MPI_Errhandler_free",
                all(&tables.errhandlers, |_| String::new()),
            ),
            (
                "info objects",
                "free them with MPI_Info_free",
                all(&tables.infos, |_| String::new()),
            ),
            (
                "attribute keys",
                "free them with MPI_Comm_free_keyval or MPI_Type_free_keyval",
                tables
                    .keys
                    .held()
                    .iter()
                    .map(|kind| format!("for {kind}"))
                    .collect(),
            ),
            (
                "pieces of memory",
                "free them with MPI_Free_mem",
                memory.collect(),
            ),
        ];
        let id = self.process.id();
        kinds
            .into_iter()
            .filter(|(.., found)| !found.is_empty())
            .map(|(kind, remedy, found)| {
                let count = found.len();
                format!(
                    "rank {id} leaves {kind} behind: {count}{}; {remedy}",
                    names(found)
                )
            })
            .collect()
    }
}

/// The name of each datatype that the rank could have freed, if it has given it one.
fn derived(tables: &Tables) -> Vec<String> {
    let left = tables.datatypes.handles().into_iter().filter(|&handle| {
        // SAFETY:
        // - as in `all`.
        let datatype = unsafe { tables.datatypes.get(handle) };
        datatype.is_some_and(|datatype| !datatype.is_predefined())
    });
    left.map(|handle| {
        tables
            .datatype_names
            .given(MPI_Datatype(handle))
            .unwrap_or_default()
    })
    .collect()
}

/// What is to be said of each object in a table.
fn all<T>(table: &Slab<T>, name: impl Fn(&T) -> String) -> Vec<String> {
    let objects = table.handles().into_iter().filter_map(|handle| {
        // SAFETY:
        // - the rank's use of MPI has ended, so no thread of it frees anything.
        unsafe { table.get(handle) }
    });
    objects.map(name).collect()
}

/// The first few that have a name, in parentheses.
fn names(found: Vec<String>) -> String {
    let count = found.len();
    let named: Vec<String> = found
        .into_iter()
        .filter(|name| !name.is_empty())
        .take(SHOWN)
        .collect();
    if named.is_empty() {
        return String::new();
    }
    let more = if named.len() < count { ", …" } else { "" };
    format!(" ({}{more})", named.join(", "))
}
