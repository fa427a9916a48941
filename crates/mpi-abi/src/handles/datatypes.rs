//! Names that the program has given to datatypes, and the handles of predefined datatypes without a name.

use std::collections::BTreeMap;

use simurgh_core::sync::SpinLock;
use simurgh_mpi::datatype::{Basic, Combiner, Datatype};

use super::{Rank, handle_of};
use crate::error::ResultOf;
use crate::types::MPI_Datatype;

/// The constructor and its arguments; equal ones give the same predefined datatype.
type Key = (Combiner, Vec<i32>, Vec<Option<Basic>>);

/// Names and handles by datatype.
#[derive(Default)]
pub(crate) struct DatatypeNames {
    given: SpinLock<BTreeMap<usize, String>>,
    unnamed: SpinLock<BTreeMap<Key, MPI_Datatype>>,
}

impl DatatypeNames {
    /// Names the datatype with this handle.
    pub(crate) fn give(&self, handle: MPI_Datatype, name: String) {
        self.given.lock().insert(handle.0, name);
    }

    /// The name that the program has given to the datatype with this handle.
    pub(crate) fn given(&self, handle: MPI_Datatype) -> Option<String> {
        self.given.lock().get(&handle.0).cloned()
    }

    /// Forgets the name of a datatype that is freed.
    pub(crate) fn forget(&self, handle: MPI_Datatype) {
        self.given.lock().remove(&handle.0);
    }
}

impl Rank<'_> {
    /// The handle of a datatype that a call returns: always the same for a predefined one, a new one for any other.
    pub(crate) fn datatype_handle(self, datatype: Datatype) -> ResultOf<MPI_Datatype> {
        if let Some(basic) = datatype.named() {
            return Ok(MPI_Datatype(basic.handle()));
        }
        let key = datatype
            .contents()
            .filter(|_| datatype.is_predefined())
            .map(|contents| {
                let elements = contents.datatypes().iter().map(Datatype::basic).collect();
                (
                    contents.combiner(),
                    contents.integer_arguments().to_vec(),
                    elements,
                )
            });
        let Some(key) = key else {
            return Ok(MPI_Datatype(handle_of(&self.tables.datatypes, datatype)?));
        };
        let mut unnamed = self.tables.datatype_names.unnamed.lock();
        if let Some(handle) = unnamed.get(&key) {
            return Ok(*handle);
        }
        let handle = MPI_Datatype(handle_of(&self.tables.datatypes, datatype)?);
        unnamed.insert(key, handle);
        Ok(handle)
    }
}
