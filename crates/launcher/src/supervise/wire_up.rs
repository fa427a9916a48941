//! How the hosts of a job find each other.

use super::Supervisor;
use super::ending::{Phase, Verdict};
use simurgh_net::control::{Hello, Secret, ToHost, VERSION};
use std::os::fd::OwnedFd;

impl Supervisor<'_> {
    /// Takes up a host; the last one sets them all going.
    pub(super) fn welcome(&mut self, host: usize, hello: Hello, descriptors: Vec<OwnedFd>) {
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
        member.join(hello, descriptors);
        if member.world() > 0 {
            self.go_on_growing();
        } else if self.members.iter().all(super::Member::has_joined) {
            // If it has been found meanwhile that the job is to end, the last one comes too late.
            if let Phase::Joining = self.phase {
                self.introduce();
                self.enter(Phase::Running, None);
            }
        } else {
            self.look_for_the_missing();
        }
    }

    /// Tells each host of each other one.
    fn introduce(&mut self) {
        if let Some(far) = &mut self.far {
            return far.introduce(&self.members);
        }
        let nodes: Vec<_> = self.starter.spec().hosts.iter().map(|host| host.node).collect();
        for (to, node) in nodes.iter().enumerate() {
            for (of, other) in nodes.iter().enumerate() {
                if let Some((peer, descriptors)) =
                    self.members[of].as_peer(node == other).filter(|_| of != to)
                {
                    self.members[to].tell(ToHost::Peer(peer), descriptors);
                }
            }
            self.members[to].tell(ToHost::Go, Vec::new());
        }
        for member in &mut self.members {
            member.forget_descriptors();
        }
    }
}

/// Why a host that greets is not one of the job's, in words that follow its name.
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
