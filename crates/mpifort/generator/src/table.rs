//! Rules and exceptions by name: what C prototypes do not say about the Fortran procedures.
//!
//! Names are those of the C functions, without `MPI_`, and of parameters. A rule for parameters holds for all
//! procedures unless it names one.

use crate::model::{Intent, Kind, Layout, Trim};

/// The groups of C functions that Fortran does not have: (prefix, suffix).
pub(crate) const ONLY_IN_C: &[(&str, &str)] = &[
    ("T_", ""),
    ("", "_toint"),
    ("", "_fromint"),
    ("", "_c2f"),
    ("", "_f2c"),
    ("Status_", "c2f08"),
    ("Status_", "f082c"),
];

/// The procedures with large counts whose names are their own, and not those of the small ones.
pub(crate) const NAMED_LARGE: &[&str] = &["Op_create_c", "Register_datarep_c"];

/// The procedures with large counts that a compiler cannot tell apart from the small ones, since addresses and counts
/// have the same kind.
pub(crate) const INDISTINCT_LARGE: &[&str] = &[
    "Type_get_extent_c",
    "Type_get_true_extent_c",
    "Type_create_resized_c",
    "File_get_type_extent_c",
];

/// The deprecated procedures, which `mpi_f08` does not have.
pub(crate) const NOT_IN_F08: &[&str] = &[
    "Attr_delete",
    "Attr_get",
    "Attr_put",
    "Keyval_create",
    "Keyval_free",
];

/// The procedures that only modules can declare.
pub(crate) const NOT_IN_MPIF: &[&str] = &["Status_f2f08", "Status_f082f", "Sizeof"];

/// The procedures without `ierror`.
pub(crate) const WITHOUT_ERROR: &[&str] = &["Pcontrol"];

/// The procedures that are written by hand: (name, the function in the library). Such a function takes Fortran's
/// arguments as they come, then the lengths of the strings, and returns the error code. The generator makes the
/// exported functions and all their names.
pub(crate) const BY_HAND: &[(&str, &str)] = &[
    ("Attr_get", "attribute::attr_get"),
    ("Attr_put", "attribute::attr_put"),
    ("Comm_create_errhandler", "callback::comm_create_errhandler"),
    ("Comm_create_keyval", "callback::comm_create_keyval"),
    ("Comm_get_attr", "attribute::comm_get_attr"),
    ("Comm_set_attr", "attribute::comm_set_attr"),
    ("Comm_spawn", "spawn::comm_spawn"),
    ("Comm_spawn_multiple", "spawn::comm_spawn_multiple"),
    ("File_create_errhandler", "callback::file_create_errhandler"),
    ("Grequest_start", "callback::grequest_start"),
    ("Info_get", "irregular::info_get"),
    ("Info_get_string", "irregular::info_get_string"),
    ("Keyval_create", "callback::keyval_create"),
    ("Op_create", "callback::op_create"),
    ("Op_create_c", "callback::op_create_c"),
    ("Register_datarep", "callback::register_datarep"),
    ("Register_datarep_c", "callback::register_datarep_c"),
    ("Session_create_errhandler", "callback::session_create_errhandler"),
    ("Session_get_nth_pset", "irregular::session_get_nth_pset"),
    ("Type_create_keyval", "callback::type_create_keyval"),
    ("Type_get_attr", "attribute::type_get_attr"),
    ("Type_get_contents", "irregular::type_get_contents"),
    ("Type_get_contents_c", "irregular::type_get_contents_c"),
    ("Type_set_attr", "attribute::type_set_attr"),
    ("Win_create_errhandler", "callback::win_create_errhandler"),
    ("Win_create_keyval", "callback::win_create_keyval"),
    ("Win_get_attr", "attribute::win_get_attr"),
    ("Win_set_attr", "attribute::win_set_attr"),
    ("Status_f2f08", "irregular::status_f2f08"),
    ("Status_f082f", "irregular::status_f082f"),
];

/// Parameters that MPI hands to the program's procedures later.
pub(crate) const KEPT_FOR_CALLBACKS: &[&str] = &["attribute_val", "extra_state"];

/// The procedures that start MPI.
pub(crate) const AT_START: &[&str] = &["Init", "Init_thread", "Session_init"];

/// The procedures that end it.
pub(crate) const AT_END: &[(&str, &str)] = &[("Finalize", "World"), ("Session_finalize", "Session")];

/// `int`s that are truth values.
pub(crate) const LOGICAL: &[&str] = &[
    "commute",
    "flag",
    "high",
    "is_set",
    "periods",
    "remain_dims",
    "reorder",
    "weighted",
];

/// Results that count from zero in C and from one in Fortran.
pub(crate) const INDICES: &[&str] = &["indx", "index", "array_of_indices"];

