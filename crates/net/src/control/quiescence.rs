//! Quiescence detection: whether all hosts wait for each other, so that the job is deadlocked.
//!
//! A host is quiet if all its ranks wait and only another host could change that. It reports so, with the numbers of
//! packets that it has sent and received. If all hosts are quiet and the sums are equal, probably no packet is under
//! way; but the reports were made at different times. So all hosts are asked once more. If each is still quiet and its
//! numbers are the same, then between the last report of the first wave and the first report of the second one nothing
//! happened anywhere and nothing was under way, so nothing ever will happen (Mattern's four-counter method).
//!
//! Answers of the launcher count as packets, too: as sent when they go out, as received when the rank that asked goes
//! on. So ranks that wait for others at ports are found to wait for ever if nobody is left who could come. A rank that
//! waits for the launcher itself keeps its host from being quiet.

use std::ops::Range;

/// Exit status of a job that is deadlocked.
pub const DEADLOCKED: u8 = 125;

/// The message to the user then.
pub const DEADLOCK: &str = "deadlock: every rank waits and none can go on";

/// The reports of all hosts.
#[derive(Debug, Default)]
pub struct Quiescence {
    /// The number of the current wave of questions. Reports that nobody has asked for have number 0.
    wave: u32,
    hosts: Vec<Host>,
}

/// The state of a host, as far as it is known.
#[derive(Clone, Debug, Default)]
struct Host {
    /// Its last report.
    report: Option<Report>,
    /// Answers that it has been sent.
    answers: u64,
    /// Whether it has been removed. Then the others do not count packets to and from it any more.
    has_gone: bool,
}

/// A report of a host.
#[derive(Clone, Copy, Debug)]
struct Report {
    sent: u64,
    received: u64,
    /// Whether the numbers have been reported twice, the second time in the current wave.
    twice: bool,
}

/// The conclusion from a report.
#[derive(Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Nothing yet.
    Nothing,
    /// All hosts are to be asked again.
    Ask {
        /// The number of the question.
        wave: u32,
    },
    /// All hosts wait for each other, and always will.
    Deadlock,
}

impl Quiescence {
    /// No host of so many has reported.
    #[must_use]
    pub fn new(hosts: usize) -> Self {
        Self {
            wave: 0,
            hosts: vec![Host::default(); hosts],
        }
    }

    /// Adds hosts, so that there are so many.
    pub fn grow(&mut self, hosts: usize) {
        self.hosts.resize(hosts, Host::default());
    }

    /// Removes hosts that have ended. Of the others, those that are quiet have to report again.
    pub fn remove(&mut self, hosts: Range<usize>) {
        self.hosts[hosts].iter_mut().for_each(|host| host.has_gone = true);
    }

    /// Counts an answer that is sent to a host.
    pub fn count_answer(&mut self, host: usize) {
        self.hosts[host].answers += 1;
    }

    fn there(&self) -> impl Iterator<Item = &Host> {
        self.hosts.iter().filter(|host| !host.has_gone)
    }

    /// Takes the report of a host that it is quiet: for this wave of questions, and with these numbers of packets sent
    /// and received.
    pub fn report(&mut self, host: usize, wave: u32, (sent, received): (u64, u64)) -> Conclusion {
        let last = self.hosts[host].report;
        let known = last.is_some_and(|report| (report.sent, report.received) == (sent, received));
        let twice = known && wave > 0 && wave == self.wave;
        self.hosts[host].report = Some(Report {
            sent,
            received,
            twice,
        });
        if twice {
            let all = self
                .there()
                .all(|host| host.report.is_some_and(|report| report.twice));
            // The question may have been about an earlier report, for which the sums were equal by chance.
            return if all && self.under_way() == Some(0) {
                Conclusion::Deadlock
            } else {
                Conclusion::Nothing
            };
        }
        if known && wave > 0 {
            // The report answers an earlier question.
            return Conclusion::Nothing;
        }
        self.ask()
    }

    /// Begins another wave, if all hosts have reported and nothing seems to be under way.
    fn ask(&mut self) -> Conclusion {
        for report in self.hosts.iter_mut().filter_map(|host| host.report.as_mut()) {
            report.twice = false;
        }
        if self.under_way() != Some(0) {
            return Conclusion::Nothing;
        }
        self.wave += 1;
        Conclusion::Ask { wave: self.wave }
    }

