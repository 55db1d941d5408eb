// The suite in one of Cloudflare's workers.
import * as snapseek from "snapseek";
import * as slim from "snapseek/search";
import * as fixture from "./fixture.mjs";
import { run, suite } from "./suite.mjs";

export default {
  async fetch() {
    return Response.json(await run(suite(snapseek, fixture, { slim })));
  },
};
