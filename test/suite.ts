/** One server for a test file, with the calls that most tests make. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect } from "vitest";
import type { Answer, CallOptions, ExportedUser, ObjectVerdict } from "./client.ts";
import { startHeddle } from "./heddle.ts";
import type { Heddle, StartOptions } from "./heddle.ts";

/** Starts a server before the file's tests and stops it after them; it must then end with exit code 0. */
export function heddleSuite(options: StartOptions = {}): Suite {
  const heddle = serverOfFile(options);
  let position = "";

  function behindWrites(call: CallOptions = {}): CallOptions {
    return { ...call, headers: { ...(position === "" ? {} : { "x-heddle-position": position }), ...call.headers } };
  }
  async function post(path: string, body: unknown, call?: CallOptions): Promise<Answer> {
    const answer = await heddle().request("POST", path, body, behindWrites(call));
    position = answer.headers.get("x-heddle-position") ?? position;
    return answer;
  }
  async function accept(path: string, body: unknown): Promise<Answer> {
    const answer = await post(path, body);
    expect(answer.body, `POST ${path}`).toMatchObject({ message: "success" });
    return answer;
  }
  async function find(selector: object): Promise<ExportedUser[]> {
    const answer = await post("/users/export/ids", selector);
    expect(answer.status, answer.text).toBe(201);
    return [...answer.body.users ?? []];
  }
  return {
    get heddle() {
      return heddle();
    },
    request: (method, path, body, call) => heddle().request(method, path, body, call),
    get: (path, call) => heddle().request("GET", path, undefined, behindWrites(call)),
    post,
    accept,
    merge: async (source, target) => {
      const update = { identifier_to_merge: { external_id: source }, identifier_to_keep: { external_id: target } };
      const { status, body } = await accept("/users/merge", { merge_updates: [update] });
      expect(status).toBe(202);
      return body.job_id ?? "";
    },
    track: (body) => accept("/users/track", body),
    verdict: async (array, object) => {
      const answer = await post("/users/track", { [array]: [object] });
      expect(answer.status, `${JSON.stringify(object)}: ${answer.text}`).toBe(400);
      expect(answer.body.errors?.[0]).toMatchObject({ input_array: array, index: 0 });
      return answer.body.errors?.[0] ?? { type: "", input_array: "", index: -1 };
    },
    find,
    user: async (externalId) => {
      const [user] = await find({ external_ids: [externalId] });
      if (!user) throw new Error(`There is no user "${externalId}"`);
      return user;
    },
  };
}

function serverOfFile(options: StartOptions): () => Heddle {
  let server: Heddle | undefined;
  beforeAll(async () => {
    server = await startHeddle(options);
  });
  afterAll(async () => {
    const output = server?.output() ?? "";
    expect(await server?.close(), `exit code of the server, which printed:\n${output}`).toBe(0);
  });
  return () => {
    if (!server) throw new Error("The server of this suite did not start");
    return server;
  };
}

/** A name that no other test uses. */
export function fresh(word = "user"): string {
  return `${word}-${randomUUID()}`;
}

export function freshEmail(): string {
  return `${randomUUID()}@example.com`;
}

let nextNumber = Math.floor(Math.random() * 8_000_000);
/** A valid German mobile number in E.164 form. */
export function freshPhone(): string {
  nextNumber = (nextNumber + 1) % 10_000_000;
  return `+49151${String(10_000_000 + nextNumber)}`;
}

/** The instant of a time in an export, in Unix milliseconds: a text, or `{ "$time": text }`. */
export function instant(value: unknown): number {
  const text = typeof value === "object" && value !== null && "$time" in value ? value.$time : value;
  return typeof text === "string" ? Date.parse(text) : Number.NaN;
}

export interface Suite {
  readonly heddle: Heddle;
  /** As it is sent: without the position of a write before it. */
  readonly request: Heddle["request"];
  get(path: string, options?: CallOptions): Promise<Answer>;
  /** Remembers the position of a write and presents it with what follows, so that reads wait for it. */
  post(path: string, body: unknown, options?: CallOptions): Promise<Answer>;
  /** A post whose answer must say success. */
  accept(path: string, body: unknown): Promise<Answer>;
  track(body: unknown): Promise<Answer>;
  /** Merges the user of one external id into that of another; gives the id of the job. */
  merge(source: string, target: string): Promise<string>;
  /** Sends one object that must be refused, and gives its verdict. */
  verdict(array: "attributes" | "events" | "purchases", object: unknown): Promise<ObjectVerdict>;
  /** The users that /users/export/ids finds. */
  find(selector: object): Promise<ExportedUser[]>;
  /** The one user with this external id; fails when there is none. */
  user(externalId: string): Promise<ExportedUser>;
}
