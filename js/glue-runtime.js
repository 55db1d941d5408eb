// What the glue that wasm-bindgen writes calls, in fewer bytes than its own: js/glue.mjs puts it in place of that.

let wasm;

/** Makes an instance of a compiled module, once; what it exports. */
export function initSync({ module }) {
  if (!wasm) {
    wasm = new WebAssembly.Instance(module, imports()).exports;
    wasm.__wbindgen_start();
  }
  return wasm;
}

const encoder = new TextEncoder();
const newDecoder = () => new TextDecoder(undefined, { ignoreBOM: true });
let decoder = newDecoder();
let decoded = 0;

/** The text that bytes are. Safari's decoders fail after two gigabytes; one that comes near is replaced. */
function textOf(bytes) {
  if ((decoded += bytes.length) > 2e9) {
    decoder = newDecoder();
    decoded = bytes.length;
  }
  return decoder.decode(bytes);
}

/** Numbers in the module's memory: a view of them. */
const numbersAt = (Type, pointer, length) => new Type(wasm.memory.buffer, pointer >>> 0, length);

/** A text in the module's memory. */
const textAt = (pointer, length) => textOf(numbersAt(Uint8Array, pointer, length));

/** A text as two arguments: where its copy is, and how many bytes it has. */
const passText = (text) => passNumbers(Uint8Array, encoder.encode(text.toString()));

/** Numbers as two arguments: where their copy is, and how many there are. */
function passNumbers(Type, numbers) {
  const size = Type.BYTES_PER_ELEMENT;
  const pointer = wasm.__wbindgen_malloc(numbers.length * size, size);
  numbersAt(Type, pointer, numbers.length).set(numbers);
  return [pointer, numbers.length];
}

const NOTHING = [0, 0];

/** A JavaScript value that the module gave by its place in a table, the first of the results. */
function taken([place]) {
  const value = wasm.__wbindgen_externrefs.get(place);
  wasm.__externref_table_dealloc(place);
  return value;
}

/** The results of a call that may fail; then the last is not 0, and the one before it the error. */
function checked(results) {
  if (results.at(-1)) throw taken(results.slice(-2));
  return results;
}

/** A text that the module gave away. */
const takenText = (results) => textOf(takenNumbers(Uint8Array, results));

/** Numbers that the module gave away. */
function takenNumbers(Type, [pointer, length]) {
  const numbers = numbersAt(Type, pointer, length).slice();
  wasm.__wbindgen_free(pointer, numbers.byteLength, Type.BYTES_PER_ELEMENT);
  return numbers;
}

/** Writes a text for the module to find: where its copy is, and how many bytes it has. */
function giveText(place, text) {
  const parts = text === undefined ? NOTHING : passText(text);
  numbersAt(Uint32Array, place, 2).set(parts);
}

/** A function of JavaScript whose errors the module handles. */
const caught = (work) => (...given) => {
  try {
    return work(...given);
  } catch (error) {
    const place = wasm.__externref_table_alloc();
    wasm.__wbindgen_externrefs.set(place, error);
    wasm.__wbindgen_exn_store(place);
  }
};

/** Frees what nobody holds any more. Not every runtime can. */
const registry = globalThis.FinalizationRegistry && new FinalizationRegistry(([free, pointer]) => free(pointer, 1));

/** Makes an object the owner of what the module gave it: the first of the results. */
function adopted(object, free, [pointer]) {
  object.__pointer = pointer;
  registry?.register(object, [free, pointer], object);
  return object;
}

/** What an object owned, and no longer does. */
function released(object) {
  const pointer = object.__pointer;
  object.__pointer = 0;
  registry?.unregister(object);
  return pointer;
}

/** What was released before is somebody else's to free. */
function freed(object, free) {
  const pointer = released(object);
  if (pointer) free(pointer, 0);
}
