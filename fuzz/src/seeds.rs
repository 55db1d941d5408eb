//! The seed inputs of fuzzing, made from the files of the tests and the demo.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes the seeds of a target to the folder in the variable `SNAPSEEK_SEEDS`. Does nothing if it is not set.
///
/// # Panics
/// Panics when the folder cannot be written to.
pub fn write(seeds: impl FnOnce() -> Vec<Vec<u8>>) {
    let Some(folder) = env::var_os("SNAPSEEK_SEEDS").map(PathBuf::from) else { return };
    for (number, seed) in seeds().iter().enumerate() {
        fs::write(folder.join(format!("seed-{number:04}")), seed)
            .expect("the folder of seeds can be written to");
    }
}

/// Reads the files of a folder of the repository, sorted by name.
///
/// # Panics
/// Panics when a file cannot be read.
pub fn files(folder: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let entries = fs::read_dir(&folder).expect("the folder is in the repository");
    let mut paths = entries.map(|entry| entry.expect("a folder can be listed").path()).collect::<Vec<_>>();
    paths.retain(|path| path.is_file());
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a file can be read")).collect()
}

/// Returns a seed with a byte of choices before it.
pub fn with_choice(choice: u8, text: &[u8]) -> Vec<u8> {
    [&[choice], text].concat()
}
