/** Ends of connections that a process on Deno survives: without a GOAWAY. */
import { type ClientHttp2Session, connect } from "node:http2";
import { connect as connectSocket, createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
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

/** A way to the port on which what the caller sent can be read, and held up. */
async function standBetween(port: number) {
  const sent: Uint8Array[] = [];
  const ended = Promise.withResolvers<void>();
  const callers = new Set<Socket>();
  const between = createServer((socket: Socket) => {
    callers.add(socket);
    const onward = connectSocket(port, "127.0.0.1").on("error", () => {});
    socket.on("data", (chunk) => {
      sent.push(chunk as Uint8Array);
      onward.write(chunk as Uint8Array);
    });
    onward.pipe(socket);
    onward.on("close", () => socket.destroy());
    socket.on("close", () => {
      onward.destroy();
      ended.resolve();
    });
  });
  await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
  closing.push(() => between.close());
  return {
    url: `http://127.0.0.1:${(between.address() as { port: number }).port}`,
    sent,
    ended: ended.promise,
    hold: () => callers.forEach((socket) => socket.pause()),
    release: () => callers.forEach((socket) => socket.resume()),
  };
}

/** Quietly, as a process on Deno calls: it wants no GOAWAY. */
function callOn(session: ClientHttp2Session, quiet = true): Promise<string> {
  const stream = session.request({
    ":method": "POST",
    ":path": "/heddle.profile.v1.ProfileService/TrackUsers",
    "content-type": "application/json",
    "heddle-caller": "gateway",
    ...(quiet && { [noGoawayHeader]: "1" }),
  });
  let answer = "";
  stream.on("data", (chunk) => (answer += chunk));
  stream.end("{}");
  return new Promise((resolve, reject) => stream.once("end", () => resolve(answer)).once("error", reject));
}

test("a caller says no GOAWAY when it ends, so that a part on Deno lives on", async () => {
  const part = await servePart({ trackUsers: () => ({ position: "p" }) });
  closing.push(() => part.close(0));
  const between = await standBetween(part.port);
  const { client, close } = callPart([between.url]);
  expect(await client.trackUsers({})).toMatchObject({ position: "p" });
  close();
  await between.ended;
  const types = frameTypes(Buffer.concat(between.sent));
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
    const answered = callOn(session, quiet);
    await begun.promise;
    const closed = part.close();
    // The caller had its time to hear of it, and its call still lasts
    clock.advance(limits.rpcQuietEndMs);
    await new Promise(setImmediate);
    working.resolve();
    const [answer] = await Promise.all([answered, ended, closed]);
    // What was under way is finished either way
    expect(answer).toContain("finished");
    expect(heard.includes("goaway")).toBe(!quiet);
  });
}

async function quietCaller() {
  const clock = fakeClock();
  const part = await servePart({ trackUsers: () => ({ position: "p" }) }, { clock });
  closing.push(() => part.close(0));
  const between = await standBetween(part.port);
  const session = connect(between.url);
  const heard: unknown[] = [];
  session.on("error", (error) => heard.push(error));
  session.on("goaway", () => heard.push("goaway"));
  session.on("remoteSettings", ({ maxConcurrentStreams }) => heard.push(maxConcurrentStreams));
  expect(await callOn(session)).toContain("p");
  heard.length = 0;
  return { clock, part, between, session, heard };
}

test("a part that ends refuses a call that a quiet caller sent before it heard of the end, and does not cut it", async () => {
  const { part, between, session, heard } = await quietCaller();
  between.hold();
  const call = callOn(session);
  call.catch(() => {});
  const closed = part.close();
  await expect.poll(() => heard).toEqual([0]);
  between.release();
  // Which is certain not to have been looked at, and may go elsewhere
  await expect(call).rejects.toThrow("REFUSED_STREAM");
  // Its clock stands still: the caller's word ends the connection, and no time that has passed
  await closed;
  await between.ended;
  expect(heard).toEqual([0]);
});

test("a part that ends waits no longer than rpcQuietEndMs for the word of a quiet caller", async () => {
  const { clock, part, between } = await quietCaller();
  between.hold();
  const closed = part.close();
  clock.advance(limits.rpcQuietEndMs);
  await closed;
  await between.ended;
});
