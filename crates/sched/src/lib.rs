//! Topology, virtual processors and scheduling policies of the Simurgh runtime.
