/** The store of dashboard users: a company is a partition, and each change goes with its head, which counts users and changes. */
import { type Documents, head, type Key, keyText, nextHead, revisionOf, type Write } from "../../../platform/documents/documents.ts";
import { limits } from "../../../platform/limits.ts";
import type { Census, IdempotencyEntry, UserChange, Users } from "../domain/ports.ts";
import type { User } from "../domain/user.ts";
import type { ScimDocuments } from "./documents.ts";
import { logWrite } from "./request-log.ts";

type Head = Partial<Pick<Census, "users">> | undefined;

/**
 * Kinds: `id`, `name` and `ext` have the whole user, by id, by name and by externalId; `key` has the id by name, for skipping. Beside them
 * `mark`, `event` and `log`.
 */
export function openUsers({ users, companies }: ScimDocuments): Users {
  async function user(companyId: string, kind: "id" | "name", id: string): Promise<User | undefined> {
    const found = await users.get(companyId, { kind, id });
    return found === undefined ? undefined : userOf(companyId, found);
  }
  return {
    byId: (companyId, id) => user(companyId, "id", id),
    byUserName: (companyId, key) => user(companyId, "name", key),
    async byExternalId(companyId, externalId) {
      const range = { above: externalKey(externalId, ""), below: `${externalId}\u0002`, limit: limits.scimScanUsersMax };
      const found = (await users.between(companyId, "ext", range)).map(({ value }) => userOf(companyId, value));
      return found.filter((one) => one.externalId === externalId);
    },
    async page(companyId, { after, descending, limit }) {
      const found = await users.between(companyId, "name", { ...from(after, descending), descending, limit });
      return found.map(({ value }) => userOf(companyId, value));
    },
    async skip(companyId, { after, descending, count }) {
      let last = after;
      for (let left = count; left > 0;) {
        const limit = Math.min(left, limits.scimSkipPageKeys);
        const found = await users.between(companyId, "key", { ...from(last, descending), descending, limit });
        if (found.length < limit) return undefined;
        last = found.at(-1)?.id;
        left -= limit;
      }
      return last;
    },
    async census(companyId) {
      const found = await users.get(companyId, head);
      return { users: (found as Head)?.users ?? 0, changes: revisionOf(found) };
    },
    async remembered(companyId, requestHash, now) {
      const mark = await users.get(companyId, { kind: "mark", id: requestHash }) as Omit<IdempotencyEntry, "requestHash"> | undefined;
      return mark !== undefined && mark.expiresAt > now ? { requestHash, ...mark } : undefined;
    },
    async commit(change) {
      if (change.event) await noteCompany(companies, change.companyId);
      return await commit(users, change);
    },
  };
}

function from(after: string | undefined, descending: boolean): { above?: string; below?: string } {
  if (after === undefined) return {};
  return descending ? { below: after } : { above: after };
}

/** One that may have events to publish. */
export async function noteCompany(companies: Documents, companyId: string): Promise<void> {
  await companies.changeIf(allCompanies, { reads: [], plan: () => [{ key: { kind: "company", id: companyId }, value: {} }] });
}

export const allCompanies = "all";

async function commit(users: Documents, change: UserChange) {
  const { companyId, before, after, event, log, remember } = change;
  const mark = { kind: "mark", id: remember?.requestHash ?? "" };
  const rests = before ? { kind: "id", id: before.id } : after && { kind: "key", id: after.userNameKey };
  return await users.changeIf<Obstacle>(companyId, {
    reads: [head, ...(remember ? [mark] : []), ...(rests ? [rests] : [])],
    plan(found) {
      const obstacle = obstacleTo(change, { known: remember && found[1], there: found.at(-1) });
      if (obstacle) return obstacle;
      const next = nextHead(found[0]);
      const count = ((found[0] as Head)?.users ?? 0) + (after ? 1 : 0) - (before ? 1 : 0);
      const { requestHash: _requestHash, ...remembered } = remember ?? { requestHash: "" };
      return [
        { ...next, value: { ...next.value, users: count } },
        ...userWrites(before, after),
        ...(event ? [{ key: { kind: "event", id: eventId(next.value.revision) }, value: event }] : []),
        ...(log ? [logWrite(log, String(next.value.revision))] : []),
        ...(remember ? [{ key: mark, value: remembered }] : []),
      ];
    },
  });
}

type Obstacle = "repeated" | "name_taken" | "changed";

function obstacleTo({ before, after, log, remember }: UserChange, found: { known: unknown; there: unknown }): Obstacle | undefined {
  const known = found.known as IdempotencyEntry | undefined;
  // A mark whose time is over gives way
  if (remember && known && known.expiresAt > (log?.at ?? remember.expiresAt - limits.idempotencyKeepMs)) return "repeated";
  if (before && (found.there as User | undefined)?.revision !== before.revision) return "changed";
  return after && !before && found.there !== undefined ? "name_taken" : undefined;
}

/** Sorted as numbers are. */
function eventId(revision: number): string {
  return String(revision).padStart(19, "0");
}

export function userWrites(before: User | undefined, after: User | undefined): Write[] {
  if (before === after) return [];
  const { companyId: _companyId, ...value } = after ?? { companyId: "" };
  const puts = after ? keysOf(after).map((key) => ({ key, value: key.kind === "key" ? after.id : value })) : [];
  const stays = new Set(puts.map(({ key }) => keyText(key)));
  const drops = (before ? keysOf(before) : []).filter((key) => !stays.has(keyText(key)));
  return [...puts, ...drops.map((key) => ({ key, value: undefined }))];
}

/** Where a user stands. */
function keysOf({ id, userNameKey, externalId }: User): Key[] {
  const always = [{ kind: "id", id }, { kind: "name", id: userNameKey }, { kind: "key", id: userNameKey }];
  return externalId === undefined ? always : [...always, { kind: "ext", id: externalKey(externalId, id) }];
}

/** No externalId has control characters. */
function externalKey(externalId: string, id: string): string {
  return `${externalId}\u0001${id}`;
}

function userOf(companyId: string, value: unknown): User {
  return { ...value as Omit<User, "companyId">, companyId };
}
