/** heddle export --ids from a pipe that does not wait for its writer, as one from a cluster's exec is. */
import fs from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { exportUsers } from "./export.ts";

test("ids that come later than they are looked for are exported, all of them", async () => {
  const ids = Array.from({ length: 60 }, (_, at) => `user-${at}`);
  pipeOf([ids.slice(0, 40), ids.slice(40)].map((some) => some.map((id) => `${id}\n`).join("")));
  const asked: unknown[] = [];
  const url = await serve((body) => asked.push(...body.external_ids));
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, "write").mockImplementation(written);
  onTestFinished(() => void vi.restoreAllMocks());
  expect(await exportUsers({ ids: "-", url, key: "a-key-of-the-test", quiet: true, env: {} })).toBe(0);
  expect(asked).toEqual(ids);
});

/** Standard input whose reader is told before each piece that there is nothing yet. */
function pipeOf(pieces: readonly string[]): void {
  const left = pieces.flatMap((piece) => [undefined, piece]);
  const { readFileSync } = fs;
  function nothingYet(): Error {
    return Object.assign(new Error("EAGAIN: resource temporarily unavailable, read"), { code: "EAGAIN" });
  }
  vi.spyOn(fs, "readSync").mockImplementation((_handle: number, into: NodeJS.ArrayBufferView) => {
    if (left.length === 0) return 0;
    const piece = left.shift();
    if (piece === undefined) throw nothingYet();
    return Buffer.from(into.buffer, into.byteOffset).write(piece);
  });
  vi.spyOn(fs, "readFileSync").mockImplementation(
    ((...given: Parameters<typeof readFileSync>) => {
      if (given[0] === 0) throw nothingYet();
      return readFileSync(...given);
    }) as typeof readFileSync,
  );
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
}

/** As the stream says it: the callback is the last argument. */
function written(...given: readonly unknown[]): boolean {
  const done = given.at(-1);
  if (typeof done === "function") done();
  return true;
}

async function serve(took: (body: { readonly external_ids: readonly string[] }) => void): Promise<string> {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    took(JSON.parse(Buffer.concat(chunks).toString()) as { external_ids: string[] });
    response.writeHead(201, { "content-type": "application/json" }).end('{"users":[]}');
  }
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
