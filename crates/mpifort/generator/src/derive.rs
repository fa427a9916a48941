//! The model, from the declarations and the table.

use std::collections::BTreeMap;
use std::path::Path;

use quote::ToTokens;
use simurgh_mpi_abi_declarations::collect::functions;
use simurgh_mpi_abi_declarations::{Declared, Width, parameters, returns_outcome};
use syn::{GenericArgument, ItemFn, PathArguments, ReturnType, Type};

use crate::model::{
    Bindings, Body, Handle, Intent, Kind, Layout, Parameter, Procedure, Returns, Shape, Trim,
};
use crate::table;

/// The procedures of the Fortran interface, by name. `folder` has the declarations of the C functions.
///
/// # Errors
///
/// If no rule says what a parameter is: the procedure, the parameter and its C type.
pub fn procedures(folder: &Path) -> Result<Vec<Procedure>, String> {
    let mut all = BTreeMap::new();
    for declared in functions(folder) {
        if has_fortran(&declared) {
            let procedure = procedure(&declared)?;
            all.insert(procedure.name.clone(), procedure);
        }
    }
    for procedure in without_c() {
        all.insert(procedure.name.clone(), procedure);
    }
    Ok(all.into_values().collect())
}

/// Whether Fortran has a procedure for this C function.
fn has_fortran(declared: &Declared) -> bool {
    let name = &declared.exported.name;
    let only_in_c = table::ONLY_IN_C
        .iter()
        .any(|(prefix, suffix)| name.starts_with(prefix) && name.ends_with(suffix));
    !only_in_c && declared.exported.successor.is_none() && !table::INDISTINCT_LARGE.contains(&name.as_str())
}

fn procedure(declared: &Declared) -> Result<Procedure, String> {
    let name = declared.exported.name.clone();
    let all = arguments(&declared.function);
    // A large function whose parameters are others than the small one's has a declaration of its own.
    let width = match name.ends_with("_c") {
        true => Width::Large,
        false => declared.exported.width,
    };
    let mut procedure = Procedure {
        returns: returns(&declared.function, &name)?,
        body: body(&name),
        bindings: bindings(&name, width),
        width,
        variadic: declared.variadic,
        parameters: Vec::new(),
        generic_name: generic_name(&name, width).to_owned(),
        name,
    };
    let starts = all.iter().any(|(name, ty)| name == "request" && ty.0 == "Out");
    for argument in &all {
        let parameter = Derivation {
            procedure: &procedure.name,
            all: &all,
            starts,
        };
        let parameter = parameter.of(argument).ok_or_else(|| {
            let (parameter, (wrapper, inner)) = argument;
            format!(
                "MPI_{}: nothing says what {parameter} is in Fortran (C has {wrapper} {inner}): add it to the table",
                procedure.name
            )
        })?;
        procedure.parameters.push(parameter);
    }
    if procedure.body == Body::Generated && !can_be_generated(&procedure) {
        return Err(format!(
            "MPI_{} takes a procedure of the program, or what such a procedure gets, or an array of strings: write it \
             by hand, and add it to the table",
            procedure.name
        ));
    }
    Ok(procedure)
}

/// Whether arguments of all kinds in the procedure have a conversion that is generated.
fn can_be_generated(procedure: &Procedure) -> bool {
    procedure.parameters.iter().all(|parameter| match parameter.kind {
        Kind::Callback(_) => false,
        Kind::Text(_) | Kind::TextOut { .. } => parameter.shape == Shape::Scalar,
        _ => !table::KEPT_FOR_CALLBACKS.contains(&&*parameter.name),
    })
}

fn returns(function: &ItemFn, name: &str) -> Result<Returns, String> {
    if table::WITHOUT_ERROR.contains(&name) {
        return Ok(Returns::Nothing);
    }
    if returns_outcome(function) {
        return Ok(Returns::Error);
    }
    let ReturnType::Type(_, ty) = &function.sig.output else {
        return Err(format!("MPI_{name} returns nothing"));
    };
    match parts(ty).1.as_str() {
        "f64" | "c_double" => Ok(Returns::Double),
        "MPI_Aint" => Ok(Returns::Address),
        other => Err(format!("MPI_{name} returns {other}, which no rule covers")),
    }
}

