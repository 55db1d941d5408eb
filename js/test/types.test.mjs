import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { it } from "node:test";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

it("the types accept correct programs and reject faulty ones", () => {
  const { status, stdout } = spawnSync(path("../node_modules/.bin/tsc"), ["--project", path("types")], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
});
