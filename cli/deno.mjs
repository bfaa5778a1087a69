#!/usr/bin/env node
/** Runs a heddle command on Deno with exactly what it needs: `node cli/deno.mjs start`, for any data folder and address. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("..", import.meta.url));
/** The folder in which Deno looks for packages: that of the clone, or the one that Heddle is installed in. */
const modules = join(project, "..").endsWith("node_modules") ? join(project, "..") : join(project, "node_modules");
const ownDeno = join(modules, ".bin/deno");
const variables = [
  "HEDDLE_HTTP_HOST",
  "HEDDLE_HTTP_PORT",
  "HEDDLE_DATA_DIR",
  "HEDDLE_LOG_LEVEL",
  "HEDDLE_TRUSTED_PROXIES",
  "HEDDLE_UNDO_WINDOW",
  "HEDDLE_PUBLIC_URL",
  "HEDDLE_HTTP_HOSTS",
  "HEDDLE_PAGES_URL",
  "HEDDLE_PREFERENCE_LINK_LIFE",
  "HEDDLE_LEAVE_SECONDS",
  "HEDDLE_URL",
  "HEDDLE_KEY",
  "HEDDLE_API_KEY",
  "HEDDLE_METRICS_HOST",
  "HEDDLE_METRICS_PORT",
  "HEDDLE_RPC_HOST",
  "HEDDLE_RPC_PORT",
  "HEDDLE_RPC_CALLERS",
  "HEDDLE_RPC_REFLECTION",
  "HEDDLE_RPC_INSECURE",
  "HEDDLE_INTERNAL_HOSTS",
  "HEDDLE_RPC_TLS_CA",
  "HEDDLE_RPC_TLS_CERT",
  "HEDDLE_RPC_TLS_KEY",
  "OTEL_SDK_DISABLED",
  "OTEL_TRACES_EXPORTER",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
  "OTEL_SERVICE_NAME",
  "OTEL_TRACES_SAMPLER",
  "OTEL_TRACES_SAMPLER_ARG",
];

/** Options of backup and restore whose value is the next word. */
const valued = new Set(["--workspace", "--data-dir"]);
const args = process.argv.slice(2);
const command = args[0] ?? "";
const dataDir = resolve(option(["--data-dir"]) ?? process.env.HEDDLE_DATA_DIR ?? "data");
const granted = ["run", "--no-prompt", "--node-modules-dir=manual", ...grants(), join(project, "cli/heddle.mjs"), ...args];
if (args.length === 0) {
  process.stdout.write("Usage: node cli/deno.mjs <heddle command and its options>\n");
  process.exit(2);
}
const child = spawn(existsSync(ownDeno) ? ownDeno : "deno", granted, { stdio: "inherit" });
process.on("SIGTERM", () => child.kill("SIGTERM"));
// A terminal sends this one to the child too, and a second one would cut its drain short.
process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
child.on("error", (error) => {
  process.stderr.write(`Deno cannot be started, install it ("npm install deno") first: ${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code) => process.exit(code ?? 1));

/** Reading the project and the data, writing the data, one address, the named variables: nothing else. */
function grants() {
  const files = named();
  const address = net();
  // The doctor says whether a folder could be made where there is none.
  const asked = command === "doctor" ? [dirname(dataDir)] : [];
  return [
    `--allow-read=${[project, ...(modules.startsWith(project) ? [] : [modules]), dataDir, ...files, ...asked].join(",")}`,
    `--allow-write=${[dataDir, ...files, ...asked].join(",")}`,
    ...(address ? [`--allow-net=${address}`] : []),
    `--allow-env=${variables.join(",")}`,
    "--ignore-env",
    `--allow-sys=hostname${command === "doctor" ? ",statfs,uid,gid" : ""}`,
  ];
}

/** Files that the command line names, and certificates; an import writes beside its file, an export beside its output. */
function named() {
  const declared = option(["--apply", "-f", "--file", "--ids"]);
  const output = option(["-o", "--output"]);
  const imported = ["import", "backup", "restore"].includes(command)
    ? args.filter((arg, at) => at > 0 && !arg.startsWith("-") && !valued.has(args[at - 1])).slice(0, 1)
    : [];
  const keyFile = option(["--key-file"]);
  const certificates = ["CA", "CERT", "KEY"].flatMap((end) => process.env[`HEDDLE_RPC_TLS_${end}`] || []);
  return [
    ...(command === "start" ? certificates.map((file) => resolve(file)) : []),
    ...(keyFile && keyFile !== "-" ? [resolve(keyFile)] : []),
    ...(declared && declared !== "-" ? [resolve(declared)] : []),
    ...[...imported, ...(output ? [output] : [])].map((file) => dirname(resolve(file))),
  ];
}

function net() {
  if (command === "start" || command === "doctor") {
    return [
      `${process.env.HEDDLE_HTTP_HOST || "127.0.0.1"}:${process.env.HEDDLE_HTTP_PORT || 8080}`,
      ...seen(),
      ...(command === "doctor" ? served() : []),
    ].join(",");
  }
  const url = option(["--url"]) ?? process.env.HEDDLE_URL ?? "http://127.0.0.1:8080";
  return ["import", "export", "users"].includes(command) ? new URL(url).host : undefined;
}

/** Where the server that has the folder says that it listens: the doctor asks it. */
function served() {
  try {
    return [new URL(JSON.parse(readFileSync(join(dataDir, "heddle.running"), "utf8")).url).host.replace("0.0.0.0:", "127.0.0.1:")];
  } catch {
    return [];
  }
}

/** The ports of RPCs and of the metrics, and the collector of traces, where they are asked for. */
function seen() {
  const port = process.env.HEDDLE_METRICS_PORT;
  const rpc = process.env.HEDDLE_RPC_PORT;
  const collector = process.env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return [
    ...(rpc ? [`${process.env.HEDDLE_RPC_HOST || "127.0.0.1"}:${rpc}`] : []),
    ...(port ? [`${process.env.HEDDLE_METRICS_HOST || "127.0.0.1"}:${port}`] : []),
    ...(collector && URL.canParse(collector) ? [new URL(collector).host] : []),
  ];
}

function option(names) {
  const at = args.findIndex((arg) => names.includes(arg));
  const joined = args.find((arg) => names.some((name) => arg.startsWith(`${name}=`)));
  return joined === undefined ? (at === -1 ? undefined : args[at + 1]) : joined.slice(joined.indexOf("=") + 1);
}
