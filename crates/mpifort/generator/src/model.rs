//! The model of the Fortran interface: its procedures, their parameters, and their names.

pub use simurgh_mpi_abi_declarations::Width;

/// A procedure of the Fortran interface.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name without `MPI_`, in the spelling of C: `Send`, `Send_c`. Where a C function exists, it is that of the
    /// function.
    pub name: String,
    /// The same without the `_c` of large counts, if the large and the small procedure have one generic name.
    pub generic_name: String,
    /// Whether counts are `INTEGER` or `INTEGER(KIND=MPI_COUNT_KIND)`.
    pub width: Width,
    /// The parameters of the C function, in its order, without `ierror`.
    pub parameters: Vec<Parameter>,
    /// What a call gives back.
    pub returns: Returns,
    /// Where its implementation comes from.
    pub body: Body,
    /// The modules that have it.
    pub bindings: Bindings,
    /// Whether the C prototype ends in `...`.
    pub variadic: bool,
}

/// The modules that have a procedure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bindings {
    /// The include file `mpif.h`.
    pub mpif: bool,
    /// The module `mpi`.
    pub mpi: bool,
    /// The module `mpi_f08`.
    pub f08: bool,
}

/// What a call of a procedure gives back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Returns {
    /// A subroutine with `ierror`.
    Error,
    /// A subroutine without `ierror`.
    Nothing,
    /// A function: `DOUBLE PRECISION`.
    Double,
    /// A function: `INTEGER(KIND=MPI_ADDRESS_KIND)`.
    Address,
}

/// Where the implementation of a procedure comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Body {
    /// Generated: it converts the arguments and calls the C function.
    Generated,
    /// Written by hand: this function of the library, which takes Fortran's arguments as they come (addresses, then
    /// the lengths of the strings) and returns the error code.
    ByHand(&'static str),
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name, which is also the keyword in calls.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The direction that `mpi_f08` states.
    pub intent: Intent,
    /// Whether the procedure stores into the argument, stated or not.
    pub written: bool,
    /// Whether C takes its address, though it is one value.
    pub by_address: bool,
    /// Its shape, for all kinds but buffers.
    pub shape: Shape,
    /// Whether it is `ASYNCHRONOUS` in `mpi_f08`.
    pub asynchronous: bool,
}

/// The direction of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intent {
    /// `INTENT(IN)`.
    In,
    /// `INTENT(OUT)`.
    Out,
    /// `INTENT(INOUT)`.
    InOut,
    /// None is stated: sentinels that cannot be changed may be passed.
    Unstated,
}

/// The shape of a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One value.
    Scalar,
    /// An assumed-size array, `(*)`.
    AssumedSize,
    /// An array as long as another parameter says, `(n)`.
    Length(String),
    /// Triples, `(3, n)`.
    Triples(String),
    /// A table of strings, `(count, *)`.
    Table(String),
}

/// What a parameter is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `INTEGER`, C's `int`.
    Integer,
    /// `INTEGER(KIND=MPI_ADDRESS_KIND)`.
    Address,
    /// `INTEGER(KIND=MPI_COUNT_KIND)`.
    Count,
    /// `INTEGER(KIND=MPI_OFFSET_KIND)`.
    Offset,
    /// `LOGICAL`, C's `int`.
    Logical,
    /// `LOGICAL` of the compiler, whose bytes are what the call is about.
    LogicalBytes,
    /// `INTEGER` that counts from one in Fortran, and from zero in C.
    Index,
    /// `INTEGER` array of weights, in whose place `MPI_UNWEIGHTED` and `MPI_WEIGHTS_EMPTY` may be passed.
    Weights,
    /// `INTEGER` array of error codes, in whose place `MPI_ERRCODES_IGNORE` may be passed.
    ErrorCodes,
    /// A handle: `INTEGER`, and a type of its own in `mpi_f08`.
    Handle(Handle),
    /// A status: `INTEGER(MPI_STATUS_SIZE)`, and `TYPE(MPI_Status)` in `mpi_f08`. `MPI_STATUS_IGNORE`, or
    /// `MPI_STATUSES_IGNORE` for an array, may be passed where it is written.
    Status,
    /// A status in the form of `mpif.h`, `INTEGER(MPI_STATUS_SIZE)`, in all modules.
    IntegerStatus,
    /// A status in the form of `mpi_f08`, `TYPE(MPI_Status)`, in all modules.
    TypeStatus,
    /// `CHARACTER(LEN=*)`.
    Text(Trim),
    /// `CHARACTER` that the procedure fills.
    TextOut {
        /// Its length as Fortran declares it: a constant, a parameter, or `*`.
        declared: &'static str,
        /// The room that the C function needs, with the null byte: a constant; empty if the call says it.
        room: &'static str,
    },
    /// A choice buffer.
    Buffer(Layout),
    /// The address of memory that the procedure hands out: `TYPE(C_PTR)` in `mpi_f08`, an address in the others.
    Memory,
    /// The address of a buffer that has been detached: `TYPE(C_PTR)` in `mpi_f08`. In the others it is a choice buffer
    /// that is left alone.
    Detached,
    /// A procedure of the program, of this abstract interface: `MPI_User_function`.
    Callback(String),
    /// A parameter that only C has; a null pointer is passed.
    Null,
}

