//! The error classes of the tool information interface. Only the calls of that interface return them, but
//! `MPI_Error_class` and `MPI_Error_string` know them, too.

/// The number of the first class.
const FIRST: i32 = 1001;

/// The classes in the order of their numbers.
const CLASSES: [&str; 18] = [
    "MPI_T_ERR_CANNOT_INIT: the tool interface cannot be initialised now",
    "MPI_T_ERR_NOT_ACCESSIBLE: the tool interface cannot be used at this time",
    "MPI_T_ERR_NOT_INITIALIZED: the tool interface is not initialised",
    "MPI_T_ERR_NOT_SUPPORTED: not supported by the tool interface",
    "MPI_T_ERR_MEMORY: out of memory",
    "MPI_T_ERR_INVALID: invalid argument of the tool interface",
    "MPI_T_ERR_INVALID_INDEX: invalid index of a variable, category, event or source",
    "MPI_T_ERR_INVALID_ITEM: invalid item of an enumeration",
    "MPI_T_ERR_INVALID_SESSION: invalid session of performance variables",
    "MPI_T_ERR_INVALID_HANDLE: invalid handle of the tool interface",
    "MPI_T_ERR_INVALID_NAME: no variable, category or event of this name",
    "MPI_T_ERR_OUT_OF_HANDLES: no more handles are available",
    "MPI_T_ERR_OUT_OF_SESSIONS: no more sessions are available",
    "MPI_T_ERR_CVAR_SET_NOT_NOW: the control variable cannot be set at this moment",
    "MPI_T_ERR_CVAR_SET_NEVER: the control variable cannot be set any more",
    "MPI_T_ERR_PVAR_NO_WRITE: the performance variable cannot be written or reset",
    "MPI_T_ERR_PVAR_NO_STARTSTOP: the performance variable cannot be started or stopped",
    "MPI_T_ERR_PVAR_NO_ATOMIC: the performance variable cannot be read and written in one step",
];

/// The name and meaning of the class with this number, if it is one of these.
pub(super) fn text(code: i32) -> Option<&'static str> {
    let index = usize::try_from(code.checked_sub(FIRST)?).ok()?;
    CLASSES.get(index).copied()
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn numbers_and_classes_agree() {
        assert!(text(1001).is_some_and(|text| text.starts_with("MPI_T_ERR_CANNOT_INIT: ")));
        assert!(text(1018).is_some_and(|text| text.starts_with("MPI_T_ERR_PVAR_NO_ATOMIC: ")));
        assert_eq!([1000, 1019, 0, -1, i32::MIN].map(text), [None; 5]);
    }
}
