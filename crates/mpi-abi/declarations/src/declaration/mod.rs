//! The content of a declaration: options, C names, widths of its placeholder types.

mod forms;

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{FnArg, Ident, ItemFn, LitStr, Pat, ReturnType, Token, Type};

/// The options in the parentheses of `#[mpi(…)]`.
#[derive(Default)]
pub struct Options {
    /// There is a `_c` twin.
    pub large: bool,
    /// There is a deprecated `_x` name for that twin.
    pub also_x: bool,
    /// A further name of the function.
    pub also: Option<Ident>,
    /// The name that the function had before the standard removed it.
    pub formerly: Option<Ident>,
    /// The function that replaces this one, which the standard has removed.
    pub replaced_by: Option<Ident>,
    /// The handle parameter whose error handler is called.
    pub raises: Option<Ident>,
    /// The call is allowed at any time.
    pub early: bool,
    /// The same, and a failure is reported by the error code alone.
    pub tool: bool,
    /// The C prototype ends in `...`.
    pub variadic: bool,
    /// The body makes a collective, in all forms of the call.
    pub collective: bool,
    /// Whether the blocking form of a collective tries `functions::short` first.
    pub short: bool,
    /// Whether `functions::plain` is tried first, outside of the runtime.
    pub plain: bool,
    /// The functions for the modes of sends.
    pub modes: Vec<Mode>,
}

/// One of the functions of a declaration with `modes(…)`: `send = Standard: "what it does"`.
pub struct Mode {
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
                "also" => options.also = Some(value(input)?),
                "formerly" => options.formerly = Some(value(input)?),
                "replaced_by" => options.replaced_by = Some(value(input)?),
                "raises" => options.raises = Some(value(input)?),
                "early" => options.early = true,
                "tool" => options.tool = true,
                "variadic" => options.variadic = true,
                "collective" => options.collective = true,
                "short" => options.short = true,
                "plain" => options.plain = true,
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

/// The identifier behind the equals sign of an option.
fn value(input: ParseStream<'_>) -> syn::Result<Ident> {
    input.parse::<Token![=]>()?;
    input.parse()
}

/// A C function that a declaration exports.
pub struct Exported {
    /// Its name without `MPI_`.
    pub name: String,
    /// The width of its placeholder types.
    pub width: Width,
    /// The function that replaces it if the standard has removed it, without `MPI_`.
    pub successor: Option<String>,
}

/// The width in which the placeholder types of a declaration are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// Counts are `int`.
    Narrow,
    /// Counts are `MPI_Count`.
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

/// The functions of a declaration: the declared one, or one for each form of a collective, or one for each of the
/// modes, which its body finds in `MODE`.
pub fn declared(options: &Options, function: &ItemFn) -> Vec<ItemFn> {
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
        let doc = format!(" `MPI_{}`: {}", c_name(&function.sig.ident), does.value());
        function.attrs = vec![syn::parse_quote!(#[doc = #doc])];
        let constant = syn::parse_quote!(const MODE: ::simurgh_mpi::Mode = ::simurgh_mpi::Mode::#mode;);
        function.block.stmts.insert(0, constant);
        function
    };
    options.modes.iter().map(in_mode).collect()
}

/// `send` becomes `Send`: the part of the C name behind `MPI_`.
fn c_name(name: &Ident) -> String {
    let name = name.to_string();
    let mut letters = name.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The C functions that a declaration exports.
pub fn exported(options: &Options, function: &ItemFn) -> Vec<Exported> {
    let name = c_name(&function.sig.ident);
    let narrow = |name, successor| Exported {
        name,
        width: Width::Narrow,
        successor,
    };
    let large = |name| Exported {
        name,
        width: Width::Large,
        successor: None,
    };
    let mut exported = vec![narrow(name.clone(), options.replaced_by.as_ref().map(c_name))];
    exported.extend(options.also.iter().map(|also| narrow(c_name(also), None)));
    exported.extend(
        options
            .formerly
            .iter()
            .map(|old| narrow(c_name(old), Some(name.clone()))),
    );
    if options.large {
        exported.push(large(format!("{name}_c")));
    }
    if options.also_x {
        exported.push(large(format!("{name}_x")));
    }
    exported
}

/// The parameters of the C function, and whether the declared function has the calling rank before them.
pub fn parameters(function: &ItemFn) -> (bool, Vec<(&Ident, &Type)>) {
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
pub fn returns_outcome(function: &ItemFn) -> bool {
    match &function.sig.output {
        ReturnType::Type(_, ty) => matches!(&**ty, Type::Path(path) if path.path.is_ident("Outcome")),
        ReturnType::Default => false,
    }
}
