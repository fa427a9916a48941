//! Values cut into parts: one for each rank, or for each neighbour.

use super::{Equivalence, Received, Sent};
use simurgh_datatype::memory::{Parts, Source, Target};
use simurgh_mpi::{Error, ErrorClass, Result};

/// The number of values in each of `parts` equal parts.
pub(super) fn share(parts: usize, len: usize) -> Result<usize> {
    match len.checked_div(parts) {
        Some(share) if len.is_multiple_of(parts) => Ok(share),
        None if len == 0 => Ok(0),
        _ => {
            let message =
                format!("{len} values cannot be cut into {parts} equal parts, one for each partner");
            Err(Error::new(ErrorClass::Count, message))
        }
    }
}

/// The sum of counts, if a number has room for it.
pub(super) fn total(counts: &[usize]) -> Option<usize> {
    let mut counts = counts.iter();
    counts.try_fold(0_usize, |total, count| total.checked_add(*count))
}

/// Checks that there is a count for each part, and that all parts, one behind the other, fit into the slice.
fn check_counts(parts: usize, len: usize, counts: &[usize]) -> Result<()> {
    let given = counts.len();
    if given != parts {
        let message = format!("{given} counts for {parts} partners: give one for each");
        return Err(Error::new(ErrorClass::Count, message));
    }
    if total(counts).is_some_and(|total| total <= len) {
        return Ok(());
    }
    let message = format!("the counts add up to more than the {len} values of the slice");
    Err(Error::new(ErrorClass::Count, message))
}

/// The places at which parts of the given lengths begin.
fn starts(counts: &[usize]) -> impl Iterator<Item = usize> {
    counts.iter().scan(0, |next, count| {
        let start = *next;
        *next += count;
        Some(start)
    })
}

/// Values that are cut into `parts` equal parts, as sources.
///
/// # Safety
///
/// * The values stay lent until the operations that get the parts are complete.
pub(super) unsafe fn even_sources<T: Equivalence>(
    values: Sent<'_, T>,
    parts: usize,
) -> Result<Parts<Source>> {
    let len = share(parts, values.len())?;
    // SAFETY:
    // - as demanded of the caller; there are so many such parts.
    Ok(Parts::Even(unsafe { values.source() }.slice(0, len * T::COUNT)))
}

/// Values that are cut into `parts` equal parts, as targets.
///
/// # Safety
///
/// * As for [`even_sources`], and nobody uses the values until then.
pub(super) unsafe fn even_targets<T: Equivalence>(
    values: &Received<'_, T>,
    parts: usize,
) -> Result<Parts<Target>> {
    let len = share(parts, values.len())?;
    // SAFETY:
    // - as demanded of the caller; the address is that of all values, so that it is good for all parts.
    Ok(Parts::Even(unsafe { values.target() }.slice(0, len * T::COUNT)))
}

/// Values that are cut into parts of the given lengths, as sources.
///
/// # Safety
///
/// * As for [`even_sources`].
pub(super) unsafe fn sources<T: Equivalence>(
    values: Sent<'_, T>,
    counts: &[usize],
    parts: usize,
) -> Result<Parts<Source>> {
    check_counts(parts, values.len(), counts)?;
    // SAFETY:
    // - as demanded of the caller.
    let part = |(start, &count)| unsafe { values.part(start, count).source() };
    Ok(Parts::Each(starts(counts).zip(counts).map(part).collect()))
}

/// Values that are cut into parts of the given lengths, as targets.
///
/// # Safety
///
/// * As for [`even_targets`].
pub(super) unsafe fn targets<T: Equivalence>(
    values: &Received<'_, T>,
    counts: &[usize],
    parts: usize,
) -> Result<Parts<Target>> {
    check_counts(parts, values.len(), counts)?;
    // SAFETY:
    // - as demanded of the caller; the parts do not overlap.
    let part = |(start, &count)| unsafe { values.part(start, count).target() };
    Ok(Parts::Each(starts(counts).zip(counts).map(part).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_cut_evenly_or_not_at_all() {
        assert_eq!(share(3, 12), Ok(4));
        assert_eq!(share(3, 0), Ok(0));
        assert_eq!(share(0, 0), Ok(0));
        for (parts, len) in [(3, 13), (0, 1), (4, 3)] {
            assert_eq!(share(parts, len).unwrap_err().class(), ErrorClass::Count);
        }
    }

    #[test]
    fn counts_fit_the_parts_and_the_slice() {
        assert!(check_counts(3, 5, &[2, 0, 3]).is_ok());
        assert!(check_counts(0, 5, &[]).is_ok());
        for (parts, counts) in [(2, &[2, 0, 3][..]), (2, &[2, 4]), (2, &[2, usize::MAX])] {
            assert_eq!(
                check_counts(parts, 5, counts).unwrap_err().class(),
                ErrorClass::Count
            );
        }
    }
}
