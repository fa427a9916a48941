//! `#[derive(Equivalence)]`, MPI datatypes of Rust structs, and `#[derive(Code)]`, numbers of the values of enums. Use
//! them through the crate `simurgh`, which documents them.
//!
//! # Layers
//!
//! * `code`: the implementation of `Code`.
//! * `equivalence`: the implementation of `Equivalence`.

mod code;
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

/// Implements `Code` for an enum without fields, so that its values can be sent as numbers; see `simurgh::Coded`.
#[proc_macro_derive(Code)]
pub fn derive_code(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    code::expand(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
