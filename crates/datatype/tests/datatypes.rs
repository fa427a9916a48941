//! Datatypes and transfers against a naive walk over the type map.

use proptest::prelude::*;
use simurgh_datatype::external32;
use simurgh_datatype::memory::{Source, Target, pack, pack_from, transfer, unpack, unpack_at};
use simurgh_datatype::{Basic, Datatype, Field, Order, SubarrayDim};

/// A datatype as a recipe, so that the test can walk it without asking the engine.
#[derive(Clone, Debug)]
enum Recipe {
    Basic(Basic),
    Contiguous(usize, Box<Recipe>),
    Vector(usize, usize, isize, Box<Recipe>),
    Hvector(usize, usize, isize, Box<Recipe>),
    Resized(isize, isize, Box<Recipe>),
    /// Blocks of one datatype: bytes from the start, and elements.
    Hindexed(Vec<(isize, usize)>, Box<Recipe>),
    /// Blocks of several datatypes.
    Struct(Vec<(isize, usize, Recipe)>),
    /// Size, subsize and start of two dimensions; whether the first is the fastest.
    Subarray([(usize, usize, usize); 2], bool, Box<Recipe>),
}

/// Offsets of the bytes of an element, in order, and its bounds.
struct TypeMap {
    bytes: Vec<isize>,
    lb: isize,
    ub: isize,
    /// Whether the bounds were set.
    marked: bool,
    alignment: isize,
    /// Size of each element, a pair being two.
    elements: Vec<usize>,
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
            Recipe::Resized(lb, extent, inner) => Datatype::resized(*lb, *extent, &inner.build()).unwrap(),
            Recipe::Hindexed(blocks, inner) => {
                Datatype::hindexed(blocks.iter().copied(), &inner.build()).unwrap()
            }
            Recipe::Struct(fields) => {
                let field = |(offset, count, inner): &(isize, usize, Recipe)| Field {
                    offset: *offset,
                    count: *count,
                    datatype: inner.build(),
                };
                let fields: Vec<Field> = fields.iter().map(field).collect();
                Datatype::structure(&fields).unwrap()
            }
            Recipe::Subarray(dimensions, fortran, inner) => {
                let spans = dimensions.map(|(size, subsize, start)| SubarrayDim { size, subsize, start });
                let order = if *fortran { Order::Fortran } else { Order::C };
                Datatype::subarray(&spans, order, &inner.build()).unwrap()
            }
        }
    }

    fn type_map(&self) -> TypeMap {
        match self {
            Recipe::Basic(basic) => TypeMap {
                bytes: match basic {
                    Basic::ShortInt => vec![0, 1, 4, 5, 6, 7],
                    _ => (0..basic.size() as isize).collect(),
                },
                lb: 0,
                ub: basic.extent() as isize,
                marked: false,
                alignment: basic.alignment() as isize,
                elements: match basic.pair() {
                    Some((value, index)) => vec![value.size(), index.size()],
                    None => vec![basic.size()],
                },
            },
            Recipe::Contiguous(count, inner) => inner.type_map().placed(1, *count, 0),
            Recipe::Vector(count, block, stride, inner) => {
                let map = inner.type_map();
                let stride = stride * (map.ub - map.lb);
                map.placed(*count, *block, stride)
            }
            Recipe::Hvector(count, block, stride, inner) => inner.type_map().placed(*count, *block, *stride),
            Recipe::Resized(lb, extent, inner) => TypeMap {
                lb: *lb,
                ub: lb + extent,
                marked: true,
                ..inner.type_map()
            },
            Recipe::Hindexed(blocks, inner) => {
                let map = inner.type_map();
                let used = blocks.iter().filter(|(_, count)| *count > 0);
                let joined = TypeMap::joined(
                    used.map(|(offset, count)| map.placed(1, *count, 0).shifted(*offset))
                        .collect(),
                );
                let alignment = if blocks.is_empty() { 1 } else { map.alignment };
                TypeMap { alignment, ..joined }
            }
            Recipe::Struct(fields) => {
                let used = fields.iter().filter(|(_, count, _)| *count > 0);
                let mut map = TypeMap::joined(
                    used.map(|(offset, count, inner)| inner.type_map().placed(1, *count, 0).shifted(*offset))
                        .collect(),
                );
                let strictest = fields.iter().map(|(.., inner)| inner.type_map().alignment).max();
                map.alignment = strictest.unwrap_or(1);
                while !map.marked && (map.ub - map.lb) % map.alignment != 0 {
                    map.ub += 1;
                }
                map
            }
            Recipe::Subarray([first, second], fortran, inner) => {
                let (slow, fast) = if *fortran {
                    (second, first)
                } else {
                    (first, second)
                };
                let map = inner.type_map();
                let extent = map.ub - map.lb;
                let place = |i: usize, j: usize| ((slow.2 + i) * fast.0 + fast.2 + j) as isize * extent;
                let elements = (0..slow.1).flat_map(|i| (0..fast.1).map(move |j| place(i, j)));
                TypeMap {
                    lb: 0,
                    ub: (slow.0 * fast.0) as isize * extent,
                    marked: true,
                    ..TypeMap::joined(elements.map(|offset| map.shifted(offset)).collect())
                }
            }
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
            marked: self.marked && !places.is_empty(),
            alignment: self.alignment,
            elements: places
                .iter()
                .flat_map(|_| self.elements.iter().copied())
                .collect(),
        }
    }

    fn shifted(&self, by: isize) -> TypeMap {
        TypeMap {
            bytes: self.bytes.iter().map(|byte| byte + by).collect(),
            lb: self.lb + by,
            ub: self.ub + by,
            elements: self.elements.clone(),
            ..*self
        }
    }

    /// One behind the other; bounds that were set outweigh those that were found.
    fn joined(maps: Vec<TypeMap>) -> TypeMap {
        let marked = maps.iter().any(|map| map.marked);
        let counted = || maps.iter().filter(|map| map.marked == marked);
        TypeMap {
            bytes: maps.iter().flat_map(|map| map.bytes.iter().copied()).collect(),
            lb: counted().map(|map| map.lb).min().unwrap_or(0),
            ub: counted().map(|map| map.ub).max().unwrap_or(0),
            marked,
            alignment: maps.iter().map(|map| map.alignment).max().unwrap_or(1),
            elements: maps.iter().flat_map(|map| map.elements.iter().copied()).collect(),
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

/// Size, subsize and start of a dimension.
fn spans() -> impl Strategy<Value = (usize, usize, usize)> {
    (0..2_usize, 1..4_usize, 0..3_usize)
        .prop_map(|(start, subsize, rest)| (start + subsize + rest, subsize, start))
}

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
                (0..5_usize, 0..4_usize, -100..200_isize, inner.clone())
                    .prop_map(|(count, block, stride, inner)| Recipe::Hvector(count, block, stride, inner)),
                (-20..20_isize, 0..60_isize, inner.clone())
                    .prop_map(|(lb, extent, inner)| Recipe::Resized(lb, extent, inner)),
                (
                    prop::collection::vec((-100..300_isize, 0..4_usize), 0..5),
                    inner.clone()
                )
                    .prop_map(|(blocks, inner)| Recipe::Hindexed(blocks, inner)),
                prop::collection::vec((-100..300_isize, 0..3_usize, inner.clone()), 0..4).prop_map(
                    |fields| {
                        let field =
                            |(offset, count, inner): (isize, usize, Box<Recipe>)| (offset, count, *inner);
                        Recipe::Struct(fields.into_iter().map(field).collect())
                    }
                ),
                ([spans(), spans()], any::<bool>(), inner)
                    .prop_map(|(dimensions, fortran, inner)| Recipe::Subarray(dimensions, fortran, inner)),
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
    fn unpacking_goes_on_where_it_stopped(
        recipe in recipes(),
        count in 0..4_usize,
        stops in [0..200_usize, 0..200_usize],
    ) {
        let (datatype, offsets) = (recipe.build(), recipe.type_map().array(count));
        prop_assume!(distinct(&offsets));
        let data: Vec<u8> = (0..offsets.len()).map(noise).collect();
        let (mut arena, mut model) = (Arena::new(&offsets, |_| 0xee), Arena::new(&offsets, |_| 0xee));
        let target = arena.target(count, &datatype);
        let mut stops = stops.map(|stop| stop.min(data.len()));
        stops.sort_unstable();
        for (start, end) in [(stops[1], data.len()), (0, stops[0]), (stops[0], stops[1])] {
            unpack_at(&data[start..end], &target, start);
        }
        model.write(&offsets, &data);
        prop_assert_eq!(arena.memory, model.memory);
    }

    #[test]
    fn the_external_representation_goes_there_and_back(recipe in recipes(), count in 0..4_usize) {
        let (datatype, map) = (recipe.build(), recipe.type_map());
        let offsets = map.array(count);
        prop_assume!(distinct(&offsets));
        let size = external32::size(count, &datatype).expect("small");
        let mut packed = vec![0_u8; size];
        let (mut from, mut to) = (Arena::new(&offsets, |_| 0), Arena::new(&offsets, |_| 0));
        // Small numbers: no bits that a representation lacks.
        let data: Vec<u8> = (0..count)
            .flat_map(|_| map.elements.iter().flat_map(|size| (0..*size).map(|byte| u8::from(byte == 0))))
            .collect();
        from.write(&offsets, &data);
        external32::pack(&from.source(count, &datatype), &bytes_into(&mut packed));
        external32::unpack_into(&bytes_of(&packed), &to.target(count, &datatype));
        prop_assert_eq!(from.memory, to.memory);
        // The lowest byte has become the last.
        let ends = packed.iter().filter(|byte| **byte == 1).count();
        prop_assert!(ends <= count * map.elements.len());
    }

    #[test]
    fn elements_are_counted_as_they_arrive(recipe in recipes(), count in 0..4_u64) {
        let datatype = recipe.build();
        let bytes = datatype.size() as u64 * count;
        if datatype.size() > 0 {
            prop_assert_eq!(datatype.count_in(bytes), Some(count));
            prop_assert_eq!(datatype.count_in(bytes + 1), (datatype.size() == 1).then_some(count + 1));
        }
        let elements = recipe.type_map().elements;
        let mut arrived = 0;
        for number in 0..=count * elements.len() as u64 {
            prop_assert_eq!(datatype.elements_in(arrived), Some(number));
            prop_assert_eq!(datatype.bytes_of(number), Some(arrived));
            if let Some(index) = number.checked_rem(elements.len() as u64) {
                arrived += elements[index as usize] as u64;
            }
        }
    }
}

fn bytes_of(data: &[u8]) -> Source {
    // SAFETY:
    // - the tests keep the bytes until they have been read.
    unsafe { Source::new(data.as_ptr(), data.len(), Datatype::Basic(Basic::Byte)) }
}

fn bytes_into(data: &mut [u8]) -> Target {
    // SAFETY:
    // - the tests keep the bytes until they have been written.
    unsafe { Target::new(data.as_mut_ptr(), data.len(), Datatype::Basic(Basic::Byte)) }
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

#[test]
fn large_layouts_are_moved_in_pieces() {
    let basic = |basic| Box::new(Recipe::Basic(basic));
    let record = Recipe::Struct(vec![
        (0, 1, Recipe::Basic(Basic::Char)),
        (8, 1, Recipe::Basic(Basic::Double)),
        (16, 3, Recipe::Basic(Basic::Int)),
    ]);
    let blocks = (0..9000).map(|index| (index * 40 + index % 5, 1 + index as usize % 4));
    let face = Recipe::Vector(900, 7, 20, basic(Basic::Double));
    // 150 to 190 KB each, long enough to be shared out; two lists of blocks are alike.
    let layouts = [
        (Recipe::Basic(Basic::Byte), 189_000),
        (record, 9_000),
        (Recipe::Hvector(3, 1, 200_000, Box::new(face)), 1),
        (
            Recipe::Hindexed(blocks.clone().collect(), basic(Basic::Double)),
            1,
        ),
        (
            Recipe::Hindexed(
                blocks.map(|(offset, count)| (2 * offset, count)).collect(),
                basic(Basic::Double),
            ),
            1,
        ),
    ];
    let maps: Vec<Vec<isize>> = layouts
        .iter()
        .map(|(recipe, count)| recipe.type_map().array(*count))
        .collect();
    for ((from, sent), sources) in layouts.iter().zip(&maps) {
        for ((to, room), targets) in layouts.iter().zip(&maps) {
            let source = Arena::new(sources, noise);
            let (mut target, mut model) = (Arena::new(targets, |_| 0xee), Arena::new(targets, |_| 0xee));
            transfer(
                &source.source(*sent, &from.build()),
                &target.target(*room, &to.build()),
            );
            model.write(targets, &source.read(sources));
            assert!(target.memory == model.memory, "from {sent} to {room} elements");
        }
    }
}
