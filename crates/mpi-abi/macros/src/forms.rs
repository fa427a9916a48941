//! The functions that the declaration of a collective stands for.
//!
//! The declared body makes the collective. Each form is a function around it that says what becomes of the collective.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{ItemFn, parse_quote};

use super::parameters;

/// What a call does with the collective that it makes.
#[derive(Clone, Copy)]
enum Form {
    /// Carries it out.
    Blocking,
}

const FORMS: [Form; 1] = [Form::Blocking];

/// One function for each form.
pub(super) fn of(function: &ItemFn) -> Vec<ItemFn> {
    FORMS.into_iter().map(|form| form.around(function)).collect()
}

impl Form {
    fn around(self, declared: &ItemFn) -> ItemFn {
        let mut make = declared.clone();
        make.attrs = vec![parse_quote!(#[inline(always)])];
        make.sig.ident = parse_quote!(make);
        let (_, parameters) = parameters(declared);
        let names = parameters.iter().map(|(name, _)| name);
        let body = self.body(&quote!(make(rank, #(#names),*)?));

        let mut function = declared.clone();
        function.sig.output = parse_quote!(-> Outcome);
        function.block = parse_quote!({ #make #body });
        function
    }

    /// What follows once `made` has been made.
    fn body(self, made: &TokenStream) -> TokenStream {
        match self {
            Form::Blocking => quote!(Ok(#made.run()?)),
        }
    }
}