fn body(name: &str) -> Body {
    let by_hand = table::BY_HAND.iter().find(|(procedure, _)| *procedure == name);
    by_hand.map_or(Body::Generated, |(_, function)| Body::ByHand(function))
}

/// The name that a procedure shares with that of the other width.
fn generic_name(name: &str, width: Width) -> &str {
    match width {
        Width::Large if !table::NAMED_LARGE.contains(&name) => name.strip_suffix("_c").unwrap_or(name),
        _ => name,
    }
}

fn bindings(name: &str, width: Width) -> Bindings {
    let large = width == Width::Large && name.ends_with("_c");
    Bindings {
        mpif: !large && !table::NOT_IN_MPIF.contains(&name),
        mpi: !large,
        f08: !table::NOT_IN_F08.contains(&name),
    }
}

/// The wrapper of a C parameter's type, and the type in it: `Out` and `MPI_Comm`. The wrapper is empty if there is
/// none.
type Parts = (String, String);

fn arguments(function: &ItemFn) -> Vec<(String, Parts)> {
    let (_, parameters) = parameters(function);
    let named = parameters.into_iter().map(|(name, ty)| {
        let name = name.to_string();
        (name.trim_matches('_').to_owned(), parts(ty))
    });
    named.collect()
}

fn parts(ty: &Type) -> Parts {
    let Type::Path(path) = ty else {
        return (String::new(), ty.to_token_stream().to_string());
    };
    let last = path.path.segments.last().expect("paths are not empty");
    let name = last.ident.to_string();
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
            Some(GenericArgument::Type(inner)) => match parts(inner) {
                (wrapper, inner) if wrapper.is_empty() => (name, inner),
                _ => (name, inner.to_token_stream().to_string()),
            },
            _ => (name, String::new()),
        },
        _ => (String::new(), name),
    }
}

/// The derivation of one procedure's parameters.
struct Derivation<'a> {
    procedure: &'a str,
    all: &'a [(String, Parts)],
    /// Whether the procedure starts an operation, or sets one up.
    starts: bool,
}

