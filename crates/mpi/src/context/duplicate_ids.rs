//! Ids of duplicates that some hosts know and others do not yet.

use super::{IdReply, IdRequest};
use simurgh_core::sync::SpinLock;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The replies to the first host that asked for the id of a duplicate, kept until the last one has asked.
#[derive(Debug, Default)]
pub(super) struct DuplicateIds(SpinLock<HashMap<(u32, u64), DuplicateId>>);

#[derive(Debug)]
struct DuplicateId {
    reply: IdReply,
    /// Number of hosts that have not asked.
    missing: u32,
}

impl DuplicateIds {
    /// The reply to a request; `decide` makes it the first time.
    pub(super) fn reply(&self, request: IdRequest, decide: impl FnOnce() -> IdReply) -> IdReply {
        let mut duplicate_ids = self.0.lock();
        let IdRequest { context, number, .. } = request;
        let mut duplicate_id = match duplicate_ids.entry((context, number)) {
            Entry::Occupied(known) => known,
            Entry::Vacant(place) => place.insert_entry(DuplicateId {
                reply: decide(),
                missing: request.holders.max(1),
            }),
        };
        let reply = duplicate_id.get().reply;
        duplicate_id.get_mut().missing -= 1;
        if duplicate_id.get().missing == 0 {
            duplicate_id.remove();
        }
        reply
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_kept_until_all_have_asked() {
        let duplicate_ids = DuplicateIds::default();
        let ask = |number, reply| {
            let request = IdRequest {
                context: 5,
                number,
                holders: 2,
            };
            duplicate_ids.reply(request, || reply)
        };
        assert_eq!(ask(0, Some(7)), Some(7));
        assert_eq!(ask(1, None), None);
        assert_eq!(ask(0, Some(8)), Some(7));
        assert_eq!(ask(0, Some(9)), Some(9), "the first two have asked");
        assert_eq!(ask(1, Some(10)), None);
    }
}
