//! Connecting to a machine that has several addresses. From some places only some of them lead to it.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, ipproto, socket_with, sockopt};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Instant;

/// Connects to all of the addresses at once, and returns the first connection.
///
/// # Errors
///
/// The failure of each address, if there is no connection by `until`.
pub(crate) fn connect_any(addresses: &[IpAddr], port: u16, until: Instant) -> Result<TcpStream, String> {
    let mut failed = Vec::new();
    let mut attempts = Vec::new();
    for &address in addresses {
        match begin(SocketAddr::new(address, port)) {
            Ok(socket) => attempts.push((address, socket)),
            Err(error) => failed.push(format!("{address}: {error}")),
        }
    }
    while !attempts.is_empty() {
        if !wait(&attempts, until) {
            failed.extend(
                attempts
                    .iter()
                    .map(|(address, _)| format!("{address}: no answer")),
            );
            break;
        }
        for (address, socket) in std::mem::take(&mut attempts) {
            match has_connected(&socket) {
                Ok(true) => return Ok(TcpStream::from(socket)),
                Ok(false) => attempts.push((address, socket)),
                Err(error) => failed.push(format!("{address}: {error}")),
            }
        }
    }
    match failed.is_empty() {
        true => Err(
            "it listens at the loopback interface of another machine; --interface names another one"
                .to_owned(),
        ),
        false => Err(format!("port {port}, {}", failed.join("; "))),
    }
}

/// Begins to connect.
fn begin(address: SocketAddr) -> Result<OwnedFd, Errno> {
    let family = match address {
        SocketAddr::V4(_) => AddressFamily::INET,
        SocketAddr::V6(_) => AddressFamily::INET6,
    };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
    match connect(&socket, &address) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(socket),
        Err(error) => Err(error),
    }
}

/// Waits until one of the attempts has succeeded or failed; false if none has by `until`.
fn wait(attempts: &[(IpAddr, OwnedFd)], until: Instant) -> bool {
    let sockets = attempts.iter().map(|(_, socket)| socket.as_fd());
    let mut watched: Vec<_> = sockets
        .map(|socket| PollFd::from_borrowed_fd(socket, PollFlags::OUT))
        .collect();
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match poll(&mut watched, Timespec::try_from(left).ok().as_ref()) {
            Ok(0) => return false,
            Ok(_) => return true,
            Err(Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// Whether an attempt has succeeded.
fn has_connected(socket: &OwnedFd) -> Result<bool, Errno> {
    sockopt::socket_error(socket)??;
    match rustix::net::getpeername(socket) {
        Ok(Some(_)) => Ok(true),
        Ok(None) | Err(Errno::NOTCONN) => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, TcpListener};
    use std::time::Duration;

    #[test]
    fn the_address_that_leads_there_is_found() {
        let there = Ipv4Addr::new(127, 0, 0, 3);
        let listener = TcpListener::bind((there, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let connect_any = |addresses: &[Ipv4Addr]| {
            let addresses: Vec<IpAddr> = addresses.iter().copied().map(IpAddr::from).collect();
            connect_any(&addresses, port, Instant::now() + Duration::from_secs(20))
        };
        let nobody = Ipv4Addr::new(127, 0, 0, 2);
        let stream = connect_any(&[nobody, there, Ipv4Addr::new(127, 0, 0, 4)]).unwrap();
        assert_eq!(stream.peer_addr().unwrap().ip(), there);
        let refused = connect_any(&[nobody]).unwrap_err();
        assert!(refused.contains("127.0.0.2: Connection refused"), "{refused}");
        assert!(connect_any(&[]).unwrap_err().contains("of another machine"));
    }
}
