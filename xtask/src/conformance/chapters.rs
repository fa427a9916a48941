//! The chapters of MPI 5.0 and their functions.

/// A chapter that defines functions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Chapter {
    pub(crate) number: u8,
    pub(crate) title: &'static str,
    /// The names of functions without `MPI_`. A star stands for any text.
    names: &'static [&'static str],
}

const fn chapter(number: u8, title: &'static str, names: &'static [&'static str]) -> Chapter {
    Chapter { number, title, names }
}

/// The chapters in the order of lookup: a function belongs to the first chapter that fits.
#[rustfmt::skip]
const LOOKED_UP: &[Chapter] = &[
    chapter(16, "Deprecated interfaces", &[
        "Attr_*", "Keyval_*", "Info_get", "Info_get_valuelen", "Get_elements_x", "Status_set_elements_x",
        "Type_get_extent_x", "Type_get_true_extent_x", "Type_size_x",
    ]),
    chapter(17, "Removed interfaces", &[
        "Address", "Errhandler_create", "Errhandler_get", "Errhandler_set", "Type_extent", "Type_hindexed",
        "Type_hvector", "Type_lb", "Type_struct", "Type_ub",
    ]),
    chapter(19, "Language bindings", &["Type_create_f90_*", "Type_match_size", "Status_*2*", "*_c2f", "*_f2c"]),
    chapter(20, "Application binary interface", &["Abi_*", "*_toint", "*_fromint"]),
    chapter(15, "Tool support", &["T_*", "Pcontrol"]),
    chapter(13, "External interfaces", &["Grequest_*", "Status_set_*"]),
    chapter(9, "Environmental management", &[
        "*_errhandler", "Errhandler_*", "Error_*", "Add_error_*", "Remove_error_*", "Get_version",
        "Get_library_version", "Get_processor_name", "Get_hw_resource_info", "Alloc_mem", "Free_mem", "Wtime", "Wtick",
    ]),
    chapter(14, "Input and output", &["File_*", "Register_datarep"]),
    chapter(10, "The info object", &["Info_*"]),
    chapter(7, "Groups, contexts, communicators and caching", &[
        "Group_*", "Comm_create_from_group", "Intercomm_*", "Type_create_keyval", "Type_free_keyval", "Type_*_attr",
        "Type_*et_name", "Win_create_keyval", "Win_free_keyval", "Win_*_attr", "Win_*et_name",
    ]),
    chapter(11, "Process initialisation, creation and management", &[
        "Init", "Init_thread", "Initialized", "Finalize", "Finalized", "Abort", "Query_thread", "Is_thread_main",
        "Session_init", "Session_finalize", "Session_get_*", "Comm_spawn*", "Comm_get_parent", "Comm_accept",
        "Comm_connect", "Comm_disconnect", "Comm_join", "*_port", "*_name_service", "Publish_name", "Unpublish_name",
        "Lookup_name",
    ]),
    chapter(8, "Virtual topologies", &[
        "Cart*", "Graph*", "Dist_graph_*", "Dims_create", "Topo_test", "Neighbor_*", "Ineighbor_*",
    ]),
    chapter(12, "One-sided communication", &[
        "Win_*", "Put", "Rput", "Get", "Rget", "*ccumulate", "Fetch_and_op", "Compare_and_swap",
    ]),
    chapter(4, "Partitioned communication", &["Psend_init", "Precv_init", "Pready*", "Parrived"]),
    chapter(3, "Point-to-point communication", &[
        "*end", "*end_init", "*ecv*", "*Sendrecv*", "*sendrecv*", "*robe", "Wait*", "Test*", "Request_*", "Start*",
        "Cancel", "Get_count", "Status_get_*", "*uffer_attach", "*uffer_detach", "*uffer_flush", "*uffer_iflush",
        "*_buffer",
    ]),
    chapter(7, "Groups, contexts, communicators and caching", &["Comm_*"]),
    chapter(5, "Datatypes", &["Type_*", "Get_address", "Aint_*", "Get_elements", "Pack*", "Unpack*"]),
    chapter(6, "Collective communication", &[
        "*llgather*", "*llreduce*", "*lltoall*", "*arrier*", "*cast*", "*xscan*", "*ather*", "*educe*", "*can*",
        "*catter*", "Op_*",
    ]),
];

/// The chapter of a function. A function with large counts belongs to the chapter of its plain counterpart.
pub(crate) fn of(function: &str) -> Option<&'static Chapter> {
    let name = function.strip_prefix("MPI_")?;
    let name = name.strip_suffix("_c").unwrap_or(name);
    LOOKED_UP
        .iter()
        .find(|chapter| chapter.names.iter().any(|pattern| fits(pattern, name)))
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| {
            after.is_empty()
                || (0..=rest.len()).any(|start| rest.get(start..).is_some_and(|rest| fits(after, rest)))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(function: &str) -> Option<u8> {
        of(function).map(|chapter| chapter.number)
    }

    #[test]
    fn functions_are_found_in_their_chapters() {
        for (function, chapter) in [
            ("MPI_Send", 3),
            ("MPI_Ssend_init_c", 3),
            ("MPI_Irecv", 3),
            ("MPI_Session_iflush_buffer", 3),
            ("MPI_Testall", 3),
            ("MPI_Precv_init", 4),
            ("MPI_Type_get_extent_c", 5),
            ("MPI_Ireduce_scatter_block_c", 6),
            ("MPI_Iscan", 6),
            ("MPI_Win_get_attr", 7),
            ("MPI_Comm_split_type", 7),
            ("MPI_Type_get_name", 7),
            ("MPI_Ineighbor_alltoallw_c", 8),
            ("MPI_Cartdim_get", 8),
            ("MPI_Session_call_errhandler", 9),
            ("MPI_Add_error_class", 9),
            ("MPI_Info_get_string", 10),
            ("MPI_Session_get_nth_pset", 11),
            ("MPI_Raccumulate", 12),
            ("MPI_Get_accumulate_c", 12),
            ("MPI_Status_set_elements", 13),
            ("MPI_File_iread_at_all_c", 14),
            ("MPI_T_pvar_start", 15),
            ("MPI_Type_size_x", 16),
            ("MPI_Type_ub", 17),
            ("MPI_Type_match_size", 19),
            ("MPI_Status_f082f", 19),
            ("MPI_Comm_c2f", 19),
            ("MPI_Comm_toint", 20),
        ] {
            assert_eq!(number(function), Some(chapter), "{function}");
        }
        assert_eq!(number("MPI_Nonsense"), None);
    }

    #[test]
    fn a_star_stands_for_anything() {
        assert!(fits("*end", "Ssend") && fits("Type_*_attr", "Type_get_attr") && fits("Comm_*", "Comm_"));
        assert!(!fits("*end", "Sender") && !fits("Get", "Get_count") && !fits("Comm_*", "Common"));
    }
}
