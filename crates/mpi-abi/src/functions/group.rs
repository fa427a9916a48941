//! Groups of processes.

use std::ffi::c_int;

use simurgh_mpi::{Group, RankRange};
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{Array, ArrayMut, InOut, Out, count_of};
use crate::constants::{MPI_GROUP_EMPTY, MPI_GROUP_NULL, MPI_PROC_NULL, MPI_UNDEFINED};
use crate::error::{CallError, Outcome, ResultOf};
use crate::handles::{Rank, handle_of};
use crate::types::MPI_Group;
use simurgh_mpi::ErrorClass;

/// Stores the handle of a group that a call has made.
pub(crate) fn give_out(rank: Rank<'_>, group: Group, newgroup: Out<MPI_Group>) -> Outcome {
    newgroup.check("newgroup")?;
    let handle = match group.size() {
        0 => MPI_GROUP_EMPTY,
        _ => MPI_Group(handle_of(&rank.tables.groups, group)?),
    };
    newgroup.set("newgroup", handle)
}

/// `MPI_Group_size`: number of members.
#[mpi]
fn group_size(rank: Rank<'_>, group: MPI_Group, size: Out<c_int>) -> Outcome {
    size.set("size", rank.group("group", group)?.size() as c_int)
}

/// `MPI_Group_rank`: the caller's rank, or `MPI_UNDEFINED`.
#[mpi]
fn group_rank(rank: Rank<'_>, group: MPI_Group, rank_: Out<c_int>) -> Outcome {
    let mine = rank.group("group", group)?.rank_of(rank.process.id());
    rank_.set("rank", mine.map_or(MPI_UNDEFINED, |rank| rank as c_int))
}

/// `MPI_Group_translate_ranks`: the ranks in `group2` of members of `group1`.
#[mpi]
fn group_translate_ranks(
    rank: Rank<'_>,
    group1: MPI_Group,
    n: c_int,
    ranks1: Array<c_int>,
    group2: MPI_Group,
    mut ranks2: ArrayMut<c_int>,
) -> Outcome {
    let (from, to) = (rank.group("group1", group1)?, rank.group("group2", group2)?);
    let n = count_of("n", n)?;
    let wanted = ranks1.slice("ranks1", n)?;
    for (&there, found) in wanted.iter().zip(ranks2.slice("ranks2", n)?) {
        *found = if there == MPI_PROC_NULL {
            MPI_PROC_NULL
        } else {
            translate(&from, there, &to)?
        };
    }
    Ok(())
}

fn translate(from: &Group, rank: c_int, to: &Group) -> ResultOf<c_int> {
    match usize::try_from(rank) {
        Ok(member) if member < from.size() => Ok(from.translate(member, to)),
        _ => Err(CallError::new(
            ErrorClass::Rank,
            format!("ranks1 has {rank}, but group1 has {} members", from.size()),
        )),
    }
}

/// `MPI_Group_compare`: whether two groups have the same members, and in the same order.
#[mpi]
fn group_compare(rank: Rank<'_>, group1: MPI_Group, group2: MPI_Group, result: Out<c_int>) -> Outcome {
    let comparison = rank
        .group("group1", group1)?
        .compare(&rank.group("group2", group2)?);
    result.set("result", comparison as c_int)
}

/// `MPI_Group_union`: the members of the first, then the others of the second.
#[mpi]
fn group_union(rank: Rank<'_>, group1: MPI_Group, group2: MPI_Group, newgroup: Out<MPI_Group>) -> Outcome {
    give_out(
        rank,
        rank.group("group1", group1)?
            .union(&rank.group("group2", group2)?),
        newgroup,
    )
}

/// `MPI_Group_intersection`: the members of both, in the order of the first.
#[mpi]
fn group_intersection(
    rank: Rank<'_>,
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: Out<MPI_Group>,
) -> Outcome {
    give_out(
        rank,
        rank.group("group1", group1)?
            .intersection(&rank.group("group2", group2)?),
        newgroup,
    )
}

/// `MPI_Group_difference`: the members of the first that are not in the second.
#[mpi]
fn group_difference(
    rank: Rank<'_>,
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: Out<MPI_Group>,
) -> Outcome {
    give_out(
        rank,
        rank.group("group1", group1)?
            .difference(&rank.group("group2", group2)?),
        newgroup,
    )
}

/// `MPI_Group_incl`: the members with these ranks.
#[mpi]
fn group_incl(
    rank: Rank<'_>,
    group: MPI_Group,
    n: c_int,
    ranks: Array<c_int>,
    newgroup: Out<MPI_Group>,
) -> Outcome {
    let made = rank
        .group("group", group)?
        .include(ranks.slice("ranks", count_of("n", n)?)?)?;
    give_out(rank, made, newgroup)
}

/// `MPI_Group_excl`: the members other than those with these ranks.
#[mpi]
fn group_excl(
    rank: Rank<'_>,
    group: MPI_Group,
    n: c_int,
    ranks: Array<c_int>,
    newgroup: Out<MPI_Group>,
) -> Outcome {
    let made = rank
        .group("group", group)?
        .exclude(ranks.slice("ranks", count_of("n", n)?)?)?;
    give_out(rank, made, newgroup)
}

/// Triplets of first rank, last rank and stride.
fn ranges_of(ranges: &[[c_int; 3]]) -> Vec<RankRange> {
    ranges
        .iter()
        .map(|&[first, last, stride]| RankRange { first, last, stride })
        .collect()
}

/// `MPI_Group_range_incl`: the members with the ranks of these ranges.
#[mpi]
fn group_range_incl(
    rank: Rank<'_>,
    group: MPI_Group,
    n: c_int,
    mut ranges: ArrayMut<[c_int; 3]>,
    newgroup: Out<MPI_Group>,
) -> Outcome {
    let ranges = ranges_of(ranges.slice("ranges", count_of("n", n)?)?);
    give_out(
        rank,
        rank.group("group", group)?.include_ranges(&ranges)?,
        newgroup,
    )
}

/// `MPI_Group_range_excl`: the members other than those with the ranks of these ranges.
#[mpi]
fn group_range_excl(
    rank: Rank<'_>,
    group: MPI_Group,
    n: c_int,
    mut ranges: ArrayMut<[c_int; 3]>,
    newgroup: Out<MPI_Group>,
) -> Outcome {
    let ranges = ranges_of(ranges.slice("ranges", count_of("n", n)?)?);
    give_out(
        rank,
        rank.group("group", group)?.exclude_ranges(&ranges)?,
        newgroup,
    )
}

/// `MPI_Group_free`: frees the group.
#[mpi]
fn group_free(rank: Rank<'_>, group: InOut<MPI_Group>) -> Outcome {
    let handle = group.get("group")?;
    rank.group("group", handle)?;
    rank.tables.groups.remove(handle.0);
    group.set(MPI_GROUP_NULL);
    Ok(())
}
