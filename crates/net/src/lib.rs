//! What passes between the processes of a Simurgh job.
