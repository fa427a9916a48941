//! The process in which the ranks of a job live: its start, its wire-up with other hosts, its end, signals, output.
//!
//! The C interface and the API for Rust programs have this side of a job in common. The crate may depend on every other
//! crate but the launcher and these two.

mod host;

pub use host::{
    Claim, CommunicationProfile, Moment, NativeJob, NotNow, PolicyError, adopt, are_relocatable, bias_locks,
    choose_placement, claim, connect, dump_and_restore, dumps, end_native_job, end_singleton, join, leave,
    main, note_heap, offer_launcher, placement_of, policy_of, policy_of_settings, register, say,
};
