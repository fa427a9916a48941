//! Establishing communication between groups that were started separately: by ports, which may have names, or by a
//! socket.

use std::ffi::c_int;
use std::os::fd::BorrowedFd;

use simurgh_mpi::ErrorClass;
use simurgh_mpi_abi_macros::mpi;

use super::comm_create::give_out;
use crate::arguments::{Out, Text, TextOut};
use crate::constants::{MPI_COMM_NULL, MPI_MAX_PORT_NAME};
use crate::error::{CallError, Outcome};
use crate::handles::Rank;
use crate::types::{MPI_Comm, MPI_Info};

/// `MPI_Open_port`: opens a port for other groups to connect to.
#[mpi]
fn open_port(rank: Rank<'_>, info: MPI_Info, port_name: TextOut) -> Outcome {
    rank.hints(info)?;
    let port = rank.process.open_port()?;
    port_name.set_bytes("port_name", port.as_bytes(), MPI_MAX_PORT_NAME as usize)
}

/// `MPI_Close_port`: closes a port.
#[mpi]
fn close_port(rank: Rank<'_>, port_name: Text) -> Outcome {
    Ok(rank.process.close_port(port_name.read("port_name")?)?)
}

/// `MPI_Comm_accept`: waits for a group that connects to a port.
#[mpi(raises = comm)]
fn comm_accept(
    rank: Rank<'_>,
    port_name: Text,
    info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    newcomm: Out<MPI_Comm>,
) -> Outcome {
    newcomm.check("newcomm")?;
    let port = || {
        rank.hints(info)?;
        Ok(port_name.read("port_name")?)
    };
    give_out(rank, Some(rank.comm(comm)?.accept_at(root, port)?), newcomm)
}

/// `MPI_Comm_connect`: connects to a group that accepts at a port. The info key `timeout` is the number of seconds to
/// wait for that.
#[mpi(raises = comm)]
fn comm_connect(
    rank: Rank<'_>,
    port_name: Text,
    info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    newcomm: Out<MPI_Comm>,
) -> Outcome {
    newcomm.check("newcomm")?;
    let port = || {
        let patience = rank.hints(info)?.seconds("timeout");
        Ok((port_name.read("port_name")?, patience))
    };
    give_out(rank, Some(rank.comm(comm)?.connect_to(root, port)?), newcomm)
}

/// `MPI_Comm_join`: an inter-communicator with the process at the other end of a socket.
#[mpi]
fn comm_join(rank: Rank<'_>, fd: c_int, intercomm: Out<MPI_Comm>) -> Outcome {
    intercomm.check("intercomm")?;
    if fd < 0 {
        let reason = format!("fd is {fd}: it is a connected socket");
        return Err(CallError::new(ErrorClass::Arg, reason));
    }
    // SAFETY:
    // - the program passes a descriptor that stays open during the call; if it is none, system calls on it fail.
    let socket = unsafe { BorrowedFd::borrow_raw(fd) };
    match rank.process.join(socket)? {
        Some(comm) => give_out(rank, Some(comm), intercomm),
        None => intercomm.set("intercomm", MPI_COMM_NULL),
    }
}

/// `MPI_Publish_name`: publishes a port under the name of a service.
#[mpi]
fn publish_name(rank: Rank<'_>, service_name: Text, info: MPI_Info, port_name: Text) -> Outcome {
    rank.hints(info)?;
    let (service, port) = (service_name.read("service_name")?, port_name.read("port_name")?);
    Ok(rank.process.publish_name(service, port)?)
}

/// `MPI_Unpublish_name`: removes the name of a service.
#[mpi]
fn unpublish_name(rank: Rank<'_>, service_name: Text, info: MPI_Info, port_name: Text) -> Outcome {
    rank.hints(info)?;
    let (service, port) = (service_name.read("service_name")?, port_name.read("port_name")?);
    Ok(rank.process.unpublish_name(service, port)?)
}

/// `MPI_Lookup_name`: the port of a service.
#[mpi]
fn lookup_name(rank: Rank<'_>, service_name: Text, info: MPI_Info, port_name: TextOut) -> Outcome {
    rank.hints(info)?;
    let port = rank.process.lookup_name(service_name.read("service_name")?)?;
    port_name.set_bytes("port_name", port.as_bytes(), MPI_MAX_PORT_NAME as usize)
}
