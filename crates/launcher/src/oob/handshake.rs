//! The handshake by which the two ends of a connection prove to each other that they know a secret, without sending it.
//!
//! 1. The initiator sends its version of the protocol and a nonce.
//! 2. The responder sends its own nonce, and a proof that it knows the secret.
//! 3. The initiator checks that proof before it sends anything else, and then sends its own.
//!
//! From then on each frame carries an [authentication code](super::mac). So a third party that has relayed the
//! handshake can neither change nor add anything.

use super::mac::Authenticator;
use super::{Link, LinkError};
use serde::{Deserialize, Serialize};
use simurgh_net::auth::{Handshake, Nonce, Party, Proof, Role, Secret};
use std::io;
use std::time::Instant;
use thiserror::Error;

/// A protocol that is spoken after the handshake.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Protocol {
    pub(crate) name: &'static str,
    pub(crate) version: u32,
}

/// The messages of the handshake.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
enum Message {
    /// The first message of the initiator.
    Greeting { version: u32, nonce: Nonce },
    /// The answer.
    Challenge { nonce: Nonce, proof: Proof },
    /// The other answer: the responder speaks another version.
    Foreign { version: u32 },
    /// The second message of the initiator.
    Response { proof: Proof },
}

/// Why the other end of a connection is not the one that it has to be.
#[derive(Debug, Error)]
pub(crate) enum HandshakeError {
    /// It does not know the secret.
    #[error("the program that answers does not know the secret: it has taken over the port")]
    Impostor,
    /// It sends something else.
    #[error("another program answers")]
    Unexpected,
    /// It speaks another version.
    #[error("it comes from another installation: it speaks version {0}")]
    Version(u32),
    /// It sends nothing.
    #[error("it does not answer")]
    Silent,
    /// The connection fails.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// There are no random numbers.
    #[error("the kernel gives no random numbers: {0}")]
    Random(#[source] io::Error),
}

impl Protocol {
    /// Calls `then` with the handshake of two ends that have sent these nonces.
    fn handshake<R>(&self, initiator: &Nonce, responder: &Nonce, then: impl FnOnce(Handshake<'_>) -> R) -> R {
        let party = |nonce| Party { name: b"", nonce };
        then(Handshake {
            purpose: &format!("{} {}", self.name, self.version),
            initiator: party(initiator),
            responder: party(responder),
        })
    }

    /// Performs the handshake of the initiator. On success the other end knows the secret.
    ///
    /// # Errors
    ///
    /// When the other end does not prove that by `until`.
    pub(crate) fn authenticate(
        &self,
        link: &mut Link,
        secret: &Secret,
        until: Instant,
    ) -> Result<(), HandshakeError> {
        let initiator = Nonce::random().map_err(HandshakeError::Random)?;
        let greeting = Message::Greeting {
            version: self.version,
            nonce: initiator.clone(),
        };
        link.send(&greeting, &[]);
        match link.wait(Some(until))?.ok_or(HandshakeError::Silent)? {
            Message::Challenge { nonce, proof } => self.handshake(&initiator, &nonce, |handshake| {
                if !handshake.accepts(secret, Role::Responder, &proof) {
                    return Err(HandshakeError::Impostor);
                }
                let proof = handshake.proof(secret, Role::Initiator);
                link.send(&Message::Response { proof }, &[]);
                link.protect(Authenticator::of(&handshake, secret, Role::Initiator));
                Ok(())
            }),
            Message::Foreign { version } => Err(HandshakeError::Version(version)),
            Message::Greeting { .. } | Message::Response { .. } => Err(HandshakeError::Unexpected),
        }
    }
}

/// The state of the responder in the handshake with one initiator.
#[derive(Debug, Default)]
pub(super) struct Responding(Option<(Nonce, Nonce)>);

impl Responding {
    /// Handles the messages of the initiator that have come; true when it has proved that it knows the secret.
    pub(super) fn advance(
        &mut self,
        link: &mut Link,
        protocol: &Protocol,
        secret: &Secret,
    ) -> Result<bool, HandshakeError> {
        link.flush();
        while let Some((word, _)) = link.receive()? {
            match (word, self.0.take()) {
                (Message::Greeting { version, nonce }, None) if version == protocol.version => {
                    self.challenge(link, nonce, protocol, secret)?;
                }
                (Message::Greeting { version, .. }, None) => {
                    let own = protocol.version;
                    link.send(&Message::Foreign { version: own }, &[]);
                    return Err(HandshakeError::Version(version));
                }
                (Message::Response { proof }, Some((initiator, own))) => {
                    return protocol.handshake(&initiator, &own, |handshake| {
                        if !handshake.accepts(secret, Role::Initiator, &proof) {
                            return Err(HandshakeError::Impostor);
                        }
                        link.protect(Authenticator::of(&handshake, secret, Role::Responder));
                        Ok(true)
                    });
                }
                _ => return Err(HandshakeError::Unexpected),
            }
        }
        Ok(false)
    }

