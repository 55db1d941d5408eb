//! Vector files, one row per record: `.f32`, or NumPy's `.npy`.
//!
//! Rows are read on demand, fastest in order. A `.f32` file holds little-endian floats and nothing else, so its width
//! follows from the number of rows, or the other way round.

use anyhow::{Context, Result, bail, ensure};
use half::f16;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The largest width of a vector.
const MAX_WIDTH: u64 = 4096;
/// The largest length of a header.
const MAX_HEADER_LEN: usize = 1 << 16;
const MAGIC: &[u8] = b"\x93NUMPY";

/// A file of vectors.
#[derive(Debug)]
pub struct VectorFile {
    path: PathBuf,
    file: BufReader<File>,
    number: Number,
    count: u64,
    width: usize,
    /// The offset of the first row, and the current offset of the reader.
    start: u64,
    at: u64,
}

/// The type of one number in the file, always little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    F16,
    F32,
    F64,
}

impl Number {
    fn len(self) -> usize {
        match self {
            Number::F16 => 2,
            Number::F32 => 4,
            Number::F64 => 8,
        }
    }

    fn read(self, bytes: &[u8]) -> f32 {
        match self {
            Number::F16 => f16::from_le_bytes([bytes[0], bytes[1]]).to_f32(),
            Number::F32 => f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            Number::F64 => {
                let eight = bytes.try_into().expect("a row is cut into whole numbers");
                f64::from_le_bytes(eight) as f32
            }
        }
    }
}

impl VectorFile {
    /// Opens a file. The number of rows, the width, or both are known; a `.npy` file states both itself.
    pub fn open(path: &Path, count: Option<u64>, width: Option<usize>) -> Result<VectorFile> {
        let name = path.display();
        let file = File::open(path).with_context(|| format!("{name} cannot be read"))?;
        let len = file.metadata().with_context(|| format!("{name} cannot be read"))?.len();
        let mut file = BufReader::with_capacity(1 << 16, file);
        let is_npy = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"));
        let shape = if is_npy { npy_shape(&mut file, len) } else { plain_shape(len, count, width) };
        let shape = shape.with_context(|| name.to_string())?;
        if let Some(count) = count.filter(|count| *count != shape.count) {
            bail!("{name} has {} vectors; there are {count} records", shape.count);
        }
        if let Some(width) = width.filter(|width| *width as u64 != shape.width) {
            bail!("{name} has vectors of {} numbers, and the model has {width}", shape.width);
        }
        ensure!(
            (1..=MAX_WIDTH).contains(&shape.width),
            "{name} has vectors of {} numbers; 1 to {MAX_WIDTH} are allowed",
            shape.width
        );
        let Shape { number, count, width, start } = shape;
        let width = usize::try_from(width).expect("at most a few thousand");
        Ok(VectorFile { path: path.to_owned(), file, number, count, width, start, at: start })
    }

    /// The name of the file.
    pub fn name(&self) -> impl std::fmt::Display {
        self.path.display()
    }

    /// The number of vectors.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The number of values per vector.
    #[cfg(test)]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the vector of a row, counted from 0.
    pub fn row(&mut self, row: u64) -> Result<Vec<f32>> {
        let name = self.path.display().to_string();
        ensure!(row < self.count, "{name} has {} vectors; there is none for record {}", self.count, row + 1);
        let mut bytes = vec![0; self.width * self.number.len()];
        let wanted = self.start + row * bytes.len() as u64;
        let failed = || format!("{name} cannot be read");
        // Nearby, the reader can seek within its buffer.
        match i64::try_from(wanted).ok().zip(i64::try_from(self.at).ok()) {
            Some((wanted, at)) => self.file.seek_relative(wanted - at).with_context(failed)?,
            None => _ = self.file.seek(SeekFrom::Start(wanted)).with_context(failed)?,
        }
        self.file.read_exact(&mut bytes).with_context(failed)?;
        self.at = wanted + bytes.len() as u64;
        Ok(bytes.chunks_exact(self.number.len()).map(|number| self.number.read(number)).collect())
    }
}

struct Shape {
    number: Number,
    count: u64,
    width: u64,
    start: u64,
}

