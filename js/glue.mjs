// wasm-bindgen's glue, made small. What it repeats for every method is said once, in js/glue-runtime.js, and what nobody
// calls is left out. What the rules do not know, of another version of wasm-bindgen, is an error of the build.

import { readFile } from "node:fs/promises";
import { transform } from "esbuild";

const RUNTIME = await readFile(new URL("glue-runtime.js", import.meta.url), "utf8");

/** Calls of helpers that the rules below replace everywhere, and what they become. */
const HELPERS = {
  getStringFromWasm0: "textAt",
  takeFromExternrefTable0: "taken",
  debugString: "String",
};

/** Helpers that are left out, since nothing calls them any more. */
const LEFT_OUT =
  /^(addToExternrefTable0|decodeText|handleError|isLikeNone|pass\w+ToWasm0|get\w+FromWasm0|get\w+Memory0|__wbg_\w+|initSync|expectedResponseType)$/;

/** What a piece of glue becomes, in this order: each rule sees what the one before it made. */
const RULES = [
  [/\/\*[\s\S]*?\*\/|^\s*\/\/.*\n/gm, ""],
  [/^if \(Symbol\.dispose\).*$/gm, ""],

  // Objects.
  [/static __wrap\(ptr\) \{[\s\S]*?\n    \}\n/g, ""],
  [/ __destroy_into_raw\(\) \{[\s\S]*?\n    \}\n/g, ""],
  [/const ptr = this\.__destroy_into_raw\(\);\s*/g, ""],
  [/(wasm\.\w+)\(ptr, 0\)/g, "freed(this, $1)"],
  [/(wasm\.\w+\()ptr\b/g, "$1released(this)"],
  [/this\.__wbg_ptr = ret\[0\];\s*(\w+)Finalization\.register\(this, this\.__wbg_ptr, this\);\s*return this;/g,
    (_, name) => `adopted(this, ${freeOf(name)}, ret);`],
  [/(\w+)\.__wrap\(ret\[0\]\)/g, (_, name) => `adopted(Object.create(${name}.prototype), ${freeOf(name)}, ret)`],
  [/__wbg_ptr/g, "__pointer"],

  // Results.
  [/let deferred\d_0;\s*let deferred\d_1;\s*try \{([\s\S]*?)\} finally \{[^}]*\}/g, "$1"],
  [/const ret = (.*);\s*var ptr\d = ret\[0\];[\s\S]*?return textAt\(ptr\d, len\d\);/g, "return takenText(checked($1));"],
  [/const ret = (.*);\s*deferred\d_0[\s\S]*?return textAt\(ret\[0\], ret\[1\]\);/g, "return takenText($1);"],
  [/const ret = (.*);\s*if \(ret\[\d\]\) \{\s*throw taken\(ret\[\d\]\);\s*\}/g, "const ret = checked($1);"],
  [/const ret = (checked\(.*\);\s*\})/g, "$1"],
  [/textAt\(ret\[0\], ret\[1\]\);\s*wasm\.__wbindgen_free\([^;]*;/g, "takenText(ret);"],
  [/getArray(\w+)FromWasm0\(ret\[0\], ret\[1\]\)\.slice\(\);\s*wasm\.__wbindgen_free\([^;]*;/g, (_, type) => `takenNumbers(${TYPES[type]}, ret);`],
  [/(?:var|let) (v\d);\s*if \(ret\[0\] !== 0\) \{\s*\1 = (.*)\s*\}\s*return \1;/g, "if (ret[0]) return $2"],
  [/var (v\d) = (.*)\s*return \1;/g, "return $2"],

  // Arguments. Where the second of two cannot be passed, what was copied of the first is not given back: a few bytes, once.
  [/let ptr0, len0[^;]*;\s*try \{([\s\S]*?)\} catch \(e\) \{[\s\S]*?throw e;\s*\}/g, "$1"],
  [/(?:const |var )?ptr(\d) = (isLikeNone\((\w+)\) \? 0 : )?pass(\w+)ToWasm0\((\w+), [^;]*\);\s*(?:const |var )?len\1 = WASM_VECTOR_LEN;/g,
    (_, number, isOptional, __, type, name) => `const pass${number} = ${isOptional ? `${name} == null ? NOTHING : ` : ""}${PASSING[type](name)};`],
  [/\bptr(\d), len\1\b/g, "...pass$1"],
  // Each is used once, in the order in which they stand.
  [/const pass0 = (.*);\s*(?:const pass1 = (.*);\s*)?(.*)\.\.\.pass0(?:(.*)\.\.\.pass1)?/g,
    (_, zero, one, start, between) => `${start}...${zero}${one ? `${between}...(${one})` : ""}`],
  [/const ret = (checked\(.*\));\s*return taken\(ret\[0\]\)/g, "return taken($1)"],
  [/const ret = (checked\(.*\));\s*(return )?(\w+)\((.*), ret\)/g, "$2$3($4, $1)"],

  // What the module imports.
  [/function __wbg_get_imports\(\) \{\s*const import0 = \{\s*__proto__: null,([\s\S]*?)\n    \};\s*return \{\s*__proto__: null,\s*"[^"]*": import0,\s*\};\s*\}/g, "const imports = () => ({ __wbg_module: {$1\n    } });"],
  [/getArray(\w+)FromWasm0\((\w+), (\w+)\)/g, (_, type, pointer, length) => `numbersAt(${TYPES[type]}, ${pointer}, ${length})`],
  [/new (\w+Array)\((numbersAt\(\1, \w+, \w+\))\)/g, "$2.slice()"],
  [/const pass1 = (?:ret == null \? NOTHING : )?passText\(ret\);\s*getDataViewMemory0\(\)[^;]*len1[^;]*;\s*getDataViewMemory0\(\)[^;]*ptr1[^;]*;/g, "giveText(arg0, ret);"],
  [/Uint8Array\.prototype\.set\.call\((numbersAt\([^)]*\)), (\w+)\)/g, "$1.set($2)"],
  [/function\(\) \{ return handleError\(function (\([^)]*\)) (\{[\s\S]*?\n        \}), arguments\); \}/g, "caught($1 => $2)"],
  [/: function(\([^)]*\)) \{/g, ": $1 => {"],
  [/const (val|obj) = (arg\d);\s*(.*)/g, (_, name, argument, used) => used.replace(new RegExp(`\\b${name}\\b`, "g"), argument)],
  [/const ret = (.*);\s*(giveText\(arg0, )ret/g, "$2$1"],
  [/new (Error|Array|Object)\(/g, "$1("],
  // What does no more than call another function is that function.
  [/(\((?:arg[^)]*)?\)) => \{\s*const ret = (Array(?:\.\w+)?|Object|JSON\.\w+|Reflect\.\w+|textAt)\1;\s*return ret;\s*\}/g, "$2"],
  [/isLikeNone\((\w+)\)/g, "($1 == null)"],
  [/Number\.MAX_SAFE_INTEGER/g, "2 ** 53 - 1"],
];

const TYPES = { U8: "Uint8Array", U32: "Uint32Array", F32: "Float32Array", F64: "Float64Array" };
const PASSING = {
  String: (name) => `passText(${name})`,
  Array32: (name) => `passNumbers(Uint32Array, ${name})`,
  ArrayF32: (name) => `passNumbers(Float32Array, ${name})`,
};
const freeOf = (name) => `wasm.__wbg_${name.toLowerCase()}_free`;

/** What crosses the boundary, and is nobody else's to name. */
const CROSSING = /^__|^[a-z]+_[a-zA-Z]/;

/** An import: its name, and the function that it is. */
const IMPORT = /^ {8}(\w+): ([\s\S]*?),\n(?= {8}\w| {4}\})/gm;

/** Glue in which imports that are the same function are one, and by the names of those left out, the one that is. */
function withoutTwins(glue) {
  const firsts = new Map();
  const twins = new Map();
  const small = glue.replace(IMPORT, (whole, name, work) => {
    if (!firsts.has(work)) firsts.set(work, name);
    if (firsts.get(work) === name) return whole;
    twins.set(name, firsts.get(work));
    return "";
  });
  return { small, twins };
}

/**
 * Glue made small, and the short names that it has for what crosses the boundary, by the long ones that the modules have.
 */
export async function smallGlue(source) {
  const end = source.search(/^const \w+Finalization = /m);
  for (const [, name] of source.slice(end).matchAll(/^(?:async )?function (\w+)/gm)) {
    if (!(name in HELPERS) && !LEFT_OUT.test(name)) throw new Error(`glue.mjs does not know wasm-bindgen's ${name}`);
  }
  const [, module] = /"(.*)": import0/.exec(source);
  let glue = source.slice(0, end);
  for (const [name, ours] of Object.entries(HELPERS)) glue = glue.replaceAll(`${name}(`, `${ours}(`);
  for (const [shape, small] of RULES) glue = glue.replace(shape, small);
  const [helper] = /\b(?:\w+(?:ToWasm0|FromWasm0|Memory0|Finalization)|handleError|isLikeNone|deferred\w*|__destroy_into_raw|__wrap|WASM_VECTOR_LEN)\b/.exec(glue) ?? [];
  if (helper) throw new Error(`glue.mjs has no rule for a use of wasm-bindgen's ${helper}`);
  const { small, twins } = withoutTwins(glue);
  const { code, mangleCache } = await transform(small + RUNTIME, { mangleProps: CROSSING, mangleCache: {}, target: "es2022" });
  const { __wbg_module, ...names } = mangleCache;
  for (const [name, first] of twins) names[name] = names[first];
  return { code, names: { ...names, [module]: __wbg_module } };
}
