// SQLite's own wasm build with FTS5, in memory. The table and the answers are the same as in src/engines/fts5.rs.

import { now } from "../measure.mjs";
import { LIMIT, records } from "../records.mjs";

let sqlite3;

export async function start() {
  const { default: initialize } = await import("@sqlite.org/sqlite-wasm");
  sqlite3 = await initialize({ print: () => {}, printErr: () => {} });
}

export function build(lines) {
  const building = now();
  const db = new sqlite3.oo1.DB(":memory:", "c");
  db.exec(`BEGIN;
    CREATE VIRTUAL TABLE documents USING fts5(title, description, section,
      content = '', detail = full, tokenize = 'porter unicode61');`);
  const insert = db.prepare("INSERT INTO documents(rowid, title, description, section) VALUES (?, ?, ?, ?)");
  let row = 0;
  for (const { title, description, section } of records(lines)) {
    insert.bind([row++, title, description, section]).stepReset();
  }
  insert.finalize();
  db.exec("COMMIT");
  const compacting = now();
  db.exec("INSERT INTO documents(documents) VALUES ('optimize'); VACUUM;");
  const done = now();
  const bytes = sqlite3.capi.sqlite3_js_db_export(db);
  db.close();
  return {
    files: new Map([["fts5.sqlite", bytes]]),
    buildSeconds: compacting - building,
    compactSeconds: done - compacting,
  };
}

export function open(files) {
  const { capi, wasm } = sqlite3;
  const bytes = files.get("fts5.sqlite");
  const db = new sqlite3.oo1.DB(":memory:", "c");
  const pointer = wasm.allocFromTypedArray(bytes);
  const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_READONLY;
  db.checkRc(capi.sqlite3_deserialize(db.pointer, "main", pointer, bytes.length, bytes.length, flags));
  const statement = db.prepare(`SELECT rowid, rank FROM documents WHERE documents MATCH ? ORDER BY rank, rowid LIMIT ${LIMIT}`);
  return {
    search(query) {
      const hits = [];
      statement.bind(query.match);
      while (statement.step()) hits.push([statement.getInt(0), statement.getFloat(1)]);
      statement.reset();
      return hits;
    },
    hits: (answer) => answer,
    ownBytes: () => wasm.memory.buffer.byteLength,
  };
}
