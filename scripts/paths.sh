# Where the tools of the WebAssembly build are; sourced by the scripts that need them, from the root of the repository.

# The version is pinned once, in Cargo.toml: the tools and the library have to be the same one.
wasm_bindgen_version=$(sed -n 's/^wasm-bindgen = "=\(.*\)"$/\1/p' Cargo.toml)
wasm_bindgen_root=${XDG_CACHE_HOME:-$HOME/.cache}/snapseek/wasm-bindgen-$wasm_bindgen_version
wasm_bindgen=$wasm_bindgen_root/bin/wasm-bindgen
wasm_bindgen_test_runner=$wasm_bindgen_root/bin/wasm-bindgen-test-runner
chromium=$(command -v chromium || command -v chromium-browser || true)
chromedriver=$(command -v chromedriver || true)
