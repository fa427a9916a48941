//! Groups as bytes, for other hosts.

use super::Group;
use crate::portable::Portable;

/// A group is sent without its session, which means something in one process only. Consecutive members are sent as the
/// first one and their number.
impl Portable for Group {
    fn write(&self, out: &mut Vec<u8>) {
        let run = self.as_run();
        run.write(out);
        if run.is_none() {
            self.processes().collect::<Vec<u32>>().write(out);
        }
    }

    fn read(input: &mut &[u8]) -> Option<Self> {
        match Option::read(input)? {
            Some((first, size)) => {
                u32::checked_add(first, size)?;
                Some(Self::run(first, size))
            }
            None => Some(Self::from_processes(Vec::read(input)?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portable::{pack, unpack};
    use proptest::prelude::*;

    #[test]
    fn groups_arrive_as_they_were() {
        for group in [
            Group::EMPTY,
            Group::run(3, 1 << 20),
            Group::from_processes(vec![3, 1, 2]),
        ] {
            let arrived: Group = unpack(&pack(&group)).expect("what was packed can be unpacked");
            assert!(arrived.is_same(&group));
        }
        assert_eq!(pack(&Group::run(0, 1 << 20)).len(), 9);
    }

    #[test]
    fn members_beyond_the_last_number_make_no_group() {
        assert!(unpack::<Group>(&[1, 255, 255, 255, 255, 2, 0, 0, 0]).is_none());
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            drop(unpack::<(Option<Group>, Vec<Group>)>(&bytes));
        }
    }
}
