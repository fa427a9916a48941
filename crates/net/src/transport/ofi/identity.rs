//! Who a host is to others: its number, what it has told them, and the secret that they share.

use super::address::Address;
use super::endpoint::Endpoint;
use super::error::OfiError;
use super::mac::{End, HEARTBEATS, MacKeys, PACKETS};
use super::peer::Connection;
use super::protection::Protection;
use crate::HostId;
use crate::auth::Secret;

/// Who a host is to others.
pub(super) struct Identity {
    pub(super) own: HostId,
    pub(super) address: Address,
    secret: Secret,
}

impl Identity {
    /// A host of the job with this secret, that has told others its address.
    pub(super) fn new(own: HostId, address: Address, secret: Secret) -> Self {
        Self { own, address, secret }
    }

    /// Looks at what another host has told.
    pub(super) fn read(&self, host: HostId, bytes: &[u8]) -> Result<Address, OfiError> {
        Address::checked(host, bytes, &self.address.provider)
    }

    /// How packets go to another host.
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

    /// What signs of life of and for another host are sealed with.
    pub(super) fn heartbeat_keys(&self, host: HostId, theirs: &Address) -> MacKeys {
        self.mac_keys(HEARTBEATS, host, theirs)
    }

    /// How much is protected of what goes to another host: as much as the one of the two wants who wants more.
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
