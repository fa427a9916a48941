//! The agent of a node: starts the hosts of its node, and supervises them for `mpiexec`.
//!
//! # Protocol
//!
//! `mpiexec` starts agents by ssh, through a command in its place, by srun, or directly. Messages
//! (`tree/message`) pass over the standard input and output of the agent. An agent that srun has started
//! receives there only the port of `mpiexec` and the job's secret, and connects. Then both prove that they know the
//! secret (`oob`), which is in no command line, in no environment, and in nothing that is sent on that
//! connection.
//!
//! 1. The first message is the job with a range of nodes. The agent serves the first of them. It starts agents for the
//!    others in the same way, each with a part of the range. So the agents form a tree. Messages from above are passed
//!    on to where they belong; those from below are passed up.
//! 2. It starts its hosts. Their messages to the launcher ([`simurgh_net::control`]) are passed up, and those for them
//!    are handed to them. The agent has made the memory that the hosts of its node share, and hands that out.
//! 3. Output of ranks goes up line by line, and the input of rank 0 comes down to its host.
//! 4. Spawned programs come down as a further job, of which each agent starts the hosts of its node.
//! 5. Where programs find each other by PMIx, each agent runs the server of its node. The data that servers exchange
//!    (the modex) goes up, and when all nodes have sent theirs, comes down to all agents.
//! 6. When `mpiexec` has seen the end of all hosts, it says so. The agent ends when the agents below it have.
//!
//! An agent that has lost `mpiexec` kills its hosts: when its connection ends, or when no sign of life has come for
//! `peer_timeout`.
//!
//! Costs: each message is decoded and encoded anew at every level of the tree. The depth is the logarithm of the number
//! of nodes to the base of `--tree-width`. While ranks run undisturbed there are only signs of life.

mod bootstrap;
mod event_loop;
mod hosts;
mod lines;
mod modex;

pub use bootstrap::run;
