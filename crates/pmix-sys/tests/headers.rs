//! That types, constants and signatures are those of the installed headers.
//!
//! Needs Debian's libpmix-dev. Without, the test says that it is skipped.

use simurgh_pmix_sys::{
    BOOL, BYTE_OBJECT, COLLECT_DATA, DATA_ARRAY, DataArray, ERR_LOST_CONNECTION, ERR_NOT_FOUND,
    ERR_NOT_SUPPORTED, EVENT_ACTION_COMPLETE, GLOBAL, INFO, Info, JOB_SIZE, Library, OPERATION_SUCCEEDED,
    PROC_RANK, Proc, RANK_WILDCARD, STRING, SUCCESS, UINT16, UINT32, Value,
};
use std::fmt::Write as _;
use std::io::Write as _;
use std::mem::{align_of, offset_of, size_of};
use std::process::{Command, Stdio};

/// Signatures, as pointers that take the functions' addresses without a word from the compiler.
const FUNCTIONS: &str = r#"
pmix_status_t (*init)(pmix_proc_t *, pmix_info_t *, size_t) = PMIx_Init;
pmix_status_t (*finalize)(const pmix_info_t *, size_t) = PMIx_Finalize;
pmix_status_t (*aborts)(int, const char *, pmix_proc_t *, size_t) = PMIx_Abort;
pmix_status_t (*put)(pmix_scope_t, const char *, pmix_value_t *) = PMIx_Put;
pmix_status_t (*commit)(void) = PMIx_Commit;
void (*done)(pmix_status_t, void *);
pmix_status_t (*fence)(const pmix_proc_t *, size_t, const pmix_info_t *, size_t, __typeof__(done), void *)
    = PMIx_Fence_nb;
pmix_status_t (*get)(const pmix_proc_t *, const char *, const pmix_info_t *, size_t, pmix_value_t **) = PMIx_Get;
void (*handled)(pmix_status_t, pmix_info_t *, size_t, __typeof__(done), void *, void *);
void (*handler)(size_t, pmix_status_t, const pmix_proc_t *, pmix_info_t *, size_t, pmix_info_t *, size_t,
    __typeof__(handled), void *);
void (*registered)(pmix_status_t, size_t, void *);
pmix_status_t (*handle)(pmix_status_t *, size_t, pmix_info_t *, size_t, __typeof__(handler), __typeof__(registered),
    void *) = PMIx_Register_event_handler;
const char *(*message)(pmix_status_t) = PMIx_Error_string;

pmix_status_t (*server_init)(pmix_server_module_t *, pmix_info_t *, size_t) = PMIx_server_init;
pmix_status_t (*register_nspace)(const char *, int, pmix_info_t *, size_t, __typeof__(done), void *)
    = PMIx_server_register_nspace;
pmix_status_t (*register_client)(const pmix_proc_t *, uint32_t, uint32_t, void *, __typeof__(done), void *)
    = PMIx_server_register_client;
pmix_status_t (*setup_fork)(const pmix_proc_t *, char ***) = PMIx_server_setup_fork;
void (*release)(void *);
void (*told)(pmix_status_t, const char *, size_t, void *, __typeof__(release), void *);
void (*deregister_nspace)(const char *, __typeof__(done), void *) = PMIx_server_deregister_nspace;
void (*shown)(pmix_status_t, char *, size_t, void *);
pmix_status_t (*dmodex)(const pmix_proc_t *, __typeof__(shown), void *) = PMIx_server_dmodex_request;
pmix_server_module_t module;
pmix_status_t (**heard)(const pmix_proc_t *, void *, __typeof__(done), void *) = &module.client_connected;
pmix_status_t (**gone)(const pmix_proc_t *, void *, __typeof__(done), void *) = &module.client_finalized;
pmix_status_t (**ended)(const pmix_proc_t *, void *, int, const char *, pmix_proc_t *, size_t, __typeof__(done), void *)
    = &module.abort;
pmix_status_t (**fenced)(const pmix_proc_t *, size_t, const pmix_info_t *, size_t, char *, size_t, __typeof__(told),
    void *) = &module.fence_nb;
pmix_status_t (**fetched)(const pmix_proc_t *, const pmix_info_t *, size_t, __typeof__(told), void *)
    = &module.direct_modex;
void (*controlled)(pmix_status_t, pmix_info_t *, size_t, void *, __typeof__(release), void *);
pmix_status_t (**control)(const pmix_proc_t *, const pmix_proc_t *, size_t, const pmix_info_t *, size_t,
    __typeof__(controlled), void *) = &module.job_control;
_Static_assert(offsetof(pmix_server_module_t, job_control) == 152, "place of job_control");
_Static_assert(offsetof(pmix_server_module_t, fence_nb) == 24, "place of fence_nb");
_Static_assert(offsetof(pmix_server_module_t, direct_modex) == 32, "place of direct_modex");
_Static_assert(sizeof(pmix_server_module_t) <= 512, "length of the table");
"#;

