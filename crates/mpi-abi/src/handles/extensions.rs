//! Reports on extensions of the standard that a program uses, where all checks are on.

use simurgh_core::sync::{AtomicU64, Ordering};
use simurgh_mpi::check::Checks;
use simurgh_mpi::datatype::{Class, Datatype};
use simurgh_mpi::op::{BuiltinOp, Op};

use super::Rank;
use crate::types::MPI_Datatype;
use simurgh_host::say;

/// The extensions whose use has been reported, a bit for each.
#[derive(Default)]
pub(super) struct Extensions(AtomicU64);

impl Extensions {
    /// Whether the operation on datatypes of this class is reported for the first time.
    fn is_first(&self, op: BuiltinOp, class: Class) -> bool {
        let half = if class == Class::Char { 0 } else { 32 };
        let bit = 1 << (op.handle() % 32 + half);
        // Relaxed: nothing else depends on who is first.
        self.0.fetch_or(bit, Ordering::Relaxed) & bit == 0
    }
}

impl Rank<'_> {
    /// Reports, once for each operation, that the standard does not define it on this datatype.
    pub(super) fn report_extension(self, op: BuiltinOp, datatype: MPI_Datatype) {
        if self.process.job().checks() < Checks::All {
            return;
        }
        let Some(basic) = self
            .any_datatype("datatype", datatype)
            .ok()
            .and_then(|datatype| datatype.basic())
        else {
            return;
        };
        if let Some(alike) = Op::Builtin(op).extension(&Datatype::Basic(basic))
            && self.tables.extensions.is_first(op, basic.class())
        {
            say(&format!(
                "rank {} uses {} on {}, which the standard does not define: it is done as on {}; use that",
                self.process.rank(),
                op.name(),
                basic.name(),
                alike.name(),
            ));
        }
    }
}
