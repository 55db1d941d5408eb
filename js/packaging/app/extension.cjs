// The suite as an extension of VS Code, which writes its outcome into the workspace.
const vscode = require("vscode");
const snapseek = require("snapseek/inline");
const { run, suite } = require("./suite.mjs");
const fixture = require("./fixture.mjs");

exports.activate = async () => {
  const outcome = await run(suite(snapseek, fixture));
  const where = typeof importScripts === "function" ? "web" : "node";
  const file = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, `outcome-${where}.json`);
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(JSON.stringify(outcome)));
};
