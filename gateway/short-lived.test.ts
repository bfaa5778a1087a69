/** What a request takes of memory is gone with it, and does not wait for a collection of all there is. */
import { execFile } from "node:child_process";
import { env, execPath } from "node:process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("what belongs to a request is collected as soon as young objects are", async () => {
  // A process of its own: the flags are of the whole process
  const args = ["--expose-gc", "--no-allocation-site-pretenuring", "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(execPath, args, { env: { PATH: env.PATH }, timeout: scriptMsMax });
  expect(Number(stdout)).toBeLessThan(bytesARequestMax);
});

const scriptMsMax = 60_000;

/** One that stayed would take 4,000 and more. */
const bytesARequestMax = 1_000;

const script = `
  import { once } from "node:events";
  import { connect } from "node:net";
  import { getHeapSpaceStatistics } from "node:v8";
  import { openServer } from "${import.meta.dirname}/server.ts";
  import { systemClock } from "${import.meta.dirname}/../platform/clock.ts";
  import { silentLogger } from "${import.meta.dirname}/../platform/logger.ts";
  async function answer(request) {
    await request.readBody(1_000);
    return { status: 201, headers: [], body: "{}" };
  }
  const options = { host: "127.0.0.1", port: 0, leaveMs: 0, clock: systemClock, logger: silentLogger, newRequestId: () => "id", answer };
  const server = openServer(options);
  const { url } = await server.listen();
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  async function ask(count) {
    for (let n = 0; n < count; n += 1) {
      socket.write("POST / HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 2\\r\\n\\r\\n{}");
      await once(socket, "data");
      if (n % 50 !== 0) continue;
      gc({ type: "minor" });
      grown += Math.max(0, old() - last);
      last = old();
    }
  }
  const old = () => getHeapSpaceStatistics().find((space) => space.space_name === "old_space").space_used_size;
  let [grown, last] = [0, 0];
  await ask(2_000);
  grown = 0;
  await ask(2_000);
  console.log(grown / 2_000);
  socket.destroy();
  await server.close();
`;
