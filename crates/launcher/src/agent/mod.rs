//! The agent of a node: starts the hosts of its node, and supervises them for `mpiexec`.
//!
//! # Protocol
//!
//! `mpiexec` starts agents by ssh, through a command in its place, by srun, or itself. Messages (`message`) pass over
//! the agent's standard input and output; an agent that srun has started hears there only where `mpiexec` is and the
//! job's secret, and connects to it. Then both show that they know the secret (`handshake`), which is in no command
//! line, no environment, and nothing that is said on a connection.
//!
//! 1. The first message is the job (`NodeJob`) with a range of nodes. The agent serves the first of them, and starts
//!    agents for the others in the same way, each with a part of the range: a tree, in which messages from above are
//!    sent on to where they belong, and those from below are sent on upwards.
//! 2. It starts its hosts. What they say to the launcher ([`simurgh_net::control`]) is passed on, and what is for them
//!    is handed to them; the agent has made the memory that the hosts of its node share, and hands that out.
//! 3. What ranks write goes upwards line by line, and what rank 0 reads comes to its host.
//! 4. Programs that running ranks ask for come down as a job more, of which each agent starts the hosts of its node.
//! 5. Where programs find each other by PMIx, each agent serves those of its node. What they show those of other nodes
//!    goes up, and when all have shown it, comes down to all agents.
//! 6. When `mpiexec` has seen the end of all hosts, it says so; when the agents behind it are done, the agent ends.
//!
//! An agent without `mpiexec` kills its hosts: when its connection ends, or no sign of life has come for the time of
//! `peer_timeout`. Costs: each message is decoded and written anew at every level of the tree, which is as deep as the
//! logarithm of the number of nodes to the base of `--tree-width`. While ranks run undisturbed there are only signs of
//! life.

mod hosts;
mod lines;
mod modex;
mod relay;
mod start;

pub use start::run;
