/** A small server that an import talks to in tests, and the import called as the command line calls it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";

import { importFile, type ImportOptions } from "./import.ts";

interface Sent {
  readonly key: string;
  readonly body: Readonly<Record<string, readonly Record<string, unknown>[]>>;
}

interface Answering {
  json(status: number, body: unknown, headers?: Record<string, string>): void;
  drop(): void;
}

export interface Target {
  readonly url: string;
  /** Bodies the server took, once for each key, in the order they came. */
  readonly taken: Map<string, Sent["body"]>;
  readonly requests: Sent[];
  /** How it answers; `accept` unless a test sets it. */
  behave: (sent: Sent, answer: Answering) => void;
  /** What Heddle does: takes each key once and repeats its answer. */
  accept(sent: Sent, answer: Answering): void;
  /** What the command printed, on both streams. */
  printed(): string;
  write(name: string, content: string | Uint8Array): string;
  run(file: string, options?: Partial<ImportOptions>): Promise<number>;
  close(): Promise<void>;
}

export async function openTarget(): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-import-"));
  let printed = "";
  function note(text: string | Uint8Array): boolean {
    printed += String(text);
    return true;
  }
  vi.spyOn(process.stdout, "write").mockImplementation(note);
  vi.spyOn(process.stderr, "write").mockImplementation(note);
  const server = createServer((request, response) => void serve(target, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const target: Target = {
    url,
    taken: new Map(),
    requests: [],
    behave: (sent, answer) => target.accept(sent, answer),
    accept(sent, answer) {
      target.taken.set(sent.key, sent.body);
      answer.json(201, { message: "success" });
    },
    printed: () => printed,
    write(name, content) {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
    run: (file, options = {}) =>
      importFile(file, {
        map: [],
        delimiter: ",",
        batchSize: 75,
        concurrency: 1,
        deadline: 20,
        env: {},
        url,
        key: "a-key-of-the-test",
        ...options,
      }),
    async close() {
      vi.restoreAllMocks();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
    },
  };
  return target;
}

async function serve(target: Target, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString()) as Sent["body"];
  const sent = { key: String(request.headers["idempotency-key"]), body };
  target.requests.push(sent);
  target.behave(sent, {
    json: (status, answer, headers = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(answer)),
    drop: () => request.socket.destroy(),
  });
}
