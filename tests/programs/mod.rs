//! The C test programs of `tests/c` that any number of ranks can run: each says that it has passed.

/// Hands the names of those on to a macro that pass wherever their ranks live. The program `attributes` is
/// `tests/c/mpi_attributes.c`.
macro_rules! programs {
    ($then:ident) => {
        $then! {
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
            neighbors
            neighbors_underway
            operations
            packing
            partitioned
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
/// before it is received, or that a receiver's errors reach all ranks.
#[allow(unused_macros, reason = "tests of several hosts leave them out")]
macro_rules! one_host_programs {
    ($then:ident) => {
        $then! {
            collective_requests
            inter_wrong
        }
    };
}
