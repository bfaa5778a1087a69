/** Bodies in pieces of any size: whole again, and no dearer to hold for being cut small. */
import { execFile } from "node:child_process";
import { env, execPath } from "node:process";
import { promisify } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BodyPieces } from "./body-pieces.ts";

test("BodyPieces joins what it was given, in order", () => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 900, max: 10_000 })), { maxLength: 50, size: "max" });
  fc.assert(fc.property(sizes, (lengths) => {
    const given = lengths.map((length, at) => Buffer.alloc(length, at));
    const pieces = new BodyPieces();
    for (const piece of given) pieces.add(piece);
    expect(Buffer.compare(pieces.joined(), Buffer.concat(given))).toBe(0);
  }));
});

test("BodyPieces does not copy a body that comes in one piece", () => {
  const body = Buffer.from("{}");
  const pieces = new BodyPieces();
  pieces.add(body);
  expect(pieces.joined()).toBe(body);
});

test("openServer() holds a body that comes a byte at a time in little more than its bytes", async () => {
  // A process of its own: the flag is of the whole process
  const args = ["--expose-gc", "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(execPath, args, { env: { PATH: env.PATH }, timeout: scriptMsMax });
  expect(Number(stdout)).toBeLessThan(bytesAByteMax);
});

const scriptMsMax = 60_000;

/** The body itself is there twice: in pieces, and whole. */
const bytesAByteMax = 8;

const script = `
  import { once } from "node:events";
  import { connect } from "node:net";
  import { openServer } from "${import.meta.dirname}/../server.ts";
  import { systemClock } from "${import.meta.dirname}/../../platform/clock.ts";
  import { silentLogger } from "${import.meta.dirname}/../../platform/logger.ts";
  function held() {
    gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }
  async function answer(request) {
    const before = held();
    const body = await request.readBody(chunks);
    console.log((held() - before) / body.length);
    return { status: 201, headers: [], body: "{}" };
  }
  const chunks = 200_000;
  const options = { host: "127.0.0.1", port: 0, leaveMs: 0, clock: systemClock, logger: silentLogger, newRequestId: () => "id", answer };
  const server = openServer(options);
  const { url } = await server.listen();
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write("POST / HTTP/1.1\\r\\nHost: a\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n" + "1\\r\\na\\r\\n".repeat(chunks) + "0\\r\\n\\r\\n");
  await once(socket, "data");
  socket.destroy();
  await server.close();
`;