impl Derivation<'_> {
    fn of(&self, (c_name, ty): &(String, Parts)) -> Option<Parameter> {
        let (wrapper, inner) = (ty.0.as_str(), ty.1.as_str());
        let written = matches!(wrapper, "Out" | "InOut" | "ArrayMut")
            || matches!(inner, "BufferMut" | "TextOut" | "StatusOut" | "StatusesOut");
        let kind = table::special_kind(self.procedure, c_name, written)
            .or_else(|| self.kind(c_name, wrapper, inner))?;
        let intent = self.intent(c_name, &kind, wrapper, inner);
        let renamed = table::RENAMED.iter().find(|(old, _)| old == c_name);
        let is_array = matches!(wrapper, "Array" | "ArrayMut") || inner == "StatusesOut";
        Some(Parameter {
            name: renamed.map_or(c_name.as_str(), |(_, new)| new).to_owned(),
            written: written && !matches!(intent, Intent::In),
            by_address: matches!(wrapper, "Out" | "InOut" | "In"),
            shape: self.shape(c_name, &kind, is_array),
            asynchronous: self.asynchronous(c_name, &kind, is_array),
            intent,
            kind,
        })
    }

    fn kind(&self, name: &str, wrapper: &str, inner: &str) -> Option<Kind> {
        if let Some(handle) = Handle::of_type(inner) {
            return Some(Kind::Handle(handle));
        }
        let trim = match table::TRIMMED.contains(&name) {
            true => Trim::Both,
            false => Trim::Trailing,
        };
        Some(match inner {
            _ if wrapper == "Callback" => Kind::Callback(inner.to_owned()),
            "c_int" if table::LOGICAL.contains(&name) => Kind::Logical,
            "c_int" => Kind::Integer,
            "MPI_Aint" => Kind::Address,
            "MPI_Count" => Kind::Count,
            "MPI_Offset" => Kind::Offset,
            "MPI_Status" | "StatusOut" | "StatusesOut" => Kind::Status,
            "Text" => Kind::Text(trim),
            "TextOut" => self.text(name)?,
            "Buffer" | "BufferMut" => Kind::Buffer(self.layout(name)?),
            _ if inner.replace(' ', "") == "[c_int;3]" => Kind::Integer,
            _ => return None,
        })
    }

    /// A string that the procedure fills.
    fn text(&self, name: &str) -> Option<Kind> {
        let of = |procedure: &str| {
            let mut texts = table::TEXTS.iter();
            texts.find(|(of, text, ..)| *of == procedure && *text == name)
        };
        let &(_, _, declared, room) = of(self.procedure).or_else(|| of(""))?;
        Some(Kind::TextOut { declared, room })
    }

    fn has(&self, name: &str) -> bool {
        self.all.iter().any(|(other, _)| other == name)
    }

    /// The layout of a buffer, from the parameters that belong to it.
    fn layout(&self, buffer: &str) -> Option<Layout> {
        let small = self.procedure.strip_suffix("_c").unwrap_or(self.procedure);
        if let Some(layout) = table::special_layout(small, buffer) {
            return Some(layout);
        }
        if self.has("op") {
            return Some(Layout::Reduction);
        }
        let prefix = ["send", "recv", "in", "out"]
            .into_iter()
            .find(|prefix| buffer.starts_with(prefix))
            .unwrap_or("");
        let one_of = |names: &[String]| names.iter().find(|name| self.has(name)).cloned();
        let datatype = one_of(&[
            format!("{prefix}type"),
            format!("{prefix}types"),
            "datatype".to_owned(),
        ])?;
        let count = one_of(&[format!("{prefix}count"), "count".to_owned()]);
        match count {
            Some(count) if !self.is_in_blocks(buffer) => Some(Layout::Elements { count, datatype }),
            _ => Some(Layout::Blocks { datatype }),
        }
    }

    /// Whether a buffer holds a block for each process or each partition.
    fn is_in_blocks(&self, buffer: &str) -> bool {
        let name = self.procedure.to_lowercase();
        self.has("partitions")
            || name.contains("alltoall")
            || (name.contains("gather") && buffer == "recvbuf")
            || (name.contains("scatter") && buffer == "sendbuf")
    }

    fn intent(&self, name: &str, kind: &Kind, wrapper: &str, inner: &str) -> Intent {
        let small = self.procedure.strip_suffix("_c").unwrap_or(self.procedure);
        let mut exceptions = table::INTENTS.iter();
        if let Some((_, _, intent)) =
            exceptions.find(|(procedure, parameter, _)| *procedure == small && *parameter == name)
        {
            return *intent;
        }
        let is_pointer = wrapper.is_empty() && inner == "BufferMut";
        match kind {
            Kind::Callback(_) => Intent::Unstated,
            Kind::Status if matches!(inner, "StatusOut" | "StatusesOut") => Intent::Unstated,
            Kind::Buffer(Layout::Address | Layout::Attached) => Intent::Unstated,
            Kind::Buffer(_) if is_pointer => Intent::Unstated,
            // `void *` is one for C: the value itself where it is set.
            Kind::Address | Kind::Integer if is_pointer => match self.procedure.contains("_get") {
                true => Intent::Out,
                false => Intent::In,
            },
            Kind::Handle(Handle::Request) if wrapper == "ArrayMut" => Intent::InOut,
            _ if wrapper == "InOut" => Intent::InOut,
            _ if matches!(wrapper, "Out" | "ArrayMut") || inner == "TextOut" || is_pointer => Intent::Out,
            _ => Intent::In,
        }
    }

    fn shape(&self, name: &str, kind: &Kind, is_array: bool) -> Shape {
        if self.procedure == "Comm_spawn_multiple" && name == "array_of_argv" {
            return Shape::Table("count".to_owned());
        }
        if !is_array && !matches!((self.procedure, name), ("Comm_spawn", "argv")) {
            return Shape::Scalar;
        }
        let mut lengths = table::LENGTHS.iter();
        let length = lengths
            .find(|(array, _)| *array == name)
            .and_then(|(_, candidates)| candidates.iter().find(|candidate| self.has(candidate)));
        match length {
            _ if matches!(kind, Kind::IntegerStatus | Kind::TypeStatus) => Shape::Scalar,
            Some(length) if name == "ranges" => Shape::Triples((*length).to_owned()),
            Some(length) => Shape::Length((*length).to_owned()),
            None => Shape::AssumedSize,
        }
    }

    fn asynchronous(&self, name: &str, kind: &Kind, is_array: bool) -> bool {
        let small = self.procedure.strip_suffix("_c").unwrap_or(self.procedure);
        match kind {
            _ if table::ASYNCHRONOUS.contains(&(small, name)) => true,
            Kind::Buffer(_) => self.starts,
            Kind::Handle(Handle::Comm) => self.starts && name == "newcomm",
            Kind::Handle(Handle::Datatype) | Kind::Integer | Kind::Address | Kind::Count => {
                self.starts && is_array
            }
            _ => false,
        }
    }
}

