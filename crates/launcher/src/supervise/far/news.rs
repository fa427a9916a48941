//! What is heard from the nodes of a job.

use super::{Far, Standing};
use crate::agent::message::{Down, Up};
use crate::agent::{LinkError, Loss, silent};
use crate::supervise::GRACE;
use simurgh_net::control::FromHost;
use simurgh_net::transport::HostId;
use std::ops::Range;

/// What has been heard from the nodes.
pub(super) enum News {
    Said { host: HostId, message: FromHost },
    Exited { host: HostId, status: i32 },
    Lost { node: u32, loss: Loss },
}

impl Far {
    /// Hears what there is.
    pub(super) fn listen(&mut self) -> Vec<News> {
        let mut news = std::mem::take(&mut self.untold);
        self.output.catch_up();
        self.errors.catch_up();
        if let Some(srun) = &mut self.srun {
            self.branches.extend(srun.welcome(&self.job));
            if let Some(loss) = srun.has_failed() {
                news.extend(self.lost(0..self.job.nodes.1, &loss));
                self.srun = None;
            }
        }
        let mut index = 0;
        while index < self.branches.len() {
            match self.listen_to(index, &mut news) {
                Ok(()) => index += 1,
                Err(loss) => {
                    let branch = self.branches.swap_remove(index);
                    news.extend(self.lost(branch.nodes(), &loss));
                    branch.end(GRACE);
                }
            }
        }
        if self.standing[0] == Standing::Here
            && let Some(bytes) = self.input.read()
        {
            self.send_to(0, &Down::Input, &bytes);
        }
        news
    }

    /// Nodes that are lost, as far as they still mattered.
    fn lost(&self, nodes: Range<u32>, loss: &Loss) -> Vec<News> {
        let matters = |node: &u32| self.standing[*node as usize] != Standing::Over;
        let lost = |node| News::Lost {
            node,
            loss: loss.clone(),
        };
        nodes.filter(matters).map(lost).collect()
    }

    /// Hears a branch; why it is lost, if it is.
    fn listen_to(&mut self, index: usize, news: &mut Vec<News>) -> Result<(), Loss> {
        self.branches[index].catch_up();
        while !self.is_crowded() {
            let branch = &mut self.branches[index];
            match branch.receive() {
                Ok(Some((message, bytes))) => news.extend(self.take(message, bytes)),
                Ok(None) => break,
                Err(LinkError::Closed) if self.is_over(index) => return Err(Loss::of("")),
                Err(error) => return Err(self.branches[index].loss(&error)),
            }
        }
        match self.timeout {
            Some(timeout) if !self.branches[index].keep_alive(timeout) => Err(silent(timeout)),
            _ => Ok(()),
        }
    }

    /// Whether nothing more is expected of a branch.
    fn is_over(&self, index: usize) -> bool {
        let mut nodes = self.branches[index].nodes();
        nodes.all(|node| self.standing[node as usize] == Standing::Over)
    }

    fn take(&mut self, message: Up, bytes: Vec<u8>) -> Option<News> {
        match message {
            Up::Said { host, message } => return Some(News::Said { host, message }),
            Up::Exited { host, status } => return Some(News::Exited { host, status }),
            Up::Failed { node, loss } if self.stands(node) => return Some(News::Lost { node, loss }),
            Up::Output { error: false } => self.output.print(bytes),
            Up::Output { error: true } => self.errors.print(bytes),
            Up::TookInput => self.input.is_taken(),
            Up::Modex(parcel) => self.exchange(parcel, &bytes),
            Up::Here { node } => self.set(node, Standing::Here),
            Up::Done { node } => self.set(node, Standing::Over),
            Up::Failed { .. } | Up::Called { .. } | Up::Alive => {}
        }
        None
    }
}
