//! The functions of a collective's declaration.
//!
//! The declared body makes the collective. Each form is a function around it that runs, starts or sets up the
//! collective, and has the parameters that the standard adds for that.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{FnArg, Ident, ItemFn, parse_quote};

use super::{Options, c_name, parameters};

/// The form of a collective call.
#[derive(Clone, Copy)]
enum Form {
    /// Runs the collective: `MPI_Bcast`.
    Blocking,
    /// Starts the collective: `MPI_Ibcast`.
    Nonblocking,
    /// Sets the collective up to be started: `MPI_Bcast_init`.
    Persistent,
}

const FORMS: [Form; 3] = [Form::Blocking, Form::Nonblocking, Form::Persistent];

/// One function for each form.
pub(super) fn of(options: &Options, function: &ItemFn) -> Vec<ItemFn> {
    let comm = options
        .raises
        .as_ref()
        .expect("a collective raises its errors on its communicator");
    FORMS
        .into_iter()
        .map(|form| form.around(options, function, comm))
        .collect()
}

impl Form {
    fn around(self, options: &Options, declared: &ItemFn, comm: &Ident) -> ItemFn {
        let mut make = declared.clone();
        make.attrs = vec![parse_quote!(#[inline(always)])];
        make.sig.ident = parse_quote!(make);
        let (_, parameters) = parameters(declared);
        let names: Vec<_> = parameters.iter().map(|(name, _)| name).collect();
        let body = self.body(&quote!(make(rank, #(#names),*)?), comm);
        let ident = &declared.sig.ident;
        let mut function = declared.clone();
        function.sig.output = parse_quote!(-> Outcome);
        function.sig.inputs.extend(self.parameters());
        function.block = parse_quote!({ #make #body });
        if options.short && matches!(self, Form::Blocking) {
            // The ordinary way has a function of its own, so that the short one has a small frame: ranks that wait in
            // a collective come back to a stack that has left the cache.
            let mut ordinary = function.clone();
            ordinary.attrs = vec![parse_quote!(#[inline(never)])];
            ordinary.sig.ident = parse_quote!(ordinary);
            function.block = parse_quote!({
                #ordinary
                match crate::functions::short::#ident(rank, #(#names),*) {
                    Some(outcome) => outcome,
                    None => ordinary(rank, #(#names),*),
                }
            });
        }
        self.rename(&mut function);
        function
    }

    /// Gives the function the name that the standard derives, and a documentation.
    fn rename(self, function: &mut ItemFn) {
        let (blocking, span) = (function.sig.ident.to_string(), function.sig.ident.span());
        let call = c_name(&function.sig.ident);
        let (name, does) = match self {
            Form::Blocking => return,
            Form::Nonblocking => (format!("i{blocking}"), "starts"),
            Form::Persistent => (format!("{blocking}_init"), "sets up"),
        };
        function.sig.ident = Ident::new(&name, span);
        let doc = format!(
            " `MPI_{}`: {does} what `MPI_{call}` runs.",
            c_name(&function.sig.ident)
        );
        function.attrs = vec![parse_quote!(#[doc = #doc])];
    }

    /// The parameters that follow those of the blocking form.
    fn parameters(self) -> Vec<FnArg> {
        let request = parse_quote!(request: crate::arguments::Out<crate::types::MPI_Request>);
        match self {
            Form::Blocking => vec![],
            Form::Nonblocking => vec![request],
            Form::Persistent => vec![parse_quote!(info: crate::types::MPI_Info), request],
        }
    }

    /// The statements after `made`, which makes the collective.
    fn body(self, made: &TokenStream, comm: &Ident) -> TokenStream {
        match self {
            Form::Blocking => quote!(Ok(#made.run()?)),
            Form::Nonblocking => quote! {
                request.check("request")?;
                crate::functions::nonblocking::give_out(rank, #made.start()?, #comm, request)
            },
            Form::Persistent => quote! {
                request.check("request")?;
                rank.hints(info)?;
                crate::functions::nonblocking::give_out(rank, #made.persistent(), #comm, request)
            },
        }
    }
}
