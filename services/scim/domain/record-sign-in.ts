/** Notes that a person signed in to the dashboard. */
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { ScimDeps } from "./ports.ts";
import type { User } from "./user.ts";
import { comparedUserName } from "./user-name.ts";

/** Refuses NOT_FOUND, STATE_CONFLICT (not active, or others change the user all the time). An earlier time changes nothing, one in the future is now. */
export async function recordSignIn(
  deps: ScimDeps,
  asked: { readonly companyId: string; readonly id?: string; readonly userName?: string; readonly at: number },
): Promise<User> {
  const { companyId } = asked;
  const at = Math.min(asked.at, deps.clock.now());
  for (let attempt = 0; attempt < limits.scimAttemptsMax; attempt += 1) {
    const before = await whoSignedIn(deps, asked);
    if (!before.active) throw new Refusal("STATE_CONFLICT", "The account is not active");
    if (before.lastSignInAt !== null && before.lastSignInAt >= at) return before;
    const after: User = { ...before, lastSignInAt: at, modifiedAt: deps.clock.now(), revision: before.revision + 1 };
    if (await deps.users.commit({ companyId, before, after }) === "committed") return after;
  }
  throw new Refusal("STATE_CONFLICT", "Others change the user at the same time");
}

async function whoSignedIn(deps: ScimDeps, asked: { companyId: string; id?: string; userName?: string }): Promise<User> {
  const user = asked.id === undefined
    ? await deps.users.byUserName(asked.companyId, comparedUserName(asked.userName ?? ""))
    : await deps.users.byId(asked.companyId, asked.id);
  if (user === undefined) throw new Refusal("NOT_FOUND", "User not found");
  return user;
}
