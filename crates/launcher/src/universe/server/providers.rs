//! Whether hosts of several mpiexecs have a network in common.

use simurgh_net::control::Peer;
use simurgh_net::transport::ofi::OfiPort;
use std::collections::BTreeSet;

/// Why these hosts cannot reach each other, if they cannot: they use different providers of libfabric. Each host has
/// taken the one that seemed best on its machine, or that its user has named.
pub(super) fn differ<'a>(peers: impl Iterator<Item = &'a Peer>) -> Option<String> {
    let addresses = peers.flat_map(|peer| &peer.addresses);
    let providers: BTreeSet<String> = addresses
        .filter_map(|address| OfiPort::provider_of(&address.bytes.0))
        .collect();
    let names: Vec<_> = providers.into_iter().collect();
    (names.len() > 1).then(|| {
        format!(
            "hosts of the jobs use different providers of libfabric, {}; start all with the same --provider",
            names.join(" and ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_net::control::Address;
    use simurgh_net::encoding::Bytes;

    fn peer(provider: &str) -> Peer {
        let mut bytes = Vec::new();
        let parts: [&[u8]; 5] = [provider.as_bytes(), b"main", b"watch", &[0; 32], &[0]];
        for part in parts {
            bytes.extend((part.len() as u32).to_le_bytes());
            bytes.extend(part);
        }
        let address = Address {
            transport: "ofi".to_owned(),
            bytes: Bytes(bytes),
        };
        Peer {
            host: 0,
            addresses: vec![address],
            place: None,
        }
    }

    #[test]
    fn one_provider_leads_to_all() {
        let (tcp, verbs) = (peer("tcp;ofi_rxm"), peer("verbs;ofi_rxm"));
        assert_eq!(differ([&tcp, &tcp].into_iter()), None);
        let reason = differ([&tcp, &verbs, &tcp].into_iter()).unwrap();
        assert!(
            reason.contains("libfabric, tcp;ofi_rxm and verbs;ofi_rxm; "),
            "{reason}"
        );
    }
}