/// Parameters with other names in Fortran: (in C, in Fortran).
pub(crate) const RENAMED: &[(&str, &str)] = &[("indx", "index"), ("error", "err")];

/// Arrays of weights.
pub(crate) const WEIGHTS: &[&str] = &["weights", "sourceweights", "destweights"];

/// Strings in which blanks at both ends do not count.
pub(crate) const TRIMMED: &[&str] = &["key", "value"];

/// Strings that a procedure fills: (procedure, parameter, length in Fortran, room that C needs). An empty procedure
/// stands for all, empty room for a function that is told it.
pub(crate) const TEXTS: &[(&str, &str, &str, &str)] = &[
    ("", "comm_name", "MPI_MAX_OBJECT_NAME", "MPI_MAX_OBJECT_NAME"),
    ("", "type_name", "MPI_MAX_OBJECT_NAME", "MPI_MAX_OBJECT_NAME"),
    ("", "win_name", "MPI_MAX_OBJECT_NAME", "MPI_MAX_OBJECT_NAME"),
    ("", "name", "MPI_MAX_PROCESSOR_NAME", "MPI_MAX_PROCESSOR_NAME"),
    ("", "port_name", "MPI_MAX_PORT_NAME", "MPI_MAX_PORT_NAME"),
    ("", "string", "MPI_MAX_ERROR_STRING", "MPI_MAX_ERROR_STRING"),
    (
        "",
        "version",
        "MPI_MAX_LIBRARY_VERSION_STRING",
        "MPI_MAX_LIBRARY_VERSION_STRING",
    ),
    ("", "datarep", "*", "MPI_MAX_DATAREP_STRING"),
    ("Info_get_nthkey", "key", "*", "MPI_MAX_INFO_KEY"),
    ("Info_get", "value", "valuelen", ""),
    ("Info_get_string", "value", "*", ""),
    ("Session_get_nth_pset", "pset_name", "*", ""),
];

/// The parameters that say how long an array is: (array, candidates). The first one that the procedure has counts.
/// Arrays that are not here, or have none of them, are of assumed size.
pub(crate) const LENGTHS: &[(&str, &[&str])] = &[
    ("array_of_addresses", &["max_addresses"]),
    ("array_of_blocklengths", &["count"]),
    ("array_of_dargs", &["ndims"]),
    ("array_of_datatypes", &["max_datatypes"]),
    ("array_of_displacements", &["count"]),
    ("array_of_distribs", &["ndims"]),
    ("array_of_gsizes", &["ndims"]),
    ("array_of_integers", &["max_integers"]),
    ("array_of_large_counts", &["max_large_counts"]),
    ("array_of_partitions", &["length"]),
    ("array_of_psizes", &["ndims"]),
    ("array_of_requests", &["count", "incount"]),
    ("array_of_sizes", &["ndims"]),
    ("array_of_starts", &["ndims"]),
    ("array_of_subsizes", &["ndims"]),
    ("array_of_types", &["count"]),
    ("coords", &["maxdims"]),
    ("degrees", &["n"]),
    ("destinations", &["outdegree", "maxoutdegree"]),
    ("dims", &["ndims", "maxdims"]),
    ("edges", &["maxedges"]),
    ("index", &["nnodes", "maxindex"]),
    ("neighbors", &["maxneighbors"]),
    ("periods", &["ndims", "maxdims"]),
    ("ranges", &["n"]),
    ("ranks", &["n"]),
    ("ranks1", &["n"]),
    ("ranks2", &["n"]),
    ("sources", &["n", "indegree", "maxindegree"]),
];

/// Parameters whose direction is not that of the C type: (procedure, parameter, direction).
pub(crate) const INTENTS: &[(&str, &str, Intent)] = &[
    ("Cancel", "request", Intent::In),
    ("Dims_create", "dims", Intent::InOut),
    ("Group_range_excl", "ranges", Intent::In),
    ("Group_range_incl", "ranges", Intent::In),
    ("Dist_graph_neighbors", "sourceweights", Intent::Unstated),
    ("Dist_graph_neighbors", "destweights", Intent::Unstated),
    ("Comm_spawn", "argv", Intent::In),
    ("Comm_spawn", "array_of_errcodes", Intent::Unstated),
    ("Comm_spawn_multiple", "array_of_commands", Intent::In),
    ("Comm_spawn_multiple", "array_of_argv", Intent::In),
    ("Comm_spawn_multiple", "array_of_errcodes", Intent::Unstated),
    ("Abi_set_fortran_booleans", "logical_true", Intent::In),
    ("Abi_set_fortran_booleans", "logical_false", Intent::In),
    ("Free_mem", "base", Intent::In),
    ("Fetch_and_op", "origin_addr", Intent::In),
    ("Compare_and_swap", "origin_addr", Intent::In),
    ("Compare_and_swap", "compare_addr", Intent::In),
    ("File_write_all_end", "buf", Intent::In),
    ("File_write_at_all_end", "buf", Intent::In),
    ("File_write_ordered_end", "buf", Intent::In),
];

