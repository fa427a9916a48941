//! Files in representations of the program, through the Rust interface.

use simurgh::{Builder, Conversion, Equivalence, Error, ErrorClass, Filetype, Result, RunError};

use crate::rust_api_files::{class, temporary, with_file};

#[derive(Clone, Copy, Debug, PartialEq, Equivalence)]
#[repr(C)]
struct Padded {
    small: u8,
    large: f64,
}

/// Values without their padding and with a byte behind each, which says what they are. Some values are refused.
struct Marked {
    name: &'static str,
    mark: u8,
}

impl Marked {
    const MARKED: Self = Self {
        name: "marked",
        mark: b'|',
    };
}

impl Conversion<Padded> for Marked {
    fn name(&self) -> &str {
        self.name
    }

    fn size(&self) -> usize {
        10
    }

    fn encode(&self, value: Padded, file: &mut [u8]) -> Result<()> {
        assert!(
            value.large.is_finite(),
            "a value that the program does not expect"
        );
        if value.large < 0.0 {
            return Err(Error::new(ErrorClass::Conversion, "it is negative"));
        }
        file[0] = value.small;
        file[1..9].copy_from_slice(&value.large.to_be_bytes());
        file[9] = self.mark;
        Ok(())
    }

    fn decode(&self, file: &[u8]) -> Result<Padded> {
        if file[9] != self.mark {
            return Err(Error::new(ErrorClass::Conversion, "the mark is missing"));
        }
        let large = file[1..9].try_into().expect("there are eight bytes");
        Ok(Padded {
            small: file[0],
            large: f64::from_be_bytes(large),
        })
    }
}

/// The value of a place.
fn padded(place: usize) -> Padded {
    Padded {
        small: place as u8,
        large: place as f64 + 0.25,
    }
}

#[test]
fn values_are_converted_as_the_program_says() {
    with_file("conversions", |world, path| {
        let (rank, size) = (world.rank(), world.size());
        let file = temporary().open(world, path)?;
        let turns = Filetype::strided(1, size);
        let view = file.view_with(10 * rank as u64, &turns, Marked::MARKED)?;
        let place = |index: usize| padded(index * size + rank);
        view.write_all(&[place(0), place(1)][..])?;
        view.write(&place(2))?;
        assert_eq!(
            (view.position()?, view.byte_offset(1)?),
            (3, 10 * (size + rank) as u64)
        );
        let (third, mut first) = (place(3), padded(0));
        world.scope(|scope| {
            view.iwrite_at(scope, 3, &third)?.wait()?;
            let (_, status) = view.iread_at(scope, 0, &mut first)?.wait()?;
            assert_eq!(status.count::<Padded>(), Some(1));
            Ok(())
        })?;
        assert_eq!(first, place(0));
        let refused = view.write_at(
            0,
            &Padded {
                small: 0,
                large: -1.0,
            },
        );
        assert_eq!(class(refused), ErrorClass::Conversion);
        // What one rank cannot write is an error at all.
        let large = if rank + 1 == size { -1.0 } else { 1.0 };
        let refused = view.write_at_all(4, &Padded { small: 0, large });
        assert_eq!(class(refused), ErrorClass::Conversion);
        view.sync()?;

        let file = view.into_file()?;
        let mut bytes = vec![0_u8; 40 * size];
        file.read_at_all(0, &mut bytes)?;
        for (place, bytes) in bytes.chunks(10).enumerate() {
            assert_eq!((bytes[0], bytes[9]), (place as u8, b'|'));
            assert_eq!(bytes[1..9], padded(place).large.to_be_bytes());
        }
        // The file ends within a value, which is not read.
        file.set_size(40 * size as u64 - 3)?;
        let view = file.view_with(0, &Filetype::all(), Marked::MARKED)?;
        let mut all = vec![padded(0); 4 * size];
        assert_eq!(view.read_at_all(0, &mut all)?, 4 * size - 1);
        assert!((0..4 * size - 1).all(|place| all[place] == padded(place)));
        let other = Marked {
            mark: b';',
            ..Marked::MARKED
        };
        let view = view.into_file()?.view_with(0, &Filetype::all(), other)?;
        assert_eq!(class(view.read_at(0, &mut all)), ErrorClass::Conversion);
        view.close()
    });
}

#[test]
fn wrong_representations_are_errors_at_all_ranks() {
    with_file("wrong-conversions", |world, path| {
        let (size, is_last) = (world.size(), world.rank() + 1 == world.size());
        let refused = |name: &'static str| {
            let options = temporary().create_new(false).create(true).delete_on_close(false);
            let conversion = Marked {
                name: if is_last { name } else { Marked::MARKED.name },
                mark: 0,
            };
            options
                .open(world, path)?
                .view_with(0, &Filetype::all(), conversion)
        };
        assert_eq!(class(refused("native")), ErrorClass::DupDatarep);
        assert_eq!(class(refused("")), ErrorClass::Arg);
        let (longest, longer) = ("n".repeat(127).leak(), "n".repeat(128).leak());
        assert_eq!(class(refused(longer)), ErrorClass::Arg);
        let named = refused(longest).map(drop).map_err(|error| error.class());
        let expected = if size == 1 {
            Ok(())
        } else {
            Err(ErrorClass::NotSame)
        };
        assert_eq!(named, expected);
        temporary().create_new(false).open(world, path)?.close()
    });
}

#[test]
fn a_rank_whose_representation_panics_ends_the_run() {
    let path = std::env::temp_dir().join(format!("simurgh-panics-{}", std::process::id()));
    let file = path.clone();
    let ended = Builder::new().ranks(3).run(move |world| {
        let view = temporary()
            .open(world, &file)?
            .view_with(0, &Filetype::all(), Marked::MARKED)?;
        let large = if world.rank() == 1 { f64::NAN } else { 0.0 };
        view.write_at_all(world.rank() as u64, &Padded { small: 0, large })
    });
    let panicked = matches!(&ended, Err(RunError::Panicked { rank: 1, message, .. })
        if message == "a value that the program does not expect");
    assert!(panicked, "{ended:?}");
    let _ = std::fs::remove_file(path);
}
