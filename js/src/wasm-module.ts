/** The compiled WebAssembly module, as Cloudflare's workers import it. Pass it as the option `wasm`. */
declare const module: WebAssembly.Module;
export default module;
