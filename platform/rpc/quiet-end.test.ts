/** Ends of connections that a process on Deno survives: without a GOAWAY. */
import { connect } from "node:http2";
import { connect as connectSocket, createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { fakeClock } from "../clock.ts";
import { limits } from "../limits.ts";
import { callPart, type Implementation, servePart } from "./part.fixture.ts";
import { noGoawayHeader } from "./quiet-end.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const goaway = 7;
const prefaceBytes = 24;
const frameHeaderBytes = 9;

/** The types of the HTTP/2 frames in what a caller sent. */
function frameTypes(sent: Uint8Array): number[] {
  const types: number[] = [];
  const view = new DataView(sent.buffer, sent.byteOffset, sent.byteLength);
  for (let at = prefaceBytes; at + frameHeaderBytes <= sent.length;) {
    types.push(view.getUint8(at + 3));
    at += frameHeaderBytes + (view.getUint32(at) >>> 8);
  }
  return types;
}

test("a caller says no GOAWAY when it ends, so that a part on Deno lives on", async () => {
  const part = await servePart({ trackUsers: () => ({ position: "p" }) });
  closing.push(() => part.close(0));
  const sent: Uint8Array[] = [];
  const ended = Promise.withResolvers<void>();
  const between = createServer((socket: Socket) => {
    const onward = connectSocket(part.port, "127.0.0.1").on("error", () => {});
    socket.on("data", (chunk) => sent.push(chunk as Uint8Array));
    socket.pipe(onward).pipe(socket);
    socket.on("close", () => {
      onward.destroy();
      ended.resolve();
    });
  });
  await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
  closing.push(() => between.close());
  const { client, close } = callPart([`http://127.0.0.1:${(between.address() as { port: number }).port}`]);
  expect(await client.trackUsers({})).toMatchObject({ position: "p" });
  close();
  await ended.promise;
  const types = frameTypes(Buffer.concat(sent));
  expect(types.length).toBeGreaterThan(2);
  expect(types).not.toContain(goaway);
});

for (const quiet of [true, false]) {
  test(`a part that ends says ${quiet ? "no" : "a"} GOAWAY to a caller that ${quiet ? "wants none" : "says nothing of it"}`, async () => {
    const working = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const clock = fakeClock();
    const implementation: Implementation = {
      async trackUsers() {
        begun.resolve();
        await working.promise;
        return { position: "finished" };
      },
    };
    const part = await servePart(implementation, { clock });
    closing.push(() => part.close(0));
    const session = connect(part.url);
    const heard: string[] = [];
    session.on("goaway", () => heard.push("goaway"));
    const ended = new Promise<void>((resolve) => session.once("close", resolve));
    const stream = session.request({
      ":method": "POST",
      ":path": "/heddle.profile.v1.ProfileService/TrackUsers",
      "content-type": "application/json",
      "heddle-caller": "gateway",
      ...(quiet && { [noGoawayHeader]: "1" }),
    });
    let answer = "";
    stream.on("data", (chunk) => (answer += chunk));
    const answered = new Promise<void>((resolve) => stream.once("close", resolve));
    stream.end("{}");
    await begun.promise;
    const closed = part.close();
    // The caller had its time to hear of it, and its call still lasts
    clock.advance(limits.rpcQuietEndMs);
    await new Promise(setImmediate);
    working.resolve();
    await Promise.all([answered, ended, closed]);
    // What was under way is finished either way
    expect(answer).toContain("finished");
    expect(heard.includes("goaway")).toBe(!quiet);
  });
}