/// The blanks that do not belong to a string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trim {
    /// Those at its end.
    Trailing,
    /// Those at both ends.
    Both,
}

/// How a call sees the data in a choice buffer. It decides what is done with a section that is not contiguous.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Layout {
    /// So many elements of a datatype, one after the other: a derived datatype describes the section.
    Elements {
        /// The parameter with the number.
        count: String,
        /// The parameter with the datatype.
        datatype: String,
    },
    /// Several blocks of elements, one for each process or partition, from a datatype or an array of them.
    Blocks {
        /// The parameter with the datatype, or the datatypes.
        datatype: String,
    },
    /// Elements that are reduced: predefined operations take predefined datatypes only.
    Reduction,
    /// Packed data, or memory without a datatype.
    Bytes,
    /// Memory that stays in use after the call, for messages of other calls: it has to be contiguous.
    Attached,
    /// Only the address matters.
    Address,
}

/// The types of handles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the MPI standard says what each one is")]
pub enum Handle {
    Comm,
    Datatype,
    Errhandler,
    File,
    Group,
    Info,
    Message,
    Op,
    Request,
    Session,
    Win,
}

impl Handle {
    /// All of them.
    pub const ALL: [Handle; 11] = [
        Handle::Comm,
        Handle::Datatype,
        Handle::Errhandler,
        Handle::File,
        Handle::Group,
        Handle::Info,
        Handle::Message,
        Handle::Op,
        Handle::Request,
        Handle::Session,
        Handle::Win,
    ];

    /// The handle whose type has this name in C and in `mpi_f08`: `MPI_Comm`.
    pub fn of_type(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|handle| handle.type_name() == name)
    }

    /// Its type in C and in `mpi_f08`.
    pub fn type_name(self) -> String {
        format!("MPI_{self:?}")
    }

    /// The subject of its functions: `Type` as in `MPI_Type_fromint`.
    pub fn stem(self) -> String {
        match self {
            Handle::Datatype => "Type".to_owned(),
            other => format!("{other:?}"),
        }
    }
}

/// The names that a specific procedure of `mpi_f08` has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Specific {
    /// Its name in Fortran: `MPI_Send_f08ts`.
    pub name: String,
    /// Its symbol for the linker.
    pub symbol: String,
    /// Whether its interface is `BIND(C)`. Procedures with strings, with logicals or with procedures of the program are
    /// plain external ones instead.
    pub bind_c: bool,
}

impl Procedure {
    /// The parameters that Fortran sees, without `ierror`.
    pub fn fortran_parameters(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters
            .iter()
            .filter(|parameter| parameter.kind != Kind::Null)
    }

    /// Whether there is a choice buffer in `mpi_f08`.
    pub fn has_buffer(&self) -> bool {
        self.any(|kind| matches!(kind, Kind::Buffer(_)))
    }

    /// Whether there is a string.
    pub fn has_text(&self) -> bool {
        self.any(|kind| matches!(kind, Kind::Text(_) | Kind::TextOut { .. }))
    }

    /// Whether there is a procedure of the program.
    pub fn has_callback(&self) -> bool {
        self.any(|kind| matches!(kind, Kind::Callback(_)))
    }

    /// Whether there is a `LOGICAL`. Under `-std=f2018` gfortran refuses those of the default kind in interfaces with
    /// `BIND(C)`.
    pub fn has_logical(&self) -> bool {
        self.any(|kind| matches!(kind, Kind::Logical | Kind::LogicalBytes))
    }

