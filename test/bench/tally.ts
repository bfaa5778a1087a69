/** Whether every object that was answered is there once: what one workspace was sent, held against what its users say. */
import { Agent } from "node:http";
import { type Asked, type LoadOptions, sendUntilApplied } from "./load.ts";

/** Of so many users at most; their sums have to be exact. */
const usersMax = 300;
const idsPerRequest = 50;

interface Sent {
  readonly attributes?: readonly { readonly external_id: string; readonly visits?: object }[];
  readonly events?: readonly { readonly external_id: string }[];
  readonly purchases?: readonly { readonly external_id: string }[];
}

interface Exported {
  readonly external_id: string;
  readonly custom_events?: readonly { readonly count: number }[];
  readonly purchases?: readonly { readonly count: number }[];
  readonly custom_attributes?: { readonly visits?: number };
}

const surelyRefused: ReadonlySet<string> = new Set(["BEHIND", "OVERLOADED", "LOG_FULL", "SERVICE_UNAVAILABLE"]);

/** Events, purchases and operators are counted for each of the first users that a workspace is sent. */
export class Tally {
  readonly #counts = new Map<string, number>();

  /** Answers that leave open whether the request was taken. */
  unknown = 0;

  /** Counts what is answered of a load's requests; `isOurs`: whether the nth goes to the workspace. */
  counting(make: (n: number) => Asked, isOurs: (n: number) => boolean): Required<Pick<LoadOptions, "make" | "onAnswer">> {
    const open = new Map<number, Buffer>();
    return {
      make(n) {
        const asked = make(n);
        if (isOurs(n)) open.set(n, asked.body);
        return asked;
      },
      onAnswer: (n, { status, headers }) => {
        const body = open.get(n);
        open.delete(n);
        if (body === undefined) return;
        if (status < 300) this.add(body);
        else if (status >= 500 && !surelyRefused.has(String(headers["x-heddle-reason"]))) this.unknown += 1;
      },
    };
  }

  /** Of a request that was taken. */
  add(body: Buffer): void {
    const { attributes = [], events = [], purchases = [] } = JSON.parse(body.toString()) as Sent;
    for (const { external_id: id, visits } of attributes) this.#count(id, visits === undefined ? 0 : 1);
    for (const { external_id: id } of [...events, ...purchases]) this.#count(id, 1);
  }

  #count(id: string, by: number): void {
    const before = this.#counts.get(id);
    if (before === undefined && this.#counts.size >= usersMax) return;
    this.#counts.set(id, (before ?? 0) + by);
  }

  /** In words, when all is applied. */
  async check(url: string, key: string): Promise<{ readonly isRight: boolean; readonly text: string }> {
    if (this.unknown > 0) return { isRight: false, text: `NOT KNOWN, as ${this.unknown} answers do not say whether the request was taken` };
    const differences = await this.#differences(url, key);
    return { isRight: differences.length === 0, text: differences.length === 0 ? "all" : `NOT: ${differences.join("; ")}` };
  }

  /** Who has another sum than was sent; call it when all is applied. */
  async #differences(url: string, key: string): Promise<string[]> {
    const agent = new Agent({ keepAlive: true });
    const found = new Map<string, number>();
    const ids = [...this.#counts.keys()];
    const fields_to_export = ["external_id", "custom_events", "purchases", "custom_attributes"];
    for (let at = 0; at < ids.length; at += idsPerRequest) {
      const body = Buffer.from(JSON.stringify({ external_ids: ids.slice(at, at + idsPerRequest), fields_to_export }));
      const answer = await sendUntilApplied(agent, url, { path: "/users/export/ids", body, headers: { authorization: `Bearer ${key}` } });
      for (const user of (JSON.parse(answer.body.toString()) as { users: Exported[] }).users) found.set(user.external_id, sumOf(user));
    }
    agent.destroy();
    return ids.flatMap((id) => {
      const [sent = 0, there = 0] = [this.#counts.get(id), found.get(id)];
      return sent === there ? [] : [`${id} was sent ${sent} and has ${there}`];
    });
  }
}

function sumOf({ custom_events = [], purchases = [], custom_attributes }: Exported): number {
  return [...custom_events, ...purchases].reduce((sum, { count }) => sum + count, 0) + (custom_attributes?.visits ?? 0);
}
