//! Who a host is to others: its number, what it has told them, and the secret that they share.

use super::address::Address;
use super::cover::Cover;
use super::endpoint::Endpoint;
use super::error::OfiError;
use super::peer::Contact;
use super::seal::{End, PACKETS, SIGNS, Seals};
use crate::control::Secret;
use crate::transport::HostId;

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
    pub(super) fn packets(
        &self,
        main: &Endpoint,
        host: HostId,
        theirs: &Address,
    ) -> Result<Contact, OfiError> {
        Ok(Contact {
            address: main.insert(&theirs.main)?,
            seals: self.seals(PACKETS, host, theirs),
        })
    }

    /// What signs of life of and for another host are sealed with.
    pub(super) fn signs(&self, host: HostId, theirs: &Address) -> Seals {
        self.seals(SIGNS, host, theirs)
    }

    /// How much is protected of what goes to another host: as much as the one of the two wants who wants more.
    fn cover(&self, theirs: &Address) -> Cover {
        self.address.cover.max(theirs.cover)
    }

    fn seals(&self, purpose: &str, host: HostId, theirs: &Address) -> Seals {
        let own = End {
            host: self.own,
            nonce: &self.address.nonce,
        };
        let other = End {
            host,
            nonce: &theirs.nonce,
        };
        Seals::between(&self.secret, purpose, own, other, self.cover(theirs))
    }
}
