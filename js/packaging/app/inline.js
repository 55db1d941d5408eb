// The suite as one script without a module, for pages on file://.
import * as snapseek from "snapseek";
import * as slim from "snapseek/search";
import * as fixture from "./fixture.mjs";
import { run, suite } from "./suite.mjs";

run(suite(snapseek, fixture, { slim })).then((outcome) => (globalThis.outcome = outcome));
