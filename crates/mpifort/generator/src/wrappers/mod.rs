//! The Rust source of the library's procedures: each converts its arguments and calls the C function.
//!
//! A procedure is one function that is generic over how it gets its buffers, and the exported functions around it: that
//! of `mpif.h` and `mpi`, whose buffers are addresses, and that of `mpi_f08`, whose buffers are descriptors. Procedures
//! without buffers have one exported function under all names.

mod body;
mod direct;
mod foreign;
mod names;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use simurgh_mpi_abi_declarations::collect::functions;

use crate::model::{Handle, Kind, Parameter, Procedure, Returns, Shape};

pub use foreign::foreign;
pub use names::sentinels;
pub use simurgh_mpi_abi_declarations::collect::constants;

/// The handles that C functions convert. A handle without objects yet has none.
pub fn handles(folder: &Path) -> Vec<Handle> {
    let names: BTreeSet<String> = functions(folder)
        .into_iter()
        .map(|declared| declared.exported.name)
        .collect();
    Handle::ALL
        .into_iter()
        .filter(|handle| names.contains(&format!("{}_toint", handle.stem())))
        .collect()
}

/// The source of all procedures.
pub fn procedures(model: &[Procedure]) -> String {
    model.iter().map(source).collect()
}

fn source(procedure: &Procedure) -> String {
    let mut text = body::inner(procedure);
    let (bindings, specific) = (procedure.bindings, procedure.specific());
    let f08_alone = bindings.f08 && (procedure.differs_in_f08() || !has_external(procedure));
    if has_external(procedure) {
        let strong = format!("p{}", procedure.symbol());
        text.push_str(&exported(procedure, &strong, Buffers::Addresses));
        let further = bindings.f08 && !f08_alone;
        let further = further.then_some(specific.symbol.as_str());
        text.push_str(&names::of_external(&procedure.name, further));
        // The module `mpi` has the same procedure for C pointers.
        if procedure.hands_out_memory() {
            text.push_str(&names::of_alias(&format!("{}_cptr", procedure.name), &strong));
        }
    }
    if f08_alone {
        let strong = names::profiling(&specific.symbol);
        text.push_str(&exported(procedure, &strong, Buffers::Descriptors));
        text.push_str(&names::weak(&specific.symbol, &strong));
        // Modules for flang declare a procedure with a string as an external one.
        if procedure.has_buffer() && procedure.has_text() {
            let name = specific.name.trim_start_matches("MPI_");
            text.push_str(&names::of_alias(name, &strong));
        }
    }
    text
}

/// Whether there is a procedure with the names of `mpif.h`.
fn has_external(procedure: &Procedure) -> bool {
    procedure.bindings.mpif || (procedure.bindings.mpi && !procedure.has_buffer())
}

/// How an exported function gets its buffers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Buffers {
    Addresses,
    Descriptors,
}

/// An exported function, which calls the one with the body.
fn exported(procedure: &Procedure, symbol: &str, buffers: Buffers) -> String {
    let (mut takes, mut passes) = (Vec::new(), Vec::new());
    for parameter in procedure.fortran_parameters() {
        let name = variable(parameter);
        let (ty, passed) = match (&parameter.kind, buffers) {
            (Kind::Buffer(_), Buffers::Addresses) => ("*mut c_void", format!("Address({name})")),
            (Kind::Buffer(_), Buffers::Descriptors) => ("*const Descriptor", name.clone()),
            (Kind::Detached, Buffers::Addresses) => ("*mut c_void", "&raw mut ignored".to_owned()),
            _ => (type_of(parameter), name.clone()),
        };
        takes.push(format!("{name}: {ty}"));
        passes.push(passed);
    }
    if procedure.returns == Returns::Error {
        takes.push("ierror: *mut c_int".to_owned());
        passes.push("ierror".to_owned());
    }
    for length in lengths(procedure) {
        takes.push(format!("{length}: usize"));
        passes.push(length);
    }
    let ignores =
        buffers == Buffers::Addresses && procedure.parameters.iter().any(|p| p.kind == Kind::Detached);
    let ignored = match ignores {
        true => "let _ = f_buffer_addr; let mut ignored = core::ptr::null_mut();",
        false => "",
    };
    format!(
        "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn {symbol}({}){} {{ {ignored} unsafe {{ {}({}) }} }}\n",
        takes.join(", "),
        result(procedure),
        inner_name(procedure),
        passes.join(", "),
    )
}

/// The name of the function with the body.
fn inner_name(procedure: &Procedure) -> String {
    format!("call_{}", procedure.name.to_lowercase())
}

/// The result type of the functions of a procedure, with its arrow.
fn result(procedure: &Procedure) -> &'static str {
    match procedure.returns {
        Returns::Error | Returns::Nothing => "",
        Returns::Double => " -> f64",
        Returns::Address => " -> isize",
    }
}

/// The variable of a parameter, which must not be a word of Rust.
fn variable(parameter: &Parameter) -> String {
    format!("f_{}", parameter.name)
}

/// The type of an argument as Fortran passes it.
fn type_of(parameter: &Parameter) -> &'static str {
    match &parameter.kind {
        Kind::Address => "*mut isize",
        Kind::Count | Kind::Offset => "*mut i64",
        Kind::Text(_) | Kind::TextOut { .. } => "*mut u8",
        Kind::Memory | Kind::Detached => "*mut *mut c_void",
        Kind::Callback(_) | Kind::LogicalBytes | Kind::Buffer(_) => "*mut c_void",
        _ => "*mut c_int",
    }
}

/// The lengths of the strings, which compilers pass behind all arguments.
fn lengths(procedure: &Procedure) -> Vec<String> {
    let is_text = |kind: &Kind| matches!(kind, Kind::Text(_) | Kind::TextOut { .. });
    procedure
        .fortran_parameters()
        .filter(|parameter| is_text(&parameter.kind))
        .map(|parameter| format!("{}_length", variable(parameter)))
        .collect()
}

/// Whether a parameter is an array.
fn is_array(parameter: &Parameter) -> bool {
    parameter.shape != Shape::Scalar
}

/// Writes formatted text to a string, which takes everything.
fn put(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("strings take everything");
}
