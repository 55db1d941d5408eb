// The suite in Deno without permissions: it may neither read files nor fetch.
import * as snapseek from "snapseek";
import * as slim from "snapseek/search";
import * as fixture from "./fixture.mjs";
import { run, suite } from "./suite.mjs";

console.log(JSON.stringify(await run(suite(snapseek, fixture, { slim }))));
