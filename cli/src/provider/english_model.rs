//! Where is the English static model that `--embed static` means?
//!
//! The npm package [`PACKAGE`] carries it as one file, the repository as a folder. The places are tried in order, so a
//! variable decides before the machine does: [`VARIABLE`], the folder of the binary, `node_modules` of the working folder
//! and of its parents, and the repository that holds the binary in its folder `target`.

use super::Environment;
use anyhow::{Result, bail};
use std::env;
use std::path::{Path, PathBuf};

/// The npm package of the model.
const PACKAGE: &str = "@snapseek/model-static-en";
/// The folder of the model in the repository.
const FOLDER: &str = "snapseek-static-en-v2";
/// The file of the model in its package.
const FILE: &str = "snapseek-static-en-v2.model";
/// The variable that names the file or the folder of a model. The npm package sets it.
const VARIABLE: &str = "SNAPSEEK_STATIC_MODEL";

/// Finds the model.
///
/// # Errors
/// When it is nowhere, or the variable names a place where there is nothing.
pub fn find(environment: &Environment) -> Result<PathBuf> {
    let binary = env::current_exe().ok();
    find_from(environment, binary.as_deref(), env::current_dir().ok().as_deref())
}

fn find_from(
    environment: &Environment,
    binary: Option<&Path>,
    working_folder: Option<&Path>,
) -> Result<PathBuf> {
    if let Some(named) = environment(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from) {
        if named.exists() {
            return Ok(named);
        }
        bail!("{VARIABLE} names {}, which is not there", named.display());
    }
    let mut places = Vec::new();
    if let Some(folder) = binary.and_then(Path::parent) {
        places.extend([folder.join(FILE), folder.join(FOLDER)]);
    }
    let around = working_folder.into_iter().flat_map(Path::ancestors);
    places.extend(around.map(|folder| folder.join("node_modules").join(PACKAGE).join(FILE)));
    let repositories = binary.into_iter().flat_map(Path::ancestors);
    places.extend(repositories.map(|folder| folder.join("models").join(FOLDER)));
    match places.into_iter().find(|place| place.exists()) {
        Some(place) => Ok(place),
        None => bail!(
            "the English model is not on this machine; get it with `npm install {PACKAGE}`, \
             or name the folder or the file of a model, as in --embed static:models/{FOLDER}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tempfile::TempDir;

    /// A machine with a project, and with a binary in a clone. Only what a test adds holds a model.
    struct Machine(TempDir);

    impl Machine {
        fn new() -> Machine {
            let machine = Machine(tempfile::tempdir().unwrap());
            ["project/docs", "clone/target/debug"]
                .iter()
                .for_each(|folder| fs::create_dir_all(machine.path(folder)).unwrap());
            machine
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn with(self, place: &str) -> Machine {
            fs::create_dir_all(self.path(place)).unwrap();
            self
        }

        fn find(&self, variable: Option<PathBuf>) -> Result<PathBuf> {
            let variable = variable.map(|path| path.to_str().unwrap().to_owned());
            find_from(
                &|name| variable.clone().filter(|_| name == VARIABLE),
                Some(&self.path("clone/target/debug/snapseek")),
                Some(&self.path("project/docs")),
            )
        }
    }

    #[test]
    fn each_place_is_found_and_an_earlier_place_wins() {
        let mut machine = Machine::new();
        for place in [
            "clone/models/snapseek-static-en-v2",
            "project/node_modules/@snapseek/model-static-en/snapseek-static-en-v2.model",
            "project/docs/node_modules/@snapseek/model-static-en/snapseek-static-en-v2.model",
            "clone/target/debug/snapseek-static-en-v2.model",
        ] {
            machine = machine.with(place);
            assert_eq!(machine.find(None).unwrap(), machine.path(place));
        }
        let machine = machine.with("named");
        assert_eq!(machine.find(Some(machine.path("named"))).unwrap(), machine.path("named"));
    }

    #[test]
    fn the_message_says_how_to_get_the_model() {
        let message = Machine::new().find(None).unwrap_err().to_string();
        assert!(message.contains("npm install @snapseek/model-static-en"), "{message}");
        assert!(message.contains("--embed static:models/snapseek-static-en-v2"), "{message}");
    }

    #[test]
    fn a_variable_that_names_nothing_is_an_error_although_there_is_a_model() {
        let machine = Machine::new().with("clone/models/snapseek-static-en-v2");
        let message = machine.find(Some(machine.path("gone"))).unwrap_err().to_string();
        assert!(message.starts_with("SNAPSEEK_STATIC_MODEL names"), "{message}");
    }
}