fn plain_shape(len: u64, count: Option<u64>, width: Option<usize>) -> Result<Shape> {
    ensure!(len.is_multiple_of(4), "it has {len} bytes, which is not a whole number of 32-bit floats");
    let numbers = len / 4;
    let (count, width) = match (count, width) {
        (_, Some(width)) => {
            let width = width as u64;
            let is_whole = width > 0 && numbers.is_multiple_of(width);
            ensure!(is_whole, "it has {numbers} numbers, which is not a whole number of vectors of {width}");
            (numbers / width, width)
        }
        (Some(count), None) => {
            let is_whole = count > 0 && numbers.is_multiple_of(count);
            ensure!(is_whole, "it has {numbers} numbers, which cannot be divided among {count} records");
            (count, numbers / count)
        }
        (None, None) => bail!("neither the width nor the number of its vectors is known"),
    };
    Ok(Shape { number: Number::F32, count, width, start: 0 })
}

fn npy_shape(file: &mut impl Read, len: u64) -> Result<Shape> {
    let mut start = [0; 8];
    file.read_exact(&mut start)
        .ok()
        .filter(|()| start.starts_with(MAGIC))
        .context("it is not a .npy file")?;
    let mut header_len = [0; 4];
    let prefix = match start[6] {
        1 => 2,
        2 | 3 => 4,
        other => bail!("it is a .npy file of version {other}; versions 1, 2 and 3 can be read"),
    };
    file.read_exact(&mut header_len[..prefix]).context("its header is cut off")?;
    let header_len = usize::try_from(u32::from_le_bytes(header_len))?;
    ensure!(header_len <= MAX_HEADER_LEN, "its header is damaged: it has {header_len} bytes");
    let mut header = vec![0; header_len];
    file.read_exact(&mut header).context("its header is cut off")?;
    let header = String::from_utf8_lossy(&header);
    let value = |key| header_value(&header, key).with_context(|| format!("its header has no {key}"));
    let kind = value("descr")?.trim_matches(['\'', '"']);
    let number = match kind {
        "<f2" => Number::F16,
        "<f4" => Number::F32,
        "<f8" => Number::F64,
        big if big.starts_with('>') => {
            bail!("its numbers are big-endian ({big}); save it with astype(\"<f4\")")
        }
        other => bail!("its numbers are {other}; save floats instead, with astype(\"<f4\")"),
    };
    match value("fortran_order")? {
        "False" => {}
        _ => bail!("its numbers are in Fortran order; save it after numpy.ascontiguousarray"),
    }
    let shape = value("shape")?;
    let sides = shape.trim_matches(['(', ')']).split(',').map(str::trim).filter(|side| !side.is_empty());
    let sides = sides.map(|side| side.parse::<u64>()).collect::<Result<Vec<_>, _>>();
    let Ok([count, width]) = sides.as_deref() else {
        bail!("its shape is {shape}; it must be (vectors, numbers)");
    };
    let start = (start.len() + prefix + header_len) as u64;
    let needed = count.checked_mul(*width).and_then(|numbers| numbers.checked_mul(number.len() as u64));
    let is_whole = needed.and_then(|needed| needed.checked_add(start)).is_some_and(|needed| needed <= len);
    ensure!(is_whole, "it is cut off: {shape} numbers do not fit in its {len} bytes");
    Ok(Shape { number, count: *count, width: *width, start })
}

