// The main process. `electron . --search=keys` prints the hits; without `--search` it opens the window.
const { join } = require("node:path");
const { BrowserWindow, app } = require("electron");
const { search } = require("./notes.cjs");

app.whenReady().then(async () => {
  const query = app.commandLine.getSwitchValue("search");
  if (query) {
    for (const title of await search(query)) console.log(title);
    return app.quit();
  }
  const window = new BrowserWindow({ width: 700, height: 500 });
  return window.loadFile(join(__dirname, "renderer/index.html"));
});
app.on("window-all-closed", () => app.quit());
