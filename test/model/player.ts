/** Plays one history on the real system and on the reference, and says where they differ. */
import { encode, type HttpRequest, identifier, type PlatformIds, prefixed } from "./encode.ts";
import { emails, externalIds, labels, names, phones, type Step } from "./history.ts";
import { Reference } from "./reference.ts";
import type { TrackObject } from "./reference-track.ts";
import { exported, type Key } from "./reference-user.ts";

/** The real system as a client sees it. */
export interface System {
  request(method: string, path: string, options: { body?: unknown; idempotencyKey?: string | undefined }): Promise<Answer>;
  /** Ends the system without warning and brings it back. */
  crash(): Promise<void>;
}

/** A write without a key had no answer: the test cannot know whether it happened, and the history ends there. */
export class NoAnswer extends Error {}

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Plays `steps`; resolves with the differences found, none when all is well, and undefined where the history ended before its last step. */
export async function play(system: System, steps: readonly Step[], prefix: string): Promise<string[] | undefined> {
  const player = new Player(system, prefix);
  try {
    for (const step of steps) {
      const problem = await player.step(step);
      if (problem !== undefined) return [problem];
    }
    return await player.compare();
  } catch (error) {
    if (error instanceof NoAnswer) return undefined;
    throw error;
  }
}

class Player {
  readonly #system: System;
  readonly #prefix: string;
  readonly #reference = new Reference();
  #ids: PlatformIds = new Map();
  #writes = 0;
  #undos = 0;
  readonly #sent: { request: HttpRequest; key: string; answer: Answer }[] = [];
  readonly #merges: { id: string; jobId: string; index: number }[] = [];

  constructor(system: System, prefix: string) {
    this.#system = system;
    this.#prefix = prefix;
  }

