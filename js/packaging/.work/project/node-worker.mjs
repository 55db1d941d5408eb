import { parentPort } from "node:worker_threads";
import { expose } from "snapseek/worker";

expose(parentPort);
