//! Execution contexts of the Simurgh runtime: stacks, switch, wait lists, synchronisation.
