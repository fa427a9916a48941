//! Which execution contexts move to which virtual processors, so that each has as much to do as the others.

/// What an execution context adds to the load of the virtual processor on which it lives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Load {
    pub(super) vp: usize,
    /// The time for which it has run, in any unit.
    pub(super) time: f64,
}

/// The share of a virtual processor's load by which a move has to lower it: less is noise.
const LEAST_STEP: f64 = 0.005;

/// The moves, by the places of contexts in `loads`; none if the largest load of a virtual processor would not become
/// smaller by this share of it. `joins` tells between which two virtual processors contexts may move.
///
/// Again and again the virtual processor with the largest load gives a context to another one, or exchanges one with
/// it, whichever makes the larger of the two loads smallest.
pub(super) fn moves(
    loads: &[Load],
    vps: usize,
    least_gain: f64,
    joins: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut plan = Plan {
        loads: loads.to_vec(),
        sums: vec![0.0; vps],
    };
    loads.iter().for_each(|load| plan.sums[load.vp] += load.time);
    let before = plan.largest();
    // Each step lowers the largest load; the limit is for loads that are no numbers.
    for _ in 0..4 * loads.len() {
        let Some(step) = plan.best_step(&joins) else { break };
        plan.take(&step);
    }
    if before - plan.largest() < least_gain * before || before <= 0.0 {
        return Vec::new();
    }
    let moved = |(place, load): (usize, &Load)| (load.vp != loads[place].vp).then_some((place, load.vp));
    plan.loads.iter().enumerate().filter_map(moved).collect()
}

struct Plan {
    loads: Vec<Load>,
    /// The load of each virtual processor.
    sums: Vec<f64>,
}

/// A context leaves the virtual processor with the largest load, and perhaps another one comes in exchange.
struct Step {
    leaves: usize,
    comes: Option<usize>,
    target: usize,
    /// The larger of the two loads afterwards.
    larger: f64,
}

impl Plan {
    fn largest(&self) -> f64 {
        self.sums.iter().copied().fold(0.0, f64::max)
    }

    fn best_step(&self, joins: impl Fn(usize, usize) -> bool) -> Option<Step> {
        let source = (0..self.sums.len()).max_by(|&a, &b| self.sums[a].total_cmp(&self.sums[b]))?;
        let limit = self.sums[source] * (1.0 - LEAST_STEP);
        let targets = (0..self.sums.len()).filter(|&target| target != source && joins(source, target));
        targets
            .flat_map(|target| self.steps(source, target))
            .filter(|step| step.larger < limit)
            .min_by(|a, b| a.larger.total_cmp(&b.larger))
    }

    /// All steps from one virtual processor to another.
    fn steps(&self, source: usize, target: usize) -> impl Iterator<Item = Step> {
        let on = move |vp: usize| (0..self.loads.len()).filter(move |&place| self.loads[place].vp == vp);
        on(source).flat_map(move |leaves| {
            let partners = on(target).map(Some).chain([None]);
            partners.map(move |comes| {
                let back = comes.map_or(0.0, |comes| self.loads[comes].time);
                let moved = self.loads[leaves].time - back;
                Step {
                    leaves,
                    comes,
                    target,
                    larger: (self.sums[source] - moved).max(self.sums[target] + moved),
                }
            })
        })
    }

    fn take(&mut self, step: &Step) {
        let source = self.loads[step.leaves].vp;
        self.settle(step.leaves, step.target);
        if let Some(comes) = step.comes {
            self.settle(comes, source);
        }
    }

    fn settle(&mut self, place: usize, vp: usize) {
        let load = &mut self.loads[place];
        self.sums[load.vp] -= load.time;
        self.sums[vp] += load.time;
        load.vp = vp;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loads(of_vps: &[&[f64]]) -> Vec<Load> {
        let of_vp = |(vp, times): (usize, &&[f64])| -> Vec<Load> {
            times.iter().map(|&time| Load { vp, time }).collect()
        };
        of_vps.iter().enumerate().flat_map(of_vp).collect()
    }

    /// The loads of the virtual processors after the moves.
    fn after(loads: &[Load], vps: usize, moves: &[(usize, usize)]) -> Vec<f64> {
        let mut sums = vec![0.0; vps];
        for (place, load) in loads.iter().enumerate() {
            let moved = moves.iter().find(|(moved, _)| *moved == place);
            sums[moved.map_or(load.vp, |(_, vp)| *vp)] += load.time;
        }
        sums
    }

    #[test]
    fn heavy_ones_are_shared_out() {
        let before = loads(&[&[3.0; 8], &[1.0; 8]]);
        let moves = moves(&before, 2, 0.05, |_, _| true);
        assert_eq!(after(&before, 2, &moves), [16.0, 16.0]);
        assert!(moves.len() <= 8, "{moves:?}");
    }

    #[test]
    fn exchanges_find_what_moves_alone_do_not() {
        let before = loads(&[&[6.0, 5.0], &[4.0, 3.0]]);
        let moves = moves(&before, 2, 0.05, |_, _| true);
        assert_eq!(after(&before, 2, &moves), [9.0, 9.0]);
        assert_eq!(moves.len(), 2);
    }

    #[test]
    fn what_gains_too_little_stays() {
        let before = loads(&[&[1.0, 1.0, 1.04], &[1.0, 1.0, 0.96]]);
        assert!(moves(&before, 2, 0.05, |_, _| true).is_empty());
        assert!(moves(&loads(&[&[5.0], &[1.0]]), 2, 0.05, |_, _| true).is_empty());
        assert!(moves(&loads(&[&[0.0; 3], &[0.0]]), 2, 0.05, |_, _| true).is_empty());
    }

    #[test]
    fn nothing_moves_where_it_may_not() {
        let before = loads(&[&[1.0; 8], &[], &[], &[]]);
        let moves = moves(&before, 4, 0.05, |from, to| from / 2 == to / 2);
        assert_eq!(after(&before, 4, &moves), [4.0, 4.0, 0.0, 0.0]);
    }

    #[test]
    fn many_uneven_ones_come_near_the_ideal() {
        let time = |index: usize| 1.0 + (index * 7919 % 13) as f64;
        let before: Vec<_> = (0..200)
            .map(|index| Load {
                vp: 0,
                time: time(index),
            })
            .collect();
        let sums = after(&before, 16, &moves(&before, 16, 0.05, |_, _| true));
        let ideal = sums.iter().sum::<f64>() / 16.0;
        assert!(sums.iter().all(|&sum| sum < 1.05 * ideal), "{sums:?}");
    }
}
