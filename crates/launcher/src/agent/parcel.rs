//! What servers of PMIx on several nodes show each other, which may be longer than a frame.

use super::link::MOST_BYTES;
use super::message::{Modex, Parcel};
use std::collections::BTreeMap;

/// The parts in which bytes go.
pub(crate) fn parts<'a>(about: &Modex, bytes: &'a [u8]) -> Vec<(Parcel, &'a [u8])> {
    let mut parts: Vec<_> = bytes.chunks(MOST_BYTES).collect();
    if parts.is_empty() {
        parts.push(&[]);
    }
    let last = parts.len() - 1;
    let parcel = |part| Parcel {
        about: about.clone(),
        more: part < last,
    };
    let parts = parts.into_iter().enumerate();
    parts.map(|(part, bytes)| (parcel(part), bytes)).collect()
}

/// Parts that have come, until they are whole.
#[derive(Default)]
pub(crate) struct Parcels(BTreeMap<Modex, Vec<u8>>);

impl Parcels {
    /// Takes a part; what it was the last of.
    pub(crate) fn take(&mut self, parcel: &Parcel, bytes: &[u8]) -> Option<Vec<u8>> {
        let coming = self.0.entry(parcel.about.clone()).or_default();
        coming.extend_from_slice(bytes);
        if parcel.more {
            return None;
        }
        self.0.remove(&parcel.about)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_parts_comes_whole() {
        let about = [Modex::Met { ranks: vec![1] }, Modex::Met { ranks: Vec::new() }];
        for length in [0, 1, MOST_BYTES, 2 * MOST_BYTES + 1] {
            let bytes = vec![7; length];
            let sent = about.each_ref().map(|about| parts(about, &bytes));
            assert_eq!(sent[0].len(), length.div_ceil(MOST_BYTES).max(1));
            let mut coming = Parcels::default();
            let mut whole = 0;
            for part in 0..sent[0].len() {
                for parts in &sent {
                    let (parcel, bytes) = &parts[part];
                    if let Some(all) = coming.take(parcel, bytes) {
                        assert_eq!((all.len(), part), (length, parts.len() - 1));
                        whole += 1;
                    }
                }
            }
            assert_eq!(whole, 2);
        }
    }
}
