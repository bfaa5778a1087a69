/** How the black-box suite runs `heddle` commands: in a gateway of the cluster; here where this process has the settings of a mesh, or the command is a client. */
import { resolve } from "node:path";
import { env, execPath } from "node:process";
import { contextArgs, namespace } from "../cluster.ts";

const entry = resolve(import.meta.dirname, "../../../cli/heddle.mjs");

/** With HEDDLE_CASSANDRA_CONTACT_POINTS the mesh is not on a cluster: `npm run mesh` prints its settings. */
export const isHere = env.HEDDLE_CASSANDRA_CONTACT_POINTS !== undefined;

/** `variables` are added to the settings of the mesh. */
export function meshCommand(words: readonly string[], variables: Readonly<Record<string, string>> = {}): Program {
  // A client needs no settings of the mesh, and files of this machine; `heddle consent link` is none, though it takes an address
  const isClient = words.includes("--url") && words[0] !== "consent";
  if (isHere || isClient) return { program: execPath, args: [entry, ...words], env: { ...env, ...variables } };
  const changed = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const command = changed.length === 0 ? ["heddle"] : ["env", ...changed, "heddle"];
  return {
    program: "kubectl",
    args: [...contextArgs(), "-n", namespace, "exec", "-i", "deploy/gateway", "--", ...command, ...words],
    env,
  };
}

export interface Program {
  readonly program: string;
  readonly args: string[];
  readonly env: NodeJS.ProcessEnv;
}
