//! The abstract interfaces of the program's procedures that the library calls, and the procedures of this kind that the
//! library provides, for `mpi_f08`.

use crate::model::Handle;

use super::lines::FreeForm;

/// The subject of attributes: the handle, and its name in the procedures and their arguments.
const WITH_ATTRIBUTES: [(Handle, &str, &str); 3] = [
    (Handle::Comm, "Comm", "comm"),
    (Handle::Datatype, "Type", "type"),
    (Handle::Win, "Win", "win"),
];

/// The handles with error handlers, and the name of the argument.
const WITH_ERRHANDLERS: [(Handle, &str); 4] = [
    (Handle::Comm, "comm"),
    (Handle::File, "file"),
    (Handle::Session, "session"),
    (Handle::Win, "win"),
];

/// A subroutine: its name, its arguments and their declarations.
struct Subroutine {
    name: String,
    arguments: Vec<String>,
    declarations: Vec<String>,
}

impl Subroutine {
    /// A subroutine with these arguments: (names, type). All of one type are given together.
    fn new(name: &str, arguments: &str, declarations: &[(&str, &str)]) -> Self {
        Self {
            name: name.to_owned(),
            arguments: arguments.split_whitespace().map(str::to_owned).collect(),
            declarations: declarations
                .iter()
                .map(|(ty, names)| format!("{ty} :: {names}"))
                .collect(),
        }
    }

    fn write(&self, source: &mut FreeForm) {
        let first = format!("subroutine {}({})", self.name, self.arguments.join(", "));
        source.block(&first, "end subroutine", |source| {
            source.statement("import");
            for declaration in &self.declarations {
                source.statement(declaration);
            }
        });
    }
}

const ADDRESS: &str = "integer(kind=MPI_ADDRESS_KIND)";
const INTEGER: &str = "integer";
const LOGICAL: &str = "logical";
const DATATYPE: &str = "type(MPI_Datatype)";
const POINTER: &str = "type(c_ptr), value";

/// Writes all of them.
pub(super) fn write(source: &mut FreeForm) {
    source.block("abstract interface", "end interface", |source| {
        let kept = [
            attributes_interfaces(),
            errhandlers(),
            operations(),
            requests(),
            datareps(),
        ];
        for subroutine in kept.iter().flatten() {
            subroutine.write(source);
        }
    });
    source.gap();
    source.block("interface", "end interface", |source| {
        for subroutine in provided() {
            subroutine.write(source);
        }
    });
}

/// The subroutines that copy and delete attributes.
fn attributes_interfaces() -> Vec<Subroutine> {
    let both = |&(handle, subject, name): &(Handle, &str, &str)| {
        [
            copy_attribute(&format!("MPI_{subject}_copy_attr_function"), handle, name),
            delete_attribute(&format!("MPI_{subject}_delete_attr_function"), handle, name),
        ]
    };
    WITH_ATTRIBUTES.iter().flat_map(both).collect()
}

fn copy_attribute(procedure: &str, handle: Handle, name: &str) -> Subroutine {
    let arguments =
        format!("old{name} {name}_keyval extra_state attribute_val_in attribute_val_out flag ierror");
    let declarations = [
        (format!("type({})", handle.type_name()), format!("old{name}")),
        (INTEGER.to_owned(), format!("{name}_keyval, ierror")),
        (
            ADDRESS.to_owned(),
            "extra_state, attribute_val_in, attribute_val_out".to_owned(),
        ),
        (LOGICAL.to_owned(), "flag".to_owned()),
    ];
    let declarations: Vec<_> = declarations.iter().map(|(ty, names)| (&**ty, &**names)).collect();
    Subroutine::new(procedure, &arguments, &declarations)
}

