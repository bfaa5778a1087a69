/** A server for tests of the client: answers each request with the next step of a plan, and fails in the ways networks and servers do. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { World } from "./client.ts";
import type { TrackBody } from "./gen/calls.ts";

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export type Step = (response: ServerResponse) => void;

export interface PlannedServer {
  readonly url: string;
  readonly seen: Seen[];
  /** What comes next. */
  steps: Step[];
  /** After the last step; takes everything unless set. */
  answer: (seen: Seen) => Step;
  close(): Promise<void>;
}

export async function startPlannedServer(): Promise<PlannedServer> {
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const planned: PlannedServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: [],
    steps: [],
    answer: () => json(201, { message: "success" }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const seen = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body };
    planned.seen.push(seen);
    const step = planned.steps.shift() ?? planned.answer(seen);
    step(response);
  }
  return planned;
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return (response) => response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

export function drop(response: ServerResponse): void {
  response.socket?.destroy();
}

/** Half of the answer, then nothing more. */
export function half(response: ServerResponse): void {
  response.writeHead(201, { "content-type": "application/json", "content-length": "1000" }).write('{"mess');
  setImmediate(() => response.socket?.destroy());
}

/** Nobody listens when it is first called. */
export function awayOnce(): World["fetch"] {
  const away = [new TypeError("fetch failed", { cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }) })];
  return (url, init) => {
    const error = away.pop();
    return error ? Promise.reject(error) : fetch(url, init);
  };
}

export function events(from: number, to: number): TrackBody {
  return {
    events: Array.from({ length: to - from }, (_, at) => ({ external_id: `u-${from + at}`, name: "e", time: "2026-01-01T00:00:00Z" })),
  };
}
