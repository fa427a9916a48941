//! The addresses of this machine, and those of them at which a server listens.
//!
//! A universe listens only where it is to be reached: at the interface that the user names, or else at the first one
//! that leads to other machines. On a machine without such an interface it listens at the loopback interface.

use crate::error::UniverseError;
use simurgh_net::transport::is_local_only;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The routes of the kernel, which include those to the machine itself.
const ROUTES: &str = "/proc/net/fib_trie";

/// The networks, each with the interface that leads there.
const NETWORKS: &str = "/proc/net/route";

/// The IPv6 addresses.
const ADDRESSES: &str = "/proc/net/if_inet6";

/// The interface by which a machine reaches itself.
const LOOPBACK: &str = "lo";

/// An address of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Own {
    /// Its interface; empty if it is not known.
    interface: String,
    address: IpAddr,
}

/// A network that an interface reaches without a gateway; or, with a mask of 0, the default route.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Network {
    interface: String,
    address: u32,
    mask: u32,
}

/// The addresses at which a universe listens: those of the named interface, or of the one that leads to other machines.
///
/// # Errors
///
/// When the named interface does not exist or has no address.
pub(crate) fn listening_addresses(interface: Option<&str>) -> Result<Vec<IpAddr>, UniverseError> {
    let Some(name) = interface else {
        let (own, networks) = read();
        return Ok(choose(&own, &networks, is_local_only));
    };
    let addresses = addresses_of(name);
    match addresses.is_empty() {
        true => Err(UniverseError::Interface {
            name: name.to_owned(),
        }),
        false => Ok(addresses),
    }
}

/// The addresses of an interface; none if there is no such interface.
pub(crate) fn addresses_of(name: &str) -> Vec<IpAddr> {
    let own = read().0.into_iter();
    let named = own.filter(|own| own.interface == name);
    named.map(|own| own.address).collect()
}

/// The addresses of the machine, and the networks that it knows.
fn read() -> (Vec<Own>, Vec<Network>) {
    // Without /proc, only the loopback interface is found.
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let networks = networks(&read(NETWORKS));
    let mut own = of_routes(&read(ROUTES), &networks);
    own.push(Own {
        interface: LOOPBACK.to_owned(),
        address: Ipv4Addr::LOCALHOST.into(),
    });
    own.extend(of_interfaces(&read(ADDRESSES)));
    (own, networks)
}

/// The addresses of the first interface that leads to other machines. That of the default route comes first.
fn choose(own: &[Own], networks: &[Network], is_local_only: impl Fn(&str) -> bool) -> Vec<IpAddr> {
    let default = networks.iter().filter(|network| network.mask == 0);
    let all = default
        .map(|network| &network.interface)
        .chain(own.iter().map(|own| &own.interface));
    let of = |interface: &str| {
        let found = own.iter().filter(|own| own.interface == interface);
        found.map(|own| own.address).collect::<Vec<_>>()
    };
    let leads = |name: &&String| *name != LOOPBACK && !is_local_only(name) && !of(name).is_empty();
    let interface = all.into_iter().find(leads);
    of(interface.map_or(LOOPBACK, String::as_str))
}

/// Reads [`ROUTES`]. Each address stands before the line that says that it is the machine's own.
fn of_routes(text: &str, networks: &[Network]) -> Vec<Own> {
    let mut last = None;
    let mut found: Vec<Ipv4Addr> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(address) = line.strip_prefix("|-- ") {
            last = address.parse::<Ipv4Addr>().ok();
        } else if line == "/32 host LOCAL" {
            found.extend(last.filter(|address| !address.is_loopback()));
        }
    }
    found.sort();
    found.dedup();
    let own = |address: Ipv4Addr| Own {
        interface: interface_of(address, networks),
        address: address.into(),
    };
    found.into_iter().map(own).collect()
}

/// The interface of the smallest network that contains an address.
fn interface_of(address: Ipv4Addr, networks: &[Network]) -> String {
    let has = |network: &&Network| network.mask != 0 && address.to_bits() & network.mask == network.address;
    let found = networks.iter().filter(has).max_by_key(|network| network.mask);
    found.map_or_else(String::new, |network| network.interface.clone())
}

