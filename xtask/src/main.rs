//! The project's own tools, as subcommands of `cargo xtask`.
//!
//! This program is small because building the package needs it. It starts `xtask/tables` for the generators that need
//! SQLite or Unicode tables, so that only those who run them compile these.

mod bind;
mod requirements;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: cargo xtask <command>

  bind MODULE FOLDER        writes the module and its JavaScript glue to FOLDER, as wasm-bindgen does
  gen-tables [--check]      writes index/src/analysis/tables.rs, from what SQLite does to each code point
  gen-unicode [--check]     writes src/unicode/table.bin, from what unicode-segmentation and the standard library do
  gen-normal [--check]      writes src/embed/normal/later.rs, from unicode-normalization and perl's Unicode tables
  gen-golden                writes tests/golden; only for a format that is not released
  gen-requirements [--check [--allow-missing]]
                            writes docs/requirements.md: the tests that hold each requirement

--check writes nothing and fails where the committed file differs. gen-requirements --check also fails where a
requirement has no test, unless --allow-missing is given.";

/// The tests that write `tests/golden`. The snapshot comes first: the others search it.
const GOLDEN_TESTS: [&[&str]; 4] =
    [&["snapshot_format", "golden"], &["cases", "golden"], &["recipe_golden"], &["static_models", "golden"]];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    match arguments {
        ["bind", module, folder] => bind::bind(Path::new(module), Path::new(folder)),
        ["gen-tables" | "gen-unicode" | "gen-normal"] => tables(arguments),
        ["gen-tables" | "gen-unicode" | "gen-normal", "--check"] => tables(arguments),
        ["gen-golden"] => golden(),
        ["gen-requirements", options @ ..] => {
            let known = ["--check", "--allow-missing"];
            if !options.iter().all(|option| known.contains(option)) {
                return Err(USAGE.into());
            }
            requirements::run(options.contains(&"--check"), options.contains(&"--allow-missing"))
        }
        _ => Err(USAGE.into()),
    }
}

/// Runs `xtask/tables` with these arguments.
fn tables(arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    succeed(cargo(&["run", "--quiet", "--locked", "--package", "snapseek-tables", "--"]).args(arguments))
}

fn golden() -> Result<(), Box<dyn Error>> {
    for test in GOLDEN_TESTS {
        succeed(cargo(&["test", "--locked", "--test"]).args(test).env("SNAPSEEK_WRITE_GOLDEN", "1"))?;
    }
    Ok(())
}

/// Cargo with these arguments, to be run at the root of the repository.
fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs a command; an error where it cannot start or does not succeed.
fn succeed(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("a command failed: {status}").into()) }
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask/ is in the repository").to_path_buf()
}
