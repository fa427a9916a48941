//! Collects data in bytes of the engine's own.

use super::buffer::Target;
use crate::datatype::{Basic, Datatype};

/// Runs `user` with a target of `len` bytes, and returns these bytes. Operations that `user` starts on the target are
/// complete when it returns.
pub fn collect<E>(len: usize, user: impl FnOnce(&Target) -> Result<(), E>) -> Result<Vec<u8>, E> {
    let mut bytes = vec![0; len];
    // SAFETY:
    // - the vector neither moves nor is read until `user` returns, and what `user` starts is complete by then.
    user(&unsafe { Target::new(bytes.as_mut_ptr(), len, Datatype::Basic(Basic::Byte)) })?;
    Ok(bytes)
}
