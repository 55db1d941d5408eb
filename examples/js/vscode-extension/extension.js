// Searches the Markdown files of a workspace as you type. One bundle runs in VS Code and in VS Code for the Web, where the
// script has no file system and no files beside it; `snapseek/inline` needs neither.

const vscode = require("vscode");
const { build } = require("snapseek/inline");

const { FileType, Uri, workspace, window } = vscode;
const SCHEMA = { forms: true, fields: { title: { weight: 4 }, body: {} } };

exports.activate = (context) => {
  context.subscriptions.push(vscode.commands.registerCommand("snapseekNotes.search", search));
};

async function search() {
  const engine = await build(await notes(), SCHEMA);
  const pick = window.createQuickPick();
  pick.placeholder = `Search ${engine.length} notes`;
  pick.onDidChangeValue((query) => {
    const { hits } = engine.searchSync(query, { asYouType: true, typos: 1, records: true, snippet: { raw: true, open: "", close: "" } });
    // Show every hit, even if VS Code's own filter would hide it.
    pick.items = hits.map(({ id, record, snippet }) => ({ label: record.title, detail: snippet, alwaysShow: true, id }));
  });
  pick.onDidAccept(() => {
    const [chosen] = pick.selectedItems;
    if (chosen) void window.showTextDocument(Uri.parse(chosen.id));
    pick.hide();
  });
  pick.onDidHide(() => {
    pick.dispose();
    engine.free();
  });
  pick.show();
}

/** Makes one record per Markdown file. */
async function notes() {
  const files = await Promise.all((workspace.workspaceFolders ?? []).map(({ uri }) => markdownIn(uri)));
  return Promise.all(files.flat().map(note));
}

async function note(uri) {
  const body = new TextDecoder().decode(await workspace.fs.readFile(uri));
  const [, heading] = /^#+\s+(.+)$/m.exec(body) ?? [];
  return { id: uri.toString(), title: heading ?? uri.path.split("/").at(-1), body };
}

async function markdownIn(folder) {
  const entries = await workspace.fs.readDirectory(folder);
  const found = entries.map(([name, type]) => {
    const uri = Uri.joinPath(folder, name);
    if (type === FileType.Directory) return name === "node_modules" || name.startsWith(".") ? [] : markdownIn(uri);
    return name.endsWith(".md") ? [uri] : [];
  });
  return (await Promise.all(found)).flat();
}
