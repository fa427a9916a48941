//! Blocking messages.

use super::{View, ViewMut};
use simurgh_mpi::Comm;
use simurgh_mpi::Result;
use simurgh_mpi::Status;
use simurgh_mpi::{Message, Mode};

/// Sends ([`Comm::send_in`]).
///
/// # Errors
///
/// As the call of the communicator.
#[inline]
pub fn send<V: View + ?Sized>(comm: &Comm, values: &V, dest: i32, tag: i32, mode: Mode) -> Result<()> {
    // SAFETY:
    // - the calls are complete when they return.
    let values = unsafe { values.source() };
    comm.send_in(mode, &values, dest, tag)
}

/// Receives ([`Comm::recv`]).
///
/// # Errors
///
/// As the call of the communicator.
// The result goes straight to the place where the caller wants it.
#[inline(never)]
pub fn receive<V: ViewMut + ?Sized>(comm: &Comm, values: &mut V, from: i32, tag: i32) -> Result<Status> {
    // SAFETY:
    // - the call is complete when it returns.
    comm.recv_with(|| unsafe { values.target() }, from, tag)
}

/// Sends and receives ([`Comm::sendrecv`]): `to` and `from` are a rank and a tag.
///
/// # Errors
///
/// As the call of the communicator.
pub fn send_receive<S: View + ?Sized, R: ViewMut + ?Sized>(
    comm: &Comm,
    sent: &S,
    to: (i32, i32),
    received: &mut R,
    from: (i32, i32),
) -> Result<Status> {
    // SAFETY:
    // - the call is complete when it returns.
    let (sent, received) = unsafe { (sent.source(), received.target()) };
    comm.sendrecv(&sent, to.0, to.1, &received, from.0, from.1)
}

/// Sends values and receives others in their place ([`Comm::sendrecv_replace`]): `to` and `from` are a rank and a tag.
///
/// # Errors
///
/// As the call of the communicator.
pub fn send_receive_in_place<V: ViewMut + ?Sized>(
    comm: &Comm,
    values: &mut V,
    to: (i32, i32),
    from: (i32, i32),
) -> Result<Status> {
    // SAFETY:
    // - the call is complete when it returns.
    let values = unsafe { values.target() };
    comm.sendrecv_replace(&values, to.0, to.1, from.0, from.1)
}

/// Receives a message that was probed ([`Message::recv`]).
///
/// # Errors
///
/// As the call of the message.
pub fn receive_message<V: ViewMut + ?Sized>(message: Message, values: &mut V) -> Result<Status> {
    // SAFETY:
    // - the call is complete when it returns.
    message.recv(&unsafe { values.target() })
}
