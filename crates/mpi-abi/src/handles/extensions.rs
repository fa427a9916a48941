//! Reports on extensions of the standard that a program uses, where all checks are on.

use simurgh_core::sync::{AtomicU64, Ordering};
use simurgh_mpi::check::Checks;
use simurgh_mpi::datatype::{Basic, Kind};
use simurgh_mpi::op::{BuiltinOp, Op};

use super::Rank;
use crate::host::say;
use crate::types::MPI_Datatype;

/// The operations whose use on `char` has been reported, a bit for each.
#[derive(Default)]
pub(super) struct Extensions(AtomicU64);

impl Extensions {
    /// Whether the operation is reported for the first time.
    fn is_first(&self, op: BuiltinOp) -> bool {
        let bit = 1 << (op.handle() % 64);
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
        let Ok(datatype) = self.any_datatype("datatype", datatype) else {
            return;
        };
        if Op::Builtin(op).is_extension(&datatype) && self.tables.extensions.is_first(op) {
            say(&format!(
                "rank {} uses {} on {}, which the standard does not define: it is done as on {}; use that",
                self.process.rank(),
                op.name(),
                Basic::Char.name(),
                alike().name(),
            ));
        }
    }
}

/// The integer type that `char` is the same as.
fn alike() -> Basic {
    match Kind::C_CHAR {
        Kind::U8 => Basic::UnsignedChar,
        _ => Basic::SignedChar,
    }
}
