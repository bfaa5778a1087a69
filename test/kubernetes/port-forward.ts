/** A local port that leads to a gateway of the cluster. */
import { spawn } from "node:child_process";
import { contextArgs, namespace } from "./cluster.ts";

const startMsMax = 30_000;

/** Resolves when it listens. */
export async function forwardGateway(): Promise<{ url: string; close(): void }> {
  const child = spawn("kubectl", [...contextArgs(), "-n", namespace, "port-forward", "service/gateway", ":8080"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  process.once("exit", () => child.kill());
  let printed = "";
  const port = await new Promise<string>((found, failed) => {
    const late = setTimeout(() => failed(new Error(`No port was forwarded within ${startMsMax} ms:\n${printed}`)), startMsMax);
    function read(chunk: unknown): void {
      printed += String(chunk);
      const [, local] = /127\.0\.0\.1:(\d+)/.exec(printed) ?? [];
      if (local === undefined) return;
      clearTimeout(late);
      found(local);
    }
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", () => failed(new Error(`kubectl port-forward ended:\n${printed}`)));
  });
  return { url: `http://127.0.0.1:${port}`, close: () => void child.kill() };
}
