#!/usr/bin/env node
/** Runs a heddle command on Deno with exactly what it needs: `node cli/deno.mjs start`, for any data folder and address. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
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

/** Options of import, backup and restore whose value is the next word. */
const valued = new Set([
  "--workspace",
  "--data-dir",
  "--keep",
  "--url",
  "--key-file",
  "--key",
  "--format",
  "--type",
  "--map",
  "--delimiter",
  "--batch-size",
  "--concurrency",
  "--deadline",
  "--row-id",
  "--run",
]);
/** Commands that need no data folder, and start, which has one of its own. */
const anywhere = ["start", "import", "users", "capacity", "completion", "help"];
const args = process.argv.slice(2);
const command = args[0] ?? "";
const dataDir = resolve(option(["--data-dir"]) ?? (process.env.HEDDLE_DATA_DIR || "data"));
const granted = ["run", "--no-prompt", "--node-modules-dir=manual", ...grants(), join(project, "cli/heddle.mjs"), ...args];
if (args.length === 0) {
  process.stdout.write("Usage: node cli/deno.mjs <heddle command and its options>\n");
  process.exit(2);
}
if (isForMesh()) {
  process.stderr.write(
    `This works on a data folder, and HEDDLE_CASSANDRA_CONTACT_POINTS is set: name the folder with --data-dir, or run "heddle ${command}" ` +
      "on Node, or with what docs/mesh.md says of Deno, for the mesh\n",
  );
  process.exit(2);
}
const child = spawn(existsSync(ownDeno) ? ownDeno : "deno", granted, { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"]) {
  process.on(signal, () => {
    // A terminal sends the others to the child too, and a second one would cut its drain short.
    if (signal === "SIGTERM" || signal === "SIGUSR2" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("error", (error) => {
  process.stderr.write(`Deno cannot be started, install it ("npm install deno") first: ${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  // As the first process of a container it survives its own signal
  process.exitCode = 1;
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});

/** Of the mesh nothing is granted here, so that a command for it would find an empty data folder. */
function isForMesh() {
  if (!process.env.HEDDLE_CASSANDRA_CONTACT_POINTS || option(["--data-dir"]) !== undefined || option(["--ids"]) !== undefined) return false;
  return !anywhere.includes(command) && !command.startsWith("-") && !args.includes("--help") && !args.includes("-h");
}

/** Reading the project and the data, writing the data, one address, the named variables: nothing else. */
function grants() {
  const called = net();
  // The doctor says whether a folder could be made where there is none.
  const asked = command === "doctor" ? [dirname(dataDir)] : [];
  const written = [dataDir, ...besides(), ...asked];
  return [
    `--allow-read=${[project, ...(modules.startsWith(project) ? [] : [modules]), ...written, ...named()].join(",")}`,
    `--allow-write=${written.join(",")}`,
    ...(called ? [`--allow-net=${called}`] : []),
    `--allow-env=${variables.join(",")}`,
    "--ignore-env",
    `--allow-sys=hostname${command === "doctor" ? ",statfs,uid,gid" : ""}`,
  ];
}

/** Files that the command line names to be read, the folder of a backup, and certificates. */
function named() {
  const certificates = ["CA", "CERT", "KEY"].flatMap((end) => process.env[`HEDDLE_RPC_TLS_${end}`] || []);
  const mappings = args.flatMap((arg, at) =>
    arg === "--map" ? args[at + 1] ?? [] : arg.startsWith("--map=") ? arg.slice("--map=".length) : []
  );
  return [
    ...(command === "start" ? certificates : []),
    option(["--key-file"]),
    option(["--apply", "-f", "--file", "--ids"]),
    ...(command === "import" ? mappings.filter((mapping) => !mapping.includes("=")) : []),
    ...(command === "restore" ? operand().map(dirname) : []),
  ].flatMap((file) => file === undefined || file === "-" ? [] : resolve(file));
}

/** An import writes beside its file, a backup and an export beside their output or in the folder that is named. */
function besides() {
  const output = option(["-o", "--output"]);
  return [...(["import", "backup"].includes(command) ? operand() : []), ...(output ? [output] : [])].map(folderOf);
}

/** The first word that is no option and no option's value. */
function operand() {
  return args.filter((arg, at) => at > 0 && !arg.startsWith("-") && !valued.has(args[at - 1])).slice(0, 1);
}

function folderOf(path) {
  return resolve(statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path));
}

function net() {
  if (command === "start" || command === "doctor") {
    return [
      ...addresses(process.env.HEDDLE_HTTP_HOST || "127.0.0.1", process.env.HEDDLE_HTTP_PORT || 8080),
      ...seen(),
      ...(command === "doctor" ? served() : []),
    ].join(",");
  }
  const url = option(["--url"]) ?? (process.env.HEDDLE_URL || "http://127.0.0.1:8080");
  // What is no address is said by the command
  return ["import", "export", "users"].includes(command) && URL.canParse(url) ? new URL(url).host : undefined;
}

/** Deno asks for the name and for what it stands for. */
function addresses(host, port) {
  const hosts = host === "localhost" ? [host, "127.0.0.1", "[::1]"] : [host.includes(":") ? `[${host}]` : host];
  return hosts.map((name) => `${name}:${port}`);
}

/** Where the server that has the folder says that it listens: the doctor asks it. */
function served() {
  try {
    return [
      new URL(JSON.parse(readFileSync(join(dataDir, "heddle.running"), "utf8")).url).host.replace("0.0.0.0:", "127.0.0.1:").replace(
        "[::]:",
        "[::1]:",
      ),
    ];
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
    ...(rpc ? addresses(process.env.HEDDLE_RPC_HOST || "127.0.0.1", rpc) : []),
    ...(port ? addresses(process.env.HEDDLE_METRICS_HOST || "127.0.0.1", port) : []),
    ...(collector && URL.canParse(collector) ? [new URL(collector).host] : []).filter((host) => host !== ""),
  ];
}

function option(names) {
  const at = args.findIndex((arg) => names.includes(arg));
  const joined = args.find((arg) => names.some((name) => arg.startsWith(`${name}=`)));
  return joined === undefined ? (at === -1 ? undefined : args[at + 1]) : joined.slice(joined.indexOf("=") + 1);
}
