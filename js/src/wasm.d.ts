declare module "*.wasm" {
  /** The compiled module, where imports of modules are understood. */
  const module: WebAssembly.Module;
  export default module;
}
