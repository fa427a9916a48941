//! The identity of a host towards others: its number, its address, and the secret of the job.

use super::address::Address;
use super::endpoint::Endpoint;
use super::error::OfiError;
use super::mac::{End, HEARTBEATS, MacKeys, PACKETS};
use super::peer::Connection;
use super::protection::Protection;
use crate::HostId;
use crate::auth::Secret;

/// The identity of a host.
pub(super) struct Identity {
    pub(super) own: HostId,
    pub(super) address: Address,
    secret: Secret,
}

impl Identity {
    /// The identity of a host of the job with this secret. `address` is the one it has told others.
    pub(super) fn new(own: HostId, address: Address, secret: Secret) -> Self {
        Self { own, address, secret }
    }

    /// Reads the address of another host.
    pub(super) fn read(&self, host: HostId, bytes: &[u8]) -> Result<Address, OfiError> {
        Address::checked(host, bytes, &self.address.provider)
    }

    /// The connection to another host for packets and transfers.
    pub(super) fn connection(
        &self,
        main: &Endpoint,
        host: HostId,
        theirs: &Address,
    ) -> Result<Connection, OfiError> {
        Ok(Connection {
            address: main.insert(&theirs.main)?,
            mac_keys: self.mac_keys(PACKETS, host, theirs),
        })
    }

    /// The keys for heartbeats to and from another host.
    pub(super) fn heartbeat_keys(&self, host: HostId, theirs: &Address) -> MacKeys {
        self.mac_keys(HEARTBEATS, host, theirs)
    }

    /// The protection of traffic with another host: the stricter of what the two want.
    fn protection(&self, theirs: &Address) -> Protection {
        self.address.protection.max(theirs.protection)
    }

    fn mac_keys(&self, purpose: &str, host: HostId, theirs: &Address) -> MacKeys {
        let own = End {
            host: self.own,
            nonce: &self.address.nonce,
        };
        let other = End {
            host,
            nonce: &theirs.nonce,
        };
        MacKeys::between(&self.secret, purpose, own, other, self.protection(theirs))
    }
}
