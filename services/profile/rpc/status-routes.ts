/** The RPCs that read what became of requests, who is meant, and what was counted. */
import type { ServiceImpl } from "@connectrpc/connect";
import { namesOf } from "../../../platform/enum-names.ts";
import { positionToToken } from "../../../platform/intake/position.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { laneMessages } from "../../../platform/telemetry/lag-history.ts";
import { type GetSeriesRequest, type ProfileService, SeriesRange } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { catchUp } from "../domain/read/catch-up.ts";
import type { JobRow, UserRow } from "../domain/identity/identity.ts";
import { readSeries } from "../domain/counts/read-series.ts";
import { resolveUsers } from "../domain/read/resolve-users.ts";
import { userKeyToRead } from "../intake/user-key-message.ts";
import { readOf, type ServiceDeps } from "./request.ts";

export function statusRoutes(deps: ServiceDeps) {
  return {
    /**
     * Of each update of a merge or identify request. Refuses NOT_FOUND for a job that no request of the workspace got, and
     * DEADLINE_EXCEEDED while it may be one of a request that is not decided yet.
     */
    async getMergeStatus(message) {
      const request = readOf(message);
      const { behind } = await catchUp(deps, request);
      // No job has it, and it may be more than the key of a row
      if (message.jobId.length > limits.stringValueCharsMax) throw new Refusal("NOT_FOUND", unknownJob);
      const key = `j:${message.jobId}` as const;
      const row = (await deps.identities.load(request.workspaceId, [key])).get(key) as JobRow | undefined;
      if (row === undefined && behind) throw new Refusal("DEADLINE_EXCEEDED", "The job may be one that is not decided yet: ask again");
      if (row === undefined) throw new Refusal("NOT_FOUND", unknownJob);
      const outcomes = row.outcomes.map(({ status, reason, sourceId, targetId, undoUntil }, index) => {
        return { index, status, reason, sourceUserId: sourceId ?? "", targetUserId: targetId ?? "", undoUntil: BigInt(undoUntil) };
      });
      return { outcomes };
    },
    async resolveUsers(message) {
      const users = message.users.map(userKeyToRead);
      const { found, behind, end } = await resolveUsers(deps, { ...readOf(message), users });
      return { keys: found.map(foundToMessage), behind, end: positionToToken(end) };
    },
    /** For whom /users/track takes no more objects, and why. */
    async listRejectedUsers(message) {
      const request = readOf(message);
      const { behind } = await catchUp(deps, request);
      const rejected = await deps.profiles.listRejected(limits.rejectedUsersMax);
      const own = rejected.filter(({ workspaceId }) => workspaceId === request.workspaceId);
      const users = own.map(({ id, externalId, aliases, counted, count, max }) => ({
        userId: id,
        ...(externalId !== null && { externalId }),
        aliases: [...aliases],
        counted,
        count: BigInt(count),
        max: BigInt(max),
      }));
      return { users, behind };
    },
    /** How far this process knows what is accepted to be applied. */
    async getProgress({ withHistory }) {
      const { lags, history, backlog } = deps.work;
      const [lanes, { blockedUsers, deadLetters }] = await Promise.all([lags(), backlog()]);
      return { lanes: laneMessages(lanes, withHistory ? history() : []), heldUsers: blockedUsers, setAside: deadLetters };
    },
    getSeries: (message) => series(deps, message),
  } satisfies Partial<ServiceImpl<typeof ProfileService>>;
}

/** Whom a key names. */
export function foundToMessage(rows: readonly UserRow[]) {
  return {
    users: rows.map(({ id, externalId, email, phone }) => ({
      userId: id,
      ...(externalId !== null && { externalId }),
      ...(email !== null && { email }),
      ...(phone !== null && { phone }),
    })),
  };
}

const unknownJob = "Expected the job id of a merge, got one that is not known";

async function series(deps: ServiceDeps, message: GetSeriesRequest) {
  const range = ranges.get(message.range);
  if (range === undefined) throw new Refusal("INPUT_INVALID", "Expected a range, got none");
  const { from, to, stepMs, series, users, behind } = await readSeries(deps, { ...readOf(message), range, now: deps.clock.now() });
  return {
    from: BigInt(from),
    to: BigInt(to),
    stepMs: BigInt(stepMs),
    series: series.map(({ name, total, points }) => {
      const end = name.indexOf(":");
      return {
        metric: name.slice(0, end),
        name: name.slice(end + 1),
        total: BigInt(total),
        times: points.map(([at]) => BigInt(at)),
        counts: points.map(([, count]) => BigInt(count)),
      };
    }),
    behind,
    // More may be deleted than were counted, where some were there before
    ...(users && users.count >= 0 && { users: { count: BigInt(users.count), since: BigInt(users.since) } }),
  };
}

const ranges = namesOf(SeriesRange);
