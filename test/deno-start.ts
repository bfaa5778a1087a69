/** How Deno starts the server: exactly the permissions of the start task in deno.json, with the data folder of the test. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Never `-A`: a permission that the task does not grant is missing in the tests too. It grants the one address that it listens on; a test
 * has its own, and those of the RPCs, the metrics and the collector that it asks for.
 */
export function denoStart({ repository, dataDir, rest, env = {} }: DenoStart): { program: string; args: string[] } {
  const words = startTask(repository).split(/\s+/);
  const flags = words.filter((word) => word.startsWith("-")).map((flag) => flag.replace(/(?<=[=,])(\.\/)?data(?=,|$)/, dataDir))
    .map((flag) => flag === "--allow-net=127.0.0.1:8080" ? `--allow-net=${addressesOf(env).join()}` : flag);
  if (flags.some((flag) => flag === "-A" || flag === "--allow-all")) throw new Error("The start task in deno.json grants everything");
  // A declaration may lie anywhere; who starts Deno by hand grants it too
  const declared = rest.includes("--apply") ? [`--allow-read=${rest[rest.indexOf("--apply") + 1]}`] : [];
  const entry = words.find((word) => /[.](mjs|ts)$/.test(word)) ?? "";
  return { program: "deno", args: ["run", ...flags, ...declared, join(repository, entry), ...rest] };
}

function addressesOf(env: Readonly<Record<string, string>>): string[] {
  const [collector, ...ports] = ["OTEL_EXPORTER_OTLP_ENDPOINT", "HEDDLE_HTTP_PORT", "HEDDLE_RPC_PORT", "HEDDLE_METRICS_PORT"].map((name) =>
    env[name]
  );
  const own = [...ports.filter((port) => port !== undefined), "8080"].map((port) => `127.0.0.1:${port}`);
  return [...own, ...(collector === undefined ? [] : [new URL(collector).host])];
}

function startTask(repository: string): string {
  const config: { tasks?: Record<string, string | { command: string }> } = JSON.parse(readFileSync(join(repository, "deno.json"), "utf8"));
  const task = config.tasks?.start;
  const command = typeof task === "object" ? task.command : task;
  // By its path: of the bare name, deno task would run the npm package's binary as a script
  if (!command?.startsWith("./node_modules/.bin/deno run ")) throw new Error(`The start task in deno.json is no "deno run": ${command}`);
  return command;
}

interface DenoStart {
  readonly repository: string;
  readonly dataDir: string;
  readonly rest: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}
