/** What a process prints that looks like this. */
export function printed(child, pattern) {
  return new Promise((resolve, reject) => {
    let text = "";
    const hear = (chunk) => {
      text += chunk;
      const [found] = pattern.exec(text) ?? [];
      if (found) resolve(found);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", (code) => reject(new Error(`it ended with ${code}: ${text}`)));
  });
}
