/** Use case: a merge shown without being done (POST /users/merge/preview). */
import type { Clock } from "../../../../platform/clock.ts";
import { type MergeRecord, takeIn } from "./apply-merge.ts";
import { applyRecord } from "../profile/apply-records.ts";
import { catchUp, type ReadDeps, type ReadRequest } from "../read/catch-up.ts";
import { waitingIn, type WaitingStatuses } from "../read/email-statuses.ts";
import { createIdentities, type Identities } from "../identity/identities.ts";
import type { BodyOf, IntakeRecord } from "../record/intake-record.ts";
import type { IdentityStore } from "../ports.ts";
import type { Profile } from "../profile/profile.ts";
import type { ProfileRecord } from "../profile/profile-record.ts";
import { resolveBatch, type ResolvedRecord } from "../resolve/batch.ts";
import type { EmailStatus } from "../record/track-object.ts";
import type { UserId } from "../record/user-key.ts";

export interface PreviewPorts extends ReadDeps {
  readonly clock: Clock;
}

export interface Preview {
  /** The target as the merge would leave it; undefined when nothing would happen. */
  readonly profile: Profile | undefined;
  /** See renderUsers(). */
  readonly waiting: WaitingStatuses;
  /** That the merge would give the target's address, whatever it has. */
  readonly emailStatus?: EmailStatus;
  /** Why nothing would happen, empty where something would. */
  readonly reason: string;
}

/** Resolves and merges copies, as if the merge were the next request of the workspace. */
export async function previewMerge(
  deps: PreviewPorts,
  request: ReadRequest & { readonly update: MergeUpdate },
): Promise<Preview> {
  await catchUp(deps, request);
  const view = createIdentities(request.workspaceId);
  const { profiles: records, consent } = await resolveOne(view, await nextRecord(deps, request), deps);
  const [outcome] = view.job(previewJob)?.outcomes ?? [];
  const { sourceId, targetId } = outcome ?? {};
  if (outcome?.status !== "merged" || !sourceId || !targetId) {
    return { profile: undefined, waiting: new Map(), reason: outcome?.reason ?? "" };
  }
  const loaded = await deps.profiles.load(request.workspaceId, [sourceId, targetId]);
  const merged = view.user(targetId);
  const set = consent.find((change) => change.type === "emailStatus");
  return {
    profile: mergedCopy(loaded, records.filter((record) => record.userId === targetId)),
    waiting: waitingIn(merged === undefined ? [] : [merged]),
    ...(set && { emailStatus: set.status }),
    reason: "",
  };
}

async function nextRecord(
  { intake, clock }: PreviewPorts,
  { workspaceId, update }: ReadRequest & { readonly update: MergeUpdate },
): Promise<IntakeRecord> {
  const { sequence } = await intake.tail(workspaceId);
  const body = { type: "mergeUsers" as const, jobId: previewJob, updates: [update] };
  return { sequence: sequence + 1, workspaceId, requestId: "", actor: "", receivedAt: clock.now(), body };
}

async function resolveOne(
  view: Identities,
  record: IntakeRecord,
  { identities, clock }: { readonly identities: IdentityStore; readonly clock: Clock },
): Promise<ResolvedRecord> {
  for (;;) {
    const { resolved: [resolved], need = [] } = resolveBatch(view, [record], { now: clock.now(), undoWindowMs: 0 });
    if (resolved !== undefined) return resolved;
    view.load(need, await identities.load(view.workspaceId, need));
  }
}

function mergedCopy(loaded: ReadonlyMap<UserId, Profile>, records: readonly ProfileRecord[]): Profile | undefined {
  let target = loaded.get(records[0]?.userId ?? "");
  for (const record of records) {
    if (target === undefined) return undefined;
    const source = record.change.type === "await" ? loaded.get(record.change.sourceId) : undefined;
    target = source === undefined ? applyRecord(target, record) ?? undefined : takeIn(target, source, record as MergeRecord<"await">);
  }
  return target;
}

const previewJob = "preview";
type MergeUpdate = BodyOf<"mergeUsers">["updates"][number];
