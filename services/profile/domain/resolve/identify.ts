/** Identify: a user without an external id gets one, or goes to the user who has it. */
import { selectUser } from "../identity/choose-user.ts";
import type { BodyOf } from "../record/intake-record.ts";
import type { JobOutcome, UserRow } from "../identity/identity.ts";
import { externalIdKey, holdsLabel } from "../identity/user-names.ts";
import { markIdentified, touchUser } from "./addresses.ts";
import { type Effects, putUser, send } from "./effects.ts";
import { type JobItem, mergeUsers, notMerged, putJob } from "./merge.ts";
import { takePending } from "./pending.ts";
import { blockMerges, withoutOverMerges } from "./open-merges.ts";

type Identifications = BodyOf<"identifyUsers">["identifications"];
type Identification = Identifications[number];

/** POST /users/identify: one after the other; what became of each is the job's row. */
export function resolveIdentify(effects: Effects, jobId: string, identifications: Identifications): void {
  const outcomes = identifications.map((identification, index) => identify(effects, identification, { jobId, index }));
  putJob(effects, jobId, outcomes);
}

function identify(effects: Effects, { user: selector, externalId }: Identification, item: JobItem): JobOutcome {
  const { user: source, reason } = selectUser(effects.view, selector);
  if (source === undefined) return notMerged(`The user to identify ${reason}`);
  if (source.externalId !== null) return notMerged("The user to identify already has an external id");
  const target = effects.view.userOf(externalIdKey(externalId));
  if (target === undefined) return giveExternalId(effects, source, externalId);
  if (selector.key.by === "alias" && holdsLabel(target, selector.key.label)) {
    return notMerged("The user with the external id already has an alias with this label");
  }
  return mergeUsers(effects, { source, target }, item);
}

/** Nothing but an identity change: the user keeps its own id. */
function giveExternalId(effects: Effects, found: UserRow, externalId: string): JobOutcome {
  const row = withoutOverMerges(effects, found);
  blockMerges(effects, row, "The target was identified since");
  const after = { ...row, externalId };
  effects.view.put(externalIdKey(externalId), row.id);
  putUser(effects, after);
  markIdentified(effects, after);
  send(effects, after, { type: "identity", externalId });
  takePending(effects, row, [externalIdKey(externalId)]);
  touchUser(effects, after);
  return { status: "identified", reason: "", sourceId: row.id, targetId: row.id, mergeId: null, undoUntil: 0 };
}