    /// Packets and answers under way by the last reports of all hosts, modulo 2⁶⁴; none if not all have reported.
    fn under_way(&self) -> Option<u64> {
        let add = |sum: u64, host: &Host| {
            let Report { sent, received, .. } = host.report?;
            let sent = sent.wrapping_add(host.answers);
            Some(sum.wrapping_add(sent).wrapping_sub(received))
        };
        self.there().try_fold(0, add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadlock_needs_two_equal_words_of_all() {
        let mut quiescence = Quiescence::new(2);
        assert_eq!(quiescence.report(0, 0, (3, 2)), Conclusion::Nothing);
        assert_eq!(
            quiescence.report(1, 0, (2, 2)),
            Conclusion::Nothing,
            "one packet is under way"
        );
        assert_eq!(quiescence.report(1, 0, (2, 3)), Conclusion::Ask { wave: 1 });
        assert_eq!(quiescence.report(0, 1, (3, 2)), Conclusion::Nothing);
        assert_eq!(quiescence.report(1, 1, (2, 3)), Conclusion::Deadlock);
    }

    #[test]
    fn an_outdated_word_that_fits_by_chance_proves_nothing() {
        let mut quiescence = Quiescence::new(2);
        assert_eq!(quiescence.report(0, 0, (1, 2)), Conclusion::Nothing);
        assert_eq!(quiescence.report(1, 0, (4, 3)), Conclusion::Ask { wave: 1 });
        // Host 0 has gone on since its first report, and host 1 has a packet from it to come.
        assert_eq!(quiescence.report(0, 0, (5, 3)), Conclusion::Nothing);
        assert_eq!(quiescence.report(0, 1, (5, 3)), Conclusion::Nothing);
        assert_eq!(quiescence.report(1, 1, (4, 3)), Conclusion::Nothing);
        // It comes, and answers nothing.
        assert_eq!(quiescence.report(1, 0, (4, 6)), Conclusion::Ask { wave: 2 });
    }

    #[test]
    fn an_answer_is_under_way_until_who_has_asked_goes_on() {
        let mut quiescence = Quiescence::new(2);
        quiescence.report(0, 0, (0, 0));
        quiescence.count_answer(0);
        assert_eq!(quiescence.report(1, 0, (0, 0)), Conclusion::Nothing);
        assert_eq!(quiescence.report(0, 0, (0, 1)), Conclusion::Ask { wave: 1 });
        quiescence.count_answer(1);
        quiescence.report(0, 1, (0, 1));
        assert_eq!(quiescence.report(1, 1, (0, 0)), Conclusion::Nothing);
    }

    #[test]
    fn hosts_that_have_gone_do_not_count() {
        let mut quiescence = Quiescence::new(2);
        quiescence.grow(4);
        quiescence.report(0, 0, (7, 5));
        quiescence.report(1, 0, (2, 2));
        quiescence.remove(2..4);
        assert_eq!(quiescence.report(1, 0, (2, 2)), Conclusion::Nothing);
        // Without what it had to do with those who have gone.
        assert_eq!(quiescence.report(0, 0, (5, 5)), Conclusion::Ask { wave: 1 });
        quiescence.report(0, 1, (5, 5));
        assert_eq!(quiescence.report(1, 1, (2, 2)), Conclusion::Deadlock);
    }

    #[test]
    fn what_has_happened_in_between_needs_a_new_question() {
        let mut quiescence = Quiescence::new(2);
        quiescence.report(0, 0, (1, 1));
        assert_eq!(quiescence.report(1, 0, (1, 1)), Conclusion::Ask { wave: 1 });
        assert_eq!(quiescence.report(0, 1, (1, 1)), Conclusion::Nothing);
        // Host 1 was not quiet any more; it is again.
        assert_eq!(quiescence.report(1, 0, (1, 1)), Conclusion::Ask { wave: 2 });
        assert_eq!(
            quiescence.report(1, 1, (1, 1)),
            Conclusion::Nothing,
            "an answer that comes too late"
        );
        assert_eq!(
            quiescence.report(0, 2, (2, 1)),
            Conclusion::Nothing,
            "something is under way"
        );
        assert_eq!(quiescence.report(1, 2, (1, 2)), Conclusion::Ask { wave: 3 });
        assert_eq!(quiescence.report(1, 3, (1, 2)), Conclusion::Nothing);
        assert_eq!(quiescence.report(0, 3, (2, 1)), Conclusion::Deadlock);
    }
}
