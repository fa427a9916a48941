//! The C test programs of `tests/c` that any number of ranks can run. Each prints that it has passed.

use simurgh_testing::{Binary, Compile, Stage};

/// Builds one of the programs by its name.
pub(crate) fn build(stage: &Stage, program: &str) -> Binary {
    Compile::c(format!("tests/c/mpi_{program}.c"))
        .flags(["-O1", "-Wall", "-Werror", "-pthread"])
        .against(stage)
        .build()
}

/// Makes a test of each of those programs, which calls this with the program's name before these arguments.
#[allow(unused_macros, reason = "some tests run all programs in one go")]
macro_rules! tests {
    ($passes:ident $arguments:tt $($name:ident)*) => {$(
        #[test]
        fn $name() {
            tests!(@ $passes stringify!($name), $arguments);
        }
    )*};
    (@ $passes:ident $name:expr, [$($argument:expr),*]) => {
        $passes($name $(, $argument)*)
    };
}

/// Passes the names of the programs that work wherever their ranks live to a macro, after other tokens. The program
/// `attributes` is `tests/c/mpi_attributes.c`.
macro_rules! programs {
    ($then:ident $($words:tt)*) => {
        $then! {
            $($words)*
            arrived
            attributes
            buffers
            cart
            collectives
            collective_forms
            collective_threads
            comm_threads
            communicators
            completion
            constructors
            conversions
            datatypes
            duplicates
            early
            environment
            error_codes
            errors
            exchange
            flood
            fortran_declared
            fortran_kinds
            generalised
            graph
            handles
            info
            inter_collectives
            inter_parts
            inter_reductions
            intercommunicators
            large
            large_collectives
            large_sends
            long_collectives
            matching
            memory
            modes
            neighbors_underway
            operations
            packing
            partitioned
            removed
            sessions
            splits
            status
            threads
            tool_variables
            tool_events
            windows
        }
    };
}

/// The same for programs whose ranks make a mistake together and expect an error at all ranks. On several hosts that
/// needs all checks; otherwise only the hosts concerned get the error.
#[allow(unused_macros, reason = "some tests leave them out")]
macro_rules! agreeing_programs {
    ($then:ident $($words:tt)*) => {
        $then! {
            $($words)*
            collective_requests
            inter_wrong
            neighbors
        }
    };
}
