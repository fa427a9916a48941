//! Why hosts cannot talk over libfabric.

use simurgh_fabric_sys::LoadError;

use crate::HostId;

/// Why hosts cannot talk over libfabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OfiError {
    /// There is no library.
    #[error("libfabric cannot be used: {0}")]
    Load(#[from] LoadError),
    /// No provider is fit.
    #[error(
        "libfabric has no reliable datagrams {asked}; there are, as provider/interface: {there}; \
         choose with --provider and --interface"
    )]
    NoProvider {
        /// The provider and interface that were asked for.
        asked: String,
        /// The providers and interfaces that exist.
        there: String,
    },
    /// The library has refused a call.
    #[error("libfabric's provider {provider} fails in {call}: {message}")]
    Call {
        /// The provider.
        provider: String,
        /// The function.
        call: &'static str,
        /// The message of the library.
        message: String,
    },
    /// A host's address is not one.
    #[error("host {0} has sent no libfabric address: do all hosts run the same version of Simurgh?")]
    Malformed(HostId),
    /// A host has another provider.
    #[error(
        "host {host} has libfabric's provider {theirs}, this one {ours}; choose one for all with --provider"
    )]
    Mismatch {
        /// The other host.
        host: HostId,
        /// Its provider.
        theirs: String,
        /// Ours.
        ours: String,
    },
    /// The operating system has refused something else that it takes.
    #[error("cannot prepare to wait for libfabric's provider {provider}: {message}")]
    System {
        /// The provider.
        provider: String,
        /// The message of the system.
        message: String,
    },
}
