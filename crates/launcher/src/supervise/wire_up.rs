//! Wire-up of the first world: hosts join, and learn each other's addresses.

use super::Supervisor;
use super::phase::{Phase, Verdict};
use simurgh_net::auth::Secret;
use simurgh_net::control::{Hello, MAX_PEERS, Peer, ToHost, VERSION};

impl Supervisor<'_> {
    /// Handles the first message of a host. When the last host of the job has joined, all are set going.
    pub(super) fn admit(&mut self, host: usize, hello: Hello) {
        let member = &mut self.members[host];
        if let Some(refusal) = refusal(
            self.starter.secret(),
            member.number(),
            member.has_joined(),
            &hello,
        ) {
            let message = format!("{member} {refusal}");
            return self.conclude(Verdict { status: 1, message });
        }
        member.join(hello);
        if !member.is_first() {
            self.continue_wire_up();
        } else if self
            .have_joined
            .is_reached(&self.members, super::Member::has_joined)
        {
            // If the job is about to end, it does not run any more.
            if let Phase::Joining = self.phase {
                self.start_running();
                self.enter(Phase::Running, None);
            }
        } else {
            self.check_ended_programs();
        }
    }

    /// Sends all hosts the addresses that they need, and sets them going.
    fn start_running(&mut self) {
        let peers = self.members.iter().filter_map(|member| member.as_peer(false));
        for message in peers_messages(peers.filter(|peer| !peer.addresses.is_empty())) {
            self.send_to_all(&message);
        }
        self.send_to_all(&ToHost::Go);
    }
}

/// The messages that tell of these hosts.
pub(crate) fn peers_messages(peers: impl Iterator<Item = Peer>) -> Vec<ToHost> {
    let peers: Vec<Peer> = peers.collect();
    let some = peers.chunks(MAX_PEERS);
    some.map(|peers| ToHost::Peers(peers.to_vec())).collect()
}

/// Why a host is refused, in words that follow its name; none if it belongs to the job.
fn refusal(known: &Secret, number: u32, has_joined: bool, hello: &Hello) -> Option<String> {
    let Hello {
        version,
        secret,
        host,
        ..
    } = hello;
    if *version != VERSION {
        return Some(format!(
            "speaks version {version} of the control protocol, mpiexec version {VERSION}: they come from different \
             installations"
        ));
    }
    if known != secret {
        return Some("does not know the secret of the job".to_owned());
    }
    if *host != number || has_joined {
        return Some(format!("says that it is host {host}, or says so twice"));
    }
    None
}
