/** NATS whose credentials are wrong for a while, as while an operator changes them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startNats } from "../../test/servers/nats.ts";
import { describeWith } from "../../test/servers/require.ts";
import { silentLogger } from "../logger.ts";
import { connectJetStream } from "./jetstream-connection.ts";

await describeWith(["nats"], "connectJetStream() with credentials", () => {
  test("connects again however often the server refused them meanwhile", async () => {
    const server = await startNats({ accounts: 'authorization { token: "ours" }' });
    const config = join(server.folder, "nats.conf");
    async function restartWith(token: string): Promise<void> {
      writeFileSync(config, readFileSync(config, "utf8").replace(/token: "\w+"/, `token: "${token}"`));
      await server.restart();
    }
    const connection = await connectJetStream({ servers: [server.url], credentials: { token: "ours" }, logger: silentLogger });
    try {
      await restartWith("other");
      await expect.poll(() => server.output().split("authentication error").length, { timeout: 20_000 }).toBeGreaterThan(3);
      await restartWith("ours");
      await expect.poll(() => connection.up, { timeout: 20_000 }).toBe(true);
    } finally {
      await connection.close();
      await server.stop();
    }
  });
});
