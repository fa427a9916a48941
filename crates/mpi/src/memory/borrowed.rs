//! The engine's own bytes as sources and targets.

use super::buffer::{Source, Target};
use crate::datatype::{Basic, Datatype};

/// Gives bytes to `user`, to be read until it returns; it must not keep them.
pub(crate) fn lend<R>(bytes: &[u8], user: impl FnOnce(&Source) -> R) -> R {
    // SAFETY:
    // - the bytes are borrowed until we return, and what `user` starts is over by then: see above.
    user(&unsafe { Source::new(bytes.as_ptr(), bytes.len(), Datatype::Basic(Basic::Byte)) })
}

/// The bytes that `user` writes, `len` of them; it must not keep their memory.
pub(crate) fn collect<E>(len: usize, user: impl FnOnce(&Target) -> Result<(), E>) -> Result<Vec<u8>, E> {
    let mut bytes = vec![0; len];
    // SAFETY:
    // - as above; the vector neither moves its bytes nor is looked at meanwhile.
    user(&unsafe { Target::new(bytes.as_mut_ptr(), len, Datatype::Basic(Basic::Byte)) })?;
    Ok(bytes)
}
