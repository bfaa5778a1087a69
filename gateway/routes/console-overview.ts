/** GET /console/overview: what goes on in the workspace of the key, as this gateway knows it; to operators, in the whole installation too. */
import { holds, operatorPermission } from "../access/permissions.ts";
import { success, unlessRefused } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

/** Counts are of this gateway since it started; lanes and what waits are of all workspaces, and shown to operators alone. */
export async function handleConsoleOverview(call: Call, deps: RouteDeps & Pick<Deps, "console" | "health">): Promise<Reply> {
  const { holder } = call.spent.permit.caller;
  const { seconds, routes, errors } = deps.console.activity(holder);
  const { ready, reason } = deps.health();
  const isOperator = holds(holder.key.permissions, operatorPermission);
  const [limits, progress] = await Promise.all([deps.console.limits(holder), isOperator ? progressOf(deps, call) : undefined]);
  return success({
    workspace: { id: holder.workspace.id, name: holder.workspace.name, company: holder.company.name },
    ready,
    ...(reason !== undefined && isOperator && { reason }),
    seconds,
    routes: routes.map(({ meanMs, ...route }) => ({ ...route, mean_ms: rounded(meanMs) })),
    errors: errors.map(({ at, requestId, traceId, ms, ...error }) => ({
      ...error,
      time: new Date(at).toISOString(),
      request_id: requestId,
      ...(traceId !== undefined && { trace_id: traceId }),
      ms: rounded(ms),
    })),
    ...(progress && {
      lanes: progress.lanes.map(({ lane, records, seconds }) => ({ lane, records: Number(records), seconds: rounded(seconds) })),
      held_users: progress.heldUsers,
      set_aside: progress.setAside,
    }),
    limits: limits.map(({ windowSeconds, ...limit }) => ({ ...limit, window_seconds: windowSeconds })),
  });
}

type RouteDeps = Pick<Deps, "profile" | "subscription" | "messagingStatus">;

/** A part of consent that does not answer is missing in it: `ready` and `reason` name the cause. */
async function progressOf({ profile, subscription, messagingStatus }: RouteDeps, { scope, reading }: Call) {
  const asking = { requestId: scope.requestId, traceparent: scope.traceparent };
  const consent = [subscription, messagingStatus].map((part) => unlessRefused(part.getProgress(asking, reading)));
  const [{ lanes, heldUsers: blockedUsers, setAside: deadLetters }, ...others] = await Promise.all([
    profile.getProgress(asking, reading),
    ...consent,
  ]);
  return {
    lanes: [...lanes, ...others.flatMap((other) => other?.lanes ?? [])],
    heldUsers: blockedUsers,
    setAside: others.reduce((sum, other) => sum + (other?.setAside ?? 0), deadLetters),
  };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
