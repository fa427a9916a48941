//! The implementation of `Equivalence` for a struct.
//!
//! The datatype has the offset of each field, so that padding is neither read nor written. The compiler checks that the
//! fields are `Equivalence` themselves. The datatype is made once for each type.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Generics, Member, Result, Type, WherePredicate, parse_quote};

/// The `impl` for the struct.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields(input)?;
    check_representation(input)?;
    let generics = generics(input, &fields)?;
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let name = &input.ident;
    let records = fields.iter().map(|(member, kind)| {
        quote! {
            ::simurgh::derive_support::Field {
                offset: ::core::mem::offset_of!(Self, #member) as isize,
                count: <#kind as ::simurgh::Equivalence>::COUNT,
                datatype: <#kind as ::simurgh::Equivalence>::datatype(),
            }
        }
    });
    let make = quote! {
        || ::simurgh::derive_support::Datatype::record(&[#(#records),*], ::core::mem::size_of::<Self>())
    };
    let datatype = if input.generics.params.is_empty() {
        quote! {
            static DATATYPE: ::std::sync::OnceLock<::simurgh::derive_support::Datatype> =
                ::std::sync::OnceLock::new();
            DATATYPE.get_or_init(#make).clone()
        }
    } else {
        // All types that the parameters make have the statics of the function in common.
        quote! { ::simurgh::derive_support::once_for::<Self>(#make) }
    };
    Ok(quote! {
        // SAFETY:
        // - the datatype has the struct's size and describes its fields only, which keep the promises themselves;
        //   `Copy` structs have no destructor, and fields that are `Equivalence` are free of interior mutability.
        #[automatically_derived]
        unsafe impl #parameters ::simurgh::Equivalence for #name #arguments #bounds {
            const COUNT: usize = 1;

            fn datatype() -> ::simurgh::derive_support::Datatype {
                #datatype
            }
        }
    })
}

/// The parameters of the struct, with the bounds that type parameters and fields are `Equivalence`.
fn generics(input: &DeriveInput, fields: &[(Member, &Type)]) -> Result<Generics> {
    let mut generics = input.generics.clone();
    if let Some(lifetime) = generics.lifetimes().next() {
        let message = "a struct with references cannot be received";
        return Err(Error::new_spanned(lifetime, message));
    }
    if generics.params.is_empty() {
        return Ok(generics);
    }
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::simurgh::Equivalence));
    }
    let types = fields.iter().map(|(_, kind)| kind);
    let bounds = types.map(|kind| -> WherePredicate { parse_quote!(#kind: ::simurgh::Equivalence) });
    generics.make_where_clause().predicates.extend(bounds);
    Ok(generics)
}

/// The fields by name or number, with their types.
fn fields(input: &DeriveInput) -> Result<Vec<(Member, &Type)>> {
    let Data::Struct(data) = &input.data else {
        let message = "Equivalence can be derived only for structs: a message could bring bytes that are no value \
                       of an enum or a union; send an enum as `Coded`, or a number, and convert it";
        return Err(Error::new_spanned(&input.ident, message));
    };
    let types = match &data.fields {
        Fields::Named(fields) => fields.named.iter(),
        Fields::Unnamed(fields) => fields.unnamed.iter(),
        Fields::Unit => return Ok(Vec::new()),
    };
    Ok(data.fields.members().zip(types.map(|field| &field.ty)).collect())
}

/// Checks that the layout of the struct is defined: only then is it the same in every program that exchanges it.
fn check_representation(input: &DeriveInput) -> Result<()> {
    let mut fixed = false;
    for attribute in input
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("repr"))
    {
        attribute.parse_nested_meta(|meta| {
            fixed |= meta.path.is_ident("C") || meta.path.is_ident("transparent");
            if meta.input.peek(syn::token::Paren) {
                // Skips the number of `packed(2)` or `align(16)`.
                let number;
                syn::parenthesized!(number in meta.input);
                number.parse::<syn::LitInt>()?;
            }
            Ok(())
        })?;
    }
    if fixed {
        return Ok(());
    }
    Err(Error::new_spanned(
        &input.ident,
        "a struct with Equivalence needs #[repr(C)] or #[repr(transparent)]",
    ))
}
