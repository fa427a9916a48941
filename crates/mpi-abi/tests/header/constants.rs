//! Translation of the constants' declarations to `#define`s.

use std::fmt::Write;

use syn::{Expr, File, Item, Lit, Type, UnOp};

/// The `#define`s for all constants of one source file.
pub(crate) fn defines(file: &File) -> String {
    let mut text = String::new();
    for item in &file.items {
        if let Item::Const(constant) = item {
            let value = value(&constant.ty, &constant.expr);
            writeln!(text, "#define {:<35}{value}", constant.ident.to_string())
                .expect("strings take everything");
        }
    }
    text
}

/// A value in C: an integer, another constant's name, or a number with a cast.
fn value(ty: &Type, expr: &Expr) -> String {
    match expr {
        Expr::Path(path) => path
            .path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect(),
        Expr::Call(call) => {
            let number = integer(call.args.first().expect("a wrapped constant has a number"));
            format!("(({}){number:#010x})", c_type(ty))
        }
        _ => match (c_type(ty).as_str(), integer(expr)) {
            ("int", number) if number < 0 => format!("({number})"),
            ("int", number) => number.to_string(),
            (ty, number) => format!("(({ty}){number})"),
        },
    }
}

fn integer(expr: &Expr) -> i64 {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().expect("constants fit into 64 bits"),
            other => panic!("not an integer: {}", quote::quote!(#other)),
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => -integer(&unary.expr),
        other => panic!("not a constant the header can show: {}", quote::quote!(#other)),
    }
}

/// The C spelling of a constant's type.
fn c_type(ty: &Type) -> String {
    match ty {
        Type::Ptr(pointer) => {
            let target = c_type(&pointer.elem);
            if target.ends_with('*') {
                format!("{target}*")
            } else {
                format!("{target} *")
            }
        }
        Type::Path(path) => {
            let last = path.path.segments.last().expect("paths are not empty");
            match (last.ident.to_string().as_str(), &last.arguments) {
                ("c_int", _) => "int".to_owned(),
                ("c_char", _) => "char".to_owned(),
                ("c_void", _) => "void".to_owned(),
                ("Callback", syn::PathArguments::AngleBracketed(function)) => {
                    let function = &function.args;
                    format!("{} *", quote::quote!(#function))
                }
                (name, _) => name.to_owned(),
            }
        }
        other => panic!("no C type for {}", quote::quote!(#other)),
    }
}
