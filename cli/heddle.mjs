#!/usr/bin/env node
/** Runs the command line on a runtime that can: Deno and Node from 22.20 directly, an older Node through the Node that a clone brings. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";

// Plain old syntax up to here and below: this file must be readable by whatever `node` the machine has.
// Before these node:sqlite refuses statements that name a parameter twice ("column index out of range").
var nodeWanted = "Node 22.20 or a later 22, or 24.7 or newer,";
var onDeno = typeof globalThis.Deno !== "undefined";
var nodeFound = process.versions.node.split(".").map(Number);
var isNewEnough = nodeFound[0] >= 25 || (nodeFound[0] === 24 && nodeFound[1] >= 7) || (nodeFound[0] === 22 && nodeFound[1] >= 20);

if (onDeno || isNewEnough) runHere();
else runWithOwnNode(fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url)));

function runHere() {
  if (!onDeno) withoutExperiments();
  // Types are stripped and code is compiled at the first start only: the next ones are faster and a quarter smaller.
  if (!onDeno && nodeModule.enableCompileCache) nodeModule.enableCompileCache();
  // The kernel keeps from the first process of a container what nobody in it listens for. Who listens later decides what it does.
  process.on("SIGTERM", function () {
    if (process.listenerCount("SIGTERM") === 1) process.exit(143);
  });
  // A reader that has seen enough (`heddle export | head`) is no fault.
  process.stdout.on("error", function (error) {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  // A server outlives the reader of its log.
  process.stderr.on("error", function (error) {
    if (error.code !== "EPIPE") throw error;
  });
  import("./main.ts").then(function (main) {
    return main.run(process.argv.slice(2));
  }).then(function (code) {
    process.exitCode = code;
    return code;
  });
}

// Node 22 calls SQLite an experiment in each command's output. The tests of the package say whether it works there.
function withoutExperiments() {
  var emit = process.emitWarning;
  process.emitWarning = function (warning, options) {
    var type = options !== null && typeof options === "object" ? options.type : options;
    if (type !== "ExperimentalWarning") emit.apply(process, arguments);
  };
}

function runWithOwnNode(node) {
  if (!existsSync(node)) {
    process.stderr.write(
      "Heddle needs " + nodeWanted + " or Deno 2.9, and this is Node " + process.versions.node +
        ': install another. A clone brings its own with "npm ci"\n',
    );
    process.exit(1);
  }
  var child = spawn(node, [fileURLToPath(import.meta.url)].concat(process.argv.slice(2)), { stdio: "inherit" });
  ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"].forEach(function (signal) {
    process.on(signal, function () {
      // A terminal sends these to the child too, and a second one would cut its drain short.
      if (signal === "SIGTERM" || signal === "SIGUSR2" || !process.stdin.isTTY) child.kill(signal);
    });
  });
  child.on("exit", function (code, signal) {
    if (signal === null) process.exit(code);
    // As the first process of a container it survives its own signal
    process.exitCode = 1;
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
