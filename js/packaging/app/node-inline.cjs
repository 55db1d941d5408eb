// The suite in Node, as CommonJS, with the inline script of the module.
const snapseek = require("snapseek/inline");

async function main() {
  const [{ run, suite }, fixture] = await Promise.all([import("./suite.mjs"), import("./fixture.mjs")]);
  console.log(JSON.stringify(await run(suite(snapseek, fixture))));
}
main();
