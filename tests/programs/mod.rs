//! The C test programs of `tests/c` that any number of ranks can run, anywhere: each says that it has passed.

/// Hands their names on to a macro. The program `attributes` is `tests/c/mpi_attributes.c`.
macro_rules! programs {
    ($then:ident) => {
        $then! {
            attributes
            cart
            buffers
            collectives
            collective_forms
            collective_requests
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
            inter_wrong
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
