//! mpiexec, the host process and the compiler wrappers of Simurgh.
