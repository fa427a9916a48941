//! The C functions that the procedures call, as Rust declares them.

use simurgh_mpi_abi_declarations::{Constant, Value};

use crate::model::{Handle, Kind, Parameter, Procedure, Returns};

use super::is_array;

/// The declarations of the C functions of all procedures, the types of handles, and the constants. `converted` are the
/// handles that C functions convert.
pub fn foreign(model: &[Procedure], converted: &[Handle], constants: &[Constant]) -> String {
    let mut text = String::new();
    for handle in Handle::ALL {
        let name = handle.type_name();
        text.push_str(&format!(
            "/// A handle.\n#[repr(transparent)]\n#[derive(Clone, Copy, PartialEq, Eq)]\n\
             pub(crate) struct {name}(pub(crate) usize);\n"
        ));
    }
    for constant in constants {
        text.push_str(&self::constant(constant));
    }
    text.push_str("unsafe extern \"C\" {\n");
    for procedure in model.iter().filter(|procedure| is_in_c(procedure)) {
        text.push_str(&prototype(procedure));
    }
    for handle in converted {
        let (name, stem) = (handle.type_name(), handle.stem());
        text.push_str(&format!(
            "pub(crate) fn MPI_{stem}_toint(handle: {name}) -> c_int;\n\
             pub(crate) fn MPI_{stem}_fromint(number: c_int) -> {name};\n"
        ));
    }
    text.push_str(FURTHER);
    text.push_str("}\n");
    for handle in converted {
        let (name, stem) = (handle.type_name(), handle.stem());
        text.push_str(&format!(
            "convert!({name}, MPI_{stem}_fromint, MPI_{stem}_toint);\n"
        ));
    }
    text
}

/// Functions that the library calls although Fortran has no procedures for them.
const FURTHER: &str = "\
pub(crate) fn PMPI_Type_get_extent_c(c_datatype: MPI_Datatype, c_lb: *mut i64, c_extent: *mut i64) -> c_int;
pub(crate) fn PMPI_Type_get_true_extent_c(c_datatype: MPI_Datatype, c_lb: *mut i64, c_extent: *mut i64) -> c_int;
pub(crate) fn PMPI_Type_create_resized_c(c_oldtype: MPI_Datatype, c_lb: i64, c_extent: i64,
    c_newtype: *mut MPI_Datatype) -> c_int;
";

/// Whether the procedure has a C function of its name.
fn is_in_c(procedure: &Procedure) -> bool {
    !["F_sync_reg", "Sizeof", "Status_f2f08", "Status_f082f"].contains(&procedure.name.as_str())
}

/// An integer constant, or a handle.
fn constant(constant: &Constant) -> String {
    let name = &constant.name;
    let handle = Handle::ALL
        .into_iter()
        .find(|handle| quote::ToTokens::to_token_stream(&constant.ty).to_string() == handle.type_name());
    let ty = handle.map_or("c_int".to_owned(), Handle::type_name);
    let value = match &constant.value {
        Value::Number(number) => number.to_string(),
        Value::Wrapped(number) => format!("{ty}({number})"),
        Value::Same(other) => other.clone(),
    };
    format!("pub(crate) const {name}: {ty} = {value};\n")
}

fn prototype(procedure: &Procedure) -> String {
    let mut parameters: Vec<String> = procedure
        .parameters
        .iter()
        .map(|parameter| format!("c_{}: {}", parameter.name, c_type(parameter)))
        .collect();
    if procedure.variadic {
        parameters.push("...".to_owned());
    }
    let result = match procedure.returns {
        Returns::Double => "f64",
        Returns::Address => "isize",
        _ => "c_int",
    };
    let (name, parameters) = (&procedure.name, parameters.join(", "));
    format!(
        "pub(crate) fn MPI_{name}({parameters}) -> {result};\n\
         pub(crate) fn PMPI_{name}({parameters}) -> {result};\n"
    )
}

/// The C type of a parameter.
fn c_type(parameter: &Parameter) -> String {
    let element = match &parameter.kind {
        _ if ["attribute_val", "extra_state"].contains(&parameter.name.as_str()) => {
            return "*mut c_void".to_owned();
        }
        Kind::Address => "isize".to_owned(),
        Kind::Count | Kind::Offset => "i64".to_owned(),
        Kind::Handle(handle) => handle.type_name(),
        Kind::Status | Kind::IntegerStatus | Kind::TypeStatus => return "*mut c_int".to_owned(),
        Kind::Text(_) | Kind::TextOut { .. } if !is_array(parameter) => return "*mut c_char".to_owned(),
        Kind::Null if parameter.name == "argc" && !parameter.by_address => "c_int".to_owned(),
        Kind::Text(_)
        | Kind::TextOut { .. }
        | Kind::Memory
        | Kind::Detached
        | Kind::Callback(_)
        | Kind::LogicalBytes
        | Kind::Buffer(_)
        | Kind::Null => return "*mut c_void".to_owned(),
        Kind::Integer | Kind::Logical | Kind::Index | Kind::Weights | Kind::ErrorCodes => "c_int".to_owned(),
    };
    match parameter.by_address || is_array(parameter) {
        true => format!("*mut {element}"),
        false => element,
    }
}
