import { expose } from "snapseek/worker";

expose(self);