  async step(step: Step): Promise<string | undefined> {
    if (step.type === "crash") return void await this.#system.crash();
    if (step.type === "undo") return await this.#undo(step.which);
    if (step.type === "repeat") return await this.#repeat(step.which);
    this.#ids = await this.#learnIds(step);
    const request = encode(step, this.#prefix, this.#ids);
    const { path, body } = request;
    // Every other write carries a key: answers with and without one take different roads
    this.#writes += 1;
    const keyed = this.#writes % 2 === 0 && step.type !== "report";
    const key = keyed ? `${this.#prefix}-${this.#writes}` : undefined;
    const answer = await this.#system.request("POST", path, { body, idempotencyKey: key });
    if (key !== undefined) this.#sent.push({ request, key, answer });
    if (answer.status >= 300) return `${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`;
    return await this.#onReference(step, answer);
  }

  /** Reads the real ids behind the step's platform ids, as a client has to. */
  async #learnIds(step: Step): Promise<PlatformIds> {
    const keys = step.type === "track" ? step.objects.map((object) => object.user) : step.type === "delete" ? [step.selector.key] : [];
    const ids = new Map<string, string>();
    for (const key of keys) {
      if (key.by !== "platformId") continue;
      const externalId = this.#prefix + key.id;
      const answer = await this.#system.request("POST", "/users/export/ids", {
        body: { external_ids: [externalId], fields_to_export: ["braze_id"] },
      });
      const [user] = (answer.body["users"] ?? []) as { braze_id: string }[];
      if (user) ids.set(externalId, user.braze_id);
    }
    return ids;
  }

  /** Every name a client could ask for, on both sides. */
  async compare(): Promise<string[]> {
    const keys: Key[] = [
      ...externalIds.map((id): Key => ({ by: "externalId", id })),
      ...labels.flatMap((label) => names.map((name): Key => ({ by: "alias", label, name }))),
      ...emails.map((id): Key => ({ by: "email", id })),
      ...phones.map((id): Key => ({ by: "phone", id })),
    ];
    const differences: string[] = [];
    for (const key of keys) {
      const expected = this.#reference.matching(ownKey(key, this.#prefix)).map((user) => canonical(exported(user)));
      const answer = await this.#system.request("POST", "/users/export/ids", { body: exportBody(key, this.#prefix) });
      const actual = ((answer.body["users"] ?? []) as Record<string, unknown>[]).map((user) => canonical(masked(user)));
      const [left, right] = [expected.toSorted().join("\n"), actual.toSorted().join("\n")];
      if (left !== right) differences.push(`${JSON.stringify(identifier(key, this.#prefix))}\n  expected ${left}\n  got      ${right}`);
    }
    return differences;
  }

  /** The same on the reference; says where the answer does not fit what the reference did. */
  async #onReference(step: Step, answer: Answer): Promise<string | undefined> {
    const own = (key: Key): Key => ownKey(key, this.#prefix);
    const reference = this.#reference;
    switch (step.type) {
      case "merge": {
        const happened = step.updates.map((update, index) =>
          reference.merge({
            id: `${answer.body["job_id"]}/${index}`,
            source: { ...update.source, key: own(update.source.key) },
            target: { ...update.target, key: own(update.target.key) },
          })
        );
        return await this.#job(answer, happened);
      }
      case "identify": {
        const before = reference.users.size;
        const user = { ...step.user, key: own(step.user.key) };
        const happened = reference.identify({ user, externalId: this.#prefix + step.externalId, id: `${answer.body["job_id"]}/0` });
        return happened && reference.users.size < before ? await this.#job(answer, [true]) : undefined;
      }
      case "rename": {
        const renamed = reference.rename(this.#prefix + step.current, this.#prefix + step.next);
        const said = (answer.body["external_ids"] as unknown[]).length === 1;
        return renamed === said ? undefined : `rename answered ${JSON.stringify(answer.body)}, expected it to happen: ${renamed}`;
      }
      case "remove": {
        const removed = reference.remove(this.#prefix + step.id);
        const said = (answer.body["removed_ids"] as unknown[]).length === 1;
        return removed === said ? undefined : `remove answered ${JSON.stringify(answer.body)}, expected it to happen: ${removed}`;
      }
      default:
        this.#writeOnReference(step);
        return undefined;
    }
  }

  /** Steps whose answer says nothing that the reference could know better. */
  #writeOnReference(step: Step): void {
    const reference = this.#reference;
    const prefix = this.#prefix;
    if (step.type === "track") reference.track(step.objects.map((object) => ownObject(object, prefix, this.#ids)));
    if (step.type === "report") reference.report({ ...step.report, user: ownKey(step.report.user, prefix) });
    if (step.type === "delete") reference.delete({ ...step.selector, key: ownKey(step.selector.key, prefix, this.#ids) });
    if (step.type === "aliasNew") {
      for (const { externalId, label, name } of step.entries) {
        reference.aliasNew({ ...(externalId === undefined ? {} : { externalId: prefix + externalId }), label, name: prefix + name });
      }
    }
    if (step.type === "aliasUpdate") {
      for (const { label, oldName, newName } of step.entries) {
        reference.aliasUpdate({ label, oldName: prefix + oldName, newName: prefix + newName });
      }
    }
  }

  /** What the receipt's job says must be what the reference did. */
  async #job(answer: Answer, happened: readonly boolean[]): Promise<string | undefined> {
    const jobId = String(answer.body["job_id"]);
    happened.forEach((done, index) => {
      if (done) this.#merges.push({ id: `${jobId}/${index}`, jobId, index });
    });
    const status = await this.#system.request("GET", `/users/merge/status/${jobId}`, {});
    const updates = (status.body["merge_updates"] ?? []) as { status: string }[];
    const said = updates.map((update) => update.status === "merged");
    return JSON.stringify(said) === JSON.stringify(happened)
      ? undefined
      : `job said ${JSON.stringify(status.body)}, expected ${JSON.stringify(happened)}`;
  }

  async #undo(which: number): Promise<string | undefined> {
    const merge = this.#merges[this.#merges.length - 1 - which];
    if (!merge) return undefined;
    const answer = await this.#system.request("POST", "/users/merge/undo", {
      body: { job_id: merge.jobId, index: merge.index },
      idempotencyKey: `${this.#prefix}-undo-${this.#undos++}`,
    });
    const expected = this.#reference.undo(merge.id);
    const undone = answer.status < 300;
    if (answer.status >= 500 || undone !== expected) {
      return `undo answered ${answer.status} ${JSON.stringify(answer.body)}, expected it to happen: ${expected}`;
    }
    return undefined;
  }

  async #repeat(which: number): Promise<string | undefined> {
    const earlier = this.#sent[this.#sent.length - 1 - which];
    if (!earlier) return undefined;
    const { path, body } = earlier.request;
    const answer = await this.#system.request("POST", path, { body, idempotencyKey: earlier.key });
    const same = answer.status === earlier.answer.status && JSON.stringify(answer.body) === JSON.stringify(earlier.answer.body);
    return same
      ? undefined
      : `repeat of ${path} answered ${answer.status} ${JSON.stringify(answer.body)}, first ${JSON.stringify(earlier.answer)}`;
  }
}

/** A platform id that could not be learned names no user, even where its user comes to be in the same request. */
function ownKey(key: Key, prefix: string, ids: PlatformIds = new Map()): Key {
  const own = prefixed(key, prefix);
  return own.by === "platformId" && !ids.has(own.id) ? { by: "platformId", id: `${prefix}nobody` } : own;
}

function ownObject(object: TrackObject, prefix: string, ids: PlatformIds): TrackObject {
  const user = ownKey(object.user, prefix, ids);
  if (object.kind !== "attribute") return { ...object, user };
  const email = object.email === undefined ? {} : { email: object.email === null ? null : prefix + object.email };
  const phone = object.phone === undefined ? {} : { phone: object.phone === null ? null : phoneText(object.phone, prefix) };
  return { ...object, user, ...email, ...phone };
}

function phoneText(phone: string, prefix: string): string {
  const key = prefixed({ by: "phone", id: phone }, prefix);
  return key.by === "phone" ? key.id : phone;
}

function exportBody(key: Key, prefix: string): Record<string, unknown> {
  const own = prefixed(key, prefix);
  switch (own.by) {
    case "externalId":
      return { external_ids: [own.id] };
    case "alias":
      return { user_aliases: [{ alias_label: own.label, alias_name: own.name }] };
    case "email":
      return { email_address: own.id };
    case "phone":
      return { phone: own.id };
    case "platformId":
      return { braze_id: own.id };
  }
}

const chosenElsewhere = new Set(["braze_id", "platform_id", "created_at", "random_bucket", "email_subscribe", "push_subscribe"]);

/** What the reference cannot know is left out; lists without an order of their own are sorted. */
function masked(user: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.fromEntries(Object.entries(user).filter(([key]) => !chosenElsewhere.has(key)));
  for (
    const [list, by] of [["custom_events", "name"], ["purchases", "name"], ["user_aliases", "alias_label"], ["apps", "app_id"], [
      "devices",
      "device_id",
    ], ["campaigns_received", "api_campaign_id"]] as const
  ) {
    const value = kept[list];
    if (Array.isArray(value)) kept[list] = value.toSorted((a, b) => (a[by] < b[by] ? -1 : 1));
  }
  return kept;
}

/** JSON with the keys of every object in order. */
function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, part: unknown) =>
      typeof part === "object" && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : part,
  );
}
