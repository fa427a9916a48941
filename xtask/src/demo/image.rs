//! Conversion of the grey image that the example writes into a coloured PNG.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;

use crate::failure::{Failure, Result};

/// The colours of a glowing plate, from cold to hot, evenly spaced.
const GLOW: &[[u8; 3]] = &[
    [8, 10, 40],
    [45, 20, 95],
    [120, 28, 109],
    [188, 55, 84],
    [237, 105, 37],
    [251, 180, 50],
    [252, 255, 210],
];

/// A grey image of 16 bits per cell.
struct Grey {
    width: u32,
    height: u32,
    values: Vec<u16>,
}

/// Converts the PGM of a plate, which the example has written, into a PNG.
pub(crate) fn convert(pgm: &Path, png: &Path) -> Result<()> {
    let bytes = fs::read(pgm).map_err(Failure::file(pgm))?;
    let grey = parse(&bytes).ok_or_else(|| Failure::Faults(format!("{} is no 16-bit PGM", pgm.display())))?;
    let file = File::create(png).map_err(Failure::file(png))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), grey.width, grey.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let pixels: Vec<u8> = grey.values.iter().flat_map(|&value| colour(value)).collect();
    let written = encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(&pixels));
    written.map_err(|error| Failure::Faults(format!("{}: {error}", png.display())))
}

fn parse(bytes: &[u8]) -> Option<Grey> {
    let mut rest = bytes.strip_prefix(b"P5\n")?;
    let mut numbers = [0_u32; 3];
    for number in &mut numbers {
        let end = rest.iter().position(u8::is_ascii_whitespace)?;
        *number = std::str::from_utf8(&rest[..end]).ok()?.parse().ok()?;
        rest = &rest[end + 1..];
    }
    let [width, height, largest] = numbers;
    let complete = largest == 65535 && rest.len() as u64 == 2 * u64::from(width) * u64::from(height);
    let values = rest
        .chunks_exact(2)
        .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
        .collect();
    complete.then_some(Grey {
        width,
        height,
        values,
    })
}

fn colour(value: u16) -> [u8; 3] {
    let place = f64::from(value) / 65535.0 * (GLOW.len() - 1) as f64;
    let below = (place as usize).min(GLOW.len() - 2);
    let part = place - below as f64;
    std::array::from_fn(|channel| {
        let (from, to) = (
            f64::from(GLOW[below][channel]),
            f64::from(GLOW[below + 1][channel]),
        );
        (from + part * (to - from)).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grey_image_is_read() {
        let grey = parse(b"P5\n2 1\n65535\n\x00\x00\xff\xff").unwrap();
        assert_eq!((grey.width, grey.height, &*grey.values), (2, 1, &[0, 65535][..]));
        assert!(parse(b"P5\n2 2\n65535\n\x00\x00\xff\xff").is_none(), "too short");
        assert!(parse(b"P6\n").is_none() && parse(b"P5\n2").is_none());
    }

    #[test]
    fn the_ends_of_the_scale_are_exact() {
        assert_eq!(colour(0), GLOW[0]);
        assert_eq!(colour(65535), GLOW[GLOW.len() - 1]);
    }
}