fn delete_attribute(procedure: &str, handle: Handle, name: &str) -> Subroutine {
    // `type` is the name of a statement, so the argument is another one.
    let subject = if name == "type" { "datatype" } else { name };
    let arguments = format!("{subject} {name}_keyval attribute_val extra_state ierror");
    let declarations = [
        (format!("type({})", handle.type_name()), subject.to_owned()),
        (INTEGER.to_owned(), format!("{name}_keyval, ierror")),
        (ADDRESS.to_owned(), "attribute_val, extra_state".to_owned()),
    ];
    let declarations: Vec<_> = declarations.iter().map(|(ty, names)| (&**ty, &**names)).collect();
    Subroutine::new(procedure, &arguments, &declarations)
}

fn errhandlers() -> Vec<Subroutine> {
    let errhandler = |&(handle, name): &(Handle, &str)| {
        let procedure = format!("{}_errhandler_function", handle.type_name());
        let ty = format!("type({})", handle.type_name());
        Subroutine::new(
            &procedure,
            &format!("{name} error_code"),
            &[(&ty, name), (INTEGER, "error_code")],
        )
    };
    WITH_ERRHANDLERS.iter().map(errhandler).collect()
}

/// The subroutines of reductions.
fn operations() -> Vec<Subroutine> {
    let operation = |name: &str, len: &str| {
        let declarations = [(POINTER, "invec, inoutvec"), (len, "len"), (DATATYPE, "datatype")];
        Subroutine::new(name, "invec inoutvec len datatype", &declarations)
    };
    vec![
        operation("MPI_User_function", INTEGER),
        operation("MPI_User_function_c", "integer(kind=MPI_COUNT_KIND)"),
    ]
}

/// The subroutines of generalised requests.
fn requests() -> Vec<Subroutine> {
    let state = (ADDRESS, "extra_state");
    vec![
        Subroutine::new(
            "MPI_Grequest_query_function",
            "extra_state status ierror",
            &[state, ("type(MPI_Status)", "status"), (INTEGER, "ierror")],
        ),
        Subroutine::new(
            "MPI_Grequest_free_function",
            "extra_state ierror",
            &[state, (INTEGER, "ierror")],
        ),
        Subroutine::new(
            "MPI_Grequest_cancel_function",
            "extra_state complete ierror",
            &[state, (LOGICAL, "complete"), (INTEGER, "ierror")],
        ),
    ]
}

/// The subroutines of data representations.
fn datareps() -> Vec<Subroutine> {
    vec![
        Subroutine::new(
            "MPI_Datarep_extent_function",
            "datatype extent extra_state ierror",
            &[
                (DATATYPE, "datatype"),
                (ADDRESS, "extent, extra_state"),
                (INTEGER, "ierror"),
            ],
        ),
        conversion("MPI_Datarep_conversion_function", INTEGER),
        conversion(
            "MPI_Datarep_conversion_function_c",
            "integer(kind=MPI_COUNT_KIND)",
        ),
    ]
}

fn conversion(name: &str, count: &str) -> Subroutine {
    Subroutine::new(
        name,
        "userbuf datatype count filebuf position extra_state ierror",
        &[
            (POINTER, "userbuf, filebuf"),
            (DATATYPE, "datatype"),
            (count, "count"),
            ("integer(kind=MPI_OFFSET_KIND)", "position"),
            (ADDRESS, "extra_state"),
            (INTEGER, "ierror"),
        ],
    )
}

/// The subroutines that the library provides.
fn provided() -> Vec<Subroutine> {
    let attributes = |&(handle, subject, name): &(Handle, &str, &str)| {
        let procedure = |what: &str| format!("MPI_{}_{what}_FN", subject.to_uppercase());
        [
            copy_attribute(&procedure("DUP"), handle, name),
            copy_attribute(&procedure("NULL_COPY"), handle, name),
            delete_attribute(&procedure("NULL_DELETE"), handle, name),
        ]
    };
    let conversions = [
        conversion("MPI_CONVERSION_FN_NULL", INTEGER),
        conversion("MPI_CONVERSION_FN_NULL_C", "integer(kind=MPI_COUNT_KIND)"),
    ];
    WITH_ATTRIBUTES
        .iter()
        .flat_map(attributes)
        .chain(conversions)
        .collect()
}
