//! The report on objects that a rank has made and not freed, when its use of MPI ends.

use simurgh_mpi::SessionId;

use super::{HandleTables, Rank, RequestEntry, Slab};
use crate::error::RaisedOn;
use crate::types::MPI_Datatype;

/// The most names on a line.
const SHOWN: usize = 4;

impl Rank<'_> {
    /// The number of requests on communicators of a session that have neither been waited for nor freed.
    pub(crate) fn active_requests(self, session: SessionId) -> usize {
        let belongs = |entry: &RequestEntry| {
            let RaisedOn::Comm(comm) = entry.raised_on else {
                return false;
            };
            let comm = self.comm(comm).ok();
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

    /// The number of operations of the rank that are under way, and of its windows: others may use its memory. The
    /// calling thread is the rank's only one.
    pub(crate) fn operations_under_way(self) -> usize {
        let requests = &self.tables.requests;
        // SAFETY:
        // - no other thread could free them (caller).
        let entries = requests
            .handles()
            .into_iter()
            .filter_map(|handle| unsafe { requests.get(handle) });
        let under_way = entries.filter(|entry| !entry.request.is_done()).count();
        under_way + self.process.freed_under_way() + self.tables.windows.handles().len()
    }

    /// A line for each kind of object of which some are left.
    pub(crate) fn leaks(self) -> Vec<String> {
        let id = self.process.rank();
        let kinds = self.left().into_iter();
        kinds
            .filter(|kind| !kind.found.is_empty())
            .map(|Left { kind, found, remedy }| {
                let (count, names) = (found.len(), names(found));
                format!("rank {id} leaves {kind} behind: {count}{names}; {remedy}")
            })
            .collect()
    }

    /// The objects of each kind that are left.
    fn left(self) -> [Left; 13] {
        let tables = self.tables;
        let unnamed = String::new;
        let state = |entry: &RequestEntry| match entry.request.is_active() {
            true => "active".to_owned(),
            false => "inactive".to_owned(),
        };
        let messages = self.process.unreceived().into_iter();
        let messages = messages.map(|message| format!("from {}", message.origin()));
        let keys = tables.keys.held();
        let memory = tables.allocations.sizes().into_iter();
        let left = |kind, found, remedy| Left { kind, found, remedy };
        [
            left(
                "communicators",
                all(&tables.comms, |comm| comm.name()),
                "free them with MPI_Comm_free",
            ),
            left(
                "windows",
                all(&tables.windows, |entry| entry.window.name()),
                "free them with MPI_Win_free",
            ),
            left(
                "groups",
                all(&tables.groups, |group| format!("size {}", group.size())),
                "free them with MPI_Group_free",
            ),
            left("datatypes", derived(tables), "free them with MPI_Type_free"),
            left(
                "operations",
                all(&tables.ops, |_| unnamed()),
                "free them with MPI_Op_free",
            ),
            left(
                "requests",
                all(&tables.requests, state),
                "wait for them or free them",
            ),
            left(
                "files",
                all(&tables.files.open, |file| file.name().to_owned()),
                "close them with MPI_File_close",
            ),
            left(
                "matched messages",
                all(&tables.messages, |_| unnamed()),
                "receive them with MPI_Mrecv",
            ),
            left("messages", messages.collect(), "receive them"),
            left(
                "error handlers",
                all(&tables.errhandlers, |_| unnamed()),
                "free them with MPI_Errhandler_free",
            ),
            left(
                "info objects",
                all(&tables.infos, |_| unnamed()),
                "free them with MPI_Info_free",
            ),
            left(
                "attribute keys",
                keys.iter().map(|kind| format!("for {kind}")).collect(),
                "free them with MPI_Comm_free_keyval, MPI_Type_free_keyval or MPI_Win_free_keyval",
            ),
            left(
                "pieces of memory",
                memory.map(|bytes| format!("{bytes} bytes")).collect(),
                "free them with MPI_Free_mem",
            ),
        ]
    }
}

/// The objects of a kind that are left.
struct Left {
    kind: &'static str,
    /// A description of each, which may be empty.
    found: Vec<String>,
    /// The call that the program should have made.
    remedy: &'static str,
}

/// The name of each datatype that the program has made and not freed; empty if it has none.
fn derived(tables: &HandleTables) -> Vec<String> {
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

/// The description of each object in a table.
fn all<T>(table: &Slab<T>, name: impl Fn(&T) -> String) -> Vec<String> {
    let objects = table.handles().into_iter().filter_map(|handle| {
        // SAFETY:
        // - the rank's use of MPI has ended, so no thread of it frees anything.
        unsafe { table.get(handle) }
    });
    objects.map(name).collect()
}

/// The first few descriptions, in parentheses.
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