/// Reads [`NETWORKS`]. A line has an interface, a destination, a gateway, flags, three numbers and a mask. Addresses
/// are in the byte order of the machine.
fn networks(text: &str) -> Vec<Network> {
    let network = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        let number = |place: usize| u32::from_str_radix(words.get(place)?, 16).ok();
        let [address, gateway, mask] = [number(1)?, number(2)?, number(7)?];
        (gateway == 0 || mask == 0).then(|| Network {
            interface: words[0].to_owned(),
            address: u32::from_be(address),
            mask: u32::from_be(mask),
        })
    };
    text.lines().filter_map(network).collect()
}

/// Reads [`ADDRESSES`]. It keeps addresses of scope 0, which mean the same everywhere, and that of the loopback
/// interface.
fn of_interfaces(text: &str) -> Vec<Own> {
    let global = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        let address = Ipv6Addr::from_bits(u128::from_str_radix(words.first()?, 16).ok()?);
        let of_use = words.get(3) == Some(&"00") || address.is_loopback();
        of_use.then(|| Own {
            interface: words.last().copied().unwrap_or_default().to_owned(),
            address: address.into(),
        })
    };
    text.lines().filter_map(global).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "Local:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 0.0.0.0\n        /0 universe UNICAST\n        \
                       |-- 127.0.0.1\n              /32 host LOCAL\n           |-- 172.17.0.1\n              \
                       /32 host LOCAL\n        |-- 192.0.2.2\n              /32 host LOCAL\n        \
                       |-- 192.0.2.255\n           /32 link BROADCAST\n";
    const KNOWN: &str = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\n\
                         eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\n\
                         docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\n\
                         eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\n";
    const SIX: &str = "fd000000000000000000000000000002 04 40 00 82     eth0\n\
                       fe8000000000000000fc00fffe000001 04 40 20 80     eth0\n\
                       00000000000000000000000000000001 01 80 10 80       lo\n";

    fn own() -> (Vec<Own>, Vec<Network>) {
        let networks = networks(KNOWN);
        let mut own = of_routes(OWN, &networks);
        own.extend(of_interfaces(SIX));
        (own, networks)
    }

    fn texts(addresses: &[IpAddr]) -> Vec<String> {
        addresses.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_kernels_tables_are_read() {
        let (own, _) = own();
        let names: Vec<_> = own
            .iter()
            .map(|own| format!("{} {}", own.interface, own.address))
            .collect();
        assert_eq!(
            names,
            ["docker0 172.17.0.1", "eth0 192.0.2.2", "eth0 fd00::2", "lo ::1"]
        );
        assert_eq!(
            (of_routes("noise", &[]), of_interfaces("noise x")),
            (vec![], vec![])
        );
        assert!(networks("noise x y").is_empty());
    }

    #[test]
    fn the_interface_that_leads_to_others_is_chosen() {
        let (own, networks) = own();
        let chosen = choose(&own, &networks, |_| false);
        assert_eq!(texts(&chosen), ["192.0.2.2", "fd00::2"]);
        let no_default = &networks[1..];
        assert_eq!(texts(&choose(&own, no_default, |_| false)), ["172.17.0.1"]);
        let bridge = |name: &str| name == "docker0";
        assert_eq!(texts(&choose(&own, no_default, bridge)), ["192.0.2.2", "fd00::2"]);
        assert_eq!(texts(&choose(&own, &networks, |_| true)), ["::1"]);
    }

    #[test]
    fn there_is_always_one() {
        assert!(!listening_addresses(None).unwrap().is_empty());
        assert!(
            listening_addresses(Some(LOOPBACK))
                .unwrap()
                .contains(&Ipv4Addr::LOCALHOST.into())
        );
        let refused = listening_addresses(Some("nowhere")).unwrap_err().to_string();
        assert!(refused.contains("nowhere"), "{refused}");
    }
}