/// Buffers that are `ASYNCHRONOUS` although their procedures have no request: (procedure, parameter).
pub(crate) const ASYNCHRONOUS: &[(&str, &str)] = &[
    ("Buffer_attach", "buffer"),
    ("Comm_attach_buffer", "buffer"),
    ("Session_attach_buffer", "buffer"),
    ("Free_mem", "base"),
    ("File_read_all_begin", "buf"),
    ("File_read_all_end", "buf"),
    ("File_read_at_all_begin", "buf"),
    ("File_read_at_all_end", "buf"),
    ("File_read_ordered_begin", "buf"),
    ("File_read_ordered_end", "buf"),
    ("File_write_all_begin", "buf"),
    ("File_write_all_end", "buf"),
    ("File_write_at_all_begin", "buf"),
    ("File_write_at_all_end", "buf"),
    ("File_write_ordered_begin", "buf"),
    ("File_write_ordered_end", "buf"),
    ("Get_address", "location"),
    ("Win_create", "base"),
    ("Win_attach", "base"),
    ("Win_detach", "base"),
    ("Put", "origin_addr"),
    ("Get", "origin_addr"),
    ("Accumulate", "origin_addr"),
    ("Get_accumulate", "origin_addr"),
    ("Get_accumulate", "result_addr"),
    ("Fetch_and_op", "origin_addr"),
    ("Fetch_and_op", "result_addr"),
    ("Compare_and_swap", "origin_addr"),
    ("Compare_and_swap", "compare_addr"),
    ("Compare_and_swap", "result_addr"),
];

/// Parameters of a kind that the C type does not show: (procedure, parameter, kind). An empty procedure stands for
/// all.
pub(crate) fn special_kind(procedure: &str, parameter: &str, written: bool) -> Option<Kind> {
    let small = procedure.strip_suffix("_c").unwrap_or(procedure);
    Some(match (small, parameter) {
        ("Init" | "Init_thread" | "Info_create_env", "argc" | "argv") => Kind::Null,
        ("Alloc_mem" | "Win_allocate" | "Win_allocate_shared" | "Win_shared_query", "baseptr") => {
            Kind::Memory
        }
        (_, "buffer_addr") => Kind::Detached,
        ("Attr_put" | "Attr_get", "attribute_val") | ("Keyval_create", "extra_state") => Kind::Integer,
        (_, "attribute_val" | "extra_state") => Kind::Address,
        (_, "logical_true" | "logical_false") => Kind::LogicalBytes,
        ("Status_f2f08" | "Status_f082f", "f_status") => Kind::IntegerStatus,
        ("Status_f2f08" | "Status_f082f", "f08_status") => Kind::TypeStatus,
        (_, "array_of_errcodes") => Kind::ErrorCodes,
        ("Comm_spawn", "argv") | ("Comm_spawn_multiple", "array_of_commands" | "array_of_argv") => {
            Kind::Text(Trim::Trailing)
        }
        ("Graph_create" | "Graph_map" | "Graph_get", "index") => Kind::Integer,
        (_, name) if INDICES.contains(&name) && written => Kind::Index,
        (_, name) if WEIGHTS.contains(&name) => Kind::Weights,
        _ => return None,
    })
}

/// Layouts of buffers that the names of the parameters after them do not tell: (procedure, buffer, layout).
pub(crate) fn special_layout(procedure: &str, buffer: &str) -> Option<Layout> {
    Some(match (procedure, buffer) {
        ("Free_mem" | "Win_detach", "base") | ("Get_address", "location") => Layout::Address,
        ("Win_create" | "Win_attach", "base") => Layout::Attached,
        ("Fetch_and_op" | "Compare_and_swap", "origin_addr" | "compare_addr" | "result_addr") => {
            Layout::Address
        }
        (_, "origin_addr") => Layout::Elements {
            count: "origin_count".to_owned(),
            datatype: "origin_datatype".to_owned(),
        },
        (_, "result_addr") => Layout::Elements {
            count: "result_count".to_owned(),
            datatype: "result_datatype".to_owned(),
        },
        (end, "buf") if end.starts_with("File_") && end.ends_with("_end") => Layout::Address,
        ("Pack" | "Pack_external", "outbuf") | ("Unpack" | "Unpack_external", "inbuf") => Layout::Bytes,
        ("Buffer_attach" | "Comm_attach_buffer" | "Session_attach_buffer", "buffer") => Layout::Attached,
        _ => return None,
    })
}
