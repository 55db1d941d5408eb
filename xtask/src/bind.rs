//! Binds a compiled module to JavaScript, as the command `wasm-bindgen --target web` does.
//!
//! Calling the library saves every machine from compiling the command, with its HTTP server and client.
//!
//! Panics then become plain traps. Their messages would go to a standard error that WebAssembly does not have, and
//! JavaScript sees the same `RuntimeError` either way. wasm-opt removes the arguments that nobody reads any more; that
//! makes a compressed module 2 % smaller.

use std::error::Error;
use std::path::Path;
use walrus::{FunctionKind, LocalFunction, Module};
use wasm_bindgen_cli_support::Bindgen;

/// The functions of Rust's core library outside `core::panicking` that only panic, by the last part of their names.
const PANICS: [&str; 9] = [
    "assert_failed",
    "capacity_overflow",
    "expect_failed",
    "handle_error",
    "len_mismatch_fail",
    "panic_already_mutably_borrowed",
    "slice_error_fail",
    "slice_index_fail",
    "unwrap_failed",
];

/// Writes `glue.js`, `glue.d.ts` and the bound module `glue_bg.wasm` to `folder`.
///
/// # Errors
/// When the module cannot be read or was not made by this version of wasm-bindgen, or the folder cannot be written.
pub(crate) fn bind(module: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut output = Bindgen::new()
        .input_path(module)
        .web(true)?
        .out_name("glue")
        .typescript(true)
        // The package says where the module is: each environment has it elsewhere.
        .omit_default_module_path(true)
        .generate_output()?;
    let replaced = trap_instead_of_panic(output.wasm_mut());
    if replaced == 0 {
        return Err("no function that panics was found: did this version of Rust rename them?".into());
    }
    output.emit(folder)?;
    Ok(())
}

/// Makes every function that only panics a trap. Returns the number of these functions.
fn trap_instead_of_panic(module: &mut Module) -> usize {
    let mut replaced = 0;
    for function in module.funcs.iter_mut() {
        if let (Some(name), FunctionKind::Local(local)) = (&function.name, &mut function.kind)
            && only_panics(name)
        {
            trap(local);
            replaced += 1;
        }
    }
    replaced
}

fn trap(function: &mut LocalFunction) {
    let mut body = function.builder_mut().func_body();
    body.instrs_mut().clear();
    body.unreachable();
}

/// Whether a function of this name does nothing but panic.
fn only_panics(name: &str) -> bool {
    let name = without_hashes(name);
    let is_ours = !["core::", "alloc::", "std::", "<alloc::"].iter().any(|start| name.starts_with(start));
    if is_ours {
        return false;
    }
    let last = name.rsplit("::").next().unwrap_or_default();
    name.starts_with("core::panicking::") || name.starts_with("std::panicking::") || PANICS.contains(&last)
}

/// A demangled name without the hashes in brackets that follow the names of crates.
fn without_hashes(name: &str) -> String {
    let mut out = String::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('[') {
        out += before;
        rest = match after.split_once(']') {
            Some((hash, after)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                after
            }
            _ => {
                out.push('[');
                after
            }
        };
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_only_panic_are_known_by_their_names() {
        for name in [
            "core[c5930c85a12de822]::panicking::panic_bounds_check",
            "core[c5930c85a12de822]::option::expect_failed",
            "<alloc[3ca501edff3f0c7c]::vec::Vec<_, _>>::swap_remove::assert_failed",
        ] {
            assert!(only_panics(name), "{name}");
        }
    }

    #[test]
    fn other_functions_keep_their_bodies() {
        for name in [
            "snapseek::wasm::error::Failure::new",
            "snapseek::engine::expect_failed",
            "core[c5930c85a12de822]::slice::index::range",
            "<[u8]>::escape_ascii",
        ] {
            assert!(!only_panics(name), "{name}");
        }
    }
}
