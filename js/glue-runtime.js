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

/** The module's memory; where it grew, what was seen of it before is empty. */
let memory = new Uint8Array();
const bytes = () => (memory.length ? memory : (memory = new Uint8Array(wasm.memory.buffer)));

const encoder = new TextEncoder();
const newDecoder = () => new TextDecoder("utf-8", { ignoreBOM: true });
let decoder = newDecoder();
let decoded = 0;

/** A text in the module's memory. Safari's decoders fail after two gigabytes; one that comes near is replaced. */
function textAt(pointer, length) {
  if ((decoded += length) > 2e9) {
    decoder = newDecoder();
    decoded = length;
  }
  return decoder.decode(bytes().subarray((pointer >>>= 0), pointer + length));
}

/** Numbers in the module's memory: a view of them. */
const numbersAt = (Type, pointer, length) => new Type(wasm.memory.buffer, pointer >>> 0, length);

/** A text as two arguments: where its copy is, and how many bytes it has. */
function passText(text) {
  const encoded = encoder.encode(text.toString());
  const pointer = wasm.__wbindgen_malloc(encoded.length, 1) >>> 0;
  bytes().set(encoded, pointer);
  return [pointer, encoded.length];
}

/** Numbers of four bytes as two arguments. */
function passNumbers(Type, numbers) {
  const pointer = wasm.__wbindgen_malloc(numbers.length * 4, 4);
  numbersAt(Type, pointer, numbers.length).set(numbers);
  return [pointer, numbers.length];
}

const NOTHING = [0, 0];

/** A JavaScript value that the module gave by its place in a table. */
function taken(place) {
  const value = wasm.__wbindgen_externrefs.get(place);
  wasm.__externref_table_dealloc(place);
  return value;
}

/** The results of a call that may fail; then the last is not 0, and the one before it the error. */
function checked(results) {
  if (results.at(-1)) throw taken(results.at(-2));
  return results;
}

/** A text that the module gave away. */
function takenText([pointer, length]) {
  const text = textAt(pointer, length);
  wasm.__wbindgen_free(pointer, length, 1);
  return text;
}

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
