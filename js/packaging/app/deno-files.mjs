// The suite in Deno with permission to read and write in this folder.
import * as snapseek from "snapseek";
import { persist } from "snapseek/persist";
import * as fixture from "./fixture.mjs";
import { run, suite } from "./suite.mjs";

const claims = suite(snapseek, fixture, { persist: { persist, places: [{ in: "file", folder: "stores" }] } });
console.log(JSON.stringify(await run(claims)));
