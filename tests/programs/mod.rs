//! The C test programs of `tests/c` that any number of ranks can run: each says that it has passed.

/// Hands the names of those on to a macro that pass wherever their ranks live. The program `attributes` is
/// `tests/c/mpi_attributes.c`.
macro_rules! programs {
    ($then:ident) => {
        $then! {
            attributes
            cart
            collectives
            collective_forms
            collective_threads
            comm_threads
            communicators
            completion
            constructors
            datatypes
            duplicates
            early
            environment
            error_codes
            errors
            exchange
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
            neighbors
            neighbors_underway
            operations
            packing
            sessions
            splits
            status
            threads
            tool_variables
            tool_events
        }
    };
}

/// Hands the names of those on to a macro that pass on one host only: they expect that nothing is taken from a sender
/// before it is received, that a receiver's errors reach all ranks, or room for more than hosts grant each other.
#[allow(unused_macros, reason = "tests of several hosts leave them out")]
macro_rules! one_host_programs {
    ($then:ident) => {
        $then! {
            buffers
            collective_requests
            flood
            inter_wrong
            modes
            partitioned
        }
    };
}
