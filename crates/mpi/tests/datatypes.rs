//! Datatypes and transfers against a naive walk over the type map.

use proptest::prelude::*;
use simurgh_mpi::datatype::{Basic, Datatype};
use simurgh_mpi::memory::{Source, Target, pack, pack_from, transfer, unpack};

/// A datatype as a recipe, so that the test can walk it without asking the engine.
#[derive(Clone, Debug)]
enum Recipe {
    Basic(Basic),
    Contiguous(usize, Box<Recipe>),
    Vector(usize, usize, isize, Box<Recipe>),
    Hvector(usize, usize, isize, Box<Recipe>),
}

/// Offsets of the bytes of an element, in order, and its bounds.
struct TypeMap {
    bytes: Vec<isize>,
    lb: isize,
    ub: isize,
}

impl Recipe {
    fn build(&self) -> Datatype {
        match self {
            Recipe::Basic(basic) => Datatype::Basic(*basic),
            Recipe::Contiguous(count, inner) => Datatype::contiguous(*count, &inner.build()).unwrap(),
            Recipe::Vector(count, block, stride, inner) => {
                Datatype::vector(*count, *block, *stride, &inner.build()).unwrap()
            }
            Recipe::Hvector(count, block, stride, inner) => {
                Datatype::hvector(*count, *block, *stride, &inner.build()).unwrap()
            }
        }
    }

    fn type_map(&self) -> TypeMap {
        match self {
            Recipe::Basic(Basic::ShortInt) => TypeMap {
                bytes: vec![0, 1, 4, 5, 6, 7],
                lb: 0,
                ub: 8,
            },
            Recipe::Basic(basic) => TypeMap {
                bytes: (0..basic.size() as isize).collect(),
                lb: 0,
                ub: basic.extent() as isize,
            },
            Recipe::Contiguous(count, inner) => inner.type_map().placed(1, *count, 0),
            Recipe::Vector(count, block, stride, inner) => {
                let map = inner.type_map();
                let stride = stride * (map.ub - map.lb);
                map.placed(*count, *block, stride)
            }
            Recipe::Hvector(count, block, stride, inner) => inner.type_map().placed(*count, *block, *stride),
        }
    }
}

impl TypeMap {
    fn placed(&self, count: usize, block: usize, stride: isize) -> TypeMap {
        let extent = self.ub - self.lb;
        let places: Vec<isize> = (0..count as isize)
            .flat_map(|outer| (0..block as isize).map(move |inner| outer * stride + inner * extent))
            .collect();
        TypeMap {
            bytes: places
                .iter()
                .flat_map(|place| self.bytes.iter().map(move |byte| place + byte))
                .collect(),
            lb: places.iter().map(|place| place + self.lb).min().unwrap_or(0),
            ub: places.iter().map(|place| place + self.ub).max().unwrap_or(0),
        }
    }

    /// Offsets of the bytes of `count` elements.
    fn array(&self, count: usize) -> Vec<isize> {
        self.placed(1, count, 0).bytes
    }
}

/// One of each kind of layout.
const BASICS: [Basic; 8] = [
    Basic::Byte,
    Basic::Short,
    Basic::Int,
    Basic::Double,
    Basic::ShortInt,
    Basic::DoubleInt,
    Basic::LongDoubleInt,
    Basic::CDoubleComplex,
];

fn recipes() -> impl Strategy<Value = Recipe> {
    prop::sample::select(&BASICS[..])
        .prop_map(Recipe::Basic)
        .boxed()
        .prop_recursive(3, 8, 1, |inner| {
            let inner = inner.prop_map(Box::new);
            prop_oneof![
                (0..5_usize, inner.clone()).prop_map(|(count, inner)| Recipe::Contiguous(count, inner)),
                (0..5_usize, 0..4_usize, -6..7_isize, inner.clone())
                    .prop_map(|(count, block, stride, inner)| Recipe::Vector(count, block, stride, inner)),
                (0..5_usize, 0..4_usize, -100..200_isize, inner)
                    .prop_map(|(count, block, stride, inner)| Recipe::Hvector(count, block, stride, inner)),
            ]
        })
}

/// Memory around an address for elements whose bytes lie at `offsets`.
struct Arena {
    memory: Vec<u8>,
    origin: usize,
}

impl Arena {
    fn new(offsets: &[isize], fill: impl Fn(usize) -> u8) -> Self {
        let low = offsets.iter().copied().min().unwrap_or(0).min(0);
        let high = offsets.iter().copied().max().unwrap_or(0).max(0);
        Self {
            memory: (0..(high - low + 1) as usize).map(fill).collect(),
            origin: low.unsigned_abs(),
        }
    }

    fn source(&self, count: usize, datatype: &Datatype) -> Source {
        // SAFETY:
        // - the arena covers all offsets of the elements and outlives the source.
        unsafe {
            Source::new(
                self.memory.as_ptr().wrapping_add(self.origin),
                count,
                datatype.clone(),
            )
        }
    }

    fn target(&mut self, count: usize, datatype: &Datatype) -> Target {
        // SAFETY:
        // - the arena covers all offsets of the elements and outlives the target.
        unsafe {
            Target::new(
                self.memory.as_mut_ptr().wrapping_add(self.origin),
                count,
                datatype.clone(),
            )
        }
    }

    fn read(&self, offsets: &[isize]) -> Vec<u8> {
        offsets
            .iter()
            .map(|offset| self.memory[(self.origin as isize + offset) as usize])
            .collect()
    }

