//! The declarations of `src/` as plain Rust that cbindgen understands.

use std::collections::BTreeMap;
use std::path::Path;

use quote::{ToTokens, format_ident, quote};
use simurgh_mpi_abi_declarations::collect::functions;
use simurgh_mpi_abi_declarations::{Declared, Width, parameters, parse, returns_outcome};
use syn::visit_mut::{self, VisitMut};
use syn::{GenericArgument, Item, ItemFn, PathArguments, Type, parse_quote};

/// The content of the header, as Rust source for cbindgen.
#[derive(Default)]
pub(crate) struct Plain {
    /// Types, and the names of all of them.
    pub(crate) types: String,
    pub(crate) type_names: Vec<String>,
    /// The callback types, as if each were a function.
    pub(crate) callbacks: String,
    /// Older names of callback types.
    pub(crate) callback_aliases: Vec<(String, String)>,
    /// The functions, by name.
    pub(crate) functions: BTreeMap<String, String>,
    /// The functions that the standard has removed.
    pub(crate) removed: BTreeMap<String, String>,
}

impl Plain {
    /// Collects the declarations below `src`.
    pub(crate) fn collect(src: &Path) -> Self {
        let mut plain = Plain::default();
        for item in parse(&src.join("types.rs")).items {
            plain.add_type(item);
        }
        for declared in functions(&src.join("functions")) {
            plain.add_prototypes(&declared);
        }
        plain
    }

    fn add_type(&mut self, item: Item) {
        match item {
            Item::Macro(handles) if handles.mac.path.is_ident("handles") => {
                for token in handles.mac.tokens {
                    self.add_handle(&token.to_string());
                }
            }
            Item::Type(alias) => match &*alias.ty {
                Type::BareFn(function) => {
                    let (name, inputs, output) = (&alias.ident, function.inputs.iter(), &function.output);
                    let variadic = function.variadic.as_ref().map(|_| quote!(...));
                    let declared = quote!(
                        #[no_mangle]
                        pub unsafe extern "C" fn #name(#(#inputs,)* #variadic) #output {}
                    );
                    self.callbacks.push_str(&declared.to_string());
                }
                Type::Path(path) if alias.ident.to_string().ends_with("_fn") => {
                    let target = path.path.to_token_stream().to_string();
                    self.callback_aliases.push((alias.ident.to_string(), target));
                }
                _ => self.push_type(alias.ident.to_string(), alias.to_token_stream()),
            },
            Item::Struct(layout) => self.push_type(layout.ident.to_string(), layout.to_token_stream()),
            Item::Enum(kinds) => self.push_type(kinds.ident.to_string(), kinds.to_token_stream()),
            _ => {}
        }
    }

    /// A handle is a pointer to a type that is never complete.
    fn add_handle(&mut self, name: &str) {
        let handle = format_ident!("{name}");
        let tag = match name.strip_prefix("MPI_T_") {
            Some(_) => format_ident!("{name}_t"),
            None => format_ident!("{}", name.replacen("MPI_", "MPI_ABI_", 1)),
        };
        self.push_type(tag.to_string(), quote!(pub struct #tag;));
        self.push_type(name.to_owned(), quote!(pub type #handle = *mut #tag;));
    }

    fn push_type(&mut self, name: String, declaration: proc_macro2::TokenStream) {
        self.types.push_str(&declaration.to_string());
        self.type_names.push(name);
    }

    /// The prototypes of one function.
    fn add_prototypes(&mut self, declared: &Declared) {
        let Declared {
            exported: named,
            function,
            variadic,
        } = declared;
        let width = named.width;
        for prefix in ["MPI_", "PMPI_"] {
            let name = format!("{prefix}{}", named.name);
            let documented =
                prefix == "MPI_" && width == Width::Narrow && is_documented(function, &named.name);
            let declared = prototype(&name, function, *variadic, documented);
            match &named.successor {
                None => self.functions.insert(name, declared),
                Some(successor) => {
                    let remedy = format!("removed from MPI: use {prefix}{successor}");
                    // The standard removed these functions before it knew `const`.
                    let declared = declared.replace("* const", "* mut");
                    let declared = format!("#[deprecated(note = \"{remedy}\")] {declared}");
                    self.removed.insert(name, declared)
                }
            };
        }
    }
}

/// Whether the documentation of the declared function is about the one of this name.
fn is_documented(function: &ItemFn, name: &str) -> bool {
    let start = format!("`MPI_{name}`:");
    let docs = function
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"));
    docs.map(ToTokens::to_token_stream)
        .any(|doc| doc.to_string().contains(&start))
}

/// The prototype of one exported function.
fn prototype(name: &str, function: &ItemFn, variadic: bool, documented: bool) -> String {
    let ident = format_ident!("{name}");
    let (_, c_parameters) = parameters(function);
    let inputs = c_parameters.iter().map(|(name, ty)| {
        let name = format_ident!("{}", name.to_string().trim_matches('_'));
        let mut ty = (*ty).clone();
        Lower.visit_type_mut(&mut ty);
        quote!(#name: #ty)
    });
    let ellipsis = variadic.then(|| quote!(...));
    let output = if returns_outcome(function) {
        parse_quote!(-> c_int)
    } else {
        function.sig.output.clone()
    };
    let docs = function
        .attrs
        .iter()
        .filter(|attribute| documented && attribute.path().is_ident("doc"));
    quote!(#(#docs)* #[no_mangle] pub unsafe extern "C" fn #ident(#(#inputs,)* #ellipsis) #output {})
        .to_string()
}

/// Replaces the parameter types of `arguments.rs` by the pointers that they are.
struct Lower;

impl VisitMut for Lower {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        let Type::Path(path) = &*ty else {
            return visit_mut::visit_type_mut(self, ty);
        };
        let last = path.path.segments.last().expect("paths are not empty");
        let inner = match &last.arguments {
            PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
                Some(GenericArgument::Type(inner)) => Some(inner.clone()),
                _ => None,
            },
            _ => None,
        };
        let lowered: Option<Type> = match (last.ident.to_string().as_str(), inner) {
            ("Out" | "InOut" | "ArrayMut" | "Callback", Some(inner)) => Some(parse_quote!(*mut #inner)),
            ("In" | "Array", Some(inner)) => Some(parse_quote!(*const #inner)),
            ("Buffer", None) => Some(parse_quote!(*const c_void)),
            ("BufferMut", None) => Some(parse_quote!(*mut c_void)),
            ("Text", None) => Some(parse_quote!(*const c_char)),
            ("StatusOut" | "StatusesOut", None) => Some(parse_quote!(*mut MPI_Status)),
            ("Safety", None) => Some(parse_quote!(MPI_T_cb_safety)),
            ("TextOut", None) => Some(parse_quote!(*mut c_char)),
            (name, None) if path.path.segments.len() > 1 => {
                let name = format_ident!("{name}");
                Some(parse_quote!(#name))
            }
            _ => None,
        };
        if let Some(lowered) = lowered {
            *ty = lowered;
            visit_mut::visit_type_mut(self, ty);
        }
    }
}
