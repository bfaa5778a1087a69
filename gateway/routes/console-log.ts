/** /console/log: what waits for a human in the whole installation, tried once more or passed over, as heddle log does it. */
import type { SetAsideRecord } from "../../proto/gen/heddle/consent/v1/ledger_pb.ts";
import { Refusal } from "../../platform/refusal.ts";
import { bodyFields, type Fields, invalid, isFields, isSent } from "../decode/fields.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

type Asked = Pick<Parts, "log" | "subscription" | "messagingStatus">;

/** Blocked users and dead letters, each up to a thousand. A part of consent that does not answer is named in `away`. */
export async function handleConsoleLog({ reading }: Call, { log, ...consent }: Asked): Promise<Reply> {
  const lanes = consentLanes.map(([lane, part]) =>
    consent[part].listSetAside({}, reading).then(({ records }) => ({ lane, records }), away)
  );
  const [{ held, setAside }, ...asked] = await Promise.all([log.getStatus({}, reading), ...lanes]);
  const answered = asked.flatMap((one) => one ?? []);
  return success({
    blocked_users: held.map(({ workspaceId, userId, reason, sequence, part }) => ({
      workspace_id: workspaceId,
      platform_id: userId,
      at: `${sequence}.${part}`,
      reason,
    })),
    dead_letters: [
      ...setAside.map(({ partition, sequence, reason }) => ({ partition, at: String(sequence), reason })),
      ...answered.flatMap(({ lane, records }) => records.map((record) => consentLetter(lane, record))),
    ],
    away: consentLanes.map(([lane]) => lane).filter((lane) => !answered.some((one) => one.lane === lane)),
  });
}

/** The names of both in `heddle log skip --lane`. */
const consentLanes = [["subscription", "subscription"], ["messaging-status", "messagingStatus"]] as const;

function away(error: unknown): undefined {
  if (error instanceof Refusal) return undefined;
  throw error;
}

function consentLetter(lane: string, { workspaceId, sequence, part, key, reason }: SetAsideRecord): object {
  return { lane, workspace_id: workspaceId, of: key, at: `${sequence}.${part}`, reason };
}

/** All of them, once more. Asked twice, what was applied meanwhile waits no longer. */
export async function handleConsoleLogRedrive(_: Call, { log, ...consent }: Asked): Promise<Reply> {
  const { users, records } = await log.redrive({});
  const counts = await Promise.all(consentLanes.map(([, part]) => consent[part].redriveSetAside({})));
  return success({ blocked_users: users, dead_letters: counts.reduce((sum, count) => sum + count.records, records) });
}

/**
 * Passes over records, one after the other: what holds a user back, or a dead letter. What they would have done is lost. The first
 * that is refused ends it; those before it are passed over.
 */
export async function handleConsoleLogSkip({ body }: Call, parts: Asked): Promise<Reply> {
  const { records } = bodyFields(body);
  const isList = Array.isArray(records) && records.length <= recordsMax && records.every(isFields);
  if (!isList) throw invalid(`'records' must be a list of at most ${recordsMax} objects as GET /console/log shows them`);
  for (const skip of records.map((record) => skipOf(record, parts))) await skip();
  return success({ skipped: records.length });
}

const recordsMax = 100;

/** All are read before the first is passed over. */
function skipOf(record: Fields, parts: Asked): () => Promise<unknown> {
  const { lane, partition } = record;
  if (isSent(partition)) {
    if (!isWhole(partition)) throw invalid("'partition' must be a whole number from 0");
    const { sequence } = placeOf(record, /^(\d{1,15})$/, "17");
    return () => parts.log.skip({ partition, sequence });
  }
  const at = { workspaceId: nameOf(record, "workspace_id"), ...placeOf(record, /^(\d{1,15})[.](\d{1,9})$/, "17.0") };
  if (!isSent(lane)) {
    const userId = nameOf(record, "platform_id");
    return () => parts.log.skip({ ...at, userId });
  }
  const [, part] = consentLanes.find(([name]) => name === lane) ?? [];
  if (part === undefined) throw invalid(`'lane' must be ${consentLanes.map(([name]) => `'${name}'`).join(" or ")}`);
  return () => parts[part].skipSetAside(at);
}

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < partitionsMax;
}

const partitionsMax = 100_000;

/** A record of consent that says neither workspace nor user has none. */
function nameOf(fields: Fields, name: "workspace_id" | "platform_id"): string {
  const text = fields[name];
  const isName = typeof text === "string" && text.length <= nameCharsMax &&
    (text !== "" || (isSent(fields["lane"]) && name === "workspace_id"));
  if (isName) return text;
  throw invalid(`'${name}' must be an id as GET /console/log shows it; a dead letter without a lane is named by 'partition'`);
}

const nameCharsMax = 255;

function placeOf({ at }: Fields, form: RegExp, example: string): { readonly sequence: bigint; readonly part: number } {
  const [, sequence = "", part = "0"] = (typeof at === "string" && form.exec(at)) || [];
  if (sequence === "") throw invalid(`'at' must be a place such as '${example}'`);
  return { sequence: BigInt(sequence), part: Number(part) };
}