fn layouts() -> String {
    let sizes = [
        ("pmix_proc_t", size_of::<Proc>(), align_of::<Proc>()),
        ("pmix_value_t", size_of::<Value>(), align_of::<Value>()),
        (
            "pmix_data_array_t",
            size_of::<DataArray>(),
            align_of::<DataArray>(),
        ),
        ("pmix_info_t", size_of::<Info>(), align_of::<Info>()),
        ("pmix_status_t", 4, 4),
        ("pmix_scope_t", 1, 1),
    ];
    let offsets = [
        ("pmix_proc_t", "rank", offset_of!(Proc, rank)),
        ("pmix_value_t", "data", offset_of!(Value, data)),
        ("pmix_info_t", "flags", offset_of!(Info, flags)),
        ("pmix_info_t", "value", offset_of!(Info, value)),
        ("pmix_byte_object_t", "size", 8),
        ("pmix_data_array_t", "size", offset_of!(DataArray, size)),
        ("pmix_data_array_t", "array", offset_of!(DataArray, array)),
    ];
    let numbers = [
        ("PMIX_SUCCESS", i64::from(SUCCESS)),
        ("PMIX_ERR_LOST_CONNECTION", i64::from(ERR_LOST_CONNECTION)),
        ("PMIX_ERR_NOT_FOUND", i64::from(ERR_NOT_FOUND)),
        ("PMIX_ERR_NOT_SUPPORTED", i64::from(ERR_NOT_SUPPORTED)),
        ("PMIX_OPERATION_SUCCEEDED", i64::from(OPERATION_SUCCEEDED)),
        ("PMIX_EVENT_ACTION_COMPLETE", i64::from(EVENT_ACTION_COMPLETE)),
        ("PMIX_RANK_WILDCARD", i64::from(RANK_WILDCARD)),
        ("PMIX_GLOBAL", i64::from(GLOBAL)),
        ("PMIX_BOOL", i64::from(BOOL)),
        ("PMIX_STRING", i64::from(STRING)),
        ("PMIX_UINT16", i64::from(UINT16)),
        ("PMIX_UINT32", i64::from(UINT32)),
        ("PMIX_INFO", i64::from(INFO)),
        ("PMIX_DATA_ARRAY", i64::from(DATA_ARRAY)),
        ("PMIX_PROC_RANK", i64::from(PROC_RANK)),
        ("PMIX_BYTE_OBJECT", i64::from(BYTE_OBJECT)),
    ];
    let mut text = String::new();
    for (name, size, align) in sizes {
        let _ = writeln!(
            text,
            "_Static_assert(sizeof({name}) == {size}, \"size of {name}\");"
        );
        let _ = writeln!(
            text,
            "_Static_assert(_Alignof({name}) == {align}, \"alignment of {name}\");"
        );
    }
    for (name, field, offset) in offsets {
        let _ = writeln!(
            text,
            "_Static_assert(offsetof({name}, {field}) == {offset}, \"{name}.{field}\");"
        );
    }
    for (name, number) in numbers {
        let _ = writeln!(text, "_Static_assert({name} == {number}, \"{name}\");");
    }
    for (name, value) in [("PMIX_JOB_SIZE", JOB_SIZE), ("PMIX_COLLECT_DATA", COLLECT_DATA)] {
        let value = value.to_str().unwrap();
        let _ = writeln!(
            text,
            "_Static_assert(!__builtin_strcmp({name}, \"{value}\"), \"{name}\");"
        );
    }
    text
}

#[test]
fn declarations_are_those_of_the_headers() {
    let flags = Command::new("pkg-config").args(["--cflags", "pmix"]).output();
    let Some(flags) = flags.ok().filter(|output| output.status.success()) else {
        eprintln!("skipped: the headers of PMIx are missing: apt-get install libpmix-dev");
        return;
    };
    let mut compiler = Command::new("cc")
        .args(["-std=gnu11", "-Werror", "-fsyntax-only", "-xc", "-"])
        .args(String::from_utf8_lossy(&flags.stdout).split_whitespace())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let text = format!(
        "#include <stddef.h>\n#include <pmix.h>\n#include <pmix_server.h>\n{}{FUNCTIONS}",
        layouts()
    );
    compiler.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(compiler.wait().unwrap().success(), "{text}");
}

#[test]
fn the_installed_library_has_what_is_needed() {
    match Library::load() {
        Ok(library) => assert!(
            library.message(ERR_LOST_CONNECTION).contains("LOST"),
            "{}",
            library.message(-61)
        ),
        Err(error) => eprintln!("skipped: {error}"),
    }
}
