//! Translation of the constants' declarations to `#define`s.

use std::fmt::Write;

use simurgh_mpi_abi_declarations::{Constant, Value};
use syn::Type;

/// The `#define`s for these constants.
pub(crate) fn defines(constants: &[Constant]) -> String {
    let mut text = String::new();
    for constant in constants {
        let value = value(&constant.ty, &constant.value);
        writeln!(text, "#define {:<35}{value}", constant.name).expect("strings take everything");
    }
    text
}

/// A value in C: an integer, another constant's name, or a number with a cast.
fn value(ty: &Type, value: &Value) -> String {
    match value {
        Value::Same(name) => name.clone(),
        Value::Wrapped(number) => format!("(({}){number:#010x})", c_type(ty)),
        Value::Number(number) => match (c_type(ty).as_str(), *number) {
            ("int", number) if number < 0 => format!("({number})"),
            ("int", number) => number.to_string(),
            (ty, number) => format!("(({ty}){number})"),
        },
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
