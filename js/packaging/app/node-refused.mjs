// Checks that the inline script really throws in the project `filed`, on which the claims of other places rely.
import * as inline from "snapseek/inline";
import { open } from "snapseek";
import * as fixture from "./fixture.mjs";
import { run } from "./suite.mjs";

const claims = {
  "the script refuses": async () => {
    const error = await inline.open(fixture.snapshot).catch((error) => error);
    if (error.code !== "wasm/failed" || !error.message.includes("refused")) throw error;
  },
  "the file is there": async () => (await open(fixture.snapshot)).free(),
};
console.log(JSON.stringify(await run(claims)));
