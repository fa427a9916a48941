//! The engine's own bytes as targets.

use super::buffer::Target;
use crate::datatype::{Basic, Datatype};

/// The bytes that `user` writes, `len` of them; what it starts is over when it returns.
pub fn collect<E>(len: usize, user: impl FnOnce(&Target) -> Result<(), E>) -> Result<Vec<u8>, E> {
    let mut bytes = vec![0; len];
    // SAFETY:
    // - the vector neither moves its bytes nor is looked at until `user` returns, and what that starts is over by then.
    user(&unsafe { Target::new(bytes.as_mut_ptr(), len, Datatype::Basic(Basic::Byte)) })?;
    Ok(bytes)
}
