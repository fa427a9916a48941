//! The hardware that a rank runs on.

use simurgh_mpi::{Hardware, Info};
use simurgh_mpi_abi_macros::mpi;

use super::info;
use crate::arguments::Out;
use crate::error::Outcome;
use crate::handles::Rank;
use crate::types::MPI_Info;

/// `MPI_Get_hw_resource_info`: the types of hardware resources, and whether the calling rank is restricted to one of
/// each.
#[mpi]
fn get_hw_resource_info(rank: Rank<'_>, hw_info: Out<MPI_Info>) -> Outcome {
    let hardware = rank.process.job().hardware();
    let found = hardware.map_or_else(Info::new, Hardware::resource_info);
    info::give_out(rank, found, hw_info)
}
