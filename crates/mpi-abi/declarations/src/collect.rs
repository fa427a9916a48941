//! All declarations and constants of the interface, read from its sources.

use std::fs;
use std::path::Path;

use syn::visit_mut::VisitMut;
use syn::{Attribute, Expr, File, Item, ItemFn, Lit, Meta, Type, UnOp};

use crate::declaration::{Exported, Options, declared, exported};

/// Reads and parses one source file.
///
/// # Panics
///
/// If the file cannot be read, or is not Rust.
pub fn parse(path: &Path) -> File {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// One exported function: its names, and its declaration with the types of its width.
pub struct Declared {
    /// Its name and its width.
    pub exported: Exported,
    /// The declaration, with concrete types in the place of the placeholders.
    pub function: ItemFn,
    /// Whether the C prototype ends in `...`.
    pub variadic: bool,
}

/// All functions that are declared in the files of a folder, in the order of the files' names.
///
/// # Panics
///
/// If a file cannot be read, or an attribute is not one that the macro accepts.
pub fn functions(folder: &Path) -> Vec<Declared> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("the folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    files.sort();
    let items = files.iter().flat_map(|file| parse(file).items);
    items
        .filter_map(|item| match item {
            Item::Fn(function) => Some(function),
            _ => None,
        })
        .flat_map(|function| of_declaration(&function))
        .collect()
}

/// The functions that one item stands for: none if it is not a declaration.
fn of_declaration(function: &ItemFn) -> Vec<Declared> {
    let is_mpi = |attribute: &&Attribute| attribute.path().is_ident("mpi");
    let Some(attribute) = function.attrs.iter().find(is_mpi) else {
        return Vec::new();
    };
    let options = match &attribute.meta {
        Meta::Path(_) => Options::default(),
        _ => attribute
            .parse_args()
            .expect("the macro has accepted the options"),
    };
    let mut all = Vec::new();
    for function in declared(&options, function) {
        for exported in exported(&options, &function) {
            let (mut function, mut width) = (function.clone(), exported.width);
            width.visit_item_fn_mut(&mut function);
            all.push(Declared {
                exported,
                function,
                variadic: options.variadic,
            });
        }
    }
    all
}

/// A constant of the interface.
pub struct Constant {
    /// Its whole name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its value.
    pub value: Value,
}

/// The value of a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A number.
    Number(i64),
    /// A number in a type of its own, such as a handle.
    Wrapped(i64),
    /// That of another constant.
    Same(String),
}

/// The constants of one source file, in its order.
///
/// # Panics
///
/// If the file cannot be read, or a constant is neither a number nor another constant.
pub fn constants(path: &Path) -> Vec<Constant> {
    let constants = parse(path).items.into_iter().filter_map(|item| match item {
        Item::Const(constant) => Some(constant),
        _ => None,
    });
    constants
        .map(|constant| Constant {
            name: constant.ident.to_string(),
            value: value(&constant.expr),
            ty: *constant.ty,
        })
        .collect()
}

fn value(expr: &Expr) -> Value {
    match expr {
        Expr::Path(path) => Value::Same(
            path.path
                .segments
                .iter()
                .map(|segment| segment.ident.to_string())
                .collect(),
        ),
        Expr::Call(call) => Value::Wrapped(integer(
            call.args.first().expect("a wrapped constant has a number"),
        )),
        _ => Value::Number(integer(expr)),
    }
}

fn integer(expr: &Expr) -> i64 {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().expect("constants fit into 64 bits"),
            other => panic!("not an integer: {}", quote::quote!(#other)),
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => -integer(&unary.expr),
        other => panic!("not a constant of the interface: {}", quote::quote!(#other)),
    }
}
