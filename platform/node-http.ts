/** `createServer` of node:http. An import of that module reads all its members, `WebSocket` too, which takes 13 MB and 25 ms. */
import process from "node:process";

export const { createServer } = process.getBuiltinModule("node:http");
