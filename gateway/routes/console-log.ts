/** /console/log: what waits for a human in the whole installation, tried once more or passed over, as heddle log does it. */
import { Buffer } from "node:buffer";
import type { SetAsideRecord } from "../../proto/gen/heddle/consent/v1/ledger_pb.ts";
import { shownFrom, type ShownRecord } from "../../platform/lane/shown-record.ts";
import { limits } from "../../platform/limits.ts";
import { bodiesPermission, holds } from "../access/permissions.ts";
import { checkNoFields } from "../decode/fields.ts";
import { type ConsentLane, consentLanes, type WaitingRecordId, waitingRecordIds } from "../decode/waiting-record-id.ts";
import { success, unlessRefused } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

type RouteDeps = Pick<Deps, "log" | "subscription" | "messagingStatus">;

/**
 * Blocked users and dead letters, each up to a thousand, and a hundred of each part of consent; `more` says that one of the lists is full.
 * A part of consent that does not answer is named in `away`.
 */
export async function handleConsoleLog({ reading, spent }: Call, { log, ...consent }: RouteDeps): Promise<Reply> {
  const mayKnowOf = holds(spent.permit.caller.holder.key.permissions, bodiesPermission);
  const lanes = consentLanes.map(([lane, part]) =>
    unlessRefused(consent[part].listSetAside({}, reading).then(({ records }) => ({ lane, records })))
  );
  const [{ held, setAside: deadLetters }, ...asked] = await Promise.all([log.getStatus({}, reading), ...lanes]);
  const answered = asked.flatMap((one) => one ?? []);
  return success({
    blocked_users: held.map(({ workspaceId, userId, reason, sequence, part }) => ({
      workspace_id: workspaceId,
      platform_id: userId,
      at: `${sequence}.${part}`,
      reason,
    })),
    dead_letters: [
      ...deadLetters.map(({ partition, sequence, reason }) => ({ partition, at: String(sequence), reason })),
      ...answered.flatMap(({ lane, records }) => records.map((record) => consentLetter(lane, record, mayKnowOf))),
    ],
    away: consentLanes.map(([lane]) => lane).filter((lane) => !answered.some((one) => one.lane === lane)),
    more: [held, deadLetters].some(({ length }) => length >= limits.heldRedriveMax) ||
      answered.some(({ records }) => records.length >= limits.setAsidePageMax),
  });
}

/** Of messages the key is an address or a phone number, of subscriptions a platform id. */
function consentLetter(lane: ConsentLane, { workspaceId, sequence, part, key, reason }: SetAsideRecord, mayKnowOf: boolean): object {
  const isShown = mayKnowOf || lane !== "messaging-status";
  return { lane, workspace_id: workspaceId, ...(isShown && { of: key }), at: `${sequence}.${part}`, reason };
}

/** All of them, once more. Asked twice, what was applied meanwhile waits no longer. */
export async function handleConsoleLogRedrive({ body }: Call, { log, ...consent }: RouteDeps): Promise<Reply> {
  // Who names some would have all of them tried
  checkNoFields(body);
  const { users, records } = await log.redrive({});
  const counts = await Promise.all(consentLanes.map(([, part]) => consent[part].redriveSetAside({})));
  return success({ blocked_users: users, dead_letters: counts.reduce((sum, count) => sum + count.records, records) });
}

/**
 * Passes over records, one after the other: what holds a user back, or a dead letter. What they would have done is lost. The first
 * that is refused ends it; those before it are passed over.
 */
export async function handleConsoleLogSkip({ body }: Call, deps: RouteDeps): Promise<Reply> {
  // All are read before the first is passed over
  const ids = waitingRecordIds(body, skippedMax);
  for (const id of ids) await skip(id, deps);
  return success({ skipped: ids.length });
}

const skippedMax = 100;

async function skip(id: WaitingRecordId, deps: RouteDeps): Promise<void> {
  switch (id.of) {
    case "intake":
      return void await deps.log.skip({ partition: id.partition, sequence: id.sequence });
    case "user":
      return void await deps.log.skip(id.at);
    default:
      await deps[id.of].skipSetAside(id.at);
  }
}

/** What they say, in their order: it holds what was sent of people. What this build cannot read, and what is too large, has no `record`. */
export async function handleConsoleLogRecords({ body, reading }: Call, deps: RouteDeps): Promise<Reply> {
  const records: object[] = [];
  for (const id of waitingRecordIds(body, shownMax)) {
    const { json, size, first } = await shownAt(id, deps, reading);
    const firstBytes = Buffer.from(first).toString("hex");
    records.push({ ...(json !== "" && { record: JSON.parse(json) as unknown }), bytes: size, first_bytes: firstBytes });
  }
  return success({ records });
}

/** One may be as large as `shownBytesMax`. */
const shownMax = 10;

async function shownAt(id: WaitingRecordId, { log, ...consent }: RouteDeps, reading: Call["reading"]): Promise<ShownRecord> {
  const { record } = id.of === "intake"
    ? await log.showRecord({ partition: id.partition, sequence: id.sequence }, reading)
    : id.of === "user"
    ? await log.showRecord(id.at, reading)
    : await consent[id.of].showSetAside(id.at, reading);
  return shownFrom(record);
}
