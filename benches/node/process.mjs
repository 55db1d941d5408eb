// Runs an engine in its own process, with one request and one answer at a time.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export class EngineProcess {
  #child;
  #answers;

  /** Starts `command`, an array of program and arguments. */
  constructor(command) {
    const [program, ...parameters] = command;
    this.#child = spawn(program, parameters, { stdio: ["pipe", "pipe", "inherit"] });
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Sends one request and waits for its answer. */
  async ask(request) {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`${this.#child.spawnargs.join(" ")} ended at ${JSON.stringify(request)}`);
    return JSON.parse(value);
  }

  /** Ends the process and waits for its exit. */
  async stop() {
    const exited = once(this.#child, "exit");
    this.#child.stdin.end();
    await exited;
  }
}
