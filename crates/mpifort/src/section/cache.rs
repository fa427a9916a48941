//! The datatypes that have been made for sections last.
//!
//! A program passes sections of the same form again and again: the faces of its arrays. A datatype that describes one
//! costs more to make than a short message, so the last ones are kept. Only those of predefined datatypes are, since
//! the handle of another one may come to stand for something else. They are freed before MPI ends.

use crate::foreign::*;

use super::lock::Locked;
use super::parts::{Level, Parts};

/// The datatypes that are kept, and the levels of a section that has one.
const KEPT: usize = 8;
const MAX_DEPTH: usize = 3;

/// The handles below this number are those of predefined datatypes.
const FIRST_MADE: usize = 4096;

/// What a datatype describes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    datatype: usize,
    count: i64,
    block: i64,
    levels: [Level; MAX_DEPTH],
}

impl Key {
    /// That of the first `count` elements of a section, or of all elements at its only distance if `count` is 0; `None`
    /// if its datatype is not kept.
    pub(super) fn of(parts: &Parts, count: i64, datatype: MPI_Datatype) -> Option<Self> {
        let mut levels = [Level::default(); MAX_DEPTH];
        levels
            .get_mut(..parts.levels().len())?
            .copy_from_slice(parts.levels());
        (datatype.0 < FIRST_MADE).then_some(Self {
            datatype: datatype.0,
            count,
            block: parts.block(),
            levels,
        })
    }
}

/// A datatype that is kept.
#[derive(Clone, Copy)]
struct Entry {
    key: Key,
    made: MPI_Datatype,
    /// The calls that are using it.
    users: u32,
}

/// The datatypes, and where the next one goes.
struct Cache {
    entries: [Option<Entry>; KEPT],
    next: usize,
}

static CACHE: Locked<Cache> = Locked::new(Cache {
    entries: [None; KEPT],
    next: 0,
});

/// A datatype that a call uses, and its place.
#[derive(Clone, Copy)]
pub(super) struct Used {
    pub(super) datatype: MPI_Datatype,
    place: usize,
}

/// The datatype for a key, if it is kept.
pub(super) fn find(key: &Key) -> Option<Used> {
    CACHE.with(|cache| {
        for (place, entry) in cache.entries.iter_mut().enumerate() {
            if let Some(entry) = entry
                && entry.key == *key
            {
                entry.users += 1;
                let datatype = entry.made;
                return Some(Used { datatype, place });
            }
        }
        None
    })
}

/// Keeps a datatype that has just been made, unless all that are kept are in use.
pub(super) fn keep(key: Key, made: MPI_Datatype) -> Option<Used> {
    let (place, old) = CACHE.with(|cache| {
        let place = cache.next % KEPT;
        let entry = cache.entries.get_mut(place)?;
        if entry.is_some_and(|entry| entry.users > 0) {
            return None;
        }
        cache.next = place + 1;
        let users = 1;
        Some((place, entry.replace(Entry { key, made, users })))
    })?;
    free(old);
    Some(Used {
        datatype: made,
        place,
    })
}

impl Used {
    /// The call no longer uses it.
    pub(super) fn release(self) {
        CACHE.with(|cache| {
            if let Some(Some(entry)) = cache.entries.get_mut(self.place) {
                entry.users -= 1;
            }
        });
    }
}

/// Frees all that are not in use.
pub(super) fn clear() {
    for place in 0..KEPT {
        free(CACHE.with(|cache| {
            let entry = cache.entries.get_mut(place)?;
            entry.take_if(|entry| entry.users == 0)
        }));
    }
}

fn free(entry: Option<Entry>) {
    if let Some(mut entry) = entry {
        // SAFETY:
        // - the datatype has been made here, and is freed once.
        unsafe { PMPI_Type_free(&raw mut entry.made) };
    }
}