    /// Whether it gives the address of memory to the program.
    pub fn hands_out_memory(&self) -> bool {
        self.any(|kind| *kind == Kind::Memory)
    }

    fn any(&self, is: impl Fn(&Kind) -> bool) -> bool {
        self.parameters.iter().any(|parameter| is(&parameter.kind))
    }

    /// Whether the procedure of `mpi_f08` has an implementation of its own, and not that of `mpif.h`.
    pub fn differs_in_f08(&self) -> bool {
        self.has_buffer() || self.any(|kind| *kind == Kind::Detached)
    }

    /// The name under which `mpi_f08` offers it, which is generic: `MPI_Send`, also for `Send_c`.
    pub fn generic(&self) -> String {
        format!("MPI_{}", self.generic_name)
    }

    /// The specific procedure of `mpi_f08`.
    pub fn specific(&self) -> Specific {
        let suffix = if self.has_buffer() { "f08ts" } else { "f08" };
        let name = format!("MPI_{}_{suffix}", self.name);
        // A string beside a buffer: a procedure of the module passes the length on.
        let bind_c = self.has_buffer() || !(self.has_text() || self.has_callback() || self.has_logical());
        let symbol = match bind_c {
            true => name.clone(),
            false => format!("{}_", name.to_lowercase()),
        };
        Specific { name, symbol, bind_c }
    }

    /// The symbol of the procedure of `mpif.h` and `mpi`, in the convention of most compilers: `mpi_send_`.
    pub fn symbol(&self) -> String {
        format!("mpi_{}_", self.name.to_lowercase())
    }
}

/// All spellings that compilers give the external procedure `MPI_name`, the most usual one first.
pub fn spellings(name: &str) -> [String; 4] {
    let lower = name.to_lowercase();
    [
        format!("{lower}_"),
        lower.clone(),
        format!("{lower}__"),
        name.to_uppercase(),
    ]
}

impl Procedure {
    /// Whether calls start an operation, or set one up, that goes on after the call.
    pub fn starts(&self) -> bool {
        let starts = |parameter: &Parameter| {
            parameter.kind == Kind::Handle(Handle::Request) && parameter.intent == Intent::Out
        };
        self.parameters.iter().any(starts)
    }

    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }
}

/// A variable whose address has a meaning of its own.
#[derive(Clone, Copy, Debug)]
pub struct Sentinel {
    /// Its name in Fortran.
    pub name: &'static str,
    /// The common block that holds it, in `mpif.h` and in both modules.
    pub block: &'static str,
    /// Its size in bytes.
    pub size: usize,
}

/// The common block with the kinds of default types: logical, integer, real, double precision. Zeros mean the usual
/// ones.
pub const DEFAULT_KINDS: &str = "mpi_fortran_default_kinds";

/// The variables whose addresses have meanings of their own.
pub const SENTINELS: [Sentinel; 10] = [
    Sentinel::new("MPI_BOTTOM", "mpi_fortran_bottom", 4),
    Sentinel::new("MPI_IN_PLACE", "mpi_fortran_in_place", 4),
    Sentinel::new("MPI_BUFFER_AUTOMATIC", "mpi_fortran_buffer_automatic", 4),
    Sentinel::new("MPI_STATUS_IGNORE", "mpi_fortran_status_ignore", 32),
    Sentinel::new("MPI_STATUSES_IGNORE", "mpi_fortran_statuses_ignore", 32),
    Sentinel::new("MPI_ERRCODES_IGNORE", "mpi_fortran_errcodes_ignore", 4),
    Sentinel::new("MPI_UNWEIGHTED", "mpi_fortran_unweighted", 4),
    Sentinel::new("MPI_WEIGHTS_EMPTY", "mpi_fortran_weights_empty", 4),
    Sentinel::new("MPI_ARGV_NULL", "mpi_fortran_argv_null", 1),
    Sentinel::new("MPI_ARGVS_NULL", "mpi_fortran_argvs_null", 1),
];

impl Sentinel {
    const fn new(name: &'static str, block: &'static str, size: usize) -> Self {
        Self { name, block, size }
    }

    /// The symbol of the variable for the linker.
    pub fn symbol(&self) -> String {
        format!("{}_", self.block)
    }
}
