//! Which provider is taken, of those that libfabric has.

use std::net::IpAddr;

use super::cover::Authenticate;

/// Providers from the fastest kind of network to the slowest. Others are taken only if somebody names them: they are
/// for one machine (`shm`), unfinished (`net`, in libfabric 1.17 the coming tcp) or emulated on something that is in
/// the list itself.
const PREFERRED: &[&str] = &["cxi", "efa", "verbs", "opx", "psm3", "psm2", "tcp"];

/// What the user says about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The provider; if none, the first that there is of a list.
    pub provider: Option<String>,
    /// The network interface or device; if none, the provider's first that leads to other machines.
    pub interface: Option<String>,
    /// All hosts are on one machine, so the loopback interface will do.
    pub one_machine: bool,
    /// How much is protected against others who can reach the network.
    pub authenticate: Authenticate,
}

/// What libfabric offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Described {
    /// Name of the provider, with what it is layered on: `tcp;ofi_rxm`.
    pub(super) provider: String,
    /// Name of the interface or device.
    pub(super) interface: String,
    /// Its address, if it is one of the internet.
    pub(super) address: Option<IpAddr>,
    /// How much of what is wanted it lacks.
    pub(super) lacking: usize,
    /// Whether the interface does not lead to other machines.
    pub(super) dead_end: bool,
}

impl Choice {
    /// How good an offer is, the lowest being the best; none if it will not do.
    pub(super) fn grade(&self, offer: &Described) -> Option<impl Ord + use<>> {
        let core = offer.provider.split(';').next().unwrap_or_default();
        let preference = match &self.provider {
            Some(named) if named == core || *named == offer.provider => 0,
            Some(_) => return None,
            None => PREFERRED.iter().position(|name| *name == core)?,
        };
        if self
            .interface
            .as_ref()
            .is_some_and(|named| *named != offer.interface)
        {
            return None;
        }
        let (elsewhere, version) = match offer.address {
            Some(address) if is_link_local(address) => return None,
            Some(address) => (address.is_loopback() != self.one_machine, address.is_ipv6()),
            None => (false, false),
        };
        let dead_end = offer.dead_end && !self.one_machine;
        Some((preference, offer.lacking, elsewhere, dead_end, version))
    }

    /// Reads on after "has no reliable datagrams".
    pub(super) fn asked(&self) -> String {
        match (&self.provider, &self.interface) {
            (None, None) => format!("of {}", PREFERRED.join(", ")),
            (Some(provider), None) => format!("of provider {provider}"),
            (None, Some(interface)) => format!("on interface {interface}"),
            (Some(provider), Some(interface)) => format!("of provider {provider} on interface {interface}"),
        }
    }
}

/// Whether an address means something on one link only.
fn is_link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(provider: &str, interface: &str, address: &str) -> Described {
        Described {
            provider: provider.into(),
            interface: interface.into(),
            address: address.parse().ok(),
            lacking: 0,
            dead_end: false,
        }
    }

    fn chosen<'a>(choice: &Choice, offers: &'a [Described]) -> Option<&'a Described> {
        let graded = offers
            .iter()
            .filter_map(|offer| Some((choice.grade(offer)?, offer)));
        graded.min_by(|(a, _), (b, _)| a.cmp(b)).map(|(_, offer)| offer)
    }

    #[test]
    fn the_fastest_network_is_taken_and_what_is_named_before_that() {
        let offers = [
            offer("shm", "shm", ""),
            offer("tcp;ofi_rxm", "eth0", "10.0.0.1"),
            offer("tcp;ofi_rxm", "lo", "127.0.0.1"),
            offer("verbs;ofi_rxm", "mlx5_0", "fe80::1"),
            offer("verbs;ofi_rxm", "mlx5_0", "10.1.0.1"),
        ];
        let auto = Choice::default();
        assert_eq!(chosen(&auto, &offers), Some(&offers[4]));
        assert_eq!(chosen(&auto, &offers[..3]), Some(&offers[1]));
        let tcp = Choice {
            provider: Some("tcp".into()),
            ..Choice::default()
        };
        assert_eq!(chosen(&tcp, &offers), Some(&offers[1]));
        let here = Choice {
            one_machine: true,
            ..tcp.clone()
        };
        assert_eq!(chosen(&here, &offers), Some(&offers[2]));
        let lo = Choice {
            interface: Some("lo".into()),
            ..tcp
        };
        assert_eq!(chosen(&lo, &offers), Some(&offers[2]));
        assert_eq!(lo.asked(), "of provider tcp on interface lo");
        let named = Choice {
            provider: Some("shm".into()),
            ..Choice::default()
        };
        assert_eq!(chosen(&named, &offers), Some(&offers[0]));
        assert_eq!(chosen(&auto, &offers[..1]), None);
    }

    #[test]
    fn an_interface_that_leads_out_is_better_unless_the_other_is_named() {
        let mut offers = [
            offer("tcp", "docker0", "172.17.0.1"),
            offer("tcp", "eth0", "10.0.0.1"),
        ];
        offers[0].dead_end = true;
        assert_eq!(chosen(&Choice::default(), &offers), Some(&offers[1]));
        assert_eq!(chosen(&Choice::default(), &offers[..1]), Some(&offers[0]));
        let named = Choice {
            interface: Some("docker0".into()),
            ..Choice::default()
        };
        assert_eq!(chosen(&named, &offers), Some(&offers[0]));
    }

    #[test]
    fn what_lacks_less_is_better() {
        let mut offers = [offer("tcp", "lo", "127.0.0.1"), offer("tcp", "lo", "127.0.0.1")];
        offers[0].lacking = 1;
        assert_eq!(chosen(&Choice::default(), &offers), Some(&offers[1]));
    }
}
