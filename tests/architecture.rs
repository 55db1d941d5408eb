//! Does the code keep the rules of its structure: layers, dependencies, messages and type names?

#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The layers, first to last. Modules of one layer do not use each other.
const LAYERS: &[&[&str]] = &[
    &["ids", "wire", "bits", "bitmap", "bm25", "json", "order"],
    &["bytes"],
    &["codes", "lz4", "analysis", "inverted", "vector"],
    &["scoring"],
    &["boxed", "issues", "tokens", "unicode"],
    &["chunking"],
    &["embed", "document", "attributes"],
    &["options"],
    &["schema", "state"],
    &["snapshot"],
    &["segment"],
    &["query"],
    &["retrieval"],
    &["ranking"],
    &["pipeline", "presentation"],
    &["builder", "engine", "primitives"],
    &["recipe"],
    &["calls"],
    &["wasm"],
];

fn layer_of(module: &str) -> usize {
    let layer = LAYERS.iter().position(|layer| layer.contains(&module));
    layer.unwrap_or_else(|| {
        panic!("{module} has no layer: give it one in tests/architecture.rs and ARCHITECTURE.md")
    })
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let is_source = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    files.into_iter().filter(is_source).chain(folders.iter().flat_map(|folder| sources(folder))).collect()
}

/// Returns the modules that a source file names after `crate::`, in code or in `use` lists.
fn named_modules(source: &str) -> Vec<&str> {
    let paths = source.match_indices("crate::").filter(|(at, _)| !source[..*at].ends_with('$'));
    let name = |(at, matched): (usize, &str)| {
        let rest = &source[at + matched.len()..];
        &rest[..rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len())]
    };
    paths.map(name).filter(|name| name.starts_with(char::is_lowercase)).collect()
}

#[test]
fn a_module_uses_only_the_layers_before_its_own() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut checked = 0;
    let folders = [root.join("index/src"), root.join("src")];
    for (folder, path) in
        folders.iter().flat_map(|folder| sources(folder).into_iter().map(move |path| (folder, path)))
    {
        let relative = path.strip_prefix(folder).unwrap();
        let module = relative.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_owned();
        if module == "lib" {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        for used in named_modules(&source).into_iter().filter(|used| *used != module) {
            checked += 1;
            assert!(
                layer_of(used) < layer_of(&module),
                "{} uses crate::{used}, which is not in a layer before {module}",
                relative.display()
            );
        }
    }
    assert!(checked > 100, "only {checked} paths were checked");
}

#[test]
fn the_rule_sees_a_trespass() {
    assert_eq!(
        named_modules("use crate::engine::Engine;\nlet x = crate::wire::len32(1);"),
        ["engine", "wire"]
    );
    assert!(layer_of("engine") > layer_of("inverted"));
    assert!(layer_of("inverted") == layer_of("vector"));
}

#[test]
fn nothing_of_the_command_line_reaches_the_wasm_build() {
    let output = std::process::Command::new(env!("CARGO"))
        .args([
            "tree",
            "-p",
            "snapseek",
            "--target",
            "wasm32-unknown-unknown",
            "-e",
            "normal",
            "--prefix",
            "none",
            "--locked",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let tree = String::from_utf8(output.stdout).unwrap();
    assert!(tree.contains("wasm-bindgen"), "{}", String::from_utf8_lossy(&output.stderr));
    for forbidden in
        ["clap", "indicatif", "rusqlite", "parquet", "ignore", "anyhow", "rayon", "csv", "tantivy", "toml"]
    {
        assert!(
            !tree.lines().any(|line| line.starts_with(&format!("{forbidden} "))),
            "{forbidden} reaches wasm"
        );
    }
}

#[test]
fn messages_show_nothing_in_its_debugging_form() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut checked = 0;
    for path in [root.join("index/src"), root.join("src")].iter().flat_map(|folder| sources(folder)) {
        if path.to_str().is_some_and(|path| path.ends_with("tests.rs")) {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        let code = source.split("#[cfg(test)]").next().unwrap();
        checked += code.matches("format!").count() + code.matches("#[error(").count();
        assert!(
            !code.contains("?}"),
            "{} shows something as {{:?}}: a debugging form tells a user little, and its code would be in the module",
            path.display()
        );
    }
    assert!(checked > 100, "only {checked} messages were checked");
}

/// Types that may share a name, and the reason.
const SHARED_NAMES: &[(&str, &str)] = &[
    ("Engine", "the class that JavaScript sees wraps the engine"),
    ("SharedFile", "the same type for two operating systems; each build has one of them"),
];

/// Returns the names of the types that a source file declares for other modules: `pub`, `pub(crate)` or `pub(super)`.
fn declared_types(source: &str) -> Vec<&str> {
    let declared = source.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix("pub")?;
        let rest =
            rest.strip_prefix('(').map_or(rest, |rest| rest.split_once(')').map_or(rest, |(_, rest)| rest));
        let (keyword, name) = rest.strip_prefix(' ')?.split_once(' ')?;
        let is_type = ["struct", "enum", "union", "trait", "type"].contains(&keyword);
        is_type.then(|| name.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next())?
    });
    declared.collect()
}

#[test]
fn no_two_types_share_a_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut homes: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in [root.join("index/src"), root.join("src")].iter().flat_map(|folder| sources(folder)) {
        let source = std::fs::read_to_string(&path).unwrap();
        for name in declared_types(&source) {
            homes.entry(name.to_owned()).or_default().push(path.strip_prefix(root).unwrap().to_owned());
        }
    }
    assert!(homes.len() > 200, "only {} types were checked", homes.len());
    for (name, reason) in SHARED_NAMES {
        assert!(homes[*name].len() > 1, "{name} is unique now; remove the exception: {reason}");
    }
    homes.retain(|name, homes| homes.len() > 1 && SHARED_NAMES.iter().all(|(shared, _)| shared != name));
    assert!(homes.is_empty(), "rename all but one type of each name: {homes:#?}");
}

#[test]
fn the_rule_sees_every_type_that_other_modules_can_name() {
    let source =
        "pub struct A<T>(T);\npub(crate) enum B {\n  pub(super) type C = A<u8>;\nstruct Own;\npub fn d() {}";
    assert_eq!(declared_types(source), ["A", "B", "C"]);
}
