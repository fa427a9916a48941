//! What several benches do.

use simurgh::{Communicator, Result};

/// Sends eight bytes back and forth between ranks 0 and 1, so often.
#[inline(never)]
pub(crate) fn exchange(world: &Communicator, times: u64) -> Result<()> {
    let mut value = 0_u64;
    for _ in 0..times {
        if world.rank() == 0 {
            world.send(&value, 1, 0)?;
            world.recv(&mut value, 1, 0)?;
        } else {
            world.recv(&mut value, 0, 0)?;
            world.send(&value, 0, 0)?;
        }
    }
    Ok(())
}
