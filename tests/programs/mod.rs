//! The C test programs of `tests/c` that any number of ranks can run: each says that it has passed.

use simurgh_testing::{Binary, Compile, Stage};

/// Builds one of the programs by its name.
pub(crate) fn build(stage: &Stage, program: &str) -> Binary {
    Compile::c(format!("tests/c/mpi_{program}.c"))
        .flags(["-O1", "-Wall", "-Werror", "-pthread"])
        .against(stage)
        .build()
}

/// A test of each of those programs: what is called with these arguments behind the program's name.
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

/// Hands the names of those on to a macro, behind other words, that pass wherever their ranks live. The program
/// `attributes` is `tests/c/mpi_attributes.c`.
macro_rules! programs {
    ($then:ident $($words:tt)*) => {
        $then! {
            $($words)*
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
        }
    };
}

/// The same for those that make mistakes together and expect that each is an error of all ranks: on
/// several hosts it is if everything is checked. Otherwise those hosts hear of it that are concerned.
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
