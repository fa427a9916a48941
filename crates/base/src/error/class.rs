//! The table of error classes.

macro_rules! classes {
    ($($name:ident = $number:literal, $symbol:literal, $text:literal;)*) => {
        /// The error classes of MPI 5.0, with their numbers in the standard ABI.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(i32)]
        pub enum ErrorClass {
            $(#[doc = concat!("`", $symbol, "`: ", $text)] $name = $number,)*
        }

        impl ErrorClass {
            /// All classes, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The name that the standard gives the class, such as `MPI_ERR_RANK`.
            #[inline]
            #[must_use]
            pub fn symbol(self) -> &'static str {
                match self { $(Self::$name => $symbol,)* }
            }

            /// The meaning of the class, as a phrase.
            #[inline]
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

classes! {
    Success = 0, "MPI_SUCCESS", "no error";
    Buffer = 1, "MPI_ERR_BUFFER", "invalid buffer, or too little space in the attached buffer";
    Count = 2, "MPI_ERR_COUNT", "invalid count";
    Type = 3, "MPI_ERR_TYPE", "invalid datatype";
    Tag = 4, "MPI_ERR_TAG", "invalid tag";
    Comm = 5, "MPI_ERR_COMM", "invalid communicator";
    Rank = 6, "MPI_ERR_RANK", "invalid rank";
    Request = 7, "MPI_ERR_REQUEST", "invalid request";
    Root = 8, "MPI_ERR_ROOT", "invalid root";
    Group = 9, "MPI_ERR_GROUP", "invalid group";
    Op = 10, "MPI_ERR_OP", "invalid reduction operation";
    Topology = 11, "MPI_ERR_TOPOLOGY", "invalid or missing topology";
    Dims = 12, "MPI_ERR_DIMS", "invalid dimensions";
    Arg = 13, "MPI_ERR_ARG", "invalid argument";
    Unknown = 14, "MPI_ERR_UNKNOWN", "unknown error";
    Truncate = 15, "MPI_ERR_TRUNCATE", "message longer than the receive buffer";
    Other = 16, "MPI_ERR_OTHER", "error of another kind";
    Intern = 17, "MPI_ERR_INTERN", "internal error of the MPI library";
    Pending = 18, "MPI_ERR_PENDING", "operation still pending";
    InStatus = 19, "MPI_ERR_IN_STATUS", "error code is in the status";
    Access = 20, "MPI_ERR_ACCESS", "permission denied";
    Amode = 21, "MPI_ERR_AMODE", "invalid access mode";
    Assert = 22, "MPI_ERR_ASSERT", "invalid assertion argument";
    BadFile = 23, "MPI_ERR_BAD_FILE", "invalid file name";
    Base = 24, "MPI_ERR_BASE", "invalid base address";
    Conversion = 25, "MPI_ERR_CONVERSION", "error in a data conversion function";
    Disp = 26, "MPI_ERR_DISP", "invalid displacement";
    DupDatarep = 27, "MPI_ERR_DUP_DATAREP", "data representation already registered";
    FileExists = 28, "MPI_ERR_FILE_EXISTS", "file exists";
    FileInUse = 29, "MPI_ERR_FILE_IN_USE", "file is in use";
    File = 30, "MPI_ERR_FILE", "invalid file handle";
    InfoKey = 31, "MPI_ERR_INFO_KEY", "invalid info key";
    InfoNokey = 32, "MPI_ERR_INFO_NOKEY", "no such info key";
    InfoValue = 33, "MPI_ERR_INFO_VALUE", "invalid info value";
    Info = 34, "MPI_ERR_INFO", "invalid info object";
    Io = 35, "MPI_ERR_IO", "input or output error";
    Keyval = 36, "MPI_ERR_KEYVAL", "invalid attribute key";
    Locktype = 37, "MPI_ERR_LOCKTYPE", "invalid lock type";
    Name = 38, "MPI_ERR_NAME", "service name not published";
    NoMem = 39, "MPI_ERR_NO_MEM", "out of memory";
    NotSame = 40, "MPI_ERR_NOT_SAME", "collective argument differs between processes";
    NoSpace = 41, "MPI_ERR_NO_SPACE", "no space left on the device";
    NoSuchFile = 42, "MPI_ERR_NO_SUCH_FILE", "file does not exist";
    Port = 43, "MPI_ERR_PORT", "invalid port name";
    Quota = 44, "MPI_ERR_QUOTA", "quota exceeded";
    ReadOnly = 45, "MPI_ERR_READ_ONLY", "file or file system is read-only";
    RmaAttach = 46, "MPI_ERR_RMA_ATTACH", "memory cannot be attached to the window";
    RmaConflict = 47, "MPI_ERR_RMA_CONFLICT", "conflicting accesses to a window";
    RmaRange = 48, "MPI_ERR_RMA_RANGE", "target memory is outside the window";
    RmaShared = 49, "MPI_ERR_RMA_SHARED", "memory cannot be shared";
    RmaSync = 50, "MPI_ERR_RMA_SYNC", "wrong synchronisation of window calls";
    Service = 51, "MPI_ERR_SERVICE", "invalid service name";
    Size = 52, "MPI_ERR_SIZE", "invalid size";
    Spawn = 53, "MPI_ERR_SPAWN", "processes could not be started";
    UnsupportedDatarep = 54, "MPI_ERR_UNSUPPORTED_DATAREP", "unsupported data representation";
    UnsupportedOperation = 55, "MPI_ERR_UNSUPPORTED_OPERATION", "unsupported operation";
    Win = 56, "MPI_ERR_WIN", "invalid window";
    RmaFlavor = 57, "MPI_ERR_RMA_FLAVOR", "wrong flavour of window";
    ProcAborted = 58, "MPI_ERR_PROC_ABORTED", "a process of the communicator has aborted";
    ValueTooLarge = 59, "MPI_ERR_VALUE_TOO_LARGE", "value too large for its type";
    Session = 60, "MPI_ERR_SESSION", "invalid session";
    Errhandler = 61, "MPI_ERR_ERRHANDLER", "invalid error handler";
    Abi = 62, "MPI_ERR_ABI", "invalid use of the application binary interface";
}

impl ErrorClass {
    /// The class with this number, if the standard has one.
    #[inline]
    #[must_use]
    pub fn from_code(code: i32) -> Option<Self> {
        usize::try_from(code)
            .ok()
            .and_then(|index| Self::ALL.get(index))
            .copied()
    }

    /// The number of the class in the standard ABI.
    #[inline]
    #[must_use]
    pub fn code(self) -> i32 {
        self as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_classes_agree() {
        for (index, &class) in ErrorClass::ALL.iter().enumerate() {
            assert_eq!(class.code() as usize, index);
            assert_eq!(ErrorClass::from_code(class.code()), Some(class));
        }
        assert_eq!(ErrorClass::from_code(-1), None);
        assert_eq!(ErrorClass::from_code(63), None);
    }

    #[test]
    fn every_text_fits_on_one_line() {
        for class in ErrorClass::ALL {
            assert!(!class.text().is_empty() && !class.text().contains('\n'));
            assert!(class.symbol().starts_with("MPI_"));
        }
    }
}
