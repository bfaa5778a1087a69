/** A part that waits for its servers: it says for which, and ends when it is asked to. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { expect, onTestFinished, test } from "vitest";

const entry = join(import.meta.dirname, "../heddle.mjs");
/** Where no server listens. */
const nowhere = "127.0.0.1:9";
const settings = {
  HEDDLE_NATS_URL: `nats://${nowhere}`,
  HEDDLE_CASSANDRA_CONTACT_POINTS: nowhere,
  HEDDLE_CASSANDRA_DATACENTER: "datacenter1",
  HEDDLE_REDIS_URL: `redis://${nowhere}`,
  ...Object.fromEntries(
    ["PROFILE", "SUBSCRIPTION", "MESSAGING_STATUS", "SCIM", "CONTENT"].map((part) => [`HEDDLE_${part}_URL`, `http://${nowhere}`]),
  ),
};

test("heddle migrate ends by itself at SIGTERM: the kernel would keep it from the first process of a container", async () => {
  const { child, ended, printed } = started(["migrate", "--wait", "600"]);
  await expect.poll(printed).toContain("Waiting: ");
  child.kill("SIGTERM");
  expect(await ended).toBe(143);
});

for (const part of ["gateway", "profile", "content"]) {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    test(`heddle serve ${part} names the server it waits for, and ends with 0 at ${signal}`, async () => {
      const { child, ended, printed } = started(["serve", part]);
      await expect.poll(printed).toContain('"event":"waiting"');
      const line = printed().split("\n").find((one) => one.includes('"waiting"')) ?? "";
      const { message, cause } = JSON.parse(line) as { message: string; cause: string };
      expect(message).toBe("Cassandra (HEDDLE_CASSANDRA_CONTACT_POINTS): The store cannot be reached");
      expect(cause).toContain(nowhere);
      child.kill(signal);
      expect(await ended).toBe(0);
      expect(printed()).toContain('"event":"stopped"');
      expect(printed()).not.toContain("start_failed");
    });
  }
}

function started(args: readonly string[]) {
  const child = spawn(execPath, [entry, ...args], { env: { PATH: env.PATH, HOME: env.HOME, ...settings } });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => text += String(chunk));
  /** The exit code; null after a signal. */
  const ended = new Promise<number | null>((done) => child.once("close", done));
  return { child, ended, printed: () => text };
}