/// The procedures that only Fortran has.
fn without_c() -> [Procedure; 2] {
    let buffer = |name: &str, asynchronous| Parameter {
        name: name.to_owned(),
        kind: Kind::Buffer(Layout::Address),
        intent: Intent::Unstated,
        written: false,
        by_address: false,
        shape: Shape::Scalar,
        asynchronous,
    };
    let size = Parameter {
        name: "size".to_owned(),
        kind: Kind::Integer,
        intent: Intent::Out,
        written: true,
        by_address: true,
        shape: Shape::Scalar,
        asynchronous: false,
    };
    let procedure = |name: &str, parameters, returns, body| Procedure {
        name: name.to_owned(),
        generic_name: name.to_owned(),
        width: Width::Narrow,
        parameters,
        returns,
        body: Body::ByHand(body),
        bindings: bindings(name, Width::Narrow),
        variadic: false,
    };
    [
        procedure(
            "F_sync_reg",
            vec![buffer("buf", true)],
            Returns::Nothing,
            "irregular::f_sync_reg",
        ),
        procedure(
            "Sizeof",
            vec![buffer("x", false), size],
            Returns::Error,
            "irregular::sizeof",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Procedure> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mpi-abi/src/functions");
        procedures(&folder).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_send_has_its_buffer_its_handles_and_two_widths() {
        let all = all();
        for (name, kind) in [("Send", Kind::Integer), ("Send_c", Kind::Count)] {
            let send = all.iter().find(|procedure| procedure.name == name).unwrap();
            let kinds: Vec<_> = send
                .parameters
                .iter()
                .map(|parameter| parameter.kind.clone())
                .collect();
            let elements = Layout::Elements {
                count: "count".to_owned(),
                datatype: "datatype".to_owned(),
            };
            let expected = [
                Kind::Buffer(elements),
                kind,
                Kind::Handle(Handle::Datatype),
                Kind::Integer,
                Kind::Integer,
                Kind::Handle(Handle::Comm),
            ];
            assert_eq!(kinds, expected);
            assert_eq!(send.generic(), "MPI_Send");
        }
    }

    #[test]
    fn each_procedure_has_a_name_of_its_own() {
        let all = all();
        assert!(all.len() > 400, "{}", all.len());
        let mut symbols: Vec<_> = all.iter().map(|procedure| procedure.specific().symbol).collect();
        symbols.sort();
        let before = symbols.len();
        symbols.dedup();
        assert_eq!(symbols.len(), before);
    }

    #[test]
    fn callbacks_are_not_passed_to_c_as_they_are() {
        let folder = std::env::temp_dir().join(format!("simurgh-derive-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let declaration = "/// A key.\n#[mpi]\nfn other_create_keyval(rank: Rank<'_>, \
            copy_attr_fn: Callback<MPI_Win_copy_attr_function>, other_keyval: Out<c_int>) -> Outcome { Ok(()) }\n";
        std::fs::write(folder.join("win.rs"), declaration).unwrap();
        let told = procedures(&folder).map(|_| ()).unwrap_err();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(
            told.starts_with("MPI_Other_create_keyval takes a procedure"),
            "{told}"
        );
    }
}
