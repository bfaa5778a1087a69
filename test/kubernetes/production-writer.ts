/** A client that writes one user after another, in a gateway's container of the production overlay, each until it is taken. */
import { kubectl } from "./cluster.ts";
import { exported, inProduction, production } from "./production-place.ts";

export interface Written {
  readonly written: number;
  /** Of each attempt that was not taken, the status and the reason. */
  readonly refused: readonly string[];
  readonly longestPauseMs: number;
  /** How many were written when an attempt was refused for the last time. */
  readonly pausedAt: number;
}

export async function startWriter(key: string): Promise<{ stop(): Promise<Written> }> {
  const script = `import { existsSync } from "node:fs";
    const headers = { authorization: "Bearer ${key}", "content-type": "application/json" };
    const refused = [];
    let [written, pausedAt, longestPauseMs, takenAt] = [0, 0, 0, performance.now()];
    while (!existsSync("/tmp/stop")) {
      const body = JSON.stringify({ attributes: [{ external_id: "written-" + written }] });
      const answer = await fetch("http://127.0.0.1:8080/users/track", { method: "POST", headers, body });
      await answer.text();
      if (answer.status === 201) {
        written += 1;
        longestPauseMs = Math.max(longestPauseMs, performance.now() - takenAt);
        takenAt = performance.now();
      } else {
        refused.push(answer.status + " " + answer.headers.get("x-heddle-reason"));
        pausedAt = written;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    console.log(JSON.stringify({ written, refused, longestPauseMs, pausedAt }));`;
  const [pod = ""] = (await inProduction("get", "pods", "-l", "app.kubernetes.io/name=gateway", "-o", "name")).split("\n");
  const exec = ["-n", production, "exec", pod, "--"];
  const ended = kubectl([...exec, "node", "--input-type=module", "-e", script], { timeoutMs: 3_600_000 });
  return {
    async stop() {
      await kubectl([...exec, "touch", "/tmp/stop"]);
      return JSON.parse(await ended) as Written;
    },
  };
}

/** Whether the last user who was written before the pause is there, and whether the first after it is. */
export async function writtenAround(key: string, pausedAt: number): Promise<{ before: boolean; after: boolean }> {
  const names = [pausedAt - 1, pausedAt].map((number) => `written-${number}`);
  const found = await exported(key, { external_ids: names, fields_to_export: ["external_id"] });
  const [before, after] = names.map((name) => found.some((user) => user["external_id"] === name));
  return { before: before === true, after: after === true };
}