/// Returns the value of a key in the header, which is a Python dictionary.
fn header_value<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let at = header.find(&format!("'{key}'"))? + key.len() + 2;
    let rest = header[at..].trim_start().strip_prefix(':')?.trim_start();
    let len = if rest.starts_with('(') { rest.find(')')? + 1 } else { rest.find([',', '}'])? };
    Some(rest[..len].trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tempfile::TempDir;

    fn write(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    fn floats(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Returns a .npy file as NumPy writes it.
    fn npy(version: u8, header: &str, numbers: &[u8]) -> Vec<u8> {
        let mut bytes = [MAGIC, &[version, 0]].concat();
        let header = format!("{header}\n");
        match version {
            1 => bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes()),
            _ => bytes.extend(u32::try_from(header.len()).unwrap().to_le_bytes()),
        }
        bytes.extend(header.as_bytes());
        bytes.extend(numbers);
        bytes
    }

    fn header(kind: &str, order: &str, shape: &str) -> String {
        format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}   ")
    }

    #[track_caller]
    fn error(name: &str, bytes: &[u8], count: Option<u64>, width: Option<usize>) -> String {
        let (_folder, path) = write(name, bytes);
        format!("{:#}", VectorFile::open(&path, count, width).unwrap_err())
    }

    #[test]
    fn rows_are_found_in_any_order() {
        let numbers = (0..30_000).map(|number| number as f32 / 7.0).collect::<Vec<_>>();
        let (_folder, path) = write("a.f32", &floats(&numbers));
        for (count, width) in [(Some(10_000), None), (None, Some(3)), (Some(10_000), Some(3))] {
            let mut file = VectorFile::open(&path, count, width).unwrap();
            assert_eq!((file.count(), file.width()), (10_000, 3));
            for row in (0..10_000).chain([9_999, 0, 5_000, 4_999, 1]) {
                assert_eq!(file.row(row as u64).unwrap(), numbers[3 * row..3 * row + 3]);
            }
            let error = file.row(10_000).unwrap_err().to_string();
            assert!(error.ends_with("has 10000 vectors; there is none for record 10001"), "{error}");
        }
    }

    #[test]
    fn every_version_and_width_of_npy_is_read() {
        let halves = [0x3c00_u16, 0xc000, 0x7bff, 0x0001].iter().flat_map(|half| half.to_le_bytes());
        let doubles = [1.0_f64, -2.0, 65504.0, 2_f64.powi(-24)];
        let numbers = [1.0_f32, -2.0, 65504.0, 2_f32.powi(-24)];
        let cases = [
            ("<f2", halves.collect::<Vec<_>>()),
            ("<f4", floats(&numbers)),
            ("<f8", doubles.iter().flat_map(|number| number.to_le_bytes()).collect()),
        ];
        for (kind, bytes) in &cases {
            for version in 1..=3 {
                let (_folder, path) = write("a.npy", &npy(version, &header(kind, "False", "(2, 2)"), bytes));
                let mut file = VectorFile::open(&path, Some(2), None).unwrap();
                let rows = [file.row(0).unwrap(), file.row(1).unwrap()].concat();
                assert_eq!(rows, numbers, "{kind} {version}");
            }
        }
    }

    #[test]
    fn files_that_numpy_wrote_are_read() {
        for kind in ["f2", "f4", "f8"] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/vectors-{kind}.npy"));
            let mut file = VectorFile::open(&path, None, None).unwrap();
            assert_eq!((file.count(), file.width()), (5, 3));
            let rows = (0..5).flat_map(|row| file.row(row).unwrap()).collect::<Vec<_>>();
            let expected = (0..15).map(|place| (place as f32 - 7.0) / 64.0).collect::<Vec<_>>();
            assert_eq!(rows, expected, "{kind}");
        }
    }

    #[test]
    fn files_of_the_wrong_length_say_so() {
        let cases = [
            (error("a.f32", &[0; 6], Some(1), None), "not a whole number of 32-bit floats"),
            (error("a.f32", &[0; 20], Some(2), None), "5 numbers, which cannot be divided among 2 records"),
            (error("a.f32", &[0; 20], None, Some(2)), "not a whole number of vectors of 2"),
            (error("a.f32", &[0; 24], Some(4), Some(2)), "has 3 vectors; there are 4 records"),
            (error("a.f32", &[0; 24], None, None), "neither the width nor the number"),
            (error("a.f32", &[], Some(3), None), "vectors of 0 numbers; 1 to 4096"),
            (error("a.f32", &[0; 4 * 4097], Some(1), None), "vectors of 4097 numbers; 1 to 4096"),
        ];
        for (found, expected) in cases {
            assert!(found.contains(expected), "{found}");
        }
    }

    #[test]
    fn npy_files_that_are_not_understood_say_why() {
        let open =
            |kind, order, shape| error("a.npy", &npy(1, &header(kind, order, shape), &[0; 16]), None, None);
        let cases = [
            (open("<f4", "True", "(2, 2)"), "Fortran order"),
            (open(">f4", "False", "(2, 2)"), "big-endian (>f4)"),
            (open("<i4", "False", "(2, 2)"), "its numbers are <i4; save floats instead"),
            (open("|O", "False", "(2, 2)"), "its numbers are |O"),
            (open("<f4", "False", "(4,)"), "its shape is (4,); it must be (vectors, numbers)"),
            (open("<f4", "False", "(1, 2, 2)"), "its shape is (1, 2, 2)"),
            (open("<f4", "False", "(2, 3)"), "it is cut off"),
            (open("<f4", "False", "(18446744073709551615, 4096)"), "it is cut off"),
            (error("a.npy", b"PK\x03\x04", None, None), "it is not a .npy file"),
            (error("a.npy", &npy(9, "", &[]), None, None), "version 9"),
            (error("a.npy", &npy(1, "{'descr': '<f4'}", &[]), None, None), "its header has no fortran_order"),
            (error("a.npy", &npy(1, "", &[])[..9], None, None), "its header is cut off"),
            (
                error("a.npy", &[MAGIC, &[2, 0, 255, 255, 255, 255]].concat(), None, None),
                "its header is damaged",
            ),
        ];
        for (found, expected) in cases {
            assert!(found.contains(expected), "{found}");
        }
    }
}
