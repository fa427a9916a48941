//! From the declaration to the exported items.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use simurgh_mpi_abi_declarations::{Exported, Options, declared, exported, parameters, returns_outcome};
use syn::ItemFn;
use syn::visit_mut::VisitMut;

/// All exports of one declaration.
pub(crate) fn exports(options: &Options, function: &ItemFn) -> TokenStream {
    let mut exports = TokenStream::new();
    for function in declared(options, function) {
        for named in exported(options, &function) {
            exports.extend(export(options, &function, named));
        }
    }
    exports
}

/// One strong `PMPI_` function in one width, and its weak `MPI_` name.
fn export(options: &Options, declared: &ItemFn, named: Exported) -> TokenStream {
    let Exported {
        name,
        mut width,
        successor,
    } = named;
    let removed = successor.map(|successor| format!(" Removed from MPI: `MPI_{successor}` takes its place."));
    let removed = removed.map(|text| quote!(#[doc = ""] #[doc = #text]));
    let mut function = declared.clone();
    width.visit_item_fn_mut(&mut function);
    let call = format!("MPI_{name}");
    let strong = format_ident!("PMPI_{name}");
    // The alias has to sit in the module of the function, or codegen may put them in different objects.
    let alias = format!(".weak MPI_{name}\n.set MPI_{name}, PMPI_{name}\n.type MPI_{name}, @function");

    let docs = function
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"));
    let (_, c_parameters) = parameters(&function);
    let names = c_parameters.iter().map(|(name, _)| name);
    let types = c_parameters.iter().map(|(_, ty)| ty);
    let body = match options.plain {
        true => plain_first(&function, &call_body(options, &function, &call)),
        false => call_body(options, &function, &call),
    };
    // A function that ignores its variable arguments needs no code for them under the System V and AAPCS64 calling
    // conventions.
    let variadic = options
        .variadic
        .then(|| quote!(#[doc = "The C prototype ends in `...`."]));
    let result = if returns_outcome(&function) {
        quote!(-> ::core::ffi::c_int)
    } else {
        let output = &function.sig.output;
        quote!(#output)
    };
    quote! {
        #(#docs)*
        #removed
        ///
        #variadic
        ///
        /// # Safety
        ///
        /// The arguments are what the MPI standard asks for: pointers are valid for what the call reads or writes
        /// through them, or one of the standard's special addresses.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "names and arguments are the standard's")]
        pub unsafe extern "C" fn #strong(#(#names: #types),*) #result { #body }
        ::core::arch::global_asm!(#alias);
    }
}

/// The statements of an exported function that tries the short way first. The ordinary way has a function of its own,
/// so that the short one has all registers.
fn plain_first(function: &ItemFn, body: &TokenStream) -> TokenStream {
    let (_, parameters) = parameters(function);
    let (names, types): (Vec<_>, Vec<_>) = parameters.into_iter().unzip();
    let ident = &function.sig.ident;
    quote! {
        #[cold]
        #[inline(never)]
        #[allow(clippy::too_many_arguments, reason = "the standard's arguments")]
        extern "C" fn ordinary(#(#names: #types),*) -> ::core::ffi::c_int { #body }
        if crate::functions::plain::#ident(#(#names),*) {
            return crate::constants::MPI_SUCCESS;
        }
        ordinary(#(#names),*)
    }
}

/// The statements of the exported function: the declared function nested inside, and the call of it.
fn call_body(options: &Options, function: &ItemFn, call: &str) -> TokenStream {
    let (needs_rank, parameters) = parameters(function);
    let names = parameters.iter().map(|(name, _)| name);
    let mut inner = function.clone();
    inner.attrs.clear();
    let ident = &inner.sig.ident;
    let arguments = quote!(#(#names),*);
    let handler = match &options.raises {
        Some(handle) => quote!(crate::error::RaisedOn::from(#handle)),
        None => quote!(crate::error::RaisedOn::Default),
    };
    let finish = match (needs_rank, returns_outcome(function)) {
        (true, true) if options.tool => quote!(crate::tool::enter(|rank| #ident(rank, #arguments))),
        (true, true) if options.early => {
            quote!(crate::call::early(#call, #handler, |rank| #ident(rank, #arguments)))
        }
        (true, true) => quote!(crate::call::enter(&inside, #call, #handler, |rank| #ident(rank, #arguments))),
        (false, true) => quote!(crate::call::anytime(#call, #handler, || #ident(#arguments))),
        (_, false) => quote!(#ident(#arguments)),
    };
    let is_told = needs_rank && !options.tool && !options.early;
    let inside = format_ident!("{}", if is_told { "inside" } else { "_inside" });
    // A function that only returns a value is over before a signal could matter.
    let enter = returns_outcome(function).then(|| quote!(let #inside = ::simurgh_core::enter_runtime();));
    quote! {
        #[inline(always)]
        #[allow(clippy::too_many_arguments, reason = "the standard's arguments")]
        #inner
        #enter
        #finish
    }
}
