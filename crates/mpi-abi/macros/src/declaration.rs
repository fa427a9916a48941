//! What one declaration says: options, C names, widths of its placeholder types.

#[path = "forms.rs"]
mod forms;

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{FnArg, Ident, ItemFn, LitStr, Pat, ReturnType, Token, Type};

/// The options in the parentheses of `#[mpi(…)]`.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) large: bool,
    pub(crate) also_x: bool,
    pub(crate) raises: Option<Ident>,
    pub(crate) early: bool,
    pub(crate) tool: bool,
    pub(crate) variadic: bool,
    pub(crate) collective: bool,
    /// Whether the blocking form of a collective tries `functions::short` first.
    pub(crate) short: bool,
    pub(crate) modes: Vec<Mode>,
}

/// One of the functions that a declaration with `modes(…)` stands for: `send = Standard: "what it does"`.
pub(crate) struct Mode {
    function: Ident,
    mode: Ident,
    does: LitStr,
}

impl Parse for Mode {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let function = input.parse()?;
        input.parse::<Token![=]>()?;
        let mode = input.parse()?;
        input.parse::<Token![:]>()?;
        let does = input.parse()?;
        Ok(Self { function, mode, does })
    }
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut options = Options::default();
        while !input.is_empty() {
            let word: Ident = input.parse()?;
            match word.to_string().as_str() {
                "large" => options.large = true,
                "also_x" => options.also_x = true,
                "raises" => {
                    input.parse::<Token![=]>()?;
                    options.raises = Some(input.parse()?);
                }
                "early" => options.early = true,
                "tool" => options.tool = true,
                "variadic" => options.variadic = true,
                "collective" => options.collective = true,
                "short" => options.short = true,
                "modes" => {
                    let list;
                    syn::parenthesized!(list in input);
                    options.modes = Punctuated::<Mode, Token![,]>::parse_terminated(&list)?
                        .into_iter()
                        .collect();
                }
                other => return Err(syn::Error::new(word.span(), format!("unknown option `{other}`"))),
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    }
}

/// The width in which the placeholder types of a declaration are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    Narrow,
    Large,
}

impl Width {
    /// The concrete type behind a placeholder, if `name` is one.
    fn concrete(self, name: &str) -> Option<Type> {
        Some(match (self, name) {
            (Width::Narrow, "Count" | "Displ") => syn::parse_quote!(::core::ffi::c_int),
            (Width::Narrow, "Extent") | (Width::Large, "Displ") => syn::parse_quote!(crate::types::MPI_Aint),
            (Width::Large, "Count" | "Extent") => syn::parse_quote!(crate::types::MPI_Count),
            _ => return None,
        })
    }
}

impl VisitMut for Width {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(path) = ty
            && let Some(name) = path.path.get_ident()
            && let Some(concrete) = self.concrete(&name.to_string())
        {
            *ty = concrete;
        } else {
            visit_mut::visit_type_mut(self, ty);
        }
    }
}

/// The functions that a declaration stands for: itself, or one for each form of a collective, or one for each of its
/// modes, which its body finds in `MODE`.
pub(crate) fn declared(options: &Options, function: &ItemFn) -> Vec<ItemFn> {
    if options.collective {
        return forms::of(options, function);
    }
    if options.modes.is_empty() {
        return vec![function.clone()];
    }
    let in_mode = |Mode {
                       function: name,
                       mode,
                       does,
                   }: &Mode| {
        let mut function = function.clone();
        function.sig.ident = name.clone();
        let doc = format!(" `MPI_{}`: {}", c_name(&function), does.value());
        function.attrs = vec![syn::parse_quote!(#[doc = #doc])];
        let constant = syn::parse_quote!(const MODE: ::simurgh_mpi::Mode = ::simurgh_mpi::Mode::#mode;);
        function.block.stmts.insert(0, constant);
        function
    };
    options.modes.iter().map(in_mode).collect()
}

/// `send` becomes `Send`: the part of the C name behind `MPI_`.
fn c_name(function: &ItemFn) -> String {
    let name = function.sig.ident.to_string();
    let mut letters = name.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The C names that a declaration exports, without `MPI_`, and the width of each.
pub(crate) fn exported_names(options: &Options, function: &ItemFn) -> Vec<(String, Width)> {
    let name = c_name(function);
    let mut names = vec![(name.clone(), Width::Narrow)];
    if options.large {
        names.push((format!("{name}_c"), Width::Large));
    }
    if options.also_x {
        names.push((format!("{name}_x"), Width::Large));
    }
    names
}

/// The parameters of the C function, and whether the declaration asks for the calling rank before them.
pub(crate) fn parameters(function: &ItemFn) -> (bool, Vec<(&Ident, &Type)>) {
    let mut needs_rank = false;
    let mut parameters = Vec::new();
    for input in &function.sig.inputs {
        let FnArg::Typed(typed) = input else { continue };
        let Pat::Ident(pattern) = &*typed.pat else {
            continue;
        };
        if is_rank(&typed.ty) {
            needs_rank = true;
        } else {
            parameters.push((&pattern.ident, &*typed.ty));
        }
    }
    (needs_rank, parameters)
}

/// Whether a parameter's type is that of the calling rank.
fn is_rank(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Rank"))
}

/// Whether the function reports success or failure (and not a plain value such as a time).
pub(crate) fn returns_outcome(function: &ItemFn) -> bool {
    match &function.sig.output {
        ReturnType::Type(_, ty) => matches!(&**ty, Type::Path(path) if path.path.is_ident("Outcome")),
        ReturnType::Default => false,
    }
}
