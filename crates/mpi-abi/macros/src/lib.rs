//! The `#[mpi]` attribute: one declaration of an MPI function, and all that has to be exported follows from it.
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
//! come `PMPI_Send` (strong) and `MPI_Send` (weak, the same address), and `PMPI_Send_c` and `MPI_Send_c` with the
//! placeholder types `Count`, `Displ` and `Extent` replaced by their large counterparts. A first parameter `rank` is
//! not part of the C prototype: it stands for the calling rank and makes the call an error before `MPI_Init` and after
//! `MPI_Finalize`, unless the option `early` says that the standard allows it at any time.
//! `Outcome` as the result becomes the error code, after the error handler has run.
//!
//! The header generator (`tests/header.rs` of the parent crate) reads the same declarations.

mod declaration;
mod expand;

use proc_macro::TokenStream;

/// Exports a function of the MPI C ABI; see the crate's documentation.
///
/// Options: `large` (there is a `_c` twin), `also_x` (and a deprecated `_x` name for that twin), `also = comm_c2f` (a
/// further name), `formerly = type_struct` (a further name, which the standard has removed), `replaced_by =
/// type_get_extent` (the standard has removed the function, and has this one in its place), `raises = comm` (the
/// handle parameter whose error handler is called), `early` (allowed before `MPI_Init` and after `MPI_Finalize`),
/// `tool` (so too, and a failure is told by the code alone),
/// `variadic` (the C prototype ends in `...`), `collective` (the body gives a `ResultOf<Collective<'_>>`, of which all
/// forms of the call are made), `modes(send = Standard: "what it does", …)` (the declaration stands for
/// several functions, each of which finds its send mode in `MODE`).
#[proc_macro_attribute]
pub fn mpi(options: TokenStream, item: TokenStream) -> TokenStream {
    let options = syn::parse_macro_input!(options as declaration::Options);
    let function = syn::parse_macro_input!(item as syn::ItemFn);
    expand::exports(&options, &function).into()
}
