//! Datatypes that describe sections.

use core::ffi::c_int;

use crate::foreign::*;

use super::parts::{Level, Parts};

/// The memory that an element of a datatype takes.
pub(crate) struct Span {
    /// The distance from an element to the next in bytes.
    pub(crate) extent: i64,
    /// Whether all data of an element lies within that distance from its start.
    within: bool,
}

impl Span {
    /// That of a datatype; an error code if it is none.
    pub(crate) fn of(datatype: MPI_Datatype) -> Result<Self, c_int> {
        let (mut lower, mut extent, mut true_lower, mut true_extent) = (0, 0, 0, 0);
        // SAFETY:
        // - the results are stored in variables of this function.
        unsafe {
            check(PMPI_Type_get_extent_c(datatype, &raw mut lower, &raw mut extent))?;
            check(PMPI_Type_get_true_extent_c(
                datatype,
                &raw mut true_lower,
                &raw mut true_extent,
            ))?;
        }
        let within = true_lower >= 0 && true_lower + true_extent <= extent;
        Ok(Self { extent, within })
    }

    /// How many elements fill a contiguous block of a section, if they do.
    pub(crate) fn items_in(&self, block: i64) -> Option<i64> {
        (self.within && self.extent > 0 && block % self.extent == 0).then(|| block / self.extent)
    }
}

/// A committed datatype for the first `count` elements of a section whose blocks hold `items` of them each.
pub(crate) fn over(
    parts: &Parts,
    items: i64,
    count: i64,
    datatype: MPI_Datatype,
) -> Result<MPI_Datatype, c_int> {
    committed(first(parts.levels(), items, count, datatype)?)
}

/// A committed datatype like this one whose elements have another distance.
pub(crate) fn resized(datatype: MPI_Datatype, distance: i64) -> Result<MPI_Datatype, c_int> {
    made(|made| {
        // SAFETY:
        // - the result is stored in a variable of `made`.
        unsafe { PMPI_Type_create_resized_c(datatype, 0, distance, made) }
    })
    .and_then(committed)
}

/// A datatype for the first `count` elements of the blocks at these levels.
fn first(levels: &[Level], items: i64, count: i64, datatype: MPI_Datatype) -> Result<MPI_Datatype, c_int> {
    let [inner @ .., level] = levels else {
        // SAFETY:
        // - the result is stored in a variable of `made`.
        return made(|made| unsafe { PMPI_Type_contiguous_c(count, datatype, made) });
    };
    let each: i64 = items * inner.iter().map(|level| level.times).product::<i64>();
    let (Some(whole), Some(rest)) = (count.checked_div(each), count.checked_rem(each)) else {
        return Err(MPI_ERR_INTERN);
    };
    if whole == 0 {
        return first(inner, items, rest, datatype);
    }
    let repeated = repeated(inner, items, each, (whole, level.distance), datatype);
    if rest == 0 {
        return repeated;
    }
    let repeated = repeated?;
    let last = first(inner, items, rest, datatype);
    let both = last.and_then(|last| {
        let both = pair(repeated, last, whole * level.distance);
        free(last);
        both
    });
    free(repeated);
    both
}

/// A datatype for `times` repetitions of the blocks at the inner levels, at a distance.
fn repeated(
    inner: &[Level],
    items: i64,
    each: i64,
    (times, distance): (i64, i64),
    datatype: MPI_Datatype,
) -> Result<MPI_Datatype, c_int> {
    let repeat = |blocklength, of| {
        made(|made| {
            // SAFETY:
            // - the result is stored in a variable of `made`.
            unsafe { PMPI_Type_create_hvector_c(times, blocklength, distance, of, made) }
        })
    };
    if inner.is_empty() {
        return repeat(items, datatype);
    }
    let one = first(inner, items, each, datatype)?;
    let repeated = repeat(1, one);
    free(one);
    repeated
}

/// A datatype with one element of each, the second one at a displacement.
fn pair(first: MPI_Datatype, second: MPI_Datatype, displacement: i64) -> Result<MPI_Datatype, c_int> {
    let (mut ones, mut displacements, mut types) = ([1, 1], [0, displacement], [first, second]);
    made(|made| {
        // SAFETY:
        // - the arrays have two elements, and the result is stored in a variable of `made`.
        unsafe {
            PMPI_Type_create_struct_c(
                2,
                ones.as_mut_ptr(),
                displacements.as_mut_ptr(),
                types.as_mut_ptr(),
                made,
            )
        }
    })
}

fn made(make: impl FnOnce(*mut MPI_Datatype) -> c_int) -> Result<MPI_Datatype, c_int> {
    let mut datatype = MPI_DATATYPE_NULL;
    check(make(&raw mut datatype))?;
    Ok(datatype)
}

fn committed(mut datatype: MPI_Datatype) -> Result<MPI_Datatype, c_int> {
    // SAFETY:
    // - the datatype has just been made.
    check(unsafe { PMPI_Type_commit(&raw mut datatype) })?;
    Ok(datatype)
}

fn free(mut datatype: MPI_Datatype) {
    // SAFETY:
    // - the datatype has been made here; those made of it go on without it.
    unsafe { PMPI_Type_free(&raw mut datatype) };
}

fn check(code: c_int) -> Result<(), c_int> {
    match code {
        MPI_SUCCESS => Ok(()),
        code => Err(code),
    }
}
