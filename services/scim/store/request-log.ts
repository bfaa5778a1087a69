/** The log of requests: those that changed something stand with their change, the others by day; all end by themselves. */
import type { Clock } from "../../../platform/clock.ts";
import { type Documents, idsAboveAll, type Write } from "../../../platform/documents/documents.ts";
import { newId } from "../../../platform/identifier.ts";
import { limits } from "../../../platform/limits.ts";
import type { LogEntry, LogQuestion, RequestLog } from "../domain/ports.ts";
import { userNameKey } from "../domain/user-name.ts";
import type { ScimDocuments } from "./documents.ts";

export function openRequestLog({ users, requests }: ScimDocuments, clock: Clock): RequestLog {
  return {
    async append(entries) {
      const days = Map.groupBy(entries, ({ companyId, at }) => dayPartition(companyId, dayOf(at)));
      for (const [partition, some] of days) {
        await requests.changeIf(partition, { reads: [], plan: () => some.map((entry) => logWrite(entry, newId("uuid", clock))) });
      }
    },
    async newest(asked) {
      const others: LogEntry[] = [];
      for (const partition of dayPartitions(asked.companyId, clock)) {
        if (others.length >= asked.limit) break;
        others.push(...await newestOf(requests, partition, { ...asked, limit: asked.limit - others.length }));
      }
      const changes = await newestOf(users, asked.companyId, asked);
      return [...others, ...changes].sort((left, right) => right.at - left.at).slice(0, asked.limit);
    },
  };
}

/** In the order of time, and no two alike: `place` distinguishes entries of one request. */
export function logWrite({ companyId: _companyId, ...entry }: LogEntry, place: string): Write {
  const id = `${String(entry.at).padStart(15, "0")} ${entry.requestId} ${place}`;
  return { key: { kind: "log", id }, value: { ...entry, expiresAt: entry.at + limits.scimLogKeepMs } };
}

/** Of all days whose entries may be there, the newest first. */
export function dayPartitions(companyId: string, clock: Clock): string[] {
  const [last, first] = [dayOf(clock.now()) + 1, dayOf(clock.now() - limits.scimLogKeepMs)];
  return Array.from({ length: last - first + 1 }, (_, at) => dayPartition(companyId, last - at));
}

function dayPartition(companyId: string, day: number): string {
  return `${day} ${companyId}`;
}

function dayOf(at: number): number {
  return Math.floor(at / dayMs);
}

const dayMs = 24 * 3600 * 1000;

/** Pages backwards until enough are about whom was asked for. */
async function newestOf(documents: Documents, partition: string, { companyId, limit, about }: LogQuestion): Promise<LogEntry[]> {
  const found: LogEntry[] = [];
  const name = about && userNameKey(about);
  function isAsked({ userId, userName }: LogEntry): boolean {
    return about === undefined || userId === about || (name !== undefined && userName !== undefined && userNameKey(userName) === name);
  }
  for (let below = idsAboveAll, seen = 0; found.length < limit && seen < limits.scimLogEntriesMax;) {
    const page = await documents.between(partition, "log", { below, limit: limits.scimLogPageRows, descending: true });
    const entries = page.map(({ value }) => {
      const { expiresAt: _expiresAt, ...entry } = value as Omit<LogEntry, "companyId"> & { readonly expiresAt: number };
      return { ...entry, companyId };
    });
    found.push(...entries.filter(isAsked));
    if (page.length < limits.scimLogPageRows) break;
    seen += page.length;
    below = page.at(-1)?.id ?? "";
  }
  return found.slice(0, limit);
}
