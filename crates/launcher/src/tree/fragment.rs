//! Fragments of data that PMIx servers on several nodes exchange, which may be longer than a frame.

use super::message::{Fragment, Modex};
use crate::oob::MAX_PAYLOAD;
use std::collections::BTreeMap;

/// The fragments of `bytes`, at least one.
pub(crate) fn fragments<'a>(about: &Modex, bytes: &'a [u8]) -> Vec<(Fragment, &'a [u8])> {
    let mut fragments: Vec<_> = bytes.chunks(MAX_PAYLOAD).collect();
    if fragments.is_empty() {
        fragments.push(&[]);
    }
    let last = fragments.len() - 1;
    let fragment = |part| Fragment {
        about: about.clone(),
        more: part < last,
    };
    let fragments = fragments.into_iter().enumerate();
    fragments.map(|(part, bytes)| (fragment(part), bytes)).collect()
}

/// Fragments that have come, until they are whole.
#[derive(Default)]
pub(crate) struct Reassembly(BTreeMap<Modex, Vec<u8>>);

impl Reassembly {
    /// Adds a fragment; returns the whole if it was the last one.
    pub(crate) fn take(&mut self, fragment: &Fragment, bytes: &[u8]) -> Option<Vec<u8>> {
        let coming = self.0.entry(fragment.about.clone()).or_default();
        coming.extend_from_slice(bytes);
        if fragment.more {
            return None;
        }
        self.0.remove(&fragment.about)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_reassembled() {
        let about = [Modex::Met { ranks: vec![1] }, Modex::Met { ranks: Vec::new() }];
        for length in [0, 1, MAX_PAYLOAD, 2 * MAX_PAYLOAD + 1] {
            let bytes = vec![7; length];
            let sent = about.each_ref().map(|about| fragments(about, &bytes));
            assert_eq!(sent[0].len(), length.div_ceil(MAX_PAYLOAD).max(1));
            let mut coming = Reassembly::default();
            let mut whole = 0;
            for part in 0..sent[0].len() {
                for fragments in &sent {
                    let (fragment, bytes) = &fragments[part];
                    if let Some(all) = coming.take(fragment, bytes) {
                        assert_eq!((all.len(), part), (length, fragments.len() - 1));
                        whole += 1;
                    }
                }
            }
            assert_eq!(whole, 2);
        }
    }
}
