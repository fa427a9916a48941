//! Versions, names, clocks and addresses: inquiries that are allowed at any time.

use std::ffi::{c_int, c_void};

use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{Buffer, Out, TextOut};
use crate::constants::*;
use crate::error::Outcome;
use crate::types::MPI_Aint;

/// `MPI_Get_version`: the version of the standard.
#[mpi]
fn get_version(version: Out<c_int>, subversion: Out<c_int>) -> Outcome {
    version.set("version", MPI_VERSION)?;
    subversion.set("subversion", MPI_SUBVERSION)
}

/// `MPI_Get_library_version`: the name and version of the library.
#[mpi]
fn get_library_version(version: TextOut, resultlen: Out<c_int>) -> Outcome {
    let text = concat!(
        "Simurgh ",
        env!("CARGO_PKG_VERSION"),
        ", MPI 5.0, ranks as coroutines"
    );
    version.set("version", text, MPI_MAX_LIBRARY_VERSION_STRING, resultlen)
}

/// `MPI_Get_processor_name`: the name of the node.
#[mpi]
fn get_processor_name(name: TextOut, resultlen: Out<c_int>) -> Outcome {
    let node = rustix::system::uname();
    name.set(
        "name",
        &node.nodename().to_string_lossy(),
        MPI_MAX_PROCESSOR_NAME,
        resultlen,
    )
}

/// `MPI_Wtime`: seconds since some time in the past.
#[mpi]
fn wtime() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// `MPI_Wtick`: the resolution of [`PMPI_Wtime`] in seconds.
#[mpi]
fn wtick() -> f64 {
    let resolution = rustix::time::clock_getres(rustix::time::ClockId::Monotonic);
    resolution.tv_sec as f64 + resolution.tv_nsec as f64 * 1e-9
}

/// `MPI_Pcontrol`: for profiling tools, which replace it; the library does nothing.
#[mpi(variadic)]
fn pcontrol(_level: c_int) -> Outcome {
    Ok(())
}

/// `MPI_Get_address`: the address of a variable as an integer.
#[mpi(formerly = address)]
fn get_address(location: Buffer, address: Out<MPI_Aint>) -> Outcome {
    address.set("address", location.address().expose_provenance() as MPI_Aint)
}

/// `MPI_Aint_add`: the address `disp` bytes behind `base`.
#[mpi]
fn aint_add(base: MPI_Aint, disp: MPI_Aint) -> MPI_Aint {
    base.wrapping_add(disp)
}

/// `MPI_Aint_diff`: the distance from `addr2` to `addr1` in bytes.
#[mpi]
fn aint_diff(addr1: MPI_Aint, addr2: MPI_Aint) -> MPI_Aint {
    addr1.wrapping_sub(addr2)
}

/// A C pointer and an address of the standard have the same size, which [`PMPI_Get_address`] relies on.
const _: () = assert!(size_of::<MPI_Aint>() == size_of::<*const c_void>());
