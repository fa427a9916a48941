//! The `#[mpi]` attribute: everything that has to be exported for an MPI function follows from one declaration.
//!
//! From
//!
//! ```text
//! /// Sends and returns when the buffer may be used again.
//! #[mpi(large, raises = comm)]
//! fn send(rank: &Rank<'_>, buf: Buffer, count: Count, datatype: MPI_Datatype, dest: c_int, tag: c_int,
//!         comm: MPI_Comm) -> Outcome { … }
//! ```
//!
//! come `PMPI_Send` (strong) and `MPI_Send` (weak, the same address), and `PMPI_Send_c` and `MPI_Send_c`, in which the
//! placeholder types `Count`, `Displ` and `Extent` are replaced by their large counterparts. The first parameter `rank`
//! is not part of the C prototype: it stands for the calling rank, and makes the call an error before `MPI_Init` and
//! after `MPI_Finalize`, unless the option `early` says that the standard allows it at any time. The result `Outcome`
//! becomes the error code, after the error handler has run.
//!
//! `simurgh-mpi-abi-declarations` says what a declaration stands for. The generators of the C headers and of the
//! Fortran interface read the same declarations through it.

mod expand;

use proc_macro::TokenStream;

/// Exports a function of the MPI C ABI; see the crate's documentation.
///
/// The options are:
///
/// * `large`: there is a `_c` twin.
/// * `also_x`: there is a deprecated `_x` name for that twin.
/// * `also = comm_c2f`: a further name.
/// * `formerly = type_struct`: a further name, which the standard has removed.
/// * `replaced_by = type_get_extent`: the standard has removed the function and replaced it by this one.
/// * `raises = comm`: the handle parameter whose error handler is called.
/// * `early`: the call is allowed before `MPI_Init` and after `MPI_Finalize`.
/// * `tool`: the same, and a failure is reported by the error code alone.
/// * `variadic`: the C prototype ends in `...`.
/// * `collective`: the body returns a `ResultOf<Collective<'_>>`, of which all forms of the call are made.
/// * `short`: the blocking form of the collective tries the fast path of `functions::short` first.
/// * `plain`: the call tries the short way of `functions::plain` first, which does not enter the runtime.
/// * `modes(send = Standard: "what it does", …)`: the declaration stands for several functions, each of which finds its
///   send mode in `MODE`.
#[proc_macro_attribute]
pub fn mpi(options: TokenStream, item: TokenStream) -> TokenStream {
    let options = syn::parse_macro_input!(options as simurgh_mpi_abi_declarations::Options);
    let function = syn::parse_macro_input!(item as syn::ItemFn);
    expand::exports(&options, &function).into()
}