    fn challenge(
        &mut self,
        link: &mut Link,
        initiator: Nonce,
        protocol: &Protocol,
        secret: &Secret,
    ) -> Result<(), HandshakeError> {
        let own = Nonce::random().map_err(HandshakeError::Random)?;
        let proof = protocol.handshake(&initiator, &own, |handshake| {
            handshake.proof(secret, Role::Responder)
        });
        let nonce = own.clone();
        link.send(&Message::Challenge { nonce, proof }, &[]);
        self.0 = Some((initiator, own));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    const PROTOCOL: Protocol = Protocol {
        name: "test",
        version: 1,
    };

    fn pair() -> [Link; 2] {
        let (a, b) = UnixStream::pair().unwrap();
        [a, b].map(|stream: UnixStream| {
            let other = stream.try_clone().unwrap();
            Link::new(stream.into(), other.into(), false).unwrap()
        })
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    /// Answers until the handshake has succeeded or failed.
    fn answer(link: &mut Link, protocol: Protocol, secret: &Secret) -> Result<(), HandshakeError> {
        let mut responding = Responding::default();
        while !responding.advance(link, &protocol, secret)? {
            std::thread::yield_now();
        }
        Ok(())
    }

    /// The outcome of a handshake on both ends: the initiator speaks `version`, and each end knows its own of the
    /// secrets.
    fn meet(
        version: u32,
        secrets: [&Secret; 2],
    ) -> (Result<Link, HandshakeError>, Result<Link, HandshakeError>) {
        let [mut initiator, mut responder] = pair();
        let [known, own] = secrets.map(Clone::clone);
        let thread = std::thread::spawn(move || answer(&mut responder, PROTOCOL, &own).map(|()| responder));
        let protocol = Protocol { version, ..PROTOCOL };
        let authenticated = protocol.authenticate(&mut initiator, &known, soon());
        let authenticated = authenticated.map(|()| initiator);
        (authenticated, thread.join().unwrap())
    }

    #[test]
    fn a_peer_that_knows_the_secret_is_admitted() {
        let secret = Secret::random().unwrap();
        let (Ok(mut a), Ok(mut b)) = meet(1, [&secret, &secret]) else {
            panic!("they know each other");
        };
        for number in 0..3 {
            a.send(&number, b"bytes");
            b.send(&(number + 10), &[]);
            assert_eq!(b.wait::<u32>(Some(soon())).unwrap(), Some(number));
            assert_eq!(a.wait::<u32>(Some(soon())).unwrap(), Some(number + 10));
        }
    }

    #[test]
    fn a_peer_that_does_not_is_refused_on_both_sides() {
        let [one, other] = [(); 2].map(|()| Secret::random().unwrap());
        let (authenticated, answered) = meet(1, [&one, &other]);
        assert!(matches!(authenticated, Err(HandshakeError::Impostor)));
        assert!(matches!(answered, Err(HandshakeError::Link(LinkError::Closed))));
        let (authenticated, answered) = meet(2, [&one, &one]);
        assert!(matches!(authenticated, Err(HandshakeError::Version(1))));
        assert!(matches!(answered, Err(HandshakeError::Version(2))));
    }

    /// The other side returns the words of the initiator, which proves nothing.
    #[test]
    fn words_that_are_sent_back_prove_nothing() {
        let secret = Secret::random().unwrap();
        let [mut initiator, mut mirror] = pair();
        let thread = std::thread::spawn(move || {
            let Some(Message::Greeting { nonce, .. }) = mirror.wait(Some(soon())).unwrap() else {
                panic!("it greets");
            };
            let zeros = "0".repeat(64);
            let proof: Proof = serde_json::from_str(&format!("\"{zeros}\"")).unwrap();
            mirror.send(&Message::Challenge { nonce, proof }, &[]);
            mirror.wait::<Message>(Some(soon()))
        });
        let authenticated = PROTOCOL.authenticate(&mut initiator, &secret, soon());
        assert!(matches!(authenticated, Err(HandshakeError::Impostor)));
        drop(initiator);
        assert!(
            matches!(thread.join().unwrap(), Err(LinkError::Closed)),
            "nothing more is said"
        );
    }
}
