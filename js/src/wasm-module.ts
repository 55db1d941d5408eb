/** The WebAssembly module, compiled: what an import of it gives in Cloudflare's workers. Pass it on as the option `wasm`. */
declare const module: WebAssembly.Module;
export default module;
