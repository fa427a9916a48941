//! `#[derive(Equivalence)]`: MPI datatypes of Rust structs. Use it through the crate `simurgh`, which documents it.

mod equivalence;

use proc_macro::TokenStream;

/// Implements `Equivalence` for a struct, so that its values can be sent and received; see `simurgh::Equivalence`.
#[proc_macro_derive(Equivalence)]
pub fn derive_equivalence(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    equivalence::expand(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
