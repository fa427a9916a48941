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
///
/// Cost: a report is taken in a time that does not depend on the number of hosts.
#[derive(Debug, Default)]
pub struct Quiescence {
    /// The number of the current wave of questions. Reports that nobody has asked for have number 0.
    wave: u32,
    hosts: Vec<Host>,
    /// The number of hosts that have not been removed.
    there: usize,
    /// The number of those that have not reported.
    unreported: usize,
    /// Packets and answers under way by the last reports of all of them, modulo 2⁶⁴.
    under_way: u64,
    /// A number that changes when reports do not confirm earlier ones any more.
    round: u64,
    /// The number of those that have confirmed their reports in this round.
    confirmed: usize,
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
    /// The round in which the numbers have been reported a second time, in the wave of that time.
    confirmed: Option<u64>,
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

impl Host {
    /// What it has under way, modulo 2⁶⁴, if it has reported.
    fn under_way(&self) -> Option<u64> {
        let Report { sent, received, .. } = self.report?;
        Some(sent.wrapping_add(self.answers).wrapping_sub(received))
    }

    fn is_confirmed_in(&self, round: u64) -> bool {
        self.report.is_some_and(|report| report.confirmed == Some(round))
    }
}

impl Quiescence {
    /// No host of so many has reported.
    #[must_use]
    pub fn new(hosts: usize) -> Self {
        let mut quiescence = Self::default();
        quiescence.grow(hosts);
        quiescence
    }

    /// Adds hosts, so that there are so many.
    pub fn grow(&mut self, hosts: usize) {
        let more = hosts.saturating_sub(self.hosts.len());
        self.there += more;
        self.unreported += more;
        self.hosts.resize(hosts, Host::default());
    }

    /// Removes hosts that have ended. Of the others, those that are quiet have to report again.
    pub fn remove(&mut self, hosts: Range<usize>) {
        for index in hosts {
            self.uncount(index);
            self.there -= usize::from(!std::mem::replace(&mut self.hosts[index].has_gone, true));
        }
    }

    /// Counts an answer that is sent to a host.
    pub fn count_answer(&mut self, host: usize) {
        self.change(host, |host| host.answers += 1);
    }

    /// Takes the report of a host that it is quiet: for this wave of questions, and with these numbers of packets sent
    /// and received.
    pub fn report(&mut self, host: usize, wave: u32, (sent, received): (u64, u64)) -> Conclusion {
        let last = self.hosts[host].report;
        let known = last.is_some_and(|report| (report.sent, report.received) == (sent, received));
        let twice = known && wave > 0 && wave == self.wave;
        let confirmed = twice.then_some(self.round);
        self.change(host, |host| {
            host.report = Some(Report {
                sent,
                received,
                confirmed,
            });
        });
        if twice {
            // The question may have been about an earlier report, for which the sums were equal by chance.
            return if self.confirmed == self.there && self.under_way == 0 {
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
        self.round += 1;
        self.confirmed = 0;
        if self.unreported > 0 || self.under_way != 0 {
            return Conclusion::Nothing;
        }
        self.wave += 1;
        Conclusion::Ask { wave: self.wave }
    }

    /// Changes what is known of a host.
    fn change(&mut self, index: usize, change: impl FnOnce(&mut Host)) {
        self.uncount(index);
        change(&mut self.hosts[index]);
        self.count(index);
    }

    /// Adds a host to the sums.
    fn count(&mut self, index: usize) {
        let host = &self.hosts[index];
        if host.has_gone {
            return;
        }
        match host.under_way() {
            Some(under_way) => self.under_way = self.under_way.wrapping_add(under_way),
            None => self.unreported += 1,
        }
        self.confirmed += usize::from(host.is_confirmed_in(self.round));
    }

    /// Takes a host out of the sums.
    fn uncount(&mut self, index: usize) {
        let host = &self.hosts[index];
        if host.has_gone {
            return;
        }
        match host.under_way() {
            Some(under_way) => self.under_way = self.under_way.wrapping_sub(under_way),
            None => self.unreported -= 1,
        }
        self.confirmed -= usize::from(host.is_confirmed_in(self.round));
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
