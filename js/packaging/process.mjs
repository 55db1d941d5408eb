/** Waits until a process prints text that matches a pattern, and returns the match. */
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
