const { parentPort } = require("node:worker_threads");
const { expose } = require("snapseek/worker");

expose(parentPort);
