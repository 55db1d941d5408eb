// The names by which a WebAssembly module and its glue know each other, rewritten in the module's bytes.

const HEADER = 8;
const IMPORTS = 2;
const EXPORTS = 7;

/** A module that imports and exports under the names that `names` has for its own; what is not there keeps its name. */
export function renamed(module, names) {
  const own = (name) => (Object.hasOwn(names, name) ? names[name] : name);
  const parts = [module.subarray(0, HEADER)];
  for (let at = HEADER; at < module.length; ) {
    const start = at;
    const id = module[at];
    const [size, content] = integerAt(module, at + 1);
    at = content + size;
    const section = module.subarray(content, at);
    if (id === IMPORTS) parts.push(encoded(id, importsOf(section, own)));
    else if (id === EXPORTS) parts.push(encoded(id, exportsOf(section, own)));
    else parts.push(module.subarray(start, at));
  }
  return Buffer.concat(parts);
}

function importsOf(section, own) {
  return entriesOf(section, (at) => {
    const [from, field] = nameAt(section, at);
    const [name, kind] = nameAt(section, field);
    if (section[kind] !== 0) throw new Error(`the import ${name} is no function; wasm-names.mjs knows no others`);
    const [, end] = integerAt(section, kind + 1);
    return [[...written(own(from)), ...written(own(name)), ...section.subarray(kind, end)], end];
  });
}

function exportsOf(section, own) {
  return entriesOf(section, (at) => {
    const [name, kind] = nameAt(section, at);
    const [, end] = integerAt(section, kind + 1);
    return [[...written(own(name)), ...section.subarray(kind, end)], end];
  });
}

/** A section that counts its entries, each as `entry` rewrites the one at a place; it says where the next is, too. */
function entriesOf(section, entry) {
  const [count, first] = integerAt(section, 0);
  const bytes = integer(count);
  for (let at = first, number = 0; number < count; number++) {
    const [rewritten, next] = entry(at);
    bytes.push(...rewritten);
    at = next;
  }
  return bytes;
}

const encoded = (id, content) => Uint8Array.from([id, ...integer(content.length), ...content]);

function nameAt(bytes, at) {
  const [length, start] = integerAt(bytes, at);
  return [Buffer.from(bytes.subarray(start, start + length)).toString(), start + length];
}

function written(name) {
  const bytes = Buffer.from(name);
  return [...integer(bytes.length), ...bytes];
}

/** An unsigned LEB128 integer, and where it ends. */
function integerAt(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return [value, at];
  }
}

/** An unsigned integer as LEB128; {@link integerAt} reverses it. */
function integer(value) {
  const bytes = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value % 0x80) | 0x80);
  return [...bytes, value];
}
