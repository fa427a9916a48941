//! The names of the exported functions.
//!
//! The strong name is the profiling one, `pmpi_send_`. All others are weak names of the same address, so a tool may
//! define them itself: `mpi_send_`, and the spellings of other compilers. They are set in assembly, which sits in the
//! module of the functions, since all of it has to end up in one object.

use crate::model::{DEFAULT_KINDS, SENTINELS, spellings};

/// A weak name for what has the strong one.
pub(super) fn weak(name: &str, strong: &str) -> String {
    format!("core::arch::global_asm!(\".weak {name}\\n.set {name}, {strong}\\n.type {name}, @function\");\n")
}

/// All names of an external procedure but the strong one. `f08` is the symbol that `mpi_f08` has for it, if it is the
/// same.
pub(super) fn of_external(name: &str, f08: Option<&str>) -> String {
    let [strong, others @ ..] = spellings(&format!("PMPI_{name}"));
    let further = f08.into_iter().flat_map(|f08| [f08.to_owned(), profiling(f08)]);
    spellings(&format!("MPI_{name}"))
        .into_iter()
        .chain(others)
        .chain(further)
        .map(|name| weak(&name, &strong))
        .collect()
}

/// All names of an external procedure that is the same as the one with the strong name.
pub(super) fn of_alias(name: &str, strong: &str) -> String {
    let names = spellings(&format!("MPI_{name}")).into_iter();
    names
        .chain(spellings(&format!("PMPI_{name}")))
        .map(|name| weak(&name, strong))
        .collect()
}

/// The profiling name of a symbol: `PMPI_Send_f08ts`, `pmpi_op_create_f08_`.
pub(super) fn profiling(symbol: &str) -> String {
    match symbol.starts_with("MPI") {
        true => format!("P{symbol}"),
        false => format!("p{symbol}"),
    }
}

/// The definitions of the variables whose addresses have meanings of their own, and functions with their addresses; the
/// common block with the kinds of default types.
pub fn sentinels() -> String {
    let mut text = String::new();
    for sentinel in SENTINELS {
        let (symbol, size) = (sentinel.symbol(), sentinel.size);
        let function = sentinel.name.trim_start_matches("MPI_").to_lowercase();
        let name = sentinel.name;
        text.push_str(&format!(
            "core::arch::global_asm!(\".comm {symbol},{size},16\\n.type {symbol}, @object\");\n\
             unsafe extern \"C\" {{ static {symbol}: u8; }}\n\
             /// The address of Fortran's `{name}`.\n\
             #[inline(always)]\npub(crate) fn {function}() -> usize {{ (&raw const {symbol}).addr() }}\n"
        ));
    }
    let symbol = format!("{DEFAULT_KINDS}_");
    text.push_str(&format!(
        "core::arch::global_asm!(\".comm {symbol},16,16\\n.type {symbol}, @object\");\n\
         unsafe extern \"C\" {{ static {symbol}: [core::ffi::c_int; 4]; }}\n\
         /// The kinds of default logicals, integers, reals and numbers of double precision; zeros if nobody says.\n\
         pub(crate) fn default_kinds() -> [core::ffi::c_int; 4] {{\n\
         // SAFETY:\n// - the program's block data has the same size, and nobody writes there.\n\
         unsafe {{ (&raw const {symbol}).read_volatile() }} }}\n"
    ));
    text
}
