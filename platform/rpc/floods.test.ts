/** Floods of HTTP/2 frames: the connection ends, memory stays, and others are served meanwhile. */
import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { callPart, servePart } from "./part.fixture.ts";
import type { RpcServer } from "./server.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const frames = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, windowUpdate: 8, continuation: 9 } as const;
const flags = { none: 0, endStream: 1, endHeaders: 4 } as const;
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

function frame(type: number, flag: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flag, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** HPACK without a table: ":method: POST", ":scheme: http", a path and an authority as literals, and more. */
function headerBlock(path: string, more: readonly [string, string][] = []): Buffer {
  const literals = [[0x04, path], [0x01, "x"]] as const;
  const known = literals.map(([index, value]) => Buffer.concat([Buffer.from([index]), text(value)]));
  return Buffer.concat([
    Buffer.from([0x83, 0x86]),
    ...known,
    ...more.map(([name, value]) => Buffer.concat([Buffer.from([0]), text(name), text(value)])),
  ]);
}

function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
}

const path = "/heddle.profile.v1.ProfileService/TrackUsers";
const call = headerBlock(path, [["content-type", "application/proto"], ["heddle-caller", "gateway"]]);

interface Flood {
  /** What is sent again and again, up to `count` times. */
  piece(at: number): Buffer;
  readonly count: number;
  readonly opening?: Buffer;
}

const floods: Record<string, Flood> = {
  "streams that are reset at once": {
    piece: (at) =>
      Buffer.concat([
        frame(frames.headers, flags.endHeaders, at * 2 + 1, call),
        frame(frames.reset, flags.none, at * 2 + 1, Buffer.from([0, 0, 0, 8])),
      ]),
    count: 50_000,
  },
  "headers that never end": {
    opening: frame(frames.headers, flags.none, 1, call),
    piece: () => frame(frames.continuation, flags.none, 1, Buffer.concat([Buffer.from([0]), text("x-filler"), text("y".repeat(100))])),
    count: 50_000,
  },
  "windows that overflow": {
    opening: frame(frames.headers, flags.endHeaders, 1, call),
    piece: () => frame(frames.windowUpdate, flags.none, 0, Buffer.from([0x7f, 0xff, 0xff, 0xff])),
    count: 1_000,
  },
  "settings that nobody waits for": {
    piece: () => frame(frames.settings, flags.none, 0, Buffer.from([0, 3, 0, 0, 0, 100])),
    count: 200_000,
  },
  "pings whose answers nobody reads": { piece: () => frame(frames.ping, flags.none, 0, Buffer.alloc(8)), count: 200_000 },
  "more streams than it may open": { piece: (at) => frame(frames.headers, flags.endHeaders, at * 2 + 1, call), count: 50_000 },
};

async function flood(server: RpcServer, { opening, piece, count }: Flood): Promise<Socket> {
  const socket = connect(server.port, "127.0.0.1");
  closing.push(() => socket.destroy());
  socket.on("error", () => {});
  // The reader sleeps: what is answered piles up at the other side, or is not made at all
  socket.pause();
  socket.write(preface);
  socket.write(frame(frames.settings, flags.none, 0));
  if (opening) socket.write(opening);
  const batch = 500;
  for (let at = 0; at < count && !socket.destroyed; at += batch) {
    const sent = socket.write(Buffer.concat(Array.from({ length: batch }, (_, more) => piece(at + more))));
    await (sent ? new Promise(setImmediate) : drained(socket));
  }
  return socket;
}

/** Room to write again, or the end, or a reader that has stopped reading us. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const stuck = setTimeout(resolve, 200);
    for (const event of ["drain", "close", "error"]) {
      socket.once(event, () => {
        clearTimeout(stuck);
        resolve();
      });
    }
  });
}

for (const [name, attack] of Object.entries(floods)) {
  test(`serveRpc() ${name} end their connection, cost bounded memory, and others are served`, { timeout: 60_000 }, async () => {
    let begun = 0;
    const server = await servePart({ trackUsers: () => ({ position: String(begun += 1) }) });
    closing.push(() => server.close(0));
    const { client, close } = callPart([server.url]);
    closing.push(close);
    await client.trackUsers({});
    const before = process.memoryUsage().rss;
    const flooding = flood(server, attack);
    for (let at = 0; at < 5; at += 1) await client.trackUsers({});
    const socket = await flooding;
    await client.trackUsers({});
    socket.resume();
    if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
    expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(300);
  });
}
