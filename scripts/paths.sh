# Where tools and test data are; sourced by the scripts that need them, from the root of the repository.

# Cargo.toml pins the version once: the tools and the library have to be of the same one.
wasm_bindgen_version=$(sed -n 's/^wasm-bindgen = "=\(.*\)"$/\1/p' Cargo.toml)
wasm_bindgen_root=${XDG_CACHE_HOME:-$HOME/.cache}/snapseek/wasm-bindgen-$wasm_bindgen_version
wasm_bindgen_test_runner=$wasm_bindgen_root/bin/wasm-bindgen-test-runner
chromium=$(command -v chromium || command -v chromium-browser || true)
chromedriver=$(command -v chromedriver || true)

# Collections that are too large for the repository. Scripts that need them say SKIPPED without them.
export SNAPSEEK_SHARED=$(realpath -m "${SNAPSEEK_SHARED:-../shared}")
