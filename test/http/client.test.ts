/** The typed client talks to a real server, from Node and from Deno with the net as its only permission. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { execPath } from "node:process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
// Not by index.ts, whose "./heddle.ts" stands for another file where a mesh runs already
import { Heddle } from "../../client/heddle.ts";
import type { Loss } from "../../client/queue.ts";
import { limits } from "../../platform/limits.ts";
import { repository } from "../heddle.ts";
import { fresh, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const run = promisify(execFile);

test.each(["node", "deno"])(
  "the client writes once, sends what is enqueued, reads its writes, and tells why it was refused, on %s",
  async (runtime) => {
    const { url, key } = heddle.heddle;
    const script = [join(repository, "test/client-script.ts"), url, key, fresh()];
    const [program, args] = runtime === "node"
      ? [execPath, script]
      : ["deno", ["run", "--no-prompt", "--no-config", `--allow-net=${new URL(url).host}`, ...script]];
    const { stdout } = await run(program, args, { env: { PATH: process.env["PATH"], HOME: process.env["HOME"], NO_COLOR: "1" } });
    expect(JSON.parse(stdout)).toEqual({
      written: { attributes_processed: 1, message: "success" },
      replayed: true,
      users: [{ custom_attributes: { likes_tea: true, cups: 2 } }],
      refused: "401 KEY_INVALID",
    });
  },
);

test("of sixty objects and one that is nested too deep the queue loses that one", async () => {
  const losses: Loss[] = [];
  const { url, key } = heddle.heddle;
  const client = new Heddle({ url, key, queue: { onLoss: (loss) => losses.push(loss) } });
  const ids = Array.from({ length: 60 }, () => fresh());
  const deep = JSON.parse('{"a":'.repeat(limits.jsonDepthMax) + "1" + "}".repeat(limits.jsonDepthMax)) as object;
  client.enqueue({ attributes: ids.map((external_id) => ({ external_id })) });
  client.enqueue({ attributes: [{ external_id: fresh(), deep }] });
  await client.flush();
  expect(losses).toMatchObject([{ reason: "refused", objects: [{ object: { deep } }], error: { reason: "BODY_TOO_DEEP" } }]);
  const { users } = await client.exportUsers({ external_ids: ids.slice(0, 50), fields_to_export: ["external_id"] });
  const more = await client.exportUsers({ external_ids: ids.slice(50), fields_to_export: ["external_id"] });
  expect([...users ?? [], ...more.users ?? []]).toHaveLength(60);
});
