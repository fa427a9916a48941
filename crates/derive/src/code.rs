//! The implementation of `Code` for an enum without fields.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Ident, Result, Variant};

/// The types of numbers that an enum can have.
const NUMBERS: [&str; 10] = [
    "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize",
];

/// The `impl` for the enum.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let variants = variants(input)?;
    let number = number(input)?;
    let name = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl ::simurgh::Code for #name {
            type Number = #number;

            fn number(self) -> #number {
                self as #number
            }

            fn from_number(number: #number) -> ::core::option::Option<Self> {
                #(
                    if number == Self::#variants as #number {
                        return ::core::option::Option::Some(Self::#variants);
                    }
                )*
                ::core::option::Option::None
            }
        }
    })
}

/// The names of the variants, which must have no fields.
fn variants(input: &DeriveInput) -> Result<Vec<&Ident>> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(
            &input.ident,
            "Code can be derived only for enums",
        ));
    };
    data.variants.iter().map(name_of).collect()
}

/// The name of a variant, which must have no fields.
fn name_of(variant: &Variant) -> Result<&Ident> {
    match variant.fields {
        Fields::Unit => Ok(&variant.ident),
        _ => Err(Error::new_spanned(
            &variant.ident,
            "a variant with fields is more than a number",
        )),
    }
}

/// The type of the numbers, which the enum's representation names: only then is it the same in every program.
fn number(input: &DeriveInput) -> Result<Ident> {
    let mut number = None;
    for attribute in &input.attrs {
        if attribute.path().is_ident("repr") {
            attribute.parse_nested_meta(|meta| {
                let named = meta.path.get_ident();
                let named = named.filter(|name| NUMBERS.iter().any(|number| name == number));
                number = number.take().or_else(|| named.cloned());
                Ok(())
            })?;
        }
    }
    number.ok_or_else(|| {
        let message = "an enum with Code needs #[repr(u8)], or another type of integers";
        Error::new_spanned(&input.ident, message)
    })
}
