//! Copies of messages, beside those of the C library: between places that lie alike, and to one that lies 16 bytes
//! further in its page than the source, as what `malloc` returns lies beside a buffer that begins a page.
//!
//! `cargo bench -p simurgh-datatype --bench copy`

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use simurgh_datatype::memory;

const PAGE: usize = 4 << 10;
const LENGTHS: [usize; 4] = [4 << 10, 8 << 10, 64 << 10, 256 << 10];

/// A way of copying.
type Way = fn(&[u8], &mut [u8]);

const WAYS: [(&str, Way); 2] = [
    ("a message", memory::copy),
    ("the C library", |from, to| to.copy_from_slice(from)),
];

fn copies(criterion: &mut Criterion) {
    let (from, mut to) = (vec![1; 1 << 20], vec![0; 1 << 20]);
    let start = from.as_ptr().align_offset(PAGE);
    let place = to.as_ptr().align_offset(PAGE);
    for behind in [0, 16] {
        let mut group = criterion.benchmark_group(format!("{behind} bytes further"));
        for length in LENGTHS {
            group.throughput(Throughput::Bytes(length as u64));
            for (name, copy) in WAYS {
                group.bench_function(BenchmarkId::new(name, length), |bencher| {
                    let target = &mut to[place + behind..][..length];
                    bencher.iter(|| copy(black_box(&from[start..][..length]), black_box(&mut *target)));
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, copies);
criterion_main!(benches);
