/** The typed client talks to a real server, from Node and from Deno with the net as its only permission. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { execPath } from "node:process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
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
