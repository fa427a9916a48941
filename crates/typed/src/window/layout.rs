//! The layout of values, on which the ranks of a window agree.

use std::hash::Hasher;

use crate::{Equivalence, Operator, all_reduce};
use simurgh_datatype::memory::Runs;
use simurgh_datatype::op::BuiltinOp;
use simurgh_datatype::{Basic, Datatype};
use simurgh_mpi::{Comm, Error, ErrorClass, Result};
use siphasher::sip::SipHasher24;

/// Makes sure that all ranks have values of the same layout.
pub(super) fn agree<T: Equivalence>(comm: &Comm) -> Result<()> {
    let layout = layout::<T>();
    let mut extremes = [0; 2];
    let sent = [layout, !layout];
    all_reduce(
        comm,
        Some(sent[..].into()),
        &mut extremes[..],
        &Operator::builtin(BuiltinOp::Max),
    )?
    .run()?;
    if extremes == sent {
        return Ok(());
    }
    let name = std::any::type_name::<T>();
    let message = format!("this rank allocates a window of {name}, others one with values of another layout");
    Err(Error::new(ErrorClass::NotSame, message))
}

/// A number for where the values of a type have what data. It is the same in all programs.
fn layout<T: Equivalence>() -> u64 {
    let datatype = T::datatype();
    let mut hasher = SipHasher24::new();
    hasher.write_usize(size_of::<T>());
    hasher.write_usize(align_of::<T>());
    for run in Runs::new(&datatype, T::COUNT, &Datatype::Basic(Basic::Byte)) {
        hasher.write_isize(run.offset);
        hasher.write_usize(run.count);
    }
    datatype.signature().for_each(&mut |basic, count| {
        hasher.write_u16(basic as u16);
        hasher.write_usize(count);
    });
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_differ_by_size_and_by_elements() {
        let layouts = [
            layout::<u64>(),
            layout::<f64>(),
            layout::<[u64; 2]>(),
            layout::<[u32; 2]>(),
        ];
        for (index, first) in layouts.iter().enumerate() {
            assert!(layouts[..index].iter().all(|second| second != first));
        }
        assert_eq!(layout::<[u64; 1]>(), layout::<u64>());
    }
}