    fn write(&mut self, offsets: &[isize], data: &[u8]) {
        for (offset, byte) in offsets.iter().zip(data) {
            self.memory[(self.origin as isize + offset) as usize] = *byte;
        }
    }
}

fn noise(index: usize) -> u8 {
    ((index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

proptest! {
    #[test]
    fn bounds_and_sizes_are_those_of_the_type_map(recipe in recipes()) {
        let (datatype, map) = (recipe.build(), recipe.type_map());
        prop_assert_eq!(datatype.size(), map.bytes.len());
        prop_assert_eq!((datatype.lb(), datatype.ub()), (map.lb, map.ub));
        prop_assert_eq!(datatype.extent(), map.ub - map.lb);
        if let (Some(low), Some(high)) = (map.bytes.iter().min(), map.bytes.iter().max()) {
            prop_assert_eq!((datatype.true_lb(), datatype.true_extent()), (*low, high + 1 - low));
        }
    }

    #[test]
    fn packing_follows_the_type_map(
        recipe in recipes(),
        count in 0..4_usize,
        room in 0..400_usize,
        skip in 0..50_usize,
    ) {
        let (datatype, offsets) = (recipe.build(), recipe.type_map().array(count));
        let arena = Arena::new(&offsets, noise);
        let source = arena.source(count, &datatype);
        let expected = arena.read(&offsets);
        let mut packed = vec![0; room];
        let bytes = pack(&source, &mut packed);
        prop_assert_eq!(bytes, room.min(expected.len()));
        prop_assert_eq!(&packed[..bytes], &expected[..bytes]);
        let bytes = pack_from(&source, skip, &mut packed);
        let rest = &expected[skip.min(expected.len())..];
        prop_assert_eq!(&packed[..bytes], &rest[..room.min(rest.len())]);
    }

    #[test]
    fn unpacking_follows_the_type_map_and_leaves_gaps_alone(
        recipe in recipes(),
        count in 0..4_usize,
        len in 0..400_usize,
    ) {
        let (datatype, offsets) = (recipe.build(), recipe.type_map().array(count));
        // Overlapping elements are written twice, in an order of the engine's own.
        prop_assume!(distinct(&offsets));
        let data: Vec<u8> = (0..len).map(noise).collect();
        let (mut arena, mut model) = (Arena::new(&offsets, |_| 0xee), Arena::new(&offsets, |_| 0xee));
        let moved = unpack(&data, &arena.target(count, &datatype));
        model.write(&offsets, &data);
        prop_assert_eq!(moved.bytes, len.min(offsets.len()));
        prop_assert_eq!(moved.truncated, len > offsets.len());
        prop_assert_eq!(arena.memory, model.memory);
    }

    #[test]
    fn transfers_go_from_layout_to_layout(
        from in recipes(),
        to in recipes(),
        sent in 0..5_usize,
        room in 0..5_usize,
    ) {
        let (sources, targets) = (from.type_map().array(sent), to.type_map().array(room));
        prop_assume!(distinct(&targets));
        let source = Arena::new(&sources, noise);
        let (mut target, mut model) = (Arena::new(&targets, |_| 0xee), Arena::new(&targets, |_| 0xee));
        let moved = transfer(&source.source(sent, &from.build()), &target.target(room, &to.build()));
        model.write(&targets, &source.read(&sources));
        prop_assert_eq!(moved.bytes, sources.len().min(targets.len()));
        prop_assert_eq!(moved.truncated, sources.len() > targets.len());
        prop_assert_eq!(target.memory, model.memory);
    }

    #[test]
    fn elements_are_counted_as_they_arrive(recipe in recipes(), count in 0..4_u64) {
        let datatype = recipe.build();
        let bytes = datatype.size() as u64 * count;
        if datatype.size() > 0 {
            prop_assert_eq!(datatype.count_in(bytes), Some(count));
            prop_assert_eq!(datatype.count_in(bytes + 1), (datatype.size() == 1).then_some(count + 1));
        }
        prop_assert!(datatype.elements_in(bytes).is_some());
    }
}

fn distinct(offsets: &[isize]) -> bool {
    let mut sorted = offsets.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
}

#[test]
fn parts_of_pairs_are_elements() {
    let pair = Datatype::Basic(Basic::DoubleInt);
    assert_eq!(pair.elements_in(24), Some(4));
    assert_eq!(pair.elements_in(20), Some(3));
    assert_eq!(pair.elements_in(16), None);
    assert_eq!(pair.count_in(20), None);
}

#[test]
fn types_beyond_the_address_space_are_refused() {
    let double = Datatype::Basic(Basic::Double);
    assert!(Datatype::contiguous(usize::MAX / 4, &double).is_err());
    assert!(Datatype::hvector(1 << 40, 1, 1 << 40, &double).is_err());
    assert!(Datatype::vector(3, 1, isize::MAX, &double).is_err());
    assert!(Datatype::contiguous(1 << 40, &double).is_ok());
}

#[test]
fn derived_types_are_committed_and_told_apart() {
    let int = Datatype::Basic(Basic::Int);
    let vector = Datatype::vector(2, 1, 3, &int).unwrap();
    assert!(int.is_committed() && !vector.is_committed());
    let same = vector.clone();
    same.commit();
    assert!(vector.is_committed());
    assert_eq!(vector, same);
    assert_ne!(vector, Datatype::vector(2, 1, 3, &int).unwrap());
    assert!(!vector.is_contiguous());
    assert!(Datatype::vector(4, 3, 3, &int).unwrap().is_contiguous());
}
